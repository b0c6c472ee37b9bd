/* Compresses texts as differences from other texts. */
#include "history/pack.h"

#include <zstd.h>

/* Compression levels. Compressing whole texts may be slow, because only few are stored whole. */
enum { LEVEL_WHOLE = 9, LEVEL_DIFFERENCE = 3 };

/* A frame may unpack to UNPACKED_RATIO times its size plus twice the size of its base, and in any
 * case to UNPACKED_MIN bytes. A larger frame fails. */
#define UNPACKED_RATIO 1024
#define UNPACKED_MIN   (UINT64_C(64) << 20)

/* Returns log2 of the window size in bytes. The window must cover the text and its base. */
static int window_log(size_t size)
{
	int log = 10;
	while (log < 30 && (size_t)1 << log < size)
		log++;
	return log;
}

static bool context_set(ZSTD_CCtx *z, ZSTD_cParameter parameter, int value)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(z, parameter, value));
}

bool text_pack(struct str text, struct str base, struct text *ret)
{
	const size_t room = ZSTD_compressBound(text.len);
	ZSTD_CCtx *z = ZSTD_createCCtx();
	if (!z)
		return false;
	ret->p = mem_resize(ret->p, ret->len + room);
	ret->cap = ret->len + room;
	bool ok = context_set(z, ZSTD_c_compressionLevel,
			      base.len > 0 ? LEVEL_DIFFERENCE : LEVEL_WHOLE) &&
		  context_set(z, ZSTD_c_windowLog, window_log(text.len + base.len)) &&
		  context_set(z, ZSTD_c_enableLongDistanceMatching, base.len > 0) &&
		  context_set(z, ZSTD_c_checksumFlag, 1) &&
		  !ZSTD_isError(ZSTD_CCtx_refPrefix(z, base.p, base.len));
	if (ok) {
		const size_t size = ZSTD_compress2(z, ret->p + ret->len, room, text.p, text.len);
		ok = !ZSTD_isError(size);
		ret->len += ok ? size : 0;
	}
	ZSTD_freeCCtx(z);
	return ok;
}

bool text_unpack(struct bytes packed, struct str base, struct text *ret)
{
	const unsigned long long size = ZSTD_getFrameContentSize(packed.p, packed.size);
	const uint64_t reach = add_sat(packed.size * UNPACKED_RATIO, 2 * (uint64_t)base.len);
	if (size > max_u64(UNPACKED_MIN, reach)) /* Also true if the frame states no size */
		return false;
	if (ret->cap < size) {
		text_release(ret);
		*ret = (struct text){ memory_try(size), 0, size };
	}
	ZSTD_DCtx *z = ret->p ? ZSTD_createDCtx() : NULL;
	ret->len = 0;
	if (!z)
		return false;
	const bool ok = !ZSTD_isError(ZSTD_DCtx_refPrefix(z, base.p, base.len)) &&
			ZSTD_decompressDCtx(z, ret->p, size, packed.p, packed.size) == size;
	ZSTD_freeDCtx(z);
	ret->len = ok ? size : 0;
	return ok;
}
