/* SQL over snapshots. */
#include "query/query.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../lib/snapmaker.h"

static const struct made some[] = {
	{ ".text", 0x1000, 100, 0, "ns::A<int>::f(int)", "src/net/a.cc", "a.o", "Net", 0 },
	{ ".text", 0x1080, 30, 28, "b", "src/b.cc", "b.o", "App", 2 },
	{ ".text", 0x1080, 30, 28, "c", "src/c.cc", "c.o", "App", 0 },
	{ ".rodata", 0x2000, 6, 0, "\"hello\"", "src/b.cc", "b.o", "App", 0 },
	{ ".rodata", 0x2006, 6, 0, "\"hello\"", "src/c.cc", "c.o", "App", 0 },
	{ ".bss", 0x3000, 64, 0, "zeros", NULL, "b.o", "", 0 },
	{ ".other", 0, 0, 77, "Overhead: ELF file", NULL, NULL, "", 0 },
};

struct fixture {
	struct snapshot s;
	struct query *q;
	struct text out; /* "a|b;": cells and rows */
	size_t columns, rows, statements, stop_after;
};

static bool on_columns(void *ctx, const char *const *names, size_t count)
{
	struct fixture *f = ctx;
	assert_non_null(names[0]);
	f->columns = count;
	f->rows = 0;
	return true;
}

static bool on_row(void *ctx, const struct query_cell *cells, size_t count)
{
	struct fixture *f = ctx;
	assert_int_equal(count, f->columns);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			text_add_char(&f->out, '|');
		text_add(&f->out, cells[i].kind == QUERY_NULL ? STR("NULL") : cells[i].text);
	}
	text_add_char(&f->out, ';');
	return ++f->rows != f->stop_after;
}

static bool on_end(void *ctx)
{
	((struct fixture *)ctx)->statements++;
	return true;
}

static int setup(void **state)
{
	struct fixture *f = mem_zeroed(1, sizeof *f);
	struct heft_err err;
	snapmaker_make(&f->s, some, COUNT_OF(some));
	vec_push(&f->s.containers.data[0].section_sizes,
		 (struct snap_section_size){ ".text", 158 });
	vec_push(&f->s.containers.data[0].metadata,
		 (struct snap_value){ .key = "elf_arch", .kind = SNAP_TEXT, .text = "x64" });
	f->s.own = f->s.has_contents = true;
	for (size_t i = 0; i < f->s.symbols.count; i++)
		if (snap_is_literal(snapshot_text(&f->s, f->s.symbols.data[i].full_name)))
			f->s.symbols.data[i].contents.whole = 7;
	f->q = query_open(&f->s, NULL, &err);
	assert_non_null(f->q);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	query_close(f->q);
	snapshot_release(&f->s);
	text_release(&f->out);
	mem_free(f);
	return 0;
}

static bool run(struct fixture *f, const char *sql, struct heft_err *err)
{
	const struct query_visitor v = { on_columns, on_row, on_end, f };
	f->out.len = 0;
	f->statements = 0;
	return query_run(f->q, sql, &v, err);
}

static void check(struct fixture *f, const char *sql, const char *want)
{
	struct heft_err err;
	if (!run(f, sql, &err))
		fail_msg("%s: %s", sql, err.text);
	if (!str_eq(text_str(&f->out), str_of(want)))
		fail_msg("%s gives %.*s, not %s", sql, (int)f->out.len, f->out.p, want);
}

static void symbols_have_the_columns_of_the_model(void **state)
{
	struct fixture *f = *state;
	check(f, "SELECT count(*), sum(padded_pss), sum(padded) FROM symbols", "7|311.0|369;");
	check(f,
	      "SELECT id, section, letter, in_file, address, own, padding, padded, own_pss, "
	      "padding_pss, padded_pss, "
	      "aliases, "
	      "alias_group FROM symbols WHERE full_name = 'c'",
	      "2|.text|t|1|4224|30|28|58|15.0|14.0|29.0|2|1;");
	check(f, "SELECT name, template_name, namespace, kind FROM symbols WHERE id = 0",
	      "ns::A<>::f|ns::A<int>::f|ns::A<>|code;");
	check(f, "SELECT path, directory, source, object, component FROM symbols WHERE id = 0",
	      "src/net/a.cc|src/net|src/net/a.cc|a.o|Net;");
	check(f, "SELECT path, source FROM symbols WHERE in_file = 0", "b.o|;");
	check(f, "SELECT kind FROM symbols WHERE id IN (3, 5, 6) ORDER BY id",
	      "literal;data;overhead;");
}

static void look_ups_by_id_find_that_one(void **state)
{
	struct fixture *f = *state;
	check(f, "SELECT full_name FROM symbols WHERE id = 2", "c;");
	check(f, "SELECT full_name FROM symbols WHERE rowid = 2", "c;");
	check(f, "SELECT full_name FROM symbols WHERE id = 7", "");
	check(f, "SELECT full_name FROM symbols WHERE id = -1", "");
	check(f, "SELECT full_name FROM symbols WHERE id = 'x'", "");
	check(f, "SELECT full_name FROM symbols WHERE id = 2.5", "");
	check(f, "SELECT full_name FROM symbols WHERE id = NULL", "");
	check(f,
	      "SELECT b.full_name FROM symbols a JOIN symbols b ON b.id = a.alias_group "
	      "WHERE a.full_name = 'c'",
	      "b;");
}

