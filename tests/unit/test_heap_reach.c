/* Which blocks are reached, in memory made by hand. */
#include "../lib/heapgen.h"

enum { HEAP = 0x40000, SIZE = 0x4000, DATA = 0x80000, STACK = 0x90000, BLOCKS = 8 };

/* Blocks of 64 bytes, some data and a stack. */
static void make_memory(struct heapgen *g, uint64_t *p)
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	for (unsigned i = 0; i < BLOCKS; i++)
		p[i] = heapgen_alloc(g, &at, 64, 0, 0);
	heapgen_top(g, at);
	heapgen_region(g, DATA, 0x1000);
	heapgen_region(g, STACK, 0x1000);
	g->thread.sp = STACK + 0x800;
	g->thread.stack_start = STACK;
	g->thread.stack_end = STACK + 0x1000;
}

static void expect(struct heapgen *g, const char *want)
{
	char got[BLOCKS + 1] = { 0 };
	uint8_t *reach;
	const char *why = "";
	heapgen_read(g);
	if (!heap_reach(&reach, &why, &g->dump, &g->records, &g->blocks, &g->layout))
		fail_msg("%s", why);
	assert_null(heap_reach_invariants(reach, &g->blocks));
	for (size_t i = 0; i < g->blocks.live.count; i++)
		got[i] = "-=~+"[reach_of(reach, i)];
	mem_free(reach);
	assert_string_equal(got, want);
}

/* - lost, = indirectly, ~ from inside, + reached */
static void roots(struct heapgen *g)
{
	uint64_t p[BLOCKS];
	make_memory(g, p);
	heapgen_word(g, DATA + 0x10, p[0]);
	heapgen_word(g, STACK + 0x900, p[1]);
	heapgen_word(g, STACK + 0x800 - 64, p[2]);  /* below sp, but in use */
	heapgen_word(g, STACK + 0x800 - 256, p[3]); /* left there */
	heapgen_word(g, DATA + 0x20, p[4] + 8);
	heapgen_word(g, DATA + 0x30, p[5] + 64);        /* behind its end */
	heapgen_put(g, DATA + 0x41, 4, (uint32_t)p[5]); /* not aligned */
	heapgen_word(g, DATA + 0x50, p[6] - 16);        /* its header is the allocator's */
	const uint64_t reg = p[7];
	g->thread.regs = &reg;
	g->thread.reg_count = 1;
	expect(g, "+++-~--+");
}

static void registers_stacks_and_data_are_roots(void **state)
{
	(void)state;
	HEAPGEN_EACH(roots);
}

/* 0 -> 1 -> 2 reached; 3 -> 4 -> 3 a ring, 4 -> 5; 6 -> 7, 6 -> 6. */
static void chains(struct heapgen *g)
{
	uint64_t p[BLOCKS];
	make_memory(g, p);
	heapgen_word(g, DATA, p[0] + 8);
	heapgen_word(g, DATA + 8, p[0]);
	heapgen_word(g, p[0], p[1] + 1);
	heapgen_word(g, p[1] + 56, p[2]);
	heapgen_word(g, p[3], p[4]);
	heapgen_word(g, p[4], p[3]);
	heapgen_word(g, p[4] + 8, p[5]);
	heapgen_word(g, p[6], p[7] + 3);
	heapgen_word(g, p[6] + 16, p[6]);
	expect(g, "+~+-==-=");
}

static void what_hangs_on_the_lost_is_lost_indirectly(void **state)
{
	(void)state;
	HEAPGEN_EACH(chains);
}

/* Memory in use without a header is a root, freed memory is not; nor is what the recorder keeps. */
static void between(struct heapgen *g)
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g);
	const uint64_t used = heapgen_chunk(g, &at, 0x200, true);
	const uint64_t a = heapgen_alloc(g, &at, 64, 0, 0);
	const uint64_t freed = heapgen_chunk(g, &at, 0x200, true);
	heapgen_word(g, at, 0x200);
	heapgen_word(g, at + g->word, heapgen_chunk_size(g, 80));
	const uint64_t b = at + 2 * g->word + 16;
	heapgen_block(g, b, 64, 0, 0);
	at += heapgen_chunk_size(g, 80);
	heapgen_top(g, at);
	heapgen_word(g, used + 0x100, a);
	heapgen_word(g, freed + 0x100, b);
	heapgen_region(g, DATA, 0x4000);
	heapgen_word(g, DATA + 0x2000, b);
	const struct heapgen_page threads = { HEAPGEN_PROCESS, HEAP_PAGE_THREADS, 1, 1, 0, 0 };
	const uint64_t thread = heapgen_page(g, threads);
	heapgen_put(g, thread + 32, 8, DATA + 0x1000);
	heapgen_put(g, thread + 40, 8, 0x2000);
	heapgen_put(g, thread + 48, 8, b);
	expect(g, "+-");
}

static void freed_memory_and_the_recorders_are_no_roots(void **state)
{
	(void)state;
	HEAPGEN_EACH(between);
}

