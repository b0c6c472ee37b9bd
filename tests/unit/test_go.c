/* What is made of the tables of Go's runtime: DWARF of its functions, packages of types. */
#include "../lib/pclntab_made.h"
#include "program/companion_forms.h"
#include "image/elf/elf_const.h"
#include "program/go_types.h"
#include "program/symbolize.h"
#include "program/go_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { TYPES = 0x600000 };

/* ---- symbols and DWARF ----------------------------------------------------------------------- */

/* `file` may be NULL: of a number of no file. */
static void assert_found(struct symbolizer *s, uint64_t addr, const char *function,
			 const char *file, uint32_t line)
{
	struct symbolized found;
	assert_true(symbolizer_find(s, addr, &found));
	assert_string_equal(found.unit, "main");
	assert_int_equal(found.frame_count, 1);
	assert_string_equal(found.frames[0].function->name.p, function);
	if (file)
		assert_string_equal(found.frames[0].file, file);
	assert_int_equal(found.frames[0].line, line);
}

static void assert_lines(enum pclntab_layout layout, bool big_endian)
{
	struct made m;
	struct go_table table = { 0 };
	struct image im;
	struct input beside;
	struct notes notes;
	struct debuginfo info;
	struct symbolizer s;
	void *owned;
	notes_init(&notes);
	make(&m, layout, big_endian);
	/* DWARF is asked of what is in a section: the table stands where its code would. */
	make_image(&im, ".gopclntab", TEXT, blob_bytes(&m.b), 64, big_endian, &notes);
	assert_true(pclntab_open(&table.tab, blob_bytes(&m.b), big_endian));
	table.section = &im.sections[1];
	go_symbols_open(&im, &table, GO_LINES, &beside, &owned, &notes);
	debuginfo_open(&info, &beside.images[0], NULL, &notes);
	symbolizer_init(&s, &info);
	/* One table of values has numbers of files and lines: 0 up to the 8th byte, then 2. */
	assert_found(&s, TEXT + 8, "main.main", NULL, 2);
	assert_found(&s, TEXT + FIRST_SIZE - 1, "main.main", NULL, 2);
	assert_found(&s, TEXT + ROOM, "main.run", layout == PCLNTAB_2 ? "" : "main.go", 0);
	assert_int_equal(notes.count, 0);
	symbolizer_release(&s);
	debuginfo_close(&info);
	input_close(&beside);
	mem_free(owned);
	image_release(&im);
	notes_release(&notes);
}

static void lines_of_every_layout_are_written_as_dwarf(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * COUNT_OF(layout_magics); i++)
		assert_lines((enum pclntab_layout)(i / 2), i % 2 != 0);
}

/* ---- packages of types ----------------------------------------------------------------------- */

enum { KIND_INT = 2, KIND_POINTER = 22, KIND_SLICE = 23, NAMED = 1, STARRED = 2 };

struct types {
	struct blob b;
	unsigned width;
};

/* A description; returns its address. */
static uint64_t put_named_type(struct types *t, unsigned kind, unsigned flags, uint64_t name)
{
	blob_zeros(&t->b, -t->b.size % t->width);
	const uint64_t addr = TYPES + t->b.size;
	blob_zeros(&t->b, 2 * (uint64_t)t->width + 4);
	blob_u8(&t->b, flags);
	blob_u8(&t->b, 8);
	blob_u8(&t->b, 8);
	blob_u8(&t->b, kind);
	blob_zeros(&t->b, 2 * (uint64_t)t->width);
	blob_u32(&t->b, (uint32_t)name);
	blob_u32(&t->b, 0);
	return addr;
}

static uint64_t put_type(struct types *t, unsigned kind, unsigned flags)
{
	return put_named_type(t, kind, flags, 0);
}

/* The type that it is made of. */
static void put_part(struct types *t, uint64_t part)
{
	blob_uint(&t->b, part, t->width);
}

