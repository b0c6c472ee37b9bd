/* Units by offset and address, functions and what was inlined, on DWARF made byte by byte. */
#include "../lib/dwarf_maker.h"
#include "debug/scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { UNIT = 1, FUNCTION, INLINED, ABSTRACT, CLASS, LISTED, COPY, SILENT, LEAF };
enum { C99 = 0x0c, RUST = 0x1c };

static void write_abbrevs(struct made *m)
{
	static const unsigned unit[] = { DW_AT_language,
					 DW_FORM_data1,
					 DW_AT_low_pc,
					 DW_FORM_addr,
					 DW_AT_high_pc,
					 DW_FORM_data4,
					 0 };
	static const unsigned function[] = { DW_AT_name,
					     DW_FORM_string,
					     DW_AT_low_pc,
					     DW_FORM_addr,
					     DW_AT_high_pc,
					     DW_FORM_data4,
					     0 };
	static const unsigned inlined[] = { DW_AT_abstract_origin,
					    DW_FORM_ref_addr,
					    DW_AT_low_pc,
					    DW_FORM_addr,
					    DW_AT_high_pc,
					    DW_FORM_data4,
					    DW_AT_call_file,
					    DW_FORM_data1,
					    DW_AT_call_line,
					    DW_FORM_data2,
					    DW_AT_call_column,
					    DW_FORM_data1,
					    0 };
	static const unsigned abstract[] = { DW_AT_name,      DW_FORM_string,  DW_AT_linkage_name,
					     DW_FORM_string,  DW_AT_decl_file, DW_FORM_data1,
					     DW_AT_decl_line, DW_FORM_data1,   0 };
	static const unsigned class[] = { DW_AT_sibling, DW_FORM_ref4, 0 };
	static const unsigned listed[] = { DW_AT_name, DW_FORM_string, DW_AT_ranges,
					   DW_FORM_sec_offset, 0 };
	static const unsigned copy[] = { DW_AT_specification,
					 DW_FORM_ref_addr,
					 DW_AT_low_pc,
					 DW_FORM_addr,
					 DW_AT_high_pc,
					 DW_FORM_data4,
					 0 };
	static const unsigned none[] = { 0 };
	abbrev(m, UNIT, DW_TAG_compile_unit, true, unit);
	abbrev(m, FUNCTION, DW_TAG_subprogram, true, function);
	abbrev(m, INLINED, DW_TAG_inlined_subroutine, true, inlined);
	abbrev(m, ABSTRACT, DW_TAG_subprogram, false, abstract);
	abbrev(m, CLASS, DW_TAG_structure_type, true, class);
	abbrev(m, LISTED, DW_TAG_subprogram, false, listed);
	abbrev(m, COPY, DW_TAG_subprogram, false, copy);
	abbrev(m, SILENT, DW_TAG_compile_unit, true, none);
	abbrev(m, LEAF, DW_TAG_inlined_subroutine, true, none);
	put(m, DW_ABBREV, 1, 0);
}

static uint64_t here(const struct made *m)
{
	return m->in[DW_INFO].bytes.count;
}

static void code(struct made *m, uint64_t addr, uint64_t size)
{
	put(m, DW_INFO, 8, addr);
	put(m, DW_INFO, 4, size);
}

static void open_unit(struct made *m, unsigned language, uint64_t addr, uint64_t size)
{
	unit_start(m, 4, 8);
	uleb(m, DW_INFO, UNIT);
	put(m, DW_INFO, 1, language);
	code(m, addr, size);
}

static void close_children(struct made *m)
{
	put(m, DW_INFO, 1, 0);
}

static void close_unit(struct made *m)
{
	close_children(m);
	unit_finish(m);
}

static uint64_t function(struct made *m, const char *name, uint64_t addr, uint64_t size)
{
	const uint64_t off = here(m);
	uleb(m, DW_INFO, FUNCTION);
	text(m, DW_INFO, name);
	code(m, addr, size);
	return off;
}

