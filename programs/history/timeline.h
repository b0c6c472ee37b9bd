/* timeline.h - lists builds in the order of their commits, and finds a build by the word that a
 * user types.
 *
 * The builds belong to the store. They are valid until the store is changed. */
#pragma once

#include "history/store.h"

/* Selects builds. NULL matches any. */
struct build_filter {
	const char *product, *config, *branch;
};

struct timeline {
	VEC(const struct build *) list; /* Sorted by time, then by id */
	VEC(const struct build *)
	before; /* Per build of the list: its previous build. NULL if none */
};

void timeline_make(struct timeline *ret, const struct store *s, const struct build_filter *f);
void timeline_release(struct timeline *t);

/* Finds the build of a word: "latest", "first", "#ID", a commit or at least its first four
 * characters. A branch means its latest build. A date in UTC, "2026-11-23" or "2026-11-23T18:00",
 * means the latest build until its end. "~N" after the word means the N-th previous build of the
 * same product and configuration. NULL with HEFT_ENOTFOUND if there is none, or with HEFT_EARG if
 * the word is ambiguous. */
const struct build *timeline_find(const struct timeline *t, const char *word, struct heft_err *err);
/* Returns the previous build of the same product and configuration, preferably on the same branch.
 * NULL if there is none. O(log builds). */
const struct build *timeline_before(const struct timeline *t, const struct build *b);
/* Returns the index of a build in the list. SIZE_MAX if the list lacks it. O(log builds). */
size_t timeline_place(const struct timeline *t, const struct build *b);

void time_text(int64_t time, char room[24]);
/* Parses a date in a form of timeline_find(), or seconds since 1970 ("@1700000000"). A date alone
 * means its first second, or its last if `end`. False for another text. */
bool time_parse(const char *text, bool end, int64_t *ret);