/* A name as Go has it since 1.17; returns its distance from the first type. */
static uint64_t put_path(struct types *t, const char *path)
{
	const uint64_t off = t->b.size;
	blob_u8(&t->b, 0);
	blob_u8(&t->b, strlen(path));
	for (; *path; path++)
		blob_u8(&t->b, (uint8_t)*path);
	return off;
}

typedef struct str (*type_text_fn)(const struct go_table *, const struct image *, uint64_t);

static void assert_type(const struct types *t, uint64_t addr, type_text_fn of, const char *wanted)
{
	struct notes notes;
	struct image im;
	const struct bytes b = blob_bytes(&t->b);
	notes_init(&notes);
	make_image(&im, ".rodata", TYPES, b, 8 * t->width, t->b.big_endian, &notes);
	const struct go_table table = { .tab = { .pointer = (uint8_t)t->width },
					.types = { TYPES, TYPES + b.size } };
	const struct str text = of(&table, &im, addr);
	if (!str_eq(text, str_of(wanted)))
		fail_msg("'%.*s', not '%s'", (int)text.len, text.p, wanted);
	image_release(&im);
	notes_release(&notes);
}

static void assert_package(const struct types *t, uint64_t addr, const char *wanted)
{
	assert_type(t, addr, go_type_package, wanted);
}

static void a_type_has_the_name_that_its_description_refers_to(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct types t = { .b = { .big_endian = i & 1 }, .width = i & 2 ? 4 : 8 };
		blob_zeros(&t.b, 8);
		const uint64_t name = put_path(&t, "*json.Encoder"), odd = put_path(&t, "a\nb");
		const uint64_t pointer = put_named_type(&t, KIND_POINTER, 0, name);
		const uint64_t type = put_named_type(&t, KIND_INT, STARRED, name);
		const uint64_t wrong = put_named_type(&t, KIND_INT, 0, odd);
		const uint64_t away = put_named_type(&t, KIND_INT, 0, 0x7fffffff);
		assert_type(&t, pointer, go_type_name, "*json.Encoder");
		assert_type(&t, type, go_type_name, "json.Encoder");
		assert_type(&t, wrong, go_type_name, "");
		assert_type(&t, away, go_type_name, "");
		assert_type(&t, type + t.width, go_type_name, "");
		assert_type(&t, 0, go_type_name, "");
	}
}

static void a_type_is_of_the_package_that_it_or_a_part_states(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct types t = { .b = { .big_endian = i & 1 }, .width = i & 2 ? 4 : 8 };
		blob_zeros(&t.b, 8); /* no path stands at distance 0 */
		const uint64_t path = put_path(&t, "net/http");
		const uint64_t named = put_type(&t, KIND_INT, NAMED);
		blob_u32(&t.b, (uint32_t)path);
		const uint64_t slice = put_type(&t, KIND_SLICE, 0);
		put_part(&t, named);
		const uint64_t pointer = put_type(&t, KIND_POINTER, 0);
		put_part(&t, slice);
		const uint64_t plain = put_type(&t, KIND_INT, 0);
		assert_package(&t, named, "net/http");
		assert_package(&t, pointer, "net/http");
		assert_package(&t, plain, "");
		assert_package(&t, named + 1, "");
	}
}

static void types_that_lead_nowhere_are_of_no_package(void **state)
{
	(void)state;
	struct types t = { .width = 8 };
	const uint64_t self = put_type(&t, KIND_POINTER, 0);
	put_part(&t, self);
	const uint64_t away = put_type(&t, KIND_POINTER, 0);
	put_part(&t, UINT64_MAX - 7);
	const uint64_t unknown = put_type(&t, 31, NAMED);
	const uint64_t last = put_type(&t, KIND_INT, NAMED);
	blob_u32(&t.b, 0x7fffffff);
	assert_package(&t, self, "");
	assert_package(&t, away, "");
	assert_package(&t, unknown, "");
	assert_package(&t, last, "");
	assert_package(&t, TYPES + t.b.size, "");
	assert_package(&t, 0, "");
}

