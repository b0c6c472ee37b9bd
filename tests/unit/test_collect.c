/* Snapshots of small programs: what becomes a symbol, what its name, size and paths are. */
#include "measure/snapshot_handle.h"
#include "image/elf/elf_const.h"
#include "../lib/elfgen.h"
#include "../lib/sessions.h"
#include "snapshot/collect_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/heft-collect-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void write_file(char *path, size_t room, const char *name, const void *data, size_t size)
{
	snprintf(path, room, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static struct heft_session *session; /* of the last program */

/* The snapshot of a program, with a map or NULL. */
static struct heft_snapshot *open_program(struct elfgen *g, const char *map)
{
	char path[200], map_path[200];
	struct heft_err err = { 0 };
	const struct bytes file = elfgen_finish(g);
	write_file(path, sizeof path, "program", file.p, file.size);
	if (map)
		write_file(map_path, sizeof map_path, "map", map, strlen(map));
	heft_session_free(session);
	session = heft_session_new();
	struct heft_snapshot *s = heft_snapshot_new(session);
	if (map)
		heft_finder_add_map(heft_session_finder(session), map_path);
	heft_finder_set_flags(heft_session_finder(session), HEFT_FIND_NO_MAP);
	if (!heft_snapshot_open(s, path, &err))
		fail_msg("%s", err.text);
	unlink(path);
	if (map)
		unlink(map_path);
	mem_free((void *)(uintptr_t)file.p);
	return s;
}

static const struct snap_symbol *find(const struct heft_snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->snapshot.symbols.count; i++) {
		const struct snap_symbol *y = &s->snapshot.symbols.data[i];
		if (str_eq(snapshot_text(&s->snapshot, y->full_name), str_of(name)))
			return y;
	}
	return NULL;
}

static void assert_symbol(const struct heft_snapshot *s, const char *name, uint64_t addr,
			  uint64_t size)
{
	const struct snap_symbol *y = find(s, name);
	if (!y)
		fail_msg("no %s", name);
	assert_int_equal(y->addr, addr);
	assert_int_equal(y->size, size);
}

static void assert_object(const struct heft_snapshot *s, const char *name, const char *object)
{
	const struct snap_symbol *y = find(s, name);
	assert_non_null(y);
	assert_true(str_eq(snapshot_text(&s->snapshot, y->object), str_of(object)));
}

/* PSS of all that is in the file. */
static double file_pss(const struct heft_snapshot *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->snapshot.symbols.count; i++) {
		const struct snap_symbol *y = &s->snapshot.symbols.data[i];
		if (s->snapshot.sections.data[y->section].in_file)
			sum += snap_pss(y);
	}
	return sum;
}

enum { TEXT = 0x1000, RODATA = 0x2000 };

static uint32_t add_text(struct elfgen *g, const char *name, uint64_t addr, uint64_t size)
{
	uint8_t code[256];
	memset(code, 0xc3, sizeof code);
	const uint32_t text = elfgen_section(g, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, addr,
					     code, size);
	elfgen_load(g, PF_R | PF_X, text);
	return text;
}

static uint32_t add_rodata(struct elfgen *g, const void *data, uint64_t size)
{
	const uint32_t rodata = elfgen_section(g, ".rodata", SHT_PROGBITS, SHF_ALLOC, RODATA, data,
					       size);
	elfgen_load(g, PF_R, rodata);
	return rodata;
}

static void add_function(struct elfgen *g, const char *name, uint64_t addr, uint64_t size,
			 uint32_t section)
{
	elfgen_symbol(g, name, addr, size, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)section);
}

static void names_of_one_address_share_its_bytes(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "one", TEXT, 32, text);
	add_function(&g, "same", TEXT, 32, text);
	add_function(&g, "two", TEXT + 40, 56, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	struct heft_snapshot_section sec = { .size = sizeof sec };
	assert_true(heft_snapshot_section(s, 0, &sec, NULL));
	assert_int_equal(find(s, "one")->alias_count, 2);
	assert_int_equal(find(s, "two")->padding, 8);
	assert_int_equal(sec.symbol_size + sec.padding, 96);
	heft_snapshot_free(s);
}

