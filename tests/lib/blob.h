/* blob.h - hand-assembled bytes for tests: a growing buffer with a byte order. */
#ifndef HEFT_TESTS_BLOB_H
#define HEFT_TESTS_BLOB_H

#include "base/reader.h"

struct blob {
	uint8_t data[8192];
	uint64_t size;
	bool big_endian;
};

static inline void blob_uint(struct blob *b, uint64_t v, unsigned width)
{
	ASSERT(b->size + width <= sizeof b->data);
	for (unsigned i = 0; i < width; i++) {
		const unsigned shift = 8 * (b->big_endian ? width - 1 - i : i);
		b->data[b->size++] = (uint8_t)(v >> shift);
	}
}

static inline void blob_u8(struct blob *b, uint64_t v)
{
	blob_uint(b, v, 1);
}

static inline void blob_u32(struct blob *b, uint64_t v)
{
	blob_uint(b, v, 4);
}

static inline void blob_u64(struct blob *b, uint64_t v)
{
	blob_uint(b, v, 8);
}

/* With the NUL. */
static inline void blob_text(struct blob *b, const char *text)
{
	do
		blob_u8(b, (uint8_t)*text);
	while (*text++ != '\0');
}

static inline void blob_zeros(struct blob *b, uint64_t count)
{
	while (count-- > 0)
		blob_u8(b, 0);
}

/* Overwrites what stands at `off`. */
static inline void blob_patch(struct blob *b, uint64_t off, uint64_t v, unsigned width)
{
	const uint64_t size = b->size;
	b->size = off;
	blob_uint(b, v, width);
	b->size = size;
}

static inline struct bytes blob_bytes(const struct blob *b)
{
	return (struct bytes){ b->data, b->size };
}

#endif
