/* advice.h - proposes changes that make a program smaller, each as a question to its snapshot.
 *
 * A rule is a statement of SQL whose rows are owners and the bytes that go with them. Everybody can
 * run the same statement by heft query. */
#pragma once

#include "base/arena.h"
#include "query/query.h"

/* How sure it is that the change removes the bytes */
enum advice_sure {
	ADVICE_STATED,   /* A table of the file states these bytes */
	ADVICE_PROVED,   /* The bytes of the program prove it */
	ADVICE_INFERRED, /* Likely: the linker or the compiler decides */
};

/* Words of a proposal. Constants */
struct advice_words {
	const char *name;   /* One word: "identical-code" */
	const char *what;   /* What was found: a sentence without a full stop */
	const char *change; /* What to do: option, attribute, command */
	const char *cost;   /* What the change costs. "" if nothing */
	enum advice_sure sure;
	/* Options for a compiler that links, separated by blanks. The last one is what the proposal
	 * is about. The others belong to the link it is compared with. NULL: no link shows it */
	const char *link;
	unsigned adds; /* Bytes that the change adds, for headers and such */
	bool alone;    /* True if it is never joined with others, because they make it void */
	bool not_go;   /* True if Go's compiler and linker have no such option */
};

/* Words for equal functions, which others than the rules find too */
extern const struct advice_words advice_identical_code;

/* An owner, and the bytes of the file that the change would remove from it */
struct advice_part {
	const char *owner;
	uint64_t bytes;
};

struct advice {
	const struct advice_words *words;
	uint64_t bytes; /* Bytes of all parts */
	VEC(struct advice_part) parts;
	/* What came of a link with the option */
	bool linked;
	int64_t saved;       /* Bytes by which the program became smaller. 0 if the link failed */
	int64_t padding;     /* Those of them that were padding between segments */
	const char *failure; /* Why the link failed. NULL if it did not */
};

typedef VEC(struct advice) advice_vec;

/* Adds the proposals that rules find. Texts of owners belong to `arena`. */
bool advice_ask(const struct snapshot *s, struct arena *arena, advice_vec *ret,
		struct heft_err *err);
const char *advice_sure_word(enum advice_sure sure);
