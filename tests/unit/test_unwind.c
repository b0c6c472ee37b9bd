/* Hand-assembled .eh_frame and .debug_frame, in both byte orders and both
 * address sizes. */
#include "../lib/blob.h"
#include "unwind/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR UINT64_C(0x10000)

struct table {
	struct blob blob;
	struct unwind_section section;
	struct notes notes;
	uint64_t start; /* of the entry being written */
	struct unwind_entry entries[16];
	size_t count;
};

static struct table table_make(bool big_endian, uint8_t address_size)
{
	struct table t = { .blob.big_endian = big_endian };
	t.section = (struct unwind_section){
		.addr = ADDR, .address_size = address_size, .big_endian = big_endian, .path = "test"
	};
	return t;
}

static void entry_begin(struct table *t)
{
	t->start = t->blob.size;
	blob_u32(&t->blob, 0);
}

static void entry_end(struct table *t)
{
	blob_patch(&t->blob, t->start, t->blob.size - t->start - 4, 4);
}

/* Writes a CIE up to its augmentation data and leaves it open. */
static void cie_begin(struct table *t, uint8_t version, const char *letters)
{
	entry_begin(t);
	blob_u32(&t->blob, t->section.debug_frame ? UINT32_MAX : 0);
	blob_u8(&t->blob, version);
	blob_text(&t->blob, letters);
	if (version == 4) {
		blob_u8(&t->blob, t->section.address_size);
		blob_u8(&t->blob, 0);
	}
	blob_u8(&t->blob, 1);
	blob_u8(&t->blob, 0x78);
	blob_u8(&t->blob, 16);
}

/* A whole CIE with `count` bytes of augmentation data. */
static void cie(struct table *t, const char *letters, uint8_t count, const uint8_t *data)
{
	cie_begin(t, 1, letters);
	if (letters[0] == 'z')
		blob_u8(&t->blob, count);
	for (uint8_t i = 0; i < count; i++)
		blob_u8(&t->blob, data[i]);
	entry_end(t);
}

static void cie_encoded(struct table *t, uint8_t encoding)
{
	cie(t, "zR", 1, &encoding);
}

/* Opens an FDE of the CIE at offset `cie_off`. */
static void fde_begin(struct table *t, uint64_t cie_off)
{
	entry_begin(t);
	blob_u32(&t->blob, t->section.debug_frame ? cie_off : t->blob.size - cie_off);
}

static void walk(struct table *t)
{
	struct unwind_iter it;
	notes_init(&t->notes);
	t->section.bytes = blob_bytes(&t->blob);
	t->section.notes = &t->notes;
	t->count = 0;
	unwind_init(&it, &t->section);
	while (t->count < COUNT_OF(t->entries) && unwind_next(&it, &t->entries[t->count]))
		t->count++;
	unwind_release(&it);
}

static void expect_func(const struct table *t, size_t i, uint64_t addr, uint64_t size)
{
	assert_true(i < t->count);
	assert_true(t->entries[i].ok);
	assert_false(t->entries[i].cie);
	assert_int_equal(t->entries[i].func_addr, addr);
	assert_int_equal(t->entries[i].func_size, size);
}

static void each_shape(void (*check)(bool big_endian, uint8_t address_size))
{
	check(false, 8);
	check(true, 8);
	check(false, 4);
	check(true, 4);
}

static void check_pcrel(bool big_endian, uint8_t address_size)
{
	struct table t = table_make(big_endian, address_size);
	cie_encoded(&t, 0x1b);
	fde_begin(&t, 0);
	const uint64_t place = ADDR + t.blob.size;
	blob_u32(&t.blob, 0x5000 - place);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	blob_u32(&t.blob, 0);
	walk(&t);
	assert_int_equal(t.count, 3);
	assert_true(t.entries[0].cie && t.entries[0].ok);
	assert_int_equal(t.entries[1].off, t.entries[0].size);
	assert_int_equal(t.entries[1].cie_off, 0);
	expect_func(&t, 1, 0x5000, 0x30);
	assert_true(t.entries[2].terminator);
	assert_int_equal(t.entries[2].size, 4);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void pc_relative_functions_are_found_in_every_shape(void **state)
{
	(void)state;
	each_shape(check_pcrel);
}

static void check_absptr(bool big_endian, uint8_t address_size)
{
	struct table t = table_make(big_endian, address_size);
	cie(&t, "", 0, NULL);
	fde_begin(&t, 0);
	blob_uint(&t.blob, 0x80001234, address_size);
	blob_uint(&t.blob, 0x99, address_size);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x80001234, 0x99);
	notes_release(&t.notes);
}

