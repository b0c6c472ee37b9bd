/* blocks_handle.h - declares what other files of api/ may use of struct heft_blocks. Private to
 * api/. */
#ifndef HEFT_API_BLOCKS_HANDLE_H
#define HEFT_API_BLOCKS_HANDLE_H

#include "heft.h"
#include "base/text.h"
#include "blocks/block_check.h"
#include "image/kinds.h"

struct memory *blocks_memory(const struct heft_blocks *b);
/* Returns the map of the only image that was opened. NULL for archives. */
const struct blockmap *blocks_map(const struct heft_blocks *b);
/* True if the file's kind fits this use. Otherwise *err names the kind. */
bool blocks_serve(const struct heft_blocks *b, enum file_use use, struct heft_err *err);
/* Returns the image of the separate debug file, or NULL. */
const struct image *blocks_debug(const struct heft_blocks *b);
struct notes *blocks_notes(struct heft_blocks *b);
/* Returns the result of the last check. All zero before a check. */
struct block_check *blocks_check(struct heft_blocks *b);
const struct block_check *blocks_checked(const struct heft_blocks *b);
/* Returns the image of function `i`, which must exist, and whether its code is ARM's Thumb. */
const struct image *blocks_image(struct heft_blocks *b, size_t i, bool *ret_thumb);
/* Returns the name of function `i` of the map, in the set style. */
const char *blocks_name(struct heft_blocks *b, size_t i);
/* Returns the name of the function or PLT stub that begins at an address. NULL if there is none. */
const char *blocks_name_at(struct heft_blocks *b, uint64_t addr);
/* Appends the code of function `i`: a line per block, and below it the instructions without their
 * bytes. `counts` say how often each block ran; NULL if unknown. Shows at most `most` bytes of
 * code; see heft_blocks_disassemble(). */
bool blocks_code_text(struct heft_blocks *b, size_t i, const struct heft_block_count *counts,
		      uint64_t most, struct text *to, struct heft_err *err);

#endif
