/* glibc's chunks in dumps of processes that were not recorded, in memory made by hand. */
#include "../lib/heapgen.h"

#include "heap/glibc.h"

enum {
	HEAP = 0x40000,
	SIZE = 0x4000,
	MAPPED = 0x200000,
	MAPPED_SIZE = 0x22000,
	ARENA = 0x20000, /* the data of the C library */
	LISTS = 127,
	FAST = 10,
};

static struct glibc_heaps find(struct heapgen *g)
{
	struct glibc_heaps ret;
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 0);
	glibc_heaps_find(&ret, &g->blocks, &g->calls, &g->dump);
	heap_layout_release(&g->layout);
	heap_layout_make(&g->layout, &g->dump, &g->records, &g->blocks);
	assert_null(heap_invariants(&g->dump, &g->calls, &g->blocks, &g->layout));
	return ret;
}

/* ---- arenas ---------------------------------------------------------------------------------- */

static uint64_t bins_of(const struct heapgen *g, uint64_t arena)
{
	const uint64_t head = g->word == 8 ? 16 : 12;
	return arena + head + (FAST + 2) * g->word;
}

/* An arena whose lists are empty, alone in its ring. */
static void put_arena(struct heapgen *g, uint64_t arena, uint64_t top, uint64_t system)
{
	const uint64_t bins = bins_of(g, arena), word = g->word;
	heapgen_word(g, bins - 2 * word, top != 0 ? top : bins - 2 * word);
	for (unsigned i = 0; i < 2 * LISTS; i++)
		heapgen_word(g, bins + i * word, bins + (i / 2 * 2) * word - 2 * word);
	const uint64_t tail = bins + LISTS * 2 * word + 16;
	heapgen_word(g, tail, arena);
	heapgen_word(g, tail + 3 * word, system);
	heapgen_word(g, tail + 4 * word, system);
}

/* The parameters, of 2.35 and later or before. */
static void put_parameters(struct heapgen *g, uint64_t at, uint64_t base, uint64_t mapped,
			   bool later)
{
	const uint64_t word = g->word;
	uint64_t counts = at + 5 * word;
	heapgen_word(g, at, 128 << 10);
	heapgen_word(g, at + 2 * word, 128 << 10);
	heapgen_word(g, at + 3 * word, word == 8 ? 8 : 2);
	if (later)
		counts += 2 * word + 4;
	heapgen_put(g, counts, 4, mapped);
	heapgen_put(g, counts + 4, 4, 65536);
	heapgen_put(g, counts + 8, 4, mapped);
	const uint64_t sums = align_up(counts + 16, word);
	heapgen_word(g, sums, mapped * MAPPED_SIZE);
	heapgen_word(g, sums + word, mapped * MAPPED_SIZE);
	heapgen_word(g, sums + 2 * word, base);
}

static void put_library(struct heapgen *g, uint64_t top, uint64_t system, uint64_t mapped,
			bool later)
{
	put_arena(g, ARENA + 0x400, top, system);
	put_parameters(g, ARENA + 0x200, HEAP, mapped, later);
}

/* The chunk after `at`, as its list links it. */
static void put_link(struct heapgen *g, uint64_t at, uint64_t next, bool safe)
{
	heapgen_word(g, at, safe ? next ^ at >> 12 : next);
}

struct cache_form {
	unsigned lists, width;
	bool room;
};

/* A cache with two chunks in list 2, and one in list 4. */
static void put_cache(struct heapgen *g, const struct cache_form *f, uint64_t user,
		      const uint64_t chunks[3])
{
	for (unsigned i = 0; f->room && i < f->lists; i++)
		heapgen_put(g, user + i * f->width, f->width, 7);
	heapgen_put(g, user + 2 * f->width, f->width, f->room ? 5 : 2);
	heapgen_put(g, user + 4 * f->width, f->width, f->room ? 6 : 1);
	const uint64_t firsts = user + f->lists * f->width;
	heapgen_word(g, firsts + 2 * g->word, chunks[0]);
	heapgen_word(g, firsts + 4 * g->word, chunks[2]);
}