/* Adds up what heft_snapshot_symbol says; every symbol has to lie in its section. */
static void symbols_of_a_snapshot_add_up_to_its_sections(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "one", TEXT, 32, text);
	add_function(&g, "same", TEXT, 32, text);
	add_function(&g, "two", TEXT + 40, 56, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	struct heft_snapshot_symbol y = { .size = sizeof y };
	struct heft_snapshot_section sec = { .size = sizeof sec };
	int64_t sums[20] = { 0 };
	size_t i;
	for (i = 0; heft_snapshot_symbol(s, i, &y, NULL); i++) {
		assert_true(y.section < COUNT_OF(sums));
		assert_true(y.alias < y.aliases);
		if (y.alias == 0)
			sums[y.section] += (int64_t)y.own + y.padding;
		if (strcmp(y.name, "two") != 0)
			continue;
		assert_int_equal(y.address, TEXT + 40);
		assert_int_equal(y.own, 56);
		assert_int_equal(y.padding, 8);
		assert_int_equal(y.aliases, 1);
		assert_string_equal(y.source, "");
		sums[19] = 1;
	}
	assert_int_equal(i, heft_snapshot_symbol_count(s));
	assert_true(sums[19] == 1);
	for (i = 0; heft_snapshot_section(s, i, &sec, NULL); i++)
		assert_int_equal(sums[i], sec.symbol_size + sec.padding);
	assert_true(i > 1 && i < 19);
	heft_snapshot_free(s);
	s = ALONE(heft_snapshot_new);
	assert_int_equal(heft_snapshot_symbol_count(s), 0);
	assert_false(heft_snapshot_symbol(s, 0, &y, NULL));
	heft_snapshot_free(s);
}

/* The charges are all there is in the file and in memory, and say whose they are. */
static void charges_of_a_snapshot_add_up_to_its_sections(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "one", TEXT, 32, text);
	add_function(&g, "two", TEXT + 40, 56, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	struct heft_snapshot_charge c = { .size = sizeof c };
	struct heft_snapshot_section sec = { .size = sizeof sec };
	uint64_t file = 0, vm = 0, two = 0;
	for (size_t i = 0; heft_snapshot_charge(s, i, &c, NULL); i++) {
		struct heft_snapshot_symbol y = { .size = sizeof y };
		file += c.file;
		vm += c.vm;
		assert_int_equal(c.kind == HEFT_ROW_NAME, *c.name != '[');
		if (strcmp(c.name, "two") != 0)
			continue;
		assert_true(heft_snapshot_symbol(s, c.symbol, &y, NULL));
		assert_string_equal(y.name, "two");
		two += c.file;
	}
	assert_true(two > 56);
	for (size_t i = 0; heft_snapshot_section(s, i, &sec, NULL); i++) {
		file -= sec.in_file ? (uint64_t)(sec.symbol_size + sec.padding) : 0;
		vm -= sec.in_memory ? (uint64_t)(sec.symbol_size + sec.padding) : 0;
	}
	assert_int_equal(file, 0);
	assert_int_equal(vm, 0);
	heft_snapshot_free(s);
}

static void what_compilers_take_out_of_functions_is_one_symbol_an_address(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_AARCH64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "main", TEXT, 32, text);
	add_function(&g, "OUTLINED_FUNCTION_0", TEXT + 32, 24, text);
	add_function(&g, "OUTLINED_FUNCTION_7", TEXT + 32, 24, text);
	add_function(&g, "OUTLINED_FUNCTION_2", TEXT + 56, 40, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_symbol(s, "** outlined function * 2", TEXT + 32, 24);
	assert_int_equal(find(s, "** outlined function * 2")->alias_count, 1);
	assert_symbol(s, "** outlined function", TEXT + 56, 40);
	assert_null(find(s, "OUTLINED_FUNCTION_0"));
	heft_snapshot_free(s);
}

