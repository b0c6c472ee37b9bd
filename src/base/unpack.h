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

/* Whether `packed` bytes can become `size`, which unpack asks first.  Not for UNPACK_XZ. */
bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err);

/* Unpacks piece by piece from the start, for what is too large to stand in memory whole (not
 * UNPACK_XZ).  `packed` is borrowed until the stream is closed.  One thread a stream. */
struct unpack_stream;
bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err);
/* The next `size` bytes; false where the data are damaged or end before. */
bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err);
/* Bytes of `packed` that will not be read again. */
uint64_t unpack_stream_used(const struct unpack_stream *s);
void unpack_stream_close(struct unpack_stream *s);

/* Unpacks `packed`.  `size` is the stated size of the result (bytes), which must
 * come out exactly; for UNPACK_XZ it is ignored (the stream says it), result <= 1 GiB.
 * On failure *err says what was wrong without naming a file. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

#endif
