/* The DWARF of images made in memory: sections, addresses, relocation. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "program/debuginfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <isa-l.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- images in memory ----------------------------------------------------------------------- */

struct opened {
	struct bytes file;
	struct input in;
	struct notes notes;
	struct debuginfo d;
};

static void open_bytes(struct opened *o, struct bytes file)
{
	struct heft_err err = { 0 };
	o->file = file;
	notes_init(&o->notes);
	if (!input_parse(&o->in, "test", file, &o->notes, &err))
		fail_msg("%s", err.text);
	debuginfo_open(&o->d, &o->in.images[0], NULL, &o->notes);
}

static void open_made(struct opened *o, struct elfgen *g)
{
	open_bytes(o, elfgen_finish(g));
}

static void close_made(struct opened *o)
{
	debuginfo_close(&o->d);
	input_close(&o->in);
	notes_release(&o->notes);
	mem_free((void *)(uintptr_t)o->file.p);
}

static uint32_t add(struct elfgen *g, const char *name, const void *data, uint64_t size)
{
	return elfgen_section(g, name, SHT_PROGBITS, 0, 0, data, size);
}

static void expect_bytes(struct opened *o, enum dw_section which, const void *want, uint64_t size)
{
	const struct bytes b = dwarf_bytes(&o->d.dwarf, which);
	assert_int_equal(o->d.dwarf.size[which], size);
	assert_int_equal(b.size, size);
	assert_memory_equal(b.p, want, size);
}

static bool noted(const struct opened *o, const char *words, uint64_t count)
{
	for (size_t i = 0; i < o->notes.count; i++)
		if (strstr(o->notes.data[i].text, words))
			return o->notes.data[i].count == count;
	return false;
}

/* ---- sections ------------------------------------------------------------------------------- */

static bool present_with(const char *name, uint64_t size)
{
	static const uint8_t zeros[8];
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	add(&g, name, zeros, size);
	open_made(&o, &g);
	const bool yes = debuginfo_present(&o.in.images[0]);
	close_made(&o);
	return yes;
}

static void units_or_lines_are_debug_information(void **state)
{
	(void)state;
	assert_true(present_with(".debug_info", 4));
	assert_true(present_with(".zdebug_info", 4));
	assert_true(present_with(".debug_types", 4));
	assert_true(present_with(".debug_info.dwo", 4));
	assert_true(present_with(".debug_line", 1));
	assert_false(present_with(".debug_line", 0));
	assert_false(present_with(".debug_info", 0));
	assert_false(present_with(".debug_str", 4));
	assert_false(present_with(".debug_information", 4));
}

static void bytes_of_linked_images_are_the_files(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, true, ET_EXEC, EM_PPC64);
	add(&g, ".debug_info", "abcd", 4);
	add(&g, ".gdb_index", "xy", 2);
	open_made(&o, &g);
	assert_true(o.d.dwarf.big_endian);
	assert_false(o.d.dwarf.split);
	expect_bytes(&o, DW_INFO, "abcd", 4);
	expect_bytes(&o, DW_GDB_INDEX, "xy", 2);
	assert_ptr_equal(o.d.dwarf.bytes[DW_INFO].p,
			 section_bytes(o.d.image, &o.d.image->sections[1]).p);
	assert_int_equal(o.d.parts.count, 2);
	assert_ptr_equal(o.d.parts.data[1].section, &o.d.image->sections[2]);
	close_made(&o);
}

/* "ZLIB", the size, zlib data. */
static uint32_t add_zdebug(struct elfgen *g, const char *name, const void *data, size_t size,
			   uint64_t stated)
{
	struct elfgen_out out = { .big_endian = true };
	uint8_t packed[256];
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.gzip_flag = IGZIP_ZLIB;
	z.end_of_stream = 1;
	z.next_in = (uint8_t *)(uintptr_t)data;
	z.avail_in = (uint32_t)size;
	z.next_out = packed;
	z.avail_out = sizeof packed;
	assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
	elfgen_put_bytes(&out, "ZLIB", 4);
	elfgen_put(&out, 8, stated);
	elfgen_put_bytes(&out, packed, z.total_out);
	const uint32_t i = add(g, name, out.bytes.data, out.bytes.count);
	vec_release(&out.bytes);
	return i;
}