struct version {
	struct cache_form form;
	bool safe, later;
};

static const struct version versions[] = {
	{ { 64, 1, false }, false, false }, /* 2.26 */
	{ { 64, 2, false }, true, false },  /* 2.32 */
	{ { 64, 2, false }, true, true },   /* 2.35 */
	{ { 76, 2, true }, true, true },    /* 2.42 */
};

/* A cache, its chunks with one in use after each, two of a fast bin, one in use. */
static void fill_version(struct heapgen *g, const struct version *v, uint64_t *ret_top)
{
	const uint64_t least = 4 * g->word, user = 2 * g->word;
	const uint64_t sizes[] = { least + 32, least + 32, least + 64 };
	uint64_t at = heapgen_start(g), in_cache[3], fast[2];
	const uint64_t cache = heapgen_chunk(
		g, &at, align_up(v->form.lists * (v->form.width + g->word) + g->word, 16), true);
	for (unsigned i = 0; i < 3; i++) {
		in_cache[i] = heapgen_chunk(g, &at, sizes[i], true) + user;
		heapgen_chunk(g, &at, 0x200, true);
	}
	for (unsigned i = 0; i < 2; i++)
		fast[i] = heapgen_chunk(g, &at, least + 16, true);
	heapgen_chunk(g, &at, 0x40, true);
	*ret_top = at;
	heapgen_top(g, at);
	put_link(g, in_cache[0], in_cache[1], v->safe);
	put_link(g, in_cache[1], 0, v->safe);
	put_link(g, in_cache[2], 0, v->safe);
	put_cache(g, &v->form, cache + user, in_cache);
	put_link(g, fast[0] + user, fast[1], v->safe);
	put_link(g, fast[1] + user, 0, v->safe);
	heapgen_word(g, bins_of(g, ARENA + 0x400) - (FAST + 2 - 1) * g->word, fast[0]);
}

static void lists(struct heapgen *g)
{
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		struct heapgen made = heapgen_make(g->word, g->big_endian);
		uint64_t top;
		heapgen_region(&made, ARENA, 0x2000);
		heapgen_region(&made, HEAP, SIZE);
		fill_version(&made, &versions[i], &top);
		heapgen_region(&made, MAPPED, MAPPED_SIZE + 0x1000);
		heapgen_word(&made, heapgen_start(&made), heapgen_start(&made) - MAPPED);
		heapgen_word(&made, heapgen_start(&made) + g->word,
			     (MAPPED_SIZE - (heapgen_start(&made) - MAPPED)) | CHUNK_MAPPED);
		put_library(&made, top, SIZE, 1, versions[i].later);
		const struct glibc_heaps found = find(&made);
		if (found.doubt != NULL)
			fail_msg("version %zu: %s", i, found.doubt);
		assert_int_equal(found.cached, 5);
		assert_int_equal(found.mapped, 1);
		assert_int_equal(found.chunks, 3 + 1 + 1);
		assert_int_equal(made.blocks.caches.count, 1);
		assert_int_equal(made.blocks.arenas.count, 1);
		assert_int_equal(made.layout.bytes[HEAP_PART_UNRECORDED], 0);
		heapgen_drop(&made);
	}
}

static void lists_say_what_is_freed(void **state)
{
	(void)state;
	HEAPGEN_EACH(lists);
}

/* What the allocator counts is not there: a mapped chunk, half of the heap. */
static void doubts(struct heapgen *g)
{
	uint64_t top;
	heapgen_region(g, ARENA, 0x2000);
	heapgen_region(g, HEAP, SIZE);
	fill_version(g, &versions[1], &top);
	put_library(g, top, SIZE, 1, false);
	struct glibc_heaps found = find(g);
	assert_non_null(found.doubt);
	assert_int_equal(found.chunks, 4);
	heap_damage_release(&g->damages);
	heap_layout_release(&g->layout);
	heap_scan_release(&g->blocks);
	calls_release(&g->calls);
	records_release(&g->records);
	put_library(g, top, 2 * SIZE, 0, false);
	found = find(g);
	assert_non_null(found.doubt);
}

