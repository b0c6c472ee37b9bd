/* Sections that index others, byte by byte, in both byte orders and with both sizes of offsets;
 * .debug_names and .gdb_index are in test_index_names.c. */
#include "../lib/pieces.h"

/* ---- .debug_aranges ------------------------------------------------------- */

static void arange_header(struct table *t, uint64_t unit, uint8_t address_size)
{
	const uint64_t at = t->blob.size;
	set_begin(t, 2);
	offset(t, unit);
	blob_u8(&t->blob, address_size);
	blob_u8(&t->blob, 0);
	while ((t->blob.size - at) % (2u * address_size) != 0)
		blob_u8(&t->blob, 0);
}

static void arange(struct table *t, uint8_t address_size, uint64_t addr, uint64_t size)
{
	blob_uint(&t->blob, addr, address_size);
	blob_uint(&t->blob, size, address_size);
}

static void ranges_are_about_their_address_and_headers_about_their_unit(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		table_init(&t, big, width);
		for (uint64_t unit = 0x100; unit <= 0x200; unit += 0x100) {
			const uint8_t address_size = unit == 0x100 ? 8 : 4;
			arange_header(&t, unit, address_size);
			arange(&t, address_size, 0x1000 + unit, 0x10);
			arange(&t, address_size, 0, 0); /* dropped by a linker */
			arange(&t, address_size, 0x2000 + unit, 0x10);
			arange(&t, address_size, 0, 0);
			set_end(&t);
		}
		start(&t, DW_ARANGES);
		aranges_pieces(&t.dwarf, keep, &t);
		CHECK(&t, 0, width == 8 ? 32 : 16, ABOUT_INFO, 0x100);
		CHECK(&t, 1, 16, ABOUT_ADDR, 0x1100);
		CHECK(&t, 2, 16, ABOUT_INFO, 0x100);
		CHECK(&t, 3, 16, ABOUT_ADDR, 0x2100);
		CHECK(&t, 4, 16, ABOUT_INFO, 0x100);
		CHECK(&t, 6, 8, ABOUT_ADDR, 0x1200);
		CHECK(&t, 9, 8, ABOUT_INFO, 0x200);
		check_end(&t, 10, 0, 0);
	}
}

static void a_set_of_unknown_version_is_passed_over(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		table_init(&t, big, width);
		set_begin(&t, 7);
		blob_zeros(&t.blob, 30);
		set_end(&t);
		const uint64_t lost = t.blob.size;
		arange_header(&t, 0x40, 8);
		arange(&t, 8, 0x1000, 1);
		arange(&t, 8, 0, 0);
		set_end(&t);
		start(&t, DW_ARANGES);
		aranges_pieces(&t.dwarf, keep, &t);
		assert_int_equal(t.notes.data[0].bytes, lost);
		assert_int_equal(t.notes.data[0].offset, 0);
		CHECK(&t, 1, 16, ABOUT_ADDR, 0x1000);
		check_end(&t, 3, lost, 1);
	}
}

static void a_set_that_leaves_the_section_keeps_what_is_there(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	arange_header(&t, 0x40, 8);
	arange(&t, 8, 0x1000, 1);
	arange(&t, 8, 0x2000, 1);
	arange(&t, 8, 0, 0);
	set_end(&t);
	t.blob.size -= 20; /* the end of the second range and the terminator */
	start(&t, DW_ARANGES);
	aranges_pieces(&t.dwarf, keep, &t);
	CHECK(&t, 0, 16, ABOUT_INFO, 0x40);
	CHECK(&t, 1, 16 + 12, ABOUT_ADDR, 0x1000);
	assert_int_equal(t.notes.data[0].bytes, t.blob.size);
	check_end(&t, 2, 0, 1);
}

static void a_set_with_addresses_of_odd_size_is_noted(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	set_begin(&t, 2);
	offset(&t, 0);
	blob_u8(&t.blob, 3);
	blob_zeros(&t.blob, 9);
	set_end(&t);
	start(&t, DW_ARANGES);
	aranges_pieces(&t.dwarf, keep, &t);
	check_end(&t, 0, t.blob.size, 1);
}

