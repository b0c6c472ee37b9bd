/* Chunks of glibc's allocator made by hand: what every byte is, and where a chain breaks. */
#include "../lib/heapgen.h"
#include "heap/heap_strip.h"

enum { LOW = 0x10000, SIZE = 0x4000 };

/* A heap of `count` blocks of 24 bytes with `flags`, and the rest free. */
static void make_heap(struct heapgen *g, uint64_t *blocks, unsigned count, unsigned flags)
{
	heapgen_region(g, LOW, SIZE);
	uint64_t at = heapgen_start(g);
	for (unsigned i = 0; i < count; i++)
		blocks[i] = heapgen_alloc(g, &at, 24, flags, 0);
	heapgen_top(g, at);
}

static void side_by_side(struct heapgen *g)
{
	uint64_t p[5];
	make_heap(g, p, 5, HEAP_CANARY);
	heapgen_read(g);
	const uint64_t *bytes = g->layout.bytes, chunk = heapgen_chunk_size(g, 16 + 24 + 8);
	assert_int_equal(bytes[HEAP_PART_BLOCK], 5 * 24);
	assert_int_equal(bytes[HEAP_PART_HEADER], 5 * 24);
	/* In front of the first chunk is a word that no chunk has, or two. */
	assert_int_equal(bytes[HEAP_PART_OVERHEAD], 5 * (chunk - 48) + 16 - g->word);
	assert_int_equal(bytes[HEAP_PART_FREE], SIZE - 5 * chunk - (16 - g->word));
	assert_int_equal(g->layout.breaks.count, 0);
	assert_int_equal(g->damages.list.count, 0);
	assert_int_equal(g->layout.pinned_pages, 1);
	assert_int_equal(g->layout.pinned_bytes, 4096 - 5 * chunk - (16 - g->word));
}

static void all_bytes_of_a_heap_are_told(void **state)
{
	(void)state;
	HEAPGEN_EACH(side_by_side);
}

static void strip_of(struct heapgen *g)
{
	uint64_t p[200], sums[3] = { 0 };
	struct heap_strip strip;
	make_heap(g, p, 200, 0);
	heapgen_read(g);
	heap_strip_make(&strip, &g->layout);
	assert_int_equal(strip.size, HEAP_PAGE);
	assert_int_equal(strip.pieces.count, SIZE / HEAP_PAGE);
	for (size_t i = 0; i < strip.pieces.count; i++) {
		const struct heap_piece *piece = &strip.pieces.data[i];
		assert_int_equal(piece->addr, LOW + i * HEAP_PAGE);
		assert_int_equal(piece->live + piece->free + piece->other, HEAP_PAGE);
		sums[0] += piece->live;
		sums[1] += piece->free;
		sums[2] += piece->other;
	}
	assert_int_equal(sums[0], g->layout.bytes[HEAP_PART_BLOCK]);
	assert_int_equal(sums[1], g->layout.bytes[HEAP_PART_FREE]);
	assert_int_equal(sums[2], SIZE - sums[0] - sums[1]);
	assert_true(strip.pieces.data[0].live > strip.pieces.data[3].live);
	heap_strip_release(&strip);
}

static void a_strip_has_the_bytes_of_each_page(void **state)
{
	(void)state;
	HEAPGEN_EACH(strip_of);
}

static void a_strip_of_a_large_heap_has_larger_pieces(void **state)
{
	const uint64_t size = UINT64_C(1) << 40; /* of which the dump has the first pages */
	struct heapgen g = heapgen_make(8, false);
	struct heap_strip strip;
	uint64_t sum = 0;
	(void)state;
	heapgen_region(&g, LOW, SIZE)->size = size;
	uint64_t at = heapgen_start(&g);
	heapgen_alloc(&g, &at, 24, 0, 0);
	heapgen_top(&g, at);
	heapgen_read(&g);
	heap_strip_make(&strip, &g.layout);
	assert_true(strip.size > HEAP_PAGE && strip.pieces.count <= HEAP_STRIP_MAX + 2);
	assert_true(strip.pieces.count > HEAP_STRIP_MAX / 4);
	for (size_t i = 0; i < strip.pieces.count; i++)
		sum += strip.pieces.data[i].free;
	assert_true(sum > 0);
	assert_int_equal(sum, g.layout.bytes[HEAP_PART_FREE]);
	heap_strip_release(&strip);
	heapgen_drop(&g);
}

