/* Units, abbreviations, entries, ranges and the walk, on DWARF made byte by byte. */
#include "../lib/dwarf_maker.h"
#include "debug/die.h"
#include "debug/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t note_count(const struct made *m)
{
	return m->notes.count;
}

/* ---- headers --------------------------------------------------------------------------------- */

static void one_header(unsigned version, unsigned address_size, bool wide, bool big_endian)
{
	static const unsigned top[] = { DW_AT_name, DW_FORM_string, DW_AT_stmt_list,
					DW_FORM_sec_offset, 0 };
	struct made *m = start(big_endian);
	struct unit u;
	m->wide = wide;
	abbrev(m, 1, DW_TAG_compile_unit, false, top);
	put(m, DW_ABBREV, 1, 0);
	unit_start(m, version, address_size);
	uleb(m, DW_INFO, 1);
	text(m, DW_INFO, "a.c");
	put(m, DW_INFO, wide ? 8 : 4, 0x1234);
	unit_finish(m);
	finish(m);
	assert_true(first_unit(m, &u));
	assert_int_equal(u.version, version);
	assert_int_equal(u.address_size, address_size);
	assert_int_equal(u.offset_size, wide ? 8 : 4);
	assert_int_equal(u.size, m->dwarf.size[DW_INFO]);
	assert_true(str_eq(u.name, STR("a.c")));
	assert_int_equal(u.line_off, 0x1234);
	assert_int_equal(u.addr_base, DW_NO_OFFSET);
	assert_int_equal(note_count(m), 0);
	drop(m);
}

static void headers_of_all_versions_sizes_and_byte_orders_are_read(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned k = 0; k < 8; k++)
			one_header(version, k & 1 ? 8 : 4, k & 2, k & 4);
}

static void a_header_that_leaves_the_section_ends_the_walk_with_a_note(void **state)
{
	(void)state;
	struct made *m = start(false);
	struct unit u;
	uint64_t off = 0;
	put(m, DW_INFO, 4, 1000);
	put(m, DW_INFO, 2, 5);
	finish(m);
	assert_false(unit_next(&m->dwarf, DW_INFO, &off, &u));
	assert_int_equal(note_count(m), 1);
	drop(m);
}

static void padding_between_units_is_passed_over(void **state)
{
	(void)state;
	static const unsigned top[] = { DW_AT_name, DW_FORM_string, 0 };
	struct made *m = start(false);
	struct unit u;
	uint64_t off = 0;
	abbrev(m, 1, DW_TAG_compile_unit, false, top);
	put(m, DW_ABBREV, 1, 0);
	for (unsigned i = 0; i < 2; i++) {
		unit_start(m, 4, 8);
		uleb(m, DW_INFO, 1);
		text(m, DW_INFO, i ? "second" : "first");
		unit_finish(m);
		put(m, DW_INFO, 8, 0);
	}
	finish(m);
	assert_true(unit_next(&m->dwarf, DW_INFO, &off, &u));
	assert_true(unit_next(&m->dwarf, DW_INFO, &off, &u));
	assert_true(unit_open(&u, &m->cache, NULL));
	assert_true(str_eq(u.name, STR("second")));
	assert_false(unit_next(&m->dwarf, DW_INFO, &off, &u));
	assert_int_equal(note_count(m), 0);
	drop(m);
}

