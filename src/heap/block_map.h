/* block_map.h - a bit map of the places at which the blocks of a heap begin.
 *
 * A place is an address at which a block may begin: a multiple of the step, in writable memory of
 * the dump. The step is a power of two. The places of each region are divided into pieces. A piece
 * has bits only while at least one of them is set.
 *
 * Use: set and clear bits, then call block_map_count(), which numbers the blocks by address.
 * Afterwards the map is constant, and several threads may read it.
 *
 * Cost: 33/32 bits per place in pieces that have a block, and 56 bytes per piece of BLOCK_PLACES.
 * The number of blocks adds no cost. */
#pragma once

#include "base/vec.h"
#include "heap/dump.h"

enum {
	BLOCK_PLACES = 1 << 16, /* Most places (possible block addresses) in a piece */
	BLOCK_GROUP = 8,        /* Number of words of bits per entry of `counts` */
};

struct block_piece {
	uint64_t addr; /* Address of the first place, which alone may lie below the region */
	const struct region *region;
	uint64_t room_end; /* End of mapped memory: the first address after `addr` in no region */
	uint64_t *bits;    /* Bits by place. NULL if none is set. */
	uint16_t *counts;  /* Per BLOCK_GROUP words of bits: number of set bits before them */
	size_t first;      /* Number of blocks in earlier pieces */
	uint32_t places;
	uint32_t before; /* 1 + index of the previous piece with a block, or 0 */
};

struct block_map {
	VEC(struct block_piece) pieces; /* Sorted by address. */
	size_t count;
	unsigned shift; /* log2 of the step. */
};

struct block_at {
	uint32_t piece, place;
};

/* Makes a map of the places in all data regions. Borrows the dump. */
void block_map_init(struct block_map *m, const struct dump *d, unsigned shift);
void block_map_release(struct block_map *m);

/* Sets a bit. Several threads may each change bits of different pieces. */
void block_piece_set(struct block_piece *p, uint32_t place);
/* Sets the bit of `addr`, a multiple of the step. Looks first into piece *piece. Sets *piece to the
 * piece of `addr`. */
void block_map_set_near(struct block_map *m, uint64_t addr, size_t *piece);
void block_map_set(struct block_map *m, uint64_t addr);
bool block_map_covers(const struct block_map *m, uint64_t addr);
/* True if a block begins at an address. May be called before block_map_count(). */
bool block_map_has(const struct block_map *m, uint64_t addr);
void block_map_clear(struct block_map *m, uint64_t start, uint64_t end);
/* Numbers the blocks. Frees the bits of pieces without a block. */
void block_map_count(struct block_map *m);

static inline uint64_t block_map_addr(const struct block_map *m, struct block_at at)
{
	return m->pieces.data[at.piece].addr + ((uint64_t)at.place << m->shift);
}

size_t block_map_number(const struct block_map *m, struct block_at at);
/* Returns how many blocks begin below an address. O(log pieces). */
size_t block_map_below(const struct block_map *m, uint64_t addr);
/* Returns the place of block i, which must be less than count. O(log pieces). */
struct block_at block_map_find(const struct block_map *m, size_t i);
/* Finds the last block that begins at or below `addr`. False if there is none. Looks first into
 * piece *piece, which the previous call has set. */
bool block_map_last(const struct block_map *m, uint64_t addr, size_t *piece, struct block_at *ret);

struct block_walk {
	const struct block_map *m;
	struct block_at at;
	uint64_t left; /* Bits of the current word that belong to blocks after `at` */
};

/* Returns an iterator whose next block is block i. It is at the end if there is no block i. */
struct block_walk block_walk_from(const struct block_map *m, size_t i);
bool block_walk_next(struct block_walk *w);
