/* Basic blocks through heft.h. */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"

enum { TEXT = 0x1000 };

static struct heft_session *session; /* of the last file */

static struct heft_blocks *open_elf(struct elfgen *g, enum heft_demangle style)
{
	char path[] = "/tmp/heft-blocks-XXXXXX";
	struct bytes file = elfgen_finish(g);
	struct heft_err err;
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.p, file.size), (ssize_t)file.size);
	close(fd);
	mem_free((void *)(uintptr_t)file.p);
	heft_session_free(session);
	session = heft_session_new();
	struct heft_blocks *b = heft_blocks_new(session);
	heft_session_set_demangle(session, style);
	assert_true(heft_blocks_open(b, path, &err));
	assert_false(heft_blocks_open(b, path, &err)); /* one file a handle */
	unlink(path);
	return b;
}

/* Version 5 with calls: a function in two parts, and one behind the first of them. */
static struct elfgen make_program(void)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	struct elfgen_out o = { 0 };
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, NULL, 0x100);
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_put(&o, 4, 0x02002805); /* version 5, calls, 2 ranges */
	elfgen_put(&o, 8, TEXT);
	elfgen_put(&o, 1, 2);
	elfgen_put(&o, 6, UINT64_C(0x080305010000)); /* a call to 5, 3 bytes, falls through */
	elfgen_put(&o, 5, UINT64_C(0x0107000201));   /* 2 bytes on: no calls, 7 bytes, returns */
	elfgen_put(&o, 8, TEXT + 0x80);
	elfgen_put(&o, 6, UINT64_C(0x040600000201)); /* 1 block: landing pad */
	elfgen_put(&o, 3, 5);
	elfgen_put(&o, 8, TEXT + 0x20);
	elfgen_put(&o, 5, UINT64_C(0x0109000001));
	elfgen_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, 0, 0, o.bytes.data,
		       o.bytes.count);
	vec_release(&o.bytes);
	elfgen_symbol(&g, "_ZN3app3runEv", TEXT, 17, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	return g;
}

static void functions_come_by_address_with_all_their_parts(void **state)
{
	struct elfgen g = make_program();
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_FULL);
	struct heft_block_function f = { .size = sizeof f };
	(void)state;
	assert_int_equal(heft_session_note_count(session), 0);
	assert_int_equal(heft_blocks_function_count(b), 2);
	assert_true(heft_blocks_function(b, 0, &f, NULL));
	assert_string_equal(f.name, "app::run()");
	assert_string_equal(f.linkage, "_ZN3app3runEv");
	assert_string_equal(f.section, ".text");
	assert_int_equal(f.version, 5);
	assert_int_equal(f.range_count, 2);
	assert_int_equal(f.block_count, 3);
	assert_int_equal(f.blocks[0]->size, 8);
	assert_int_equal(f.blocks[0]->call_count, 1);
	assert_int_equal(f.blocks[0]->calls[0], TEXT + 5);
	assert_int_equal(f.blocks[1]->addr, TEXT + 10);
	assert_int_equal(f.blocks[2]->addr, TEXT + 0x80);
	assert_int_equal(f.blocks[2]->flags, HEFT_BLOCK_LANDING_PAD);
	assert_true(heft_blocks_function(b, 1, &f, NULL));
	assert_string_equal(f.name, "sub_1020");
	assert_string_equal(f.linkage, "");
	assert_false(heft_blocks_function(b, 2, &f, NULL));
	heft_blocks_free(b);
}

static void an_address_leads_to_its_block(void **state)
{
	static const struct {
		uint64_t addr, function;
		size_t block;
		bool found;
	} cases[] = {
		{ TEXT - 1, 0, 0, false },
		{ TEXT, TEXT, 0, true },
		{ TEXT + 7, TEXT, 0, true },
		{ TEXT + 8, 0, 0, false }, /* padding */
		{ TEXT + 10, TEXT, 1, true },
		{ TEXT + 17, 0, 0, false },
		{ TEXT + 0x28, TEXT + 0x20, 0, true },
		{ TEXT + 0x85, TEXT, 2, true },
		{ TEXT + 0x86, 0, 0, false },
		{ UINT64_MAX, 0, 0, false },
	};
	struct elfgen g = make_program();
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_RAW);
	struct heft_block_function f = { .size = sizeof f };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t block = 99;
		assert_int_equal(heft_blocks_find(b, cases[i].addr, &f, &block, NULL),
				 cases[i].found);
		if (!cases[i].found)
			continue;
		assert_int_equal(f.addr, cases[i].function);
		assert_int_equal(block, cases[i].block);
	}
	heft_blocks_free(b);
}