static void what_the_allocator_counts_must_be_there(void **state)
{
	(void)state;
	HEAPGEN_EACH(doubts);
}

/* The heap ends, somebody else has memory, the heap goes on. */
static void foreign(struct heapgen *g)
{
	heapgen_region(g, ARENA, 0x2000);
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	for (unsigned i = 0; i < 3; i++)
		heapgen_chunk(g, &at, 0x40, true);
	heapgen_chunk(g, &at, 2 * g->word, true);
	heapgen_chunk(g, &at, 2 * g->word, true);
	memset(heapgen_at(g, at), 0x31, 0x500);
	at += 0x500;
	for (unsigned i = 0; i < 4; i++)
		heapgen_chunk(g, &at, 0x60, true);
	heapgen_top(g, at);
	put_library(g, at, SIZE, 0, true);
	const struct glibc_heaps found = find(g);
	assert_null(found.doubt);
	assert_int_equal(found.chunks, 7);
	assert_int_equal(found.broken, 0);
	assert_int_equal(g->layout.breaks.count, 0);
}

static void the_heap_goes_on_behind_what_others_have(void **state)
{
	(void)state;
	HEAPGEN_EACH(foreign);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* In use, free, in use three times, top. */
static uint64_t make_heap(struct heapgen *g, uint64_t used[3])
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	used[0] = heapgen_chunk(g, &at, 0x40, true);
	heapgen_chunk(g, &at, 0x80, true);
	heapgen_word(g, at, 0x80);
	used[1] = heapgen_chunk(g, &at, 0x60, false);
	heapgen_chunk(g, &at, 0x30, true);
	used[2] = heapgen_chunk(g, &at, 0x200, true);
	heapgen_top(g, at);
	return at;
}

static void make_mapped(struct heapgen *g)
{
	heapgen_region(g, MAPPED, MAPPED_SIZE + 0x1000);
	const uint64_t at = heapgen_start(g), front = at - MAPPED;
	heapgen_word(g, at, front);
	heapgen_word(g, at + g->word, (MAPPED_SIZE - front) | CHUNK_MAPPED);
}

