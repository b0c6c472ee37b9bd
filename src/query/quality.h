/* quality.h - checks whether a snapshot is as it should be: its sums, and shares that are low or
 * high in a good one.
 *
 * O(symbols). Thread-safe. */
#ifndef HEFT_QUERY_QUALITY_H
#define HEFT_QUERY_QUALITY_H

#include "snapshot/snapshot.h"

struct quality {
	VEC(struct heft_quality_finding) findings;
	struct arena arena;
};

void quality_check(struct quality *ret, const struct snapshot *s);
void quality_release(struct quality *q);

#endif
