/* rules.h - rewrites and filters by regular expression (PCRE2 with JIT, match limit).
 *
 * Labels are bytes, so expressions match bytes ("." is one byte, never a whole UTF-8
 * character).  The syntax is PCRE2's, which understands nearly all of RE2's; "$" is the
 * very end as in RE2.  Compiled once, then read-only: any number of threads may match with
 * the same pattern or rules at once.  About 50-300 ns a label and expression; a match gives
 * up after 100,000 steps. */
#ifndef HEFT_MAP_RULES_H
#define HEFT_MAP_RULES_H

#include "base/err.h"
#include "base/text.h"

struct rules;   /* an ordered list of rewrites */
struct pattern; /* one expression */

/* NULL on failure: HEFT_EARG with the expression, the place and PCRE2's words. */
struct pattern *pattern_new(struct str regex, struct heft_err *err);
void pattern_free(struct pattern *p);
/* Anywhere in `text`.  A match that runs into a limit counts as none and is noted, with the
 * expression as the note's path; `notes` may be NULL. */
bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes);

struct rules *rules_new(void);
void rules_free(struct rules *r);
/* The replacement may use \0..\9 and \\.  HEFT_EARG for a group that the pattern does not
 * have and for a backslash before anything else; `r` is then as it was. */
bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err);

/* If a rule matches `label`, replaces *out by its replacement and returns true.  The first
 * rule that matches wins and replaces the whole label.  `label` must not lie in *out. */
bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes);
/* A note of the source of this name: how many rules won for no label so far. */
void rules_note_unused(const struct rules *r, const char *source, struct notes *notes);

#endif