static uint64_t inlined(struct made *m, uint64_t origin, uint64_t addr, uint64_t size,
			unsigned line)
{
	const uint64_t off = here(m);
	uleb(m, DW_INFO, INLINED);
	put(m, DW_INFO, 4, origin);
	code(m, addr, size);
	put(m, DW_INFO, 1, 2);
	put(m, DW_INFO, 2, line);
	put(m, DW_INFO, 1, 7);
	return off;
}

static uint64_t abstract(struct made *m, const char *name, const char *linkage)
{
	const uint64_t off = here(m);
	uleb(m, DW_INFO, ABSTRACT);
	text(m, DW_INFO, name);
	text(m, DW_INFO, linkage);
	put(m, DW_INFO, 1, 3);
	put(m, DW_INFO, 1, 44);
	return off;
}

static struct made *begin(void)
{
	struct made *m = start(false);
	write_abbrevs(m);
	return m;
}

struct read {
	struct units units;
	struct scopes scopes;
	struct unit unit;
	bool ok;
};

/* Unit number `i`, its scopes read. */
static void read_unit(struct made *m, size_t i, struct read *r)
{
	memset(r, 0, sizeof *r);
	units_init(&r->units, finish(m));
	assert_true(units_get(&r->units, DW_INFO, i, &r->unit));
	assert_true(unit_open(&r->unit, &m->cache, NULL));
	r->ok = scopes_read(&r->scopes, &r->units, &r->unit);
}

static void end_read(struct made *m, struct read *r)
{
	scopes_release(&r->scopes);
	units_release(&r->units);
	drop(m);
}

static const struct scope *innermost(const struct read *r, uint64_t addr)
{
	const uint32_t i = scopes_find(&r->scopes, addr);
	return i == SCOPE_NONE ? NULL : &r->scopes.list.data[i];
}

static void expect_name(const struct read *r, const struct scope *s, const char *name)
{
	assert_non_null(s);
	const struct str got = r->scopes.functions.data[s->function].name;
	assert_int_equal(got.len, strlen(name));
	assert_memory_equal(got.p, name, got.len);
}

/* ---- scopes --------------------------------------------------------------------------------- */

static void the_innermost_scope_owns_an_address(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	const uint64_t a = abstract(m, "a", "_Za"), b = abstract(m, "b", "_Zb");
	function(m, "outer", 0x1000, 0x100);
	inlined(m, a, 0x1010, 0x40, 10);
	inlined(m, b, 0x1020, 0x10, 20);
	close_children(m);
	close_children(m);
	inlined(m, b, 0x1080, 0x10, 300);
	close_children(m);
	close_children(m);
	close_unit(m);
	read_unit(m, 0, &r);
	assert_true(r.ok);
	expect_name(&r, innermost(&r, 0x1000), "outer");
	expect_name(&r, innermost(&r, 0x1010), "a");
	expect_name(&r, innermost(&r, 0x1020), "b");
	expect_name(&r, innermost(&r, 0x1030), "a");
	expect_name(&r, innermost(&r, 0x1050), "outer");
	expect_name(&r, innermost(&r, 0x108f), "b");
	assert_null(innermost(&r, 0x1100));
	const struct scope *s = innermost(&r, 0x1020);
	assert_int_equal(s->call_file, 2);
	assert_int_equal(s->call_line, 20);
	assert_int_equal(s->call_column, 7);
	assert_int_equal(r.scopes.list.data[s->parent].call_line, 10);
	/* Both of b are one function. */
	assert_int_equal(s->function, innermost(&r, 0x1080)->function);
	const struct scope_function *f = &r.scopes.functions.data[s->function];
	assert_memory_equal(f->linkage.p, "_Zb", 4);
	assert_int_equal(f->decl_file, 3);
	assert_int_equal(f->decl_line, 44);
	assert_int_equal(innermost(&r, 0x1000)->parent, SCOPE_NONE);
	end_read(m, &r);
}

