/* Finds the trend of a series of sizes. */
#include "history/trend.h"

#include "base/sort.h"

#include <math.h>

/* Smallest significant difference of two means, in units of the noise. Chance exceeds it less than
 * once in thousands of builds. */
#define SURE 5.2

COMPARISON(trend_compare_doubles, double, ORDER(*a, *b))

static double median(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof *values, trend_compare_doubles);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Returns the noise of the values: their standard deviation, estimated from the median of the
 * absolute differences of neighbours. That median is 0.6745 times the deviation of the differences,
 * which is sqrt(2) times the deviation of the values. */
static double noise_of(const double *values, size_t count)
{
	double *steps = mem_alloc((count + 1) * sizeof *steps);
	for (size_t i = 1; i < count; i++)
		steps[i - 1] = fabs(values[i] - values[i - 1]);
	const double noise = median(steps, count > 0 ? count - 1 : 0) / 0.6745 / sqrt(2);
	mem_free(steps);
	return noise;
}

struct trend_search {
	const double *sums; /* For each index, the sum of the values before it */
	double noise;
	struct trend *to;
};

static double mean(const struct trend_search *s, size_t first, size_t end)
{
	return (s->sums[end] - s->sums[first]) / (double)(end - first);
}

/* Returns the best index to split a range at, and the difference of the means of its two parts. */
static size_t best_cut(const struct trend_search *s, size_t first, size_t end, double *ret_score)
{
	size_t best = first;
	*ret_score = 0;
	for (size_t i = first + 1; i < end; i++) {
		const double left = (double)(i - first), right = (double)(end - i);
		const double score = fabs(mean(s, first, i) - mean(s, i, end)) *
				     sqrt(left * right / (left + right));
		if (score > *ret_score) {
			*ret_score = score;
			best = i;
		}
	}
	return best;
}

struct trend_part {
	size_t first, end;
};

/* Splits ranges until no part has a significant cut. */
static void trend_find_cuts(const struct trend_search *s, size_t count)
{
	VEC(struct trend_part) open = { 0 };
	vec_push(&open, (struct trend_part){ 0, count });
	while (open.count > 0) {
		const struct trend_part p = open.data[--open.count];
		double score;
		const size_t cut = best_cut(s, p.first, p.end, &score);
		if (cut == p.first || score <= SURE * s->noise)
			continue;
		vec_push(&s->to->changes, (struct level_change){ .at = cut });
		vec_push(&open, (struct trend_part){ p.first, cut });
		vec_push(&open, (struct trend_part){ cut, p.end });
	}
	vec_release(&open);
}

COMPARISON(compare_changes, struct level_change, ORDER(a->at, b->at))

static size_t trend_end_of(const struct trend *t, size_t i, size_t count)
{
	return i + 1 < t->changes.count ? t->changes.data[i + 1].at : count;
}

/* Checks the cuts again, because each was made before the later cuts. Searches each cut again
 * between its neighbours, and removes it if it is no longer significant. */
static void settle_cuts(const struct trend_search *s, size_t count)
{
	struct trend *t = s->to;
	size_t kept = 0, first = 0;
	for (size_t i = 0; i < t->changes.count; i++) {
		double score;
		const size_t cut = best_cut(s, first, trend_end_of(t, i, count), &score);
		if (cut == first || score <= SURE * s->noise)
			continue;
		t->changes.data[kept++].at = cut;
		first = cut;
	}
	t->changes.count = kept;
}

/* Sets the means before and after each change. Adds `zero`, which was subtracted from the
 * values. */
static void set_levels(const struct trend_search *s, size_t count, double zero)
{
	size_t first = 0;
	for (size_t i = 0; i < s->to->changes.count; i++) {
		struct level_change *c = &s->to->changes.data[i];
		c->before = zero + mean(s, first, c->at);
		c->now = zero + mean(s, c->at, trend_end_of(s->to, i, count));
		first = c->at;
	}
}

/* Returns the slope of values over `at` by least squares. NULL `at` means 0, 1, 2 and so on. */
static double slope(const double *values, const double *at, size_t count)
{
	double x_mean = 0, y_mean = 0, xy = 0, xx = 0;
	for (size_t i = 0; i < count; i++) {
		x_mean += (at ? at[i] : (double)i) / (double)count;
		y_mean += values[i] / (double)count;
	}
	for (size_t i = 0; i < count; i++) {
		const double x = (at ? at[i] : (double)i) - x_mean;
		xy += x * (values[i] - y_mean);
		xx += x * x;
	}
	return xx > 0 ? xy / xx : 0;
}

void trend_make(struct trend *ret, const double *values, const double *times, size_t count)
{
	double *sums = mem_zeroed(count + 1, sizeof *sums);
	*ret = (struct trend){ .noise = noise_of(values, count),
			       .per_step = slope(values, NULL, count),
			       .per_day = slope(values, times, count) * 86400 };
	/* Subtracts the first value, so that sums keep the digits of small differences. */
	const double zero = count > 0 ? values[0] : 0;
	for (size_t i = 0; i < count; i++)
		sums[i + 1] = sums[i] + (values[i] - zero);
	const struct trend_search s = { sums, ret->noise, ret };
	if (ret->noise > 0)
		trend_find_cuts(&s, count);
	for (size_t i = 1; i < count && !(ret->noise > 0); i++)
		if (values[i] != values[i - 1])
			vec_push(&ret->changes, (struct level_change){ .at = i });
	vec_sort_by(&ret->changes, compare_changes);
	if (ret->noise > 0)
		settle_cuts(&s, count);
	set_levels(&s, count, zero);
	mem_free(sums);
}

void trend_release(struct trend *t)
{
	vec_release(&t->changes);
}