static void all_symbols_add_up_to_the_file(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 200);
	(void)state;
	add_rodata(&g, "some text", 10);
	elfgen_section(&g, ".comment", SHT_PROGBITS, 0, 0, "compiler", 9);
	add_function(&g, "one", TEXT + 8, 32, text);
	const struct bytes file = elfgen_finish(&g);
	char path[200];
	struct heft_err err;
	struct heft_snapshot *s = ALONE(heft_snapshot_new);
	write_file(path, sizeof path, "program", file.p, file.size);
	assert_true(heft_snapshot_open(s, path, &err));
	unlink(path);
	assert_true(file_pss(s) == (double)file.size);
	assert_non_null(find(s, "** ELF Section: .comment"));
	assert_non_null(find(s, "Overhead: ELF file"));
	assert_symbol(s, "** .text (unattributed)", TEXT + 40, 160);
	mem_free((void *)(uintptr_t)file.p);
	heft_snapshot_free(s);
}

/* PSS of the sections that are in memory. */
static double memory_pss(const struct heft_snapshot *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->snapshot.symbols.count; i++) {
		const struct snap_symbol *y = &s->snapshot.symbols.data[i];
		if (s->snapshot.sections.data[y->section].in_memory)
			sum += snap_pss(y);
	}
	return sum;
}

static const struct snap_section *section_of(const struct heft_snapshot *s, const char *symbol)
{
	const struct snap_symbol *y = find(s, symbol);
	if (!y)
		fail_msg("no %s", symbol);
	return &s->snapshot.sections.data[y->section];
}

static void add_object(struct elfgen *g, const char *name, uint64_t addr, uint64_t size,
		       uint32_t section)
{
	elfgen_symbol(g, name, addr, size, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)section);
}

static void symbols_of_any_section_are_there(void **state)
{
	static const uint8_t zeros[64];
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	const uint32_t fast = add_text(&g, ".fast", TEXT, 64);
	const uint32_t table = elfgen_section(&g, ".mytable", SHT_PROGBITS, SHF_ALLOC, RODATA,
					      zeros, 40);
	const uint32_t dma = elfgen_section(&g, ".dma", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3000,
					    NULL, 5000);
	const uint32_t hints = elfgen_section(&g, ".hints", SHT_PROGBITS, 0, 0, zeros, 12);
	elfgen_load(&g, PF_R, table);
	elfgen_load(&g, PF_R | PF_W, dma);
	add_function(&g, "fastf", TEXT, 48, fast);
	add_object(&g, "one", RODATA, 8, table);
	add_object(&g, "two", RODATA + 16, 24, table);
	add_object(&g, "big", 0x3000, 4000, dma);
	add_object(&g, "hint", 4, 8, hints);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_symbol(s, "fastf", TEXT, 48);
	assert_symbol(s, "** .fast (unattributed)", TEXT + 48, 16);
	assert_symbol(s, "two", RODATA + 16, 24);
	assert_int_equal(find(s, "two")->padding, 8);
	assert_symbol(s, "big", 0x3000, 4000);
	assert_symbol(s, "** .dma (unattributed)", 0x3000 + 4000, 1000);
	assert_symbol(s, "hint", 4, 8);
	assert_string_equal(section_of(s, "fastf")->name, ".fast");
	assert_true(section_of(s, "fastf")->code);
	assert_string_equal(snap_segment(section_of(s, "fastf")), ".other");
	assert_string_equal(snap_segment(section_of(s, "big")), ".bss");
	assert_false(section_of(s, "hint")->in_memory);
	assert_true(memory_pss(s) == 64 + 40 + 5000);
	heft_snapshot_free(s);
}

static void variables_that_a_compiler_put_together_have_their_own_bytes(void **state)
{
	static const uint8_t zeros[16];
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_AARCH64);
	(void)state;
	const uint32_t data = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					     0x3000, zeros, 12);
	elfgen_load(&g, PF_R | PF_W, data);
	elfgen_symbol(&g, ".L_MergedGlobals", 0x3000, 12, STB_LOCAL << 4 | STT_OBJECT,
		      (uint16_t)data);
	add_object(&g, "a", 0x3000, 4, data);
	add_object(&g, "b", 0x3004, 4, data);
	add_object(&g, "c", 0x3008, 4, data);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_null(find(s, ".L_MergedGlobals"));
	assert_symbol(s, "a", 0x3000, 4);
	assert_symbol(s, "c", 0x3008, 4);
	heft_snapshot_free(s);
}

