/* block_profile.h - how often the basic blocks of an image ran, from samples.
 *
 * Samples with branch stacks (the last branches that were taken, newest first) say more than where
 * they were taken: between the target of a branch and the place of the next one, code ran from
 * front to end.  Each such range counts its blocks once, but for a block that it enters behind its
 * start, after a call: that one ran before.  A range counts only where it stays in one part of one
 * function and where control can go on from each block to the next.  A range that begins where a
 * call ended the block in front goes on from there.
 *
 * Samples without branches count for the block they are in: the time spent there, not how often it
 * ran.
 *
 * 16 bytes a block, and 32 a pair of addresses that branches or ranges were seen for.  Immutable
 * once read. */
#ifndef HEFT_BLOCKS_BLOCK_PROFILE_H
#define HEFT_BLOCKS_BLOCK_PROFILE_H

#include "blocks/blockmap.h"
#include "blocks/block_samples.h"
#include "blocks/tally.h"

#define PROFILE_OUTSIDE UINT64_MAX /* an address that is not the image's */

enum edge_kind {
	EDGE_JUMP,
	EDGE_CALL, /* to where a function starts */
	EDGE_RETURN,
};

/* Between blocks by index; BBINDEX_NONE: outside of all blocks, at one end at most. */
struct profile_edge {
	uint32_t from, to;
	enum edge_kind kind;
	uint64_t count, mispredicted;
};

struct profile {
	uint64_t *counts; /* by block */
	uint64_t *falls;  /* by block: how often control went on to the next one without a branch */
	VEC(struct profile_edge) edges; /* branches taken; by from, then to */
	/* In addresses of the image, by the first, then the second. */
	struct tally
		branches;    /* from, to; PROFILE_OUTSIDE at one end at most; extra: mispredicted */
	struct tally ranges; /* first address, address of the branch that ends it */
	struct tally addrs;  /* samples without branches: address, 0 */
	uint64_t samples, samples_inside; /* ... of which something is in the image */
	uint64_t lost;                    /* by the kernel, for want of room */
	/* Weights of ranges in the image: all; where no block is; that control cannot have gone
	 * through. */
	uint64_t range_weight, range_unmapped, range_refused;
	bool estimated; /* no branches: counts are samples */
};

struct profile_wish {
	const char *path;
	enum samples_form form;
	bool force; /* samples of another build are fine */
};

/* `b` is not kept. */
bool profile_read(struct profile *p, const struct blockmap *b, const struct profile_wish *wish,
		  struct notes *notes, struct heft_err *err);
void profile_release(struct profile *p);

/* How much a block counts for: blocks by falling count, those that make the first 90 % of all
 * counts are hot, those up to 99 % warm, the rest cold; never: no count. */
enum hotness { HOTNESS_NEVER, HOTNESS_COLD, HOTNESS_WARM, HOTNESS_HOT, HOTNESS_COUNT };

/* The least counts that make a block hot and warm. */
struct hotness_limits {
	uint64_t hot, warm;
};
struct hotness_limits profile_limits(const struct profile *p, const struct blockmap *b);
enum hotness hotness_of(const struct hotness_limits *l, uint64_t count);

#endif
