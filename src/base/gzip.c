#include "base/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_HEADER = 10, GZIP_TRAILER = 8 };

static void put_u32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* zlib counts in unsigned int: the next piece of what is left. */
static unsigned piece(uint64_t left)
{
	return left > 1u << 30 ? 1u << 30 : (unsigned)left;
}

static uint32_t crc_of(struct bytes b)
{
	uLong crc = crc32(0, Z_NULL, 0);
	for (uint64_t at = 0; at < b.size;) {
		const unsigned n = piece(b.size - at);
		crc = crc32(crc, b.p + at, n);
		at += n;
	}
	return (uint32_t)crc;
}

/* Feeds all of `plain`; `out` has room for deflateBound of it. */
static uint64_t deflate_all(z_stream *z, struct bytes plain, uint8_t *out, uint64_t room)
{
	uint64_t in = 0, done = 0;
	int status = Z_OK;
	while (status == Z_OK) {
		const unsigned n = piece(plain.size - in), space = piece(room - done);
		z->next_in = (Bytef *)(uintptr_t)(plain.p + in);
		z->avail_in = n;
		z->next_out = out + done;
		z->avail_out = space;
		status = deflate(z, in + n == plain.size ? Z_FINISH : Z_NO_FLUSH);
		in += n - z->avail_in;
		done += space - z->avail_out;
	}
	ASSERT(status == Z_STREAM_END);
	return done;
}

bool gzip_pack(struct bytes plain, struct bytes *ret, struct heft_err *err)
{
	return gzip_pack_level(plain, 9, ret, err);
}

bool gzip_pack_level(struct bytes plain, int level, struct bytes *ret, struct heft_err *err)
{
	const uint8_t xfl = level == 9 ? 2 : 0;
	const uint8_t header[GZIP_HEADER] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, xfl, 255 };
	z_stream z = { 0 };
	if (plain.size > UINT32_MAX)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%" PRIu64 " bytes are more than a gzip member can tell", plain.size);
	if (deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		base_oom(0);
	const uint64_t room = deflateBound(&z, plain.size);
	uint8_t *out = xmalloc(room + GZIP_HEADER + GZIP_TRAILER);
	memcpy(out, header, sizeof header);
	const uint64_t size = deflate_all(&z, plain, out + GZIP_HEADER, room);
	deflateEnd(&z);
	put_u32(out + GZIP_HEADER + size, crc_of(plain));
	put_u32(out + GZIP_HEADER + size + 4, (uint32_t)plain.size);
	*ret = (struct bytes){ out, GZIP_HEADER + size + GZIP_TRAILER };
	return true;
}

/* ---- unpacking --------------------------------------------------------------------------------- */

struct unpacked {
	uint8_t *p;
	uint64_t size, room;
};

static void make_room(struct unpacked *u, uint64_t most)
{
	if (u->size < u->room)
		return;
	u->room = min_u64(most, u->room < 32768 ? 65536 : u->room * 2);
	u->p = xrealloc(u->p, u->room);
}

/* Z_STREAM_END where the member is whole. */
static int inflate_all(z_stream *z, struct bytes packed, struct unpacked *u, uint64_t most,
		       uint64_t *ret_used)
{
	int status = Z_OK;
	*ret_used = 0;
	while (status == Z_OK && u->size < most) {
		make_room(u, most);
		const unsigned n = piece(packed.size - *ret_used), space = piece(u->room - u->size);
		z->next_in = (Bytef *)(uintptr_t)(packed.p + *ret_used);
		z->avail_in = n;
		z->next_out = u->p + u->size;
		z->avail_out = space;
		status = inflate(z, Z_NO_FLUSH);
		*ret_used += n - z->avail_in;
		u->size += space - z->avail_out;
	}
	return status;
}

bool gzip_unpack(struct bytes packed, uint64_t most, struct bytes *ret, uint64_t *ret_used,
		 struct heft_err *err)
{
	struct unpacked u = { NULL, 0, 0 };
	uint64_t used;
	z_stream z = { 0 };
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		base_oom(0);
	/* One byte more than allowed shows what is too large. */
	const int status = inflate_all(&z, packed, &u, add_sat(most, 1), &used);
	const char *problem = z.msg;
	inflateEnd(&z);
	if (status == Z_STREAM_END && u.size <= most) {
		*ret = (struct bytes){ u.p, u.size };
		if (ret_used)
			*ret_used = used;
		return true;
	}
	free(u.p);
	if (u.size > most)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "gzip: more than %" PRIu64 " bytes unpacked", most);
	return fail(err, HEFT_EFORMAT, used, "gzip: %s",
		    problem ? problem : "the data are cut off");
}

uint64_t gzip_start(struct bytes packed, uint8_t *out, uint64_t room)
{
	z_stream z = { 0 };
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		base_oom(0);
	z.next_in = (Bytef *)(uintptr_t)packed.p;
	z.avail_in = piece(packed.size);
	z.next_out = out;
	z.avail_out = piece(room);
	const int status = inflate(&z, Z_NO_FLUSH);
	const uint64_t size = room - z.avail_out;
	inflateEnd(&z);
	return status == Z_OK || status == Z_STREAM_END ? size : 0;
}
