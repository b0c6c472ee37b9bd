/* budget.h - limits on the sizes of a program, from a file: docs/budgets.md has the format.
 *
 *     file                    max 2 MiB, growth 1%
 *     section .text           max 1200 KiB
 *     symbol "^std::"         max 64 KiB        # PCRE2
 *     source src/net          growth 0
 *     region RAM              free at least 8 KiB
 *
 * A rule is a line.  Read once; checking is O(rules x symbols). */
#ifndef HEFT_QUERY_BUDGET_H
#define HEFT_QUERY_BUDGET_H

#include "map/rules.h"
#include "compare/diff.h"

enum budget_subject {
	BUDGET_FILE,
	BUDGET_VM,
	BUDGET_SECTION,
	BUDGET_REGION,
	BUDGET_SYMBOL,
	BUDGET_NAMESPACE,
	BUDGET_STACK,
	BUDGET_SOURCE, /* from here on measured in the file */
	BUDGET_DIRECTORY,
	BUDGET_OBJECT,
	BUDGET_LIBRARY,
	BUDGET_COMPONENT,
};

/* The word of a subject, as rules have it.  Static. */
const char *budget_subject_word(enum budget_subject subject);

/* One limit of a rule. */
struct budget_limit {
	enum budget_subject subject;
	const char *pattern;   /* "" where the subject takes none */
	struct pattern *regex; /* of symbols; owned by the budget */
	bool growth;           /* against the base; else of the size itself */
	bool percent;          /* growth in 1/1000 of a percent; else bytes */
	bool left;             /* so much of a region is free at least */
	uint64_t amount;
	const char *text; /* the rule with this limit alone, as it would be written */
	unsigned line;
};

struct budget {
	VEC(struct budget_limit) limits;
	struct arena arena;
};

/* False with HEFT_EFORMAT "PATH:LINE:COLUMN: what" where a rule is bad. */
bool budget_parse(struct budget *ret, const char *path, struct str input, struct heft_err *err);
void budget_release(struct budget *b);

/* What is measured. */
struct budget_input {
	const struct snapshot *now, *base; /* base may be NULL */
};

struct budget_result {
	VEC(struct heft_budget_row) rows; /* one a limit, in the order of the file */
	struct arena arena;
};
/* A limit that asks what a snapshot does not tell is a row that says so. */
void budget_check(struct budget_result *ret, const struct budget *b, const struct budget_input *in);
void budget_result_release(struct budget_result *r);

#endif
