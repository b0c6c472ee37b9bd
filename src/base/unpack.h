/* unpack.h - unpacks compressed sections: zlib, zstd (debug sections), xz (.gnu_debugdata). Also
 * unpacks compressed files (cores): gzip, zstd, lz4 frames, xz.
 *
 * The result is malloc'ed and belongs to the caller. A size from a file is checked before memory is
 * allocated. Its limits are the largest ratio of the method, UNPACK_MAX and, above 4 MiB, 256 bytes
 * per compressed byte. Thread-safe. */
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
	UNPACK_LZ4_OLD, /* "Legacy frames", in which Linux compresses its kernel */
};

/* True if `packed` bytes can unpack to `size` bytes. unpack() checks that first. For zlib and zstd
 * only. */
bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err);

/* Opens a stream that unpacks piece by piece, for data too large for memory (zlib and zstd).
 * Borrows `packed` until the stream is closed. One thread per stream. */
struct unpack_stream;
bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err);
/* Reads the next `size` bytes. False if the data is damaged or ends earlier. */
bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err);
/* Continues with further compressed bytes after all earlier ones are used. The unpacked bytes
 * continue as well. */
void unpack_stream_feed(struct unpack_stream *s, struct bytes packed);
/* Unpacks at most `size` next bytes. *ret_made is their number. It is 0 after all compressed bytes
 * are used. */
bool unpack_stream_some(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Opens a stream of any method and unknown size. Consecutive members and frames form one stream. */
bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err);
/* Unpacks the next `size` bytes. *ret_made is less only at the end of the data. False if the data
 * is damaged or truncated, after *ret_made good bytes. */
bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Returns the number of bytes of `packed` that will not be read again. */
uint64_t unpack_stream_used(const struct unpack_stream *s);
void unpack_stream_close(struct unpack_stream *s);

/* Unpacks zlib, zstd or xz data. The result must have exactly `size` bytes. For UNPACK_XZ `size` is
 * ignored, and the result is at most 1 GiB. On failure *err has the reason without the name of a
 * file. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

/* Finds the method by the magic number of a file: gzip (RFC 1952), zstd (RFC 8878), LZ4 frames and
 * their legacy form, or XZ. False if the file has another one. */
bool unpack_guess(struct bytes file, enum unpack_method *ret);
/* Unpacks the first bytes, at most `size`. Returns their number. */
uint64_t unpack_head(enum unpack_method method, struct bytes packed, uint8_t *out, uint64_t size);
/* Unpacks a whole file into a mapped nameless file (in $TMPDIR, otherwise /var/tmp). The result may
 * be larger than memory. Pages of zeros take no space. The caller frees *ret with pages_free().
 * False without space or above `limit` bytes. If the data is damaged or truncated, returns true and
 * the bytes before. *ret_cut then has the error (code HEFT_OK: none). */
bool unpack_file(enum unpack_method method, struct bytes packed, uint64_t limit, struct bytes *ret,
		 struct heft_err *ret_cut, struct heft_err *err);
struct file;
/* Replaces a compressed file by its unpacked contents. The path stays. Does nothing if
 * unpack_guess() is false. Truncated data adds a note. */
bool unpack_in_place(struct file *f, struct notes *notes, struct heft_err *err);
/* Replaces a file by the unpacked contents of a part of it. */
bool unpack_part_in_place(struct file *f, struct bytes part, struct notes *notes,
			  struct heft_err *err);

#endif
