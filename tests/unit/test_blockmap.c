/* Basic blocks of whole images: what linkers make of maps, objects, block symbols. */
#include "blocks/blockmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

enum { TEXT = 0x1000, TEXT_SIZE = 0x100 };

struct fixture {
	struct bytes file;
	struct input input;
	struct notes notes;
	struct blockmap map;
};

static void fixture_open(struct fixture *f, struct elfgen *g)
{
	memset(f, 0, sizeof *f);
	notes_init(&f->notes);
	f->file = elfgen_finish(g);
	assert_true(input_parse(&f->input, "test", f->file, &f->notes, NULL));
	blockmap_read(&f->map, &f->input.images[0], NULL, &f->notes);
	blockmap_name(&f->map, NULL);
}

static void fixture_close(struct fixture *f)
{
	blockmap_release(&f->map);
	input_close(&f->input);
	notes_release(&f->notes);
	mem_free((void *)(uintptr_t)f->file.p);
}

static struct elfgen linked(uint32_t *text)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	*text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL,
			       TEXT_SIZE);
	elfgen_load(&g, PF_R | PF_X, *text);
	return g;
}

/* A function of one block. */
static void put_function(struct elfgen_out *o, unsigned width, uint64_t addr, uint8_t size)
{
	elfgen_put(o, 2, 2);
	elfgen_put(o, width, addr);
	elfgen_put(o, 1, 1);
	elfgen_put(o, 4, (uint32_t)size << 16 | 1u << 24);
}

static uint32_t map_section(struct elfgen *g, const char *name, uint32_t type, struct elfgen_out *o)
{
	const uint32_t index = elfgen_section(g, name, type, 0, 0, o->bytes.data, o->bytes.count);
	vec_release(&o->bytes);
	memset(&o->bytes, 0, sizeof o->bytes);
	return index;
}

static void expect_function(const struct fixture *f, size_t i, uint64_t addr, const char *name,
			    size_t blocks)
{
	assert_true(i < f->map.functions.count);
	const struct blockmap_function *fn = &f->map.functions.data[i];
	assert_true(fn->addr == addr);
	if (name)
		assert_string_equal(fn->name, name);
	else
		assert_null(fn->name);
	assert_int_equal(f->map.ranges.data[fn->range_first].count, blocks);
	assert_int_equal(f->map.ranges.data[fn->range_first].function, i);
}

static const struct bbmap_block *block_at(const struct fixture *f, uint64_t addr)
{
	struct bbindex x;
	blockmap_index(&f->map, &x);
	const uint32_t place = bbindex_find(&x, addr);
	bbindex_release(&x);
	assert_int_not_equal(place, BBINDEX_NONE);
	return &f->map.blocks.data[place];
}

static void what_linkers_leave_is_sorted_and_dropped(void **state)
{
	struct elfgen_out o = { 0 };
	struct fixture f;
	uint32_t text;
	(void)state;
	struct elfgen g = linked(&text);
	put_function(&o, 8, TEXT + 0x40, 9);
	put_function(&o, 8, 0, 3); /* thrown away */
	put_function(&o, 8, TEXT, 7);
	put_function(&o, 8, TEXT + 0x40, 9); /* folded */
	put_function(&o, 8, 0x900000, 3);    /* nowhere */
	map_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, &o);
	put_function(&o, 8, TEXT + 0x20, 5); /* a second section */
	map_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, &o);
	elfgen_symbol(&g, "first", TEXT, 7, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)text);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 3);
	expect_function(&f, 0, TEXT, "first", 1);
	expect_function(&f, 1, TEXT + 0x20, NULL, 1);
	expect_function(&f, 2, TEXT + 0x40, NULL, 1);
	assert_int_equal(f.map.tombstones, 1);
	assert_int_equal(f.map.repeated, 1);
	assert_int_equal(f.map.displaced, 1);
	assert_int_equal(f.notes.count, 1);
	assert_int_equal(f.map.blocks.count, 3);
	assert_int_equal(block_at(&f, TEXT + 0x20)->size, 5);
	assert_int_equal(block_at(&f, TEXT + 0x45)->size, 9);
	fixture_close(&f);
}

