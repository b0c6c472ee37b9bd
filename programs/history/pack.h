/* pack.h - compresses a text as its difference from a base text: frames of Zstandard with the base
 * as prefix (`zstd --patch-from` reads them).
 *
 * O(both texts): 50 ms to compress 4 MB, 4 ms to unpack. Thread-safe. */
#pragma once

#include "base/reader.h"
#include "base/text.h"

/* Appends the compressed text to *ret. `base` "": without a base. False if there is no memory. */
bool text_pack(struct str text, struct str base, struct text *ret);
/* Replaces *ret by the unpacked text. False if the frame is damaged or has another base. */
bool text_unpack(struct bytes packed, struct str base, struct text *ret);
