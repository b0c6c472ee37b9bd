/* Maps that llvm-bolt copied, carried to the code it wrote. */
#include "blocks/blockmap.h"
#include "blocks/bolt.h"
#include "blocks/bolt_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../lib/elfgen.h"
#include "image/elf/elf_const.h"
#include "image/input.h"

/* The input: f at 0x1000 calls g at 0x1020 or returns 1; h is as g; k stayed; nothing tells of
 * m. */
static const uint8_t old_code[0x60] = {
	[0x00] = 0x85, 0xff, 0x74, 0x06,                      /* test edi, edi; je 0x100a */
	0xb8,          1,    0,    0,    0, 0xc3,             /* mov eax, 1; ret */
	0xe8,          0x11, 0,    0,    0, 0x31, 0xc0, 0xc3, /* call g; xor eax, eax; ret */
	[0x20] = 0xb8, 2,    0,    0,    0, 0xc3,             /* g */
	[0x30] = 0xb8, 2,    0,    0,    0, 0xc3,             /* h */
	[0x40] = 0x31, 0xc0, 0xc3,                            /* k */
	[0x50] = 0x90, 0x31, 0xc9, 0xc3,                      /* m */
};
/* The output: f at 0x2000 jumps to its cold part at 0x3000; g at 0x2020, h at 0x2030. */
static const uint8_t
	new_code[0x40] = {
		[0x00] = 0x85,
		0xff,
		0x0f,
		0x85,
		0xf8,
		0x0f,
		0,
		0, /* test edi, edi; jne 0x3000 */
		0xe8,
		0x13,
		0,
		0,
		0,
		0x31,
		0xc0,
		0xc3,
		[0x20] = 0xb8,
		2,
		0,
		0,
		0,
		0xc3,
		[0x30] = 0xb8,
		2,
		0,
		0,
		0,
		0xc3,
	};
static const uint8_t cold_code[] = { 0xb8, 1, 0, 0, 0, 0xc3 };

struct pair {
	uint8_t to, from;
	bool branch;
};

/* Pairs of a part: all their offsets are written, none is left out as equal. */
static void put_pairs(struct elfgen_out *o, const struct pair *list, size_t count)
{
	uint64_t to = 0, from = 0;
	elfgen_put_uleb(o, count);
	elfgen_put_uleb(o, 0);
	for (size_t i = 0; i < count; i++) {
		const uint64_t value = (uint64_t)list[i].from << 1 | list[i].branch;
		elfgen_put_uleb(o, list[i].to - to);
		elfgen_put_sleb(o, (int64_t)(value - from));
		if (!list[i].branch) {
			elfgen_put(o, 8, 0);
			elfgen_put_uleb(o, 0);
		}
		to = list[i].to;
		from = value;
	}
}

static void put_hot(struct elfgen_out *o, uint64_t delta)
{
	elfgen_put_uleb(o, delta);
	elfgen_put(o, 8, 0);
	elfgen_put_uleb(o, 1);
	elfgen_put_uleb(o, 0);
}

static void put_tables(struct elfgen *g)
{
	static const struct pair f[] = {
		{ 0, 0, false }, { 2, 2, true }, { 8, 10, false }, { 8, 10, true }, { 15, 17, true }
	};
	static const struct pair leaf[] = { { 0, 0, false }, { 5, 5, true } };
	static const struct pair cold[] = { { 0, 4, false }, { 5, 9, true } };
	struct elfgen_out o = { 0 }, note = { 0 };
	elfgen_put_uleb(&o, 3);
	put_hot(&o, 0x2000);
	put_pairs(&o, f, 5);
	put_hot(&o, 0x2020 - 0x200f);
	put_pairs(&o, leaf, 2);
	put_hot(&o, 0x2030 - 0x2025);
	put_pairs(&o, leaf, 2);
	elfgen_put_uleb(&o, 1);
	elfgen_put_uleb(&o, 0x3000 - 0x2035);
	elfgen_put_uleb(&o, 0); /* f's */
	elfgen_put_uleb(&o, 4);
	put_pairs(&o, cold, 2);
	elfgen_put(&note, 4, 5);
	elfgen_put(&note, 4, o.bytes.count);
	elfgen_put(&note, 4, 1);
	elfgen_put_bytes(&note, "BOLT\0\0\0", 8);
	elfgen_put_bytes(&note, o.bytes.data, o.bytes.count);
	elfgen_section(g, ".note.bolt_bat", SHT_NOTE, 0, 0, note.bytes.data, note.bytes.count);
	vec_release(&o.bytes);
	vec_release(&note.bytes);
}