static void a_damaged_entry_costs_itself(void **state)
{
	struct elfgen_out o = { 0 };
	struct fixture f;
	uint32_t text;
	(void)state;
	struct elfgen g = linked(&text);
	for (uint64_t i = 0; i < 8; i++)
		put_function(&o, 8, TEXT + 16 * i, 9);
	o.bytes.data[3 * 15] = 9; /* the version of the fourth */
	map_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, &o);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 7);
	assert_int_equal(f.notes.count, 1);
	assert_int_equal(f.notes.data[0].bytes, 15);
	assert_non_null(strstr(f.notes.data[0].text, "unknown version"));
	fixture_close(&f);
}

static void the_oldest_forms_are_known_by_name(void **state)
{
	struct elfgen_out o = { 0 };
	struct fixture f;
	uint32_t text;
	(void)state;
	struct elfgen g = linked(&text);
	elfgen_put(&o, 8, TEXT);
	elfgen_put(&o, 3, 0x010702); /* 2 blocks; 7 bytes, return */
	elfgen_put(&o, 3, 0x000508);
	map_section(&g, ".bb_info", SHT_PROGBITS, &o);
	elfgen_put(&o, 8, TEXT + 0x40);
	elfgen_put(&o, 4, 0x01060001);
	map_section(&g, ".bb_addr_map", SHT_PROGBITS, &o);
	elfgen_put(&o, 8, TEXT + 0x80);
	elfgen_put(&o, 4, 0x01050001);
	map_section(&g, ".llvm_bb_addr_map", 0x6fff4c08, &o);
	put_function(&o, 8, TEXT + 0xc0, 4);
	map_section(&g, ".llvm_bb_addr_map", SHT_PROGBITS, &o);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 4);
	expect_function(&f, 0, TEXT, NULL, 2);
	assert_int_equal(block_at(&f, TEXT + 8)->size, 5);
	assert_int_equal(block_at(&f, TEXT + 0x40)->size, 6);
	assert_int_equal(block_at(&f, TEXT + 0x80)->size, 5);
	assert_int_equal(block_at(&f, TEXT + 0xc0)->size, 4);
	assert_int_equal(f.map.functions.data[3].version, 2);
	fixture_close(&f);
}

/* 32-bit x86 keeps addends in the field. */
static void objects_have_their_addresses_from_relocations(void **state)
{
	struct elfgen_out o = { 0 }, rel = { 0 };
	struct fixture f;
	(void)state;
	struct elfgen g = elfgen_make(32, false, ET_REL, EM_386);
	const uint32_t text = elfgen_section(&g, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
					     0, NULL, 0x40);
	const uint32_t cold = elfgen_section(&g, ".text.cold", SHT_PROGBITS,
					     SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x40);
	put_function(&o, 4, 0x10, 9);
	put_function(&o, 4, 0, 7);
	const uint32_t map = map_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, &o);
	elfgen_symbol(&g, "", 0, 0, STB_LOCAL << 4 | STT_SECTION, (uint16_t)text);
	elfgen_symbol(&g, "chilly", 0x20, 7, STB_GLOBAL << 4 | STT_FUNC, (uint16_t)cold);
	elfgen_put(&rel, 4, 2);
	elfgen_put(&rel, 4, 1 << 8 | 1); /* symbol 1, R_386_32 */
	elfgen_put(&rel, 4, 13);
	elfgen_put(&rel, 4, 2 << 8 | 1);
	const uint32_t table = elfgen_section(&g, ".rel.llvm_bb_addr_map", SHT_REL, 0, 0,
					      rel.bytes.data, rel.bytes.count);
	g.sections.data[table].info = map;
	g.sections.data[table].link = table + 1; /* .symtab comes next */
	vec_release(&rel.bytes);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 2);
	const struct image *im = &f.input.images[0];
	expect_function(&f, 0, im->sections[text].addr + 0x10, NULL, 1);
	expect_function(&f, 1, im->sections[cold].addr + 0x20, "chilly", 1);
	fixture_close(&f);
}

