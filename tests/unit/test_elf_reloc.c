/* Relocation tables in all forms, and what relocations refer to. */
#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_internal.h"
#include "image/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

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
	o->im = &o->in.images[0];
}

static void close_file(struct opened *o)
{
	input_close(&o->in);
	notes_release(&o->notes);
	mem_free((void *)(uintptr_t)o->file.p);
}

/* Section 1 .text at 0x1000, 2 .data at 0x2000 (its words count up from 0x1100), 3 the table. */
struct fixture {
	struct elfgen g;
	struct elfgen_out table;
};

enum { TEXT = 1, DATA = 2, TABLE = 3 };

static struct fixture make(unsigned bits, bool big_endian, uint16_t type, uint16_t machine)
{
	static const uint8_t code[256];
	struct fixture f = { .g = elfgen_make(bits, big_endian, type, machine),
			     .table = { .big_endian = big_endian } };
	struct elfgen_out words = { .big_endian = big_endian };
	for (unsigned i = 0; i < 64; i++)
		elfgen_put(&words, bits / 8, 0x1100 + i);
	const bool object = type == ET_REL;
	elfgen_section(&f.g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, object ? 0 : 0x1000,
		       code, sizeof code);
	elfgen_section(&f.g, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, object ? 0 : 0x2000,
		       words.bytes.data, words.bytes.count);
	if (!object) {
		elfgen_load(&f.g, PF_R, TEXT);
		elfgen_load(&f.g, PF_R, DATA);
	}
	vec_release(&words.bytes);
	return f;
}

static void put_entry(struct fixture *f, uint64_t off, uint32_t symbol, uint32_t type)
{
	const unsigned word = f->g.bits / 8;
	elfgen_put(&f->table, word, off);
	elfgen_put(&f->table, word, (uint64_t)symbol << (word == 8 ? 32 : 8) | type);
}

static void put_rela(struct fixture *f, uint64_t off, uint32_t symbol, uint32_t type,
		     int64_t addend)
{
	put_entry(f, off, symbol, type);
	elfgen_put(&f->table, f->g.bits / 8, (uint64_t)addend);
}

/* Adds the table as section TABLE and opens it. */
static void open_table(struct fixture *f, uint32_t sh_type, uint64_t flags, uint32_t info,
		       struct opened *o, struct reloc_iter *it)
{
	elfgen_section(&f->g, ".table", sh_type, flags, 0, f->table.bytes.data,
		       f->table.bytes.count);
	f->g.sections.data[TABLE].info = info;
	if (f->g.symbols.count)
		f->g.sections.data[TABLE].link = TABLE + 1; /* .symtab is made next */
	vec_release(&f->table.bytes);
	open_file(o, elfgen_finish(&f->g));
	assert_true(section_is_reloc(&o->im->sections[TABLE]));
	assert_false(section_is_reloc(&o->im->sections[TEXT]));
	assert_true(reloc_open(it, o->im, &o->im->sections[TABLE]));
}

static void expect(struct reloc_iter *it, struct reloc *r, uint64_t entry_off, uint64_t entry_size,
		   uint64_t addr, enum reloc_kind kind)
{
	assert_true(reloc_next(it, r));
	assert_int_equal(r->entry_off, entry_off);
	assert_int_equal(r->entry_size, entry_size);
	assert_int_equal(r->addr, addr);
	assert_int_equal(r->kind, kind);
}

static void expect_target(struct reloc_iter *it, const struct reloc *r, uint64_t want)
{
	uint64_t target = 0;
	assert_true(reloc_target(it, r, &target));
	assert_int_equal(target, want);
}

