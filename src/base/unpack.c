#include "base/unpack_internal.h"

#include <isa-l.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>

/* Most bytes that one packed byte can become, rounded up.  Deflate: a match of 258 bytes in
 * 2 bits.  Zstandard: an RLE block of 128 KiB in 4 bytes (RFC 8878, section 3.1.1.2). */
enum { ZLIB_RATIO = 1032, ZSTD_RATIO = 32768 };

/* Bytes that a section may unpack to: so many, or so many for each packed byte. */
#define SECTION_MIN (UINT64_C(4) << 20)
enum { SECTION_RATIO = 256 };

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
	if (size > SECTION_MIN && size / SECTION_RATIO > packed)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "%" PRIu64 " packed bytes that become %" PRIu64 " are over the limit",
			    packed, size);
	return true;
}

/* ---- piece by piece ------------------------------------------------------------------ */

struct unpack_stream {
	enum unpack_method method;
	struct bytes packed;
	uint64_t used; /* bytes of packed handed over */
	bool whole;    /* a stream, frame or member has just ended */
	struct inflate_state zlib;
	ZSTD_DStream *zstd;
	LZ4F_dctx *lz4;
	uint8_t *block; /* of a legacy frame: unpacked bytes, of which some were given out */
	size_t block_size, block_given;
	lzma_stream xz;
	struct owned *owned; /* zstd and lz4 */
};

static const lzma_allocator lzma_memory = { memory_lalloc, memory_zfree, NULL };

static void release_libraries(void *thing)
{
	struct unpack_stream *s = thing;
	ZSTD_freeDStream(s->zstd);
	LZ4F_freeDecompressionContext(s->lz4);
}

static void zlib_start(struct unpack_stream *s)
{
	isal_inflate_init(&s->zlib);
	s->zlib.crc_flag = s->method == UNPACK_GZIP ? ISAL_GZIP : ISAL_ZLIB;
}

bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err)
{
	*ret = NULL;
	if (packed.size == 0)
		return bad(err, "no packed data");
	struct unpack_stream *s = mem_zeroed(1, sizeof *s);
	s->method = method;
	s->packed = packed;
	zlib_start(s);
	s->xz = (lzma_stream)LZMA_STREAM_INIT;
	s->xz.allocator = &lzma_memory;
	s->zstd = method == UNPACK_ZSTD ? ZSTD_createDStream() : NULL;
	const bool ok =
		(method != UNPACK_LZ4 ||
		 !LZ4F_isError(LZ4F_createDecompressionContext(&s->lz4, LZ4F_VERSION))) &&
		(method != UNPACK_XZ ||
		 lzma_stream_decoder(&s->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK) &&
		(method != UNPACK_LZMA || lzma_alone_decoder(&s->xz, XZ_MEMORY_MAX) == LZMA_OK);
	s->owned = memory_own(release_libraries, s);
	if (!ok)
		call_raise(HEFT_ENOMEM, "out of memory");
	*ret = s;
	return true;
}

bool unpack_stream_open(struct unpack_stream **ret, enum unpack_method method, struct bytes packed,
			uint64_t size, struct heft_err *err)
{
	*ret = NULL;
	return unpack_possible(method, packed.size, size, err) &&
	       unpack_stream_open_any(ret, method, packed, err);
}

void unpack_stream_close(struct unpack_stream *s)
{
	if (!s)
		return;
	memory_disown(s->owned);
	release_libraries(s);
	lzma_end(&s->xz);
	mem_free(s->block);
	mem_free(s);
}

uint64_t unpack_stream_used(const struct unpack_stream *s)
{
	return s->used;
}

/* The library counts in 32 bits. */
enum { PIECE_MAX = 1 << 30 };

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
	s->whole = s->zlib.block_state == ISAL_BLOCK_FINISH;
	return result >= ISAL_DECOMP_OK ||
	       bad(err, s->method == UNPACK_GZIP ? "damaged gzip data" : "damaged zlib data");
}

static bool zstd_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		      struct heft_err *err)
{
	ZSTD_inBuffer in = { s->packed.p, (size_t)s->packed.size, (size_t)s->used };
	ZSTD_outBuffer to = { out, size, 0 };
	const size_t result = ZSTD_decompressStream(s->zstd, &to, &in);
	s->used = in.pos;
	s->whole = result == 0;
	*ret_made = to.pos;
	return !ZSTD_isError(result) || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
					     "damaged zstd data: %s", ZSTD_getErrorName(result));
}

static bool lz4_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		     struct heft_err *err)
{
	size_t in = (size_t)(s->packed.size - s->used);
	*ret_made = size;
	const size_t result = LZ4F_decompress(s->lz4, out, ret_made, s->packed.p + s->used, &in,
					      NULL);
	s->used += in;
	s->whole = result == 0;
	return !LZ4F_isError(result) || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
					     "damaged lz4 data: %s", LZ4F_getErrorName(result));
}