static void a_unit_without_abbreviations_is_noted(void **state)
{
	(void)state;
	struct made *m = start(false);
	struct unit u;
	unit_start(m, 4, 8);
	uleb(m, DW_INFO, 1);
	unit_finish(m);
	finish(m);
	assert_false(first_unit(m, &u));
	assert_int_equal(note_count(m), 2); /* the table, the unit */
	drop(m);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct found {
	uint64_t start[8], size[8];
	size_t count;
};

static void on_range(void *ctx, uint64_t addr, uint64_t size)
{
	struct found *f = ctx;
	assert_true(f->count < COUNT_OF(f->start));
	f->start[f->count] = addr;
	f->size[f->count++] = size;
}

/* A unit whose first entry has low_pc 0x1000 and a list of ranges at offset `list`. */
static struct found ranges_of(struct made *m, unsigned version, uint64_t low, uint64_t list)
{
	static const unsigned top[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_ranges,
					DW_FORM_sec_offset, 0 };
	struct found f = { .count = 0 };
	struct unit u;
	struct die d;
	struct die_code code;
	memset(&code, 0, sizeof code);
	abbrev(m, 1, DW_TAG_compile_unit, false, top);
	put(m, DW_ABBREV, 1, 0);
	unit_start(m, version, 8);
	uleb(m, DW_INFO, 1);
	put(m, DW_INFO, 8, low);
	put(m, DW_INFO, 4, list);
	unit_finish(m);
	finish(m);
	assert_true(first_unit(m, &u));
	struct reader r = unit_reader(&u, u.die_off);
	assert_true(die_next(&u, &r, &d));
	for (unsigned i = 0; i < d.abbrev->count; i++) {
		struct value v;
		die_value(&u, &r, die_attr(&u, &d, i), &v);
		die_code_take(&code, die_attr(&u, &d, i)->name, &v);
	}
	const size_t count = die_ranges(&u, &code, on_range, &f);
	assert_int_equal(count, f.count);
	return f;
}

static void lists_of_version_4_count_from_the_unit_and_change_their_base(void **state)
{
	(void)state;
	static const uint64_t list[] = { 0x10, 0x20, UINT64_MAX, 0x9000, 0x0, 0x8, 0, 0 };
	struct made *m = start(false);
	for (size_t i = 0; i < COUNT_OF(list); i++)
		put(m, DW_RANGES, 8, list[i]);
	const struct found f = ranges_of(m, 4, 0x1000, 0);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.start[0], 0x1010);
	assert_int_equal(f.size[0], 0x10);
	assert_int_equal(f.start[1], 0x9000);
	assert_int_equal(f.size[1], 8);
	drop(m);
}

static void lists_of_version_5_know_all_entries_without_an_index(void **state)
{
	(void)state;
	struct made *m = start(false);
	put(m, DW_RNGLISTS, 1, DW_RLE_offset_pair);
	uleb(m, DW_RNGLISTS, 0x10);
	uleb(m, DW_RNGLISTS, 0x20);
	put(m, DW_RNGLISTS, 1, DW_RLE_base_address);
	put(m, DW_RNGLISTS, 8, 0x5000);
	put(m, DW_RNGLISTS, 1, DW_RLE_offset_pair);
	uleb(m, DW_RNGLISTS, 0);
	uleb(m, DW_RNGLISTS, 4);
	put(m, DW_RNGLISTS, 1, DW_RLE_start_end);
	put(m, DW_RNGLISTS, 8, 0x6000);
	put(m, DW_RNGLISTS, 8, 0x6001);
	put(m, DW_RNGLISTS, 1, DW_RLE_start_length);
	put(m, DW_RNGLISTS, 8, 0x7000);
	uleb(m, DW_RNGLISTS, 300);
	put(m, DW_RNGLISTS, 1, DW_RLE_end_of_list);
	const struct found f = ranges_of(m, 5, 0x1000, 0);
	assert_int_equal(f.count, 4);
	assert_int_equal(f.start[0], 0x1010);
	assert_int_equal(f.start[1], 0x5000);
	assert_int_equal(f.size[1], 4);
	assert_int_equal(f.start[2], 0x6000);
	assert_int_equal(f.size[3], 300);
	drop(m);
}

static void code_that_was_thrown_away_has_no_ranges(void **state)
{
	(void)state;
	static const uint64_t gone[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1 };
	struct made *m = start(false);
	for (size_t i = 0; i < COUNT_OF(gone); i++) {
		put(m, DW_RNGLISTS, 1, DW_RLE_start_length);
		put(m, DW_RNGLISTS, 8, gone[i]);
		uleb(m, DW_RNGLISTS, 16);
		put(m, DW_RNGLISTS, 1, DW_RLE_base_address);
		put(m, DW_RNGLISTS, 8, gone[i] ? gone[i] : 1);
		put(m, DW_RNGLISTS, 1, DW_RLE_offset_pair);
		uleb(m, DW_RNGLISTS, 0x40);
		uleb(m, DW_RNGLISTS, 0x50);
	}
	put(m, DW_RNGLISTS, 1, DW_RLE_end_of_list);
	assert_int_equal(ranges_of(m, 5, 0x1000, 0).count, 0);
	assert_int_equal(note_count(m), 0);
	drop(m);
}

