/* Maps of basic blocks, written and read again. */
#include "blocks/bbmap_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Of any length, mostly short. */
static uint32_t number(uint64_t *seed, uint32_t most)
{
	const uint32_t shift = (uint32_t)(next(seed) % 32);
	return (uint32_t)(next(seed) & UINT32_MAX >> shift) % most;
}

static void clear(struct bbmap_entry *e)
{
	e->ranges.count = e->blocks.count = e->details.count = 0;
	e->calls.count = e->successors.count = 0;
}

static void add_block(struct bbmap_entry *e, uint64_t *seed, uint32_t *off)
{
	struct bbmap_detail d = { .hash = next(seed),
				  .frequency = next(seed),
				  .post_link = (uint32_t)next(seed),
				  .call_first = e->calls.count,
				  .successor_first = e->successors.count };
	struct bbmap_block b = { .id = number(seed, UINT32_MAX), .flags = number(seed, 32) };
	*off += number(seed, 300);
	b.off = *off;
	b.size = number(seed, 70000);
	*off += b.size;
	for (uint32_t at = 0; b.size > 4 && next(seed) % 4 && at + 1 < b.size;) {
		at += 1 + number(seed, b.size - at);
		vec_push(&e->calls, at);
	}
	for (uint64_t n = next(seed) % 4; n > 0; n--)
		vec_push(&e->successors, (struct bbmap_successor){ number(seed, UINT32_MAX),
								   number(seed, UINT32_C(1) << 31),
								   (uint32_t)next(seed) });
	d.call_count = e->calls.count - d.call_first;
	d.successor_count = e->successors.count - d.successor_first;
	vec_push(&e->blocks, b);
	vec_push(&e->details, d);
}

static void make_entry(struct bbmap_entry *e, unsigned version, uint64_t *seed)
{
	clear(e);
	e->features = (uint16_t)(next(seed) & bbmap_features(version) & ~(uint64_t)BBMAP_NO_BLOCKS);
	if (next(seed) % 8 == 0 && version >= 2)
		e->features = BBMAP_NO_BLOCKS;
	e->entry_count = next(seed);
	const uint64_t ranges = e->features & BBMAP_MULTI_RANGE ? 1 + next(seed) % 3 : 1;
	for (uint64_t i = 0; i < ranges; i++) {
		struct bbmap_range r = { .addr = next(seed) >> 33, .first = e->blocks.count };
		uint32_t off = 0;
		for (uint64_t n = next(seed) % 20; n > 0 && e->features != BBMAP_NO_BLOCKS; n--)
			add_block(e, seed, &off);
		r.count = e->blocks.count - r.first;
		r.stated = e->features == BBMAP_NO_BLOCKS ? next(seed) % 1000 : r.count;
		vec_push(&e->ranges, r);
	}
}

static void expect_detail(const struct bbmap_entry *want, const struct bbmap_entry *got, size_t i)
{
	const struct bbmap_detail *a = &want->details.data[i], *b = &got->details.data[i];
	const unsigned features = got->features;
	assert_true(b->hash == (features & BBMAP_HASH ? a->hash : 0));
	assert_true(b->frequency == (features & BBMAP_FREQUENCY ? a->frequency : 0));
	if (features & BBMAP_CALLS) {
		assert_int_equal(a->call_count, b->call_count);
		for (size_t k = 0; k < a->call_count; k++)
			assert_int_equal(want->calls.data[a->call_first + k],
					 got->calls.data[b->call_first + k]);
	}
	if (!(features & BBMAP_PROBABILITY))
		return;
	assert_int_equal(a->successor_count, b->successor_count);
	for (size_t k = 0; k < a->successor_count; k++) {
		const struct bbmap_successor *s = &want->successors.data[a->successor_first + k];
		const struct bbmap_successor *t = &got->successors.data[b->successor_first + k];
		assert_int_equal(s->id, t->id);
		assert_int_equal(s->probability, t->probability);
		assert_int_equal(t->frequency, features & BBMAP_POST_LINK ? s->frequency : 0);
	}
}

static void expect_same(const struct bbmap_entry *want, const struct bbmap_entry *got,
			unsigned version)
{
	assert_int_equal(got->version, version);
	assert_int_equal(got->features, want->features & bbmap_features(version));
	assert_true(got->entry_count ==
		    (got->features & BBMAP_ENTRY_COUNT ? want->entry_count : 0));
	assert_int_equal(want->ranges.count, got->ranges.count);
	for (size_t i = 0; i < want->ranges.count; i++) {
		assert_true(want->ranges.data[i].addr == got->ranges.data[i].addr);
		assert_true(want->ranges.data[i].stated == got->ranges.data[i].stated);
	}
	assert_int_equal(want->blocks.count, got->blocks.count);
	for (size_t i = 0; i < want->blocks.count; i++) {
		struct bbmap_block b = want->blocks.data[i];
		b.id = version >= 2 ? b.id : (uint32_t)i;
		assert_memory_equal(&b, &got->blocks.data[i], sizeof b);
		expect_detail(want, got, i);
	}
}