static void reserved_lengths_end_a_section(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	arange_header(&t, 0x40, 8);
	arange(&t, 8, 0, 0);
	set_end(&t);
	blob_u32(&t.blob, 0xfffffff0);
	blob_zeros(&t.blob, 12);
	start(&t, DW_ARANGES);
	aranges_pieces(&t.dwarf, keep, &t);
	assert_int_equal(t.notes.data[0].offset, 32);
	assert_int_equal(t.notes.data[0].bytes, 16);
	check_end(&t, 1, 16, 1);
}

/* ---- .debug_pubnames ------------------------------------------------------ */

static void pub_header(struct table *t, uint64_t unit)
{
	set_begin(t, 2);
	offset(t, unit);
	offset(t, 0x80);
}

static void pub_name(struct table *t, uint64_t die, int flags, const char *name)
{
	offset(t, die);
	if (flags >= 0)
		blob_u8(&t->blob, (uint8_t)flags);
	blob_text(&t->blob, name);
}

static void names_are_about_their_dies(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		for (int gnu = 0; gnu < 2; gnu++) {
			const enum dw_section which = gnu ? DW_GNU_PUBTYPES : DW_PUBNAMES;
			struct table t;
			table_init(&t, big, width);
			pub_header(&t, 0x100);
			pub_name(&t, 0x20, gnu ? 0x30 : -1, "f");
			pub_name(&t, 0x30, gnu ? 0x30 : -1, "");
			offset(&t, 0);
			set_end(&t);
			blob_zeros(&t.blob, (4 - t.blob.size % 4) % 4); /* objects are aligned */
			pub_header(&t, 0x200);
			pub_name(&t, 0x20, gnu ? 0x30 : -1, "long name");
			offset(&t, 0);
			set_end(&t);
			start(&t, which);
			pubnames_pieces(&t.dwarf, which, keep, &t);
			CHECK(&t, 0, head(width) + 2u * width, ABOUT_INFO, 0x100);
			CHECK(&t, 1, width + 2u + (unsigned)gnu, ABOUT_INFO, 0x120);
			CHECK(&t, 2, width + 1u + (unsigned)gnu, ABOUT_INFO, 0x130);
			assert_int_equal(t.pieces[3].value, 0x100);
			CHECK(&t, 5, width + 10u + (unsigned)gnu, ABOUT_INFO, 0x220);
			CHECK(&t, 6, width, ABOUT_INFO, 0x200);
			check_end(&t, 7, 0, 0);
		}
	}
}

/* A unit of `size` bytes for .debug_info. */
static void unit_bytes(struct blob *info, uint64_t size)
{
	blob_u32(info, size - 4);
	blob_zeros(info, size - 4);
}

static void names_of_a_split_unit_are_about_its_skeleton(void **state)
{
	(void)state;
	struct table t;
	struct blob info = { .size = 0 };
	table_init(&t, false, 4);
	unit_bytes(&info, 0x40);
	unit_bytes(&info, 0x40);
	section(&t, DW_INFO, blob_bytes(&info));
	pub_header(&t, 0x40);
	pub_name(&t, 0x41, 0x30, "far behind");
	pub_name(&t, 0x3f, 0x30, "inside");
	offset(&t, 0);
	set_end(&t);
	start(&t, DW_GNU_PUBNAMES);
	pubnames_pieces(&t.dwarf, DW_GNU_PUBNAMES, keep, &t);
	CHECK(&t, 0, 14 + 16, ABOUT_INFO, 0x40); /* header and first name */
	CHECK(&t, 1, 12, ABOUT_INFO, 0x7f);
	check_end(&t, 3, 0, 0);
}

