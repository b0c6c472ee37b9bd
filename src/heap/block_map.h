/* block_map.h - where the blocks of a heap begin: a bit for each place where one may.
 *
 * Places are the multiples of a power of two, the step, in all memory that programs write, as far
 * as the dump has its bytes.  They are cut into pieces, each of one region; a piece has bits while
 * one of them is set.  Blocks are numbered by address.
 *
 * First bits are set and cleared, then block_map_count makes the numbers; after that nothing is
 * changed, and several threads may read.
 *
 * Cost: a bit a place and a thirty-second of that, in pieces that have a block; 56 bytes a piece of
 * BLOCK_PLACES.  This does not depend on how many blocks there are. */
#ifndef HEFT_HEAP_BLOCK_MAP_H
#define HEFT_HEAP_BLOCK_MAP_H

#include "base/vec.h"
#include "heap/dump.h"

enum {
	BLOCK_PLACES = 1 << 16, /* of a piece, at most */
	BLOCK_GROUP = 8,        /* words of bits that are counted together */
};

struct block_piece {
	uint64_t addr; /* of its first place; only that may lie in front of the region */
	const struct region *region;
	uint64_t room_end; /* end of what is mapped without a hole from the region on */
	uint64_t *bits;    /* by place; NULL: none is set */
	uint16_t *counts;  /* by group of words: bits that are set in front of it */
	size_t first;      /* blocks in front of the piece */
	uint32_t places;
	uint32_t before; /* 1 + index of the last piece in front of it with a block; 0: none */
};

struct block_map {
	VEC(struct block_piece) pieces; /* by address */
	size_t count;                   /* blocks */
	unsigned shift;                 /* log2 of the step */
};

struct block_at {
	uint32_t piece, place;
};

/* Places in all regions of data; borrows the dump. */
void block_map_init(struct block_map *m, const struct dump *d, unsigned shift);
void block_map_release(struct block_map *m);

/* Several threads may each set and clear bits of pieces of their own. */
void block_piece_set(struct block_piece *p, uint32_t place);
/* Sets the bit of an address, a multiple of the step.  *piece: where one was set last, which saves
 * time. */
void block_map_set_near(struct block_map *m, uint64_t addr, size_t *piece);
void block_map_set(struct block_map *m, uint64_t addr);
/* Is there a place at an address? */
bool block_map_covers(const struct block_map *m, uint64_t addr);
/* Is the bit of a place set?  Also before block_map_count. */
bool block_map_has(const struct block_map *m, uint64_t addr);
/* Clears the bits of addresses in [start, end). */
void block_map_clear(struct block_map *m, uint64_t start, uint64_t end);
/* Numbers the blocks; gives back the bits of pieces without one. */
void block_map_count(struct block_map *m);

static inline uint64_t block_map_addr(const struct block_map *m, struct block_at at)
{
	return m->pieces.data[at.piece].addr + ((uint64_t)at.place << m->shift);
}

/* The number of a block. */
size_t block_map_number(const struct block_map *m, struct block_at at);
/* How many blocks begin in front of an address.  O(log pieces). */
size_t block_map_below(const struct block_map *m, uint64_t addr);
/* Block i, which is below count.  O(log pieces). */
struct block_at block_map_find(const struct block_map *m, size_t i);
/* The last block that begins at an address or in front of it; false: none does.  *piece: where one
 * was found last, which saves time. */
bool block_map_last(const struct block_map *m, uint64_t addr, size_t *piece, struct block_at *ret);

/* From one block to the next. */
struct block_walk {
	const struct block_map *m;
	struct block_at at;
	uint64_t left; /* of the word with at.place: bits of the blocks behind it */
};

/* In front of block i, or of the end. */
struct block_walk block_walk_from(const struct block_map *m, size_t i);
/* False at the end. */
bool block_walk_next(struct block_walk *w);

#endif
