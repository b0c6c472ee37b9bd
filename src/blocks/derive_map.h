/* derive_map.h - derives the machine basic blocks of an image that has no map of them.
 *
 * Gathers the facts that blocks/derive.h needs: functions, pointers from data to code, landing
 * pads, and the functions that do not return or do not throw. Functions are known from symbols and
 * unwind tables, or are recognized in the code. */
#pragma once

#include "blocks/blockmap.h"
#include "derive/derive.h"
#include "derive/split.h"

enum blocks_convention { BLOCKS_AUTO, BLOCKS_LLVM, BLOCKS_GCC, BLOCKS_PURE };

/* Derives the map into *b, like blockmap_read(). Functions have the origin BLOCKS_DERIVED. The map
 * is empty if there is no decoder for the machine. `threads` as for parallel_for(). */
void blockmap_derive(struct blockmap *b, const struct image *im, const struct image *debug,
		     enum blocks_convention convention, unsigned threads, struct notes *notes);

/* Makes a map without decoding, for any machine: each function in symbols or unwind tables is one
 * block. If mapping symbols mark data in it, each piece of code between data is a block. */
void blockmap_whole(struct blockmap *b, const struct image *im, const struct image *debug,
		    struct notes *notes);

/* Adds functions of the ARM set, one block each like those of blockmap_whole(), to a map from
 * blockmap_derive(), which has only blocks of the Thumb set. */
void blockmap_add_whole(struct blockmap *b, const struct image *debug, struct notes *notes);

struct code_functions {
	VEC(struct derive_extent) list;
	VEC(struct derive_data)
	data; /* Data inside code, by address. Known from symbols, or from loads of it */
};

/* Lists the functions of an image, and parts that the compiler moved away from them, by address.
 * They are known from symbols and unwind tables, or are recognized in the code. Empty if `isa` is
 * CODE_NONE. */
void code_functions_list(const struct image *im, const struct image *debug, enum code_isa isa,
			 struct notes *notes, struct code_functions *ret);
void code_functions_release(struct code_functions *f);

/* A range of code in which it is unknown where functions end */
struct code_piece {
	uint64_t addr, size;
	bool named;    /* True if a function is known to begin at addr */
	bool labelled; /* True if a function or data is known to begin at addr */
};

/* True if `size` bytes between functions are too few for a function, so that they are padding. The
 * limit is lower on microcontrollers, whose functions are not aligned to 16 bytes. */
bool code_gap_pads(enum code_isa isa, uint64_t size);

/* Appends the functions in ranges of an image's code to *ret. Ranges and results are ordered by
 * address. Finds none without a decoder. */
void code_gaps_split(const struct image *im, enum code_isa isa, const struct code_piece *gaps,
		     size_t count, split_function_vec *ret);

/* block_sums.c: adds a map's block counts and sizes to *to. A byte in two blocks counts once. */
void blockmap_sum(const struct blockmap *b, struct heft_block_sums *to);

enum block_kind {
	BLOCK_PLAIN,
	/* A part that the compiler moved away from its function: its name says so, or it is not in
	 * the function's first range. */
	BLOCK_COLD,
	BLOCK_LANDING_PAD,
	BLOCK_PADDING,  /* Bytes outside of blocks that look like padding */
	BLOCK_UNMAPPED, /* Bytes outside of blocks that do not look like padding */
	BLOCK_KINDS
};

/* Reports all bytes of executable sections with their kind, each once. To recognize BLOCK_COLD, the
 * functions must have names (blockmap_name). */
void blockmap_tile(const struct blockmap *b,
		   void (*fn)(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind),
		   void *ctx);
