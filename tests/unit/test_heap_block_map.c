/* Bits of a block map against a list of the same addresses. */
#include "base/sort.h"
#include "heap/block_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { REGIONS = 6, MOST = 300000 };

struct fixture {
	struct region regions[REGIONS];
	struct dump d;
	struct block_map m;
	uint64_t *addrs; /* in order */
	size_t count;
	unsigned shift;
	uint64_t seed;
};

static uint64_t any(struct fixture *f)
{
	f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
	return f->seed >> 33;
}

/* One that does not begin or end at a step, one behind it without a hole, a small one, one that the
 * dump has only in part, one that holds nothing of a program's, a large one. */
static void make_regions(struct fixture *f)
{
	static const struct {
		uint64_t addr, size, held;
		bool file;
	} of[REGIONS] = {
		{ 0x1005, 0x2ffe, 0x2ffe, false },    { 0x4003, 0x1000, 0x1000, false },
		{ 0x9000, 0x18, 0x18, false },        { 0x20000, 0x400000, 0x123456, false },
		{ 0x500000, 0x10000, 0x10000, true }, { 0x10000000, 0x800000, 0x800000, false }
	};
	for (size_t i = 0; i < REGIONS; i++) {
		struct region *r = &f->regions[i];
		*r = (struct region){ .addr = of[i].addr, .size = of[i].size, .file = of[i].file };
		r->bytes = (struct bytes){ (const uint8_t *)f, of[i].held };
	}
	f->d = (struct dump){ .regions = f->regions, .region_count = REGIONS };
}

/* Each place of a region with a chance of 1 in `rare`; more of them where `rare` is 1. */
static void set_region(struct fixture *f, const struct region *r, unsigned rare)
{
	const uint64_t step = UINT64_C(1) << f->shift;
	const uint64_t last = f->count > 0 ? f->addrs[f->count - 1] : 0;
	for (uint64_t a = r->addr & ~(step - 1); a < r->addr + r->bytes.size; a += step)
		if (a > last && f->count < MOST && any(f) % rare == 0) {
			block_map_set(&f->m, a);
			f->addrs[f->count++] = a;
		}
}

static void make(struct fixture *f, unsigned shift, unsigned rare)
{
	*f = (struct fixture){ .shift = shift, .seed = shift * 100 + rare };
	f->addrs = mem_alloc(MOST * sizeof *f->addrs);
	make_regions(f);
	block_map_init(&f->m, &f->d, shift);
	for (size_t i = 0; i < REGIONS; i++)
		if (i != 4)
			set_region(f, &f->regions[i], rare);
	block_map_count(&f->m);
	assert_int_equal(f->m.count, f->count);
	assert_true(f->count > 2);
}

static void drop(struct fixture *f)
{
	block_map_release(&f->m);
	mem_free(f->addrs);
}

static void check_walk(struct fixture *f)
{
	const size_t starts[] = { 0, 1, f->count / 2, f->count - 1, f->count };
	for (size_t k = 0; k < COUNT_OF(starts); k++) {
		struct block_walk w = block_walk_from(&f->m, starts[k]);
		size_t i = starts[k];
		for (; block_walk_next(&w); i++) {
			assert_int_equal(block_map_addr(&f->m, w.at), f->addrs[i]);
			assert_int_equal(block_map_number(&f->m, w.at), i);
		}
		assert_int_equal(i, f->count);
		assert_false(block_walk_next(&w));
	}
}

static void check_address(struct fixture *f, uint64_t addr, size_t *piece)
{
	const size_t below = lower_bound(f->addrs, f->count, sizeof *f->addrs, addr);
	const size_t behind = upper_bound(f->addrs, f->count, sizeof *f->addrs, addr);
	struct block_at at;
	assert_int_equal(block_map_below(&f->m, addr), below);
	assert_int_equal(block_map_last(&f->m, addr, piece, &at), behind > 0);
	if (behind > 0)
		assert_int_equal(block_map_addr(&f->m, at), f->addrs[behind - 1]);
}

static void check_addresses(struct fixture *f)
{
	size_t piece = 0;
	for (unsigned i = 0; i < 20000; i++) {
		const size_t k = any(f) % f->count;
		assert_int_equal(block_map_addr(&f->m, block_map_find(&f->m, k)), f->addrs[k]);
		check_address(f, f->addrs[k] + any(f) % 64 - 32, &piece);
		check_address(f, any(f) % 0x11000000, &piece);
	}
	check_address(f, 0, &piece);
	check_address(f, UINT64_MAX, &piece);
}

static void a_map_tells_what_was_set(void **state)
{
	static const unsigned rare[] = { 1, 3, 100, 20000 };
	(void)state;
	for (unsigned shift = 3; shift < 5; shift++)
		for (size_t i = 0; i < COUNT_OF(rare); i++) {
			struct fixture f;
			make(&f, shift, rare[i]);
			check_walk(&f);
			check_addresses(&f);
			drop(&f);
		}
}

static void a_map_without_a_bit_has_nothing(void **state)
{
	struct fixture f = { .shift = 4 };
	struct block_at at;
	size_t piece = 0;
	(void)state;
	make_regions(&f);
	block_map_init(&f.m, &f.d, 4);
	block_map_count(&f.m);
	struct block_walk w = block_walk_from(&f.m, 0);
	assert_int_equal(f.m.count, 0);
	assert_false(block_walk_next(&w));
	assert_false(block_map_last(&f.m, 0x2000, &piece, &at));
	assert_int_equal(block_map_below(&f.m, UINT64_MAX), 0);
	for (size_t i = 0; i < f.m.pieces.count; i++)
		assert_null(f.m.pieces.data[i].bits);
	block_map_release(&f.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_tells_what_was_set),
		cmocka_unit_test(a_map_without_a_bit_has_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