static void without_an_augmentation_pointers_are_absolute(void **state)
{
	(void)state;
	each_shape(check_absptr);
}

/* Writes 0x1230 in the format and expects it relative to base. */
static void check_format(uint8_t encoding, unsigned width, uint64_t base)
{
	struct table t = table_make(true, 8);
	t.section.text_base = 0x100000;
	t.section.data_base = 0x200000;
	cie_encoded(&t, encoding);
	fde_begin(&t, 0);
	if (width != 0)
		blob_uint(&t.blob, 0x1230, width);
	else
		blob_uint(&t.blob, 0xb024, 2);
	if (width != 0)
		blob_uint(&t.blob, 0x40, width);
	else
		blob_u8(&t.blob, 0x40);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	const uint64_t place = ADDR + t.entries[1].off + 8;
	expect_func(&t, 1, (base == UINT64_MAX ? place : base) + 0x1230, 0x40);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void every_format_and_base_is_read(void **state)
{
	(void)state;
	static const struct {
		uint8_t encoding;
		unsigned width;
	} formats[] = { { 0, 8 }, { 1, 0 }, { 2, 2 },   { 3, 4 },   { 4, 8 },
			{ 8, 8 }, { 9, 0 }, { 0xa, 2 }, { 0xb, 4 }, { 0xc, 8 } };
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		check_format(formats[i].encoding, formats[i].width, 0);
		check_format(formats[i].encoding | 0x10, formats[i].width, UINT64_MAX);
		check_format(formats[i].encoding | 0x20, formats[i].width, 0x100000);
		check_format(formats[i].encoding | 0x30, formats[i].width, 0x200000);
	}
}

static void signed_formats_reach_backwards_and_sizes_stay_unsigned(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	cie_encoded(&t, 0x0a);
	fde_begin(&t, 0);
	blob_uint(&t.blob, 0xfffe, 2);
	blob_uint(&t.blob, 0xfffe, 2);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, UINT64_MAX - 1, 0xfffe);
	notes_release(&t.notes);
}

static void four_byte_addresses_wrap(void **state)
{
	(void)state;
	struct table t = table_make(true, 4);
	t.section.addr = 0xfffff000;
	cie_encoded(&t, 0x1b);
	fde_begin(&t, 0);
	const uint64_t place = t.section.addr + t.blob.size;
	blob_u32(&t.blob, 0x2000 - place);
	blob_u32(&t.blob, 8);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x2000, 8);
	notes_release(&t.notes);
}

static void aligned_pointers_skip_to_their_place(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	t.section.addr = ADDR + 3;
	cie_encoded(&t, 0x50);
	fde_begin(&t, 0);
	while ((t.section.addr + t.blob.size) % 8 != 0)
		blob_u8(&t.blob, 0xee);
	blob_u64(&t.blob, 0x77770000);
	blob_u64(&t.blob, 0x11);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x77770000, 0x11);
	notes_release(&t.notes);
}

static bool load_slot(void *ctx, uint64_t addr, uint64_t *ret)
{
	if (addr != *(uint64_t *)ctx)
		return false;
	*ret = 0xabcdef;
	return true;
}

static void indirect_pointers_are_followed_but_for_the_personality(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	uint64_t slot = 0x4000;
	t.section.load = load_slot;
	t.section.load_ctx = &slot;
	const uint8_t data[] = { 0x83, 0, 0x40, 0, 0, 0x83, 0x83 };
	cie(&t, "zPLR", sizeof data, data);
	fde_begin(&t, 0);
	blob_u32(&t.blob, 0x4000);
	blob_u32(&t.blob, 0x20);
	blob_u8(&t.blob, 4);
	blob_u32(&t.blob, 0x4000);
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.entries[0].personality, 0x4000);
	expect_func(&t, 1, 0xabcdef, 0x20);
	assert_true(t.entries[1].has_lsda);
	assert_int_equal(t.entries[1].lsda_addr, 0xabcdef);
	notes_release(&t.notes);
	t.section.load = NULL;
	walk(&t);
	assert_false(t.entries[1].ok);
	assert_int_equal(t.notes.count, 1);
	notes_release(&t.notes);
}

