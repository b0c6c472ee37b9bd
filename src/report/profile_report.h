/* profile_report.h - profiles of basic blocks to bytes.  One function a format. */
#ifndef HEFT_REPORT_PROFILE_REPORT_H
#define HEFT_REPORT_PROFILE_REPORT_H

#include "report/report.h"
#include "blocks/block_profile.h"
#include "blocks/block_profile_names.h"

struct profile_report {
	const struct blockmap *map;
	const struct profile *profile;
	const struct profile_names *names;
	const char *const *shown; /* names of functions, as people want them */
	struct hotness_limits limits;
};

/* A function and what it counts for. */
struct profile_rank {
	uint64_t function;
	uint64_t weight; /* of its blocks' counts: the sum, or the largest */
	uint64_t seen;   /* blocks with a count */
};

/* Functions with counts, by falling sum (`by_hottest`: by falling hottest count), ties by address;
 * malloc'ed. */
struct profile_rank *profile_ranks(const struct profile_report *r, bool by_hottest,
				   size_t *ret_count);
/* Where block i starts. */
uint64_t profile_block_addr(const struct profile_report *r, uint64_t i);

/* Sets columns, fields and kind of a report of rows whose ctx is a struct profile_report. */
void profile_report_init(struct report *r);
/* One line a block; one JSON object a line, a function each (docs/json.md). */
void out_profile_csv(const struct profile_report *r, const struct heft_write_opts *opts,
		     struct sink *s);
void out_profile_json(const struct profile_report *r, struct sink *s);

/* Writes what clang -fbasic-block-sections=list= reads from LLVM 17 on (Propeller): for each
 * function one cluster of the blocks that have a count, in the order of their addresses, which
 * keeps control falling from one to the next; block 0 always leads it.  What is left out becomes
 * the cold part. Functions without a name of their own are left out. */
void out_profile_propeller(const struct profile_report *r, struct sink *s);
/* The symbols of these clusters for --symbol-ordering-file: functions by falling count of their
 * hottest block, then the cold parts in the same order. */
void out_profile_order(const struct profile_report *r, struct sink *s);
/* Text that AutoFDO's tools read: runs of code, addresses, branches; all hexadecimal. */
void out_profile_autofdo(const struct profile_report *r, struct sink *s);

#endif
