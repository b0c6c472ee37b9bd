/* slices.h - finds texts without a terminator: a pointer in data and the length after it. Rust, Go
 * and C++ (string_view) store literals this way, one after the other without zeros.
 *
 * Slices are found by the relocations that make their pointers absolute. Programs linked to fixed
 * addresses have no such relocations. Texts whose address and length are in instructions are not
 * found. */
#pragma once

#include "base/vec.h"
#include "image/image.h"

struct slice {
	uint64_t addr, size; /* Range. size > 0 */
};

struct slices {
	VEC(struct slice) list; /* Slices by address; at equal addresses, longer ones first */
};

/* Finds the slices of a linked image. Keeps only certain texts: UTF-8 without control characters,
 * in read-only data, and not part of a text that ends with 0. O(relocations). */
void slices_read(struct slices *ret, const struct image *im);
void slices_release(struct slices *s);
