/* block_profile.h - computes from samples how often the basic blocks of an image ran.
 *
 * Samples with branch stacks (the last taken branches, newest first) also show the code between
 * branches. All code from the target of a branch to the next branch (a range) ran in order. Each
 * block of a range counts once. If a call returned into the middle of a block, the range begins
 * there, and the block was already counted. A range must be in one part of one function, and
 * control must be able to pass from each of its blocks to the next. Otherwise it is ignored.
 *
 * A sample without branches counts for its block. It measures time, not how often the block ran.
 *
 * Memory: 16 bytes per block, and 32 per pair of addresses of branches or ranges. Immutable once
 * read. */
#pragma once

#include "blocks/blockmap.h"
#include "blocks/block_samples.h"
#include "blocks/tally.h"

#define PROFILE_OUTSIDE UINT64_MAX /* An address outside the image */

enum edge_kind {
	EDGE_JUMP,
	EDGE_CALL, /* Goes to the start of a function */
	EDGE_RETURN,
};

/* Taken branches from one block to another. BBINDEX_NONE: code outside of blocks, at one end
 * only */
struct profile_edge {
	uint32_t from, to;
	enum edge_kind kind;
	uint64_t count, mispredicted;
};

struct profile {
	uint64_t *counts; /* Per block: how often it ran */
	uint64_t *falls;  /* Per block: how often control passed to the next one without a branch */
	VEC(struct profile_edge) edges; /* Sorted by `from`, then `to` */
	/* Branches: pairs of addresses (from, to), sorted. At most one of them is PROFILE_OUTSIDE.
	 * `extra`: number of mispredicted ones. */
	struct tally branches;
	struct tally ranges; /* Code that ran up to a taken branch: pairs (first address, address of
			      * that branch) */
	struct tally addrs;  /* Samples without branches: pairs (address, 0) */
	uint64_t samples, samples_inside; /* `samples_inside`: with an address in the image */
	uint64_t lost;                    /* Samples that the kernel dropped: its buffer was full */
	/* Sums of the counts in `ranges`, in the image: all, those at code without blocks, and
	 * those that contradict the control flow of the blocks. */
	uint64_t range_weight, range_unmapped, range_refused;
	bool estimated; /* True for samples without branches: counts measure time */
};

struct profile_wish {
	const char *path;
	enum samples_form form;
	bool force; /* True to accept samples of another build */
};

/* Reads the samples of a file for the blocks of `b`. After the call, the profile does not need
 * `b`. */
bool profile_read(struct profile *p, const struct blockmap *b, const struct profile_wish *wish,
		  struct notes *notes, struct heft_err *err);
void profile_release(struct profile *p);

/* How hot a block is. Blocks are sorted by descending count. Those with the first 90 % of all
 * counts are hot, the next until 99 % are warm, others are cold. HOTNESS_NEVER: count 0 */
enum hotness { HOTNESS_NEVER, HOTNESS_COLD, HOTNESS_WARM, HOTNESS_HOT, HOTNESS_COUNT };

/* Lowest counts of hot and of warm blocks. */
struct hotness_limits {
	uint64_t hot, warm;
};
struct hotness_limits profile_limits(const struct profile *p, const struct blockmap *b);
enum hotness hotness_of(const struct hotness_limits *l, uint64_t count);
