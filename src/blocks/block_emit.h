/* block_emit.h - writes the blocks of an image into a copy of its file, as a section
 * .llvm_bb_addr_map (blocks/bbmap_encode.h, image/elf/elf_append.h). */
#pragma once

#include "blocks/bbmap_encode.h"
#include "blocks/blockmap.h"

struct blockmap_copy {
	unsigned version;
	bool replace;              /* If the file has a map: true replaces it, false fails */
	const struct image *debug; /* Debug file for the check of derived functions. May be NULL */
};

/* Writes the copy, with an entry for each function of the map. Keeps details of a function's own
 * entry. Omits, with a note, functions with overlapping blocks. Also omits derived functions that
 * the check finds wrong (block_check.h): assembly with jumps to unknown targets. Fails as
 * elf_append() does. */
bool blockmap_emit(const struct blockmap *b, const struct blockmap_copy *copy,
		   const struct heft_sink *sink, struct notes *notes, struct heft_err *err);