static void rela_states_its_addends(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	struct fixture f = make(64, true, ET_DYN, EM_X86_64);
	elfgen_symbol(&f.g, "f", 0x1010, 4, STT_FUNC, TEXT);
	elfgen_symbol(&f.g, "absent", 0, 0, STT_NOTYPE, SHN_UNDEF);
	put_rela(&f, 0x2000, 0, R_X86_64_RELATIVE, 0x1020);
	put_rela(&f, 0x2008, 1, R_X86_64_64, -4);
	put_rela(&f, 0x2010, 2, R_X86_64_GLOB_DAT, 0);
	put_rela(&f, 0x9000, 1, R_X86_64_JUMP_SLOT, 0);
	open_table(&f, SHT_RELA, SHF_ALLOC, 0, &o, &it);
	expect(&it, &r, 0, 24, 0x2000, RELOC_RELATIVE);
	assert_true(r.alloc && r.section == DATA && r.has_addend);
	expect_target(&it, &r, 0x1020);
	expect(&it, &r, 24, 24, 0x2008, RELOC_ABS);
	assert_int_equal(r.addend, -4);
	expect_target(&it, &r, 0x100c);
	expect(&it, &r, 48, 24, 0x2010, RELOC_GLOB_DAT);
	assert_false(reloc_target(&it, &r, &target));
	expect(&it, &r, 72, 24, 0x9000, RELOC_JUMP_SLOT);
	assert_int_equal(r.section, 0);
	expect_target(&it, &r, 0x1010);
	assert_false(reloc_next(&it, &r));
	assert_int_equal(o.notes.count, 0);
	close_file(&o);
}

static void rel_takes_its_addends_from_the_patched_place(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(32, false, ET_DYN, EM_386);
	elfgen_symbol(&f.g, "f", 0x10, 4, STT_FUNC, TEXT);
	put_entry(&f, 0x2008, 0, R_386_RELATIVE);
	put_entry(&f, 0x2004, 1, R_386_32);
	put_entry(&f, 0x2004, 1, R_386_GLOB_DAT);
	open_table(&f, SHT_REL, SHF_ALLOC, 0, &o, &it);
	expect(&it, &r, 0, 8, 0x2008, RELOC_RELATIVE);
	assert_false(r.has_addend);
	expect_target(&it, &r, 0x1102);
	expect(&it, &r, 8, 8, 0x2004, RELOC_ABS);
	expect_target(&it, &r, 0x1111);
	expect(&it, &r, 16, 8, 0x2004, RELOC_GLOB_DAT);
	expect_target(&it, &r, 0x10);
	assert_false(reloc_next(&it, &r));
	close_file(&o);
}

static void rel_may_hide_its_addend_in_an_instruction(void **state)
{
	(void)state;
	static const struct {
		uint16_t machine;
		uint8_t bits, big_endian, type;
		uint8_t code[8];
		uint64_t addend;
	} cases[] = {
		{ EM_MIPS, 32, 0, 4, { 0x10, 0, 0, 0x0c }, 0x40 },                  /* jal 0x40 */
		{ EM_MIPS, 32, 1, 4, { 0x0c, 0, 0, 0x10 }, 0x40 },                  /* the same */
		{ EM_MIPS, 32, 0, 6, { 0xf0, 0xff, 0x42, 0x24 }, UINT64_MAX - 15 }, /* addiu -16 */
		{ EM_ARM, 32, 0, 28, { 0x0e, 0, 0, 0xeb }, 0x40 },                  /* bl: 56 + 8 */
		{ EM_ARM, 32, 0, 29, { 0xfe, 0xff, 0xff, 0xea }, 0 },               /* b: -8 + 8 */
		{ EM_ARM, 32, 0, 10, { 0, 0xf0, 0x1e, 0xf8 }, 0x40 },               /* bl: 60 + 4 */
		{ EM_ARM, 32, 0, 10, { 0xff, 0xf7, 0xfe, 0xff }, 0 },               /* bl: -4 + 4 */
		{ EM_ARM, 32, 0, 43, { 0x20, 0x30, 0, 0xe3 }, 0x20 },     /* movw r3, #32 */
		{ EM_ARM, 32, 0, 47, { 0x40, 0xf2, 0x20, 0x13 }, 0x120 }, /* movw r3, #288 */
		{ EM_BPF, 64, 0, 10, { 0x85, 0x10, 0, 0, 7 }, 0x40 },     /* call 7 + 1 */
		{ EM_BPF, 64, 0, 1, { 0x18, 1, 0, 0, 0x18 }, 0x18 },      /* r1 = 24 ll */
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct opened o;
		struct reloc_iter it;
		struct reloc r;
		struct fixture f = make(cases[i].bits, cases[i].big_endian, ET_REL,
					cases[i].machine);
		f.g.sections.data[TEXT].data.p = cases[i].code;
		f.g.sections.data[TEXT].data.size = f.g.sections.data[TEXT].size = 8;
		elfgen_symbol(&f.g, "s", 4, 4, STT_FUNC, TEXT);
		put_entry(&f, 0, 1, cases[i].type);
		open_table(&f, SHT_REL, SHF_INFO_LINK, TEXT, &o, &it);
		assert_true(reloc_next(&it, &r) && r.alloc);
		expect_target(&it, &r, (UINT64_C(1) << 40) + 4 + cases[i].addend);
		close_file(&o);
	}
}

