/* slices.h - texts that end nowhere: their length stands in data, behind the pointer to them.
 *
 * So Rust, Go and C++ (string_view) keep their literals, one behind the other without zeros.  They
 * are found by the relocations that make pointers absolute: programs that are linked to fixed
 * addresses have none. What code alone refers to (an address in one instruction, the length in
 * another) is not found. */
#ifndef HEFT_IMAGE_SLICES_H
#define HEFT_IMAGE_SLICES_H

#include "base/vec.h"
#include "image/image.h"

struct slice {
	uint64_t addr, size; /* size > 0 */
};

struct slices {
	VEC(struct slice) list; /* by address, longer ones first */
};

/* Of a linked image.  Only what is sure: UTF-8 without control characters, in bytes that are
 * neither code nor written; no part of a text that ends with 0.  O(relocations). */
void slices_read(struct slices *ret, const struct image *im);
void slices_release(struct slices *s);

#endif
