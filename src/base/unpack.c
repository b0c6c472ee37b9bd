#include "base/unpack.h"

#include <libdeflate.h>
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

static bool check_size(uint64_t packed, uint64_t size, uint64_t ratio, struct heft_err *err)
{
	if (size > UNPACK_MAX || size > SIZE_MAX - 1)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "the unpacked size of %" PRIu64 " bytes is over the limit", size);
	if (size / ratio > packed)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
			    "%" PRIu64 " packed bytes cannot become %" PRIu64, packed, size);
	return true;
}

static bool zlib_into(struct bytes packed, uint8_t *out, size_t size, struct heft_err *err)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	if (!d)
		base_oom(sizeof d);
	size_t used, made;
	const enum libdeflate_result result = libdeflate_zlib_decompress_ex(
		d, packed.p, (size_t)packed.size, out, size, &used, &made);
	libdeflate_free_decompressor(d);
	if (result == LIBDEFLATE_BAD_DATA)
		return bad(err, "damaged zlib data");
	if (result == LIBDEFLATE_INSUFFICIENT_SPACE || made != size)
		return bad(err, "the zlib data have another size than stated");
	return result == LIBDEFLATE_SUCCESS || bad(err, "damaged zlib data");
}

static bool zstd_into(struct bytes packed, uint8_t *out, size_t size, struct heft_err *err)
{
	const size_t made = ZSTD_decompress(out, size, packed.p, (size_t)packed.size);
	if (ZSTD_isError(made))
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "damaged zstd data: %s",
			    ZSTD_getErrorName(made));
	return made == size || bad(err, "the zstd data have another size than stated");
}

static bool unpack_sized(enum unpack_method method, struct bytes packed, uint64_t size,
			 struct bytes *ret, struct heft_err *err)
{
	const bool zlib = method == UNPACK_ZLIB;
	if (!check_size(packed.size, size, zlib ? ZLIB_RATIO : ZSTD_RATIO, err))
		return false;
	if (packed.size == 0)
		return bad(err, "no packed data");
	uint8_t *out = malloc((size_t)size + 1);
	if (!out)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET,
			    "no memory for %" PRIu64 " unpacked bytes", size);
	if (!(zlib ? zlib_into(packed, out, (size_t)size, err)
		   : zstd_into(packed, out, (size_t)size, err))) {
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
