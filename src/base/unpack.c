#include "base/unpack.h"

#include <isa-l.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>

/* Most bytes that one packed byte can become, rounded up.  Deflate: a match of 258 bytes in
 * 2 bits.  Zstandard: an RLE block of 128 KiB in 4 bytes (RFC 8878, section 3.1.1.2). */
enum { ZLIB_RATIO = 1032, ZSTD_RATIO = 32768 };

#define XZ_MAX        (UINT64_C(1) << 30) /* bytes of result */
#define XZ_MEMORY_MAX (UINT64_C(1) << 28) /* bytes the decoder may use */

static bool bad(struct heft_err *err, const char *what)
{
	return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s", what);
}

bool unpack_possible(enum unpack_method method, uint64_t packed, uint64_t size,
		     struct heft_err *err)
{
	const uint64_t ratio = method == UNPACK_ZLIB ? ZLIB_RATIO : ZSTD_RATIO;
	if (size > UNPACK_MAX || size > SIZE_MAX - 1)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "the unpacked size of %" PRIu64 " bytes is over the limit", size);
	if (size / ratio > packed)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
			    "%" PRIu64 " packed bytes cannot become %" PRIu64, packed, size);
	return true;
}

/* ---- zlib and zstd, piece by piece -------------------------------------------------- */

struct unpack_stream {
	enum unpack_method method;
	struct bytes packed;
	uint64_t used; /* bytes of packed handed over */
	struct inflate_state zlib;
	ZSTD_DStream *zstd;
};

bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err)
{
	*ret = NULL;
	if (!unpack_possible(method, packed.size, size, err))
		return false;
	if (packed.size == 0)
		return bad(err, "no packed data");
	struct unpack_stream *s = xcalloc(1, sizeof *s);
	s->method = method;
	s->packed = packed;
	isal_inflate_init(&s->zlib);
	s->zlib.crc_flag = ISAL_ZLIB;
	s->zstd = method == UNPACK_ZSTD ? ZSTD_createDStream() : NULL;
	*ret = s;
	return true;
}

void unpack_stream_close(struct unpack_stream *s)
{
	if (s)
		ZSTD_freeDStream(s->zstd);
	free(s);
}

uint64_t unpack_stream_used(const struct unpack_stream *s)
{
	return s->used;
}

/* The library counts in 32 bits. */
enum { PIECE_MAX = 1 << 30 };

/* One call of the library; *ret_made bytes came out. */
static bool zlib_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		      struct heft_err *err)
{
	const uint32_t in = (uint32_t)min_u64(s->packed.size - s->used, PIECE_MAX);
	const uint32_t want = (uint32_t)min_u64(size, PIECE_MAX);
	s->zlib.next_in = (uint8_t *)(uintptr_t)(s->packed.p + s->used);
	s->zlib.avail_in = in;
	s->zlib.next_out = out;
	s->zlib.avail_out = want;
	const int result = isal_inflate(&s->zlib);
	s->used += in - s->zlib.avail_in;
	*ret_made = want - s->zlib.avail_out;
	return result >= ISAL_DECOMP_OK || bad(err, "damaged zlib data");
}

static bool zstd_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		      struct heft_err *err)
{
	ZSTD_inBuffer in = { s->packed.p, (size_t)s->packed.size, (size_t)s->used };
	ZSTD_outBuffer to = { out, size, 0 };
	const size_t result = ZSTD_decompressStream(s->zstd, &to, &in);
	s->used = in.pos;
	*ret_made = to.pos;
	return !ZSTD_isError(result) || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
					     "damaged zstd data: %s", ZSTD_getErrorName(result));
}

static bool step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		 struct heft_err *err)
{
	return s->method == UNPACK_ZLIB ? zlib_step(s, out, size, ret_made, err)
					: zstd_step(s, out, size, ret_made, err);
}

bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err)
{
	while (size > 0) {
		const uint64_t before = s->used;
		size_t made;
		if (!step(s, out, (size_t)size, &made, err))
			return false;
		if (made == 0 && s->used == before)
			return bad(err, "the packed data have another size than stated");
		out += made;
		size -= made;
	}
	return true;
}

/* Nothing comes behind, and the checksum is right. */
static bool stream_ends(struct unpack_stream *s, struct heft_err *err)
{
	uint8_t more;
	size_t made;
	if (!step(s, &more, 1, &made, err))
		return false;
	const bool whole = s->method == UNPACK_ZSTD || s->zlib.block_state == ISAL_BLOCK_FINISH;
	return (made == 0 && whole) || bad(err, "the packed data have another size than stated");
}

static bool unpack_sized(enum unpack_method method, struct bytes packed, uint64_t size,
			 struct bytes *ret, struct heft_err *err)
{
	struct unpack_stream *s;
	if (!unpack_stream_open(&s, method, packed, size, err))
		return false;
	uint8_t *out = malloc((size_t)size + 1);
	const bool ok = out ? unpack_stream_read(s, out, size, err) && stream_ends(s, err)
			    : fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
				   "no memory for %" PRIu64 " unpacked bytes", size);
	unpack_stream_close(s);
	if (!ok) {
		free(out);
		return false;
	}
	*ret = (struct bytes){ out, size };
	return true;
}

/* ---- xz ------------------------------------------------------------------------ */

static const char *xz_words(lzma_ret code)
{
	switch (code) {
	case LZMA_FORMAT_ERROR: return "not xz data";
	case LZMA_OPTIONS_ERROR: return "xz data with unknown options";
	case LZMA_MEMLIMIT_ERROR: return "xz data that need too much memory";
	case LZMA_BUF_ERROR: return "xz data are cut off";
	default: return "damaged xz data";
	}
}

/* Decodes all of s->next_in into a buffer that grows; *ret is malloc'ed also on failure. */
static bool xz_run(lzma_stream *s, struct bytes *ret, struct heft_err *err)
{
	uint8_t *out = NULL;
	size_t cap = 0;
	lzma_ret code = LZMA_OK;
	while (code == LZMA_OK) {
		if (s->avail_out == 0) {
			if (cap >= XZ_MAX)
				return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
					    "the unpacked size is over the limit");
			const size_t more = cap ? cap : 64 << 10;
			out = xrealloc(out, cap + more);
			s->next_out = out + cap;
			s->avail_out = more;
			cap += more;
		}
		code = lzma_code(s, LZMA_FINISH);
		*ret = (struct bytes){ out, s->total_out };
	}
	return code == LZMA_STREAM_END || bad(err, xz_words(code));
}

static bool unpack_xz(struct bytes packed, struct bytes *ret, struct heft_err *err)
{
	lzma_stream s = LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&s, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
		base_oom(sizeof s);
	s.next_in = packed.p;
	s.avail_in = (size_t)packed.size;
	const bool ok = xz_run(&s, ret, err);
	lzma_end(&s);
	if (!ok) {
		free((void *)(uintptr_t)ret->p);
		*ret = (struct bytes){ NULL, 0 };
	}
	return ok;
}

bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err)
{
	*ret = (struct bytes){ NULL, 0 };
	if (method == UNPACK_XZ)
		return unpack_xz(packed, ret, err);
	return unpack_sized(method, packed, size, ret, err);
}
