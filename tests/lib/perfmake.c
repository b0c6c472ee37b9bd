#include "perfmake.h"

#include <stdlib.h>
#include <zstd.h>

enum {
	ATTR_SIZE = 128,
	ENTRY_SIZE = ATTR_SIZE + 16,
	HEADER_SIZE = 104,
	SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 16, /* ip, tid, time, period, id */
	SAMPLE_BRANCHES = 1 << 11,
	BRANCH_USER = 1 << 0,
	BRANCH_ANY = 1 << 3,
	BRANCH_HW_INDEX = 1 << 17,
	ID = 70,            /* of the first event */
	PACKED_PIECE = 501, /* bytes of a packed record */
};

struct perfmake perfmake_begin(bool big_endian, unsigned flags)
{
	return (struct perfmake){ .flags = flags,
				  .data = { .big_endian = big_endian },
				  .build_ids = { .big_endian = big_endian } };
}

static struct elfgen_out body_of(const struct perfmake *m)
{
	return (struct elfgen_out){ .big_endian = m->data.big_endian };
}

static void put_event(struct elfgen_out *to, uint32_t type, uint16_t misc,
		      const struct elfgen_out *body)
{
	elfgen_put(to, 4, type);
	elfgen_put(to, 2, misc);
	elfgen_put(to, 2, 8 + body->bytes.count);
	elfgen_put_bytes(to, body->bytes.data, body->bytes.count);
}

void perfmake_event(struct perfmake *m, uint32_t type, uint16_t misc, const struct elfgen_out *body)
{
	put_event(&m->data, type, misc, body);
}

static void add(struct perfmake *m, uint32_t type, uint16_t misc, struct elfgen_out *body)
{
	perfmake_event(m, type, misc, body);
	vec_release(&body->bytes);
}

/* sample_id_all: what stands behind the body of other events. */
static void put_tail(struct elfgen_out *body, uint32_t pid, uint64_t time)
{
	elfgen_put(body, 4, pid);
	elfgen_put(body, 4, pid);
	elfgen_put(body, 8, time);
	elfgen_put(body, 8, ID);
}

static void put_name(struct elfgen_out *body, const char *name)
{
	elfgen_put_bytes(body, name, strlen(name) + 1);
	while (body->bytes.count % 8)
		elfgen_put(body, 1, 0);
}

void perfmake_map(struct perfmake *m, const struct perfmake_map *map)
{
	static const uint8_t zeros[20];
	struct elfgen_out body = body_of(m);
	const bool has_id = map->build_id.size > 0;
	elfgen_put(&body, 4, map->pid);
	elfgen_put(&body, 4, map->pid);
	elfgen_put(&body, 8, map->addr);
	elfgen_put(&body, 8, map->size);
	elfgen_put(&body, 8, map->off);
	elfgen_put(&body, 1, map->build_id.size);
	elfgen_put_bytes(&body, zeros, 3);
	elfgen_put_bytes(&body, has_id ? map->build_id.p : zeros, has_id ? map->build_id.size : 20);
	elfgen_put_bytes(&body, zeros, has_id ? 20 - map->build_id.size : 0);
	elfgen_put(&body, 4, 5); /* r-x */
	elfgen_put(&body, 4, 2); /* private */
	put_name(&body, map->name);
	put_tail(&body, map->pid, map->time);
	add(m, 10, (uint16_t)(2 | (has_id ? 1 << 14 : 0)), &body);
}

void perfmake_exec(struct perfmake *m, uint32_t pid, uint64_t time, const char *name)
{
	struct elfgen_out body = body_of(m);
	elfgen_put(&body, 4, pid);
	elfgen_put(&body, 4, pid);
	put_name(&body, name);
	put_tail(&body, pid, time);
	add(m, PERF_COMM, 1 << 13, &body);
}

void perfmake_fork(struct perfmake *m, uint32_t pid, uint32_t parent, uint64_t time)
{
	struct elfgen_out body = body_of(m);
	elfgen_put(&body, 4, pid);
	elfgen_put(&body, 4, parent);
	elfgen_put(&body, 4, pid);
	elfgen_put(&body, 4, parent);
	elfgen_put(&body, 8, time);
	put_tail(&body, pid, time);
	add(m, PERF_FORK, 0, &body);
}