static void a_symbol_inside_another_has_no_bytes_of_its_own(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "outer", TEXT, 64, text);
	add_function(&g, "inner", TEXT + 16, 16, text);
	add_function(&g, "beyond", TEXT + 64, 24, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_symbol(s, "outer", TEXT, 64);
	assert_symbol(s, "inner", TEXT + 16, 0);
	assert_symbol(s, "beyond", TEXT + 64, 24);
	assert_true(s->snapshot.stored_padding);
	heft_snapshot_free(s);
}

static void a_symbol_that_ends_in_the_middle_of_another_ends_at_the_next(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	add_function(&g, "mul", TEXT, 64, text);
	add_function(&g, "sin", TEXT + 32, 16, text);
	add_function(&g, "sqrt", TEXT + 48, 40, text);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_symbol(s, "mul", TEXT, 32);
	assert_symbol(s, "sin", TEXT + 32, 16);
	assert_symbol(s, "sqrt", TEXT + 48, 40);
	heft_snapshot_free(s);
}

static void sections_that_share_bytes_of_the_file_count_them_once(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 96);
	(void)state;
	const uint32_t over = elfgen_section(&g, ".over", SHT_PROGBITS, 0, 0, "01234567", 8);
	add_function(&g, "one", TEXT, 96, text);
	add_object(&g, "other", 0, 8, over);
	g.sections.data[over].off = 0x78 + 8; /* inside .text */
	const struct bytes file = elfgen_finish(&g);
	char path[200];
	struct heft_err err;
	struct heft_snapshot *s = ALONE(heft_snapshot_new);
	write_file(path, sizeof path, "program", file.p, file.size);
	assert_true(heft_snapshot_open(s, path, &err));
	unlink(path);
	assert_true(file_pss(s) == (double)file.size);
	assert_symbol(s, "one", TEXT, 96);
	assert_symbol(s, "other", 0, 0);
	mem_free((void *)(uintptr_t)file.p);
	heft_snapshot_free(s);
}

/* What a separate debug file has of the sections of its program is their addresses. */
static void sections_without_bytes_do_not_count_for_the_file(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	const uint32_t text = elfgen_section(&g, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, NULL, 6000);
	elfgen_load(&g, PF_R | PF_X, text);
	add_function(&g, "one", TEXT, 6000, text);
	const struct bytes file = elfgen_finish(&g);
	char path[200];
	struct heft_err err;
	struct heft_snapshot *s = ALONE(heft_snapshot_new);
	write_file(path, sizeof path, "program.debug", file.p, file.size);
	assert_true(heft_snapshot_open(s, path, &err));
	unlink(path);
	assert_true(file_pss(s) == (double)file.size);
	assert_symbol(s, "one", TEXT, 6000);
	assert_string_equal(section_of(s, "one")->name, ".text");
	assert_string_equal(snap_segment(section_of(s, "one")), ".bss");
	mem_free((void *)(uintptr_t)file.p);
	heft_snapshot_free(s);
}

static void zeros_behind_the_last_literal_are_counted(void **state)
{
	static const char data[16] = "a literal";
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	add_text(&g, ".text", TEXT, 32);
	add_rodata(&g, data, sizeof data);
	struct heft_snapshot *s = open_program(&g, NULL);
	assert_symbol(s, "\"a literal\"", RODATA, 10);
	assert_symbol(s, "** .rodata (unattributed)", RODATA + 10, 6);
	heft_snapshot_free(s);
}

static void sections_of_a_program_keep_their_names_and_space_between_is_no_padding(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t text = add_text(&g, ".text", TEXT, 32);
	const uint32_t hot = add_text(&g, ".text.hot", TEXT + 0x100, 32);
	(void)state;
	add_function(&g, "plain", TEXT, 32, text);
	add_function(&g, "warm", TEXT + 0x100, 32, hot);
	struct heft_snapshot *s = open_program(&g, NULL);
	struct heft_snapshot_section sec = { .size = sizeof sec };
	static const char *const names[] = { ".text", ".text.hot" };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_true(heft_snapshot_section(s, i, &sec, NULL));
		assert_string_equal(sec.name, names[i]);
		assert_int_equal(sec.symbol_size, 32);
		assert_int_equal(sec.padding, 0);
		assert_int_equal(sec.stated_size, 32);
	}
	heft_snapshot_free(s);
}

