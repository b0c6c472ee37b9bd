/* rules.h - rewrites and filters by regular expression (PCRE2 with JIT, match limit).
 *
 * Compiled once, then read-only; matching needs a struct rules_scratch per thread. */
#ifndef HEFT_MAP_RULES_H
#define HEFT_MAP_RULES_H

#include "base/err.h"

struct rules;   /* an ordered list of rewrites */
struct pattern; /* one expression */

/* HEFT_EARG with the expression, the place and PCRE2's words. */
struct pattern *pattern_new(struct str regex, struct heft_err *err);
void pattern_free(struct pattern *p);
/* Anywhere in `text`.  A match that runs into the limit counts as none (and is noted). */
bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes);

struct rules *rules_new(void);
void rules_free(struct rules *r);
/* The replacement may use \0..\9 and \\.  A group that the pattern does not have is
 * HEFT_EARG. */
bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err);

/* A text buffer that grows; owned by the caller, zeroed = empty. */
struct text {
	char *p;
	size_t len, cap;
};
void text_release(struct text *t);
void text_set(struct text *t, struct str s);
void text_add(struct text *t, struct str s);

/* If a rule matches `label`, replaces *out by its replacement and returns true.  The first
 * rule that matches wins and replaces the whole label. */
bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes);

#endif
