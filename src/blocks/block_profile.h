/* block_profile.h - computes from samples how often the basic blocks of an image ran.
 *
 * Samples with branch stacks (the last taken branches, newest first) also show the code between
 * branches. All code from a branch's target to the next branch ran in order. Each block of such a
 * range counts once. If a call returned into the middle of a block, the range begins there, and the
 * block was counted before. A range counts only if it is in one part of one function, and control
 * can pass from each of its blocks to the next.
 *
 * A sample without branches counts for its block. It measures time, not how often the block ran.
 *
 * Memory: 16 bytes per block, and 32 per pair of addresses of branches or ranges. Immutable once
 * read. */
#ifndef HEFT_BLOCKS_BLOCK_PROFILE_H
#define HEFT_BLOCKS_BLOCK_PROFILE_H

#include "blocks/blockmap.h"
#include "blocks/block_samples.h"
#include "blocks/tally.h"

#define PROFILE_OUTSIDE UINT64_MAX /* An address outside the image */

enum edge_kind {
	EDGE_JUMP,
	EDGE_CALL, /* Goes to the start of a function */
	EDGE_RETURN,
};

/* Taken branches from one block to another. BBINDEX_NONE: outside all blocks, possible for one end
 * only. */
struct profile_edge {
	uint32_t from, to;
	enum edge_kind kind;
	uint64_t count, mispredicted;
};

struct profile {
	uint64_t *counts; /* One count per block */
	uint64_t *falls;  /* Per block: number of times control passed to the next one without a
			   * branch */
	VEC(struct profile_edge) edges; /* Taken branches, sorted by `from`, then `to` */
	/* Counts per pair of image addresses, sorted. `branches`: pairs (from, to), at most one end
	 * PROFILE_OUTSIDE; `extra` counts mispredicted branches. */
	struct tally branches;
	struct tally ranges; /* Pairs (first address, address of the branch that ends the range) */
	struct tally addrs;  /* Samples without branches: pairs (address, 0) */
	uint64_t samples, samples_inside; /* `samples_inside`: samples with an address in the
					   * image */
	uint64_t lost;                    /* Samples that the kernel lost because its buffer was
					   * full */
	/* Weights of ranges in the image: of all, of those without blocks, and of those that
	 * contradict the control flow. */
	uint64_t range_weight, range_unmapped, range_refused;
	bool estimated; /* True without branches. Counts are numbers of samples then */
};

struct profile_wish {
	const char *path;
	enum samples_form form;
	bool force; /* True to accept samples of another build */
};

/* Reads the profile. Does not keep `b`. */
bool profile_read(struct profile *p, const struct blockmap *b, const struct profile_wish *wish,
		  struct notes *notes, struct heft_err *err);
void profile_release(struct profile *p);

/* Rank of a block by its count. Blocks are sorted by descending count. Blocks within the first 90 %
 * of all counts are hot, those within 99 % are warm. Other blocks are cold. HOTNESS_NEVER means
 * count 0. */
enum hotness { HOTNESS_NEVER, HOTNESS_COLD, HOTNESS_WARM, HOTNESS_HOT, HOTNESS_COUNT };

/* Lowest counts of hot and of warm blocks. */
struct hotness_limits {
	uint64_t hot, warm;
};
struct hotness_limits profile_limits(const struct profile *p, const struct blockmap *b);
enum hotness hotness_of(const struct hotness_limits *l, uint64_t count);

#endif