/* Blocks of a size that 4 bytes state, each unpacked to at most 8 MiB; a magic of a frame may stand
 * again between them. */
enum { LZ4_OLD_BLOCK = 8 << 20 };
#define LZ4_OLD_MAGIC UINT32_C(0x184c2102)

static bool lz4_old_block(struct unpack_stream *s, struct heft_err *err)
{
	struct reader r = reader_of(s->packed, false);
	reader_seek(&r, s->used);
	uint32_t size = read_u32(&r);
	if (size == LZ4_OLD_MAGIC)
		size = read_u32(&r);
	const uint8_t *p = read_take(&r, size);
	if (!p || size > (uint32_t)LZ4_COMPRESSBOUND(LZ4_OLD_BLOCK))
		return bad(err, "lz4 data are damaged or cut off");
	if (!s->block)
		s->block = mem_alloc(LZ4_OLD_BLOCK);
	const int made = LZ4_decompress_safe((const char *)p, (char *)s->block, (int)size,
					     LZ4_OLD_BLOCK);
	s->used = r.pos;
	s->block_given = 0;
	s->block_size = made > 0 ? (size_t)made : 0;
	return made >= 0 || bad(err, "damaged lz4 data");
}

static bool lz4_old_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
			 struct heft_err *err)
{
	*ret_made = 0;
	if (s->block_given == s->block_size && s->used < s->packed.size && !lz4_old_block(s, err))
		return false;
	*ret_made = min_u64(size, s->block_size - s->block_given);
	if (*ret_made > 0)
		memcpy(out, s->block + s->block_given, *ret_made);
	s->block_given += *ret_made;
	s->whole = s->block_given == s->block_size && s->used == s->packed.size;
	return true;
}

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

static bool xz_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		    struct heft_err *err)
{
	if (s->whole) {
		*ret_made = 0;
		return true;
	}
	s->xz.next_in = s->packed.p + s->used;
	s->xz.avail_in = (size_t)(s->packed.size - s->used);
	s->xz.next_out = out;
	s->xz.avail_out = size;
	const lzma_ret code = lzma_code(&s->xz, LZMA_FINISH);
	s->used = s->packed.size - s->xz.avail_in;
	s->whole = code == LZMA_STREAM_END;
	*ret_made = size - s->xz.avail_out;
	return code == LZMA_OK || s->whole || bad(err, xz_words(code));
}

/* One call of a library; *ret_made bytes came out. */
static bool step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		 struct heft_err *err)
{
	switch (s->method) {
	case UNPACK_ZSTD: return zstd_step(s, out, size, ret_made, err);
	case UNPACK_LZ4: return lz4_step(s, out, size, ret_made, err);
	case UNPACK_LZ4_OLD: return lz4_old_step(s, out, size, ret_made, err);
	case UNPACK_LZMA:
	case UNPACK_XZ: return xz_step(s, out, size, ret_made, err);
	default: return zlib_step(s, out, size, ret_made, err);
	}
}

bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err)
{
	uint64_t total = 0;
	bool ok = true;
	while (ok && total < size) {
		const uint64_t before = s->used;
		size_t made = 0;
		if (s->whole && (s->used == s->packed.size || s->method == UNPACK_LZMA))
			break;
		if (s->whole && s->method == UNPACK_GZIP)
			zlib_start(s); /* the next member */
		ok = step(s, out + total, (size_t)(size - total), &made, err);
		total += made;
		if (!ok || made > 0 || s->used > before)
			continue;
		if (s->whole) /* what follows is none of it */
			break;
		ok = bad(err, "the packed data are cut off");
	}
	*ret_made = total;
	return ok;
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

void unpack_stream_feed(struct unpack_stream *s, struct bytes packed)
{
	s->packed = packed;
	s->used = 0;
}

bool unpack_stream_some(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err)
{
	size_t made = 0;
	for (uint64_t before = UINT64_MAX; made == 0 && before != s->used;) {
		before = s->used;
		if (!step(s, out, (size_t)size, &made, err))
			return false;
	}
	*ret_made = made;
	return true;
}

/* Nothing comes behind, and the checksum is right. */
static bool stream_ends(struct unpack_stream *s, struct heft_err *err)
{
	uint8_t more;
	size_t made;
	if (!step(s, &more, 1, &made, err))
		return false;
	const bool whole = s->method == UNPACK_ZSTD || s->whole;
	return (made == 0 && whole) || bad(err, "the packed data have another size than stated");
}

static bool unpack_sized(enum unpack_method method, struct bytes packed, uint64_t size,
			 struct bytes *ret, struct heft_err *err)
{
	struct unpack_stream *s;
	if (!unpack_stream_open(&s, method, packed, size, err))
		return false;
	uint8_t *out = memory_try((size_t)size + 1);
	const bool ok = out ? unpack_stream_read(s, out, size, err) && stream_ends(s, err)
			    : fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
				   "no memory for %" PRIu64 " unpacked bytes", size);
	unpack_stream_close(s);
	if (!ok) {
		mem_free(out);
		return false;
	}
	*ret = (struct bytes){ out, size };
	return true;
}

