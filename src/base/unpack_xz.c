/* Unpacks the XZ file format with liblzma. */
#include "base/library.h"
#include "base/unpack_internal.h"

#include <lzma.h>

#define FUNCTIONS(X)                                                                               \
	X(lzma_stream_decoder)                                                                     \
	X(lzma_code)                                                                               \
	X(lzma_end)
LIBRARY(lzma, FUNCTIONS, "liblzma.so.5")

#define XZ_MEMORY_MAX (UINT64_C(1) << 28) /* Memory limit of the decoder */

static const lzma_allocator lzma_memory = { memory_lalloc, memory_zfree, NULL };

static void *xz_open(const struct unpack_stream *s)
{
	lzma_stream *xz = mem_zeroed(1, sizeof *xz);
	*xz = (lzma_stream)LZMA_STREAM_INIT;
	xz->allocator = &lzma_memory;
	(void)s;
	if (lzma.lzma_stream_decoder(xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
		call_raise(HEFT_ENOMEM, "out of memory");
	return xz;
}

static void xz_close(void *state)
{
	lzma.lzma_end(state);
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
	const lzma_ret code = lzma.lzma_code(xz, LZMA_FINISH);
	ASSERT(xz->avail_in <= s->packed.size && xz->avail_out <= size);
	s->used = s->packed.size - xz->avail_in;
	s->whole = code == LZMA_STREAM_END;
	*ret_made = size - xz->avail_out;
	return code == LZMA_OK || s->whole || unpack_bad(err, xz_words(code));
}

const struct unpack_codec unpack_xz = { lzma_is_there, xz_open, xz_close, xz_step };
