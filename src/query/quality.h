/* quality.h - checks the quality of a snapshot: its sums, and shares that are too low or too high.
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