static void a_name_without_end_ends_its_set(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, true, 4);
	pub_header(&t, 0x100);
	pub_name(&t, 0x20, -1, "f");
	offset(&t, 0x30);
	blob_u8(&t.blob, 'x');
	set_end(&t);
	pub_header(&t, 0x200);
	offset(&t, 0);
	set_end(&t);
	start(&t, DW_PUBNAMES);
	pubnames_pieces(&t.dwarf, DW_PUBNAMES, keep, &t);
	assert_int_equal(t.notes.data[0].bytes, 5);
	CHECK(&t, 2, 14 + 4, ABOUT_INFO, 0x200);
	check_end(&t, 3, 5, 1);
}

/* ---- .debug_addr, .debug_str_offsets -------------------------------------- */

static void addresses_follow_headers_from_version_5_on(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		table_init(&t, big, width);
		for (unsigned segment = 0; segment < 5; segment += 4) {
			set_begin(&t, 5);
			blob_u8(&t.blob, 8);
			blob_u8(&t.blob, segment);
			for (uint64_t addr = 0x1000; addr < 0x1002; addr++) {
				blob_zeros(&t.blob, segment);
				blob_u64(&t.blob, addr);
			}
			set_end(&t);
		}
		start(&t, DW_ADDR);
		addr_pieces(&t.dwarf, 5, 4, keep, &t);
		CHECK(&t, 0, head(width) + 2, ABOUT_NEXT, 0);
		CHECK(&t, 1, 8, ABOUT_ADDR, 0x1000);
		CHECK(&t, 2, 8, ABOUT_ADDR, 0x1001);
		CHECK(&t, 4, 12, ABOUT_ADDR, 0x1000);
		check_end(&t, 6, 0, 0);
	}
}

static void addresses_of_version_4_have_no_header(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct table t;
		table_init(&t, big, 4);
		for (uint64_t addr = 0x1000; addr < 0x1008; addr++)
			blob_u32(&t.blob, addr / 2); /* neighbours become one piece */
		blob_u8(&t.blob, 0);
		start(&t, DW_ADDR);
		addr_pieces(&t.dwarf, 4, 4, keep, &t);
		CHECK(&t, 0, 8, ABOUT_ADDR, 0x800);
		CHECK(&t, 3, 9, ABOUT_ADDR, 0x803);
		check_end(&t, 4, 0, 0);
	}
}

static void string_offsets_are_about_their_string(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		table_init(&t, big, width);
		for (int i = 0; i < 2; i++) {
			set_begin(&t, 5);
			blob_zeros(&t.blob, 2);
			offset(&t, 0x10);
			offset(&t, 0x20);
			set_end(&t);
		}
		start(&t, DW_STR_OFFSETS);
		str_offsets_pieces(&t.dwarf, 5, 4, keep, &t);
		CHECK(&t, 0, head(width) + 2, ABOUT_NEXT, 0);
		CHECK(&t, 1, width, ABOUT_STR, 0x10);
		CHECK(&t, 5, width, ABOUT_STR, 0x20);
		check_end(&t, 6, 0, 0);

		table_init(&t, big, width);
		offset(&t, 0x30);
		offset(&t, 0x40);
		start(&t, DW_STR_OFFSETS);
		str_offsets_pieces(&t.dwarf, 4, width, keep, &t);
		CHECK(&t, 0, width, ABOUT_STR, 0x30);
		check_end(&t, 2, 0, 0);
	}
}

static void a_cut_string_table_keeps_its_whole_entries(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	set_begin(&t, 5);
	blob_zeros(&t.blob, 2);
	offset(&t, 0x10);
	offset(&t, 0x20);
	set_end(&t);
	t.blob.size -= 1;
	start(&t, DW_STR_OFFSETS);
	str_offsets_pieces(&t.dwarf, 5, 4, keep, &t);
	CHECK(&t, 1, 4 + 3, ABOUT_STR, 0x10);
	check_end(&t, 2, 0, 1);
}

/* ---- .debug_frame --------------------------------------------------------- */

static void cie(struct table *t)
{
	set_begin(t, 0);
	t->blob.size -= 2;
	blob_uint(&t->blob, UINT64_MAX, t->offset_size);
	blob_u8(&t->blob, 4);
	blob_u8(&t->blob, 0); /* no augmentation */
	blob_u8(&t->blob, 8);
	blob_zeros(&t->blob, 4);
	blob_u8(&t->blob, 16);
	set_end(t);
}