static void views_add_up(void **state)
{
	struct fixture *f = *state;
	check(f,
	      "SELECT section, symbols, unique_symbols, padded, padding, stated_size FROM sections "
	      "WHERE letter = 't'",
	      ".text|3|2|158.0|28.0|158;");
	check(f, "SELECT stated_size FROM sections WHERE letter = 'r'", "NULL;");
	check(f, "SELECT full_name, own FROM aliases", "b|30;c|30;");
	check(f, "SELECT source, padded FROM sources WHERE directory = 'src' ORDER BY source",
	      "src/b.cc|35.0;src/c.cc|35.0;");
	check(f, "SELECT component, symbols, sources FROM components ORDER BY component",
	      "|1|1;App|4|2;Net|1|1;");
	check(f, "SELECT symbols, padded FROM containers", "7|247.0;");
	check(f, "SELECT value FROM metadata WHERE key = 'elf_arch'", "x64;");
}

static void regular_expressions_match(void **state)
{
	struct fixture *f = *state;
	struct heft_err err;
	check(f, "SELECT full_name FROM symbols WHERE full_name REGEXP '^[bc]$'", "b;c;");
	assert_false(run(f, "SELECT 'x' REGEXP '('", &err));
	assert_int_equal(err.code, HEFT_EARG);
	check(f, "SELECT NULL REGEXP 'x'", "NULL;");
}

static void statements_run_one_after_another(void **state)
{
	struct fixture *f = *state;
	check(f, "SELECT 1; -- one\n SELECT 2 ;; ", "1;2;");
	assert_int_equal(f->statements, 2);
	check(f, "", "");
	check(f, " -- nothing", "");
}

static void mistakes_are_told_with_their_place(void **state)
{
	struct fixture *f = *state;
	struct heft_err err;
	assert_false(run(f, "SELECT\n  sectoin FROM symbols", &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_non_null(strstr(err.text, "no such column: sectoin"));
	assert_null(strchr(err.text, '\n'));
}

static void nothing_can_be_changed_or_opened(void **state)
{
	static const char *const refused[] = {
		"CREATE TABLE t(a)",
		"CREATE TEMP TABLE t(a)",
		"CREATE VIEW v AS SELECT 1",
		"DROP VIEW sources",
		"INSERT INTO metadata VALUES('', 'a', 'b')",
		"DELETE FROM metadata",
		"UPDATE symbols SET own = 0",
		"ATTACH '/tmp/heft-query-test' AS x",
		"VACUUM INTO '/tmp/heft-query-test'",
		"PRAGMA query_only = 0",
		"BEGIN",
		"SELECT load_extension('x')",
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct heft_err err;
		if (run(f, refused[i], &err))
			fail_msg("allowed: %s", refused[i]);
		assert_int_equal(err.code, HEFT_EARG);
	}
	check(f, "SELECT count(*) FROM metadata", "1;");
	check(f, "SELECT count(*) > 20 FROM pragma_table_info('symbols')", "1;");
}

static void every_ready_made_query_runs(void **state)
{
	struct fixture *f = *state;
	struct query_named n;
	size_t i = 0;
	for (; query_named_at(i, &n); i++) {
		struct heft_err err;
		if (!run(f, n.sql, &err))
			fail_msg("%s: %s", n.name, err.text);
		assert_int_equal(f->statements, 1);
	}
	assert_true(i > 10);
	for (size_t k = 0; k < i; k++) {
		query_named_at(k, &n);
		if (strcmp(n.name, "duplicates") == 0)
			check(f, n.sql, "6|2|6|1|.rodata|\"hello\";");
		if (strcmp(n.name, "folded") == 0)
			check(f, n.sql, "2|30|.text|b;");
	}
}

static void a_visitor_can_stop(void **state)
{
	struct fixture *f = *state;
	struct heft_err err;
	f->stop_after = 2;
	assert_false(run(f, "SELECT id FROM symbols", &err));
	assert_int_equal(err.code, HEFT_EIO);
	assert_int_equal(f->rows, 2);
	f->stop_after = 0;
	check(f, "SELECT 1", "1;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(symbols_have_the_columns_of_the_model, setup,
						teardown),
		cmocka_unit_test_setup_teardown(look_ups_by_id_find_that_one, setup, teardown),
		cmocka_unit_test_setup_teardown(views_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(regular_expressions_match, setup, teardown),
		cmocka_unit_test_setup_teardown(statements_run_one_after_another, setup, teardown),
		cmocka_unit_test_setup_teardown(mistakes_are_told_with_their_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_can_be_changed_or_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(every_ready_made_query_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(a_visitor_can_stop, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
