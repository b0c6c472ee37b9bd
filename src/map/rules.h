/* rules.h - rewrites and filters labels by regular expression (PCRE2 with JIT, match limit).
 *
 * Labels are bytes, and so is "." in an expression: one byte, never a whole UTF-8 character. The
 * syntax is PCRE2's. PCRE2 accepts nearly all of RE2's syntax. "$" is the very end, as in RE2.
 * Compiled once, then read-only: any number of threads may match with one pattern or rules
 * together. About 50-300 ns per label and expression. A match fails after 100,000 steps. */
#ifndef HEFT_MAP_RULES_H
#define HEFT_MAP_RULES_H

#include "base/err.h"
#include "base/text.h"

struct rules;   /* An ordered list of rewrites */
struct pattern; /* One expression */

/* Compiles an expression. NULL on failure: HEFT_EARG with expression, place, PCRE2's message. */
struct pattern *pattern_new(struct str regex, struct heft_err *err);
void pattern_free(struct pattern *p);
/* True if the expression matches anywhere in `text`. A match that reaches a limit counts as none
 * and adds a note, with the expression as the note's path. `notes` may be NULL. */
bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes);

struct rules *rules_new(void);
void rules_free(struct rules *r);
/* Adds a rewrite. The replacement may use \0..\9 and \\. HEFT_EARG, with `r` unchanged, for a group
 * that the pattern lacks, and for a backslash before any other character. */
bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err);

/* If a rule matches `label`, replaces *out by its replacement and returns true. The first rule that
 * matches is used and replaces the whole label. `label` must not be in *out. */
bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes);
/* Notes, for the source of this name, how many rules were applied to no label so far. */
void rules_note_unused(const struct rules *r, const char *source, struct notes *notes);

#endif
