/* The XZ file format, and the form of LZMA before it, by liblzma. */
#include "base/unpack_internal.h"

#include <lzma.h>

#define XZ_MEMORY_MAX (UINT64_C(1) << 28) /* bytes the decoder may use */

static const lzma_allocator lzma_memory = { memory_lalloc, memory_zfree, NULL };

static void *xz_open(const struct unpack_stream *s)
{
	lzma_stream *xz = mem_zeroed(1, sizeof *xz);
	*xz = (lzma_stream)LZMA_STREAM_INIT;
	xz->allocator = &lzma_memory;
	const lzma_ret code = s->method == UNPACK_LZMA
				      ? lzma_alone_decoder(xz, XZ_MEMORY_MAX)
				      : lzma_stream_decoder(xz, XZ_MEMORY_MAX, LZMA_CONCATENATED);
	if (code != LZMA_OK)
		call_raise(HEFT_ENOMEM, "out of memory");
	return xz;
}

static void xz_close(void *state)
{
	lzma_end(state);
	mem_free(state);
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
	lzma_stream *xz = s->state;
	if (s->whole) {
		*ret_made = 0;
		return true;
	}
	xz->next_in = s->packed.p + s->used;
	xz->avail_in = (size_t)(s->packed.size - s->used);
	xz->next_out = out;
	xz->avail_out = size;
	const lzma_ret code = lzma_code(xz, LZMA_FINISH);
	s->used = s->packed.size - xz->avail_in;
	s->whole = code == LZMA_STREAM_END;
	*ret_made = size - xz->avail_out;
	return code == LZMA_OK || s->whole || unpack_bad(err, xz_words(code));
}

const struct unpack_codec unpack_xz = { xz_open, xz_close, xz_step };

/* ---- firmware -------------------------------------------------------------------------------- */

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

/* The library has its filter in front of LZMA alone. */
bool unpack_xz_unfilter_x86(struct bytes plain, struct heft_err *err)
{
	lzma_options_lzma options = { .dict_size = LZMA_DICT_SIZE_DEFAULT };
	const lzma_filter filters[] = { { LZMA_FILTER_X86, NULL },
					{ LZMA_FILTER_LZMA2, &options },
					{ LZMA_VLI_UNKNOWN, NULL } };
	struct bytes pieces;
	size_t in = 0, out = 0;
	as_pieces(plain, &pieces);
	uint8_t *const to = (uint8_t *)(uintptr_t)plain.p;
	const lzma_ret code = lzma_raw_buffer_decode(filters, &lzma_memory, pieces.p, &in,
						     (size_t)pieces.size, to, &out,
						     (size_t)plain.size);
	mem_free((void *)(uintptr_t)pieces.p);
	return code == LZMA_OK || unpack_bad(err, "the filter of x86 code fails");
}