static void a_batch_of_addresses_leads_where_each_does(void **state)
{
	enum { COUNT = 0x100 };
	struct elfgen g = make_program();
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_RAW);
	struct heft_block_function want = { .size = sizeof want }, got = { .size = sizeof got };
	uint64_t addrs[COUNT];
	uint32_t found[COUNT];
	size_t function, block, place;
	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		addrs[i] = TEXT - 0x20 + i * 37 % COUNT;
	heft_blocks_find_batch(b, addrs, COUNT, found, NULL);
	for (size_t i = 0; i < COUNT; i++) {
		const bool any = heft_blocks_find(b, addrs[i], &want, &block, NULL);
		assert_int_equal(found[i] != HEFT_NO_BLOCK, any);
		assert_int_equal(heft_blocks_place(b, found[i], &function, &place), any);
		if (!any)
			continue;
		assert_int_equal(place, block);
		assert_true(heft_blocks_function(b, function, &got, NULL));
		assert_int_equal(got.addr, want.addr);
	}
	heft_blocks_free(b);
}

static bool count_bytes(void *ctx, const void *data, size_t size)
{
	(void)data;
	*(size_t *)ctx += size;
	return true;
}

static bool refuse(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return false;
}

static void writing_stops_where_nobody_takes_it(void **state)
{
	struct elfgen g = make_program();
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_RAW);
	struct heft_block_function f = { .size = sizeof f };
	const struct heft_write_opts csv = { .size = sizeof csv, .format = HEFT_CSV };
	const struct heft_write_opts json = { .size = sizeof json, .format = HEFT_JSON };
	size_t size = 0;
	(void)state;
	assert_true(heft_blocks_function(b, 0, &f, NULL));
	assert_true(heft_block_function_write(&f, &csv, &(struct heft_sink){ count_bytes, &size },
					      NULL));
	assert_true(size > 50);
	assert_false(
		heft_block_function_write(&f, &json, &(struct heft_sink){ refuse, NULL }, NULL));
	heft_blocks_free(b);
}

static void without_a_map_blocks_are_derived(void **state)
{
	static const char code[] =
		"\x85\xff\x74\x02\xff\xc0\xc3\x90"; /* test; je 6; inc; 6: ret; nop */
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	struct heft_block_function f = { .size = sizeof f };
	struct heft_block_sums sums = { .size = sizeof sums };
	size_t block;
	(void)state;
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, code, sizeof code - 1);
	elfgen_load(&g, PF_R | PF_X, text);
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_RAW);
	assert_true(heft_blocks_find(b, TEXT + 5, &f, &block, NULL));
	assert_int_equal(block, 1);
	assert_int_equal(f.block_count, 3);
	assert_string_equal(f.origin, "derived");
	heft_blocks_sum(b, &sums, NULL);
	assert_int_equal(sums.code, 8);
	assert_int_equal(sums.blocks, 7);
	assert_int_equal(sums.padding, 1);
	heft_blocks_free(b);
}

static void without_a_map_or_a_decoder_there_are_no_functions(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_MIPS);
	struct heft_block_function f = { .size = sizeof f };
	size_t block;
	(void)state;
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, NULL, 0x10);
	elfgen_load(&g, PF_R | PF_X, text);
	struct heft_blocks *b = open_elf(&g, HEFT_NAMES_RAW);
	assert_int_equal(heft_blocks_function_count(b), 0);
	assert_false(heft_blocks_function(b, 0, &f, NULL));
	assert_false(heft_blocks_find(b, TEXT, &f, &block, NULL));
	heft_blocks_free(b);
	heft_blocks_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_come_by_address_with_all_their_parts),
		cmocka_unit_test(an_address_leads_to_its_block),
		cmocka_unit_test(a_batch_of_addresses_leads_where_each_does),
		cmocka_unit_test(writing_stops_where_nobody_takes_it),
		cmocka_unit_test(without_a_map_blocks_are_derived),
		cmocka_unit_test(without_a_map_or_a_decoder_there_are_no_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