static void fde(struct table *t, uint64_t cie_off, uint64_t addr)
{
	set_begin(t, 0);
	t->blob.size -= 2;
	offset(t, cie_off);
	blob_u64(&t->blob, addr);
	blob_u64(&t->blob, 0x10);
	set_end(t);
}

static void cies_are_about_the_first_function_that_uses_them(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		const uint64_t cie_size = (width == 8 ? 20 : 8) + 8;
		const uint64_t fde_size = (width == 8 ? 20 : 8) + 16;
		struct table t;
		table_init(&t, big, width);
		cie(&t);
		cie(&t); /* nobody uses it */
		fde(&t, 0, 0x1000);
		fde(&t, 2 * cie_size + 2 * fde_size, 0x2000); /* before its CIE */
		cie(&t);
		fde(&t, 0, 0x3000);
		blob_zeros(&t.blob, 4);
		start(&t, DW_FRAME);
		frame_pieces(&t.dwarf, 8, keep, &t);
		CHECK(&t, 0, cie_size, ABOUT_ADDR, 0x1000);
		CHECK(&t, 1, cie_size, ABOUT_NEXT, 0);
		CHECK(&t, 2, fde_size, ABOUT_ADDR, 0x1000);
		CHECK(&t, 3, fde_size + cie_size, ABOUT_ADDR, 0x2000);
		CHECK(&t, 4, fde_size + 4, ABOUT_ADDR, 0x3000);
		check_end(&t, 5, 0, 0);
	}
}

static void a_damaged_frame_is_noted_once(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	cie(&t);
	const uint64_t first = t.blob.size;
	fde(&t, 0x1000, 0x1000);
	const uint64_t lost = t.blob.size - first;
	fde(&t, 0, 0x2000);
	start(&t, DW_FRAME);
	frame_pieces(&t.dwarf, 8, keep, &t);
	CHECK(&t, 1, lost, ABOUT_ADDR, 0x2000);
	assert_int_equal(t.notes.data[0].count, 1);
	assert_int_equal(t.notes.data[0].bytes, lost);
	check_end(&t, 2, lost, 1);
}

/* ---- macros --------------------------------------------------------------- */

struct seen {
	uint64_t strings[8], imports[4], lines[4];
	size_t string_count, import_count, line_count;
};

static void see_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct seen *s = ctx;
	assert_int_equal(table, DW_STR);
	s->strings[s->string_count++] = off;
}

static void see_import(void *ctx, uint64_t off)
{
	struct seen *s = ctx;
	s->imports[s->import_count++] = off;
}

static void see_line(void *ctx, uint64_t off)
{
	struct seen *s = ctx;
	s->lines[s->line_count++] = off;
}

static bool walk(struct table *t, enum dw_section which, uint64_t off, uint64_t base,
		 struct seen *seen, uint64_t *ret_size)
{
	const struct macro_refs refs = { see_string, see_import, see_line, seen };
	*seen = (struct seen){ .string_count = 0 };
	start(t, which);
	return macro_walk(&t->dwarf, which, off, base, &refs, ret_size);
}

/* Behind 3 bytes of something else. */
static void macro_header(struct table *t, unsigned version, unsigned flags)
{
	blob_zeros(&t->blob, 3);
	blob_uint(&t->blob, version, 2);
	blob_u8(&t->blob, flags | (t->offset_size == 8));
}

/* An opcode, a line, an operand of offset size. */
static void macro_op(struct table *t, uint8_t op, uint64_t v)
{
	blob_u8(&t->blob, op);
	blob_u8(&t->blob, 1);
	offset(t, v);
}

