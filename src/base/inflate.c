/* Unpacks deflate streams with ISA-L or zlib. */
#include "base/inflate.h"

#if defined HEFT_HAVE_ISAL
#include "base/library.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#define FUNCTIONS(X)                                                                               \
	X(isal_inflate_init)                                                                       \
	X(isal_inflate)                                                                            \
	X(crc32_gzip_refl)
LIBRARY(isal, FUNCTIONS, "libisal.so.2")
#elif defined HEFT_HAVE_ZLIB
#include <zlib.h>
#endif

/* Greatest number of bytes per call: the libraries count in an unsigned int. */
enum { PIECE_MAX = 1 << 30 };

#if defined HEFT_HAVE_ISAL || !defined HEFT_HAVE_ZLIB

static uint32_t crc32_slow(struct bytes b)
{
	uint32_t crc = UINT32_MAX;
	for (uint64_t i = 0; i < b.size; i++) {
		crc ^= b.p[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

#endif

#if defined HEFT_HAVE_ISAL

struct inflate {
	enum inflate_frame frame;
	struct inflate_state z;
};

bool inflate_is_there(void)
{
	return isal_is_there();
}

void inflate_restart(struct inflate *s)
{
	isal.isal_inflate_init(&s->z);
	s->z.crc_flag = s->frame == INFLATE_GZIP ? ISAL_GZIP : ISAL_ZLIB;
}

struct inflate *inflate_open(enum inflate_frame frame)
{
	struct inflate *s = mem_alloc(sizeof *s);
	s->frame = frame;
	inflate_restart(s);
	return s;
}

bool inflate_step(struct inflate *s, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made)
{
	const uint32_t in = (uint32_t)min_u64(packed.size, PIECE_MAX);
	const uint32_t want = (uint32_t)min_u64(room, PIECE_MAX);
	s->z.next_in = (uint8_t *)(uintptr_t)packed.p;
	s->z.avail_in = in;
	s->z.next_out = out;
	s->z.avail_out = want;
	const int result = isal.isal_inflate(&s->z);
	const bool fine = result >= ISAL_DECOMP_OK;
	ASSERT(s->z.avail_out <= want);
	/* ISA-L gives back input read ahead: for damaged data perhaps more than it was given. */
	*ret_used = fine && s->z.avail_in <= in ? in - s->z.avail_in : in;
	*ret_made = want - s->z.avail_out;
	return fine && s->z.avail_in <= in;
}

bool inflate_ended(const struct inflate *s)
{
	return s->z.block_state == ISAL_BLOCK_FINISH;
}

void inflate_close(struct inflate *s)
{
	mem_free(s);
}

uint32_t crc32_of(struct bytes b)
{
	return isal_is_there() ? isal.crc32_gzip_refl(0, b.p, b.size) : crc32_slow(b);
}

#elif defined HEFT_HAVE_ZLIB

struct inflate {
	bool ended;
	z_stream z;
};

bool inflate_is_there(void)
{
	return true;
}

struct inflate *inflate_open(enum inflate_frame frame)
{
	struct inflate *s = mem_zeroed(1, sizeof *s);
	s->z.zalloc = memory_zalloc;
	s->z.zfree = memory_zfree;
	if (inflateInit2(&s->z, frame == INFLATE_GZIP ? 15 + 16 : 15) != Z_OK)
		call_raise(HEFT_ENOMEM, "out of memory");
	return s;
}

void inflate_restart(struct inflate *s)
{
	inflateReset(&s->z);
	s->ended = false;
}

bool inflate_step(struct inflate *s, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made)
{
	const unsigned in = (unsigned)min_u64(packed.size, PIECE_MAX);
	const unsigned want = (unsigned)min_u64(room, PIECE_MAX);
	s->z.next_in = (Bytef *)(uintptr_t)packed.p;
	s->z.avail_in = in;
	s->z.next_out = out;
	s->z.avail_out = want;
	const int result = s->ended ? Z_STREAM_END : inflate(&s->z, Z_NO_FLUSH);
	s->ended = result == Z_STREAM_END;
	ASSERT(s->z.avail_in <= in && s->z.avail_out <= want);
	*ret_used = in - s->z.avail_in;
	*ret_made = want - s->z.avail_out;
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

bool inflate_ended(const struct inflate *s)
{
	return s->ended;
}

void inflate_close(struct inflate *s)
{
	inflateEnd(&s->z);
	mem_free(s);
}

uint32_t crc32_of(struct bytes b)
{
	uLong crc = 0;
	for (uint64_t at = 0; at < b.size; at += PIECE_MAX)
		crc = crc32(crc, b.p + at, (uInt)min_u64(b.size - at, PIECE_MAX));
	return (uint32_t)crc;
}

#else

bool inflate_is_there(void)
{
	return false;
}

struct inflate *inflate_open(enum inflate_frame frame)
{
	(void)frame;
	base_broken(__FILE__, __LINE__, "inflate_is_there");
}

void inflate_restart(struct inflate *s)
{
	(void)s;
}

bool inflate_step(struct inflate *s, struct bytes packed, uint8_t *out, uint64_t room,
		  uint64_t *ret_used, uint64_t *ret_made)
{
	(void)s;
	(void)packed;
	(void)out;
	(void)room;
	*ret_used = *ret_made = 0;
	return false;
}

bool inflate_ended(const struct inflate *s)
{
	(void)s;
	return false;
}

void inflate_close(struct inflate *s)
{
	(void)s;
}

uint32_t crc32_of(struct bytes b)
{
	return crc32_slow(b);
}

#endif