struct near {
	uint64_t addr;
	int kind; /* of the part that holds it; -1: none does */
};

static void look_near(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	struct near *n = ctx;
	struct heap_part split[HEAP_SPLIT_MAX];
	const size_t count = heap_part_split(part, block, split);
	for (size_t k = 0; k < count; k++)
		if (n->addr - split[k].addr < split[k].size)
			n->kind = (int)split[k].kind;
}

/* What is told from the blocks near an address is what all of them tell. */
static void check_near(struct heapgen *g)
{
	uint64_t bytes[HEAP_PART_KINDS] = { 0 };
	for (uint64_t addr = LOW - 4; addr < LOW + SIZE + 4; addr += 4) {
		struct near all = { addr, -1 }, near = all;
		heap_parts_each(&g->layout, look_near, &all);
		heap_parts_near(&g->layout, addr, look_near, &near);
		assert_int_equal(near.kind, all.kind);
		if (near.kind >= 0)
			bytes[near.kind] += 4;
	}
	assert_memory_equal(bytes, g->layout.bytes, sizeof bytes);
}

/* Between blocks: a free chunk, one in use, one in a thread cache, one whose freed header is
 * there. */
static void between(struct heapgen *g)
{
	heapgen_region(g, LOW, SIZE);
	uint64_t at = heapgen_start(g);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_chunk(g, &at, 0x100, true);
	heapgen_word(g, at, 0x100);
	heapgen_word(g, at + g->word, heapgen_chunk_size(g, 40));
	heapgen_block(g, at + 2 * g->word + 16, 24, 0, 0);
	at += heapgen_chunk_size(g, 40);
	const uint64_t used = heapgen_chunk(g, &at, 0x200, true);
	heapgen_word(g, used + 2 * g->word, 0x123456);
	heapgen_alloc(g, &at, 24, 0, 0);
	const uint64_t cached = heapgen_chunk(g, &at, 0x80, true);
	heapgen_alloc(g, &at, 24, 0, 0);
	const uint64_t freed = heapgen_chunk(g, &at, 0x60, true);
	heapgen_block(g, freed + 2 * g->word + 32, 24, HEAP_WIDE | HEAP_FREED, 0);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_top(g, at);
	check_near(g);
	/* Without the list that it is in it counts as in use. */
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 5);
	assert_int_equal(g->layout.bytes[HEAP_PART_UNRECORDED], 0x200 + 0x80);
	assert_int_equal(g->layout.bytes[HEAP_PART_FREE],
			 0x100 + 0x60 + (LOW + SIZE - at - g->word));
	assert_int_equal(g->layout.bytes[HEAP_PART_OTHER], 0);
	heap_layout_release(&g->layout);
	block_map_init(&g->blocks.kept, &g->dump, 3);
	block_map_set(&g->blocks.kept, cached);
	heap_layout_make(&g->layout, &g->dump, &g->records, &g->blocks);
	assert_int_equal(g->layout.bytes[HEAP_PART_UNRECORDED], 0x200);
	assert_int_equal(g->layout.breaks.count, 0);
}

static void chunks_between_blocks_are_told_apart(void **state)
{
	(void)state;
	HEAPGEN_EACH(between);
}

struct splitting {
	unsigned word;
	const uint64_t *p;
	size_t seen;
};

static void check_split(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	struct splitting *s = ctx;
	struct heap_part parts[HEAP_SPLIT_MAX];
	if (part->kind != HEAP_PART_BLOCK)
		return;
	assert_int_equal(heap_part_split(part, block, parts), 5);
	assert_int_equal(parts[0].size, s->word);
	assert_int_equal(parts[1].size, 32);
	assert_int_equal(parts[2].addr, s->p[s->seen++]);
	assert_int_equal(parts[2].size, 24);
	assert_int_equal(parts[3].size, 8);
	assert_int_equal(parts[4].kind, HEAP_PART_OVERHEAD);
}

/* The pieces of a block that was asked for with an alignment. */
static void split(struct heapgen *g)
{
	uint64_t p[2];
	make_heap(g, p, 2, HEAP_WIDE | HEAP_CANARY);
	heapgen_read(g);
	struct splitting s = { g->word, p, 0 };
	heap_parts_each(&g->layout, check_split, &s);
	assert_int_equal(s.seen, 2);
}

