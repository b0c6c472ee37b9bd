/* ELF headers, sections, segments and symbols, on files made by elfgen. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Offsets of fields in the ELF header, 64 bit. */
enum { E_PHOFF = 32, E_SHOFF = 40, E_PHENTSIZE = 54, E_PHNUM = 56, E_SHNUM = 60, E_SHSTRNDX = 62 };

struct opened {
	struct bytes file;
	struct input in;
	struct image *im;
	struct notes notes;
};

static void open_file(struct opened *o, struct bytes file)
{
	struct heft_err err = { 0 };
	o->file = file;
	notes_init(&o->notes);
	if (!input_parse(&o->in, "test", file, &o->notes, &err))
		fail_msg("%s", err.text);
	assert_int_equal(o->in.image_count, 1);
	o->im = &o->in.images[0];
}

static void close_file(struct opened *o)
{
	input_close(&o->in);
	notes_release(&o->notes);
	mem_free((void *)(uintptr_t)o->file.p);
}

static void expect_note(const struct opened *o, const char *words)
{
	for (size_t i = 0; i < o->notes.count; i++)
		if (strstr(o->notes.data[i].text, words))
			return;
	fail_msg("no note about \"%s\"", words);
}

static void expect_error(struct bytes file, const char *words)
{
	struct input in;
	struct heft_err err = { 0 };
	assert_false(input_parse(&in, "test", file, NULL, &err));
	assert_true(strncmp(err.text, "test: ", 6) == 0 || strncmp(err.text, "test is ", 8) == 0);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
	mem_free((void *)(uintptr_t)file.p);
}

static const uint8_t code[64] = { 0x90, 0x90, 0xc3 };

/* .text at 0x1000 and .data, .bss behind it, two PT_LOADs. */
static struct elfgen small_program(unsigned bits, bool big_endian)
{
	struct elfgen g = elfgen_make(bits, big_endian, ET_EXEC, EM_X86_64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, code, sizeof code);
	const uint32_t data = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					     0x2000, code, 16);
	elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x2010, NULL, 0x100);
	elfgen_load(&g, PF_R | PF_X, text);
	elfgen_load(&g, PF_R | PF_W, data)->vm_size = 0x110;
	elfgen_symbol(&g, "main", 0x1000, 3, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&g, "absent", 0, 0, STB_GLOBAL << 4, SHN_UNDEF);
	elfgen_symbol(&g, "fixed", 77, 0, STB_GLOBAL << 4, SHN_ABS);
	elfgen_symbol(&g, "shared", 8, 4, STB_GLOBAL << 4 | STT_OBJECT, SHN_COMMON);
	return g;
}

static void check_small(unsigned bits, bool big_endian)
{
	struct opened o;
	struct elfgen g = small_program(bits, big_endian);
	open_file(&o, elfgen_finish(&g));
	const struct image *im = o.im;
	assert_int_equal(im->bits, bits);
	assert_int_equal(im->big_endian, big_endian);
	assert_int_equal(im->kind, IMAGE_EXEC);
	assert_int_equal(im->section_count, 7);
	assert_int_equal(im->segment_count, 2);
	assert_int_equal(o.notes.count, 0);
	const struct section *text = image_section_find(im, ".text");
	assert_non_null(text);
	assert_true(text->alloc && text->exec && !text->write && !text->nobits);
	assert_int_equal(text->addr, 0x1000);
	assert_memory_equal(section_bytes(im, text).p, code, sizeof code);
	const struct section *bss = image_section_find(im, ".bss");
	assert_true(bss->nobits && bss->size == 0x100 && bss->file_size == 0);
	assert_ptr_equal(image_section_at(im, 0x103f), text);
	assert_null(image_section_at(im, 0x1040));
	assert_ptr_equal(image_section_at(im, 0x2010), bss);
	assert_int_equal(image_at(im, 0x1001, 2).p[1], 0xc3);
	assert_int_equal(image_at(im, 0x2008, 100).size, 8);
	assert_int_equal(image_at(im, 0x2010, 1).size, 0);
	close_file(&o);
}

static void every_class_and_byte_order_is_read(void **state)
{
	(void)state;
	check_small(64, false);
	check_small(64, true);
	check_small(32, false);
	check_small(32, true);
}