static void packed_sections_are_unpacked_when_asked_for(void **state)
{
	(void)state;
	static const char text[] = "text text text text text text text text";
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	add_zdebug(&g, ".zdebug_str", text, sizeof text, sizeof text);
	add_zdebug(&g, ".zdebug_line", text, sizeof text, sizeof text + 1);
	add_zdebug(&g, ".zdebug_loc", text, sizeof text, UINT64_C(1) << 40);
	open_made(&o, &g);
	assert_int_equal(o.d.dwarf.size[DW_STR], sizeof text);
	assert_false(o.d.dwarf.loaded[DW_STR]);
	expect_bytes(&o, DW_STR, text, sizeof text);
	/* A size that does not fit is seen when unpacking, one that cannot be before. */
	assert_true(noted(&o, ".zdebug_loc cannot be unpacked", 1));
	assert_int_equal(o.d.dwarf.size[DW_LINE], sizeof text + 1);
	assert_int_equal(o.d.dwarf.size[DW_LOC], 0);
	assert_int_equal(dwarf_bytes(&o.d.dwarf, DW_LINE).size, 0);
	assert_int_equal(dwarf_bytes(&o.d.dwarf, DW_LOC).size, 0);
	assert_true(noted(&o, ".zdebug_loc cannot be unpacked", 2)); /* and .zdebug_line */
	close_made(&o);
}

static void sections_of_one_name_follow_each_other(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	add(&g, ".debug_types", "abc", 3);
	add(&g, ".debug_info", "12", 2);
	add(&g, ".debug_types", NULL, 0);
	add(&g, ".debug_types", "defg", 4);
	open_made(&o, &g);
	expect_bytes(&o, DW_TYPES, "abcdefg", 7);
	expect_bytes(&o, DW_INFO, "12", 2);
	assert_int_equal(o.d.parts.count, 4);
	const struct debuginfo_part *p = o.d.parts.data;
	assert_true(p[0].which == DW_INFO && p[1].which == DW_TYPES && p[3].which == DW_TYPES);
	assert_int_equal(p[2].off, 3);
	assert_int_equal(p[2].size, 0);
	assert_int_equal(p[3].off, 3);
	assert_int_equal(p[3].section->index, 4);
	close_made(&o);
}

static void what_cannot_be_unpacked_leaves_the_others_in_place(void **state)
{
	(void)state;
	static const uint8_t want[] = { 'a', 'b', 0, 0, 0, 0, 'c' };
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	add(&g, ".debug_types", "ab", 2);
	add_zdebug(&g, ".zdebug_types", "xyz", 3, 4);
	add(&g, ".debug_types", "c", 1);
	open_made(&o, &g);
	expect_bytes(&o, DW_TYPES, want, sizeof want);
	assert_true(noted(&o, "cannot be unpacked", 1));
	close_made(&o);
}

static void sections_over_the_same_bytes_count_once(void **state)
{
	(void)state;
	struct opened o;
	uint8_t data[4096] = { 0 };
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	for (int i = 0; i < 20; i++)
		add(&g, ".debug_types", i ? NULL : data, sizeof data);
	g.sections.data[1].off = 0x1000;
	for (int i = 2; i <= 20; i++) {
		g.sections.data[i].off = 0x1000;
		g.sections.data[i].data = (struct bytes){ NULL, 0 };
	}
	open_made(&o, &g);
	assert_true(o.d.dwarf.size[DW_TYPES] >= sizeof data);
	assert_true(o.d.dwarf.size[DW_TYPES] <= o.file.size);
	assert_int_equal(dwarf_bytes(&o.d.dwarf, DW_TYPES).size, o.d.dwarf.size[DW_TYPES]);
	bool found = false;
	for (size_t i = 0; i < o.notes.count; i++)
		found |= strstr(o.notes.data[i].text, "overlap") != NULL;
	assert_true(found);
	close_made(&o);
}

