/* The recorder's pages and the call tree, made by hand. */
#include "../lib/heapgen.h"

enum { NODES = 0x110000, STACKS = 0x118000, MORE = 0x120000, LAST = 0x128000 };

static struct heapgen_page page(uint64_t addr, uint32_t kind, uint32_t number, uint32_t used)
{
	return (struct heapgen_page){ addr, kind, number, used, 1, 1 };
}

static void start(struct heapgen *g, uint64_t peak, uint32_t peak_epoch)
{
	const uint64_t at = heapgen_page(g, page(HEAPGEN_PROCESS, HEAP_PAGE_PROCESS, 1, 1));
	heapgen_process(g, at, 0, peak, peak_epoch, 1);
}

/* main calls f and g; f is called twice from there. */
static void three_stacks(struct heapgen *g)
{
	start(g, 1000, 5);
	const uint64_t nodes = heapgen_page(g, page(NODES, HEAP_PAGE_NODES, 1, 3));
	heapgen_node(g, nodes, 0, 0x1001, 0);
	heapgen_node(g, nodes, 1, 0x2001, heapgen_node_id(1, 0));
	heapgen_node(g, nodes, 2, 0x3001, heapgen_node_id(1, 0));
	const uint64_t stacks = heapgen_page(g, page(STACKS, HEAP_PAGE_STACKS, 1, 2));
	/* Unchanged since the peak; changed, with what it was. */
	heapgen_stack(g, stacks, 0,
		      &(struct heap_stack){ .allocs = 10,
					    .alloc_bytes = 300,
					    .frees = 4,
					    .freed_bytes = 100,
					    .peak_bytes = 250,
					    .at_peak_bytes = 7,
					    .peak_epoch = 4,
					    .node = heapgen_node_id(1, 1),
					    .temporary = 2 });
	heapgen_stack(g, stacks, 1,
		      &(struct heap_stack){ .allocs = 5,
					    .alloc_bytes = 500,
					    .frees = 5,
					    .freed_bytes = 500,
					    .peak_bytes = 500,
					    .at_peak_bytes = 400,
					    .at_peak_blocks = 4,
					    .peak_epoch = 5,
					    .node = heapgen_node_id(1, 2) });
}

static void counters(struct heapgen *g)
{
	three_stacks(g);
	const uint64_t far = heapgen_page(g, page(MORE, HEAP_PAGE_REMOTE, 1, 511));
	heapgen_put(g, far, 8, 1);
	heapgen_put(g, far + 8, 8, 50);
	heapgen_read(g);
	assert_true(g->records.found);
	assert_int_equal(g->records.process.pid, 4711);
	assert_int_equal(g->records.places.count, 4);
	assert_true(g->calls.counted);
	assert_int_equal(g->calls.nodes.count, 4);
	assert_int_equal(g->calls.stacks.count, 3);
	const struct call_stack *s = &g->calls.stacks.data[1];
	assert_int_equal(s->live, 5);
	assert_int_equal(s->live_bytes, 150);
	assert_int_equal(s->at_peak_bytes, 150);
	assert_int_equal(s->at_peak, 5);
	assert_int_equal(s->temporary, 2);
	assert_int_equal(s[1].live_bytes, 0);
	assert_int_equal(s[1].at_peak_bytes, 400);
	assert_int_equal(s[1].at_peak, 4);
	assert_int_equal(g->calls.at_peak_bytes, 550);
	assert_int_equal(g->calls.alloc_bytes, 800);
	assert_int_equal(calls_by_id(&g->calls, heapgen_stack_id(1, 1)), 2);
	assert_int_equal(calls_by_id(&g->calls, heapgen_stack_id(1, 2)), 0);
	assert_int_equal(calls_by_id(&g->calls, heapgen_stack_id(7, 0)), 0);
	assert_int_equal(calls_by_id(&g->calls, UINT32_MAX), 0);
	assert_int_equal(g->notes.count, 0);
}

static void counters_are_summed_and_the_peak_is_that_of_the_process(void **state)
{
	(void)state;
	HEAPGEN_EACH(counters);
}