static void symbols_tell_where_they_live(void **state)
{
	(void)state;
	struct opened o;
	struct symtab t;
	struct elfgen g = small_program(64, true);
	open_file(&o, elfgen_finish(&g));
	assert_true(symtab_open(&t, o.im, image_section_type(o.im, SHT_SYMTAB, 1)));
	assert_int_equal(t.count, 5);
	uint64_t addr = 0;
	struct symbol s = symtab_get(&t, 1);
	assert_true(str_eq(s.name, STR("main")));
	assert_int_equal(s.size, 3);
	assert_int_equal(s.type, STT_FUNC);
	assert_int_equal(s.bind, STB_GLOBAL);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x1000);
	static const uint32_t want[] = { SYM_NO_SECTION, SYM_ABSOLUTE, SYM_COMMON };
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		s = symtab_get(&t, 2 + i);
		assert_int_equal(s.section, want[i]);
		assert_false(symbol_addr(o.im, &s, &addr));
	}
	close_file(&o);
}

static void a_thumb_function_loses_its_mark(void **state)
{
	(void)state;
	struct opened o;
	struct symtab t;
	uint64_t addr = 0;
	struct elfgen g = elfgen_make(32, false, ET_DYN, EM_ARM);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, code, sizeof code);
	elfgen_symbol(&g, "thumb", 0x1003, 2, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	elfgen_symbol(&g, "data", 0x1003, 2, STB_GLOBAL << 4 | STT_OBJECT, (uint16_t)text);
	open_file(&o, elfgen_finish(&g));
	assert_true(symtab_open(&t, o.im, image_section_type(o.im, SHT_SYMTAB, 1)));
	struct symbol s = symtab_get(&t, 1);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x1002);
	s = symtab_get(&t, 2);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x1003);
	close_file(&o);
}

static void thread_local_symbols_count_from_the_tls_segment(void **state)
{
	(void)state;
	struct opened o;
	struct symtab t;
	uint64_t addr = 0;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t tdata = elfgen_section(&g, ".tdata", SHT_PROGBITS,
					      SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x3000, code, 8);
	elfgen_section(&g, ".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x3008, NULL, 8);
	const uint32_t data = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					     0x3008, code, 8);
	elfgen_load(&g, PF_R, tdata)->type = PT_TLS;
	elfgen_symbol(&g, "tl", 4, 4, STB_GLOBAL << 4 | STT_TLS, (uint16_t)tdata);
	open_file(&o, elfgen_finish(&g));
	assert_true(symtab_open(&t, o.im, image_section_type(o.im, SHT_SYMTAB, 1)));
	const struct symbol s = symtab_get(&t, 1);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x3004);
	/* .tbss takes no room: the address is .data's. */
	assert_ptr_equal(image_section_at(o.im, 0x3008), &o.im->sections[data]);
	close_file(&o);
}

static void descriptors_of_powerpc_lead_to_code(void **state)
{
	(void)state;
	struct opened o;
	struct symtab t;
	uint64_t addr = 0;
	static const uint8_t opd[24] = { 0, 0, 0, 0, 0, 0, 0x10, 0x20 };
	struct elfgen g = elfgen_make(64, true, ET_DYN, EM_PPC64);
	g.flags = 1;
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, 64);
	const uint32_t sec = elfgen_section(&g, ".opd", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000,
					    opd, 24);
	elfgen_symbol(&g, "f", 0x2000, 8, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)sec);
	elfgen_symbol(&g, "past", 0x3000, 8, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)sec);
	open_file(&o, elfgen_finish(&g));
	assert_true(symtab_open(&t, o.im, image_section_type(o.im, SHT_SYMTAB, 1)));
	struct symbol s = symtab_get(&t, 1);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x1020);
	s = symtab_get(&t, 2);
	assert_true(symbol_addr(o.im, &s, &addr) && addr == 0x3000);
	close_file(&o);
}