static void release(struct bbmap_entry *e)
{
	vec_release(&e->ranges);
	vec_release(&e->blocks);
	vec_release(&e->details);
	vec_release(&e->calls);
	vec_release(&e->successors);
}

static void random_maps_come_back(void **state)
{
	struct bbmap_entry e = { 0 };
	uint64_t seed = 88172645463325252;
	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		const unsigned version = 1 + round % BBMAP_VERSION_MAX;
		struct bbmap_encoder x = { .version = (uint8_t)version,
					   .addr_size = round & 8 ? 4 : 8,
					   .big_endian = round & 16 };
		/* Made for the newest version, or for the one it is written in. */
		make_entry(&e, version >= 2 && round & 32 ? BBMAP_VERSION_MAX : version, &seed);
		assert_true(bbmap_encode(&x, &e));
		const struct bbmap_section s = { .bytes = { x.bytes.data, x.bytes.count },
						 .form = BBMAP_VERSIONED,
						 .addr_size = x.addr_size,
						 .big_endian = x.big_endian };
		struct bbmap_cursor c;
		bbmap_open(&c, &s, true);
		assert_int_equal(bbmap_next(&c), BBMAP_FUNCTION);
		assert_int_equal(c.entry.size, x.bytes.count);
		expect_same(&e, &c.entry, version);
		bbmap_close(&c);
		vec_release(&x.bytes);
	}
	release(&e);
}

static void the_bytes_are_those_of_the_compiler(void **state)
{
	/* clang 19: int f(int x) { return x > 3 ? g(x) : 7; }, cut to three blocks. */
	static const uint8_t want[] = { 2, 0,    0x10, 0x20, 0, 0,    0, 0, 0, 0, 3, 0,
					0, 0x0a, 8,    3,    0, 0x8d, 1, 3, 1, 4, 8, 2 };
	struct bbmap_entry e = { 0 };
	struct bbmap_encoder x = { .version = 2, .addr_size = 8 };
	(void)state;
	vec_push(&e.ranges, (struct bbmap_range){ 0x2010, 3, 0, 3 });
	vec_push(&e.blocks, (struct bbmap_block){ 0, 0, 10, 8 });
	vec_push(&e.blocks, (struct bbmap_block){ 3, 10, 141, 3 });
	vec_push(&e.blocks, (struct bbmap_block){ 1, 155, 8, 2 });
	assert_true(bbmap_encode(&x, &e));
	assert_int_equal(x.bytes.count, sizeof want);
	assert_memory_equal(x.bytes.data, want, sizeof want);
	vec_release(&x.bytes);
	release(&e);
}

static void version_1_has_an_entry_a_range(void **state)
{
	struct bbmap_entry e = { 0 };
	struct bbmap_encoder x = { .version = 1, .addr_size = 4 };
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		vec_push(&e.ranges, (struct bbmap_range){ 0x100 + i, 1, i, 1 });
		vec_push(&e.blocks, (struct bbmap_block){ 9, 0, 5, 1 });
	}
	assert_true(bbmap_encode(&x, &e));
	assert_int_equal(x.bytes.count, 2 * (2 + 4 + 1 + 3));
	assert_int_equal(x.bytes.data[10], 1);
	assert_int_equal(x.bytes.data[12], 1);
	vec_release(&x.bytes);
	release(&e);
}

static void blocks_out_of_order_are_refused(void **state)
{
	struct bbmap_entry e = { 0 };
	struct bbmap_encoder x = { .version = 2, .addr_size = 8 };
	(void)state;
	vec_push(&e.ranges, (struct bbmap_range){ 0x100, 2, 0, 2 });
	vec_push(&e.blocks, (struct bbmap_block){ 0, 0, 9, 0 });
	vec_push(&e.blocks, (struct bbmap_block){ 1, 8, 9, 0 });
	assert_false(bbmap_encode(&x, &e));
	assert_int_equal(x.bytes.count, 0);
	release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_maps_come_back),
		cmocka_unit_test(the_bytes_are_those_of_the_compiler),
		cmocka_unit_test(version_1_has_an_entry_a_range),
		cmocka_unit_test(blocks_out_of_order_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