static void a_block_has_its_pieces(void **state)
{
	(void)state;
	HEAPGEN_EACH(split);
}

/* Chunks of their own mapping fill pages; the recorder's page beside them is its own. */
static void mapped(struct heapgen *g)
{
	enum { LARGE = 0x3000 };
	const uint64_t page = LOW + 0x8000;
	heapgen_page(g, (struct heapgen_page){ page, HEAP_PAGE_NODES, 1, 0, 1, 1 });
	heapgen_region(g, page + HEAP_PAGE_SIZE, 2 * LARGE);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t start = page + HEAP_PAGE_SIZE + i * (uint64_t)LARGE;
		const uint64_t chunk = start + 16 - 2 * g->word;
		heapgen_word(g, chunk, 16 - 2 * g->word);
		heapgen_word(g, chunk + g->word, (LARGE - (16 - 2 * g->word)) | 2);
		heapgen_block(g, start + 32, LARGE - 64, 0, 0);
	}
	heapgen_read(g);
	assert_int_equal(g->layout.spans.count, 1);
	assert_int_equal(g->layout.bytes[HEAP_PART_BLOCK], 2 * (LARGE - 64));
	assert_int_equal(g->layout.bytes[HEAP_PART_OVERHEAD], 2 * 48);
	assert_int_equal(g->layout.bytes[HEAP_PART_OTHER], 0);
	/* As one region: the page is found among what no chunk explains. */
	g->regions[0].size += g->regions[1].size;
	uint8_t *all = mem_alloc(g->regions[0].size);
	memcpy(all, g->regions[0].bytes.p, HEAP_PAGE_SIZE);
	memcpy(all + HEAP_PAGE_SIZE, g->regions[1].bytes.p, g->regions[1].bytes.size);
	mem_free((void *)(uintptr_t)g->regions[0].bytes.p);
	g->regions[0].bytes = (struct bytes){ all, g->regions[0].size };
	g->dump.region_count = 1;
	heap_layout_release(&g->layout);
	heap_layout_make(&g->layout, &g->dump, &g->records, &g->blocks);
	assert_null(layout_invariants(&g->blocks, &g->layout));
	assert_int_equal(g->layout.bytes[HEAP_PART_RECORDER], HEAP_PAGE_SIZE);
	assert_int_equal(g->layout.bytes[HEAP_PART_OVERHEAD], 2 * 48);
}

static void mapped_chunks_and_the_recorders_pages(void **state)
{
	(void)state;
	HEAPGEN_EACH(mapped);
}

/* A second heap behind the first in the same region, with an arena in front of its chunks. */
static void two_heaps(struct heapgen *g)
{
	heapgen_region(g, LOW, 2 * SIZE);
	uint64_t at = heapgen_start(g);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_word(g, at + g->word, (LOW + SIZE - at) | 1);
	at = LOW + SIZE + 0x890 + heapgen_start(g) - LOW;
	for (uint64_t i = LOW + SIZE; i < at; i += 8)
		heapgen_put(g, i, 8, 0x5555555555555555);
	heapgen_word(g, at, 0);
	heapgen_chunk(g, &at, 0x290, true);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_alloc(g, &at, 24, 0, 0);
	heapgen_top(g, at);
	heapgen_read(g);
	assert_int_equal(g->layout.bytes[HEAP_PART_OTHER], 0);
	assert_int_equal(g->layout.bytes[HEAP_PART_UNRECORDED], 0x290);
	assert_true(g->layout.bytes[HEAP_PART_OVERHEAD] > 0x890);
	assert_int_equal(g->layout.breaks.count, 0);
}

static void heaps_in_one_region_are_told_apart(void **state)
{
	(void)state;
	HEAPGEN_EACH(two_heaps);
}