static void sections_of_objects_get_slots_of_their_own(void **state)
{
	(void)state;
	struct image im;
	struct symtab t;
	uint64_t addr = 0;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 64);
	elfgen_section(&g, ".huge", SHT_NOBITS, SHF_ALLOC, 0, NULL, UINT64_C(1) << 41);
	elfgen_section(&g, ".based", SHT_NOBITS, SHF_ALLOC, 0x500, NULL, 8);
	elfgen_symbol(&g, "f", 5, 1, STB_GLOBAL << 4 | STT_FUNC, 1);
	const struct bytes file = elfgen_finish(&g);
	struct notes notes;
	notes_init(&notes);
	assert_true(elf_parse(&im, &(struct image_place){ "test", STR("member.o"), 100, 7 }, file,
			      &notes, NULL));
	assert_int_equal(im.kind, IMAGE_OBJECT);
	assert_int_equal(im.sections[1].addr, UINT64_C(8) << 40);
	assert_int_equal(im.sections[2].addr, UINT64_C(9) << 40);
	assert_int_equal(im.sections[2].size, (UINT64_C(1) << 40) - 1);
	assert_int_equal(im.sections[3].addr, (UINT64_C(10) << 40) + 0x500);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.data[0].text, "member.o: section 2"));
	assert_true(symtab_open(&t, &im, image_section_type(&im, SHT_SYMTAB, 1)));
	const struct symbol s = symtab_get(&t, 1);
	assert_true(symbol_addr(&im, &s, &addr) && addr == (UINT64_C(8) << 40) + 5);
	assert_int_equal(image_at(&im, addr, 1).size, 1);
	assert_ptr_equal(image_section_at(&im, addr), &im.sections[1]);
	image_release(&im);
	notes_release(&notes);
	mem_free((void *)(uintptr_t)file.p);
}

static void counts_too_large_for_the_header_stand_in_section_0(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	struct bytes file = elfgen_finish(&g);
	const uint64_t zero = g.shdr_off;
	elfgen_poke(file, E_SHNUM, 2, false, 0);
	elfgen_poke(file, E_SHSTRNDX, 2, false, SHN_XINDEX);
	elfgen_poke(file, E_PHNUM, 2, false, PN_XNUM);
	elfgen_poke(file, zero + 32, 8, false, 7); /* sh_size */
	elfgen_poke(file, zero + 40, 4, false, 6); /* sh_link */
	elfgen_poke(file, zero + 44, 4, false, 2); /* sh_info */
	open_file(&o, file);
	assert_int_equal(o.im->section_count, 7);
	assert_int_equal(o.im->segment_count, 2);
	assert_non_null(image_section_find(o.im, ".text"));
	assert_int_equal(o.im->sections[0].size, 0);
	close_file(&o);
}

static void section_indexes_too_large_for_a_symbol_stand_in_a_table(void **state)
{
	(void)state;
	struct opened o;
	struct symtab t;
	static const uint8_t indexes[] = { 0, 0, 0, 0, 1, 0, 0, 0, 99, 0, 0, 0 };
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, code, 64);
	const uint32_t x = elfgen_section(&g, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0, indexes,
					  sizeof indexes);
	g.sections.data[x].link = 3; /* .symtab comes next */
	elfgen_symbol(&g, "good", 5, 1, STB_GLOBAL << 4, SHN_XINDEX);
	elfgen_symbol(&g, "outside", 5, 1, STB_GLOBAL << 4, SHN_XINDEX);
	elfgen_symbol(&g, "missing", 5, 1, STB_GLOBAL << 4, SHN_XINDEX);
	elfgen_symbol(&g, "reserved", 5, 1, STB_GLOBAL << 4, 0xff20);
	open_file(&o, elfgen_finish(&g));
	assert_true(symtab_open(&t, o.im, &o.im->sections[3]));
	assert_int_equal(symtab_get(&t, 1).section, 1);
	for (size_t i = 2; i < 5; i++)
		assert_int_equal(symtab_get(&t, i).section, SYM_BAD);
	close_file(&o);
}

static void assert_section(const struct image *im, uint64_t addr, const char *name, uint32_t type,
			   uint64_t start, uint64_t size, const char *title)
{
	const struct section *s = image_section_at(im, addr);
	assert_non_null(s);
	assert_true(str_eq(s->name, str_of(name)));
	assert_true(str_eq(section_title(s), str_of(title)));
	assert_int_equal(s->type, type);
	assert_int_equal(s->addr, start);
	assert_int_equal(s->size, size);
	assert_int_equal(s->file_size, type == SHT_NOBITS ? 0 : size);
}

