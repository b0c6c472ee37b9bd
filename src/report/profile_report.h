/* profile_report.h - writes profiles of basic blocks. One function per format. */
#pragma once

#include "report/report.h"
#include "blocks/block_counts.h"
#include "blocks/block_profile_names.h"

struct profile_report {
	const struct blockmap *map;
	const struct profile *profile;
	const struct profile_names *names;
	const char *const *shown; /* Names of functions, in the chosen style */
	struct hotness_limits limits;
};

struct profile_rank {
	uint64_t function;
	uint64_t weight; /* Sum or maximum of the counts of its blocks */
	uint64_t seen;   /* Number of blocks with a count */
};

/* Lists the functions that have counts, by falling `weight` (a sum, or a maximum if `by_hottest`),
 * then by address. The caller frees the list. */
struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count);

/* Writes samples in any format, and ends the sink. HEFT_EUNSUPPORTED if the format needs a block
 * map from the compiler and heft derived the blocks. */
bool profile_report_write(struct heft_samples *samples, const struct heft_samples_query *q,
			  const struct heft_write_opts *opts, struct sink *s, struct heft_err *err);
/* Writes clusters for clang -fbasic-block-sections=list= of LLVM 17 or later (Propeller). Each
 * function has one cluster: block 0, then its blocks with a count in address order, which keeps
 * fall-throughs. Other blocks become the cold part. Skips functions without a unique name. */
void out_profile_propeller(const struct profile_report *r, struct sink *s);
/* Writes the order of the clusters' symbols for --symbol-ordering-file: functions by
 * falling count of their hottest block, then the cold parts in the same order. */
void out_profile_order(const struct profile_report *r, struct sink *s);
/* Writes text for AutoFDO's tools: code ranges, addresses and branches, all hexadecimal. */
void out_profile_autofdo(const struct profile_report *r, struct sink *s);