static void files_of_split_units_are_split(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	add(&g, ".debug_info.dwo", "split", 5);
	add(&g, ".debug_str", "no", 2);
	add(&g, ".debug_cu_index", "cu", 2);
	open_made(&o, &g);
	assert_true(o.d.dwarf.split);
	expect_bytes(&o, DW_INFO, "split", 5);
	expect_bytes(&o, DW_STR, "", 0);
	expect_bytes(&o, DW_CU_INDEX, "cu", 2);
	close_made(&o);

	g = elfgen_make(64, false, ET_REL, EM_X86_64);
	add(&g, ".debug_info.dwo", "split", 5);
	add(&g, ".debug_info", "whole", 5);
	open_made(&o, &g);
	assert_false(o.d.dwarf.split);
	expect_bytes(&o, DW_INFO, "whole", 5);
	close_made(&o);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static void code_at_zero_is_seen(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct opened o;
		uint64_t vm = 0;
		struct elfgen g = elfgen_make(32, false, k == 3 ? ET_REL : ET_EXEC, EM_ARM);
		elfgen_section(&g, ".text", SHT_PROGBITS,
			       k == 1 ? SHF_ALLOC : SHF_ALLOC | SHF_EXECINSTR, k == 2 ? 0x100 : 0,
			       "code", 4);
		open_made(&o, &g);
		assert_int_equal(o.d.dwarf.zero_is_code, k == 0);
		if (k != 3) {
			assert_true(debuginfo_addr(&o.d, 0x12345678, &vm));
			assert_int_equal(vm, 0x12345678);
			assert_int_equal(o.d.windows.count, 0);
		}
		close_made(&o);
	}
}

static void expect_addr(struct opened *o, uint64_t addr, uint64_t want)
{
	uint64_t vm = 0;
	assert_true(debuginfo_addr(&o->d, addr, &vm));
	assert_int_equal(vm, want);
}

static void sections_of_objects_have_windows(void **state)
{
	(void)state;
	struct opened o;
	uint64_t vm = 0;
	struct elfgen g = elfgen_make(64, false, ET_REL, EM_X86_64);
	elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, "0123456789", 10);
	add(&g, ".comment", "x", 1);
	elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 0x100);
	elfgen_section(&g, ".text.empty", SHT_PROGBITS, SHF_ALLOC, 0, NULL, 0);
	elfgen_section(&g, ".data", SHT_PROGBITS, SHF_ALLOC, 0, "1", 1);
	open_made(&o, &g);
	const struct section *s = o.d.image->sections;
	assert_int_equal(o.d.windows.count, 4);
	assert_int_equal(o.d.windows.data[0].addr, DEBUGINFO_FIRST);
	for (size_t i = 0; i + 1 < o.d.windows.count; i++) {
		const struct debuginfo_window *w = &o.d.windows.data[i];
		assert_int_equal(w[1].addr % 16, 0);
		assert_true(w[1].addr >= w->addr + w->size + 16);
		expect_addr(&o, w->addr, w->vm);
		expect_addr(&o, w->addr + w->size, w->vm + w->size);
		assert_false(debuginfo_addr(&o.d, w->addr + w->size + 1, &vm));
		assert_false(debuginfo_addr(&o.d, w[1].addr - 1, &vm));
	}
	assert_int_equal(o.d.windows.data[1].vm, s[3].addr);
	assert_int_equal(o.d.windows.data[3].vm, s[5].addr);
	assert_false(debuginfo_addr(&o.d, 0, &vm));
	assert_false(debuginfo_addr(&o.d, DEBUGINFO_FIRST - 1, &vm));
	assert_false(debuginfo_addr(&o.d, UINT64_MAX, &vm));
	close_made(&o);
}

static void sections_without_room_have_no_window(void **state)
{
	(void)state;
	struct opened o;
	struct elfgen g = elfgen_make(32, false, ET_REL, EM_386);
	for (int i = 0; i < 3; i++)
		elfgen_section(&g, ".bss", SHT_NOBITS, SHF_ALLOC, 0, NULL, 0x60000000);
	elfgen_section(&g, ".data", SHT_NOBITS, SHF_ALLOC, 0, NULL, 16);
	open_made(&o, &g);
	assert_int_equal(o.d.windows.count, 3); /* two of .bss, .data */
	assert_true(o.d.windows.data[2].addr + 16 < UINT32_MAX);
	assert_true(noted(&o, "too large", 1));
	close_made(&o);
}

/* ---- relocation ----------------------------------------------------------------------------- */

/* An object: 1 .text (32 bytes), 2 .data, 3 and 4 .debug_str of 4 and 8 bytes, 5 .debug_info to
 * be patched; symbols: */
enum { S_TEXT = 1, S_FUNC, S_DATA, S_STR1, S_STR2, S_UNDEF, S_ABS, S_COMMENT, S_THUMB };
enum { TEXT = 1, DATA, STR1, STR2, INFO, COMMENT };
#define TEXT_ADDR DEBUGINFO_FIRST
#define DATA_ADDR (DEBUGINFO_FIRST + 0x30)

