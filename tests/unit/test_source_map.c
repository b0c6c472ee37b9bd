/* Source maps: segments, sections, and what is damaged. */
#include "debug/sourcemap/source_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool parse(struct source_map *m, const char *text)
{
	const char *problem;
	uint64_t pos;
	const struct bytes b = { (const uint8_t *)text, strlen(text) };
	const bool ok = source_map_parse(m, b, &problem, &pos);
	assert_true(ok == (problem == NULL));
	return ok;
}

static void check_row(const struct source_map *m, size_t i, uint64_t addr, uint64_t end,
		      uint32_t file, uint32_t line)
{
	assert_true(i < m->rows.count);
	const struct flat_range *r = &m->rows.data[i];
	assert_int_equal(r->addr, addr);
	assert_int_equal(r->end, end);
	assert_int_equal(m->origins.data[r->who].file, file);
	assert_int_equal(m->origins.data[r->who].line, line);
}

static void segments_of_1_4_and_5_fields_count_from_the_one_before(void **state)
{
	struct source_map m;
	(void)state;
	/* 16, source 0, line 0; 4 further, one source and 16 lines further; 4 further, nothing. */
	assert_true(parse(&m, "{\"version\":3,\"mappings\":\"gBAAA,ICgBAA,I;AAAA\",\"sources\":"
			      "[\"a.ts\",null],\"sourceRoot\":\"src\"}"));
	assert_int_equal(m.rows.count, 3);
	check_row(&m, 0, 16, 20, 1, 1);
	check_row(&m, 1, 20, 24, 2, 17);
	check_row(&m, 2, 24, UINT64_MAX, 0, 0);
	assert_true(str_eq(m.sources.data[0], STR("src/a.ts")));
	assert_int_equal(m.sources.data[1].len, 0);
	assert_int_equal(m.damaged, 0);
	source_map_release(&m);
}

static void sections_have_sources_of_their_own_and_begin_at_an_offset(void **state)
{
	struct source_map m;
	(void)state;
	assert_true(parse(&m, "{\"version\":3,\"sections\":["
			      "{\"offset\":{\"line\":0,\"column\":100},\"map\":"
			      "{\"sources\":[\"a\"],\"mappings\":\"AAAA\"}},"
			      "{\"map\":{\"sources\":[\"b\"],\"mappings\":\"IAEA\"},"
			      "\"offset\":{\"line\":0,\"column\":200}},"
			      "{\"offset\":{\"line\":1,\"column\":0},\"map\":"
			      "{\"sources\":[\"c\"],\"mappings\":\"AAAA\"}}]}"));
	assert_int_equal(m.rows.count, 2);
	check_row(&m, 0, 100, 204, 1, 1);
	check_row(&m, 1, 204, UINT64_MAX, 2, 3);
	source_map_release(&m);
}

static void segments_of_no_source_are_counted_and_have_none(void **state)
{
	struct source_map m;
	(void)state;
	assert_true(parse(&m, "{\"sources\":[\"a\"],\"mappings\":\"ACAA,CDAA\"}"));
	assert_int_equal(m.damaged, 1);
	check_row(&m, 0, 0, 1, 0, 0);
	check_row(&m, 1, 1, UINT64_MAX, 1, 1);
	source_map_release(&m);
}

static void what_is_no_map_is_refused(void **state)
{
	static const char *const texts[] = {
		"[]",
		"{}",
		"{\"mappings\":1}",
		"{\"mappings\":\"A!\"}",
		"{\"mappings\":\"AA\"}",
		"{\"mappings\":\"AAAA",
		"{\"mappings\":\"gggggggggA\"}",
		"{\"sections\":[{\"map\":{\"mappings\":\"!\"}}]}",
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct source_map m;
		assert_false(parse(&m, texts[i]));
		source_map_release(&m);
	}
}

static void code_outside_of_the_section_is_left_out(void **state)
{
	struct source_map m;
	struct dwarf_made d;
	(void)state;
	assert_true(parse(&m, "{\"sources\":[\"a\",\"b\"],\"mappings\":\"AAAA,ICAA,IDAA\"}"));
	source_map_dwarf(&m, 4, 2, 0x1000, &d);
	/* One unit, of b: its range and an end. */
	assert_int_equal(d.ranges.len, 32);
	struct reader r = reader_make(d.ranges.p, d.ranges.len, false);
	assert_int_equal(read_u64(&r), 0x1000);
	assert_int_equal(read_u64(&r), 0x1002);
	dwarf_made_release(&d);
	source_map_release(&m);
}

/* No map should have both. */
static void mappings_in_front_of_sections_name_sources_that_are_there(void **state)
{
	struct source_map m;
	(void)state;
	assert_true(parse(&m, "{\"mappings\":\"AAAA\",\"sections\":[]}"));
	assert_int_equal(m.rows.count, 1);
	assert_int_equal(m.origins.data[m.rows.data[0].who].file, 0);
	assert_int_equal(m.damaged, 1);
	source_map_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_of_1_4_and_5_fields_count_from_the_one_before),
		cmocka_unit_test(sections_have_sources_of_their_own_and_begin_at_an_offset),
		cmocka_unit_test(mappings_in_front_of_sections_name_sources_that_are_there),
		cmocka_unit_test(segments_of_no_source_are_counted_and_have_none),
		cmocka_unit_test(what_is_no_map_is_refused),
		cmocka_unit_test(code_outside_of_the_section_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