/* ---- what the runtime knows of the module ---------------------------------------------------- */

enum { FIRST_WORD = 37, MODULE_WORDS = 50 };

/* "struct moduledata" behind a table, with these words from the 37th on. */
static void assert_module(const uint64_t words[7], uint64_t types, uint64_t end, uint64_t func_data)
{
	struct made m;
	struct image im;
	struct notes notes;
	struct go_table table;
	notes_init(&notes);
	make(&m, PCLNTAB_20, false);
	align(&m);
	blob_u64(&m.b, TEXT);
	blob_u64(&m.b, TEXT + m.names);
	for (unsigned i = 2; i < FIRST_WORD; i++)
		blob_u64(&m.b, 0);
	for (unsigned i = 0; i < 7; i++)
		blob_u64(&m.b, words[i]);
	blob_zeros(&m.b, (MODULE_WORDS - FIRST_WORD - 7) * 8);
	make_image(&im, ".gopclntab", TEXT, blob_bytes(&m.b), 64, false, &notes);
	assert_true(go_table_open(&table, &im, &notes));
	assert_int_equal(table.types.start, types);
	assert_int_equal(table.types.end, end);
	assert_int_equal(table.func_data, func_data);
	image_release(&im);
	notes_release(&notes);
}

static void types_and_data_of_functions_are_found_in_every_layout(void **state)
{
	(void)state;
	/* Go 1.20 to 1.26: types, their end, .rodata, data of functions. */
	assert_module((const uint64_t[]){ TEXT + 8, TEXT + 40, TEXT, TEXT + 16, 1, 1, 1 }, TEXT + 8,
		      TEXT + 40, TEXT + 16);
	/* 1.27: the size of descriptions and two numbers more stand between these. */
	assert_module((const uint64_t[]){ TEXT + 8, 24, TEXT + 40, 16, 8, TEXT, TEXT + 24 },
		      TEXT + 8, TEXT + 40, TEXT + 24);
	assert_module((const uint64_t[]){ TEXT + 8, 24, TEXT, 16, 8, TEXT, UINT64_MAX }, 0, 0, 0);
}

static void assert_part(const struct go_part *p, const char *name, uint64_t addr, uint64_t size)
{
	assert_string_equal(p->name, name);
	assert_int_equal(p->addr, addr);
	assert_int_equal(p->size, size);
}

/* Words: 13 and 14 functions and their records, 19 the table that finds functions, 20 and 21 the
 * code, 22 what addresses of functions count from, 24 and 25 variables without pointers, 35 and 36
 * programs for the collector, 44 to 46 links to types, 47 and 48 tables of methods; these are a
 * word further on in Go 1.26. */
