/* gzip.h - compresses and unpacks gzip members (RFC 1952) in memory.
 *
 * Thread-safe. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

static inline bool gzip_matches(struct bytes b)
{
	return b.size >= 3 && b.p[0] == 0x1f && b.p[1] == 0x8b && b.p[2] == 8;
}

/* Compresses one member: deflate level 9, no file name, no time, OS 255. The bytes equal those of
 * Python's gzip module with mtime 0 and no name. The result is malloc'ed; the caller frees it. */
bool gzip_pack(struct bytes plain, struct bytes *ret, struct heft_err *err);
/* Like gzip_pack(), with another level of deflate, 1 to 9. */
bool gzip_pack_level(struct bytes plain, int level, struct bytes *ret, struct heft_err *err);
/* Like gzip_pack_level(), in parts of `part` bytes on several threads (0: one per processor). The
 * result depends on the size of the parts, but not on the number of threads. */
bool gzip_pack_parts(struct bytes plain, int level, uint64_t part, unsigned threads,
		     struct bytes *ret, struct heft_err *err);

/* Joins compressed parts of one deflate stream to a gzip member, which is malloc'ed. `crc` and
 * `size` are those of the plain bytes. */
struct bytes gzip_member(const struct bytes *pieces, size_t count, int level, uint32_t crc,
			 uint64_t size);
/* Unpacks the first member. Sets *ret_used (may be NULL) to its size. The result is malloc'ed and
 * has at most `most` bytes. On failure, *err has the reason, but no file name. */
bool gzip_unpack(struct bytes packed, uint64_t most, struct bytes *ret, uint64_t *ret_used,
		 struct heft_err *err);