struct object {
	struct elfgen g;
	struct elfgen_out table;
	bool rela;
	struct opened o;
};

static void begin(struct object *b, unsigned bits, bool big_endian, uint16_t machine, bool rela,
		  const void *info, uint64_t size)
{
	static const uint8_t zeros[32];
	struct elfgen *g = &b->g;
	memset(b, 0, sizeof *b);
	*g = elfgen_make(bits, big_endian, ET_REL, machine);
	b->rela = rela;
	b->table.big_endian = big_endian;
	elfgen_section(g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, zeros, 32);
	elfgen_section(g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, zeros, 16);
	add(g, ".debug_str", "abc", 4);
	add(g, ".debug_str", "defghij", 8);
	add(g, ".debug_info", info, size);
	add(g, ".comment", "x", 1);
	elfgen_symbol(g, "", 0, 0, STT_SECTION, TEXT);
	elfgen_symbol(g, "func", 8, 4, STB_GLOBAL << 4 | STT_FUNC, TEXT);
	elfgen_symbol(g, "", 0, 0, STT_SECTION, DATA);
	elfgen_symbol(g, "", 0, 0, STT_SECTION, STR1);
	elfgen_symbol(g, "", 0, 0, STT_SECTION, STR2);
	elfgen_symbol(g, "undefined", 0, 0, STB_GLOBAL << 4, SHN_UNDEF);
	elfgen_symbol(g, "absolute", 0x77, 0, STB_GLOBAL << 4, SHN_ABS);
	elfgen_symbol(g, "", 0, 0, STT_SECTION, COMMENT);
	elfgen_symbol(g, "thumb", 9, 4, STB_GLOBAL << 4 | STT_FUNC, TEXT);
}

static void fix(struct object *b, uint64_t off, uint32_t symbol, uint32_t type, int64_t addend)
{
	const unsigned word = b->g.bits / 8;
	elfgen_put(&b->table, word, off);
	elfgen_put(&b->table, word, (uint64_t)symbol << (word == 8 ? 32 : 8) | type);
	if (b->rela)
		elfgen_put(&b->table, word, (uint64_t)addend);
}

static void finish(struct object *b, uint32_t info)
{
	const uint32_t i = elfgen_section(&b->g, ".rela.debug_info", b->rela ? SHT_RELA : SHT_REL,
					  0, 0, b->table.bytes.data, b->table.bytes.count);
	b->g.sections.data[i].info = info;
	b->g.sections.data[i].link = i + 1; /* .symtab is made next */
	open_made(&b->o, &b->g);
	vec_release(&b->table.bytes);
}

static uint64_t number(struct object *b, uint64_t off, unsigned width)
{
	struct reader r = dwarf_reader(&b->o.d.dwarf, DW_INFO);
	reader_seek(&r, off);
	const uint64_t v = read_uint(&r, width);
	assert_true(reader_ok(&r));
	return v;
}

static void rela_patches_addresses_and_offsets(void **state)
{
	(void)state;
	struct object b;
	uint8_t info[64];
	memset(info, 0x55, sizeof info);
	begin(&b, 64, false, EM_X86_64, true, info, sizeof info);
	fix(&b, 0, S_TEXT, R_X86_64_64, 5);
	fix(&b, 8, S_FUNC, R_X86_64_64, 0);
	fix(&b, 16, S_DATA, R_X86_64_32, 3);
	fix(&b, 20, S_STR1, R_X86_64_32, 1);
	fix(&b, 24, S_STR2, R_X86_64_32, 2);
	fix(&b, 28, S_UNDEF, R_X86_64_32, 9);
	fix(&b, 32, S_ABS, R_X86_64_32, 1);
	fix(&b, 36, S_COMMENT, R_X86_64_32, 6);
	fix(&b, 40, 0, R_X86_64_32, 0x1234);
	fix(&b, 44, S_DATA, R_X86_64_DTPOFF32, 4);
	fix(&b, 48, 99, R_X86_64_64, 9);
	finish(&b, INFO);
	assert_int_equal(number(&b, 0, 8), TEXT_ADDR + 5);
	assert_int_equal(number(&b, 8, 8), TEXT_ADDR + 8);
	assert_int_equal(number(&b, 16, 4), DATA_ADDR + 3);
	assert_int_equal(number(&b, 20, 4), 1);
	assert_int_equal(number(&b, 24, 4), 4 + 2); /* behind the first section's 4 bytes */
	assert_int_equal(number(&b, 28, 4), 0);
	assert_int_equal(number(&b, 32, 4), 0x78);
	assert_int_equal(number(&b, 36, 4), 6);
	assert_int_equal(number(&b, 40, 4), 0x1234);
	assert_int_equal(number(&b, 44, 4), DATA_ADDR + 4);
	assert_int_equal(number(&b, 48, 8), 0);
	assert_int_equal(number(&b, 56, 8), 0x5555555555555555);
	assert_int_equal(b.o.notes.count, 0);
	/* The image itself stays as it is. */
	assert_int_equal(section_bytes(b.o.d.image, &b.o.d.image->sections[INFO]).p[0], 0x55);
	close_made(&b.o);
}