static void check_lsda(bool big_endian, uint8_t address_size)
{
	struct table t = table_make(big_endian, address_size);
	cie_begin(&t, 1, "zPLR");
	blob_u8(&t.blob, 7);
	blob_u8(&t.blob, 0x9b);
	const uint64_t slot = ADDR + t.blob.size;
	blob_u32(&t.blob, 0x9000 - slot);
	blob_u8(&t.blob, 0x1b);
	blob_u8(&t.blob, 0x1b);
	entry_end(&t);
	for (unsigned i = 0; i < 2; i++) {
		fde_begin(&t, 0);
		blob_u32(&t.blob, 0x5000 - (ADDR + t.blob.size));
		blob_u32(&t.blob, 0x30);
		blob_u8(&t.blob, 4);
		blob_u32(&t.blob, i == 0 ? 0x7000 - (ADDR + t.blob.size) : 0);
		entry_end(&t);
	}
	walk(&t);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.entries[0].personality, 0x9000);
	expect_func(&t, 1, 0x5000, 0x30);
	assert_true(t.entries[1].has_lsda);
	assert_int_equal(t.entries[1].lsda_addr, 0x7000);
	expect_func(&t, 2, 0x5000, 0x30);
	assert_false(t.entries[2].has_lsda);
	notes_release(&t.notes);
}

static void language_data_is_found_and_a_null_pointer_means_none(void **state)
{
	(void)state;
	each_shape(check_lsda);
}

static void function_relative_language_data_starts_at_the_function(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t data[] = { 0x42, 0x03 };
	cie(&t, "zLR", sizeof data, data);
	fde_begin(&t, 0);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 2);
	blob_uint(&t.blob, 0x123, 2);
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.entries[1].lsda_addr, 0x5123);
	notes_release(&t.notes);
}

static void letters_of_signal_frames_and_aarch64_are_known(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t encoding = 0x03;
	cie(&t, "zRSBG", 1, &encoding);
	fde_begin(&t, 0);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	assert_true(t.entries[0].signal_frame);
	assert_true(t.entries[1].signal_frame);
	expect_func(&t, 1, 0x5000, 0x30);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void parts_that_are_entered_with_a_frame_are_told(void **state)
{
	/* DW_CFA_nop, def_cfa_offset 32; offset of register 3; advance, then def_cfa_offset */
	static const uint8_t rules[3][4] = { { 0, 0xe, 32 }, { 0x83, 2 }, { 0x41, 0xe, 16 } };
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t encoding = 0x03;
	cie(&t, "zR", 1, &encoding);
	for (unsigned i = 0; i < 3; i++) {
		fde_begin(&t, 0);
		blob_u32(&t.blob, 0x5000);
		blob_u32(&t.blob, 0x30);
		blob_u8(&t.blob, 0);
		for (unsigned k = 0; k < sizeof rules[i]; k++)
			blob_u8(&t.blob, rules[i][k]);
		entry_end(&t);
	}
	walk(&t);
	assert_true(t.entries[1].in_frame);
	assert_true(t.entries[2].in_frame);
	assert_false(t.entries[3].in_frame);
	notes_release(&t.notes);
}

static void an_unknown_letter_is_noted_and_what_came_before_holds(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t data[] = { 0x03, 0xee, 0xee, 0xee };
	cie(&t, "zRQL", sizeof data, data);
	fde_begin(&t, 0);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x5000, 0x30);
	assert_int_equal(t.notes.count, 1);
	assert_int_equal(t.notes.data[0].count, 1);
	notes_release(&t.notes);
}

static void old_style_eh_has_a_pointer_before_the_alignment_factors(void **state)
{
	(void)state;
	struct table t = table_make(false, 4);
	entry_begin(&t);
	blob_u32(&t.blob, 0);
	blob_u8(&t.blob, 1);
	blob_text(&t.blob, "eh");
	blob_u32(&t.blob, 0x88888888);
	blob_uint(&t.blob, 0x087801, 3);
	entry_end(&t);
	fde_begin(&t, 0);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x5000, 0x30);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void versions_3_and_4_are_read_and_2_is_damaged(void **state)
{
	(void)state;
	static const uint8_t versions[] = { 3, 4, 2 };
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		struct table t = table_make(i % 2 == 0, 8);
		t.section.debug_frame = true;
		cie_begin(&t, versions[i], "");
		entry_end(&t);
		fde_begin(&t, 0);
		blob_u64(&t.blob, 0x5000);
		blob_u64(&t.blob, 0x30);
		entry_end(&t);
		walk(&t);
		assert_int_equal(t.count, 2);
		assert_int_equal(t.entries[1].ok, versions[i] != 2);
		assert_true(t.entries[0].cie);
		if (versions[i] != 2)
			expect_func(&t, 1, 0x5000, 0x30);
		notes_release(&t.notes);
	}
}

