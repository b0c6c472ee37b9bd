/* Compresses and unpacks gzip members. */
#include "base/gzip.h"

#include "base/inflate.h"
#include "base/pool.h"

#ifdef HEFT_HAVE_ZLIB
#include <zlib.h>
#endif

static bool no_library(struct heft_err *err)
{
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "this heft was built without libz, which gzip needs");
}

struct bytes gzip_member(const struct bytes *pieces, size_t count, int level, uint32_t crc,
			 uint64_t size)
{
	const uint8_t xfl = level == 9 ? 2 : 0;
	const uint8_t header[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, xfl, 255 };
	const uint64_t trailer = (size & UINT32_MAX) << 32 | crc;
	uint64_t all = sizeof header + sizeof trailer, at = sizeof header;
	for (size_t i = 0; i < count; i++)
		all += pieces[i].size;
	uint8_t *out = mem_alloc(all);
	memcpy(out, header, sizeof header);
	for (size_t i = 0; i < count; i++) {
		memcpy(out + at, pieces[i].p, pieces[i].size);
		at += pieces[i].size;
	}
	ASSERT(at + sizeof trailer == all);
	for (unsigned i = 0; i < sizeof trailer; i++)
		out[at + i] = (uint8_t)(trailer >> 8 * i);
	return (struct bytes){ out, all };
}

#ifdef HEFT_HAVE_ZLIB

/* Returns how much to compress next: zlib counts bytes in an unsigned int. */
static unsigned gzip_piece(uint64_t left)
{
	return left > 1u << 30 ? 1u << 30 : (unsigned)left;
}

/* Compresses all of `plain`. `out` has room for deflateBound() and for what `last` flushes. */
static uint64_t deflate_all(z_stream *z, struct bytes plain, int last, uint8_t *out, uint64_t room)
{
	uint64_t in = 0, done = 0;
	int status = Z_OK;
	while (status == Z_OK && (in < plain.size || last == Z_FINISH)) {
		const unsigned n = gzip_piece(plain.size - in), space = gzip_piece(room - done);
		z->next_in = (Bytef *)(uintptr_t)(plain.p + in);
		z->avail_in = n;
		z->next_out = out + done;
		z->avail_out = space;
		status = deflate(z, in + n == plain.size ? last : Z_NO_FLUSH);
		in += n - z->avail_in;
		done += space - z->avail_out;
	}
	/* There is room left, so zlib has flushed everything. */
	ASSERT(status == (last == Z_FINISH ? Z_STREAM_END : Z_OK) && done < room);
	return done;
}

/* The part [at, at + size) of `plain`. The bytes before the part serve as deflate's dictionary */
struct gzip_part {
	struct bytes plain;
	struct bytes *packed; /* Receives the compressed part */
	uint64_t at, size;
	int level;
};

/* FLUSH_ROOM: bytes that a flush adds. WINDOW: bytes before a part to which deflate may refer. */
enum { FLUSH_ROOM = 16, WINDOW = 32768 };

static void pack_part(void *ctx, size_t i, unsigned worker)
{
	struct gzip_part *p = (struct gzip_part *)ctx + i;
	const uint64_t window = min_u64(p->at, WINDOW);
	const int last = p->at + p->size == p->plain.size ? Z_FINISH : Z_SYNC_FLUSH;
	z_stream z = { .zalloc = memory_zalloc, .zfree = memory_zfree };
	(void)worker;
	if (deflateInit2(&z, p->level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		call_raise(HEFT_ENOMEM, "out of memory");
	if (window > 0)
		deflateSetDictionary(&z, p->plain.p + p->at - window, (uInt)window);
	const uint64_t room = deflateBound(&z, p->size) + FLUSH_ROOM;
	uint8_t *out = mem_alloc(room);
	*p->packed = (struct bytes){ out, deflate_all(&z, bytes_sub(p->plain, p->at, p->size), last,
						      out, room) };
	deflateEnd(&z);
}

bool gzip_pack_parts(struct bytes plain, int level, uint64_t part, unsigned threads,
		     struct bytes *ret, struct heft_err *err)
{
	if (plain.size > UINT32_MAX)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%" PRIu64 " bytes are more than a gzip member can tell", plain.size);
	ASSERT(part > 0 || plain.size == 0);
	const size_t count = plain.size > part ? (plain.size - 1) / part + 1 : 1;
	struct gzip_part *parts = mem_zeroed(count, sizeof *parts);
	struct bytes *packed = mem_zeroed(count, sizeof *packed);
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct gzip_part){ .plain = plain,
					       .packed = &packed[i],
					       .at = i * part,
					       .size = min_u64(part, plain.size - i * part),
					       .level = level };
	parallel_for(threads, count, pack_part, parts);
	*ret = gzip_member(packed, count, level, crc32_of(plain), plain.size);
	for (size_t i = 0; i < count; i++)
		mem_free((void *)(uintptr_t)packed[i].p);
	mem_free_all(packed, parts);
	return true;
}

#else

bool gzip_pack_parts(struct bytes plain, int level, uint64_t part, unsigned threads,
		     struct bytes *ret, struct heft_err *err)
{
	(void)plain;
	(void)level;
	(void)part;
	(void)threads;
	*ret = (struct bytes){ NULL, 0 };
	return no_library(err);
}

#endif

bool gzip_pack(struct bytes plain, struct bytes *ret, struct heft_err *err)
{
	return gzip_pack_parts(plain, 9, plain.size, 1, ret, err);
}

bool gzip_pack_level(struct bytes plain, int level, struct bytes *ret, struct heft_err *err)
{
	return gzip_pack_parts(plain, level, plain.size, 1, ret, err);
}

struct unpacked {
	uint8_t *p;
	uint64_t size, room;
};

/* Unpacks until the member ends, all input is used, or there are `most` bytes. False if damaged. */
static bool inflate_all(struct inflate *z, struct bytes packed, struct unpacked *u, uint64_t most,
			uint64_t *ret_used)
{
	*ret_used = 0;
	while (!inflate_ended(z) && u->size < most) {
		const struct bytes rest = { packed.p + *ret_used, packed.size - *ret_used };
		uint64_t used, made;
		if (u->size == u->room) {
			u->room = min_u64(most, u->room < 32768 ? 65536 : u->room * 2);
			u->p = mem_resize(u->p, u->room);
		}
		ASSERT(u->size < u->room && *ret_used <= packed.size);
		if (!inflate_step(z, rest, u->p + u->size, u->room - u->size, &used, &made))
			return false;
		*ret_used += used;
		u->size += made;
		if (u->size < u->room && *ret_used == packed.size)
			break;
	}
	return true;
}

bool gzip_unpack(struct bytes packed, uint64_t most, struct bytes *ret, uint64_t *ret_used,
		 struct heft_err *err)
{
	struct unpacked u = { NULL, 0, 0 };
	uint64_t used;
	if (!inflate_is_there())
		return no_library(err);
	struct inflate *z = inflate_open(INFLATE_GZIP);
	/* One more byte than allowed shows that the result is too large. */
	const bool fine = inflate_all(z, packed, &u, add_sat(most, 1), &used);
	const bool whole = inflate_ended(z);
	inflate_close(z);
	if (fine && whole && u.size <= most) {
		*ret = (struct bytes){ u.p, u.size };
		if (ret_used)
			*ret_used = used;
		return true;
	}
	mem_free(u.p);
	if (u.size > most)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "gzip: %" PRIu64 " packed bytes become more than %" PRIu64, packed.size,
			    most);
	return fail(err, HEFT_EFORMAT, used, "gzip: %s",
		    fine ? "the data are cut off" : "the data are damaged");
}
