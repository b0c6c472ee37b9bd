/* .debug_names, .gdb_index and Apple's tables of names, byte by byte. */
#include "../lib/pieces.h"

/* ---- .debug_names --------------------------------------------------------- */

struct names_spec {
	unsigned units, local, foreign, names;
	bool hashes;
};

/* Up to the columns: unit i stands at 0x1000 * (i + 1), foreign unit i is 0xf0 + i. */
static void names_header(struct table *t, const struct names_spec *s, uint64_t abbrev_size)
{
	set_begin(t, 5);
	blob_uint(&t->blob, 0, 2);
	blob_u32(&t->blob, s->units);
	blob_u32(&t->blob, s->local);
	blob_u32(&t->blob, s->foreign);
	blob_u32(&t->blob, s->hashes ? 2 : 0);
	blob_u32(&t->blob, s->names);
	blob_u32(&t->blob, abbrev_size);
	blob_u32(&t->blob, 4);
	blob_text(&t->blob, "abc");
	for (unsigned i = 0; i < s->units + s->local; i++)
		offset(t, 0x1000 * (i + 1));
	for (unsigned i = 0; i < s->foreign; i++)
		blob_u64(&t->blob, 0xf0 + i);
	if (s->hashes)
		blob_zeros(&t->blob, 8);
}

static uint64_t names_head(uint8_t offset_size)
{
	return head(offset_size) + 30 + 4;
}

static void columns(struct table *t, const struct names_spec *s, const uint64_t *entries)
{
	for (unsigned i = 0; i < s->names && s->hashes; i++)
		blob_u32(&t->blob, 0xabcdef);
	for (unsigned i = 0; i < s->names; i++)
		offset(t, 0x777);
	for (unsigned i = 0; i < s->names; i++)
		offset(t, entries[i]);
}

/* Attributes are pairs of numbers below 0x80, closed by a pair of zeros. */
static void abbreviation(struct table *t, uint8_t code, const uint8_t *pairs)
{
	blob_u8(&t->blob, code);
	blob_u8(&t->blob, DW_TAG_subprogram);
	do {
		blob_u8(&t->blob, pairs[0]);
		blob_u8(&t->blob, pairs[1]);
		pairs += 2;
	} while (pairs[-2] != 0);
}

static const uint8_t die_only[] = {
	DW_IDX_die_offset, DW_FORM_ref4, DW_IDX_parent, DW_FORM_flag_present, 0, 0
};
static const uint8_t die_and_unit[] = {
	DW_IDX_die_offset, DW_FORM_ref4, DW_IDX_compile_unit, DW_FORM_data1, 0, 0
};
static const uint8_t unit_varying[] = {
	DW_IDX_compile_unit, DW_FORM_udata, DW_IDX_die_offset, DW_FORM_ref_udata, 0, 0
};
static const uint8_t die_and_type[] = {
	DW_IDX_die_offset, DW_FORM_ref2, DW_IDX_type_unit, DW_FORM_data2, 0, 0
};

static void names_are_about_what_their_first_entry_names(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		const struct names_spec s = { .units = 2, .names = 2, .hashes = true };
		const uint64_t entries[] = { 0, 7 };
		struct table t;
		table_init(&t, big, width);
		names_header(&t, &s, 19);
		columns(&t, &s, entries);
		abbreviation(&t, 1, die_and_unit);
		abbreviation(&t, 2, unit_varying);
		blob_u8(&t.blob, 0);
		blob_zeros(&t.blob, 2); /* the table's size counts padding */
		blob_u8(&t.blob, 1);
		blob_u32(&t.blob, 0x20);
		blob_u8(&t.blob, 1); /* second unit */
		blob_u8(&t.blob, 0);
		blob_u8(&t.blob, 2);
		blob_u8(&t.blob, 0);
		blob_u8(&t.blob, 0x30);
		blob_u8(&t.blob, 1);
		blob_u32(&t.blob, 0x40);
		blob_u8(&t.blob, 0);
		blob_u8(&t.blob, 0);
		blob_zeros(&t.blob, 2); /* padding of the whole */
		set_end(&t);
		start(&t, DW_NAMES);
		names_pieces(&t.dwarf, keep, &t);
		CHECK(&t, 0, names_head(width), ABOUT_ALL, 0);
		CHECK(&t, 1, width, ABOUT_INFO, 0x1000);
		CHECK(&t, 2, width, ABOUT_INFO, 0x2000);
		CHECK(&t, 3, 8, ABOUT_ALL, 0);
		for (size_t i = 4; i < 10; i += 2) {
			const uint64_t size = i == 4 ? 4 : width;
			CHECK(&t, i, size, ABOUT_INFO, 0x2020);
			CHECK(&t, i + 1, size, ABOUT_INFO, 0x1030);
		}
		CHECK(&t, 10, 19, ABOUT_ALL, 0);
		CHECK(&t, 11, 7, ABOUT_INFO, 0x2020);
		CHECK(&t, 12, 3, ABOUT_INFO, 0x1030);
		CHECK(&t, 13, 9, ABOUT_INFO, 0x1040);
		check_end(&t, 14, 0, 0);
	}
}