static const char gnu_map[] = "Linker script and memory map\n\n"
			      ".text           0x0000000000001000       0x40\n"
			      " .text.first    0x0000000000001000       0x20 a.o\n"
			      "                0x0000000000001000                first\n"
			      " .text.local    0x0000000000001020       0x10 b.o\n"
			      " .text          0x0000000000001030       0x10 c.o\n"
			      "                0x0000000000001030                third(int)\n"
			      "                0x0000000000001038                fourth\n\n"
			      ".rodata         0x0000000000002000       0x2c\n"
			      " .rodata.str1.1\n"
			      "                0x0000000000002000       0x10 a.o\n"
			      " .rodata.str2.2\n"
			      "                0x0000000000002010       0x0a b.o\n"
			      " .rodata.str4.4\n"
			      "                0x000000000000201c       0x10 b.o\n";

static void a_stripped_program_takes_its_names_from_the_map(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	add_text(&g, ".text", TEXT, 0x40);
	struct heft_snapshot *s = open_program(&g, gnu_map);
	assert_symbol(s, "first", TEXT, 0x20);
	assert_symbol(s, "local", TEXT + 0x20, 0x10);
	assert_symbol(s, "third(int)", TEXT + 0x30, 8);
	assert_symbol(s, "fourth", TEXT + 0x38, 8);
	assert_object(s, "local", "b.o");
	assert_object(s, "fourth", "c.o");
	heft_snapshot_free(s);
}

static void merged_strings_of_all_widths_and_sizes_are_literals(void **state)
{
	static const char data[0x2c] = "a\0bc\0longer\0\1\2\3\0" /* 0x10 */
				       "c\0\xe9\0x\0y\0\0\0"     /* 0x0a */
				       "\0\0"
				       "w\0\0\0\x03\x26\0\0!\0\0\0\0\0\0\0";
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	add_text(&g, ".text", TEXT, 0x40);
	add_rodata(&g, data, sizeof data);
	struct heft_snapshot *s = open_program(&g, gnu_map);
	assert_symbol(s, "\"a\"", RODATA, 2);
	assert_symbol(s, "\"bc\"", RODATA + 2, 3);
	assert_symbol(s, "\"longer\"", RODATA + 5, 7);
	assert_symbol(s, "string literal", RODATA + 12, 4);
	assert_symbol(s, "\"c\\xc3\\xa9xy\"", RODATA + 0x10, 10);
	assert_symbol(s, "\"w\\xe2\\x98\\x83!\"", RODATA + 0x1c, 16);
	heft_snapshot_free(s);
}

static void a_string_that_ends_another_is_a_part_of_it(void **state)
{
	static const char map[] = "Linker script and memory map\n\n"
				  ".text           0x0000000000001000       0x40\n"
				  " .text          0x0000000000001000       0x40 a.o\n\n"
				  ".rodata         0x0000000000002000       0x20\n"
				  " .rodata.str1.8\n"
				  "                0x0000000000002000       0x20 a.o\n";
	static const char data[0x20] = "whole tail\0\0\0\0\0\0next";
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	/* lea 0x2000(%rip), %rax; the other function: lea 0x2006(%rip), %rax */
	static const uint8_t code[0x40] = { 0x48, 0x8d, 0x05, 0xf9, 0x0f, 0, 0, 0xc3,
					    0x48, 0x8d, 0x05, 0xf7, 0x0f, 0, 0, 0xc3 };
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     TEXT, code, sizeof code);
	elfgen_load(&g, PF_R | PF_X, text);
	add_function(&g, "one", TEXT, 8, text);
	add_function(&g, "other", TEXT + 8, 8, text);
	add_rodata(&g, data, sizeof data);
	struct heft_snapshot *s = open_program(&g, map);
	assert_symbol(s, "\"whole tail\"", RODATA, 11);
	assert_symbol(s, "\"next\"", RODATA + 16, 5);
	assert_int_equal(find(s, "\"next\"")->padding, 5); /* alignment, nobody's data */
	heft_snapshot_free(s);
}