static void a_file_without_section_table_is_read_by_its_segments(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	g.no_section_table = true;
	open_file(&o, elfgen_finish(&g));
	assert_true(o.im->bare);
	assert_int_equal(o.im->section_count, 4);
	assert_int_equal(o.im->shdr_size, 0);
	assert_int_equal(image_at(o.im, 0x1002, 1).p[0], 0xc3);
	assert_section(o.im, 0x1002, ".text", SHT_PROGBITS, 0x1000, 64, "[LOAD #0 [RX]]");
	assert_true(image_section_at(o.im, 0x1002)->exec);
	assert_section(o.im, 0x2000, ".data", SHT_PROGBITS, 0x2000, 16, "[LOAD #1 [RW]]");
	assert_section(o.im, 0x2010, ".bss", SHT_NOBITS, 0x2010, 0x100, "[LOAD #1 [RW]]");
	assert_int_equal(o.notes.count, 0);
	close_file(&o);
}

/* At 0x3000: names, 2 symbols, their hash table, a relocation, and the table that knows them. */
static void put_dynamic(struct elfgen_out *out, unsigned bits)
{
	const unsigned word = bits / 8, symbol = bits == 64 ? 24 : 16;
	const uint64_t strings = 0x3000, symbols = strings + 8, hash = symbols + 2 * symbol,
		       rela = hash + 24;
	const uint64_t tags[][2] = { { DT_STRTAB, strings }, { DT_STRSZ, 8 },
				     { DT_SYMTAB, symbols }, { DT_HASH, hash },
				     { DT_RELA, rela },      { DT_RELASZ, 3 * word },
				     { DT_INIT_ARRAY, 9 },   { DT_INIT_ARRAYSZ, 8 },
				     { DT_NULL, 0 } };
	elfgen_put_bytes(out, "\0f\0\0\0\0\0\0", 8);
	for (unsigned i = 0; i < symbol; i++)
		elfgen_put(out, 1, 0);
	elfgen_put(out, 4, 1);
	if (bits == 64)
		elfgen_put(out, 4, STB_GLOBAL << 4 | STT_FUNC | 14u << 16);
	elfgen_put(out, word, 0x1000);
	elfgen_put(out, word, 3);
	if (bits == 32)
		elfgen_put(out, 4, STB_GLOBAL << 4 | STT_FUNC | 14u << 16);
	for (unsigned i = 0; i < 6; i++) /* a bucket, as many chains as symbols */
		elfgen_put(out, 4, i == 1 ? 2 : 1);
	elfgen_put(out, word, 0x2008);
	elfgen_put(out, word, R_X86_64_RELATIVE);
	elfgen_put(out, word, 0x1001);
	for (size_t i = 0; i < COUNT_OF(tags); i++) {
		elfgen_put(out, word, tags[i][0]);
		elfgen_put(out, word, tags[i][1]);
	}
}

static void assert_dynamic(unsigned bits)
{
	struct opened o;
	struct elfgen g = small_program(bits, false);
	struct elfgen_out out = { .big_endian = false };
	const uint64_t symbols = bits == 64 ? 48 : 32, rela = 3 * bits / 8;
	put_dynamic(&out, bits);
	const uint32_t all = elfgen_section(&g, ".all", SHT_PROGBITS, SHF_ALLOC, 0x3000,
					    out.bytes.data, out.bytes.count);
	elfgen_load(&g, PF_R, all);
	const struct elfgen_segment dynamic = { .type = PT_DYNAMIC,
						.addr = 0x3000 + 8 + symbols + 24 + rela,
						.file_size = out.bytes.count -
							     (8 + symbols + 24 + rela),
						.section = 0 };
	vec_push(&g.segments, dynamic);
	g.no_section_table = true;
	struct bytes file = elfgen_finish(&g);
	/* Where it is in the file only the finished file says. */
	const uint64_t phdr = bits == 64 ? 64 + 2 * 56 : 52 + 2 * 32;
	struct reader r = reader_of(file, false);
	reader_seek(&r, phdr + (bits == 64 ? 8 : 4));
	const uint64_t off = read_uint(&r, bits / 8) + dynamic.addr - 0x3000;
	elfgen_poke(file, phdr + (bits == 64 ? 56 + 8 : 32 + 4), bits / 8, false, off);
	open_file(&o, file);
	assert_section(o.im, 0x3000, ".dynstr", SHT_STRTAB, 0x3000, 8, "[LOAD #2 [R]]");
	assert_section(o.im, 0x3008, ".dynsym", SHT_DYNSYM, 0x3008, symbols, "[LOAD #2 [R]]");
	assert_section(o.im, 0x3008 + symbols, ".hash", SHT_HASH, 0x3008 + symbols, 20,
		       "[LOAD #2 [R]]");
	assert_section(o.im, 0x3020 + symbols, ".rela.dyn", SHT_RELA, 0x3020 + symbols, rela,
		       "[LOAD #2 [R]]");
	assert_section(o.im, dynamic.addr, ".dynamic", SHT_DYNAMIC, dynamic.addr, dynamic.file_size,
		       "[LOAD #2 [R]]");
	struct symtab t;
	uint64_t addr;
	assert_true(symtab_open(&t, o.im, image_section_at(o.im, 0x3008)));
	const struct symbol f = symtab_get(&t, 1);
	assert_true(str_eq(f.name, STR("f")) && symbol_addr(o.im, &f, &addr) && addr == 0x1000);
	assert_int_equal(o.notes.count, 0);
	vec_release(&out.bytes);
	close_file(&o);
}