static void assert_tables(size_t further)
{
	/* 9 bits; the last 3 of them 130 times; the last 200 twice; the end. */
	static const uint8_t program[] = { 9, 0x55, 1, 0x83, 0x82, 1, 0x80, 0xc8, 1, 2, 0 };
	struct made m;
	struct image im;
	struct notes notes;
	struct go_table table;
	uint64_t words[MODULE_WORDS] = { 0 };
	notes_init(&notes);
	make(&m, PCLNTAB_20, false);
	align(&m);
	words[0] = TEXT;
	words[1] = TEXT + m.names;
	words[13] = TEXT + m.funcs;
	words[14] = 40;
	words[19] = TEXT + 8;
	words[20] = TEXT;
	words[21] = TEXT + 4096 + 257;
	words[22] = TEXT + 64;
	words[24] = TEXT + 16;
	words[25] = TEXT + 24;
	words[35] = TEXT + m.b.size + sizeof words;
	words[36] = UINT64_MAX;
	words[44 + further] = TEXT + 16;
	words[45 + further] = words[46 + further] = 5;
	words[47 + further] = TEXT + 16;
	words[48 + further] = UINT64_MAX / 8; /* more than there is */
	for (size_t i = 0; i < MODULE_WORDS; i++)
		blob_u64(&m.b, words[i]);
	for (size_t i = 0; i < sizeof program; i++)
		blob_u8(&m.b, program[i]);
	blob_zeros(&m.b, 64);
	make_image(&im, ".gopclntab", TEXT, blob_bytes(&m.b), 64, false, &notes);
	assert_true(go_table_open(&table, &im, &notes));
	assert_int_equal(table.tab.text, TEXT + 64); /* what the table says is no code */
	assert_int_equal(table.noptr.start, TEXT + 16);
	assert_int_equal(table.noptr.end, TEXT + 24);
	assert_part(&table.parts[0], "runtime.findfunctab", TEXT + 8, 2 * 4 + 18);
	assert_part(&table.parts[1], "runtime.gcdata", words[35], sizeof program);
	assert_part(&table.parts[2], "runtime.gcbss", UINT64_MAX, 0);
	assert_part(&table.parts[GO_TYPE_LINKS], "runtime.typelink", TEXT + 16, 20);
	assert_part(&table.parts[GO_METHOD_TABLES], "runtime.itablink", TEXT + 16, 0);
	assert_int_equal(table.tab.bytes.size, m.funcs + 40);
	image_release(&im);
	notes_release(&notes);
}

static void tables_of_the_whole_program_are_found(void **state)
{
	(void)state;
	assert_tables(0);
	assert_tables(1);
}

enum { VARIABLES = 20 };

/* What a program for the collector says of as many words. */
static void read_mask(struct go_mask *mask, const uint8_t *program, size_t size)
{
	struct image im;
	struct notes notes;
	struct blob b = { 0 };
	notes_init(&notes);
	blob_zeros(&b, VARIABLES * 8);
	for (size_t i = 0; i < size; i++)
		blob_u8(&b, program[i]);
	make_image(&im, ".data", TEXT, blob_bytes(&b), 64, false, &notes);
	struct go_table table = { .tab = { .pointer = 8 }, .data = { TEXT, TEXT + VARIABLES * 8 } };
	table.parts[GO_MASK] = (struct go_part){ "", TEXT + VARIABLES * 8, size };
	go_mask_read(mask, &im, &table);
	image_release(&im);
	notes_release(&notes);
}

static void words_that_hold_pointers_are_told(void **state)
{
	(void)state;
	/* 9 bits; the last 3 of them twice more; the last 4 once more. */
	static const uint8_t program[] = { 9, 0x55, 1, 0x83, 2, 0x80, 4, 1, 0 };
	const char *const wanted = "10101010110110111010";
	struct go_mask mask = { 0 };
	assert_false(go_mask_knows(&mask, TEXT));
	read_mask(&mask, program, sizeof program);
	for (size_t i = 0; i < VARIABLES; i++) {
		assert_true(go_mask_knows(&mask, TEXT + 8 * i));
		assert_int_equal(go_mask_is_pointer(&mask, TEXT + 8 * i), wanted[i] == '1');
	}
	assert_false(go_mask_knows(&mask, TEXT - 8));
	assert_false(go_mask_knows(&mask, TEXT + 8 * VARIABLES));
	go_mask_release(&mask);
}

static void damaged_programs_tell_nothing(void **state)
{
	(void)state;
	static const uint8_t programs[][6] = {
		{ 0 },                     /* of no words */
		{ 22, 1, 1, 1, 0 },        /* of more words than there are */
		{ 2, 1, 0x82, 10, 0 },     /* the same by repeating */
		{ 2, 1, 0x83, 1, 0 },      /* more bits repeated than there were */
		{ 2, 1, 0x80, 0, 1, 0 },   /* none */
		{ 2, 1, 0x82, 0x80, 0x80 } /* a number without end */
	};
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct go_mask mask = { 0 };
		read_mask(&mask, programs[i], i == 5 ? 5 : 6);
		assert_false(go_mask_knows(&mask, TEXT));
		go_mask_release(&mask);
	}
}