static void names_come_from_other_units(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0, 0);
	const uint64_t far = abstract(m, "far", "_Z3far");
	close_unit(m);
	open_unit(m, C99, 0x2000, 0x10);
	uleb(m, DW_INFO, COPY);
	put(m, DW_INFO, 4, far);
	code(m, 0x2000, 0x10);
	close_unit(m);
	read_unit(m, 1, &r);
	expect_name(&r, innermost(&r, 0x2004), "far");
	end_read(m, &r);
}

static void references_that_go_round_or_nowhere_end(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	const uint64_t first = here(m);
	uleb(m, DW_INFO, COPY);
	const uint64_t second_at = here(m);
	put(m, DW_INFO, 4, 0);
	code(m, 0x1000, 0x10);
	const uint64_t second = here(m);
	uleb(m, DW_INFO, COPY);
	put(m, DW_INFO, 4, first);
	code(m, 0x1010, 0x10);
	uleb(m, DW_INFO, COPY);
	put(m, DW_INFO, 4, 0x7fffffff);
	code(m, 0x1020, 0x10);
	uleb(m, DW_INFO, COPY);
	put(m, DW_INFO, 4, second + 1); /* amid an entry */
	code(m, 0x1030, 0x10);
	close_unit(m);
	m->in[DW_INFO].bytes.data[second_at] = (uint8_t)second;
	read_unit(m, 0, &r);
	assert_true(r.ok);
	for (uint64_t addr = 0x1000; addr < 0x1040; addr += 0x10)
		assert_non_null(innermost(&r, addr));
	expect_name(&r, innermost(&r, 0x1000), "");
	expect_name(&r, innermost(&r, 0x1020), "");
	end_read(m, &r);
}

/* A class whose sibling is told, with a function in it. */
static void class_with_code(struct made *m, uint64_t unit_off, const char *name, uint64_t addr)
{
	uleb(m, DW_INFO, CLASS);
	const uint64_t at = here(m);
	put(m, DW_INFO, 4, 0);
	function(m, name, addr, 0x10);
	close_children(m);
	close_children(m);
	const uint64_t sibling = here(m) - unit_off;
	for (unsigned i = 0; i < 4; i++)
		m->in[DW_INFO].bytes.data[at + i] = (uint8_t)(sibling >> 8 * i);
}

static void classes_of_c_have_no_code_unless_they_are_local(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct made *m = begin();
		struct read r;
		open_unit(m, i ? RUST : C99, 0x1000, 0x100);
		class_with_code(m, 0, "method", 0x1000);
		function(m, "outer", 0x1010, 0x10);
		class_with_code(m, 0, "local", 0x1020);
		close_children(m);
		close_unit(m);
		read_unit(m, 0, &r);
		assert_true(r.ok);
		expect_name(&r, innermost(&r, 0x1010), "outer");
		expect_name(&r, innermost(&r, 0x1020), "local");
		/* A function in a function was not inlined into it. */
		assert_int_equal(innermost(&r, 0x1020)->parent, SCOPE_NONE);
		if (i)
			expect_name(&r, innermost(&r, 0x1000), "method");
		else
			assert_null(innermost(&r, 0x1000));
		end_read(m, &r);
	}
}

static void a_sibling_that_lies_behind_is_not_followed(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	uleb(m, DW_INFO, CLASS);
	put(m, DW_INFO, 4, 1);
	close_children(m);
	function(m, "f", 0x1000, 0x10);
	close_children(m);
	close_unit(m);
	read_unit(m, 0, &r);
	assert_true(r.ok);
	expect_name(&r, innermost(&r, 0x1000), "f");
	end_read(m, &r);
}

static void deep_nesting_costs_no_stack(void **state)
{
	(void)state;
	enum { DEPTH = 100000 };
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 2 * DEPTH);
	const uint64_t a = abstract(m, "a", "_Za");
	function(m, "f", 0x1000, 2 * DEPTH);
	for (unsigned i = 1; i <= DEPTH; i++)
		inlined(m, a, 0x1000 + i, 2 * (DEPTH - i) + 1, i);
	for (unsigned i = 0; i <= DEPTH; i++)
		close_children(m);
	close_unit(m);
	read_unit(m, 0, &r);
	assert_true(r.ok);
	size_t depth = 0;
	for (uint32_t i = scopes_find(&r.scopes, 0x1000 + DEPTH); i != SCOPE_NONE;
	     i = r.scopes.list.data[i].parent)
		depth++;
	assert_int_equal(depth, DEPTH + 1);
	end_read(m, &r);
}