static void relocations_of_objects_stand_in_the_section_they_patch(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	const uint64_t text = UINT64_C(1) << 40, data = UINT64_C(2) << 40;
	struct fixture f = make(64, false, ET_REL, EM_X86_64);
	elfgen_symbol(&f.g, "d", 8, 4, STT_OBJECT, DATA);
	put_rela(&f, 0x10, 1, R_X86_64_PC32, -4);
	put_rela(&f, 0x1000, 1, R_X86_64_PC32, -4);
	open_table(&f, SHT_RELA, SHF_INFO_LINK, TEXT, &o, &it);
	expect(&it, &r, 0, 24, text + 0x10, RELOC_PCREL);
	assert_int_equal(r.section, TEXT);
	expect_target(&it, &r, data + 8); /* counted from the end of the displacement */
	expect(&it, &r, 24, 24, 0x1000, RELOC_PCREL);
	assert_true(r.section == 0 && !r.alloc);
	assert_int_equal(o.notes.count, 1); /* outside its section */
	close_file(&o);
}

static void kept_relocations_of_debug_sections_are_offsets(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(64, false, ET_EXEC, EM_X86_64);
	elfgen_symbol(&f.g, "f", 0x1010, 4, STT_FUNC, TEXT);
	put_rela(&f, 0x10, 1, R_X86_64_64, 0);
	f.g.sections.data[DATA].flags = 0;
	f.g.sections.data[DATA].addr = 0;
	f.g.segments.count = 1;
	open_table(&f, SHT_RELA, SHF_INFO_LINK, DATA, &o, &it);
	expect(&it, &r, 0, 24, 0x10, RELOC_ABS);
	assert_true(!r.alloc && r.section == DATA);
	expect_target(&it, &r, 0x1010);
	close_file(&o);
}

static void fields_have_three_bytes_where_addresses_have(void **state)
{
	static const struct {
		uint16_t machine;
		uint32_t type;
		unsigned width;
	} want[] = { { EM_MN10200, 4, 3 },
		     { EM_M32C, 2, 3 },
		     { EM_Z80, 5, 3 },
		     { EM_MN10200, 1, 4 },
		     { EM_68HC12, 11, 3 } };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		const struct image im = { .machine = want[i].machine };
		const struct reloc_field f = reloc_field(&im, want[i].type);
		assert_int_equal(f.op, RELOC_OP_SET);
		assert_int_equal(f.width, want[i].width);
		assert_int_equal(f.bits, 8 * want[i].width);
	}
}

static void mips64_has_its_own_order_of_fields(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct opened o;
		struct reloc_iter it;
		struct reloc r;
		struct fixture f = make(64, big, ET_DYN, EM_MIPS);
		static const uint8_t tail[] = { 0, 0, R_MIPS_64, R_MIPS_REL32 };
		elfgen_symbol(&f.g, "f", 0x10, 4, STT_FUNC, TEXT);
		elfgen_put(&f.table, 8, 0x2008);
		elfgen_put(&f.table, 4, 1);
		elfgen_put_bytes(&f.table, tail, sizeof tail);
		open_table(&f, SHT_REL, SHF_ALLOC, 0, &o, &it);
		expect(&it, &r, 0, 16, 0x2008, RELOC_ABS);
		assert_int_equal(r.symbol, 1);
		assert_int_equal(r.type, R_MIPS_64 << 8 | R_MIPS_REL32);
		expect_target(&it, &r, 0x1111);
		close_file(&o);
	}
}