static void rel_adds_to_what_stands_there(void **state)
{
	(void)state;
	struct object b;
	struct elfgen_out info = { 0 };
	elfgen_put(&info, 4, 5);
	elfgen_put(&info, 4, (uint64_t)-2);
	elfgen_put(&info, 4, 3);
	elfgen_put(&info, 4, 7);
	elfgen_put(&info, 2, 0xffff);
	begin(&b, 32, false, EM_386, false, info.bytes.data, info.bytes.count);
	vec_release(&info.bytes);
	fix(&b, 0, S_TEXT, R_386_32, 0);
	fix(&b, 4, S_DATA, R_386_32, 0);
	fix(&b, 8, S_STR2, R_386_32, 0);
	fix(&b, 12, S_UNDEF, R_386_32, 0);
	fix(&b, 16, S_STR2, R_386_16, 0);
	finish(&b, INFO);
	assert_int_equal(number(&b, 0, 4), TEXT_ADDR + 5);
	assert_int_equal(number(&b, 4, 4), DATA_ADDR - 2);
	assert_int_equal(number(&b, 8, 4), 4 + 3);
	assert_int_equal(number(&b, 12, 4), 0);
	assert_int_equal(number(&b, 16, 2), 3);
	close_made(&b.o);
}

static void the_bit_of_thumb_code_is_no_address(void **state)
{
	(void)state;
	struct object b;
	begin(&b, 32, false, EM_ARM, false, "\0\0\0\0", 4);
	fix(&b, 0, S_THUMB, R_ARM_ABS32, 0);
	finish(&b, INFO);
	assert_int_equal(number(&b, 0, 4), TEXT_ADDR + 8);
	close_made(&b.o);
}

/* One relocation in a section of zeros. */
static uint64_t patched(unsigned bits, bool big_endian, uint16_t machine, uint32_t type,
			unsigned width, int64_t addend)
{
	static const uint8_t zeros[8];
	struct object b;
	begin(&b, bits, big_endian, machine, true, zeros, sizeof zeros);
	fix(&b, 0, S_DATA, type, addend);
	finish(&b, INFO);
	const uint64_t v = number(&b, 0, width);
	close_made(&b.o);
	return v;
}

static void other_machines_patch_alike(void **state)
{
	(void)state;
	const uint64_t want = DATA_ADDR + 1;
	assert_int_equal(patched(64, false, EM_AARCH64, R_AARCH64_ABS64, 8, 1), want);
	assert_int_equal(patched(64, true, EM_AARCH64, R_AARCH64_ABS32, 4, 1), want);
	assert_int_equal(patched(64, true, EM_PPC64, R_PPC64_ADDR64, 8, 1), want);
	assert_int_equal(patched(32, true, EM_PPC, R_PPC64_ADDR32, 4, 1), want);
	assert_int_equal(patched(64, true, EM_S390, R_390_64, 8, 1), want);
	assert_int_equal(patched(64, true, EM_S390, R_390_16, 2, 1), want & 0xffff);
	assert_int_equal(patched(64, true, EM_MIPS, R_MIPS_64, 8, 1), want);
	assert_int_equal(patched(64, true, EM_MIPS, R_MIPS_64 << 8 | R_MIPS_32, 8, 1), want);
	assert_int_equal(patched(32, false, EM_MIPS, R_MIPS_32, 4, 1), want);
	assert_int_equal(patched(64, false, EM_LOONGARCH, R_LARCH_64, 8, 1), want);
	assert_int_equal(patched(64, false, EM_RISCV, R_RISCV_64, 8, 1), want);
	/* Thread-local variables, less what the ABI has the linker take away. */
	assert_int_equal(patched(64, false, EM_RISCV, 9, 8, 0x801), want);
	assert_int_equal(patched(32, true, EM_MIPS, 39, 4, 0x8001), want);
	assert_int_equal(patched(64, true, EM_PPC64, 78, 8, 0x8001), want);
	assert_int_equal(patched(64, false, EM_X86_64, R_X86_64_DTPOFF64, 8, 1), want);
	/* Markers change nothing. */
	assert_int_equal(patched(64, false, EM_X86_64, 0, 8, 1), 0);
	assert_int_equal(patched(64, false, EM_RISCV, 51, 8, 1), 0);
}