static void entries_of_a_byte_are_not_all_kept(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	for (unsigned i = 0; i < 100000; i++)
		uleb(m, DW_INFO, LEAF);
	close_unit(m);
	read_unit(m, 0, &r);
	assert_false(r.ok);
	assert_true(r.scopes.list.count < 30000);
	assert_int_equal(m->notes.count, 1);
	end_read(m, &r);
}

static void a_damaged_unit_keeps_what_came_before(void **state)
{
	(void)state;
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	function(m, "f", 0x1000, 0x10);
	close_children(m);
	uleb(m, DW_INFO, 99); /* no such abbreviation */
	function(m, "g", 0x1010, 0x10);
	close_children(m);
	close_unit(m);
	read_unit(m, 0, &r);
	assert_false(r.ok);
	expect_name(&r, innermost(&r, 0x1000), "f");
	assert_null(innermost(&r, 0x1010));
	assert_int_equal(m->notes.count, 1);
	end_read(m, &r);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static void count_range(void *ctx, uint64_t addr, uint64_t size)
{
	(void)addr;
	(void)size;
	++*(size_t *)ctx;
}

static void a_limit_ends_a_range_list(void **state)
{
	(void)state;
	struct made *m = begin();
	struct unit u;
	open_unit(m, C99, 0x1000, 0x100);
	close_unit(m);
	for (unsigned i = 1; i <= 100; i++) {
		put(m, DW_RANGES, 8, 16 * i);
		put(m, DW_RANGES, 8, i % 2 ? 16 * i + 4 : 16 * i); /* every other one is empty */
	}
	put(m, DW_RANGES, 8, 0);
	put(m, DW_RANGES, 8, 0);
	finish(m);
	assert_true(first_unit(m, &u));
	const struct die_code c = { .ranges = { VALUE_OFFSET, 0, { NULL, 0 } } };
	size_t count = 0;
	uint64_t budget = 60;
	assert_int_equal(die_ranges_some(&u, &c, count_range, &count, &budget), 30);
	assert_int_equal(count, 30);
	assert_int_equal(budget, 0);
	assert_int_equal(die_ranges_some(&u, &c, count_range, &count, &budget), 0);
	budget = 200;
	assert_int_equal(die_ranges_some(&u, &c, count_range, &count, &budget), 50);
	assert_int_equal(budget, 100);
	assert_int_equal(die_ranges(&u, &c, count_range, &count), 50);
	drop(m);
}

static void functions_that_share_a_long_list_end_in_time(void **state)
{
	(void)state;
	enum { ENTRIES = 200000, FUNCTIONS = 20000 };
	struct made *m = begin();
	struct read r;
	open_unit(m, C99, 0x1000, 0x100);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uleb(m, DW_INFO, LISTED);
		text(m, DW_INFO, "");
		put(m, DW_INFO, 4, 0);
	}
	close_unit(m);
	for (unsigned i = 1; i <= ENTRIES; i++) {
		put(m, DW_RANGES, 8, 16 * i);
		put(m, DW_RANGES, 8, 16 * i + 8);
	}
	put(m, DW_RANGES, 8, 0);
	put(m, DW_RANGES, 8, 0);
	read_unit(m, 0, &r);
	assert_int_equal(r.scopes.list.count, FUNCTIONS);
	assert_int_equal(r.scopes.code.spans.count, ENTRIES);
	/* Four billion without a limit. */
	assert_true(r.scopes.code.spans.data[0].who < 10);
	end_read(m, &r);
}

/* ---- units ---------------------------------------------------------------------------------- */

