/* trend.h - where a series of sizes is going: its slope, and where its level changed for good.
 *
 * A change of level is told apart from noise: how far values that follow one another differ is
 * estimated by the median, which changes of level do not move, and a level has changed where the
 * means on both sides differ by more than noise would once in thousands of builds.  Where most
 * values are the same as the one before there is no noise: then every change is one of level.
 *
 * O(n log n) for few changes.  Thread-safe. */
#ifndef HEFT_HISTORY_TREND_H
#define HEFT_HISTORY_TREND_H

#include "base/vec.h"

struct level_change {
	size_t at;          /* the first value of the new level */
	double before, now; /* means of both levels */
};

struct trend {
	double noise;    /* standard deviation; 0: none */
	double per_step; /* slope by least squares: bytes a value ... */
	double per_day;  /* ... and a day; 0 where all are of one time */
	VEC(struct level_change) changes;
};

/* `times` in seconds, rising. */
void trend_make(struct trend *ret, const double *values, const double *times, size_t count);
void trend_release(struct trend *t);

#endif
