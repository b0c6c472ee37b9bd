/* Headers of blocks in memory made by hand. */
#include "../lib/heapgen.h"

enum { LOW = 0x10000, P = LOW + 0x100 };

static void live_and_freed(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 40, 0, 0);
	heapgen_block(g, P + 0x100, 50, HEAP_WIDE | HEAP_CANARY, 0);
	heapgen_block(g, P + 0x200, 60, HEAP_FREED, 0);
	heapgen_block(g, P + 0x300, 70, HEAP_WIDE | HEAP_FREED, 0);
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 2);
	assert_int_equal(g->blocks.freed.count, 2);
	const struct heap_found f[] = { heap_live(&g->blocks, 0), heap_live(&g->blocks, 1) };
	assert_int_equal(f[0].addr, P);
	assert_int_equal(f[0].size, 40);
	assert_int_equal(f[0].front, 16);
	assert_int_equal(f[1].thread, 77);
	assert_int_equal(f[1].front, 32);
	assert_false(f[1].canary_damaged);
	assert_int_equal(heap_freed(&g->blocks, 1).thread, 0);
	assert_int_equal(g->calls.stacks.data[0].blocks, 2);
	assert_int_equal(g->calls.stacks.data[0].block_bytes, 90);
	assert_int_equal(heap_block_at(&g->blocks, P - 16), 0);
	assert_int_equal(heap_block_at(&g->blocks, P + 39), 0);
	assert_int_equal(heap_block_at(&g->blocks, P + 0x100 - 32), 1);
	assert_int_equal(heap_block_at(&g->blocks, P + 0x100 - 33), 0);
	assert_int_equal(heap_block_at(&g->blocks, P - 17), SIZE_MAX);
	assert_int_equal(heap_block_at(&g->blocks, UINT64_MAX), 1);
}

static void headers_are_found_by_themselves(void **state)
{
	(void)state;
	HEAPGEN_EACH(live_and_freed);
}

/* One bit anywhere. */
static void one_bit(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x4000);
	for (unsigned bit = 0; bit < 256; bit++) {
		const uint64_t p = P + bit * 48ull;
		heapgen_block(g, p, 8, HEAP_WIDE, bit);
		*heapgen_at(g, p - HEAP_WIDE_SIZE + bit / 8) ^= (uint8_t)(1 << bit % 8);
	}
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 0);
	assert_int_equal(g->blocks.freed.count, 0);
}

static void a_header_with_one_bit_changed_is_none(void **state)
{
	(void)state;
	HEAPGEN_EACH(one_bit);
}

static void copies(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 40, 0, 0);
	memcpy(heapgen_at(g, P + 0x70), heapgen_at(g, P - 16), 64);
	memcpy(heapgen_at(g, P + 0x208), heapgen_at(g, P - 16), 64);
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 1);
}

static void a_copy_is_no_header(void **state)
{
	(void)state;
	HEAPGEN_EACH(copies);
}

/* Behind the end, into the next region without a hole, into one with a hole; the most there is. */
static void lying_sizes(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_region(g, LOW + 0x1000, 0x1000);
	heapgen_region(g, LOW + 0x3000, 0x1000);
	heapgen_block(g, LOW + 0x800, 0x2000, 0, 0);
	heapgen_block(g, LOW + 0x900, HEAP_SIZE_MASK, 0, 0);
	heapgen_block(g, LOW + 0xa00, 0x1601, 0, 0);
	heapgen_block(g, LOW + 0xb00, 0x14f9, HEAP_CANARY, 0);
	heapgen_block(g, LOW + 0xc00, 0x1400, 0, 0);
	heapgen_block(g, LOW + 0x3ff0, 16, 0, 0);
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 2);
	assert_int_equal(heap_live(&g->blocks, 0).size, 0x1400);
	assert_int_equal(heap_live(&g->blocks, 1).size, 16);
	assert_int_equal(g->layout.spans.count, 2);
	assert_int_equal(g->layout.spans.data[0].size, 0x2000);
}

static void blocks_end_where_memory_does(void **state)
{
	(void)state;
	HEAPGEN_EACH(lying_sizes);
}

static void inside(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 0x200, 0, 0);
	heapgen_block(g, P + 0x40, 16, 0, 0);
	heapgen_block(g, P + 0x80, 16, HEAP_FREED, 0);
	heapgen_block(g, P + 0x200, 16, 0, 0); /* its header is inside, it is not */
	heapgen_block(g, P + 0x210, 16, 0, 0);
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 2);
	assert_int_equal(g->blocks.freed.count, 0);
	assert_int_equal(heap_live(&g->blocks, 1).addr, P + 0x210);
}

static void what_is_inside_a_live_block_is_the_programs(void **state)
{
	(void)state;
	HEAPGEN_EACH(inside);
}