static void relr_packs_relative_relocations(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(64, false, ET_DYN, EM_X86_64);
	elfgen_put(&f.table, 8, 0x2000);
	elfgen_put(&f.table, 8, 1 | 1 << 1 | 1 << 3); /* 0x2008 and 0x2018 */
	elfgen_put(&f.table, 8, 1);                   /* none of the next 63 */
	elfgen_put(&f.table, 8, UINT64_C(1) << 63 | 1);
	open_table(&f, SHT_RELR, SHF_ALLOC, 0, &o, &it);
	expect(&it, &r, 0, 8, 0x2000, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1100);
	expect(&it, &r, 8, 8, 0x2008, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1101);
	expect(&it, &r, 8, 0, 0x2018, RELOC_RELATIVE);
	expect(&it, &r, 24, 8, 0x2008 + 8 * (63 + 63 + 62), RELOC_RELATIVE);
	assert_false(reloc_next(&it, &r));
	close_file(&o);
}

static void crel_counts_in_deltas(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(64, false, ET_REL, EM_X86_64);
	elfgen_symbol(&f.g, "d", 8, 4, STT_OBJECT, DATA);
	elfgen_put_uleb(&f.table, 2 << 3 | 4 | 2); /* 2 entries, addends, offsets shifted by 2 */
	elfgen_put_uleb(&f.table, 0x10 << 3 | 7);  /* offset 0x40, all three follow */
	elfgen_put_sleb(&f.table, 1);
	elfgen_put_sleb(&f.table, R_X86_64_PC32);
	elfgen_put_sleb(&f.table, -4);
	elfgen_put_uleb(&f.table, 2 << 3); /* 8 further, the rest alike */
	open_table(&f, SHT_CREL, SHF_INFO_LINK, TEXT, &o, &it);
	expect(&it, &r, 1, 5, (UINT64_C(1) << 40) + 0x40, RELOC_PCREL);
	assert_true(r.symbol == 1 && r.addend == -4 && r.has_addend);
	expect(&it, &r, 6, 1, (UINT64_C(1) << 40) + 0x48, RELOC_PCREL);
	assert_int_equal(r.addend, -4);
	assert_false(reloc_next(&it, &r));
	assert_int_equal(o.notes.count, 0);
	close_file(&o);
}

static void android_packs_in_groups(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(64, false, ET_DYN, EM_X86_64);
	elfgen_put_bytes(&f.table, "APS2", 4);
	static const int64_t numbers[] = {
		4,
		0x2000, /* entries, first offset */
		2,
		1 | 2 | 4 | 8,
		8,
		R_X86_64_RELATIVE,
		0x1004, /* size, flags, deltas, addend */
		2,
		8, /* size, flags: each entry has offset, info and addend */
		16,
		R_X86_64_RELATIVE,
		1,
		8,
		R_X86_64_RELATIVE,
		2,
	};
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		elfgen_put_sleb(&f.table, numbers[i]);
	open_table(&f, SHT_ANDROID_RELA, SHF_ALLOC, 0, &o, &it);
	expect(&it, &r, 8, 6, 0x2008, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1004);
	expect(&it, &r, 14, 0, 0x2010, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1004);
	expect(&it, &r, 14, 5, 0x2020, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1005);
	expect(&it, &r, 19, 3, 0x2028, RELOC_RELATIVE);
	expect_target(&it, &r, 0x1007);
	assert_false(reloc_next(&it, &r));
	assert_int_equal(o.notes.count, 0);
	close_file(&o);
}

