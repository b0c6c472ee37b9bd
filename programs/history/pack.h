/* pack.h - texts kept as their difference from another text: frames of Zstandard whose prefix is
 * that text (`zstd --patch-from` reads them).
 *
 * O(both texts): 50 ms to pack 4 MB, 4 ms to unpack.  Thread-safe. */
#ifndef HEFT_HISTORY_PACK_H
#define HEFT_HISTORY_PACK_H

#include "base/reader.h"
#include "base/text.h"

/* Appends the frame to *ret.  `base` is empty: the whole text.  False where memory lacks. */
bool text_pack(struct str text, struct str base, struct text *ret);
/* Replaces *ret; false where the frame is damaged or of another base. */
bool text_unpack(struct bytes packed, struct str base, struct text *ret);

#endif