static void records_of_the_linker_hold_no_addresses(void **state)
{
	(void)state;
	/* The build from 0x1000, records behind it, variables without pointers from 0x2000. */
	struct go_table table = { .tab = { .layout = PCLNTAB_18, .pointer = 4 },
				  .noptr = { 0x2000, 0x3000 } };
	table.parts[GO_BUILD_INFO] = (struct go_part){ "", 0x1000, 0x100 };
	const struct go_words w = { .table = &table };
	assert_true(go_words_no_address(&w, 0x1000, true, 0x5000, true));
	assert_true(go_words_no_address(&w, 0x1ffc, true, 0x5000, true));
	assert_false(go_words_no_address(&w, 0x0ffc, true, 0x5000, true));
	assert_true(go_words_no_address(&w, 0x2000, true, 0x5000, true));
	assert_false(go_words_no_address(&w, 0x2000, true, 0x2ffc, true));
	assert_true(go_words_no_address(&w, 0x2000, true, 0x2ffe, true));
	assert_false(go_words_no_address(&w, 0x3000, true, 0x5000, true));
	assert_true(go_words_no_address(&w, 0x3000, false, 0x5000, true));
	/* What is far behind the build was written by others. */
	table.noptr.start = 0x2800;
	assert_false(go_words_no_address(&w, 0x1100, true, 0x5000, true));
	assert_true(go_words_no_address(&w, 0x10fc, true, 0x5000, true));
	/* Before Go 1.18 the build is told by two pointers. */
	table.tab.layout = PCLNTAB_16;
	assert_false(go_words_no_address(&w, 0x1000, true, 0x5000, true));
}

static void what_goes_code_makes_addresses_of_is_told(void **state)
{
	(void)state;
	static const struct code_ref access = { .to = TEXT + 4, .use = USE_ACCESS },
				     number = { .to = TEXT + 4, .use = USE_NUMBER },
				     scratch = { .to = TEXT + 4, .use = USE_SCRATCH },
				     zeros = { .to = TEXT + 64, .use = USE_NUMBER };
	struct image im;
	struct notes notes;
	struct blob b = { 0 };
	notes_init(&notes);
	blob_zeros(&b, 32);
	make_image(&im, ".data", TEXT, blob_bytes(&b), 32, false, &notes);
	const struct go_words w = { .im = &im };
	im.machine = EM_386;
	assert_int_equal(go_words_judge(&w, &access), GO_ADDRESS);
	assert_int_equal(go_words_judge(&w, &number), GO_NUMBER);
	im.machine = EM_ARM;
	assert_int_equal(go_words_judge(&w, &access), GO_ADDRESS);
	assert_int_equal(go_words_judge(&w, &number), GO_ADDRESS);
	assert_int_equal(go_words_judge(&w, &scratch), GO_NUMBER);
	assert_int_equal(go_words_judge(&w, &zeros), GO_EITHER);
	image_release(&im);
	notes_release(&notes);
}

/* ---- without the name of its section --------------------------------------------------------- */

/* Behind what is nearly a table, in a section that has another name. */
static void assert_searched(enum pclntab_layout layout, bool big_endian, bool go)
{
	struct made m;
	struct image im;
	struct notes notes;
	struct go_table table;
	struct blob all = { .big_endian = big_endian };
	notes_init(&notes);
	make(&m, layout, big_endian);
	blob_u32(&all, layout_magics[layout]);
	blob_u32(&all, big_endian ? 0x0108 : 0x08010000);
	blob_zeros(&all, 8); /* no functions */
	for (size_t i = 0; i < m.b.size; i++)
		blob_u8(&all, blob_bytes(&m.b).p[i]);
	make_image(&im, go ? ".note.go.buildid" : ".rodata", TEXT, blob_bytes(&all), 64, big_endian,
		   &notes);
	assert_int_equal(go_table_open(&table, &im, &notes), go);
	if (go) {
		assert_int_equal(go_table_addr(&table), TEXT + 16);
		assert_int_equal(table.tab.func_count, 2);
	}
	image_release(&im);
	notes_release(&notes);
}

