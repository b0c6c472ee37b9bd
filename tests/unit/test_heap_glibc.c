/* glibc's chunks in dumps of processes that were not recorded, in memory made by hand. */
#include "../lib/heapgen.h"

#include "heap/glibc.h"

enum { HEAP = 0x40000, SIZE = 0x4000, MAPPED = 0x200000, MAPPED_SIZE = 0x22000 };

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

/* In use, free, in use, kept by a thread, in use, top. */
static uint64_t make_heap(struct heapgen *g, uint64_t used[3])
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	used[0] = heapgen_chunk(g, &at, 0x40, true);
	heapgen_chunk(g, &at, 0x80, true);
	heapgen_word(g, at, 0x80);
	used[1] = heapgen_chunk(g, &at, 0x60, false);
	const uint64_t kept = heapgen_chunk(g, &at, 0x30, true) + 2 * g->word;
	heapgen_word(g, kept, kept >> 12);
	heapgen_word(g, kept + g->word, 0x5a5a5a5a);
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
	assert_int_equal(found.chunks, 4);
	assert_int_equal(found.mapped, 1);
	assert_int_equal(found.cached, 1);
	assert_int_equal(found.free_chunks, 1);
	assert_int_equal(found.free_bytes, 0x80);
	assert_int_equal(found.top_bytes, HEAP + SIZE - top);
	assert_int_equal(found.broken, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(heap_live(&g->blocks, i).addr, used[i] + 2 * g->word);
	assert_int_equal(heap_live(&g->blocks, 1).size, 0x60 - g->word);
	assert_int_equal(heap_live(&g->blocks, 3).addr, MAPPED + 16);
	assert_int_equal(g->calls.stacks.data[0].blocks, 4);
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
		cmocka_unit_test(chunks_in_use_are_blocks),
		cmocka_unit_test(a_heap_may_be_behind_the_programs_data),
		cmocka_unit_test(other_arenas_are_found),
		cmocka_unit_test(a_chain_goes_on_behind_a_break),
		cmocka_unit_test(other_memory_has_no_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