static void peak_now(struct heapgen *g)
{
	three_stacks(g);
	/* Less than the 200 bytes that live. */
	heapgen_put(g, HEAPGEN_PROCESS + HEAP_PAGE_HEADER + 48, 8, 150);
	heapgen_read(g);
	assert_int_equal(g->calls.at_peak_bytes, 200);
	assert_int_equal(g->calls.stacks.data[2].at_peak_bytes, 0);
}

static void more_than_ever_is_the_peak(void **state)
{
	(void)state;
	HEAPGEN_EACH(peak_now);
}

static void joined(struct heapgen *g)
{
	three_stacks(g);
	struct heapgen_page other = page(MORE, HEAP_PAGE_NODES, 2, 2);
	other.slot = 2;
	const uint64_t nodes = heapgen_page(g, other);
	heapgen_node(g, nodes, 0, 0x1001, 0);
	heapgen_node(g, nodes, 1, 0x2001, heapgen_node_id(2, 0));
	other = page(LAST, HEAP_PAGE_STACKS, 2, 1);
	other.slot = 2;
	heapgen_stack(g, heapgen_page(g, other), 0,
		      &(struct heap_stack){
			      .allocs = 1, .alloc_bytes = 8, .node = heapgen_node_id(2, 1) });
	heapgen_read(g);
	assert_int_equal(g->calls.nodes.count, 4);
	assert_int_equal(g->calls.stacks.count, 3);
	assert_int_equal(g->calls.stacks.data[1].allocs, 11);
	assert_int_equal(g->calls.shares.count, 3);
	assert_int_equal(g->calls.shares.data[1].slot, 2);
	assert_int_equal(g->calls.shares.data[1].alloc_bytes, 8);
	assert_int_equal(calls_by_id(&g->calls, heapgen_stack_id(2, 0)), 1);
}

static void one_stack_in_two_threads_is_one(void **state)
{
	(void)state;
	HEAPGEN_EACH(joined);
}

static void put_module(struct heapgen *g, uint64_t at, uint64_t start, uint32_t first,
		       uint32_t last, const char *path)
{
	heapgen_put(g, at, 8, start);
	heapgen_put(g, at + 8, 8, start + 0x1000);
	heapgen_put(g, at + 16, 8, start);
	heapgen_put(g, at + 24, 4, first);
	heapgen_put(g, at + 28, 4, last);
	memcpy(heapgen_at(g, at + 72), path, strlen(path));
}

/* One address, two modules one after the other. */
static void epochs(struct heapgen *g)
{
	start(g, 0, 0);
	const uint64_t modules = heapgen_page(g, page(NODES - 0x8000, HEAP_PAGE_MODULES, 1, 2));
	put_module(g, modules, 0x1000, 1, 2, "one");
	put_module(g, modules + 504, 0x1000, 2, 0, "two");
	for (uint32_t i = 0; i < 2; i++) {
		struct heapgen_page w = page(NODES + i * 0x8000ull, HEAP_PAGE_NODES, i + 1, 1);
		w.epoch = i + 1;
		heapgen_node(g, heapgen_page(g, w), 0, 0x1010, 0);
	}
	heapgen_read(g);
	assert_int_equal(g->calls.nodes.count, 3);
	assert_int_equal(g->calls.modules.count, 2);
	const struct call_node *n = g->calls.nodes.data;
	assert_string_equal(g->calls.modules.data[n[1].module].path, "one");
	assert_string_equal(g->calls.modules.data[n[2].module].path, "two");
}

static void an_address_means_the_module_of_its_time(void **state)
{
	(void)state;
	HEAPGEN_EACH(epochs);
}

