/* Texts with their length behind the pointer to them. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"
#include "image/slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TEXTS = 0x1000, DATA = 0x2000, R_RELATIVE_X86_64 = 8 };

struct said {
	uint64_t at, size; /* in the texts; size 0: only a pointer */
};

/* A program whose read-only data are `texts`, with a pointer and a number for each of `said`. */
static struct bytes make(const char *texts, size_t size, const struct said *said, size_t count)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	struct elfgen_out data = { 0 }, rela = { 0 };
	for (size_t i = 0; i < count; i++) {
		elfgen_put(&data, 8, 0);
		elfgen_put(&data, 8, said[i].size);
		elfgen_put(&rela, 8, DATA + 16 * i);
		elfgen_put(&rela, 8, R_RELATIVE_X86_64);
		elfgen_put(&rela, 8, TEXTS + said[i].at);
	}
	const uint32_t ro = elfgen_section(&g, ".rodata", SHT_PROGBITS, SHF_ALLOC, TEXTS, texts,
					   size);
	const uint32_t rw = elfgen_section(&g, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					   DATA, data.bytes.data, data.bytes.count);
	const uint32_t table = elfgen_section(&g, ".rela.dyn", SHT_RELA, SHF_ALLOC, 0x3000,
					      rela.bytes.data, rela.bytes.count);
	g.sections.data[table].entsize = 24;
	elfgen_load(&g, PF_R, ro);
	elfgen_load(&g, PF_R | PF_W, rw);
	vec_release(&data.bytes);
	vec_release(&rela.bytes);
	return elfgen_finish(&g);
}

static void check(const char *texts, size_t size, const struct said *said, size_t count,
		  const struct said *want, size_t wanted)
{
	const struct bytes file = make(texts, size, said, count);
	struct input in;
	struct heft_err err;
	struct slices s;
	if (!input_parse(&in, "x", file, NULL, &err))
		fail_msg("%s", err.text);
	slices_read(&s, &in.images[0]);
	assert_int_equal(s.list.count, wanted);
	for (size_t i = 0; i < wanted; i++) {
		assert_int_equal(s.list.data[i].addr, TEXTS + want[i].at);
		assert_int_equal(s.list.data[i].size, want[i].size);
	}
	slices_release(&s);
	input_close(&in);
	mem_free((void *)(uintptr_t)file.p);
}

#define CHECK(texts, said, want)                                                                   \
	check(texts, sizeof(texts) - 1, said, COUNT_OF(said), want, COUNT_OF(want))
#define NONE(texts, said) check(texts, sizeof(texts) - 1, said, COUNT_OF(said), NULL, 0)

static void texts_side_by_side_are_found(void **state)
{
	static const struct said said[] = { { 5, 6 }, { 0, 5 }, { 11, 2 }, { 13, 8 } };
	static const struct said want[] = { { 0, 5 }, { 5, 6 }, { 11, 2 }, { 13, 8 } };
	(void)state;
	CHECK("alphagammazzcaf\303\251 au\n\001",
	      ((struct said[]){ { 0, 5 }, { 5, 5 }, { 10, 2 } }),
	      ((struct said[]){ { 0, 5 }, { 5, 5 }, { 10, 2 } }));
	CHECK("alpha gammzzsomething\001", said, want);
}

static void parts_of_others_are_not(void **state)
{
	(void)state;
	CHECK("alphagamma\001", ((struct said[]){ { 0, 5 }, { 5, 5 }, { 1, 3 }, { 0, 2 } }),
	      ((struct said[]){ { 0, 5 }, { 5, 5 } }));
}

static void numbers_behind_c_strings_are_no_lengths(void **state)
{
	(void)state;
	NONE("\0secret\0uncompressed\0", ((struct said[]){ { 1, 4 }, { 8, 2 }, { 10, 6 } }));
	NONE("\0secret\0", ((struct said[]){ { 1, 6 } })); /* its length: a string anyhow */
}

static void what_is_no_text_is_not(void **state)
{
	(void)state;
	NONE("abc\002defgh\001", ((struct said[]){ { 0, 5 }, { 4, 0 } }));
	NONE("abcd\001", ((struct said[]){ { 0, 40 }, { 0, UINT64_MAX } }));
	NONE("abcd\303\251zz\001", ((struct said[]){ { 0, 5 }, { 5, 3 } })); /* half a character */
	NONE("abcdefgh\001", ((struct said[]){ { 0, 2 } }));                 /* short and alone */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_side_by_side_are_found),
		cmocka_unit_test(parts_of_others_are_not),
		cmocka_unit_test(numbers_behind_c_strings_are_no_lengths),
		cmocka_unit_test(what_is_no_text_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
