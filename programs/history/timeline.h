/* timeline.h - builds in the order of their commits, and how people name one.
 *
 * The builds are the store's, as long as it is not changed. */
#ifndef HEFT_HISTORY_TIMELINE_H
#define HEFT_HISTORY_TIMELINE_H

#include "history/store.h"

/* Which builds count; NULL: any. */
struct build_filter {
	const char *product, *config, *branch;
};

struct timeline {
	VEC(const struct build *) list;   /* by time, then by id */
	VEC(const struct build *) before; /* by place in the list; NULL: none */
};

void timeline_make(struct timeline *ret, const struct store *s, const struct build_filter *f);
void timeline_release(struct timeline *t);

/* The build that a word names: "latest", "first", a commit or at least four characters of its
 * start, "#ID", a branch (its latest build), or a date, "2026-11-23" or "2026-11-23T18:00" in UTC
 * (the latest build until its end); with "~N" behind it, the N-th before that one of the same
 * product and configuration.  NULL, and HEFT_ENOTFOUND or HEFT_EARG, where there is none, or where
 * it may be several. */
const struct build *timeline_find(const struct timeline *t, const char *word, struct heft_err *err);
/* The one before it of the same product and configuration, on its branch if there is one; NULL:
 * none.  O(log builds). */
const struct build *timeline_before(const struct timeline *t, const struct build *b);
/* The place of a build in the list; SIZE_MAX: it is not there.  O(log builds). */
size_t timeline_place(const struct timeline *t, const struct build *b);

/* "2026-11-23 18:00", UTC. */
void time_text(int64_t time, char room[24]);
/* A date of the two forms above, or seconds since 1970 ("@1700000000"); of a date alone its first
 * second, and with `end` its last.  False where it is none. */
bool time_parse(const char *text, bool end, int64_t *ret);

#endif