/* Any size word of any block's chunk overwritten: the block in front of it is named. */
static void broken(struct heapgen *g)
{
	static const uint64_t wrong[] = { 0, 0x61, 0x4141414141414141, 0x32, 0xffffffffffffffff };
	uint64_t p[6];
	make_heap(g, p, 6, 0);
	for (unsigned block = 1; block < 6; block++)
		for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
			const uint64_t at = p[block] - 16 - g->word;
			uint8_t saved[8];
			memcpy(saved, heapgen_at(g, at), g->word);
			heapgen_word(g, at, wrong[i]);
			heapgen_read(g);
			assert_int_equal(g->damages.list.count, 1);
			assert_int_equal(g->damages.list.data[0].kind, DAMAGE_CHUNK);
			assert_int_equal(g->damages.list.data[0].addr, at);
			assert_int_equal(g->damages.list.data[0].block, block - 1);
			assert_int_equal(g->damages.list.data[0].victim, block);
			memcpy(heapgen_at(g, at), saved, g->word);
			heap_damage_release(&g->damages);
			heap_layout_release(&g->layout);
			heap_scan_release(&g->blocks);
			calls_release(&g->calls);
			records_release(&g->records);
		}
	heapgen_read(g);
	assert_int_equal(g->damages.list.count, 0);
}

static void a_broken_chain_names_the_block_in_front(void **state)
{
	(void)state;
	HEAPGEN_EACH(broken);
}

/* Half a header is left: what it said is known, and which block is before it. */
static void stale(struct heapgen *g)
{
	uint64_t p[6];
	const uint64_t at = heapgen_page(
		g, (struct heapgen_page){ HEAPGEN_PROCESS, HEAP_PAGE_PROCESS, 1, 1, 0, 0 });
	heapgen_process(g, at, HEAP_CANARY, 0, 0, 0);
	heapgen_region(g, LOW + 0x200000, SIZE);
	uint64_t chunk = heapgen_start(g);
	for (unsigned i = 0; i < 6; i++)
		p[i] = heapgen_alloc(g, &chunk, 25, HEAP_CANARY, 0);
	heapgen_top(g, chunk);
	heapgen_put(g, p[2] - 16, 8, 0x4141414141414141);
	heapgen_put(g, p[4] - 8, 8, 0x4141414141414141);
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 4);
	assert_int_equal(g->damages.list.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct damage *found = &g->damages.list.data[i];
		assert_int_equal(found->kind, DAMAGE_HEADER);
		assert_int_equal(found->was_size, 25);
		assert_int_equal(heap_live(&g->blocks, found->block).addr, p[1 + 2 * i]);
	}
}

static void a_header_half_overwritten_is_damage(void **state)
{
	(void)state;
	HEAPGEN_EACH(stale);
}

/* A thread of the allocator joins freed chunks: the words behind them do not fit yet, and of all
 * addresses the thread has only that of the first freed chunk. */
static void joining(struct heapgen *g)
{
	enum { OWN = 0x1000 };
	const uint64_t at = heapgen_page(
		g, (struct heapgen_page){ HEAPGEN_PROCESS, HEAP_PAGE_PROCESS, 1, 1, 0, 0 });
	heapgen_process(g, at, 0, 0, 0, 0);
	const uint64_t threads = HEAPGEN_PROCESS + HEAP_PAGE_SIZE;
	const uint64_t thread = heapgen_page(
		g, (struct heapgen_page){ threads, HEAP_PAGE_THREADS, 1, 1, 0, 0 });
	heapgen_region(g, LOW + 0x200000, SIZE);
	const uint64_t own = LOW + 0x200000 + SIZE - OWN;
	heapgen_put(g, thread, 4, 4711);
	heapgen_put(g, thread + 4, 4, 1);
	heapgen_put(g, thread + offsetof(struct heap_thread, own), 8, own);
	uint64_t chunk = heapgen_start(g);
	heapgen_alloc(g, &chunk, 24, 0, 0);
	const uint64_t joined = chunk;
	const uint64_t freed = heapgen_alloc(g, &chunk, 24, 0, 0);
	heapgen_block(g, freed, 24, HEAP_FREED, 0);
	heapgen_word(g, chunk, 0x41414141);
	heapgen_chunk(g, &chunk, 0x200, false);
	for (unsigned i = 0; i < 6; i++)
		heapgen_alloc(g, &chunk, 24, 0, 0);
	heapgen_word(g, chunk + g->word, (own - chunk) | 1);
	g->thread = (struct dump_thread){ .id = 4711, .regs = &joined, .reg_count = 1 };
	heapgen_read(g);
	assert_int_equal(g->damages.list.count, 1);
	assert_int_equal(g->damages.list.data[0].kind, DAMAGE_CHUNK);
	heap_damage_release(&g->damages);
	heapgen_word(g, own, own + OWN - 64);
	heap_damage_find(&g->damages, &g->dump, &g->records, &g->calls, &g->blocks, &g->layout);
	assert_int_equal(g->damages.list.count, 0);
	assert_int_equal(g->damages.unsettled, 1);
}