static void chunks(struct heapgen *g)
{
	uint64_t used[3];
	const uint64_t top = make_heap(g, used);
	make_mapped(g);
	const struct glibc_heaps found = find(g);
	assert_int_equal(found.arenas, 1);
	assert_int_equal(found.chunks, 5);
	assert_int_equal(found.mapped, 1);
	assert_int_equal(found.cached, 0);
	assert_non_null(found.doubt);
	assert_int_equal(found.free_chunks, 1);
	assert_int_equal(found.free_bytes, 0x80);
	assert_int_equal(found.top_bytes, HEAP + SIZE - top);
	assert_int_equal(found.broken, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(heap_live(&g->blocks, i + i / 2).addr, used[i] + 2 * g->word);
	assert_int_equal(heap_live(&g->blocks, 1).size, 0x60 - g->word);
	assert_int_equal(heap_live(&g->blocks, 4).addr, MAPPED + 16);
	assert_int_equal(g->calls.stacks.data[0].blocks, 5);
	assert_int_equal(g->layout.bytes[HEAP_PART_UNRECORDED], 0);
	assert_int_equal(g->layout.breaks.count, 0);
}

static void chunks_in_use_are_blocks(void **state)
{
	(void)state;
	HEAPGEN_EACH(chunks);
}

/* The program's data and the heap in one mapping. */
static void behind(struct heapgen *g)
{
	heapgen_region(g, HEAP, SIZE);
	memset(heapgen_at(g, HEAP), 0x11, 0x2000);
	uint64_t at = heapgen_start(g) + 0x2000;
	for (unsigned i = 0; i < 4; i++)
		heapgen_chunk(g, &at, 0x60, true);
	heapgen_top(g, at);
	const struct glibc_heaps found = find(g);
	assert_int_equal(found.chunks, 4);
	assert_int_equal(heap_live(&g->blocks, 0).addr, HEAP + 0x2000 + 16);
}

static void a_heap_may_be_behind_the_programs_data(void **state)
{
	(void)state;
	HEAPGEN_EACH(behind);
}

/* Its arena is in front of the first chunk; sizes say that they are of another. */
static void other(struct heapgen *g)
{
	const uint64_t at = 0x4000000, size = 0x3000;
	/* A chunk mapped right in front of it. */
	heapgen_region(g, at - MAPPED_SIZE, MAPPED_SIZE);
	const uint64_t mapped = heapgen_start(g), front = mapped - (at - MAPPED_SIZE);
	heapgen_word(g, mapped, front);
	heapgen_word(g, mapped + g->word, (MAPPED_SIZE - front) | CHUNK_MAPPED);
	heapgen_region(g, at, 0x5000);
	heapgen_word(g, at, at + 4 * g->word);
	heapgen_word(g, at + 2 * g->word, size);
	heapgen_word(g, at + 3 * g->word, 0x5000);
	uint64_t chunk = at + 0x800;
	const uint64_t flags = CHUNK_OTHER_ARENA | CHUNK_BEFORE_USED;
	for (unsigned i = 0; i < 5; i++, chunk += 0x50)
		heapgen_word(g, chunk + g->word, 0x50 | flags);
	heapgen_word(g, chunk + g->word, (at + size - chunk) | flags);
	const struct glibc_heaps found = find(g);
	assert_int_equal(found.arenas, 1);
	assert_int_equal(found.chunks, 6);
	assert_int_equal(found.mapped, 1);
	assert_int_equal(heap_live(&g->blocks, 1).addr, at + 0x800 + 2 * g->word);
	assert_int_equal(found.top_bytes, at + size - chunk);
}

static void other_arenas_are_found(void **state)
{
	(void)state;
	HEAPGEN_EACH(other);
}

static void broken(struct heapgen *g)
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g), bad = 0;
	for (unsigned i = 0; i < 60; i++) {
		if (i == 40)
			bad = at;
		heapgen_chunk(g, &at, 0x60, true);
	}
	heapgen_top(g, at);
	heapgen_word(g, bad + g->word, 0x41414141);
	const struct glibc_heaps found = find(g);
	assert_int_equal(found.broken, 1);
	assert_int_equal(found.chunks, 59);
	assert_int_equal(g->layout.breaks.count, 1);
	assert_int_equal(g->layout.breaks.data[0].addr, bad + g->word);
	assert_int_equal(g->layout.breaks.data[0].before, 39);
}

static void a_chain_goes_on_behind_a_break(void **state)
{
	(void)state;
	HEAPGEN_EACH(broken);
}

/* Sizes that lead nowhere, and what looks like a mapped chunk where there is no heap. */
static void nothing(struct heapgen *g)
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	for (unsigned i = 0; i < 20; i++)
		heapgen_chunk(g, &at, 0x60, true);
	make_mapped(g);
	const struct glibc_heaps found = find(g);
	assert_int_equal(found.arenas, 0);
	assert_int_equal(found.chunks, 0);
	assert_int_equal(g->blocks.live.count, 0);
}

static void other_memory_has_no_chunks(void **state)
{
	(void)state;
	HEAPGEN_EACH(nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_say_what_is_freed),
		cmocka_unit_test(what_the_allocator_counts_must_be_there),
		cmocka_unit_test(the_heap_goes_on_behind_what_others_have),
		cmocka_unit_test(chunks_in_use_are_blocks),
		cmocka_unit_test(a_heap_may_be_behind_the_programs_data),
		cmocka_unit_test(other_arenas_are_found),
		cmocka_unit_test(a_chain_goes_on_behind_a_break),
		cmocka_unit_test(other_memory_has_no_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
