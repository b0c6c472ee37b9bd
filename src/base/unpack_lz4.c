/* Unpacks LZ4 frames, also legacy ones, with liblz4. */
#include "base/library.h"
#include "base/unpack_internal.h"

#include <lz4.h>
#include <lz4frame.h>

#define FUNCTIONS(X)                                                                               \
	X(LZ4F_createDecompressionContext)                                                         \
	X(LZ4F_freeDecompressionContext)                                                           \
	X(LZ4F_decompress)                                                                         \
	X(LZ4F_isError)                                                                            \
	X(LZ4F_getErrorName)                                                                       \
	X(LZ4_decompress_safe)
LIBRARY(lz4, FUNCTIONS, "liblz4.so.1")

struct lz4_state {
	LZ4F_dctx *context;
	struct owned *owned; /* Frees the context if the call is ended early */
};

static void context_free(void *context)
{
	lz4.LZ4F_freeDecompressionContext(context);
}

static void *lz4_open(const struct unpack_stream *s)
{
	struct lz4_state *z = mem_zeroed(1, sizeof *z);
	(void)s;
	if (lz4.LZ4F_isError(lz4.LZ4F_createDecompressionContext(&z->context, LZ4F_VERSION)))
		call_raise(HEFT_ENOMEM, "out of memory");
	z->owned = memory_own(context_free, z->context);
	return z;
}

static void lz4_close(void *state)
{
	struct lz4_state *z = state;
	memory_disown(z->owned);
	lz4.LZ4F_freeDecompressionContext(z->context);
	mem_free(z);
}

static bool lz4_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
		     struct heft_err *err)
{
	const struct lz4_state *z = s->state;
	size_t in = (size_t)(s->packed.size - s->used);
	*ret_made = size;
	const size_t result = lz4.LZ4F_decompress(z->context, out, ret_made, s->packed.p + s->used,
						  &in, NULL);
	s->used += in;
	ASSERT(s->used <= s->packed.size && *ret_made <= size);
	s->whole = result == 0;
	return !lz4.LZ4F_isError(result) ||
	       fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "damaged lz4 data: %s",
		    lz4.LZ4F_getErrorName(result));
}

const struct unpack_codec unpack_lz4 = { lz4_is_there, lz4_open, lz4_close, lz4_step };

/* A block, some of whose bytes were returned already */
struct lz4_old_state {
	uint8_t *block;
	size_t size, given;
};

static void *lz4_old_open(const struct unpack_stream *s)
{
	(void)s;
	return mem_zeroed(1, sizeof(struct lz4_old_state));
}

static void lz4_old_close(void *state)
{
	mem_free_all(((struct lz4_old_state *)state)->block, state);
}

/* A block has its size in 4 bytes, and unpacks to at most LZ4_OLD_BLOCK bytes. The magic number of
 * a frame may occur again between blocks. */
enum { LZ4_OLD_BLOCK = 8 << 20 };
#define LZ4_OLD_MAGIC UINT32_C(0x184c2102)

static bool lz4_old_block(struct unpack_stream *s, struct heft_err *err)
{
	struct lz4_old_state *z = s->state;
	struct reader r = reader_at(s->packed, false, s->used);
	uint32_t size = read_u32(&r);
	if (size == LZ4_OLD_MAGIC)
		size = read_u32(&r);
	const uint8_t *p = read_take(&r, size);
	if (!p || size > (uint32_t)LZ4_COMPRESSBOUND(LZ4_OLD_BLOCK))
		return unpack_bad(err, "lz4 data are damaged or cut off");
	if (!z->block)
		z->block = mem_alloc(LZ4_OLD_BLOCK);
	const int made = lz4.LZ4_decompress_safe((const char *)p, (char *)z->block, (int)size,
						 LZ4_OLD_BLOCK);
	ASSERT(made <= LZ4_OLD_BLOCK && r.pos <= s->packed.size);
	s->used = r.pos;
	z->given = 0;
	z->size = made > 0 ? (size_t)made : 0;
	return made >= 0 || unpack_bad(err, "damaged lz4 data");
}

static bool lz4_old_step(struct unpack_stream *s, uint8_t *out, size_t size, size_t *ret_made,
			 struct heft_err *err)
{
	struct lz4_old_state *z = s->state;
	*ret_made = 0;
	if (z->given == z->size && s->used < s->packed.size && !lz4_old_block(s, err))
		return false;
	*ret_made = min_u64(size, z->size - z->given);
	if (*ret_made > 0)
		memcpy(out, z->block + z->given, *ret_made);
	z->given += *ret_made;
	s->whole = z->given == z->size && s->used == s->packed.size;
	return true;
}

const struct unpack_codec unpack_lz4_old = { lz4_is_there, lz4_old_open, lz4_old_close,
					     lz4_old_step };