static void the_return_address_register_is_a_byte_in_version_1_and_leb128_later(void **state)
{
	(void)state;
	for (uint8_t version = 1; version <= 3; version += 2) {
		struct table t = table_make(false, 8);
		cie_begin(&t, version, "zR");
		t.blob.data[t.blob.size - 1] = 0x90;
		if (version == 3)
			blob_u8(&t.blob, 0x01);
		blob_u8(&t.blob, 1);
		blob_u8(&t.blob, 0x03);
		entry_end(&t);
		fde_begin(&t, 0);
		blob_u32(&t.blob, 0x5000);
		blob_u32(&t.blob, 0x30);
		blob_u8(&t.blob, 0);
		entry_end(&t);
		walk(&t);
		expect_func(&t, 1, 0x5000, 0x30);
		notes_release(&t.notes);
	}
}

static void version_4_states_address_and_segment_sizes(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	t.section.debug_frame = true;
	cie_begin(&t, 4, "");
	entry_end(&t);
	t.blob.data[10] = 4; /* address size */
	t.blob.data[11] = 2; /* segment selector size */
	fde_begin(&t, 0);
	blob_uint(&t.blob, 0x9999, 2);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x5000, 0x30);
	notes_release(&t.notes);
}

/* Found by fuzzing: sizes came out wider than the addresses of the image. */
static void wider_addresses_of_a_cie_are_cut_to_those_of_the_image(void **state)
{
	(void)state;
	struct table t = table_make(false, 4);
	t.section.debug_frame = true;
	cie_begin(&t, 4, "");
	entry_end(&t);
	t.blob.data[10] = 8; /* address size */
	fde_begin(&t, 0);
	blob_u64(&t.blob, 0x700005000);
	blob_u64(&t.blob, 0x900000030);
	entry_end(&t);
	walk(&t);
	expect_func(&t, 1, 0x5000, 0x30);
	notes_release(&t.notes);
}

static void check_dwarf64(bool big_endian, bool debug_frame)
{
	struct table t = table_make(big_endian, 8);
	const unsigned width = debug_frame ? 8 : 4;
	t.section.debug_frame = debug_frame;
	blob_u32(&t.blob, UINT32_MAX);
	blob_u64(&t.blob, width + 5);
	blob_uint(&t.blob, debug_frame ? UINT64_MAX : 0, width);
	blob_u8(&t.blob, 1);
	blob_text(&t.blob, "");
	blob_u8(&t.blob, 1);
	blob_u8(&t.blob, 0x78);
	blob_u8(&t.blob, 16);
	const uint64_t off = t.blob.size;
	blob_u32(&t.blob, UINT32_MAX);
	blob_u64(&t.blob, width + 16);
	blob_uint(&t.blob, debug_frame ? 0 : t.blob.size, width);
	blob_u64(&t.blob, 0x123456789abc);
	blob_u64(&t.blob, 0x30);
	walk(&t);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.entries[1].off, off);
	assert_int_equal(t.entries[1].size, 12 + width + 16);
	expect_func(&t, 1, 0x123456789abc, 0x30);
	notes_release(&t.notes);
}

static void lengths_of_64_bits_are_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		check_dwarf64(i % 2 == 0, i / 2 == 0);
}

static void in_debug_frame_an_fde_may_come_before_its_cie(void **state)
{
	(void)state;
	struct table t = table_make(true, 4);
	t.section.debug_frame = true;
	fde_begin(&t, 16);
	blob_u32(&t.blob, 0x5000);
	blob_u32(&t.blob, 0x30);
	entry_end(&t);
	assert_int_equal(t.blob.size, 16);
	cie_begin(&t, 3, "");
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.count, 2);
	expect_func(&t, 0, 0x5000, 0x30);
	assert_int_equal(t.entries[0].cie_off, 16);
	assert_true(t.entries[1].cie && t.entries[1].ok);
	notes_release(&t.notes);
}

static void the_walk_goes_on_behind_a_terminator(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	cie(&t, "", 0, NULL);
	blob_u32(&t.blob, 0);
	const uint64_t second = t.blob.size;
	cie(&t, "", 0, NULL);
	fde_begin(&t, second);
	blob_u64(&t.blob, 0x5000);
	blob_u64(&t.blob, 0x30);
	entry_end(&t);
	blob_u32(&t.blob, 0);
	walk(&t);
	assert_int_equal(t.count, 5);
	assert_true(t.entries[1].terminator);
	expect_func(&t, 3, 0x5000, 0x30);
	assert_int_equal(t.entries[3].cie_off, second);
	assert_true(t.entries[4].terminator);
	assert_int_equal(t.notes.count, 0);
	notes_release(&t.notes);
}