static void riscv_adds_and_takes_away(void **state)
{
	(void)state;
	static const uint8_t info[] = {
		0, 0, 0, 0, 0xc0, 0x80, 0x80, 0x00, 0x11, 0x22, 0, 0, 0, 0
	};
	struct object b;
	begin(&b, 64, false, EM_RISCV, true, info, sizeof info);
	fix(&b, 0, S_DATA, 35, 7);  /* ADD32 */
	fix(&b, 0, S_TEXT, 39, 2);  /* SUB32 */
	fix(&b, 4, S_TEXT, 53, 9);  /* SET6: the upper two bits stay */
	fix(&b, 4, S_TEXT, 52, 6);  /* SUB6 */
	fix(&b, 5, S_DATA, 60, 0);  /* SET_ULEB128 of 3 bytes */
	fix(&b, 5, S_TEXT, 61, 0);  /* SUB_ULEB128 */
	fix(&b, 8, S_FUNC, 34, 0);  /* ADD16 */
	fix(&b, 8, S_TEXT, 38, 0);  /* SUB16 */
	fix(&b, 10, S_FUNC, 54, 1); /* SET8 */
	fix(&b, 11, S_FUNC, 33, 1); /* ADD8 */
	finish(&b, INFO);
	const uint8_t *p = dwarf_bytes(&b.o.d.dwarf, DW_INFO).p;
	assert_int_equal(number(&b, 0, 4), DATA_ADDR - TEXT_ADDR + 5);
	assert_int_equal(p[4], 0xc0 | 3);
	assert_int_equal(p[5] & 0x7f, DATA_ADDR - TEXT_ADDR);
	assert_true((p[5] & 0x80) && p[6] == 0x80 && p[7] == 0);
	assert_int_equal(number(&b, 8, 2), 0x2211 + 8);
	assert_int_equal(p[10], 9);
	assert_int_equal(p[11], 9);
	assert_int_equal(b.o.notes.count, 0);
	close_made(&b.o);
}

static void loongarch_adds_and_takes_away(void **state)
{
	(void)state;
	static const uint8_t info[] = { 1, 0, 0, 9, 0x80, 0x00, 0x41 };
	struct object b;
	begin(&b, 64, false, EM_LOONGARCH, true, info, sizeof info);
	fix(&b, 0, S_DATA, 49, 0);  /* ADD24 */
	fix(&b, 0, S_TEXT, 54, 0);  /* SUB24 */
	fix(&b, 4, S_DATA, 107, 1); /* ADD_ULEB128 */
	fix(&b, 4, S_TEXT, 108, 0); /* SUB_ULEB128 */
	fix(&b, 6, S_FUNC, 105, 0); /* ADD6 */
	fix(&b, 6, S_TEXT, 106, 0); /* SUB6 */
	finish(&b, INFO);
	const uint8_t *p = dwarf_bytes(&b.o.d.dwarf, DW_INFO).p;
	assert_int_equal(p[0] | p[1] << 8 | p[2] << 16, DATA_ADDR - TEXT_ADDR + 1);
	assert_int_equal(p[3], 9);
	assert_int_equal(p[4], 0x80 | (DATA_ADDR - TEXT_ADDR + 1));
	assert_int_equal(p[5], 0);
	assert_int_equal(p[6], 0x49);
	close_made(&b.o);
}