static void put_block(struct elfgen_out *o, uint8_t id, uint8_t size, uint8_t flags)
{
	const uint8_t block[] = { id, 0, size, flags };
	elfgen_put_bytes(o, block, sizeof block);
}

static void put_entry(struct elfgen_out *o, uint64_t addr, uint8_t blocks)
{
	elfgen_put(o, 2, 2);
	elfgen_put(o, 8, addr);
	elfgen_put(o, 1, blocks);
}

static void put_map(struct elfgen *g)
{
	static const struct {
		uint16_t addr;
		uint8_t size;
	} leaves[] = { { 0x1020, 6 }, { 0x1030, 6 }, { 0x1040, 3 }, { 0x1050, 4 } };
	struct elfgen_out o = { 0 };
	put_entry(&o, 0x1000, 3);
	put_block(&o, 0, 4, BBMAP_FALL_THROUGH);
	put_block(&o, 1, 6, BBMAP_RETURN);
	put_block(&o, 2, 8, BBMAP_RETURN);
	for (size_t i = 0; i < 4; i++) {
		put_entry(&o, leaves[i].addr, 1);
		put_block(&o, 0, leaves[i].size, BBMAP_RETURN);
	}
	elfgen_section(g, ".llvm_bb_addr_map", SHT_LLVM_BB_ADDR_MAP, 0, 0, o.bytes.data,
		       o.bytes.count);
	vec_release(&o.bytes);
}

static uint32_t put_code(struct elfgen *g, const char *name, uint64_t addr, const void *code,
			 size_t size)
{
	const uint32_t text = elfgen_section(g, name, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, addr,
					     code, size);
	elfgen_load(g, PF_R | PF_X, text);
	return text;
}

struct fixture {
	struct bytes file;
	struct input input;
	struct notes notes;
	struct blockmap map;
};

static void fixture_open(struct fixture *f, bool with_tables)
{
	struct elfgen g = elfgen_make(64, false, ET_DYN, EM_X86_64);
	const uint8_t function = STB_GLOBAL << 4 | STT_FUNC;
	const uint16_t old = (uint16_t)put_code(&g, ".bolt.org.text", 0x1000, old_code,
						sizeof old_code);
	const uint16_t text = (uint16_t)put_code(&g, ".text", 0x2000, new_code, sizeof new_code);
	const uint16_t cold = (uint16_t)put_code(&g, ".text.cold", 0x3000, cold_code,
						 sizeof cold_code);
	put_map(&g);
	if (with_tables)
		put_tables(&g);
	else
		elfgen_section(&g, ".note.bolt_info", SHT_NOTE, 0, 0, NULL, 0);
	elfgen_symbol(&g, "f", 0x2000, 16, function, text);
	elfgen_symbol(&g, "g", 0x2020, 6, function, text);
	elfgen_symbol(&g, "h", 0x2030, 6, function, text);
	elfgen_symbol(&g, "k", 0x1040, 3, function, old);
	elfgen_symbol(&g, "f.cold.0", 0x3000, 6, function, cold);
	memset(f, 0, sizeof *f);
	notes_init(&f->notes);
	f->file = elfgen_finish(&g);
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

static const struct blockmap_function *find(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->map.functions.count; i++)
		if (f->map.functions.data[i].name &&
		    strcmp(f->map.functions.data[i].name, name) == 0)
			return &f->map.functions.data[i];
	return NULL;
}

static void expect_block(const struct fixture *f, const struct blockmap_range *r, uint64_t i,
			 struct bbmap_block want)
{
	const struct bbmap_block *b = &f->map.blocks.data[r->first + i];
	assert_int_equal(b->id, want.id);
	assert_int_equal(b->off, want.off);
	assert_int_equal(b->size, want.size);
	assert_int_equal(b->flags, want.flags);
}

