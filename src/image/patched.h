/* patched.h - lists the places that relocations change. */
#pragma once

#include "image/image.h"

typedef VEC(uint64_t) place_vec;

/* Appends the addresses in memory at which relocations change bytes, and sorts the list. O(n log n)
 * for n relocations. */
void image_list_patched(const struct image *im, place_vec *ret);
