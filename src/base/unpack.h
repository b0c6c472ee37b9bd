/* unpack.h - compressed bytes inside a file: zlib, zstd (compressed debug
 * sections), xz (.gnu_debugdata); and packed files (cores): gzip, zstd, lz4 frames, xz.
 *
 * The result is malloc'ed and belongs to the caller.  Sizes stated by a file are
 * checked against what the method can reach, against UNPACK_MAX and, beyond 4 MiB, against 256
 * bytes for each packed one, before anything is allocated.  Thread-safe. */
#ifndef HEFT_BASE_UNPACK_H
#define HEFT_BASE_UNPACK_H

#include "base/err.h"
#include "base/reader.h"

#define UNPACK_MAX (UINT64_C(8) << 30)

enum unpack_method {
	UNPACK_ZLIB,
	UNPACK_ZSTD,
	UNPACK_XZ,
	UNPACK_GZIP,
	UNPACK_LZ4,
	UNPACK_LZ4_OLD, /* "legacy frames", which Linux packs its kernel with */
};

/* Whether `packed` bytes can become `size`, which unpack asks first.  zlib and zstd only. */
bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err);

/* Unpacks piece by piece from the start, for what is too large to stand in memory whole (zlib
 * and zstd).  `packed` is borrowed until the stream is closed.  One thread a stream. */
struct unpack_stream;
bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err);
/* The next `size` bytes; false where the data are damaged or end before. */
bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err);
/* Goes on with further packed bytes, once all before are used; what they become continues. */
void unpack_stream_feed(struct unpack_stream *s, struct bytes packed);
/* What comes next, at most `size` bytes: *ret_made of them, 0 where all packed bytes are used. */
bool unpack_stream_some(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* A stream of any method whose size nobody states; members and frames that follow one another
 * are one. */
bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err);
/* Fills `out` as far as the data reach: less than `size` only at their end.  False where they are
 * damaged or cut off, behind the *ret_made good bytes. */
bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Bytes of `packed` that will not be read again. */
uint64_t unpack_stream_used(const struct unpack_stream *s);
void unpack_stream_close(struct unpack_stream *s);

/* Unpacks zlib, zstd or xz data.  `size` is the stated size of the result (bytes), which has to
 * come out exactly; for UNPACK_XZ it is ignored (the stream says it), result <= 1 GiB.
 * On failure *err says what was wrong without naming a file. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

/* ---- packed files ------------------------------------------------------------------------- */

/* The method by the magic of a packed file (RFC 1952, RFC 8878, the LZ4 frame format, which has the
 * legacy one as well, and the XZ file format); false where it has none of these. */
bool unpack_guess(struct bytes file, enum unpack_method *ret);
/* The first bytes of what is packed, at most `size`; returns how many. */
uint64_t unpack_head(enum unpack_method method, struct bytes packed, uint8_t *out, uint64_t size);
/* Unpacks a whole file into one without a name (in $TMPDIR, else /var/tmp) that is mapped, so
 * that the result may be larger than memory; pages of zeros take no room.  The caller unmaps *ret
 * with pages_free.  False where there is no room or more than `limit` bytes come out.  Data that
 * are damaged or cut off give what comes before: true, with the trouble in *ret_cut (code
 * HEFT_OK: none). */
bool unpack_file(enum unpack_method method, struct bytes packed, uint64_t limit, struct bytes *ret,
		 struct heft_err *ret_cut, struct heft_err *err);
/* Puts what is packed in a file in its place, whose path stays.  Nothing happens to a file that
 * unpack_guess does not know.  Data that are cut off are a note. */
struct file;
struct notes;
bool unpack_in_place(struct file *f, struct notes *notes, struct heft_err *err);
/* The same of a packed part of the file, which takes the place of all of it. */
bool unpack_part_in_place(struct file *f, struct bytes part, struct notes *notes,
			  struct heft_err *err);

#endif
