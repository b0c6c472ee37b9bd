#include "base/arena.h"
#include "base/large.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void memory_is_zeroed_and_aligned(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 1; i < 2000; i++) {
		uint64_t *p = arena_new(&a, uint64_t, i % 7);
		assert_int_equal((uintptr_t)p % _Alignof(uint64_t), 0);
		for (size_t k = 0; k < i % 7; k++) {
			assert_int_equal(p[k], 0);
			p[k] = UINT64_MAX; /* would show in the next one if they overlapped */
		}
		arena_copy(&a, STR("x")); /* puts the next one at an odd place */
	}
	arena_release(&a);
}

static void large_pieces_get_room_of_their_own(void **state)
{
	struct arena a = { 0 };
	(void)state;
	char *small = arena_copy(&a, STR("small"));
	char *large = arena_alloc(&a, 10 << 20, 1);
	memset(large, 'x', 10 << 20);
	assert_string_equal(small, "small");
	assert_true(a.total >= 10 << 20);
	arena_release(&a);
	assert_int_equal(a.total, 0);
	assert_null(a.head);
}

static void copies_end_in_nul_and_may_hold_any_byte(void **state)
{
	struct arena a = { 0 };
	(void)state;
	const char *p = arena_copy(&a, (struct str){ "a\0b", 3 });
	assert_memory_equal(p, "a\0b", 4);
	assert_string_equal(arena_copy(&a, (struct str){ NULL, 0 }), "");
	arena_release(&a);
}

static void formatted_texts_may_be_long(void **state)
{
	struct arena a = { 0 };
	char word[1000];
	(void)state;
	memset(word, 'w', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	assert_string_equal(arena_format(&a, "%d-%s", 7, "x"), "7-x");
	const char *text = arena_format(&a, "<%s>", word);
	assert_int_equal(strlen(text), sizeof word + 1);
	assert_int_equal(text[sizeof word], '>');
	arena_release(&a);
}

static void adopted_memory_lives_on(void **state)
{
	struct arena a = { 0 }, b = { 0 }, empty = { 0 };
	(void)state;
	char *mine = arena_copy(&a, STR("mine")), *theirs = arena_copy(&b, STR("theirs"));
	const uint64_t total = a.total + b.total;
	arena_adopt(&a, &b);
	arena_adopt(&a, &empty);
	assert_null(b.head);
	assert_int_equal(a.total, total);
	arena_copy(&a, STR("more"));
	assert_string_equal(mine, "mine");
	assert_string_equal(theirs, "theirs");
	arena_adopt(&b, &a);
	assert_string_equal(theirs, "theirs");
	arena_release(&b);
	arena_release(&a);
}

static void a_reset_arena_keeps_a_block_for_the_next_round(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 1000; i++)
			arena_alloc(&a, 1000, 8);
		arena_reset(&a);
		assert_non_null(a.head);
		assert_true(a.total <= 1 << 20);
	}
	arena_release(&a);
}

/* Of this process; pages. */
static long resident(void)
{
	long all = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f) {
		assert_int_equal(fscanf(f, "%ld %ld", &all, &pages), 2);
		fclose(f);
	}
	return pages;
}

static void small_pieces_leave_the_process_before_the_last_is_free(void **state)
{
	enum { PIECES = 4000, SIZE = 16000 };
	char **pieces = mem_zeroed(PIECES, sizeof *pieces);
	(void)state;
#ifdef __GLIBC__
	if (!LARGE_MAPPED || resident() == 0)
#endif
		skip();
	for (size_t i = 0; i < PIECES; i++)
		memset(pieces[i] = mem_alloc(SIZE), 1, SIZE);
	void *last = mem_alloc(SIZE);
	const long before = resident();
	for (size_t i = 0; i < PIECES; i++)
		mem_free(pieces[i]);
	mem_give_back();
	assert_true(resident() < before / 2);
	mem_free(last);
	mem_free(pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(large_pieces_get_room_of_their_own),
		cmocka_unit_test(copies_end_in_nul_and_may_hold_any_byte),
		cmocka_unit_test(formatted_texts_may_be_long),
		cmocka_unit_test(adopted_memory_lives_on),
		cmocka_unit_test(small_pieces_leave_the_process_before_the_last_is_free),
		cmocka_unit_test(a_reset_arena_keeps_a_block_for_the_next_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