static void canaries(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 33, HEAP_CANARY, 0);
	heapgen_block(g, P + 0x100, 33, HEAP_CANARY, 0);
	*heapgen_at(g, P + 33 + 2) ^= 1;
	*heapgen_at(g, P + 33 + 5) ^= 1;
	heapgen_read(g);
	assert_true(heap_live(&g->blocks, 0).canary_damaged);
	assert_false(heap_live(&g->blocks, 1).canary_damaged);
	assert_int_equal(g->damages.list.count, 1);
	const struct damage *found = g->damages.list.data;
	assert_int_equal(found->kind, DAMAGE_CANARY);
	assert_int_equal(found->block, 0);
	assert_int_equal(found->addr, P + 33 + 2);
	assert_int_equal(found->count, 2);
}

static void a_canary_tells_its_own_block(void **state)
{
	(void)state;
	HEAPGEN_EACH(canaries);
}

static void cut_off(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 0x80, 0, 0);
	heapgen_block(g, P + 0x100, 0x80, HEAP_CANARY, 0);
	g->regions[0].bytes.size = 0x100 + 0x180 + 4;
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 2);
	assert_false(heap_live(&g->blocks, 0).cut);
	assert_true(heap_live(&g->blocks, 1).cut);
	assert_false(heap_live(&g->blocks, 1).canary_damaged);
}

static void what_the_dump_lacks_is_cut(void **state)
{
	(void)state;
	HEAPGEN_EACH(cut_off);
}

static void inline_stacks(struct heapgen *g)
{
	const uint64_t frames[] = { 0x1001, 0x2001, 0x3001 };
	heapgen_region(g, LOW, 0x2000);
	uint8_t *memory = heapgen_at(g, LOW);
	for (unsigned i = 1; i < 6; i++)
		coregen_inline(memory, 0x100 * i, g->word, g->big_endian, LOW, 24, frames,
			       i < 4 ? 3 : 2);
	*heapgen_at(g, LOW + 0x200 - 16 - 8) ^= 0x40; /* in a frame, or in the zeros behind it */
	*heapgen_at(g, LOW + 0x300 - 32 - 8) ^= 0x40;
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 5);
	struct heap_found f[5];
	for (size_t i = 0; i < COUNT_OF(f); i++)
		f[i] = heap_live(&g->blocks, i);
	assert_int_equal(g->calls.stacks.count, 3);
	assert_int_equal(f[0].stack, 1);
	assert_int_equal(f[2].stack, 0);
	assert_int_equal(f[3].stack, 2);
	assert_int_equal(f[4].stack, 2);
	assert_true(g->notes.count > 0);
	const struct call_node *n = g->calls.nodes.data;
	uint32_t at = g->calls.stacks.data[1].node;
	for (unsigned i = 0; i < 3; i++, at = n[at].parent)
		assert_int_equal(n[at].frame, frames[i]);
	assert_int_equal(at, 0);
	assert_int_equal(heap_found_start(&f[0]),
			 LOW + 0x100 - align_up(16 + 3 * g->word, 16) - 16);
}

static void inline_stacks_are_joined(void **state)
{
	(void)state;
	HEAPGEN_EACH(inline_stacks);
}

/* The magic everywhere, and bytes that look like it. */
static void by_chance(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x20000);
	uint64_t r = 1;
	for (uint64_t at = LOW; at < LOW + 0x20000; at += 16) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		heapgen_put(g, at, 8, r);
		heapgen_put(g, at + 8, 8, HEAP_MARK | (r >> 20 & 0xffff));
	}
	heapgen_read(g);
	assert_int_equal(g->blocks.live.count, 0);
	assert_int_equal(g->layout.spans.count, 0);
	assert_int_equal(g->blocks.scanned, 0x20000);
}

static void chance_makes_no_header(void **state)
{
	(void)state;
	HEAPGEN_EACH(by_chance);
}

/* Regions need not begin at multiples of 16, and many threads find the same. */
static void threads_and_odd_regions_find_the_same(void **state)
{
	(void)state;
	enum { SIZE = 5 << 20 };
	struct heapgen g = heapgen_make(8, false);
	heapgen_region(&g, LOW + 5, SIZE);
	for (uint64_t p = LOW + 48; p + 64 < LOW + SIZE; p += 1040)
		heapgen_block(&g, p, p % 1000, 0, 0);
	heapgen_read(&g);
	assert_true(g.blocks.live.count > 4000);
	struct blocks_found b;
	heap_scan(&b, &g.dump, &g.records, &g.calls, 4, &g.notes);
	assert_int_equal(b.live.count, g.blocks.live.count);
	for (size_t i = 0; i < b.live.count; i++) {
		const struct heap_found one = heap_live(&g.blocks, i), many = heap_live(&b, i);
		assert_true(one.addr == many.addr && one.size == many.size &&
			    one.stack == many.stack && one.flags == many.flags);
	}
	heap_scan_release(&b);
	heapgen_drop(&g);
}

/* What free leaves in a block's own bytes, once the allocator has written over the header. */
static void put_rest(struct heapgen *g, uint64_t p, uint64_t size, uint32_t stack, uint64_t by)
{
	const uint64_t at = p + heap_rest_distance(size);
	const uint64_t mark = HEAP_MARK | (uint64_t)HEAP_FREED << HEAP_FLAG_SHIFT | size;
	heapgen_put(g, at, 8, (uint64_t)heap_check(p, mark, stack, 0) << 32 | stack);
	heapgen_put(g, at + 8, 8, mark);
	heapgen_put(g, at + 16, 8, by);
}

