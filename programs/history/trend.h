/* trend.h - finds the trend of a series of sizes: its slope, and the permanent changes of its
 * level.
 *
 * A change of level must exceed the noise. The median of the differences of neighbours estimates
 * the noise, because changes of level hardly affect it. A level has changed if the means before and
 * after differ more than noise makes them once in thousands of builds. If more than half of the
 * values equal the previous value, the noise is 0, and every change is a change of level.
 *
 * O(n log n) for few changes. Thread-safe. */
#pragma once

#include "base/vec.h"

/* With fewer values, noise, levels and the time of reaching a limit cannot be estimated. */
enum { TREND_LEAST = 4 };

struct level_change {
	size_t at;          /* Index of the first value of the new level */
	double before, now; /* Mean values of the old level and of the new one */
};

struct trend {
	double noise;    /* Standard deviation. 0 if there is none */
	double per_step; /* Slope by least squares, in bytes per value */
	double per_day;  /* Slope in bytes per day. 0 if all values have the same time */
	VEC(struct level_change) changes;
};

/* Finds the trend. `times` are in seconds, ascending. */
void trend_make(struct trend *ret, const double *values, const double *times, size_t count);
void trend_release(struct trend *t);
