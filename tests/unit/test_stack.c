/* A nested name overflows no stack, whichever thread calls heft. */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include <pthread.h>

#include "../lib/elfgen.h"
#include "base/stack.h"
#include "image/elf/elf_const.h"
#include "names/itanium.h"

enum { NAMES = 60 };

/* An ELF file whose symbols have names of _ZZZZ... that are as long as is demangled. */
static void write_nested_names(int fd)
{
	static const uint8_t code[NAMES];
	static char names[NAMES][ITANIUM_MAX_RAW + 1];
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, code, sizeof code);
	elfgen_load(&g, PF_R | PF_X, text);
	for (unsigned i = 0; i < NAMES; i++) {
		memset(names[i], 'Z', ITANIUM_MAX_RAW);
		names[i][0] = '_';
		snprintf(names[i] + ITANIUM_MAX_RAW - 2, 3, "%02u", i);
		elfgen_symbol(&g, names[i], 0x1000 + i, 1, STB_GLOBAL << 4 | STT_FUNC,
			      (uint16_t)text);
	}
	const struct bytes file = elfgen_finish(&g);
	assert_int_equal(write(fd, file.p, file.size), file.size);
	mem_free((void *)(uintptr_t)file.p);
}

static bool count(void *ctx, const void *data, size_t size)
{
	size_t *written = ctx;
	(void)data;
	*written += size;
	return true;
}

struct measured {
	char path[32];
	size_t written;
	struct heft_err err;
};

static void *measure(void *ctx)
{
	struct measured *m = ctx;
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = heft_profile_new(s);
	heft_session_set_threads(s, 1);
	if (heft_profile_add_source(p, "symbols", &m->err) &&
	    heft_profile_add_file(p, m->path, HEFT_INPUT, &m->err) && heft_profile_run(p, &m->err))
		(void)heft_profile_write(p, NULL, &(struct heft_sink){ count, &m->written },
					 &m->err);
	heft_profile_free(p);
	heft_session_free(s);
	return NULL;
}

static void a_thread_with_a_small_stack_measures_nested_names(void **state)
{
	struct measured m = { .path = "/tmp/heft-test-XXXXXX" };
	const int fd = mkstemp(m.path);
	pthread_t thread;
	(void)state;
	assert_true(fd >= 0);
	write_nested_names(fd);
	assert_int_equal(stack_thread(&thread, (size_t)256 << 10, measure, &m), 0);
	pthread_join(thread, NULL);
	unlink(m.path);
	close(fd);
	assert_string_equal(m.err.text, "");
	assert_true(m.written > 0);
}

struct deep {
	uintptr_t low; /* the lowest address that was written to */
	pthread_t thread;
};

static void use_a_megabyte(void *ctx)
{
	struct deep *d = ctx;
	volatile char room[1 << 20];
	for (size_t i = 0; i < sizeof room; i += 512)
		room[i] = 1;
	d->low = (uintptr_t)&room[0];
	d->thread = pthread_self();
}

static void *call_twice(void *ctx)
{
	struct stack s = { 0 };
	for (int i = 0; i < 2; i++)
		if (!stack_call(&s, 2 << 20, use_a_megabyte, ctx))
			return NULL;
	return ctx;
}

static void a_call_that_needs_more_than_there_is_gets_a_thread(void **state)
{
	const size_t sizes[] = { (size_t)256 << 10, (size_t)8 << 20 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct deep d = { 0 };
		pthread_t thread;
		void *done = NULL;
		assert_int_equal(stack_thread(&thread, sizes[i], call_twice, &d), 0);
		pthread_join(thread, &done);
		assert_ptr_equal(done, &d);
		assert_true(d.low != 0);
		assert_int_equal(pthread_equal(d.thread, thread) != 0, i == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_with_a_small_stack_measures_nested_names),
		cmocka_unit_test(a_call_that_needs_more_than_there_is_gets_a_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
