/* unpack.h - unpacks compressed sections: zlib, zstd (debug sections), xz (.gnu_debugdata). Also
 * unpacks compressed files (cores): gzip, zstd, lz4 frames, xz.
 *
 * The result is malloc'ed and belongs to the caller. A size that a file states is checked before
 * memory is allocated: by the largest ratio of the method, UNPACK_MAX and, above 4 MiB, 256 bytes
 * per compressed byte. Thread-safe. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

#define UNPACK_MAX (UINT64_C(8) << 30)

enum unpack_method {
	UNPACK_ZLIB,
	UNPACK_ZSTD,
	UNPACK_XZ,
	UNPACK_GZIP,
	UNPACK_LZ4,
	UNPACK_LZ4_OLD, /* "Legacy frames", in which Linux compresses its kernel */
};

/* False if `packed` bytes cannot unpack to `size` bytes. For zlib and zstd. unpack() checks it. */
bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err);

/* Unpacks zlib or zstd piece by piece, for data too large for memory. Borrows `packed` until it is
 * closed. One thread per stream. */
struct unpack_stream;
bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err);
/* Reads the next `size` bytes. False if the data is damaged or ends earlier. */
bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err);
/* Gives the stream more compressed bytes, once it has used up the previous ones. */
void unpack_stream_feed(struct unpack_stream *s, struct bytes packed);
/* Unpacks at most the next `size` bytes. *ret_made: their number, 0 after all compressed bytes were
 * used. */
bool unpack_stream_some(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Opens a stream of any method and unknown size. Members and frames in a row are one stream. */
bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err);
/* Unpacks the next `size` bytes. *ret_made is their number: less only at the end of the data. False
 * after *ret_made good bytes, if the data is damaged or truncated. */
bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Returns how many bytes of `packed` will not be read again. */
uint64_t unpack_stream_used(const struct unpack_stream *s);
void unpack_stream_close(struct unpack_stream *s);

/* Unpacks zlib or zstd to exactly `size` bytes, or xz to at most 1 GiB. On failure, *err has the
 * reason, but no file name. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

/* Finds the method by the first bytes of a file: gzip (RFC 1952), zstd (RFC 8878), LZ4 frames and
 * legacy frames, or XZ. False for others. */
bool unpack_guess(struct bytes file, enum unpack_method *ret);
/* Unpacks at most the first `size` bytes. Returns their number. */
uint64_t unpack_head(enum unpack_method method, struct bytes packed, uint8_t *out, uint64_t size);
/* Unpacks a whole file into a mapped nameless file (in $TMPDIR, otherwise /var/tmp). So the result
 * may be larger than memory. Pages of zeros take no space. Free *ret with pages_free(). False if
 * there is no space, or if the file has more than `limit` bytes. If the data is damaged or
 * truncated, returns true with the bytes before the damage. Then *ret_cut says why. Its code is
 * HEFT_OK if the file is whole. */
bool unpack_file(enum unpack_method method, struct bytes packed, uint64_t limit, struct bytes *ret,
		 struct heft_err *ret_cut, struct heft_err *err);
struct file;
/* Replaces a compressed file by its unpacked contents, under the same path. Does nothing if
 * unpack_guess() is false. Notes truncated data. */
bool unpack_in_place(struct file *f, struct notes *notes, struct heft_err *err);
/* Replaces the contents of a file by what `part`, a range of its bytes, unpacks to. */
bool unpack_part_in_place(struct file *f, struct bytes part, struct notes *notes,
			  struct heft_err *err);
