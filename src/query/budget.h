/* budget.h - checks limits on the sizes of a program, from a file (docs/budgets.md has the format).
 *
 *     file max 2 MiB, growth 1%
 *     file without debug max 900 KiB
 *     section .text max 1200 KiB
 *     symbol "^std::" max 64 KiB # PCRE2
 *     source src/net growth 0
 *     region RAM free at least 8 KiB
 *
 * Each line is a rule. Read once. A check is O(rules x symbols). */
#pragma once

#include "map/rules.h"
#include "compare/diff.h"

enum budget_subject {
	BUDGET_SHIPPED, /* The file without debug info */
	BUDGET_FILE,
	BUDGET_DEBUG,
	BUDGET_VM,
	BUDGET_SECTION,
	BUDGET_REGION,
	BUDGET_SYMBOL,
	BUDGET_NAMESPACE,
	BUDGET_STACK,
	BUDGET_SOURCE, /* This subject and the following ones are measured in the file */
	BUDGET_DIRECTORY,
	BUDGET_OBJECT,
	BUDGET_LIBRARY,
	BUDGET_COMPONENT,
	BUDGET_PACKAGE,
};

/* Returns the word of a subject in rules. Static. */
const char *budget_subject_word(enum budget_subject subject);

/* One limit of a rule. */
struct budget_limit {
	enum budget_subject subject;
	const char *pattern;   /* "" if the subject has none */
	struct pattern *regex; /* Expression for symbols. Owned by the budget. */
	bool growth;           /* True for a limit of the growth from the base, false for a limit
			        * of the size */
	bool percent;          /* True for growth in 1/1000 of a percent, false for bytes */
	bool left;             /* True for a least number of free bytes of a region */
	uint64_t amount;
	const char *text; /* The rule with only this limit, as a user would write it */
	unsigned line;
};

struct budget {
	VEC(struct budget_limit) limits;
	struct arena arena;
};

/* Reads the rules. If a rule is bad, returns false with HEFT_EFORMAT "PATH:LINE:COLUMN: what". */
bool budget_parse(struct budget *ret, const char *path, struct str input, struct heft_err *err);
void budget_release(struct budget *b);

/* Snapshots to measure. */
struct budget_input {
	const struct snapshot *now, *base; /* `base` may be NULL */
};

struct budget_result {
	VEC(struct heft_budget_row) rows; /* One per limit, in file order */
	struct arena arena;
};
/* Checks all limits. If a snapshot lacks the data for a limit, the row says so. */
void budget_check(struct budget_result *ret, const struct budget *b, const struct budget_input *in);
void budget_result_release(struct budget_result *r);
