/* Indexes of .dwp packages, written by hand in both versions and byte orders. */
#include "../lib/elfgen.h"
#include "debug/package.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { SLOTS = 8 };

struct shape {
	bool big_endian;
	uint16_t version;
	uint32_t columns, units, slots;
	uint32_t ids[4];
};

struct scene {
	struct elfgen_out out;
	struct dwarf d;
	struct notes notes;
	struct package_index index;
	bool open;
};

/* Signatures by slot, 0 for an empty one; units count in the order of the slots. */
static void write_index(struct scene *s, const struct shape *h, const uint64_t *signatures)
{
	struct elfgen_out *o = &s->out;
	uint32_t row = 0;
	o->big_endian = h->big_endian;
	elfgen_put(o, h->version == 2 ? 4 : 2, h->version);
	if (h->version != 2)
		elfgen_put(o, 2, 0);
	elfgen_put(o, 4, h->columns);
	elfgen_put(o, 4, h->units);
	elfgen_put(o, 4, h->slots);
	for (uint32_t i = 0; i < h->slots; i++)
		elfgen_put(o, 8, signatures[i]);
	for (uint32_t i = 0; i < h->slots; i++)
		elfgen_put(o, 4, signatures[i] ? ++row : 0);
	for (uint32_t i = 0; i < h->columns && i < COUNT_OF(h->ids); i++)
		elfgen_put(o, 4, h->ids[i]);
	/* Unit u, column c: offset 100 u + 10 c, size u + c + 1. */
	for (uint32_t u = 0; u < h->units; u++)
		for (uint32_t c = 0; c < h->columns; c++)
			elfgen_put(o, 4, 100 * u + 10 * c);
	for (uint32_t u = 0; u < h->units; u++)
		for (uint32_t c = 0; c < h->columns; c++)
			elfgen_put(o, 4, u + c + 1);
}

static void open_index(struct scene *s)
{
	notes_init(&s->notes);
	s->d = (struct dwarf){ .path = "test.dwp",
			       .big_endian = s->out.big_endian,
			       .notes = &s->notes };
	s->d.bytes[DW_CU_INDEX] = (struct bytes){ s->out.bytes.data, s->out.bytes.count };
	s->open = package_open(&s->index, &s->d, DW_CU_INDEX);
}

static void make(struct scene *s, const struct shape *h, const uint64_t *signatures)
{
	memset(s, 0, sizeof *s);
	write_index(s, h, signatures);
	open_index(s);
}

static void end(struct scene *s)
{
	vec_release(&s->out.bytes);
	notes_release(&s->notes);
}

static const struct shape plain = { false, 5, 3, 2, SLOTS, { 1, 3, 6 } };
static const uint64_t two[SLOTS] = { [1] = 0x1111111100000001, [5] = 0x2222222200000005 };

static void a_unit_is_found_by_its_signature(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct shape h = plain;
		struct scene s;
		struct package_unit u;
		h.big_endian = k & 1;
		h.version = k & 2 ? 2 : 5;
		make(&s, &h, two);
		assert_true(s.open);
		assert_int_equal(s.index.version, h.version);
		assert_true(package_find(&s.index, two[5], &u));
		assert_int_equal(u.row, 1);
		assert_int_equal(u.parts[DW_INFO].off, 100);
		assert_int_equal(u.parts[DW_INFO].size, 2);
		assert_int_equal(u.parts[DW_ABBREV].off, 110);
		assert_int_equal(u.parts[DW_STR_OFFSETS].size, 4);
		assert_false(u.parts[DW_LINE].present);
		assert_true(package_find(&s.index, two[1], &u));
		assert_int_equal(u.row, 0);
		assert_false(package_find(&s.index, two[1] + SLOTS, &u));
		assert_int_equal(s.notes.count, 0);
		end(&s);
	}
}

