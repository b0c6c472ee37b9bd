/* blocks_handle.h - what other files of api/ may know of struct heft_blocks.  Private to api/. */
#ifndef HEFT_API_BLOCKS_HANDLE_H
#define HEFT_API_BLOCKS_HANDLE_H

#include "heft.h"
#include "base/text.h"
#include "blocks/block_check.h"
#include "image/kinds.h"

struct memory *blocks_memory(const struct heft_blocks *b);
/* Of the one image that was opened; NULL for archives. */
const struct blockmap *blocks_map(const struct heft_blocks *b);
/* Whether the file is of a kind for this use; false with *err that names its kind. */
bool blocks_serve(const struct heft_blocks *b, enum file_use use, struct heft_err *err);
/* The separate debug file's image, or NULL. */
const struct image *blocks_debug(const struct heft_blocks *b);
struct notes *blocks_notes(struct heft_blocks *b);
/* What the last check found; zeroed before it. */
struct block_check *blocks_check(struct heft_blocks *b);
const struct block_check *blocks_checked(const struct heft_blocks *b);
/* The image that has function i, which is one of them, and whether its code is ARM's Thumb. */
const struct image *blocks_image(struct heft_blocks *b, size_t i, bool *ret_thumb);
/* In the style set, of function i of the map. */
const char *blocks_name(struct heft_blocks *b, size_t i);
/* Of the function or PLT stub that begins at an address, NULL where none does. */
const char *blocks_name_at(struct heft_blocks *b, uint64_t addr);
/* Adds the code of function i: a line a block, below it its instructions without their bytes.
 * `counts` (NULL: not known) say how often each block ran.  Of so many bytes of code at most; see
 * heft_blocks_disassemble. */
bool blocks_code_text(struct heft_blocks *b, size_t i, const struct heft_block_count *counts,
		      uint64_t most, struct text *to, struct heft_err *err);

#endif