static void entries_of_type_units_are_about_these(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		const struct names_spec s = { .units = 2, .local = 1, .foreign = 2, .names = 1 };
		const uint64_t entries[] = { 0 };
		struct table t;
		table_init(&t, big, width);
		names_header(&t, &s, 9);
		columns(&t, &s, entries);
		abbreviation(&t, 1, die_and_type);
		blob_u8(&t.blob, 0);
		for (unsigned i = 0; i < 4; i++) { /* the last type unit is not there */
			blob_u8(&t.blob, 1);
			blob_uint(&t.blob, 0x10, 2);
			blob_uint(&t.blob, i, 2);
		}
		blob_u8(&t.blob, 0);
		set_end(&t);
		start(&t, DW_NAMES);
		names_pieces(&t.dwarf, keep, &t);
		CHECK(&t, 3, width, ABOUT_INFO, 0x3000);
		CHECK(&t, 4, 8, ABOUT_TYPE_ID, 0xf0);
		CHECK(&t, 5, 8, ABOUT_TYPE_ID, 0xf1);
		CHECK(&t, 6, 2u * width, ABOUT_INFO, 0x3010);
		CHECK(&t, 7, 9, ABOUT_ALL, 0);
		CHECK(&t, 8, 5, ABOUT_INFO, 0x3010);
		CHECK(&t, 9, 5, ABOUT_TYPE_ID, 0xf0);
		CHECK(&t, 10, 5, ABOUT_TYPE_ID, 0xf1);
		CHECK(&t, 11, 6, ABOUT_ALL, 0);
		check_end(&t, 12, 0, 0);
	}
}

/* One unit, one abbreviation (code 5: not its place), entries at 0 and 6, without hashes. */
static void small_names(struct table *t, uint8_t second_code)
{
	const struct names_spec s = { .units = 1, .names = 2 };
	const uint64_t entries[] = { 0, 6 };
	names_header(t, &s, 9);
	columns(t, &s, entries);
	abbreviation(t, 5, die_only);
	blob_u8(&t->blob, 0);
	blob_u8(&t->blob, 5);
	blob_u32(&t->blob, 0x20);
	blob_u8(&t->blob, 0);
	blob_u8(&t->blob, second_code);
	blob_u32(&t->blob, 0x30);
	blob_u8(&t->blob, 0);
	set_end(t);
}

static void several_name_indexes_stand_one_behind_the_other(void **state)
{
	(void)state;
	EACH_SHAPE(big, width)
	{
		struct table t;
		table_init(&t, big, width);
		small_names(&t, 5);
		small_names(&t, 5);
		start(&t, DW_NAMES);
		names_pieces(&t.dwarf, keep, &t);
		for (size_t i = 0; i < 18; i += 9) {
			CHECK(&t, i, names_head(width), ABOUT_ALL, 0);
			CHECK(&t, i + 1, width, ABOUT_INFO, 0x1000);
			CHECK(&t, i + 2, width, ABOUT_INFO, 0x1020);
			CHECK(&t, i + 5, width, ABOUT_INFO, 0x1030);
			CHECK(&t, i + 6, 9, ABOUT_ALL, 0);
			CHECK(&t, i + 8, 6, ABOUT_INFO, 0x1030);
		}
		check_end(&t, 18, 0, 0);
	}
}

static void a_damaged_entry_ends_the_pool_but_not_the_next_index(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, true, 4);
	small_names(&t, 6);
	const size_t first = t.blob.size;
	small_names(&t, 5);
	start(&t, DW_NAMES);
	names_pieces(&t.dwarf, keep, &t);
	CHECK(&t, 3, 4, ABOUT_ALL, 0);
	assert_int_equal(t.pieces[7].off, first);
	assert_int_equal(t.notes.data[0].count, 2); /* both columns of the name */
	assert_int_equal(t.notes.data[1].bytes, 6);
	check_end(&t, 16, 6, 2);
}

static void counts_that_do_not_fit_are_noted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct table t;
		table_init(&t, false, 4);
		small_names(&t, 5);
		const uint64_t first = t.blob.size;
		small_names(&t, 5);
		blob_patch(&t.blob, 8 + 4 * i, UINT32_MAX, 4);
		start(&t, DW_NAMES);
		names_pieces(&t.dwarf, keep, &t);
		assert_int_equal(t.pieces[0].off, first);
		assert_int_equal(t.notes.data[0].bytes, first);
		check_end(&t, 9, first, 1);
	}
}

/* ---- .gdb_index ----------------------------------------------------------- */