/* ---- of unknown size ------------------------------------------------------------------ */

/* All of a stream into a buffer that grows; *ret is malloc'ed also on failure. */
static bool read_all(struct unpack_stream *s, uint64_t limit, struct bytes *ret,
		     struct heft_err *err)
{
	uint8_t *out = NULL;
	uint64_t cap = 0, made = 0;
	do {
		if (cap >= limit)
			return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
				    "the unpacked size is over the limit");
		cap = cap ? 2 * cap : 64 << 10;
		out = mem_resize(out, (size_t)cap);
		const bool ok = unpack_stream_next(s, out + ret->size, cap - ret->size, &made, err);
		*ret = (struct bytes){ out, ret->size + made };
		if (!ok)
			return false;
	} while (ret->size == cap);
	return true;
}

static bool unpack_any(enum unpack_method method, struct bytes packed, uint64_t limit,
		       struct bytes *ret, struct heft_err *err)
{
	struct unpack_stream *s;
	if (!unpack_stream_open_any(&s, method, packed, err))
		return false;
	const bool ok = read_all(s, limit, ret, err);
	unpack_stream_close(s);
	if (!ok) {
		mem_free((void *)(uintptr_t)ret->p);
		*ret = (struct bytes){ NULL, 0 };
	}
	return ok;
}

/* ---- firmware ------------------------------------------------------------------------- */

uint64_t unpack_section_max(uint64_t packed)
{
	return min_u64(XZ_MAX, max_u64(SECTION_MIN, packed * SECTION_RATIO));
}

/* `plain` as LZMA2 that packs nothing: pieces of 64 KiB with their sizes in front. */
static void as_pieces(struct bytes plain, struct bytes *ret)
{
	enum { PIECE = 64 << 10, HEAD = 3, DICTIONARY_NEW = 1, DICTIONARY_KEPT = 2 };
	uint8_t *const out = mem_alloc(plain.size + (plain.size / PIECE + 1) * HEAD + 1);
	uint64_t to = 0;
	for (uint64_t at = 0; at < plain.size; at += PIECE) {
		const uint64_t size = min_u64(plain.size - at, PIECE);
		out[to++] = at == 0 ? DICTIONARY_NEW : DICTIONARY_KEPT;
		out[to++] = (uint8_t)((size - 1) >> 8);
		out[to++] = (uint8_t)(size - 1);
		memcpy(out + to, plain.p + at, size);
		to += size;
	}
	out[to++] = 0;
	*ret = (struct bytes){ out, to };
}

/* Calls and jumps back to relative ones.  The library has its filter in front of LZMA alone. */
static bool unfilter_x86(struct bytes *plain, struct heft_err *err)
{
	lzma_options_lzma options = { .dict_size = LZMA_DICT_SIZE_DEFAULT };
	const lzma_filter filters[] = { { LZMA_FILTER_X86, NULL },
					{ LZMA_FILTER_LZMA2, &options },
					{ LZMA_VLI_UNKNOWN, NULL } };
	struct bytes pieces;
	size_t in = 0, out = 0;
	as_pieces(*plain, &pieces);
	uint8_t *const to = (uint8_t *)(uintptr_t)plain->p;
	const lzma_ret code = lzma_raw_buffer_decode(filters, &lzma_memory, pieces.p, &in,
						     (size_t)pieces.size, to, &out,
						     (size_t)plain->size);
	mem_free((void *)(uintptr_t)pieces.p);
	return code == LZMA_OK || bad(err, "the filter of x86 code fails");
}

static bool unpack_lzma(struct bytes packed, bool x86, struct bytes *ret, struct heft_err *err)
{
	if (!unpack_any(UNPACK_LZMA, packed, unpack_section_max(packed.size), ret, err))
		return false;
	if (!x86 || ret->size == 0 || unfilter_x86(ret, err))
		return true;
	mem_free((void *)(uintptr_t)ret->p);
	*ret = (struct bytes){ NULL, 0 };
	return false;
}

bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err)
{
	*ret = (struct bytes){ NULL, 0 };
	switch (method) {
	case UNPACK_XZ: return unpack_any(method, packed, XZ_MAX, ret, err);
	case UNPACK_LZMA:
	case UNPACK_LZMA_X86: return unpack_lzma(packed, method == UNPACK_LZMA_X86, ret, err);
	case UNPACK_EFI: return unpack_efi(packed, 4, ret, err);
	case UNPACK_TIANO: return unpack_efi(packed, 5, ret, err);
	default: return unpack_sized(method, packed, size, ret, err);
	}
}
