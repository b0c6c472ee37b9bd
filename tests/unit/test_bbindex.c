/* The index of blocks by address, against a plain search. */
#include "../lib/rng.h"
#include "blocks/bbindex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { BLOCKS_MAX = 4000, RUNS_MAX = 200 };

struct world {
	struct bbmap_block blocks[BLOCKS_MAX];
	struct bbindex_run runs[RUNS_MAX];
	size_t run_count, count;
	uint64_t end; /* of all code */
};

static uint64_t start_of(const struct world *w, size_t place)
{
	for (size_t i = 0; i < w->run_count; i++)
		if (place - w->runs[i].first < w->runs[i].count)
			return w->runs[i].addr + w->blocks[place].off;
	fail();
	return 0;
}

/* Runs of blocks `align` bytes apart at least, far jumps between some; runs overlap one in
 * `overlap` times (0: never). */
static void make_world(struct world *w, struct rng *r, uint64_t align, uint64_t overlap)
{
	uint64_t addr = 0x10000;
	memset(w, 0, sizeof *w);
	while (w->run_count < RUNS_MAX && w->count + 40 < BLOCKS_MAX) {
		struct bbindex_run *run = &w->runs[w->run_count++];
		*run = (struct bbindex_run){ addr, w->count, rng_below(r, 40) };
		uint64_t off = 0;
		for (uint64_t i = 0; i < run->count; i++) {
			const uint64_t size = rng_once_in(r, 10) ? 0 : align * rng_below(r, 30);
			w->blocks[w->count++] = (struct bbmap_block){ (uint32_t)i, (uint32_t)off,
								      (uint32_t)size, 0 };
			off += size;
		}
		const uint64_t before = addr;
		addr += off + (rng_once_in(r, 20) ? align << (10 + rng_below(r, 20)) : 0);
		if (overlap && rng_once_in(r, overlap))
			addr = before + align * rng_below(r, 20);
	}
	w->end = addr + 0x1000;
}

static void expect_place(const struct world *w, const struct bbindex *x, uint64_t addr)
{
	const uint32_t got = bbindex_find(x, addr);
	uint64_t want = 0;
	bool any = false;
	for (size_t i = 0; i < w->run_count; i++) {
		const struct bbindex_run *run = &w->runs[i];
		for (uint64_t k = 0; k < run->count; k++) {
			const uint64_t start = run->addr + w->blocks[run->first + k].off;
			if (start <= addr && (!any || start >= want)) {
				want = start;
				any = true;
			}
		}
	}
	if (!any) {
		assert_int_equal(got, BBINDEX_NONE);
		return;
	}
	assert_true(got < w->count);
	assert_true(start_of(w, got) == want);
}

static void compare(struct world *w, const struct bbindex *x, struct rng *r)
{
	for (size_t i = 0; i < 300; i++) {
		const size_t place = rng_below(r, w->count);
		const uint64_t start = start_of(w, place);
		expect_place(w, x, start);
		expect_place(w, x, start - 1);
		expect_place(w, x, start + rng_below(r, 100));
		expect_place(w, x, rng_below(r, w->end));
	}
	expect_place(w, x, 0);
	expect_place(w, x, 0xffff);
	expect_place(w, x, UINT64_MAX);
}

static void it_finds_what_a_search_finds(void **state)
{
	static struct world w;
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct rng r = { seed };
		struct bbindex x;
		make_world(&w, &r, seed % 3 == 0 ? 4 : 1, seed > 8 ? 5 : 0);
		bbindex_build(&x, w.runs, w.run_count, w.blocks);
		assert_int_equal(x.count, w.count);
		assert_true(seed > 8 || x.order == NULL);
		compare(&w, &x, &r);
		bbindex_release(&x);
	}
}

/* Zero-size blocks stand where the next one does: the one with bytes is last. */
static void of_several_at_one_address_the_last_is_found(void **state)
{
	const struct bbmap_block blocks[] = {
		{ 0, 0, 8, 0 }, { 1, 8, 0, 0 }, { 2, 8, 0, 0 }, { 3, 8, 4, 0 }, { 4, 12, 1, 0 },
	};
	const struct bbindex_run run = { 0x1000, 0, 5 };
	struct bbindex x;
	(void)state;
	bbindex_build(&x, &run, 1, blocks);
	assert_int_equal(bbindex_find(&x, 0x0fff), BBINDEX_NONE);
	assert_int_equal(bbindex_find(&x, 0x1007), 0);
	assert_int_equal(bbindex_find(&x, 0x1008), 3);
	assert_int_equal(bbindex_find(&x, 0x100b), 3);
	assert_int_equal(bbindex_find(&x, 0x100c), 4);
	assert_int_equal(bbindex_find(&x, 0x9999), 4);
	bbindex_release(&x);
}

/* Pages of every density: bytes that are blocks, blocks of no byte, and blocks of pages. */
static void dense_and_sparse_code_share_an_index(void **state)
{
	static struct world w;
	struct rng r = { 3 };
	struct bbindex x;
	uint64_t off = 0;
	(void)state;
	memset(&w, 0, sizeof w);
	w.runs[w.run_count++] = (struct bbindex_run){ 0x10000, 0, BLOCKS_MAX };
	for (; w.count < BLOCKS_MAX; w.count++) {
		const uint64_t kind = w.count / 100 % 3;
		const uint64_t size = kind == 0 ? 1 : kind == 1 ? 0 : 300;
		w.blocks[w.count] = (struct bbmap_block){ 0, (uint32_t)off, (uint32_t)size, 0 };
		off += size;
	}
	w.end = 0x10000 + off + 0x1000;
	bbindex_build(&x, w.runs, w.run_count, w.blocks);
	compare(&w, &x, &r);
	bbindex_release(&x);
}

