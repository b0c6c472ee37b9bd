/* The recorder's table of stacks, apart from the recorder: other stacks have other ids. */
#include "recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct recorder recorder;

void *map_memory(size_t size)
{
	return calloc(1, size);
}

void unmap_memory(void *p, size_t size)
{
	(void)size;
	free(p);
}

struct heap_page *page_new(enum heap_page_kind kind, uint32_t entry_size, uint32_t slot)
{
	_Atomic(uintptr_t) *table = kind == HEAP_PAGE_NODES ? recorder.nodes : recorder.stacks;
	struct heap_page *p = aligned_alloc(HEAP_PAGE_SIZE, HEAP_PAGE_SIZE);
	assert_non_null(p);
	*p = (struct heap_page){ .entry_size = entry_size };
	p->number = ++recorder.page_numbers[kind];
	table[p->number] = (uintptr_t)p | slot;
	return p;
}

static struct frame frames[FRAMES_MAX];
static struct slot slot = { .number = 1, .frames = frames };

static void pages_free(void)
{
	for (uint32_t i = 1; i <= recorder.page_numbers[HEAP_PAGE_NODES]; i++)
		free(page_at(recorder.nodes[i]));
	for (uint32_t i = 1; i <= recorder.page_numbers[HEAP_PAGE_STACKS]; i++)
		free(page_at(recorder.stacks[i]));
	free(slot.leaves);
	free(slot.children);
	recorder.page_numbers[HEAP_PAGE_NODES] = recorder.page_numbers[HEAP_PAGE_STACKS] = 0;
	slot = (struct slot){ .number = 1, .frames = frames };
}

/* The id of the stack main -> pc, if `hash` is its hash. */
static uint32_t id_of(uint64_t pc, uint64_t hash)
{
	frames[1] = (struct frame){ .pc = 0x1000 };
	frames[2] = (struct frame){ .pc = pc, .hash = hash };
	slot.frame_count = 3;
	return stack_id(&slot, hash);
}

static void stacks_are_told_apart_by_every_bit_of_their_hash(void **state)
{
	const uint64_t hash = UINT64_C(0x123456789abcdef0);
	(void)state;
	const uint32_t first = id_of(0x2000, hash);
	assert_int_not_equal(first, 0);
	for (unsigned bit = 0; bit < 64; bit++) {
		const uint32_t other = id_of(0x3000 + bit, hash ^ UINT64_C(1) << bit);
		assert_int_not_equal(other, 0);
		assert_int_not_equal(other, first);
		assert_int_equal(node_get(stack_get(other, &(uint32_t){ 0 })->node)->frame,
				 0x3000 + bit);
	}
	assert_int_equal(id_of(0x2000, hash), first);
	pages_free();
}

static uint64_t scattered(uint64_t n)
{
	n = (n ^ n >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (n ^ n >> 29) * UINT64_C(0xd6e8feb86659fd93);
}

static void a_million_stacks_are_found_again(void **state)
{
	enum { COUNT = 1000000 };
	uint32_t *ids = malloc(COUNT * sizeof *ids);
	size_t wrong = 0;
	(void)state;
	assert_non_null(ids);
	for (uint32_t i = 0; i < COUNT; i++) {
		ids[i] = id_of(0x2000 + i, scattered(i + 1));
		wrong += node_get(stack_get(ids[i], &(uint32_t){ 0 })->node)->frame != 0x2000 + i;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		wrong += id_of(0x2000 + i, scattered(i + 1)) != ids[i];
	assert_int_equal(wrong, 0);
	free(ids);
	pages_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_told_apart_by_every_bit_of_their_hash),
		cmocka_unit_test(a_million_stacks_are_found_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