static void block_symbols_make_a_map(void **state)
{
	struct fixture f;
	uint32_t text;
	(void)state;
	struct elfgen g = linked(&text);
	const uint8_t func = STB_GLOBAL << 4 | STT_FUNC, local = STB_LOCAL << 4 | STT_NOTYPE;
	elfgen_symbol(&g, "a.BB.f", TEXT + 4, 6, local, (uint16_t)text);
	elfgen_symbol(&g, "ra.BB.f", TEXT + 16, 3, local, (uint16_t)text);
	elfgen_symbol(&g, "Lra.BB.f", TEXT + 32, 8, local, (uint16_t)text);
	elfgen_symbol(&g, "a.BB.gone", TEXT + 0x80, 8, local, (uint16_t)text);
	elfgen_symbol(&g, ".BB.f", TEXT + 0x90, 8, local, (uint16_t)text);
	elfgen_symbol(&g, "f", TEXT, 40, func, (uint16_t)text);
	elfgen_symbol(&g, "g", TEXT + 48, 8, func, (uint16_t)text);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 1);
	expect_function(&f, 0, TEXT, "f", 4);
	assert_int_equal(f.map.functions.data[0].origin, BLOCKS_OF_SYMBOLS);
	const struct bbmap_block *b = f.map.blocks.data;
	assert_int_equal(b[0].size, 4);
	assert_int_equal(b[2].id, 2);
	assert_int_equal(b[2].off, 16);
	assert_int_equal(b[2].flags, BBMAP_RETURN);
	assert_int_equal(b[3].flags, BBMAP_RETURN | BBMAP_LANDING_PAD);
	assert_int_equal(f.notes.count, 1); /* of the function that is gone */
	fixture_close(&f);
}

static void parts_that_lie_apart_belong_to_one_function(void **state)
{
	struct elfgen_out o = { 0 };
	struct fixture f;
	struct blockmap_detail detail = { 0 };
	uint32_t text;
	(void)state;
	struct elfgen g = linked(&text);
	put_function(&o, 8, TEXT + 0x40, 9);
	elfgen_put(&o, 3, 0x020802); /* version 2, several ranges: 2 */
	elfgen_put(&o, 8, TEXT);
	elfgen_put(&o, 5, UINT64_C(0x0007000001));
	elfgen_put(&o, 8, TEXT + 0x80);
	elfgen_put(&o, 5, UINT64_C(0x0105000101));
	map_section(&g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, &o);
	fixture_open(&f, &g);
	assert_int_equal(f.map.functions.count, 2);
	expect_function(&f, 0, TEXT, NULL, 1);
	assert_int_equal(f.map.functions.data[0].range_count, 2);
	assert_int_equal(block_at(&f, TEXT + 0x84)->id, 1);
	assert_int_equal(blockmap_range_of(&f.map, 2)->function, 0);
	const struct bbmap_entry *e = blockmap_detail_get(&detail, &f.map,
							  &f.map.functions.data[0]);
	assert_non_null(e);
	assert_int_equal(e->ranges.count, 2);
	assert_int_equal(e->details.count, 2);
	blockmap_detail_release(&detail);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_linkers_leave_is_sorted_and_dropped),
		cmocka_unit_test(a_damaged_entry_costs_itself),
		cmocka_unit_test(the_oldest_forms_are_known_by_name),
		cmocka_unit_test(objects_have_their_addresses_from_relocations),
		cmocka_unit_test(block_symbols_make_a_map),
		cmocka_unit_test(parts_that_lie_apart_belong_to_one_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