void perfmake_lost(struct perfmake *m, uint64_t count)
{
	struct elfgen_out body = body_of(m);
	elfgen_put(&body, 8, ID);
	elfgen_put(&body, 8, count);
	put_tail(&body, 0, 0);
	add(m, PERF_LOST, 0, &body);
}

void perfmake_build_id(struct perfmake *m, const char *name, struct bytes id)
{
	struct elfgen_out body = body_of(m);
	static const uint8_t zeros[20];
	elfgen_put(&body, 4, UINT32_MAX);
	elfgen_put_bytes(&body, id.p, id.size);
	elfgen_put_bytes(&body, zeros, 20 - id.size);
	elfgen_put(&body, 4, m->data.big_endian ? id.size << 24 : id.size);
	put_name(&body, name);
	if (m->flags & PERFMAKE_PIPE)
		perfmake_event(m, PERF_BUILD_ID, 2 | 1 << 15, &body);
	else /* the table of the header has no types */
		put_event(&m->build_ids, 0, 2 | 1 << 15, &body);
	vec_release(&body.bytes);
}

static struct elfgen_out sample_head(const struct perfmake *m, uint64_t id, uint32_t pid,
				     uint64_t time, uint64_t ip)
{
	struct elfgen_out body = body_of(m);
	elfgen_put(&body, 8, id);
	elfgen_put(&body, 8, ip);
	elfgen_put(&body, 4, pid);
	elfgen_put(&body, 4, pid);
	elfgen_put(&body, 8, time);
	elfgen_put(&body, 8, 1); /* period */
	return body;
}

void perfmake_sample(struct perfmake *m, uint32_t pid, uint64_t time, uint64_t ip,
		     const struct perf_branch *branches, size_t count)
{
	struct elfgen_out body = sample_head(m, ID, pid, time, ip);
	if (m->flags & PERFMAKE_BRANCHES)
		elfgen_put(&body, 8, count);
	if (m->flags & PERFMAKE_HW_INDEX)
		elfgen_put(&body, 8, UINT64_MAX);
	for (size_t i = 0; i < count; i++) {
		const unsigned bit = branches[i].mispredicted ? 0 : 1;
		elfgen_put(&body, 8, branches[i].from);
		elfgen_put(&body, 8, branches[i].to);
		elfgen_put(&body, 8, UINT64_C(1) << (m->data.big_endian ? 63 - bit : bit));
	}
	add(m, PERF_SAMPLE, 2, &body);
}

void perfmake_plain_sample(struct perfmake *m, uint32_t pid, uint64_t time, uint64_t ip)
{
	struct elfgen_out body = sample_head(m, ID + 1, pid, time, ip);
	add(m, PERF_SAMPLE, 2, &body);
}

/* ---- packing --------------------------------------------------------------------------------- */

static void put_piece(struct perfmake *m, uint32_t type, const uint8_t *p, size_t size)
{
	struct elfgen_out body = body_of(m);
	if (type == 83)
		elfgen_put(&body, 8, size);
	elfgen_put_bytes(&body, p, size);
	while (type == 83 && body.bytes.count % 8)
		elfgen_put(&body, 1, 0);
	add(m, type, 0, &body);
}