static void units_are_found_by_offset_and_address(void **state)
{
	(void)state;
	struct made *m = begin();
	struct units s;
	struct unit u;
	size_t index = 99;
	uint64_t starts[4];
	for (unsigned i = 0; i < 3; i++) {
		starts[i] = here(m);
		open_unit(m, C99, 0x1000 + 0x80 * i, 0x100); /* each overlaps the next */
		close_unit(m);
	}
	starts[3] = here(m);
	unit_start(m, 4, 8); /* says nothing of its code */
	uleb(m, DW_INFO, SILENT);
	function(m, "f", 0x3000, 0x10);
	close_children(m);
	close_unit(m);
	units_init(&s, finish(m));
	assert_int_equal(units_count(&s, DW_INFO), 4);
	assert_int_equal(units_count(&s, DW_TYPES), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_true(units_get(&s, DW_INFO, i, &u));
		assert_int_equal(u.off, starts[i]);
		assert_true(units_around(&s, DW_INFO, starts[i], &index) && index == i);
		assert_true(units_around(&s, DW_INFO, unit_end(&u) - 1, &index) && index == i);
	}
	assert_false(units_around(&s, DW_INFO, here(m), &index));
	assert_false(units_get(&s, DW_INFO, 4, &u));
	assert_true(units_at_addr(&s, 0x1000, &index) && index == 0);
	assert_true(units_at_addr(&s, 0x10ff, &index) && index == 0);
	assert_true(units_at_addr(&s, 0x1100, &index) && index == 1);
	assert_true(units_at_addr(&s, 0x11ff, &index) && index == 2);
	assert_true(units_at_addr(&s, 0x3008, &index) && index == 3);
	assert_false(units_at_addr(&s, 0x3010, &index));
	assert_false(units_at_addr(&s, 0xfff, &index));
	units_release(&s);
	drop(m);
}

static void type_units_are_found_by_signature(void **state)
{
	(void)state;
	struct made *m = begin();
	struct units s;
	struct unit u;
	for (unsigned i = 0; i < 3; i++) {
		/* 4, 7.5.1.2: length, version, abbreviations, address size, signature, type */
		put(m, DW_TYPES, 4, 2 + 4 + 1 + 8 + 4 + 1);
		put(m, DW_TYPES, 2, 4);
		put(m, DW_TYPES, 4, 0);
		put(m, DW_TYPES, 1, 8);
		put(m, DW_TYPES, 8, 100 - i);
		put(m, DW_TYPES, 4, 23);
		uleb(m, DW_TYPES, SILENT);
	}
	open_unit(m, C99, 0x1000, 0x10);
	close_unit(m);
	units_init(&s, finish(m));
	for (unsigned i = 0; i < 3; i++) {
		assert_true(units_by_signature(&s, 100 - i, &u));
		assert_int_equal(u.off, 24 * i);
		assert_int_equal(u.in, DW_TYPES);
	}
	assert_false(units_by_signature(&s, 97, &u));
	struct unit from;
	uint64_t off = 0;
	assert_true(first_unit(m, &from));
	const struct value v = { VALUE_REF_TYPE, 99, { NULL, 0 } };
	const struct unit *to = units_follow(&s, &from, &v, &off);
	assert_true(to && to->off == 24 && off == 24 + 23);
	const struct value bad = { VALUE_REF_TYPE, 5, { NULL, 0 } };
	assert_null(units_follow(&s, &from, &bad, &off));
	units_release(&s);
	drop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_scope_owns_an_address),
		cmocka_unit_test(names_come_from_other_units),
		cmocka_unit_test(references_that_go_round_or_nowhere_end),
		cmocka_unit_test(classes_of_c_have_no_code_unless_they_are_local),
		cmocka_unit_test(a_sibling_that_lies_behind_is_not_followed),
		cmocka_unit_test(deep_nesting_costs_no_stack),
		cmocka_unit_test(entries_of_a_byte_are_not_all_kept),
		cmocka_unit_test(a_damaged_unit_keeps_what_came_before),
		cmocka_unit_test(a_limit_ends_a_range_list),
		cmocka_unit_test(functions_that_share_a_long_list_end_in_time),
		cmocka_unit_test(units_are_found_by_offset_and_address),
		cmocka_unit_test(type_units_are_found_by_signature),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