static void without_section_table_the_dynamic_table_tells_of_symbols(void **state)
{
	(void)state;
	assert_dynamic(64);
	assert_dynamic(32);
}

static void what_leaves_the_file_or_the_address_space_is_clipped_and_noted(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	g.sections.data[2].size = 0x100000;          /* .data */
	g.sections.data[3].addr = UINT64_MAX - 0x10; /* .bss */
	g.segments.data[0].vm_size = UINT64_MAX;
	g.segments.data[1].file_size = g.segments.data[1].vm_size = 0x100000;
	open_file(&o, elfgen_finish(&g));
	const struct section *data = &o.im->sections[2];
	assert_int_equal(data->off + data->file_size, o.file.size);
	assert_int_equal(o.im->sections[3].size, 0x10);
	assert_int_equal(o.im->segments[0].vm_size, UINT64_MAX - 0x1000);
	const struct segment *load = &o.im->segments[1];
	assert_int_equal(load->off + load->file_size, o.file.size);
	assert_int_equal(load->vm_size, 0x100000);
	assert_int_equal(o.notes.count, 4);
	expect_note(&o, "section 2 goes beyond the end of the file");
	expect_note(&o, "section 3 goes beyond the end of its address space");
	expect_note(&o, "segment 0 goes beyond the end of the address space");
	expect_note(&o, "segment 1 goes beyond the end of the file");
	close_file(&o);
}

static void an_empty_segment_may_start_anywhere(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	g.segments.data[1].section = 0;
	g.segments.data[1].off = 0x12345678;
	g.segments.data[1].file_size = 0;
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->segments[1].file_size, 0);
	assert_int_equal(o.im->segments[1].vm_size, 0x110);
	close_file(&o);
}

static void damaged_section_names_become_empty(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	struct bytes file = elfgen_finish(&g);
	elfgen_poke(file, g.shdr_off + 64, 4, false, 0xffffff); /* sh_name of section 1 */
	open_file(&o, file);
	assert_int_equal(o.im->sections[1].name.len, 0);
	assert_non_null(image_section_find(o.im, ".data"));
	expect_note(&o, "section 1 has a name outside");
	close_file(&o);
	g = small_program(64, false);
	file = elfgen_finish(&g);
	elfgen_poke(file, E_SHSTRNDX, 2, false, 1);
	open_file(&o, file);
	assert_int_equal(o.im->sections[2].name.len, 0);
	assert_int_equal(o.im->section_count, 7);
	expect_note(&o, "no string table");
	close_file(&o);
}

static void the_build_id_is_found(void **state)
{
	(void)state;
	struct opened o;
	static const uint8_t note[] = { 4, 0, 0,   0,   1,   0, 0,    0,    1,    0,
					0, 0, 'G', 'N', 'U', 0, 9,    0,    0,    0,
					4, 0, 0,   0,   3,   0, 0,    0,    3,    0,
					0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0xef, 0 };
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	elfgen_section(&g, ".note.x", SHT_NOTE, SHF_ALLOC, 0x100, note, sizeof note);
	struct elfgen_segment *seg = elfgen_load(&g, PF_R, 1);
	seg->type = PT_NOTE;
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->build_id.size, 3);
	assert_int_equal(o.im->build_id.p[2], 0xef);
	close_file(&o);
	g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	elfgen_section(&g, ".note.x", SHT_NOTE, SHF_ALLOC, 0x100, note, sizeof note);
	elfgen_load(&g, PF_R, 1)->type = PT_NOTE;
	g.no_section_table = true;
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->build_id.size, 3);
	close_file(&o);
}