static void damage_ends_a_packed_table_with_a_note(void **state)
{
	(void)state;
	struct opened o;
	struct reloc_iter it;
	struct reloc r;
	struct fixture f = make(64, false, ET_REL, EM_X86_64);
	elfgen_put_uleb(&f.table, 50 << 3 | 4);
	elfgen_put_uleb(&f.table, 8 << 3);
	open_table(&f, SHT_CREL, SHF_INFO_LINK, TEXT, &o, &it);
	assert_true(reloc_next(&it, &r));
	assert_false(reloc_next(&it, &r));
	assert_false(reloc_next(&it, &r));
	assert_int_equal(o.notes.count, 1);
	close_file(&o);
	f = make(64, false, ET_DYN, EM_X86_64);
	elfgen_put_bytes(&f.table, "APS2", 4);
	elfgen_put_sleb(&f.table,
			INT64_MAX); /* groups may cost nothing: an absurd count is damage */
	elfgen_put_sleb(&f.table, 0);
	elfgen_section(&f.g, ".table", SHT_ANDROID_RELA, SHF_ALLOC, 0, f.table.bytes.data,
		       f.table.bytes.count);
	vec_release(&f.table.bytes);
	open_file(&o, elfgen_finish(&f.g));
	assert_false(reloc_open(&it, o.im, &o.im->sections[TABLE]));
	assert_int_equal(o.notes.count, 1);
	close_file(&o);
}

static void kinds_are_known_for_every_machine(void **state)
{
	(void)state;
	static const struct {
		uint16_t machine;
		uint8_t relative, glob_dat, jump_slot, copy, irelative, abs, pcrel, tls;
	} want[] = { /* 0: the machine has none, or it does not fit */
		     { EM_X86_64, 8, 6, 7, 5, 37, 1, 2, 18 },
		     { EM_386, 8, 6, 7, 5, 42, 1, 2, 14 },
		     { EM_ARM, 23, 21, 22, 20, 160, 2, 3, 19 },
		     { EM_RISCV, 3, 0, 5, 4, 58, 2, 57, 11 },
		     { EM_PPC64, 22, 20, 21, 19, 248, 38, 26, 73 },
		     { EM_S390, 12, 10, 11, 9, 61, 22, 5, 56 },
		     { EM_MIPS, 0, 51, 127, 126, 0, 18, 10, 47 },
		     { EM_LOONGARCH, 3, 0, 5, 4, 12, 2, 99, 11 }
	};
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		const uint8_t types[] = { want[i].relative,  want[i].abs,       want[i].pcrel,
					  want[i].glob_dat,  want[i].jump_slot, want[i].copy,
					  want[i].irelative, want[i].tls };
		for (unsigned k = 0; k < COUNT_OF(types); k++)
			if (types[k])
				assert_int_equal(reloc_kind(want[i].machine, types[k]), k + 1);
		assert_int_equal(reloc_kind(want[i].machine, 0), RELOC_OTHER);
		assert_int_equal(reloc_kind(want[i].machine, UINT32_MAX), RELOC_OTHER);
	}
	assert_int_equal(reloc_kind(EM_AARCH64, R_AARCH64_RELATIVE), RELOC_RELATIVE);
	assert_int_equal(reloc_kind(EM_AARCH64, R_AARCH64_ABS64), RELOC_ABS);
	assert_int_equal(reloc_kind(EM_AARCH64, R_AARCH64_CALL26), RELOC_PCREL);
	assert_int_equal(reloc_kind(EM_AARCH64, R_AARCH64_TLSDESC), RELOC_TLS);
	assert_int_equal(reloc_kind(0x7777, 1), RELOC_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rela_states_its_addends),
		cmocka_unit_test(rel_takes_its_addends_from_the_patched_place),
		cmocka_unit_test(rel_may_hide_its_addend_in_an_instruction),
		cmocka_unit_test(relocations_of_objects_stand_in_the_section_they_patch),
		cmocka_unit_test(kept_relocations_of_debug_sections_are_offsets),
		cmocka_unit_test(mips64_has_its_own_order_of_fields),
		cmocka_unit_test(fields_have_three_bytes_where_addresses_have),
		cmocka_unit_test(relr_packs_relative_relocations),
		cmocka_unit_test(crel_counts_in_deltas),
		cmocka_unit_test(android_packs_in_groups),
		cmocka_unit_test(damage_ends_a_packed_table_with_a_note),
		cmocka_unit_test(kinds_are_known_for_every_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
