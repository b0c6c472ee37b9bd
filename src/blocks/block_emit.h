/* block_emit.h - the blocks of an image, written into a copy of its file as a section
 * .llvm_bb_addr_map (code/bbmap_encode.h, image/elf_append.h). */
#ifndef HEFT_BLOCKS_BLOCK_EMIT_H
#define HEFT_BLOCKS_BLOCK_EMIT_H

#include "code/bbmap_encode.h"
#include "blocks/blockmap.h"

/* Appends an entry for each function of the map, with all that its own entry says.  Functions whose
 * blocks overlap are left out, and noted. */
void blockmap_encode(const struct blockmap *b, struct bbmap_encoder *x, struct notes *notes);

/* Writes the copy.  A map that is there is an error unless `replace`.  False and *err as
 * elf_append. */
bool blockmap_emit(const struct blockmap *b, unsigned version, bool replace,
		   const struct heft_sink *sink, struct notes *notes, struct heft_err *err);

#endif