static void overlapping_sections_are_told_apart_by_their_start(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	elfgen_section(&g, "outer", SHT_NOBITS, SHF_ALLOC, 0x1000, NULL, 0x100);
	elfgen_section(&g, "inner", SHT_NOBITS, SHF_ALLOC, 0x1040, NULL, 0x10);
	elfgen_section(&g, "late", SHT_NOBITS, SHF_ALLOC, 0x10f0, NULL, 0x20);
	open_file(&o, elfgen_finish(&g));
	const struct section *s = o.im->sections;
	assert_null(image_section_at(o.im, 0xfff));
	assert_ptr_equal(image_section_at(o.im, 0x1000), &s[1]);
	assert_ptr_equal(image_section_at(o.im, 0x1040), &s[2]);
	assert_ptr_equal(image_section_at(o.im, 0x104f), &s[2]);
	assert_ptr_equal(image_section_at(o.im, 0x1050), &s[1]);
	assert_ptr_equal(image_section_at(o.im, 0x10f0), &s[3]);
	assert_ptr_equal(image_section_at(o.im, 0x110f), &s[3]);
	assert_null(image_section_at(o.im, 0x1110));
	close_file(&o);
}

/* What `objcopy --only-keep-debug` and `eu-strip -f` leave: .text emptied, p_filesz as it was,
 * debug sections where the text stood. */
static void a_debug_file_s_segments_hold_only_what_is_there(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint32_t note = elfgen_section(&g, ".note", SHT_NOTE, SHF_ALLOC, 0x200, code, 16);
	elfgen_section(&g, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x210, NULL, 0x1000);
	const uint32_t info = elfgen_section(&g, ".debug_info", SHT_PROGBITS, 0, 0, code, 64);
	g.sections.data[note].off = 0x200;
	struct elfgen_segment *load = elfgen_load(&g, PF_R | PF_X, note);
	load->section = 0;
	load->addr = 0;
	load->off = 0;
	load->file_size = load->vm_size = 0x1210;
	vec_push(&g.segments, (struct elfgen_segment){ .type = PT_GNU_EH_FRAME,
						       .off = 0x220,
						       .addr = 0x220,
						       .file_size = 16,
						       .vm_size = 16 });
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->sections[info].off, 0x210);
	assert_int_equal(o.im->segments[0].file_size, 0x210);
	assert_int_equal(o.im->segments[0].vm_size, 0x1210);
	assert_int_equal(o.im->segments[1].file_size, 0);
	assert_int_equal(image_at(o.im, 0x200, 16).size, 16);
	assert_int_equal(image_at(o.im, 0x210, 16).size, 0);
	assert_int_equal(o.notes.count, 0);
	close_file(&o);
}

static void bss_before_data_keeps_its_room_in_the_file(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_X86_64);
	const uint32_t bss = elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC, 0x1000, NULL, 32);
	const uint32_t data = elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC, 0x1020, code,
					     16);
	g.sections.data[bss].off = 0x1000;
	g.sections.data[data].off = 0x1020;
	struct elfgen_segment *load = elfgen_load(&g, PF_R, data);
	load->section = 0;
	load->off = 0x1000;
	load->addr = 0x1000;
	load->file_size = load->vm_size = 48;
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->segments[0].file_size, 48);
	close_file(&o);
}

/* A linker script may end a segment with .bss whose zeros are in the file, as U-Boot's does. */
static void bss_at_the_end_keeps_its_zeros_in_the_file(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_EXEC, EM_AARCH64);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0x1000, code, 16);
	elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x1010, NULL, 32);
	g.sections.data[text].off = 0x1000;
	struct elfgen_segment *load = elfgen_load(&g, PF_R | PF_X, text);
	load->section = 0;
	load->off = load->addr = 0x1000;
	load->file_size = load->vm_size = 48;
	open_file(&o, elfgen_finish(&g));
	assert_int_equal(o.im->segments[0].file_size, 48);
	close_file(&o);
}

