/* profile_report.h - writes profiles of basic blocks. One function per format. */
#ifndef HEFT_REPORT_PROFILE_REPORT_H
#define HEFT_REPORT_PROFILE_REPORT_H

#include "report/report.h"
#include "blocks/block_counts.h"
#include "blocks/block_profile_names.h"

struct profile_report {
	const struct blockmap *map;
	const struct profile *profile;
	const struct profile_names *names;
	const char *const *shown; /* Names of functions, in the wanted style. */
	struct hotness_limits limits;
};

/* A function and its rank. */
struct profile_rank {
	uint64_t function;
	uint64_t weight; /* of its blocks' counts: the sum, or the largest */
	uint64_t seen;   /* Number of blocks with a count. */
};

/* Lists the functions that have counts, by falling sum, or with `by_hottest` by falling maximum.
 * Ties are in order of address. The caller frees the list. */
struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count);

/* Writes samples in any format, and ends the sink. HEFT_EUNSUPPORTED for derived blocks. */
bool profile_report_write(struct heft_samples *samples, const struct heft_samples_query *q,
			  const struct heft_write_opts *opts, struct sink *s, struct heft_err *err);
/* Writes clusters for clang -fbasic-block-sections=list= of LLVM 17 or later (Propeller). Each
 * function has one cluster: its blocks with a count. They stay in the order of their addresses, so
 * that control still falls from one block to the next. Block 0 always comes first. The other blocks
 * become the cold part. Functions without a name of their own are left out. */
void out_profile_propeller(const struct profile_report *r, struct sink *s);
/* Writes the symbols of these clusters for --symbol-ordering-file: functions by falling count of
 * their hottest block, then the cold parts in the same order. */
void out_profile_order(const struct profile_report *r, struct sink *s);
/* Writes the text that AutoFDO's tools read: runs of code, addresses, branches, all hexadecimal. */
void out_profile_autofdo(const struct profile_report *r, struct sink *s);

#endif