static void fixups_replace_functions_language_data_and_personality(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t data[] = { 0x9b, 0, 0, 0, 0, 0x1b, 0x1b };
	cie(&t, "zPLR", sizeof data, data);
	fde_begin(&t, 0);
	const uint64_t func = t.blob.size;
	blob_u32(&t.blob, 0);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 4);
	const uint64_t lsda = t.blob.size;
	blob_u32(&t.blob, 0);
	entry_end(&t);
	const struct unwind_fixup fixups[] = { { 19, UINT64_C(3) << 40 },
					       { func, (UINT64_C(5) << 40) + 0x10 },
					       { lsda, UINT64_C(7) << 40 } };
	t.section.fixups = fixups;
	t.section.fixup_count = COUNT_OF(fixups);
	walk(&t);
	assert_int_equal(t.entries[0].personality, UINT64_C(3) << 40);
	expect_func(&t, 1, (UINT64_C(5) << 40) + 0x10, 0x30);
	assert_true(t.entries[1].has_lsda);
	assert_int_equal(t.entries[1].lsda_addr, UINT64_C(7) << 40);
	notes_release(&t.notes);
}

static void many_fixups_are_searched_and_only_exact_offsets_taken(void **state)
{
	(void)state;
	struct table t = table_make(false, 4);
	struct unwind_fixup fixups[64];
	cie(&t, "", 0, NULL);
	for (size_t i = 0; i < 12; i++) {
		fde_begin(&t, 0);
		blob_u32(&t.blob, 0);
		blob_u32(&t.blob, 1);
		blob_zeros(&t.blob, i % 5 == 4 ? 61 : i % 2);
		entry_end(&t);
	}
	for (size_t i = 0; i < COUNT_OF(fixups); i++)
		fixups[i] = (struct unwind_fixup){ 4 * i + 1, 4 * i };
	t.section.fixups = fixups;
	t.section.fixup_count = COUNT_OF(fixups);
	walk(&t);
	assert_int_equal(t.count, 13);
	for (size_t i = 1; i < t.count; i++) {
		const uint64_t place = t.entries[i].off + 8;
		const bool fixed = place % 4 == 1 && place < 4 * COUNT_OF(fixups);
		expect_func(&t, i, fixed ? place - 1 : 0, 1);
	}
	notes_release(&t.notes);
}

static void fixups_are_found_behind_those_of_a_later_cie(void **state)
{
	(void)state;
	struct table t = table_make(false, 4);
	t.section.debug_frame = true;
	fde_begin(&t, 17);
	blob_u32(&t.blob, 0);
	blob_u32(&t.blob, 0x30);
	blob_u8(&t.blob, 0);
	entry_end(&t);
	const uint8_t data[] = { 0, 0, 0, 0, 0 };
	cie(&t, "zP", sizeof data, data);
	const struct unwind_fixup fixups[] = { { 8, 0x5000 }, { 17 + 17, 0x9000 } };
	t.section.fixups = fixups;
	t.section.fixup_count = COUNT_OF(fixups);
	walk(&t);
	expect_func(&t, 0, 0x5000, 0x30);
	assert_int_equal(t.entries[1].personality, 0x9000);
	notes_release(&t.notes);
}

static void a_relocated_cie_pointer_counts_in_debug_frame_only(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	t.section.debug_frame = true;
	t.section.addr = UINT64_C(9) << 40;
	cie(&t, "", 0, NULL);
	const uint64_t second = t.blob.size;
	cie(&t, "", 0, NULL);
	fde_begin(&t, 0);
	blob_u64(&t.blob, 0x5000);
	blob_u64(&t.blob, 0x30);
	entry_end(&t);
	const struct unwind_fixup fixup = { 2 * second + 4, t.section.addr + second };
	t.section.fixups = &fixup;
	t.section.fixup_count = 1;
	walk(&t);
	expect_func(&t, 2, 0x5000, 0x30);
	assert_int_equal(t.entries[2].cie_off, second);
	notes_release(&t.notes);
}

static void a_dropped_function_is_still_an_entry(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	cie(&t, "", 0, NULL);
	fde_begin(&t, 0);
	blob_zeros(&t.blob, 16);
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.count, 2);
	expect_func(&t, 1, 0, 0);
	notes_release(&t.notes);
}