static void odd_relocations_change_nothing(void **state)
{
	(void)state;
	static const uint8_t info[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };
	struct object b;
	begin(&b, 64, false, EM_RISCV, true, info, sizeof info);
	fix(&b, 0, S_TEXT, 200, 0); /* types nobody knows */
	fix(&b, 4, S_TEXT, 201, 0);
	fix(&b, 5, S_TEXT, R_RISCV_32, 0); /* the last byte would be outside */
	fix(&b, 8, S_TEXT, R_RISCV_32, 0);
	fix(&b, UINT64_MAX, S_TEXT, R_RISCV_32, 0);
	fix(&b, 7, S_TEXT, 60, 0); /* a ULEB128 without an end */
	finish(&b, INFO);
	expect_bytes(&b.o, DW_INFO, info, sizeof info);
	assert_true(noted(&b.o, "is not applied", 2));
	assert_true(noted(&b.o, "of section .debug_info lies outside it", 4));
	close_made(&b.o);
}

static void each_section_has_relocations_of_its_own(void **state)
{
	(void)state;
	struct object b;
	begin(&b, 64, false, EM_X86_64, true, "\0\0\0\0", 4);
	const uint32_t second = add(&b.g, ".debug_info", "\0\0\0\0", 4);
	struct elfgen_out table = { 0 };
	elfgen_put(&table, 8, 0);
	elfgen_put(&table, 8, (uint64_t)S_TEXT << 32 | R_X86_64_32);
	elfgen_put(&table, 8, 1);
	const uint32_t i = elfgen_section(&b.g, ".rela.debug_info", SHT_RELA, 0, 0,
					  table.bytes.data, table.bytes.count);
	vec_release(&table.bytes);
	b.g.sections.data[i].info = second;
	b.g.sections.data[i].link = i + 2;
	fix(&b, 0, S_DATA, R_X86_64_32, 2);
	finish(&b, INFO);
	assert_int_equal(number(&b, 0, 4), DATA_ADDR + 2);
	assert_int_equal(number(&b, 4, 4), TEXT_ADDR + 1);
	close_made(&b.o);
}

static void packed_sections_are_patched_once_unpacked(void **state)
{
	(void)state;
	uint8_t info[100] = { 0 };
	struct object b;
	begin(&b, 64, false, EM_X86_64, true, "", 0);
	const uint32_t packed = add_zdebug(&b.g, ".zdebug_info", info, sizeof info, sizeof info);
	fix(&b, 90, S_DATA, R_X86_64_64, 2); /* behind the end of the packed bytes */
	finish(&b, packed);
	assert_int_equal(number(&b, 90, 8), DATA_ADDR + 2);
	assert_int_equal(b.o.notes.count, 0);
	close_made(&b.o);
}

static void linked_images_are_not_relocated(void **state)
{
	(void)state;
	struct object b;
	begin(&b, 64, false, EM_X86_64, true, "abcd", 4);
	b.g.type = ET_EXEC; /* as of --emit-relocs */
	fix(&b, 0, S_DATA, R_X86_64_32, 2);
	finish(&b, INFO);
	expect_bytes(&b.o, DW_INFO, "abcd", 4);
	close_made(&b.o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_or_lines_are_debug_information),
		cmocka_unit_test(bytes_of_linked_images_are_the_files),
		cmocka_unit_test(packed_sections_are_unpacked_when_asked_for),
		cmocka_unit_test(sections_of_one_name_follow_each_other),
		cmocka_unit_test(what_cannot_be_unpacked_leaves_the_others_in_place),
		cmocka_unit_test(sections_over_the_same_bytes_count_once),
		cmocka_unit_test(files_of_split_units_are_split),
		cmocka_unit_test(code_at_zero_is_seen),
		cmocka_unit_test(sections_of_objects_have_windows),
		cmocka_unit_test(sections_without_room_have_no_window),
		cmocka_unit_test(rela_patches_addresses_and_offsets),
		cmocka_unit_test(rel_adds_to_what_stands_there),
		cmocka_unit_test(the_bit_of_thumb_code_is_no_address),
		cmocka_unit_test(other_machines_patch_alike),
		cmocka_unit_test(riscv_adds_and_takes_away),
		cmocka_unit_test(loongarch_adds_and_takes_away),
		cmocka_unit_test(odd_relocations_change_nothing),
		cmocka_unit_test(each_section_has_relocations_of_its_own),
		cmocka_unit_test(packed_sections_are_patched_once_unpacked),
		cmocka_unit_test(linked_images_are_not_relocated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
