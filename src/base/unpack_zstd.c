/* Unpacks Zstandard (RFC 8878) with libzstd. */
#include "base/library.h"
#include "base/unpack_internal.h"

#include <zstd.h>

#define FUNCTIONS(X)                                                                               \
	X(ZSTD_createDStream)                                                                      \
	X(ZSTD_freeDStream)                                                                        \
	X(ZSTD_decompressStream)                                                                   \
	X(ZSTD_isError)                                                                            \
	X(ZSTD_getErrorName)
LIBRARY(zstd, FUNCTIONS, "libzstd.so.1")

struct zstd_state {
	ZSTD_DStream *stream;
	struct owned *owned; /* Frees the stream if the call is ended early */
};

static void stream_free(void *stream)
{
	zstd.ZSTD_freeDStream(stream);
}

static void *zstd_open(const struct unpack_stream *s)
{
	struct zstd_state *z = mem_zeroed(1, sizeof *z);
	(void)s;
	z->stream = zstd.ZSTD_createDStream();
	if (z->stream == NULL)
		call_raise(HEFT_ENOMEM, "out of memory");
	z->owned = memory_own(stream_free, z->stream);
	return z;
}

static void zstd_close(void *state)
{
	struct zstd_state *z = state;
	memory_disown(z->owned);
	zstd.ZSTD_freeDStream(z->stream);
	mem_free(z);
}

static bool zstd_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		      struct heft_err *err)
{
	const struct zstd_state *z = s->state;
	ZSTD_inBuffer in = { s->packed.p, (size_t)s->packed.size, (size_t)s->used };
	ZSTD_outBuffer to = { out, size, 0 };
	const size_t result = zstd.ZSTD_decompressStream(z->stream, &to, &in);
	ASSERT(in.pos <= in.size && to.pos <= size);
	s->used = in.pos;
	s->whole = result == 0;
	*ret_made = to.pos;
	return !zstd.ZSTD_isError(result) ||
	       fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "damaged zstd data: %s",
		    zstd.ZSTD_getErrorName(result));
}

const struct unpack_codec unpack_zstd = { zstd_is_there, zstd_open, zstd_close, zstd_step };
