/* unpack.h - compressed bytes inside a file: zlib, zstd (compressed debug
 * sections) and xz (.gnu_debugdata).
 *
 * The result is malloc'ed and belongs to the caller.  Sizes stated by a file are
 * checked against what the method can reach and against UNPACK_MAX before
 * anything is allocated.  Thread-safe. */
#ifndef HEFT_BASE_UNPACK_H
#define HEFT_BASE_UNPACK_H

#include "base/err.h"
#include "base/reader.h"

#define UNPACK_MAX (UINT64_C(8) << 30)

enum unpack_method { UNPACK_ZLIB, UNPACK_ZSTD, UNPACK_XZ };

/* Unpacks `packed`.  `size` is the stated size of the result (bytes), which must
 * come out exactly; for UNPACK_XZ it is ignored (the stream says it), result <= 1 GiB.
 * On failure *err says what was wrong without naming a file. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

#endif