static void macros_refer_to_strings_parts_and_lines(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		for (unsigned version = 4; version <= 5; version++) {
			struct table t;
			struct seen seen;
			uint64_t size;
			table_init(&t, big, width);
			macro_header(&t, version, 2);
			offset(&t, 0x55);
			blob_u8(&t.blob, DW_MACRO_define);
			blob_u8(&t.blob, 1);
			blob_text(&t.blob, "A 1");
			blob_u8(&t.blob, DW_MACRO_start_file);
			blob_zeros(&t.blob, 2);
			macro_op(&t, DW_MACRO_define_strp, 0x10);
			macro_op(&t, DW_MACRO_undef_strp, 0x20);
			macro_op(&t, DW_MACRO_define_sup, 0x99); /* another file's */
			blob_u8(&t.blob, DW_MACRO_import);
			offset(&t, 0x40);
			blob_u8(&t.blob, DW_MACRO_import_sup);
			offset(&t, 0x99);
			blob_u8(&t.blob, DW_MACRO_end_file);
			blob_u8(&t.blob, 0);
			const uint64_t end = t.blob.size;
			blob_u8(&t.blob, 0xee); /* the next one's */
			assert_true(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
			assert_int_equal(size, end - 3);
			assert_int_equal(seen.string_count, 2);
			assert_int_equal(seen.strings[0], 0x10);
			assert_int_equal(seen.strings[1], 0x20);
			assert_int_equal(seen.import_count, 1);
			assert_int_equal(seen.imports[0], 0x40);
			assert_int_equal(seen.line_count, 1);
			assert_int_equal(seen.lines[0], 0x55);
			assert_int_equal(t.notes.count, 0);
		}
	}
}