/* What the allocator keeps of the chunk behind a block that reaches into it. */
static void behind(struct heapgen *g)
{
	heapgen_region(g, HEAP, SIZE);
	uint64_t at = heapgen_start(g), p[3];
	for (unsigned i = 0; i < 3; i++)
		p[i] = heapgen_alloc(g, &at, 64 + g->word, 0, 0);
	heapgen_top(g, at);
	heapgen_region(g, DATA, 0x1000);
	heapgen_region(g, STACK, 0x1000);
	g->thread.sp = g->thread.stack_start = STACK;
	g->thread.stack_end = STACK + 0x1000;
	heapgen_word(g, DATA + 0x10, p[0] + 64);
	heapgen_word(g, DATA + 0x20, p[1] + 64 - g->word);
	heapgen_word(g, DATA + 0x30, p[2] + 65);
	expect(g, "-~~");
}

static void pointers_to_the_next_chunk_keep_no_block(void **state)
{
	(void)state;
	HEAPGEN_EACH(behind);
}

/* A thread that ends the process: its registers, and its stack below the call of exit. */
static void ending(struct heapgen *g)
{
	uint64_t p[BLOCKS];
	make_memory(g, p);
	heapgen_word(g, STACK + 0x880, p[0]);
	heapgen_word(g, STACK + 0x900, p[1]);
	heapgen_region(g, DATA + 0x20000, 0x4000);
	const struct heapgen_page threads = { HEAPGEN_PROCESS, HEAP_PAGE_THREADS, 1, 1, 0, 0 };
	const uint64_t thread = heapgen_page(g, threads);
	heapgen_put(g, thread, 4, 7);
	heapgen_put(g, thread + 56, 8, STACK + 0x900);
	const uint64_t reg = p[2];
	g->thread.id = 7;
	g->thread.regs = &reg;
	g->thread.reg_count = 1;
	expect(g, "-+------");
}

static void the_end_of_a_process_forgets_what_ran(void **state)
{
	(void)state;
	HEAPGEN_EACH(ending);
}

enum { MANY = 70000, FAR = 0x1000000 }; /* more than the list of what is to be scanned holds */

/* A block with pointers to many, the last of which leads to another such block in front of it. */
static void make_many(struct heapgen *g, uint64_t ret[2])
{
	heapgen_region(g, FAR, 12 << 20);
	uint64_t at = heapgen_start(g), *small = mem_alloc(2 * MANY * sizeof *small);
	for (unsigned half = 0; half < 2; half++) {
		uint64_t *p = small + half * (size_t)MANY;
		for (unsigned i = 0; i < MANY; i++)
			p[i] = heapgen_alloc(g, &at, 8, 0, 0);
		ret[half] = heapgen_alloc(g, &at, MANY * (uint64_t)g->word, 0, 0);
		for (unsigned i = 0; i < MANY; i++)
			heapgen_word(g, ret[half] + i * (uint64_t)g->word, p[i]);
	}
	heapgen_word(g, small[2 * MANY - 1], ret[0]);
	heapgen_top(g, at);
	mem_free(small);
}

/* All blocks but the one with the number are in one state. */
static void expect_all(struct heapgen *g, enum reach all, size_t one, enum reach of_one)
{
	uint8_t *reach;
	const char *why = "";
	heapgen_read(g);
	if (!heap_reach(&reach, &why, &g->dump, &g->records, &g->blocks, &g->layout))
		fail_msg("%s", why);
	assert_null(heap_reach_invariants(reach, &g->blocks));
	assert_int_equal(g->blocks.live.count, 2 * MANY + 2);
	for (size_t i = 0; i < g->blocks.live.count; i++)
		assert_int_equal(reach_of(reach, i), i == one ? of_one : all);
	mem_free(reach);
}

static void reached(struct heapgen *g)
{
	uint64_t large[2];
	heapgen_region(g, DATA, 0x1000);
	make_many(g, large);
	heapgen_word(g, DATA + 0x10, large[1]);
	expect_all(g, REACH_YES, SIZE_MAX, REACH_YES);
}

static void lost(struct heapgen *g)
{
	uint64_t large[2];
	make_many(g, large);
	expect_all(g, REACH_INDIRECT, 2 * MANY + 1, REACH_LOST);
}

static void as_many_as_there_are_are_scanned(void **state)
{
	(void)state;
	HEAPGEN_EACH(reached);
	HEAPGEN_EACH(lost);
}

static void untold(struct heapgen *g)
{
	uint64_t p[BLOCKS];
	uint8_t *reach;
	const char *why = NULL;
	make_memory(g, p);
	heapgen_read(g);
	g->dump.lacks = "it was cut off";
	assert_false(heap_reach(&reach, &why, &g->dump, &g->records, &g->blocks, &g->layout));
	assert_string_equal(why, "it was cut off");
	g->dump.lacks = NULL;
	assert_true(heap_reach(&reach, &why, &g->dump, &g->records, &g->blocks, &g->layout));
	mem_free(reach);
	g->dump.thread_count = 0;
	assert_false(heap_reach(&reach, &why, &g->dump, &g->records, &g->blocks, &g->layout));
}

static void dumps_that_cannot_tell_say_so(void **state)
{
	(void)state;
	HEAPGEN_EACH(untold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_stacks_and_data_are_roots),
		cmocka_unit_test(what_hangs_on_the_lost_is_lost_indirectly),
		cmocka_unit_test(freed_memory_and_the_recorders_are_no_roots),
		cmocka_unit_test(pointers_to_the_next_chunk_keep_no_block),
		cmocka_unit_test(the_end_of_a_process_forgets_what_ran),
		cmocka_unit_test(as_many_as_there_are_are_scanned),
		cmocka_unit_test(dumps_that_cannot_tell_say_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