static void columns_mean_what_their_version_says(void **state)
{
	(void)state;
	static const struct {
		uint16_t version;
		uint32_t id;
		enum dw_section want;
	} cases[] = {
		{ 2, 1, DW_INFO },
		{ 2, 2, DW_TYPES },
		{ 2, 3, DW_ABBREV },
		{ 2, 4, DW_LINE },
		{ 2, 5, DW_LOC },
		{ 2, 6, DW_STR_OFFSETS },
		{ 2, 7, DW_MACINFO },
		{ 2, 8, DW_MACRO },
		{ 2, 9, DW_SECTIONS },
		{ 5, 1, DW_INFO },
		{ 5, 2, DW_SECTIONS },
		{ 5, 3, DW_ABBREV },
		{ 5, 4, DW_LINE },
		{ 5, 5, DW_LOCLISTS },
		{ 5, 6, DW_STR_OFFSETS },
		{ 5, 7, DW_MACRO },
		{ 5, 8, DW_RNGLISTS },
		{ 5, 0, DW_SECTIONS },
		{ 5, UINT32_MAX, DW_SECTIONS },
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct shape h = plain;
		struct scene s;
		h.version = cases[i].version;
		h.columns = 1;
		h.ids[0] = cases[i].id;
		make(&s, &h, two);
		assert_true(s.open);
		assert_int_equal(s.index.column_of[0], cases[i].want);
		end(&s);
	}
}

static void a_collision_goes_on_by_the_upper_half(void **state)
{
	(void)state;
	/* Both begin at slot 3; the second one's step is 4 | 1 = 5, so it is in slot 0. */
	const uint64_t first = 0x0000000000000003, second = 0x0000000400000003;
	const uint64_t signatures[SLOTS] = { [3] = first, [0] = second };
	struct scene s;
	struct package_unit u;
	make(&s, &plain, signatures);
	assert_true(package_find(&s.index, second, &u));
	assert_int_equal(u.row, 0);
	assert_true(package_find(&s.index, first, &u));
	assert_int_equal(u.row, 1);
	end(&s);
}

static void a_full_table_ends_a_search(void **state)
{
	(void)state;
	const uint64_t signatures[SLOTS] = { 8, 1, 2, 3, 4, 5, 6, 7 };
	struct shape h = plain;
	struct scene s;
	struct package_unit u;
	h.units = SLOTS;
	make(&s, &h, signatures);
	assert_true(s.open);
	assert_false(package_find(&s.index, 99, &u));
	assert_true(package_find(&s.index, 7, &u));
	end(&s);
}

static void slots_list_all_units(void **state)
{
	(void)state;
	struct scene s;
	struct package_unit u;
	uint64_t signature = 0, seen = 0;
	make(&s, &plain, two);
	for (uint32_t i = 0; i < SLOTS; i++)
		if (package_slot(&s.index, i, &signature, &u)) {
			assert_int_equal(signature, two[i]);
			assert_int_equal(u.row, seen++);
		}
	assert_int_equal(seen, 2);
	end(&s);
}

static void expect_damaged(const struct shape *h, uint64_t cut)
{
	static const uint64_t none[64];
	struct scene s = { 0 };
	write_index(&s, h, none);
	assert_true(cut <= s.out.bytes.count);
	s.out.bytes.count -= (size_t)cut;
	open_index(&s);
	assert_false(s.open);
	assert_int_equal(s.index.slots, 0);
	assert_int_equal(s.notes.count, 1);
	assert_non_null(strstr(s.notes.data[0].text, ".debug_cu_index"));
	end(&s);
}

static void damaged_headers_are_refused(void **state)
{
	(void)state;
	struct shape h = plain;
	expect_damaged(&h, 1); /* the last size is cut off */
	h.slots = 7;
	expect_damaged(&h, 0);
	h = plain;
	h.version = 4;
	expect_damaged(&h, 0);
	h = plain;
	h.columns = PACKAGE_COLUMNS + 1;
	expect_damaged(&h, 0);
	h = plain;
	h.units = SLOTS + 1;
	expect_damaged(&h, 0);
}