enum order { RANDOM, RISING, FALLING };

static int compare_addrs(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Addresses everywhere, at the ends, and below and above everything. */
static void make_addrs(uint64_t *addrs, size_t count, const struct bbindex *x, struct rng *r,
		       uint64_t end, enum order order)
{
	const uint64_t base = x->regions.data[0].base;
	for (size_t i = 0; i < count; i++)
		addrs[i] = rng_once_in(r, 20) ? rng_below(r, end) : base + rng_below(r, end - base);
	addrs[0] = 0;
	addrs[1] = UINT64_MAX;
	addrs[2] = base;
	addrs[3] = base - 1;
	if (order != RANDOM)
		qsort(addrs, count, sizeof *addrs, compare_addrs);
	for (size_t i = 0; order == FALLING && i < count / 2; i++) {
		const uint64_t addr = addrs[i];
		addrs[i] = addrs[count - 1 - i];
		addrs[count - 1 - i] = addr;
	}
}

static void expect_batches(const struct bbindex *x, struct rng *r, uint64_t end)
{
	enum { COUNT = 20000 };
	static uint64_t addrs[COUNT];
	static uint32_t found[COUNT];
	for (enum order order = RANDOM; order <= FALLING; order++) {
		make_addrs(addrs, COUNT, x, r, end, order);
		for (size_t count = COUNT; count > 0; count /= 3) {
			memset(found, 0x55, sizeof found);
			bbindex_find_batch(x, addrs, count, found);
			for (size_t i = 0; i < count; i++)
				assert_int_equal(found[i], bbindex_find(x, addrs[i]));
			if (count < COUNT)
				assert_int_equal(found[count], 0x55555555);
		}
	}
}

/* One region and many, blocks that start together or out of order. */
static void batches_find_what_one_look_up_finds(void **state)
{
	static struct world w;
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct rng r = { seed };
		struct bbindex x;
		make_world(&w, &r, seed % 3 == 0 ? 4 : 1, seed > 4 ? 5 : 0);
		bbindex_build(&x, w.runs, w.run_count, w.blocks);
		expect_batches(&x, &r, w.end);
		bbindex_release(&x);
	}
}

/* An index too large for the second cache is asked in another way. */
static void a_large_index_is_found_in_by_batches(void **state)
{
	enum { BLOCKS = 1000000, RUNS = 4 };
	struct bbmap_block *blocks = mem_zeroed(BLOCKS, sizeof *blocks);
	struct bbindex_run runs[RUNS];
	struct rng r = { 5 };
	struct bbindex x;
	(void)state;
	for (uint32_t i = 0; i < BLOCKS; i++)
		blocks[i] = (struct bbmap_block){ i, i * 17 + i % 13, 5, 0 };
	for (uint32_t i = 0; i < RUNS; i++)
		runs[i] = (struct bbindex_run){ 0x400000 + i * 0x10000, i * (BLOCKS / RUNS),
						BLOCKS / RUNS };
	bbindex_build(&x, runs, RUNS, blocks);
	assert_null(x.order);
	assert_int_equal(x.regions.count, RUNS);
	assert_true(bbindex_size(&x) > 1 << 20);
	expect_batches(&x, &r, 0x400000 + UINT64_C(17) * BLOCKS + 0x40000);
	bbindex_release(&x);
	mem_free(blocks);
}

static void nothing_has_an_index_too(void **state)
{
	struct bbindex x;
	(void)state;
	bbindex_build(&x, NULL, 0, NULL);
	assert_int_equal(bbindex_find(&x, 0x1000), BBINDEX_NONE);
	assert_int_equal(bbindex_size(&x), 0);
	uint32_t found = 0;
	bbindex_find_batch(&x, &(uint64_t){ 0x1000 }, 1, &found);
	assert_int_equal(found, BBINDEX_NONE);
	bbindex_release(&x);
}

/* Far apart, blocks must not cost the room between them. */
static void scattered_blocks_take_little_room(void **state)
{
	enum { COUNT = 1000 };
	static struct bbmap_block blocks[COUNT];
	static struct bbindex_run runs[COUNT];
	struct bbindex x;
	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		blocks[i] = (struct bbmap_block){ 0, 0, 16, 0 };
		runs[i] = (struct bbindex_run){ (i << 40) + i * 3, i, 1 };
	}
	bbindex_build(&x, runs, COUNT, blocks);
	assert_true(bbindex_size(&x) < UINT64_C(64) * COUNT);
	for (uint64_t i = 0; i < COUNT; i++)
		assert_int_equal(bbindex_find(&x, (i << 40) + i * 3 + 5), i);
	bbindex_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_a_search_finds),
		cmocka_unit_test(of_several_at_one_address_the_last_is_found),
		cmocka_unit_test(dense_and_sparse_code_share_an_index),
		cmocka_unit_test(batches_find_what_one_look_up_finds),
		cmocka_unit_test(a_large_index_is_found_in_by_batches),
		cmocka_unit_test(nothing_has_an_index_too),
		cmocka_unit_test(scattered_blocks_take_little_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
