/* unpack.h - unpacks compressed bytes inside a file: zlib, zstd (compressed debug sections), xz
 * (.gnu_debugdata); and packed files (cores): gzip, zstd, lz4 frames, xz.
 *
 * The result is malloc'ed and belongs to the caller. Sizes that a file states are checked before
 * any allocation: against what the method can reach, against UNPACK_MAX and, beyond 4 MiB, against
 * 256 bytes per packed byte. Thread-safe. */
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
	UNPACK_LZ4_OLD, /* "legacy frames", in which Linux packs its kernel */
};

/* True if `packed` bytes can become `size`. unpack() checks this first. zlib and zstd
 * only. */
bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err);

/* Opens a stream that unpacks piece by piece, for data too large to be in memory at once (zlib and
 * zstd). Borrows `packed` until the stream is closed. One thread per stream. */
struct unpack_stream;
bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err);
/* Reads the next `size` bytes. False if the data is damaged or ends before. */
bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err);
/* Continues with further packed bytes, once all before are used. The result continues too. */
void unpack_stream_feed(struct unpack_stream *s, struct bytes packed);
/* Unpacks at most `size` next bytes. *ret_made is their number, 0 if all packed bytes are used. */
bool unpack_stream_some(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Opens a stream of any method and unknown size. Consecutive members and frames are one stream. */
bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err);
/* Fills `out`. Less than `size` bytes only at the end of the data. False if the data is damaged or
 * cut off, after *ret_made good bytes. */
bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err);
/* Returns how many bytes of `packed` will not be read again. */
uint64_t unpack_stream_used(const struct unpack_stream *s);
void unpack_stream_close(struct unpack_stream *s);

/* Unpacks zlib, zstd or xz data. The result must have exactly `size` bytes. For UNPACK_XZ `size`
 * is ignored, and the result is at most 1 GiB. On failure *err tells the reason without naming a
 * file. */
bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err);

/* Finds the method by the magic number of a packed file (RFC 1952, RFC 8878, the LZ4 frame format
 * with its legacy form, and the XZ file format). False if there is none of these. */
bool unpack_guess(struct bytes file, enum unpack_method *ret);
/* Unpacks the first bytes, at most `size`. Returns their number. */
uint64_t unpack_head(enum unpack_method method, struct bytes packed, uint8_t *out, uint64_t size);
/* Unpacks a whole file into a nameless file (in $TMPDIR, else /var/tmp) that is mapped. The
 * result may be larger than memory. Pages of zeros take no room. The caller unmaps *ret with
 * pages_free(). False if there is no room or if more than `limit` bytes result. For damaged
 * data, or data that is cut off, returns true and the bytes before. *ret_cut then tells the
 * trouble (code HEFT_OK: none). */
bool unpack_file(enum unpack_method method, struct bytes packed, uint64_t limit, struct bytes *ret,
		 struct heft_err *ret_cut, struct heft_err *err);
struct file;
/* Replaces a packed file by its unpacked contents. The path stays. Does nothing if unpack_guess()
 * does not know the file. Data that is cut off gives a note. */
bool unpack_in_place(struct file *f, struct notes *notes, struct heft_err *err);
/* Replaces a file by the unpacked contents of a part of it. */
bool unpack_part_in_place(struct file *f, struct bytes part, struct notes *notes,
			  struct heft_err *err);

#endif
