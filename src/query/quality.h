/* quality.h - checks the quality of a snapshot: its sums, and shares that are too low or too high.
 *
 * O(symbols). Thread-safe. */
#pragma once

#include "snapshot/snapshot.h"

struct quality {
	VEC(struct heft_quality_finding) findings;
	struct arena arena;
};

void quality_check(struct quality *ret, const struct snapshot *s);
void quality_release(struct quality *q);