static void descriptions_use_the_words_of_file(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = small_program(64, false);
	open_file(&o, elfgen_finish(&g));
	assert_string_equal(image_describe(o.im), "ELF 64-bit LSB executable, x86-64");
	close_file(&o);
	g = elfgen_make(32, true, ET_REL, EM_MIPS);
	open_file(&o, elfgen_finish(&g));
	assert_string_equal(image_describe(o.im), "ELF 32-bit MSB relocatable, MIPS");
	close_file(&o);
	g = elfgen_make(32, false, 0xfe00, 12345);
	open_file(&o, elfgen_finish(&g));
	assert_string_equal(image_describe(o.im), "ELF 32-bit LSB type 0xfe00, machine 12345");
	close_file(&o);
	g = elfgen_make(64, false, ET_DYN, EM_AARCH64);
	const uint32_t interp = elfgen_section(&g, ".interp", SHT_PROGBITS, SHF_ALLOC, 0x100, "x",
					       2);
	elfgen_load(&g, PF_R, interp)->type = PT_INTERP;
	open_file(&o, elfgen_finish(&g));
	assert_string_equal(image_describe(o.im), "ELF 64-bit LSB pie executable, ARM aarch64");
	close_file(&o);
}

/* ---- errors --------------------------------------------------------------------------- */

static struct bytes copy(const void *p, size_t size)
{
	return (struct bytes){ memcpy(mem_alloc(size), p, size), size };
}

static struct bytes poked(uint64_t off, unsigned width, uint64_t v)
{
	struct elfgen g = small_program(64, false);
	const struct bytes file = elfgen_finish(&g);
	elfgen_poke(file, off, width, false, v);
	return file;
}

static void what_is_no_elf_file_is_named(void **state)
{
	(void)state;
	expect_error(copy("\177E", 2), "too short");
	expect_error(copy("hello world", 11), "of no kind that heft knows");
	expect_error(copy("MZ\220\0\0\0\0\0", 8), "DOS");
	expect_error(copy("\0asm\2\0\0\0", 8), "WebAssembly of version 2");
	expect_error(copy("BC\300\336abcd", 8), "bitcode");
}

static void damaged_headers_are_errors_that_name_the_place(void **state)
{
	(void)state;
	expect_error(copy("\177ELF\2\1", 6), "too short for its header");
	expect_error(copy("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0", 18), "cut off at offset 18");
	expect_error(poked(EI_CLASS, 1, 3), "EI_CLASS) 3");
	expect_error(poked(EI_DATA, 1, 0), "EI_DATA) 0");
	expect_error(poked(E_SHOFF, 8, 0x99999999), "section header table at offset 2576980377");
	expect_error(poked(E_PHOFF, 8, 0x99999999), "program header table at offset 2576980377");
	expect_error(poked(E_SHNUM, 2, 500), "goes beyond the end of the file");
	expect_error(poked(E_PHNUM, 2, 5000), "goes beyond the end of the file");
	expect_error(poked(E_PHENTSIZE, 2, 8), "entries of 8 bytes");
}

static void a_truncated_program_is_an_error(void **state)
{
	(void)state;
	struct elfgen g = small_program(64, false);
	struct bytes file = elfgen_finish(&g);
	file.size -= 100;
	expect_error(file, "truncated?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_and_byte_order_is_read),
		cmocka_unit_test(symbols_tell_where_they_live),
		cmocka_unit_test(a_thumb_function_loses_its_mark),
		cmocka_unit_test(thread_local_symbols_count_from_the_tls_segment),
		cmocka_unit_test(descriptors_of_powerpc_lead_to_code),
		cmocka_unit_test(sections_of_objects_get_slots_of_their_own),
		cmocka_unit_test(counts_too_large_for_the_header_stand_in_section_0),
		cmocka_unit_test(section_indexes_too_large_for_a_symbol_stand_in_a_table),
		cmocka_unit_test(a_file_without_section_table_is_read_by_its_segments),
		cmocka_unit_test(without_section_table_the_dynamic_table_tells_of_symbols),
		cmocka_unit_test(what_leaves_the_file_or_the_address_space_is_clipped_and_noted),
		cmocka_unit_test(an_empty_segment_may_start_anywhere),
		cmocka_unit_test(damaged_section_names_become_empty),
		cmocka_unit_test(the_build_id_is_found),
		cmocka_unit_test(overlapping_sections_are_told_apart_by_their_start),
		cmocka_unit_test(a_debug_file_s_segments_hold_only_what_is_there),
		cmocka_unit_test(bss_before_data_keeps_its_room_in_the_file),
		cmocka_unit_test(bss_at_the_end_keeps_its_zeros_in_the_file),
		cmocka_unit_test(descriptions_use_the_words_of_file),
		cmocka_unit_test(what_is_no_elf_file_is_named),
		cmocka_unit_test(damaged_headers_are_errors_that_name_the_place),
		cmocka_unit_test(a_truncated_program_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