static void huge_counts_are_refused(void **state)
{
	(void)state;
	struct scene s = { 0 };
	struct elfgen_out *o = &s.out;
	elfgen_put(o, 4, 2);
	elfgen_put(o, 4, 8);
	elfgen_put(o, 4, 0x80000000);
	elfgen_put(o, 4, 0x80000000);
	elfgen_put(o, 8, 0);
	open_index(&s);
	assert_false(s.open);
	end(&s);
}

static void an_empty_index_finds_nothing(void **state)
{
	(void)state;
	struct scene s = { 0 };
	open_index(&s);
	assert_false(s.open);
	assert_int_equal(s.notes.count, 0);
	notes_release(&s.notes);
	struct shape h = plain;
	struct package_unit u;
	h.slots = h.units = 0;
	make(&s, &h, NULL);
	assert_true(s.open);
	assert_false(package_find(&s.index, 0, &u));
	assert_false(package_find(&s.index, 1, &u));
	end(&s);
}

static void a_row_that_is_not_there_is_no_unit(void **state)
{
	(void)state;
	struct scene s;
	struct package_unit u;
	make(&s, &plain, two);
	const uint64_t rows = 16 + 8 * SLOTS;
	const struct bytes b = { s.out.bytes.data, s.out.bytes.count };
	elfgen_poke(b, rows + 4 * 1, 4, false, 3); /* of 2 */
	elfgen_poke(b, rows + 4 * 5, 4, false, UINT32_MAX);
	assert_false(package_find(&s.index, two[1], &u));
	assert_false(package_find(&s.index, two[5], &u));
	end(&s);
}

static void a_unit_has_a_dwarf_of_its_contributions(void **state)
{
	(void)state;
	static const uint8_t info[] = "0123456789", strings[] = "strings";
	struct package_unit u = { .row = 0 };
	struct package_dwarf p;
	struct notes notes;
	struct dwarf whole = { .path = "test.dwp", .big_endian = true, .notes = &notes };
	notes_init(&notes);
	whole.bytes[DW_INFO] = (struct bytes){ info, 10 };
	whole.bytes[DW_STR] = (struct bytes){ strings, 8 };
	whole.size[DW_INFO] = 10;
	whole.size[DW_STR] = 8;
	whole.size[DW_LINE] = 4;
	u.parts[DW_INFO].present = true;
	u.parts[DW_INFO].off = 3;
	u.parts[DW_INFO].size = 4;
	u.parts[DW_LINE].present = true; /* of which 4 bytes are stated, none is there */
	u.parts[DW_LINE].off = UINT32_MAX;
	u.parts[DW_LINE].size = 4;
	package_dwarf_init(&p, &whole, &u);
	assert_true(p.dwarf.split && p.dwarf.big_endian);
	assert_int_equal(p.dwarf.size[DW_INFO], 4);
	assert_int_equal(p.dwarf.size[DW_STR], 8);
	assert_int_equal(p.dwarf.size[DW_LINE], 0);
	assert_ptr_equal(dwarf_bytes(&p.dwarf, DW_INFO).p, info + 3);
	assert_int_equal(dwarf_bytes(&p.dwarf, DW_INFO).size, 4);
	assert_ptr_equal(dwarf_bytes(&p.dwarf, DW_STR).p, strings);
	assert_int_equal(dwarf_bytes(&p.dwarf, DW_ABBREV).size, 0);
	assert_int_equal(notes.count, 0);
	assert_int_equal(dwarf_bytes(&p.dwarf, DW_LINE).size, 0);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.data[0].text, ".debug_line"));
	notes_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_is_found_by_its_signature),
		cmocka_unit_test(columns_mean_what_their_version_says),
		cmocka_unit_test(a_collision_goes_on_by_the_upper_half),
		cmocka_unit_test(a_full_table_ends_a_search),
		cmocka_unit_test(slots_list_all_units),
		cmocka_unit_test(damaged_headers_are_refused),
		cmocka_unit_test(huge_counts_are_refused),
		cmocka_unit_test(an_empty_index_finds_nothing),
		cmocka_unit_test(a_row_that_is_not_there_is_no_unit),
		cmocka_unit_test(a_unit_has_a_dwarf_of_its_contributions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