/* Callers that come after, that are themselves, that are missing; stacks of no node. */
static void forged(struct heapgen *g)
{
	start(g, 0, 0);
	const uint64_t nodes = heapgen_page(g, page(NODES, HEAP_PAGE_NODES, 1, 4));
	heapgen_node(g, nodes, 0, 0x1001, heapgen_node_id(1, 1));
	heapgen_node(g, nodes, 1, 0x2001, heapgen_node_id(1, 0));
	heapgen_node(g, nodes, 2, 0x3001, heapgen_node_id(1, 2));
	heapgen_node(g, nodes, 3, 0x4001, heapgen_node_id(99, 5));
	const uint64_t stacks = heapgen_page(g, page(STACKS, HEAP_PAGE_STACKS, 1, 2));
	heapgen_stack(g, stacks, 0,
		      &(struct heap_stack){ .allocs = UINT64_MAX,
					    .alloc_bytes = UINT64_MAX,
					    .frees = UINT64_MAX,
					    .node = heapgen_node_id(1, 1) });
	heapgen_stack(g, stacks, 1,
		      &(struct heap_stack){ .allocs = 3,
					    .alloc_bytes = UINT64_MAX,
					    .node = heapgen_node_id(50, 0) });
	heapgen_read(g);
	assert_int_equal(g->calls.nodes.count, 6);
	assert_int_equal(g->calls.nodes.data[1].frame, HEAP_FRAME_CUT);
	assert_int_equal(g->calls.nodes.data[2].parent, 1);
	assert_int_equal(g->calls.stacks.data[0].allocs, 3);
	assert_int_equal(g->calls.alloc_bytes, UINT64_MAX);
	assert_int_equal(g->notes.count, 2);
}

static void forged_nodes_make_no_ring(void **state)
{
	(void)state;
	HEAPGEN_EACH(forged);
}

static void spoil(struct heapgen *g, uint64_t addr, unsigned off, uint32_t v)
{
	heapgen_page(g, page(addr, HEAP_PAGE_NODES, 1, 1));
	heapgen_put(g, addr + off, 4, v);
}

static void bad_pages(struct heapgen *g)
{
	start(g, 0, 0);
	spoil(g, 0x110000, 52, 1);    /* check */
	spoil(g, 0x118000, 36, 5000); /* used: not under the check */
	struct heapgen_page w = page(0x120000, HEAP_PAGE_NODES, 1 << 17, 1);
	heapgen_page(g, w);
	/* A copy, and one that ends in the middle of an entry. */
	heapgen_page(g, page(0x128000, HEAP_PAGE_NODES, 2, 1));
	heapgen_region(g, 0x130000, HEAP_PAGE_SIZE);
	memcpy(heapgen_at(g, 0x130000), heapgen_at(g, 0x128000), HEAP_PAGE_SIZE);
	heapgen_page(g, page(0x138000, HEAP_PAGE_NODES, 3, 2000));
	g->regions[g->count - 1].bytes.size = HEAP_PAGE_HEADER + 40;
	heapgen_read(g);
	assert_int_equal(g->records.places.count, 3);
	assert_int_equal(g->records.nodes.count, 3);
	assert_int_equal(g->records.nodes.data[0].entries.size, 0);
	assert_int_equal(g->records.nodes.data[2].entries.size, 32);
	assert_int_equal(g->notes.count, 2);
}

static void pages_that_lie_are_left_out(void **state)
{
	(void)state;
	HEAPGEN_EACH(bad_pages);
}

static void times(struct heapgen *g)
{
	start(g, 0, 0);
	const uint64_t moments = heapgen_page(g, page(NODES, HEAP_PAGE_TIMELINE, 1, 4));
	const uint64_t at[] = { 10, 20, 15, 30 };
	for (unsigned i = 0; i < 4; i++)
		heapgen_put(g, moments + 32 * i, 8, at[i]);
	heapgen_read(g);
	assert_int_equal(g->records.timeline.count, 3);
	assert_int_equal(g->records.timeline.data[2].at, 30);
}

static void moments_that_are_not_later_are_stale(void **state)
{
	(void)state;
	HEAPGEN_EACH(times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_summed_and_the_peak_is_that_of_the_process),
		cmocka_unit_test(more_than_ever_is_the_peak),
		cmocka_unit_test(one_stack_in_two_threads_is_one),
		cmocka_unit_test(an_address_means_the_module_of_its_time),
		cmocka_unit_test(forged_nodes_make_no_ring),
		cmocka_unit_test(pages_that_lie_are_left_out),
		cmocka_unit_test(moments_that_are_not_later_are_stale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