static void a_map_of_another_build_is_noted_and_not_used(void **state)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	(void)state;
	add_text(&g, ".text", TEXT, 0x48);
	struct heft_snapshot *s = open_program(&g, gnu_map);
	bool noted = false;
	for (size_t i = 0; i < heft_session_note_count(session); i++)
		noted |= strstr(heft_session_note(session, i)->text, "another build") != NULL;
	assert_true(noted);
	assert_null(find(s, "first"));
	heft_snapshot_free(s);
}

/* ---- literals -------------------------------------------------------------------------------- */

static const char *name_of(const char *text, size_t size)
{
	static char kept[100];
	struct text name = { 0 };
	const struct literal l = { { (const uint8_t *)text, size }, 1, false };
	literal_name(&name, &l);
	snprintf(kept, sizeof kept, "%.*s", (int)name.len, name.p);
	text_release(&name);
	return kept;
}

static void literals_are_named_by_their_text(void **state)
{
	(void)state;
	assert_string_equal(name_of("plain", 6), "\"plain\"");
	assert_string_equal(name_of("two\n\tlines", 11), "\"twolines\"");
	assert_string_equal(name_of("123456789012345678901234567890", 31),
			    "\"123456789012345678901234567890\"");
	assert_string_equal(name_of("1234567890123456789012345678901", 32),
			    "\"123456789012345678901234567\"...");
	assert_string_equal(name_of("\1", 2), "string literal");
}

static void text_ends_at_its_zero_and_nowhere_else(void **state)
{
	uint64_t size;
	(void)state;
	const struct literal whole = { { (const uint8_t *)"abc\0def", 8 }, 1, false };
	assert_true(literal_size(&whole, false, &size));
	assert_int_equal(size, 4);
	const struct literal cut = { { (const uint8_t *)"abcd", 4 }, 1, false };
	assert_false(literal_size(&cut, false, &size));
	assert_int_equal(size, 4);
	const struct literal none = { { (const uint8_t *)"", 0 }, 4, false };
	assert_false(literal_size(&none, true, &size));
	assert_int_equal(size, 1);
	const struct literal big = { { (const uint8_t *)"\0a\0b\0\0", 6 }, 2, true };
	assert_true(literal_size(&big, false, &size));
	assert_int_equal(size, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_one_address_share_its_bytes),
		cmocka_unit_test(symbols_of_a_snapshot_add_up_to_its_sections),
		cmocka_unit_test(charges_of_a_snapshot_add_up_to_its_sections),
		cmocka_unit_test(what_compilers_take_out_of_functions_is_one_symbol_an_address),
		cmocka_unit_test(variables_that_a_compiler_put_together_have_their_own_bytes),
		cmocka_unit_test(all_symbols_add_up_to_the_file),
		cmocka_unit_test(symbols_of_any_section_are_there),
		cmocka_unit_test(a_symbol_inside_another_has_no_bytes_of_its_own),
		cmocka_unit_test(a_symbol_that_ends_in_the_middle_of_another_ends_at_the_next),
		cmocka_unit_test(sections_that_share_bytes_of_the_file_count_them_once),
		cmocka_unit_test(sections_without_bytes_do_not_count_for_the_file),
		cmocka_unit_test(zeros_behind_the_last_literal_are_counted),
		cmocka_unit_test(
			sections_of_a_program_keep_their_names_and_space_between_is_no_padding),
		cmocka_unit_test(a_stripped_program_takes_its_names_from_the_map),
		cmocka_unit_test(merged_strings_of_all_widths_and_sizes_are_literals),
		cmocka_unit_test(a_string_that_ends_another_is_a_part_of_it),
		cmocka_unit_test(a_map_of_another_build_is_noted_and_not_used),
		cmocka_unit_test(literals_are_named_by_their_text),
		cmocka_unit_test(text_ends_at_its_zero_and_nowhere_else),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
