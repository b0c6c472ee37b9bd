/* DWARF that is written, as heft reads it. */
#include "debug/write/dwarf_write.h"

#include "../lib/line_maker.h"

/* Reads a line program of version 4, written in `f`, without the names of its header. */
static void read_back(struct maker *m, const struct dwarf_form *f, const struct text *t)
{
	m->s.big_endian = f->big_endian;
	m->s.address_size = (uint8_t)f->address_size;
	for (size_t i = 0; i < t->len; i++)
		blob_u8(&m->b, (uint8_t)t->p[i]);
	assert_true(try_open(m, m->b.size));
	read_rows(m);
	assert_int_equal(m->notes.count, 0);
}

/* Begins a line program. */
static void begin_lines(struct text *t, const struct dwarf_form *f)
{
	put_uint(t, 0, 4);
	put_fixed(t, f, 4, 2);
	const size_t at = t->len;
	put_uint(t, 0, 4);
	put_line_form(t, f);
	put_uint(t, 0, 2); /* no directories, no files */
	put_length(t, f, at);
}

static void rows_of_any_distance_are_read_back(void **state)
{
	(void)state;
	static const struct line_row rows[] = {
		{ .addr = 0x1000, .file = 1, .line = 1 },
		{ .addr = 0x1004, .file = 1, .line = 9 },  /* the last special step of lines */
		{ .addr = 0x1008, .file = 1, .line = 18 }, /* one more */
		{ .addr = 0x100c, .file = 7, .line = 13 }, /* the first one back */
		{ .addr = 0x1010, .file = 7, .line = 7 },
		{ .addr = 0x9000, .file = 0, .line = 0 },
		{ .addr = 0x9000, .file = 300, .line = 4000000 },
	};
	for (unsigned i = 0; i < 8; i++) {
		const struct dwarf_form f = { i & 1 ? 4 : 8, i & 2 ? 4 : 1, i & 4 };
		struct text t = { 0 };
		struct line_writer w = { .out = &t, .form = &f };
		struct maker m = { 0 };
		begin_lines(&t, &f);
		line_writer_start(&w, 0x1000);
		for (size_t k = 0; k < COUNT_OF(rows); k++)
			line_writer_row(&w, rows[k].addr, rows[k].file, rows[k].line);
		line_writer_end(&w, 0xa000);
		put_length(&t, &f, 0);
		read_back(&m, &f, &t);
		assert_int_equal(m.count, COUNT_OF(rows) + 1);
		for (size_t k = 0; k < COUNT_OF(rows); k++) {
			expect_row(&m, k, rows[k].addr, rows[k].line);
			assert_int_equal(m.rows[k].file, rows[k].file);
		}
		assert_int_equal(m.rows[COUNT_OF(rows)].addr, 0xa000);
		done(&m);
		text_release(&t);
	}
}

static void holes_between_rows_end_sequences(void **state)
{
	(void)state;
	const struct str files[] = { STR("a.c"), STR("") };
	const struct line_origin origins[] = { { 1, 5 }, { 2, 6 } };
	struct flat_range rows[] = { { 0x20, 0x28, 0 }, { 0x28, 0x30, 1 }, { 0x40, 0x44, 0 } };
	const struct line_rows l = { files, COUNT_OF(files), rows, COUNT_OF(rows), origins };
	struct text t = { 0 };
	struct maker m = { 0 };
	line_write(&t, &l, 0x1000);
	read_back(&m, &dwarf_form_64, &t);
	static const struct line_row expected[] = {
		{ .addr = 0x1020, .line = 5 },
		{ .addr = 0x1028, .line = 6 },
		{ .addr = 0x1030, .line = 6, .end_sequence = true },
		{ .addr = 0x1040, .line = 5 },
		{ .addr = 0x1044, .line = 5, .end_sequence = true },
	};
	assert_int_equal(m.count, COUNT_OF(expected));
	for (size_t i = 0; i < m.count; i++) {
		assert_int_equal(m.rows[i].addr, expected[i].addr);
		assert_int_equal(m.rows[i].line, expected[i].line);
		assert_int_equal(m.rows[i].end_sequence, expected[i].end_sequence);
	}
	assert_true(str_eq(m.p.files.data[2].name, STR("?")));
	done(&m);
	text_release(&t);
}

static void numbers_with_a_sign_are_read_back(void **state)
{
	(void)state;
	static const int64_t all[] = { 0, 1, -1, 63, 64, -64, -65, INT64_MAX, INT64_MIN };
	struct text t = { 0 };
	for (size_t i = 0; i < COUNT_OF(all); i++)
		put_sleb(&t, all[i]);
	struct reader r = reader_make((const uint8_t *)t.p, t.len, false);
	for (size_t i = 0; i < COUNT_OF(all); i++)
		assert_int_equal(read_sleb(&r), all[i]);
	assert_int_equal(reader_left(&r), 0);
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_any_distance_are_read_back),
		cmocka_unit_test(holes_between_rows_end_sequences),
		cmocka_unit_test(numbers_with_a_sign_are_read_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
