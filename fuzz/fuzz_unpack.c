/* Compressed data.  The first byte chooses the method, the next two (little-endian) the stated
 * size, or for whole files the limit / 16. */
#include "base/unpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All of a stream, piece by piece, up to the piece that reaches the limit. */
static uint64_t stream_length(enum unpack_method method, struct bytes packed, uint64_t limit,
			      uint64_t piece, bool *ret_good)
{
	uint8_t out[4096];
	struct unpack_stream *s;
	struct heft_err err = { 0 };
	uint64_t total = 0, made = piece;
	bool ok = true;
	*ret_good = false;
	if (!unpack_stream_open_any(&s, method, packed, &err))
		return 0;
	while (ok && made == piece && total < limit) {
		ok = unpack_stream_next(s, out, piece, &made, &err);
		ASSERT(made <= piece && (ok || err.text[0] != '\0'));
		total += made;
	}
	unpack_stream_close(s);
	*ret_good = ok;
	return total;
}

static void whole_file(uint8_t choice, struct bytes packed, uint64_t limit)
{
	static const enum unpack_method methods[] = { UNPACK_GZIP, UNPACK_LZ4, UNPACK_XZ,
						      UNPACK_ZSTD };
	const enum unpack_method method = methods[choice % COUNT_OF(methods)];
	bool whole, pieces;
	const uint64_t length = stream_length(method, packed, limit, 4096, &whole);
	const uint64_t again = stream_length(method, packed, limit, 64, &pieces);
	/* At the limit one of them may have asked for what is damaged behind it. */
	ASSERT(length >= limit || again >= limit || whole == pieces);
	ASSERT(!whole || !pieces || min_u64(again, limit) == min_u64(length, limit));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes plain;
	struct heft_err err = { 0 };
	if (size < 3)
		return 0;
	const uint64_t stated = data[1] | (uint64_t)data[2] << 8;
	if (data[0] & 0x80) {
		whole_file(data[0] & 0x7f, (struct bytes){ data + 3, size - 3 }, stated << 4);
		return 0;
	}
	static const enum unpack_method methods[] = { UNPACK_ZLIB, UNPACK_ZSTD, UNPACK_XZ };
	const enum unpack_method method = methods[data[0] % COUNT_OF(methods)];
	if (unpack(method, (struct bytes){ data + 3, size - 3 }, stated, &plain, &err)) {
		ASSERT((method != UNPACK_ZLIB && method != UNPACK_ZSTD) || plain.size == stated);
		uint8_t sum = 0;
		for (uint64_t i = 0; i < plain.size; i++)
			sum = (uint8_t)(sum + plain.p[i]);
		(void)sum;
		mem_free((void *)(uintptr_t)plain.p);
	} else {
		ASSERT(plain.p == NULL && plain.size == 0 && err.text[0] != '\0');
	}
	return 0;
}