static void rests(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x2000);
	heapgen_block(g, P, 24, 0, 0);
	put_rest(g, P + 0x40, 24, 0, 0x1234);
	put_rest(g, P + 0x100, 0x400, 0, 0x5678);
	heapgen_block(g, P + 0x800, 0x100, 0, 0);
	put_rest(g, P + 0x840, 24, 0, 0x1234); /* inside a live block */
	heapgen_read(g);
	const struct heap_found f[] = { heap_freed(&g->blocks, 0), heap_freed(&g->blocks, 1) };
	assert_int_equal(g->blocks.live.count, 2);
	assert_int_equal(g->blocks.freed.count, 2);
	assert_int_equal(f[0].addr, P + 0x40);
	assert_int_equal(f[0].size, 24);
	assert_int_equal(f[1].addr, P + 0x100);
	assert_int_equal(f[1].size, 0x400);
	const struct call_stack *by = &g->calls.stacks.data[f[1].freed_by];
	assert_int_equal(g->calls.nodes.data[by->node].frame, 0x5678);
	assert_int_equal(heap_freed_at(&g->blocks, P + 0x57, false), 0);
	assert_int_equal(heap_freed_at(&g->blocks, P + 0x58, false), SIZE_MAX);
	assert_int_equal(heap_freed_at(&g->blocks, P + 0xf8, false), SIZE_MAX);
	assert_int_equal(heap_freed_at(&g->blocks, P + 0xf8, true), 1);
	assert_int_equal(heap_freed_at(&g->blocks, P + 0x840, false), SIZE_MAX);
}

static void freed_blocks_are_known_by_their_own_bytes(void **state)
{
	(void)state;
	HEAPGEN_EACH(rests);
}

static void put_gone(struct heapgen *g, uint64_t at, uint64_t number, uint64_t addr, uint64_t size,
		     enum heap_gone_why why)
{
	heapgen_put(g, at, 8, number);
	heapgen_put(g, at + 8, 8, addr);
	heapgen_put(g, at + 16, 8, size);
	heapgen_put(g, at + 24, 8, 0x1000 + number);
	heapgen_put(g, at + 36, 4, 77);
	heapgen_put(g, at + 40, 4, (uint64_t)why);
}

/* A block whose memory is gone, one that was freed again, one whose place a live block has; no
 * entry at last. */
static void ring(struct heapgen *g)
{
	heapgen_region(g, LOW, 0x1000);
	heapgen_block(g, P, 0x100, 0, 0);
	const uint64_t at = heapgen_page(g, (struct heapgen_page){ .addr = HEAPGEN_PROCESS,
								   .kind = HEAP_PAGE_GONE,
								   .number = 1,
								   .used = 4 });
	put_gone(g, at, 3, P + 0x40, 24, HEAP_GONE_FREED);
	put_gone(g, at + 48, 1, 0x900000, 0x20000, HEAP_GONE_FREED);
	put_gone(g, at + 96, 2, 0x900000, 0x20000, HEAP_GONE_AGAIN);
	heapgen_read(g);
	assert_int_equal(g->records.gone.count, 3);
	assert_int_equal(g->records.gone.data[2].number, 3);
	assert_int_equal(g->blocks.freed.count, 1);
	assert_int_equal(heap_freed(&g->blocks, 0).addr, 0x900000);
	assert_int_equal(heap_freed(&g->blocks, 0).thread, 77);
	assert_int_equal(g->damages.list.count, 1);
	const struct damage *d = &g->damages.list.data[0];
	assert_int_equal(d->kind, DAMAGE_DOUBLE_FREE);
	assert_int_equal(d->addr, 0x900000);
	assert_int_equal(d->count, 1);
	assert_int_equal(d->freed, 0);
	const struct call_stack *by = &g->calls.stacks.data[d->again_by];
	assert_int_equal(g->calls.nodes.data[by->node].frame, 0x1002);
}

static void blocks_whose_memory_is_gone_are_noted(void **state)
{
	(void)state;
	HEAPGEN_EACH(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_found_by_themselves),
		cmocka_unit_test(a_header_with_one_bit_changed_is_none),
		cmocka_unit_test(a_copy_is_no_header),
		cmocka_unit_test(blocks_end_where_memory_does),
		cmocka_unit_test(what_is_inside_a_live_block_is_the_programs),
		cmocka_unit_test(a_canary_tells_its_own_block),
		cmocka_unit_test(what_the_dump_lacks_is_cut),
		cmocka_unit_test(inline_stacks_are_joined),
		cmocka_unit_test(chance_makes_no_header),
		cmocka_unit_test(threads_and_odd_regions_find_the_same),
		cmocka_unit_test(freed_blocks_are_known_by_their_own_bytes),
		cmocka_unit_test(blocks_whose_memory_is_gone_are_noted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