void perfmake_pack(struct perfmake *m, uint32_t type)
{
	const size_t room = ZSTD_compressBound(m->data.bytes.count);
	uint8_t *packed = mem_alloc(room);
	const size_t size = ZSTD_compress(packed, room, m->data.bytes.data, m->data.bytes.count, 1);
	ASSERT(!ZSTD_isError(size));
	m->data.bytes.count = 0;
	for (size_t at = 0; at < size; at += PACKED_PIECE)
		put_piece(m, type, packed + at, (size_t)min_u64(PACKED_PIECE, size - at));
	mem_free(packed);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* An attribute; its ids follow elsewhere. */
static void put_attr(struct elfgen_out *o, const struct perfmake *m, bool branches)
{
	static const uint8_t zeros[ATTR_SIZE];
	const bool index = branches && m->flags & PERFMAKE_HW_INDEX;
	const uint64_t start = o->bytes.count;
	elfgen_put(o, 4, 0); /* hardware */
	elfgen_put(o, 4, ATTR_SIZE);
	elfgen_put(o, 8, 0); /* cycles */
	elfgen_put(o, 8, 1000);
	elfgen_put(o, 8, SAMPLE_TYPE | (branches ? SAMPLE_BRANCHES : 0));
	elfgen_put(o, 8, 0);
	/* comm, sample_id_all, mmap2, mmap */
	const uint64_t bits[] = { 8, 9, 18, 23 };
	uint64_t word = 0;
	for (size_t i = 0; i < COUNT_OF(bits); i++)
		word |= UINT64_C(1) << (o->big_endian ? 63 - bits[i] : bits[i]);
	elfgen_put(o, 8, word);
	elfgen_put_bytes(o, zeros, 24);
	elfgen_put(o, 8, branches ? BRANCH_USER | BRANCH_ANY | (index ? BRANCH_HW_INDEX : 0) : 0);
	elfgen_put_bytes(o, zeros, (size_t)(ATTR_SIZE - (o->bytes.count - start)));
}

static size_t attr_count(const struct perfmake *m)
{
	return m->flags & PERFMAKE_TWO_EVENTS ? 2 : 1;
}

static void put_magic(struct elfgen_out *o)
{
	elfgen_put(o, 8, UINT64_C(0x32454c4946524550));
}

static void finish_pipe(struct perfmake *m, struct elfgen_out *o)
{
	elfgen_put(o, 8, 16);
	for (size_t i = 0; i < attr_count(m); i++) {
		struct elfgen_out body = body_of(m);
		put_attr(&body, m, i == 0 && m->flags & PERFMAKE_BRANCHES);
		elfgen_put(&body, 8, ID + i);
		put_event(o, 64, 0, &body);
		vec_release(&body.bytes);
	}
	elfgen_put_bytes(o, m->data.bytes.data, m->data.bytes.count);
}

static void finish_file(struct perfmake *m, struct elfgen_out *o)
{
	const uint64_t count = attr_count(m), attrs = HEADER_SIZE + 8 * count;
	const uint64_t data = attrs + ENTRY_SIZE * count, end = data + m->data.bytes.count;
	elfgen_put(o, 8, HEADER_SIZE);
	elfgen_put(o, 8, ENTRY_SIZE);
	elfgen_put(o, 8, attrs);
	elfgen_put(o, 8, ENTRY_SIZE * count);
	elfgen_put(o, 8, data);
	elfgen_put(o, 8, m->data.bytes.count);
	for (int i = 0; i < 6; i++)
		elfgen_put(o, 8, i == 2 && m->build_ids.bytes.count > 0 ? 1 << 2 : 0);
	for (uint64_t i = 0; i < count; i++)
		elfgen_put(o, 8, ID + i);
	for (uint64_t i = 0; i < count; i++) {
		put_attr(o, m, i == 0 && m->flags & PERFMAKE_BRANCHES);
		elfgen_put(o, 8, HEADER_SIZE + 8 * i);
		elfgen_put(o, 8, 8);
	}
	elfgen_put_bytes(o, m->data.bytes.data, m->data.bytes.count);
	if (m->build_ids.bytes.count == 0)
		return;
	elfgen_put(o, 8, end + 16);
	elfgen_put(o, 8, m->build_ids.bytes.count);
	elfgen_put_bytes(o, m->build_ids.bytes.data, m->build_ids.bytes.count);
}

struct bytes perfmake_finish(struct perfmake *m)
{
	struct elfgen_out o = { .big_endian = m->data.big_endian };
	put_magic(&o);
	if (m->flags & PERFMAKE_PIPE)
		finish_pipe(m, &o);
	else
		finish_file(m, &o);
	vec_release(&m->data.bytes);
	vec_release(&m->build_ids.bytes);
	return (struct bytes){ o.bytes.data, o.bytes.count };
}