/* Two units, one type unit, one address, four slots, two names, which share their end. */
static void gdb_table(struct table *t, unsigned version)
{
	struct blob *b = &t->blob;
	const uint64_t header = version >= 9 ? 28 : 24;
	const uint64_t symbols = header + 32 + 24 + 20;
	const uint64_t shortcuts = symbols + 32;
	blob_u32(b, version);
	blob_u32(b, header);
	blob_u32(b, header + 32);
	blob_u32(b, header + 56);
	blob_u32(b, symbols);
	if (version >= 9)
		blob_u32(b, shortcuts);
	blob_u32(b, shortcuts + (version >= 9 ? 8 : 0));
	for (uint64_t unit = 0; unit <= 0x100; unit += 0x100) {
		blob_u64(b, unit);
		blob_u64(b, 0x100);
	}
	blob_u64(b, 0x40);
	blob_u64(b, 0x19);
	blob_u64(b, 0x1234567890);
	blob_u64(b, 0x401000);
	blob_u64(b, 0x401010);
	blob_u32(b, 1);
	const uint32_t slots[][2] = { { 20, 0 }, { 0, 0 }, { 22, 12 }, { 27, 12 } };
	for (size_t i = 0; i < COUNT_OF(slots); i++) {
		blob_u32(b, slots[i][0]);
		blob_u32(b, slots[i][1]);
	}
	if (version >= 9)
		blob_u64(b, 0);
	const uint32_t attributes = version >= 7 ? 0x30000000 : 0;
	blob_u32(b, 2);
	blob_u32(b, 1 | attributes);
	blob_u32(b, 0 | attributes);
	blob_u32(b, 1);
	blob_u32(b, 2 | attributes); /* the type unit */
	blob_text(b, "f");
	blob_text(b, "long name");
}

static void symbols_are_about_the_first_unit_of_their_vector(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 9; version++) {
		struct table t;
		table_init(&t, false, 4);
		t.dwarf.big_endian = version & 1; /* does not matter */
		gdb_table(&t, version);
		start(&t, DW_GDB_INDEX);
		gdb_index_pieces(&t.dwarf, keep, &t);
		size_t i = 0;
		CHECK(&t, i, version >= 9 ? 28 : 24, ABOUT_ALL, 0);
		CHECK(&t, 1, 16, ABOUT_INFO, 0);
		CHECK(&t, 2, 16, ABOUT_INFO, 0x100);
		CHECK(&t, 3, 24, ABOUT_TYPE_ID, 0x1234567890);
		CHECK(&t, 4, 20, ABOUT_ADDR, 0x401000);
		CHECK(&t, 5, 8, ABOUT_INFO, 0x100);
		CHECK(&t, 6, 8, ABOUT_ALL, 0);
		CHECK(&t, 7, 16, ABOUT_TYPE_ID, 0x1234567890);
		i = 8;
		if (version >= 9) {
			CHECK(&t, i, 8, ABOUT_ALL, 0);
			i++;
		}
		CHECK(&t, i, 12, ABOUT_INFO, 0x100);
		CHECK(&t, i + 1, 8, ABOUT_TYPE_ID, 0x1234567890);
		CHECK(&t, i + 2, 2, ABOUT_INFO, 0x100);
		CHECK(&t, i + 3, 10, ABOUT_TYPE_ID, 0x1234567890);
		check_end(&t, i + 4, 0, 0);
	}
}

static void type_units_of_debug_types_have_an_offset(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	gdb_table(&t, 8);
	t.dwarf.size[DW_TYPES] = 0x41;
	start(&t, DW_GDB_INDEX);
	gdb_index_pieces(&t.dwarf, keep, &t);
	CHECK(&t, 3, 24, ABOUT_TYPES, 0x40);
	CHECK(&t, 7, 16, ABOUT_TYPES, 0x40);
	check_end(&t, 12, 0, 0);
}

static void a_damaged_gdb_index_is_noted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct table t;
		table_init(&t, false, 4);
		gdb_table(&t, 8);
		blob_patch(&t.blob, 4 * i, 0x1000, 4); /* version, then each area */
		start(&t, DW_GDB_INDEX);
		gdb_index_pieces(&t.dwarf, keep, &t);
		assert_int_equal(t.notes.data[0].bytes, t.blob.size);
		check_end(&t, 0, t.blob.size, 1);
	}
}

static void symbols_that_leave_the_pool_are_noted(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	gdb_table(&t, 8);
	blob_patch(&t.blob, 100 + 16, 0x1000, 4);     /* the third slot's name */
	blob_patch(&t.blob, 100 + 16 + 4, 0x1000, 4); /* and vector */
	start(&t, DW_GDB_INDEX);
	gdb_index_pieces(&t.dwarf, keep, &t);
	CHECK(&t, 6, 16, ABOUT_ALL, 0);
	/* "long " is in no piece: only the end of that name is still referred to */
	check_end(&t, 12, 5, 1);
}

