/* block_set.h - declares struct heft_blocks: the basic blocks of a file, from a compiler's map or
 * derived from the code.
 *
 * An archive has a part for each member. Functions and blocks are numbered over all parts. All
 * functions allocate memory that the struct heft_blocks owns (base/mem.h). */
#pragma once

#include "base/intern.h"
#include "blocks/block_check.h"
#include "names/demangle.h"
#include "program/program.h"
#include "program/session.h"

struct block_part {
	struct blockmap map;
	struct bbindex index;
	bool indexed;
	uint64_t *ends; /* Per block: its end address. NULL until the first blocks_find_batch() */
	const char *member;
	size_t first_function;
	uint64_t first_block;
};

struct named_function {
	size_t number;
	enum name_form form;
	const struct named_symbol *symbol; /* Symbol of that name at the function, or NULL */
};

struct heft_blocks {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	bool opened; /* True after blocks_open(), even if it failed */
	enum heft_derive derive;
	enum heft_convention convention;
	bool whole; /* True if a function that cannot be derived is listed as one block */
	struct program program;
	struct block_part *parts;
	size_t part_count, function_count;
	uint64_t block_count;
	struct demangler demangler;
	struct blockmap_detail detail;
	struct block_check check;
	const char **names;     /* Per function: the name shown to users. NULL until needed */
	struct intern sections; /* Names of sections */
	VEC(struct heft_block) blocks;
	VEC(const struct heft_block *) list; /* The last returned list of blocks */
	VEC(uint64_t) calls;
	VEC(struct named_function) named; /* Functions that matched in the last blocks_named() */
	VEC(size_t) numbers;              /* The last returned list of functions */
	name_matches matches;
	VEC(struct heft_block_successor) successors;
};

/* Opens a file. Only one call per handle is allowed. */
bool blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err);
/* True if the file's kind supports `use`. Otherwise *err says which kind it is. Sets *ret to the
 * map of the only image, or to NULL for an archive. */
bool blocks_serve(const struct heft_blocks *b, enum file_use use, const struct blockmap **ret,
		  struct heft_err *err);

/* Returns function `i`, which must exist. Its blocks are valid until the next call. */
struct heft_block_function blocks_function(struct heft_blocks *b, size_t i);
/* Returns the name of function `i`, which must exist, in the name style that the user set. */
const char *blocks_name(struct heft_blocks *b, size_t i);
/* Returns the image of function `i`, which must exist, and whether its code is ARM's Thumb. */
const struct image *blocks_image(struct heft_blocks *b, size_t i, bool *ret_thumb);

bool blocks_find(struct heft_blocks *b, uint64_t addr, size_t *ret_function, size_t *ret_block);
/* Returns the name of the function or PLT stub that begins at an address. NULL if there is none. */
const char *blocks_name_at(struct heft_blocks *b, uint64_t addr);
/* Sets *ret to the numbers of the *ret_count functions that match a name best. False, with *err, if
 * none matches. Valid until the next call. */
bool blocks_named(struct heft_blocks *b, const char *name, const size_t **ret, size_t *ret_count,
		  struct heft_err *err);
/* Sets ret[i] to the number of the block at addrs[i], or to HEFT_NO_BLOCK. */
void blocks_find_batch(struct heft_blocks *b, const uint64_t *addrs, size_t count, uint32_t *ret);
/* Finds the function of block `number`, and the block's index in it. False past the last block. */
bool blocks_place(const struct heft_blocks *b, uint32_t number, size_t *ret_function,
		  size_t *ret_block);