static void a_table_is_found_where_its_section_has_no_name(void **state)
{
	(void)state;
	for (unsigned layout = PCLNTAB_2; layout <= PCLNTAB_20; layout++)
		for (unsigned big_endian = 0; big_endian < 2; big_endian++)
			assert_searched(layout, big_endian, true);
	assert_searched(PCLNTAB_20, false, false);
}

/* ---- where code ends that no table tells of -------------------------------------------------- */

enum { AUIPC = 0x00000f97, JALR = 0x000f8067, VALUES_OFF = 16 };

/* The size of a function without tables of values: an instruction, another at `at`, zeros. */
static void assert_code(uint8_t quantum, uint16_t machine, size_t at, bool big_endian,
			uint64_t size)
{
	struct made m;
	struct image im;
	struct notes notes;
	struct go_table table = { 0 };
	struct pclntab_func f;
	struct blob code = { .big_endian = big_endian };
	notes_init(&notes);
	make(&m, PCLNTAB_20, big_endian);
	blob_patch(&m.b, 6, quantum, 1);
	for (unsigned i = 0; i < PCLNTAB_TABLES; i++)
		blob_patch(&m.b, m.records[0] + VALUES_OFF + 4 * i, 0, 4);
	blob_zeros(&code, 2 * ROOM);
	blob_patch(&code, 0, AUIPC, 4);
	blob_patch(&code, at, JALR, 4);
	make_image(&im, ".text", TEXT, blob_bytes(&code), 64, big_endian, &notes);
	im.machine = machine;
	assert_true(pclntab_open(&table.tab, blob_bytes(&m.b), big_endian));
	assert_true(go_table_func(&table, &im, 0, &f));
	assert_int_equal(f.addr, TEXT);
	assert_int_equal(f.size, size);
	image_release(&im);
	notes_release(&notes);
}

static void zeros_behind_trampolines_are_none_of_their_code(void **state)
{
	(void)state;
	for (unsigned big_endian = 0; big_endian < 2; big_endian++) {
		assert_code(4, EM_RISCV, 4, big_endian, 8);
		assert_code(4, EM_AARCH64, 8, big_endian, 12);
		/* Zeros between instructions are of the function. */
		assert_code(4, EM_RISCV, ROOM - 4, big_endian, ROOM);
		/* Where they are instructions, and where instructions have no such width. */
		assert_code(4, EM_MIPS, 4, big_endian, ROOM);
		assert_code(1, EM_X86_64, 4, big_endian, ROOM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_and_data_of_functions_are_found_in_every_layout),
		cmocka_unit_test(tables_of_the_whole_program_are_found),
		cmocka_unit_test(words_that_hold_pointers_are_told),
		cmocka_unit_test(records_of_the_linker_hold_no_addresses),
		cmocka_unit_test(what_goes_code_makes_addresses_of_is_told),
		cmocka_unit_test(damaged_programs_tell_nothing),
		cmocka_unit_test(a_table_is_found_where_its_section_has_no_name),
		cmocka_unit_test(zeros_behind_trampolines_are_none_of_their_code),
		cmocka_unit_test(lines_of_every_layout_are_written_as_dwarf),
		cmocka_unit_test(a_type_has_the_name_that_its_description_refers_to),
		cmocka_unit_test(a_type_is_of_the_package_that_it_or_a_part_states),
		cmocka_unit_test(types_that_lead_nowhere_are_of_no_package),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