/* ---- Apple's tables -------------------------------------------------------------------------- */

/* One bucket, two hashes, entries of a DIE's offset and a tag of 2 bytes. */
static void apple_header(struct table *t, uint32_t magic, uint32_t die_base, uint32_t second)
{
	blob_u32(&t->blob, magic);
	blob_uint(&t->blob, 1, 2);
	blob_uint(&t->blob, 0, 2);
	blob_u32(&t->blob, 1);
	blob_u32(&t->blob, 2);
	blob_u32(&t->blob, 16);
	blob_u32(&t->blob, die_base);
	blob_u32(&t->blob, 2);
	static const uint8_t atoms[] = { 3, DW_FORM_data2, 1, DW_FORM_data4 };
	for (size_t i = 0; i < COUNT_OF(atoms); i++)
		blob_uint(&t->blob, atoms[i], 2);
	blob_u32(&t->blob, 0); /* the bucket */
	blob_u32(&t->blob, 0xabc);
	blob_u32(&t->blob, 0xdef);
	blob_u32(&t->blob, 56);
	blob_u32(&t->blob, second);
}

static void apple_string(struct table *t, uint32_t count, uint32_t die)
{
	blob_u32(&t->blob, 0x77);
	blob_u32(&t->blob, count);
	for (uint32_t i = 0; i < count; i++) {
		blob_uint(&t->blob, DW_TAG_subprogram, 2);
		blob_u32(&t->blob, die + i);
	}
}

static void entries_of_apples_tables_are_about_their_dies(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct table t;
		table_init(&t, big, 4);
		apple_header(&t, 0x48415348, 0x1000, 56 + 8 + 12 + 4);
		apple_string(&t, 2, 0x10);
		blob_u32(&t.blob, 0);
		apple_string(&t, 1, 0x30);
		blob_u32(&t.blob, 0);
		start(&t, DW_APPLE_NAMES);
		apple_pieces(&t.dwarf, DW_APPLE_NAMES, keep, &t);
		CHECK(&t, 0, 40, ABOUT_ALL, 0);
		CHECK(&t, 1, 4, ABOUT_INFO, 0x1010); /* hashes */
		CHECK(&t, 2, 4, ABOUT_INFO, 0x1030);
		CHECK(&t, 3, 4, ABOUT_INFO, 0x1010); /* offsets */
		CHECK(&t, 4, 4, ABOUT_INFO, 0x1030);
		CHECK(&t, 5, 14, ABOUT_INFO, 0x1010); /* the string and its first entry */
		CHECK(&t, 6, 10, ABOUT_INFO, 0x1011);
		CHECK(&t, 7, 18, ABOUT_INFO, 0x1030);
		check_end(&t, 8, 0, 0);
	}
}

static void damaged_tables_of_apple_are_a_note(void **state)
{
	(void)state;
	struct table t;
	table_init(&t, false, 4);
	apple_header(&t, 0x48415348, 0, 1000);
	apple_string(&t, 1, 0x10);
	blob_u32(&t.blob, 0x77);
	blob_u32(&t.blob, 0x10000000); /* so many entries */
	start(&t, DW_APPLE_TYPES);
	apple_pieces(&t.dwarf, DW_APPLE_TYPES, keep, &t);
	CHECK(&t, 0, 40, ABOUT_ALL, 0);
	CHECK(&t, 1, 4, ABOUT_INFO, 0x10);
	CHECK(&t, 2, 4, ABOUT_ALL, 0);
	CHECK(&t, 5, 14, ABOUT_INFO, 0x10);
	check_end(&t, 6, 8, 1);
	table_init(&t, false, 4);
	apple_header(&t, 0x48415340, 0, 56);
	start(&t, DW_APPLE_OBJC);
	apple_pieces(&t.dwarf, DW_APPLE_OBJC, keep, &t);
	check_end(&t, 0, t.blob.size, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_about_what_their_first_entry_names),
		cmocka_unit_test(entries_of_type_units_are_about_these),
		cmocka_unit_test(several_name_indexes_stand_one_behind_the_other),
		cmocka_unit_test(a_damaged_entry_ends_the_pool_but_not_the_next_index),
		cmocka_unit_test(counts_that_do_not_fit_are_noted),
		cmocka_unit_test(symbols_are_about_the_first_unit_of_their_vector),
		cmocka_unit_test(type_units_of_debug_types_have_an_offset),
		cmocka_unit_test(a_damaged_gdb_index_is_noted),
		cmocka_unit_test(entries_of_apples_tables_are_about_their_dies),
		cmocka_unit_test(damaged_tables_of_apple_are_a_note),
		cmocka_unit_test(symbols_that_leave_the_pool_are_noted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