static void chunks_that_are_being_joined_are_no_damage(void **state)
{
	(void)state;
	HEAPGEN_EACH(joining);
}

/* Words in front of blocks that are no chunk sizes, as other allocators have them. */
static void foreign(struct heapgen *g)
{
	heapgen_region(g, LOW, SIZE);
	uint64_t r = 7;
	for (uint64_t at = LOW; at < LOW + SIZE; at += 8)
		heapgen_put(g, at, 8, r = r * 6364136223846793005u + 1);
	for (uint64_t p = LOW + 0x40; p + 0x40 < LOW + SIZE; p += 0x40) {
		heapgen_put(g, p - 24, 8, 0x31); /* by chance */
		heapgen_block(g, p, 24, 0, 0);
	}
	heapgen_read(g);
	assert_int_equal(g->damages.list.count, 0);
	assert_int_equal(g->layout.bytes[HEAP_PART_FREE], 0);
	assert_true(g->layout.bytes[HEAP_PART_OTHER] > 0);
}

static void another_allocators_heap_is_not_judged(void **state)
{
	(void)state;
	HEAPGEN_EACH(foreign);
}

static void faults(struct heapgen *g)
{
	uint64_t p[3];
	make_heap(g, p, 3, 0);
	heapgen_block(g, p[2] + 0x200, 64, HEAP_FREED, 0);
	heapgen_read(g);
	const struct {
		uint64_t addr;
		enum damage_kind kind;
		size_t block;
		int64_t distance;
	} want[] = {
		{ p[1] + 4, DAMAGE_FAULT, 1, 0 },
		{ p[1] + 24, DAMAGE_FAULT, 1, 0 },
		{ p[1] + 25, DAMAGE_FAULT, 1, 1 },
		{ p[1] - 3, DAMAGE_FAULT, 1, -3 },
		{ p[0] - 40, DAMAGE_FAULT, 0, -40 },
		{ p[2] + 0x210, DAMAGE_FREED_USE, SIZE_MAX, 0 },
		{ LOW + SIZE + 100, DAMAGE_FAULT, 2, (int64_t)(LOW + SIZE + 100 - p[2] - 24) },
	};
	for (unsigned i = 0; i < COUNT_OF(want); i++) {
		heap_damage_release(&g->damages);
		g->dump.has_fault = true;
		g->dump.fault_addr = want[i].addr;
		heap_damage_find(&g->damages, &g->dump, &g->records, &g->calls, &g->blocks,
				 &g->layout);
		assert_int_equal(g->damages.list.count, 1);
		const struct damage *found = g->damages.list.data;
		assert_int_equal(found->kind, want[i].kind);
		assert_int_equal(found->block, want[i].block);
		assert_int_equal(found->distance, want[i].distance);
		assert_int_equal(found->freed, want[i].kind == DAMAGE_FREED_USE ? 0 : SIZE_MAX);
	}
	heap_damage_release(&g->damages);
	g->dump.fault_addr = LOW + SIZE + 0x20000;
	heap_damage_find(&g->damages, &g->dump, &g->records, &g->calls, &g->blocks, &g->layout);
	assert_int_equal(g->damages.list.count, 0);
}

static void a_fault_is_laid_to_the_nearest_block(void **state)
{
	(void)state;
	HEAPGEN_EACH(faults);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes_of_a_heap_are_told),
		cmocka_unit_test(a_strip_has_the_bytes_of_each_page),
		cmocka_unit_test(a_strip_of_a_large_heap_has_larger_pieces),
		cmocka_unit_test(chunks_between_blocks_are_told_apart),
		cmocka_unit_test(a_block_has_its_pieces),
		cmocka_unit_test(mapped_chunks_and_the_recorders_pages),
		cmocka_unit_test(heaps_in_one_region_are_told_apart),
		cmocka_unit_test(a_broken_chain_names_the_block_in_front),
		cmocka_unit_test(a_header_half_overwritten_is_damage),
		cmocka_unit_test(chunks_that_are_being_joined_are_no_damage),
		cmocka_unit_test(another_allocators_heap_is_not_judged),
		cmocka_unit_test(a_fault_is_laid_to_the_nearest_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