static void a_list_that_is_cut_off_keeps_what_came_before(void **state)
{
	(void)state;
	struct made *m = start(false);
	put(m, DW_RNGLISTS, 1, DW_RLE_offset_pair);
	uleb(m, DW_RNGLISTS, 1);
	uleb(m, DW_RNGLISTS, 2);
	put(m, DW_RNGLISTS, 1, DW_RLE_start_end);
	put(m, DW_RNGLISTS, 4, 0x6000);
	assert_int_equal(ranges_of(m, 5, 0x1000, 0).count, 1);
	assert_int_equal(note_count(m), 1);
	drop(m);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct seen {
	uint64_t strings[8], lists[8], variables[8];
	size_t string_count, list_count, variable_count;
	uint64_t entered, left;
	unsigned enters, leaves;
};

static void on_string(void *ctx, enum dw_section table, uint64_t off)
{
	struct seen *s = ctx;
	assert_int_equal(table, DW_STR);
	s->strings[s->string_count++] = off;
}

static void on_list(void *ctx, enum dw_section in, uint64_t off)
{
	struct seen *s = ctx;
	assert_int_equal(in, DW_LOCLISTS);
	s->lists[s->list_count++] = off;
}

static void on_variable(void *ctx, uint64_t die_off, uint64_t addr)
{
	struct seen *s = ctx;
	(void)die_off;
	s->variables[s->variable_count++] = addr;
}

static bool on_enter(void *ctx, const struct die *d, const struct reader *attrs)
{
	struct seen *s = ctx;
	(void)attrs;
	s->enters++;
	s->entered = d->off;
	return d->abbrev->tag == DW_TAG_subprogram;
}

static void on_leave(void *ctx, uint64_t end_off)
{
	struct seen *s = ctx;
	s->leaves++;
	s->left = end_off;
}

/* compile_unit { subprogram { variable (list) }, base type, variable at 0x4000 of 3 * 4 bytes } */
static uint64_t make_tree(struct made *m, uint64_t *ret_type, uint64_t *ret_variable)
{
	static const unsigned top[] = { DW_AT_name, DW_FORM_strp, 0 };
	static const unsigned function[] = { DW_AT_name, DW_FORM_strp, DW_AT_const_value,
					     DW_FORM_sdata, 0 };
	static const unsigned local[] = { DW_AT_location, DW_FORM_sec_offset, 0 };
	static const unsigned type[] = { DW_AT_byte_size, DW_FORM_data1, 0 };
	static const unsigned global[] = { DW_AT_type,
					   DW_FORM_ref4,
					   DW_AT_location,
					   DW_FORM_exprloc,
					   DW_AT_name,
					   DW_FORM_string,
					   0 };
	static const unsigned array[] = { DW_AT_type, DW_FORM_ref4, 0 };
	static const unsigned range[] = { DW_AT_upper_bound, DW_FORM_data1, 0 };
	abbrev(m, 1, DW_TAG_compile_unit, true, top);
	abbrev(m, 2, DW_TAG_subprogram, true, function);
	abbrev(m, 3, DW_TAG_variable, false, local);
	abbrev(m, 4, DW_TAG_base_type, false, type);
	abbrev(m, 5, DW_TAG_variable, false, global);
	abbrev(m, 6, DW_TAG_array_type, true, array);
	abbrev(m, 7, DW_TAG_subrange_type, false, range);
	put(m, DW_ABBREV, 1, 0);
	put(m, DW_LOCLISTS, 8, 0);
	unit_start(m, 5, 8);
	uleb(m, DW_INFO, 1);
	put(m, DW_INFO, 4, 10);
	const uint64_t function_off = m->in[DW_INFO].bytes.count;
	uleb(m, DW_INFO, 2);
	put(m, DW_INFO, 4, 20);
	elfgen_put_sleb(&m->in[DW_INFO],
			INT64_MIN + 5); /* ten bytes, too large for an unsigned LEB */
	uleb(m, DW_INFO, 3);
	put(m, DW_INFO, 4, 4);
	uleb(m, DW_INFO, 0);
	*ret_type = m->in[DW_INFO].bytes.count;
	uleb(m, DW_INFO, 4);
	put(m, DW_INFO, 1, 4);
	const uint64_t array_off = m->in[DW_INFO].bytes.count;
	uleb(m, DW_INFO, 6);
	put(m, DW_INFO, 4, *ret_type);
	uleb(m, DW_INFO, 7);
	put(m, DW_INFO, 1, 2);
	uleb(m, DW_INFO, 0);
	*ret_variable = m->in[DW_INFO].bytes.count;
	uleb(m, DW_INFO, 5);
	put(m, DW_INFO, 4, array_off);
	uleb(m, DW_INFO, 9);
	put(m, DW_INFO, 1, DW_OP_addr);
	put(m, DW_INFO, 8, 0x4000);
	text(m, DW_INFO, "v");
	uleb(m, DW_INFO, 0);
	unit_finish(m);
	finish(m);
	return function_off;
}

static void the_walk_tells_of_strings_lists_variables_and_owners(void **state)
{
	(void)state;
	struct made *m = start(false);
	struct unit u;
	struct seen s;
	uint64_t type, variable, size = 0;
	memset(&s, 0, sizeof s);
	const uint64_t function = make_tree(m, &type, &variable);
	const struct walker w = { &s, on_string, on_list, on_variable, on_enter, on_leave };
	assert_true(first_unit(m, &u));
	assert_true(unit_walk(&u, &w));
	assert_int_equal(s.string_count, 2);
	assert_int_equal(s.strings[1], 20);
	assert_int_equal(s.list_count, 1);
	assert_int_equal(s.lists[0], 4);
	assert_int_equal(s.variable_count, 1);
	assert_int_equal(s.variables[0], 0x4000);
	/* The function and the global variable; not the local one inside the function. */
	assert_int_equal(s.enters, 2);
	assert_int_equal(s.leaves, 1);
	assert_int_equal(s.left, type);
	assert_true(s.entered == variable && function < type);
	assert_true(variable_size(&u, variable, &size));
	assert_int_equal(size, 12);
	drop(m);
}

static void a_damaged_unit_is_noted_and_what_was_told_stands(void **state)
{
	(void)state;
	struct made *m = start(false);
	struct unit u;
	struct seen s;
	uint64_t type, variable;
	memset(&s, 0, sizeof s);
	make_tree(m, &type, &variable);
	m->in[DW_INFO].bytes.data[type] = 99; /* no such abbreviation */
	const struct walker w = { &s, on_string, on_list, on_variable, NULL, NULL };
	assert_true(first_unit(m, &u));
	assert_false(unit_walk(&u, &w));
	assert_int_equal(s.string_count, 2);
	assert_int_equal(s.variable_count, 0);
	assert_int_equal(note_count(m), 1);
	drop(m);
}

static void a_damaged_header_counts_once_however_many_passes(void **state)
{
	(void)state;
	struct made *m = start(false);
	struct unit u;
	for (unsigned i = 0; i < 11; i++)
		put(m, DW_INFO, 1, i < 4 ? 0xff : i);
	finish(m);
	assert_false(first_unit(m, &u));
	assert_false(first_unit(m, &u));
	assert_int_equal(note_count(m), 1);
	assert_int_equal(m->notes.data[0].count, 1);
	assert_int_equal(m->notes.data[0].bytes, 11);
	drop(m);
}

static void types_that_refer_to_themselves_have_no_size(void **state)
{
	(void)state;
	static const unsigned top[] = { DW_AT_type, DW_FORM_ref4, 0 };
	struct made *m = start(false);
	struct unit u;
	uint64_t size;
	abbrev(m, 1, DW_TAG_typedef, false, top);
	put(m, DW_ABBREV, 1, 0);
	unit_start(m, 4, 8);
	const uint64_t off = m->in[DW_INFO].bytes.count;
	uleb(m, DW_INFO, 1);
	put(m, DW_INFO, 4, off);
	unit_finish(m);
	finish(m);
	assert_true(first_unit(m, &u));
	assert_false(variable_size(&u, off, &size));
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_of_all_versions_sizes_and_byte_orders_are_read),
		cmocka_unit_test(a_header_that_leaves_the_section_ends_the_walk_with_a_note),
		cmocka_unit_test(padding_between_units_is_passed_over),
		cmocka_unit_test(a_unit_without_abbreviations_is_noted),
		cmocka_unit_test(lists_of_version_4_count_from_the_unit_and_change_their_base),
		cmocka_unit_test(lists_of_version_5_know_all_entries_without_an_index),
		cmocka_unit_test(code_that_was_thrown_away_has_no_ranges),
		cmocka_unit_test(a_list_that_is_cut_off_keeps_what_came_before),
		cmocka_unit_test(the_walk_tells_of_strings_lists_variables_and_owners),
		cmocka_unit_test(a_damaged_unit_is_noted_and_what_was_told_stands),
		cmocka_unit_test(a_damaged_header_counts_once_however_many_passes),
		cmocka_unit_test(types_that_refer_to_themselves_have_no_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