static void a_damaged_entry_is_noted_and_skipped(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	cie(&t, "", 0, NULL);
	fde_begin(&t, 1); /* no CIE there */
	blob_zeros(&t.blob, 16);
	entry_end(&t);
	fde_begin(&t, 0);
	blob_zeros(&t.blob, 7); /* cut short */
	entry_end(&t);
	entry_begin(&t);
	blob_uint(&t.blob, 0, 3); /* no room for the identification */
	entry_end(&t);
	fde_begin(&t, 0);
	blob_u64(&t.blob, 0x5000);
	blob_u64(&t.blob, 0x30);
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.count, 5);
	for (size_t i = 1; i < 4; i++)
		assert_false(t.entries[i].ok);
	expect_func(&t, 4, 0x5000, 0x30);
	assert_int_equal(t.notes.count, 1);
	assert_int_equal(t.notes.data[0].count, 3);
	notes_release(&t.notes);
}

static void a_damaged_length_ends_the_walk_with_a_note(void **state)
{
	(void)state;
	static const uint32_t lengths[] = { 100, 0xfffffff0, UINT32_MAX };
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct table t = table_make(false, 8);
		cie(&t, "", 0, NULL);
		const uint64_t off = t.blob.size;
		blob_u32(&t.blob, lengths[i]);
		blob_zeros(&t.blob, 6);
		walk(&t);
		assert_int_equal(t.count, 1);
		assert_int_equal(t.notes.count, 1);
		assert_int_equal(t.notes.data[0].offset, off);
		assert_int_equal(t.notes.data[0].bytes, 10);
		notes_release(&t.notes);
	}
}

static void fdes_of_a_damaged_cie_are_damaged(void **state)
{
	(void)state;
	struct table t = table_make(false, 8);
	const uint8_t encoding = 0x1b;
	cie(&t, "zRPL", 1, &encoding); /* no bytes for P and L */
	fde_begin(&t, 0);
	blob_zeros(&t.blob, 16);
	entry_end(&t);
	walk(&t);
	assert_int_equal(t.count, 2);
	assert_false(t.entries[0].ok || t.entries[1].ok);
	notes_release(&t.notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pc_relative_functions_are_found_in_every_shape),
		cmocka_unit_test(without_an_augmentation_pointers_are_absolute),
		cmocka_unit_test(every_format_and_base_is_read),
		cmocka_unit_test(signed_formats_reach_backwards_and_sizes_stay_unsigned),
		cmocka_unit_test(four_byte_addresses_wrap),
		cmocka_unit_test(aligned_pointers_skip_to_their_place),
		cmocka_unit_test(indirect_pointers_are_followed_but_for_the_personality),
		cmocka_unit_test(language_data_is_found_and_a_null_pointer_means_none),
		cmocka_unit_test(function_relative_language_data_starts_at_the_function),
		cmocka_unit_test(letters_of_signal_frames_and_aarch64_are_known),
		cmocka_unit_test(parts_that_are_entered_with_a_frame_are_told),
		cmocka_unit_test(an_unknown_letter_is_noted_and_what_came_before_holds),
		cmocka_unit_test(old_style_eh_has_a_pointer_before_the_alignment_factors),
		cmocka_unit_test(versions_3_and_4_are_read_and_2_is_damaged),
		cmocka_unit_test(
			the_return_address_register_is_a_byte_in_version_1_and_leb128_later),
		cmocka_unit_test(version_4_states_address_and_segment_sizes),
		cmocka_unit_test(wider_addresses_of_a_cie_are_cut_to_those_of_the_image),
		cmocka_unit_test(lengths_of_64_bits_are_read),
		cmocka_unit_test(in_debug_frame_an_fde_may_come_before_its_cie),
		cmocka_unit_test(the_walk_goes_on_behind_a_terminator),
		cmocka_unit_test(fixups_replace_functions_language_data_and_personality),
		cmocka_unit_test(many_fixups_are_searched_and_only_exact_offsets_taken),
		cmocka_unit_test(fixups_are_found_behind_those_of_a_later_cie),
		cmocka_unit_test(a_relocated_cie_pointer_counts_in_debug_frame_only),
		cmocka_unit_test(a_dropped_function_is_still_an_entry),
		cmocka_unit_test(a_damaged_entry_is_noted_and_skipped),
		cmocka_unit_test(a_damaged_length_ends_the_walk_with_a_note),
		cmocka_unit_test(fdes_of_a_damaged_cie_are_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
