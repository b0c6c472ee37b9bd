/* derive_map.h - the machine basic blocks of an image that has no map of them, from its code.
 *
 * Gathers what blocks/derive.h wants to know: where functions are (symbols, unwind tables, else the
 * code between them), what data point into them, where exceptions are caught, which functions are
 * known not to return or throw. */
#ifndef HEFT_BLOCKS_DERIVE_MAP_H
#define HEFT_BLOCKS_DERIVE_MAP_H

#include "blocks/blockmap.h"
#include "blocks/derive.h"
#include "blocks/split.h"

enum blocks_convention { BLOCKS_AUTO, BLOCKS_LLVM, BLOCKS_GCC, BLOCKS_PURE };

/* As blockmap_read: fills *b, functions of origin BLOCKS_DERIVED.  None where heft has no decoder
 * for the machine.  `threads` as parallel_for. */
void blockmap_derive(struct blockmap *b, const struct image *im, const struct image *debug,
		     enum blocks_convention convention, unsigned threads, struct notes *notes);

/* The same for any machine, without a look at the code: each function that a symbol or an unwind
 * table names is one block, or as many as mapping symbols leave of it between data. */
void blockmap_whole(struct blockmap *b, const struct image *im, const struct image *debug,
		    struct notes *notes);

/* Adds to a map of blockmap_derive what blockmap_whole has of functions of ARM's own set, beside
 * which those of the Thumb set have blocks. */
void blockmap_add_whole(struct blockmap *b, const struct image *debug, struct notes *notes);

struct code_functions {
	VEC(struct derive_extent) list;
	VEC(struct derive_data) data; /* among the code, by address: marked or read as data */
};

/* The functions of an image and the parts of them that lie apart, by address: what symbols and
 * unwind tables say, else what a sweep through the code tells from data.  `isa`: CODE_NONE where
 * there is none. */
void code_functions_list(const struct image *im, const struct image *debug, enum code_isa isa,
			 struct notes *notes, struct code_functions *ret);
void code_functions_release(struct code_functions *f);

/* A stretch of code of which nothing says how far its functions reach. */
struct code_piece {
	uint64_t addr, size;
	bool named;    /* a function begins at addr */
	bool labelled; /* so it may be, or data */
};

/* True if `size` bytes between functions are too few for a function: they pad.  Only functions of
 * microcontrollers are not aligned. */
bool code_gap_pads(enum code_isa isa, uint64_t size);

/* The functions in stretches of an image's code (by address): those that code_functions_list finds
 * there.  Appended to *ret by address; none where heft has no decoder for the machine. */
void code_gaps_split(const struct image *im, enum code_isa isa, const struct code_piece *gaps,
		     size_t count, split_function_vec *ret);

/* Bytes of executable sections; the others are parts of it and add up to it. */
struct block_sums {
	uint64_t code;
	uint64_t blocks, landing_pads; /* the latter are not counted among the former */
	uint64_t padding;              /* what pads code, in no block */
	uint64_t unmapped;
};

/* block_sums.c: of a map of any origin.  A byte that two blocks claim counts once. */
void blockmap_sum(const struct blockmap *b, struct block_sums *ret);

/* What a piece of code is. */
enum block_kind {
	BLOCK_PLAIN,
	/* of a part of a function that was moved away: by its name, or not its first range */
	BLOCK_COLD,
	BLOCK_LANDING_PAD,
	BLOCK_PADDING,  /* in no block */
	BLOCK_UNMAPPED, /* in no block */
	BLOCK_KINDS
};

/* Tells what all bytes of executable sections are, each once, piece by piece.  Names of functions
 * must be there for BLOCK_COLD. */
void blockmap_tile(const struct blockmap *b,
		   void (*fn)(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind),
		   void *ctx);

#endif
