/* Unpacks compressed bytes by any method, at once or piece by piece. */
#include "base/inflate.h"
#include "base/unpack_internal.h"

/* Greatest number of bytes that one compressed byte can become. Deflate: 258 bytes in 2 bits.
 * Zstandard: 128 KiB of one byte in 4 bytes (RFC 8878, section 3.1.1.2). */
enum { ZLIB_RATIO = 1032, ZSTD_RATIO = 32768 };

/* A section may unpack to SECTION_MIN bytes, or to SECTION_RATIO bytes per compressed byte. */
#define SECTION_MIN (UINT64_C(4) << 20)
enum { SECTION_RATIO = 256 };

#define XZ_MAX (UINT64_C(1) << 30) /* Largest unpacked size of xz */

bool unpack_bad(struct heft_err *err, const char *what)
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

static void *zlib_open(const struct unpack_stream *s)
{
	return inflate_open(s->method == UNPACK_GZIP ? INFLATE_GZIP : INFLATE_ZLIB);
}

static void zlib_close(void *state)
{
	inflate_close(state);
}

static bool zlib_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		      struct heft_err *err)
{
	const struct bytes rest = { s->packed.p + s->used, s->packed.size - s->used };
	uint64_t used, made;
	const bool fine = inflate_step(s->state, rest, out, size, &used, &made);
	s->used += used;
	s->whole = inflate_ended(s->state);
	*ret_made = (size_t)made;
	return fine || unpack_bad(err, s->method == UNPACK_GZIP ? "damaged gzip data"
								: "damaged zlib data");
}

static const struct unpack_codec unpack_zlib = { inflate_is_there, zlib_open, zlib_close,
						 zlib_step };

/* Per method: its library and codec. NULL if this build lacks it. */
static const struct {
	const char *library;
	const struct unpack_codec *codec;
} codecs[] = {
	[UNPACK_ZLIB] = { "z", &unpack_zlib },    [UNPACK_GZIP] = { "z", &unpack_zlib },
#ifdef HEFT_HAVE_ZSTD
	[UNPACK_ZSTD] = { "zstd", &unpack_zstd },
#else
	[UNPACK_ZSTD] = { "zstd", NULL },
#endif
#ifdef HEFT_HAVE_LZ4
	[UNPACK_LZ4] = { "lz4", &unpack_lz4 },    [UNPACK_LZ4_OLD] = { "lz4", &unpack_lz4_old },
#else
	[UNPACK_LZ4] = { "lz4", NULL },        [UNPACK_LZ4_OLD] = { "lz4", NULL },
#endif
#ifdef HEFT_HAVE_LZMA
	[UNPACK_XZ] = { "lzma", &unpack_xz },
#else
	[UNPACK_XZ] = { "lzma", NULL },
#endif
};

bool unpack_stream_open_any(struct unpack_stream **ret, enum unpack_method method,
			    struct bytes packed, struct heft_err *err)
{
	ASSERT(method < COUNT_OF(codecs));
	*ret = NULL;
	if (packed.size == 0)
		return unpack_bad(err, "no packed data");
	if (codecs[method].codec == NULL || !codecs[method].codec->is_there())
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "lib%s, which unpacks these data, is not installed, or heft was built "
			    "without it",
			    codecs[method].library);
	struct unpack_stream *s = mem_zeroed(1, sizeof *s);
	s->method = method;
	s->codec = codecs[method].codec;
	s->packed = packed;
	s->state = s->codec->open(s);
	ASSERT(s->state && s->used == 0);
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
	s->codec->close(s->state);
	mem_free(s);
}

uint64_t unpack_stream_used(const struct unpack_stream *s)
{
	return s->used;
}

bool unpack_stream_next(struct unpack_stream *s, uint8_t *out, uint64_t size, uint64_t *ret_made,
			struct heft_err *err)
{
	uint64_t total = 0;
	bool ok = true;
	while (ok && total < size) {
		const uint64_t before = s->used;
		size_t made = 0;
		if (s->whole && s->used == s->packed.size)
			break;
		if (s->whole && s->method == UNPACK_GZIP)
			inflate_restart(s->state); /* The next member */
		ok = s->codec->step(s, out + total, (size_t)(size - total), &made, err);
		total += made;
		if (!ok || made > 0 || s->used > before)
			continue;
		if (s->whole) /* Bytes after the last member are ignored */
			break;
		ok = unpack_bad(err, "the packed data are cut off");
	}
	ASSERT(total <= size && s->used <= s->packed.size);
	*ret_made = total;
	return ok;
}

bool unpack_stream_read(struct unpack_stream *s, uint8_t *out, uint64_t size, struct heft_err *err)
{
	ASSERT(s->used <= s->packed.size);
	while (size > 0) {
		const uint64_t before = s->used;
		size_t made;
		if (!s->codec->step(s, out, (size_t)size, &made, err))
			return false;
		if (made == 0 && s->used == before)
			return unpack_bad(err, "the packed data have another size than stated");
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
		if (!s->codec->step(s, out, (size_t)size, &made, err))
			return false;
	}
	*ret_made = made;
	return true;
}

/* True if the stream ends here, with the right checksum. */
static bool stream_ends(struct unpack_stream *s, struct heft_err *err)
{
	uint8_t more;
	size_t made;
	ASSERT(s->used <= s->packed.size);
	if (!s->codec->step(s, &more, 1, &made, err))
		return false;
	const bool whole = s->method == UNPACK_ZSTD || s->whole;
	return (made == 0 && whole) ||
	       unpack_bad(err, "the packed data have another size than stated");
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

/* Unpacks a whole stream. *ret is malloc'ed, also on failure. */
static bool unpack_read_all(struct unpack_stream *s, uint64_t limit, struct bytes *ret,
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
	const bool ok = unpack_read_all(s, limit, ret, err);
	unpack_stream_close(s);
	if (!ok) {
		mem_free((void *)(uintptr_t)ret->p);
		*ret = (struct bytes){ NULL, 0 };
	}
	return ok;
}

bool unpack(enum unpack_method method, struct bytes packed, uint64_t size, struct bytes *ret,
	    struct heft_err *err)
{
	*ret = (struct bytes){ NULL, 0 };
	return method == UNPACK_XZ ? unpack_any(method, packed, XZ_MAX, ret, err)
				   : unpack_sized(method, packed, size, ret, err);
}