static void macro_strings_by_index_go_through_the_table(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t, strings;
		struct seen seen;
		uint64_t size;
		table_init(&t, big, width);
		table_init(&strings, big, width);
		set_begin(&strings, 5);
		blob_zeros(&strings.blob, 2);
		offset(&strings, 0x10);
		offset(&strings, 0x20);
		set_end(&strings);
		section(&t, DW_STR_OFFSETS, blob_bytes(&strings.blob));
		macro_header(&t, 5, 0);
		for (uint8_t i = 0; i < 3; i++) {
			blob_u8(&t.blob, DW_MACRO_define_strx);
			blob_u8(&t.blob, 1);
			blob_u8(&t.blob, i); /* the last one is not there */
		}
		blob_u8(&t.blob, 0);
		assert_true(walk(&t, DW_MACRO, 3, head(width) + 2, &seen, &size));
		assert_int_equal(seen.string_count, 2);
		assert_int_equal(seen.strings[1], 0x20);
		assert_true(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
		assert_int_equal(seen.string_count, 0);
		t.dwarf.split = true;
		assert_true(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
		assert_int_equal(seen.string_count, 2);
		assert_int_equal(seen.strings[0], 0x10);
	}
}

static void unknown_macro_opcodes_are_skipped_by_their_forms(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		struct seen seen;
		uint64_t size;
		table_init(&t, big, width);
		macro_header(&t, 5, 4);
		blob_u8(&t.blob, 1);
		blob_u8(&t.blob, 0xe0);
		blob_u8(&t.blob, 4);
		blob_u8(&t.blob, DW_FORM_udata);
		blob_u8(&t.blob, DW_FORM_string);
		blob_u8(&t.blob, DW_FORM_block1);
		blob_u8(&t.blob, DW_FORM_sec_offset);
		blob_u8(&t.blob, 0xe0);
		blob_u8(&t.blob, 7);
		blob_text(&t.blob, "text");
		blob_u8(&t.blob, 1);
		blob_u8(&t.blob, 0xaa);
		offset(&t, 0x1234);
		macro_op(&t, DW_MACRO_define_strp, 0x10);
		const uint64_t known = t.blob.size;
		blob_u8(&t.blob, 0);
		assert_true(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
		assert_int_equal(size, t.blob.size - 3);
		assert_int_equal(seen.string_count, 1);
		blob_patch(&t.blob, known, 0xe1, 1); /* not in the table */
		assert_false(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
		assert_int_equal(seen.string_count, 1);
		assert_int_equal(t.notes.count, 1);
		assert_int_equal(t.notes.data[0].offset, known);
		notes_release(&t.notes);
	}
}

static void macros_without_end_are_noted(void **state)
{
	(void)state;
	struct table t;
	struct seen seen;
	uint64_t size;
	table_init(&t, false, 4);
	macro_header(&t, 5, 0);
	macro_op(&t, DW_MACRO_define_strp, 0x10);
	assert_false(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
	assert_false(walk(&t, DW_MACRO, 1000, DW_NO_OFFSET, &seen, &size));
	blob_patch(&t.blob, 3, 6, 2);
	assert_false(walk(&t, DW_MACRO, 3, DW_NO_OFFSET, &seen, &size));
	assert_int_equal(t.notes.count, 2); /* entry; header, twice */
	notes_release(&t.notes);
}

static void macinfo_is_measured(void **state)
{
	(void)state;
	struct table t;
	struct seen seen;
	uint64_t size;
	table_init(&t, false, 4);
	blob_u8(&t.blob, DW_MACINFO_start_file);
	blob_zeros(&t.blob, 2);
	blob_u8(&t.blob, DW_MACINFO_define);
	blob_u8(&t.blob, 1);
	blob_text(&t.blob, "A 1");
	blob_u8(&t.blob, DW_MACINFO_vendor_ext);
	blob_u8(&t.blob, 1);
	blob_text(&t.blob, "");
	blob_u8(&t.blob, DW_MACINFO_end_file);
	blob_u8(&t.blob, 0);
	const uint64_t end = t.blob.size;
	blob_u8(&t.blob, 9); /* no such type */
	blob_zeros(&t.blob, 8);
	assert_true(walk(&t, DW_MACINFO, 0, DW_NO_OFFSET, &seen, &size));
	assert_int_equal(size, end);
	assert_false(walk(&t, DW_MACINFO, end, DW_NO_OFFSET, &seen, &size));
	assert_int_equal(t.notes.data[0].offset, end);
	assert_int_equal(t.notes.data[0].bytes, 9);
	notes_release(&t.notes);
}

static void empty_sections_have_no_pieces(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	start(&t, DW_ARANGES);
	aranges_pieces(&t.dwarf, keep, &t);
	pubnames_pieces(&t.dwarf, DW_PUBNAMES, keep, &t);
	names_pieces(&t.dwarf, keep, &t);
	gdb_index_pieces(&t.dwarf, keep, &t);
	frame_pieces(&t.dwarf, 8, keep, &t);
	addr_pieces(&t.dwarf, 5, 8, keep, &t);
	addr_pieces(&t.dwarf, 4, 8, keep, &t);
	str_offsets_pieces(&t.dwarf, 5, 4, keep, &t);
	check_end(&t, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_about_their_address_and_headers_about_their_unit),
		cmocka_unit_test(a_set_of_unknown_version_is_passed_over),
		cmocka_unit_test(a_set_that_leaves_the_section_keeps_what_is_there),
		cmocka_unit_test(a_set_with_addresses_of_odd_size_is_noted),
		cmocka_unit_test(reserved_lengths_end_a_section),
		cmocka_unit_test(names_are_about_their_dies),
		cmocka_unit_test(names_of_a_split_unit_are_about_its_skeleton),
		cmocka_unit_test(a_name_without_end_ends_its_set),
		cmocka_unit_test(addresses_follow_headers_from_version_5_on),
		cmocka_unit_test(addresses_of_version_4_have_no_header),
		cmocka_unit_test(string_offsets_are_about_their_string),
		cmocka_unit_test(a_cut_string_table_keeps_its_whole_entries),
		cmocka_unit_test(cies_are_about_the_first_function_that_uses_them),
		cmocka_unit_test(a_damaged_frame_is_noted_once),
		cmocka_unit_test(macros_refer_to_strings_parts_and_lines),
		cmocka_unit_test(macro_strings_by_index_go_through_the_table),
		cmocka_unit_test(unknown_macro_opcodes_are_skipped_by_their_forms),
		cmocka_unit_test(macros_without_end_are_noted),
		cmocka_unit_test(macinfo_is_measured),
		cmocka_unit_test(empty_sections_have_no_pieces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
