/* rules.h - rewrites and filters labels by regular expression (PCRE2 with JIT, match limit).
 *
 * Labels are bytes, and so is "." in an expression: one byte, never a whole UTF-8 character. The
 * syntax is PCRE2's. PCRE2 accepts nearly all of RE2's syntax. "$" is the very end, as in RE2.
 * After compiling, any number of threads may use a pattern or rules together. A match takes 50-300
 * ns. A match fails after 100,000 steps. */
#pragma once

#include "base/err.h"
#include "base/text.h"

struct rules;   /* The rewrites of a custom source, in order */
struct pattern; /* A compiled expression */

/* Compiles an expression. NULL on failure: HEFT_EARG with the expression, the position and PCRE2's
 * message. */
struct pattern *pattern_new(struct str regex, struct heft_err *err);
void pattern_free(struct pattern *p);
/* True if the expression matches anywhere in `text`. False, with a note about the expression, if a
 * limit was reached. `notes` may be NULL. */
bool pattern_matches(const struct pattern *p, struct str text, struct notes *notes);

struct rules *rules_new(void);
void rules_free(struct rules *r);
/* Adds a rewrite. The replacement may use \0..\9 and \\. HEFT_EARG, with `r` unchanged, if the
 * pattern lacks a group or another character follows a backslash. */
bool rules_add(struct rules *r, struct str regex, struct str replacement, struct heft_err *err);

/* The first rule that matches `label` replaces it as a whole: sets *out, and returns true. `label`
 * must not be in *out. */
bool rules_apply(const struct rules *r, struct str label, struct text *out, struct notes *notes);
/* Adds a note about a data source: how many rules matched no label so far. */
void rules_note_unused(const struct rules *r, const char *source, struct notes *notes);