static void blocks_are_where_their_code_went(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, true);
	const struct blockmap_function *fn = find(&f, "f");
	assert_non_null(fn);
	assert_int_equal(fn->origin, BLOCKS_REBASED);
	assert_int_equal(fn->range_count, 2);
	const struct blockmap_range *hot = &f.map.ranges.data[fn->range_first], *cold = hot + 1;
	assert_true(hot->addr == 0x2000 && hot->count == 2);
	expect_block(&f, hot, 0, (struct bbmap_block){ 0, 0, 8, BBMAP_FALL_THROUGH });
	expect_block(&f, hot, 1, (struct bbmap_block){ 2, 8, 8, BBMAP_RETURN });
	assert_true(cold->addr == 0x3000 && cold->count == 1);
	expect_block(&f, cold, 0, (struct bbmap_block){ 1, 0, 6, BBMAP_RETURN });
	fixture_close(&f);
}

static void calls_tell_twins_apart_and_what_stayed_stays(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, true);
	assert_true(find(&f, "g") && find(&f, "g")->addr == 0x2020);
	assert_true(f.map.bolt->inputs[1] == 0x1020 && f.map.bolt->inputs[2] == 0x1030);
	assert_int_equal(find(&f, "k")->origin, BLOCKS_OF_MAP);
	assert_int_equal(f.map.rebased, 3);
	assert_int_equal(f.map.functions.count, 4);
	fixture_close(&f);
}

static void what_cannot_be_placed_is_told(void **state)
{
	struct fixture f;
	(void)state;
	fixture_open(&f, true);
	assert_int_equal(f.map.lost, 1);
	assert_int_equal(f.map.dropped.count, 1);
	assert_true(f.map.dropped.data[0].addr == 0x1050);
	assert_int_equal(f.map.dropped.data[0].why, BLOCKS_MOVED);
	fixture_close(&f);
	fixture_open(&f, false);
	assert_null(f.map.bolt);
	assert_int_equal(f.map.functions.count, 5);
	assert_int_equal(f.notes.count, 1);
	fixture_close(&f);
}

static void profiles_go_back_to_the_input(void **state)
{
	struct fixture f;
	struct profile p = { 0 }, back;
	(void)state;
	fixture_open(&f, true);
	tally_add(&p.branches, 0x2002, 0x3000, 5, 1);
	tally_add(&p.branches, 0x2008, 0x2020, 7, 0);
	tally_add(&p.branches, 0x2025, 0x200d, 7, 0); /* back behind the call */
	tally_add(&p.ranges, 0x2000, 0x2008, 7, 0);
	tally_add(&p.addrs, 0x1040, 0, 3, 0);
	tally_sort(&p.branches);
	tally_sort(&p.ranges);
	tally_sort(&p.addrs);
	profile_to_input(&p, &f.map, &f.notes, &back);
	assert_int_equal(back.branches.pairs.count, 3);
	assert_true(back.branches.pairs.data[0].a == 0x1002 &&
		    back.branches.pairs.data[0].b == 0x1004);
	assert_true(back.branches.pairs.data[0].count == 5 &&
		    back.branches.pairs.data[0].extra == 1);
	assert_true(back.branches.pairs.data[1].a == 0x100a &&
		    back.branches.pairs.data[1].b == 0x1020);
	assert_true(back.branches.pairs.data[2].a == 0x1025 &&
		    back.branches.pairs.data[2].b == 0x100f);
	assert_int_equal(back.ranges.pairs.count, 2); /* the first block, then the third */
	assert_true(back.ranges.pairs.data[0].a == 0x1000 && back.ranges.pairs.data[1].a == 0x100a);
	assert_true(back.addrs.pairs.data[0].a == 0x1040);
	profile_release(&back);
	profile_release(&p);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_where_their_code_went),
		cmocka_unit_test(calls_tell_twins_apart_and_what_stayed_stays),
		cmocka_unit_test(what_cannot_be_placed_is_told),
		cmocka_unit_test(profiles_go_back_to_the_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
