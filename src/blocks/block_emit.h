/* block_emit.h - the blocks of an image, written into a copy of its file as a section
 * .llvm_bb_addr_map (blocks/bbmap_encode.h, image/elf/elf_append.h). */
#ifndef HEFT_BLOCKS_BLOCK_EMIT_H
#define HEFT_BLOCKS_BLOCK_EMIT_H

#include "blocks/bbmap_encode.h"
#include "blocks/blockmap.h"

/* Appends an entry for each function of the map, with all that its own entry says.  Functions whose
 * blocks overlap are left out, and noted; so are derived ones that the check (block_check.h) calls
 * wrong: hand-written code that jumps where nobody can tell.  `debug` is for the check, or NULL. */
void blockmap_encode(const struct blockmap *b, const struct image *debug, struct bbmap_encoder *x,
		     struct notes *notes);

struct blockmap_copy {
	unsigned version;
	bool replace;              /* a map that is there; else it is an error */
	const struct image *debug; /* or NULL */
};

/* Writes the copy.  False and *err as elf_append. */
bool blockmap_emit(const struct blockmap *b, const struct blockmap_copy *copy,
		   const struct heft_sink *sink, struct notes *notes, struct heft_err *err);

#endif
