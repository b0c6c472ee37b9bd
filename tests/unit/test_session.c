/* Sessions: what their handles share. */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char missing[] = "/no/such/file";

static struct heft_profile *profile_of(struct heft_session *s, const char *path)
{
	struct heft_profile *p = heft_profile_new(s);
	assert_true(heft_profile_add_source(p, "sections", NULL));
	assert_true(heft_profile_add_file(p, path, HEFT_INPUT, NULL));
	return p;
}

static void a_handle_needs_a_session(void **state)
{
	struct heft_err err;
	(void)state;
	assert_null(heft_profile_new(NULL));
	assert_null(heft_snapshot_new(NULL));
	assert_null(heft_heap_new(NULL));
	assert_null(heft_where_new(NULL));
	assert_null(heft_blocks_new(NULL));
	assert_null(heft_stack_new(NULL));
	assert_null(heft_info_new(NULL));
	assert_null(heft_page_new(NULL));
	assert_null(heft_budget_new(NULL, missing, &err));
	assert_int_equal(err.code, HEFT_ENOMEM);
	assert_null(heft_session_finder(NULL));
	assert_null(heft_session_copy(NULL));
	heft_session_free(NULL);
}

static void a_session_may_be_freed_before_its_handles(void **state)
{
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = profile_of(s, "/proc/self/exe");
	struct heft_where *w = heft_where_new(s);
	(void)state;
	heft_session_free(s);
	assert_true(heft_profile_run(p, NULL));
	heft_profile_free(p);
	assert_true(heft_where_open(w, "/proc/self/exe", NULL));
	heft_where_free(w);
}

static bool cancel(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	(void)what;
	(void)done;
	(void)total;
	++*(int *)ctx;
	return false;
}

static void progress_counts_for_handles_that_are_there(void **state)
{
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = profile_of(s, "/proc/self/exe");
	struct heft_err err;
	int asked = 0;
	(void)state;
	heft_session_set_progress(s, cancel, &asked);
	assert_false(heft_profile_run(p, &err));
	assert_int_equal(err.code, HEFT_ECANCELED);
	assert_int_equal(asked, 1);
	heft_profile_free(p);
	heft_session_set_progress(s, NULL, NULL);
	p = profile_of(s, "/proc/self/exe");
	assert_true(heft_profile_run(p, &err));
	assert_int_equal(asked, 1);
	heft_profile_free(p);
	heft_session_free(s);
}

/* "threads" of a program is a note: there is no dump. */
static struct heft_profile *noting(struct heft_session *s)
{
	struct heft_profile *p = heft_profile_new(s);
	assert_true(heft_profile_add_source(p, "threads", NULL));
	assert_true(heft_profile_add_file(p, "/proc/self/exe", HEFT_INPUT, NULL));
	assert_true(heft_profile_run(p, NULL));
	return p;
}

static void handles_tell_a_note_once(void **state)
{
	struct heft_session *s = heft_session_new();
	(void)state;
	assert_int_equal(heft_session_note_count(s), 0);
	assert_null(heft_session_note(s, 0));
	struct heft_profile *first = noting(s);
	const size_t count = heft_session_note_count(s);
	assert_true(count > 0);
	struct heft_profile *second = noting(s);
	assert_int_equal(heft_session_note_count(s), count);
	heft_profile_free(first);
	assert_int_equal(heft_session_note_count(s), count);
	assert_string_equal(heft_session_note(s, 0)->path, "/proc/self/exe");
	assert_null(heft_session_note(s, count));
	heft_profile_free(second);
	assert_int_equal(heft_session_note_count(s), 0);
	heft_session_free(s);
}

static void a_copy_has_the_settings_and_goes_its_own_way(void **state)
{
	static const char limits[] = "section .text max 1 MiB\n";
	const struct heft_input in = {
		.size = sizeof in, .name = "limits", .data = limits, .data_size = sizeof limits - 1
	};
	struct heft_session *s = heft_session_new();
	(void)state;
	assert_true(heft_finder_add_input(heft_session_finder(s), &in, NULL));
	struct heft_session *copy = heft_session_copy(s);
	heft_session_free(s);
	struct heft_budget *b = heft_budget_new(copy, "limits", NULL);
	assert_non_null(b);
	heft_finder_set_flags(heft_session_finder(copy), HEFT_FIND_NO_MAP);
	heft_budget_free(b);
	heft_session_free(copy);
}

/* A handle keeps what it took when it first opened something. */
static void settings_are_taken_with_the_first_file(void **state)
{
	struct heft_session *s = heft_session_new();
	struct heft_info *info = heft_info_new(s);
	struct heft_err err;
	(void)state;
	assert_true(heft_info_add(info, "/proc/self/exe", &err));
	heft_finder_set_arch(heft_session_finder(s), "nothing");
	const struct heft_input in = {
		.size = sizeof in, .name = "late", .data = "x", .data_size = 1
	};
	assert_true(heft_finder_add_input(heft_session_finder(s), &in, &err));
	assert_false(heft_info_add(info, "late", &err));
	assert_int_equal(err.code, HEFT_EIO);
	enum heft_input_kind kind;
	assert_true(heft_input_look(s, "late", &kind, &err));
	assert_int_equal(kind, HEFT_INPUT_PROGRAM);
	assert_false(heft_input_look(s, missing, &kind, &err));
	heft_info_free(info);
	heft_session_free(s);
}

static bool first_range(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			size_t count)
{
	(void)start;
	(void)size;
	(void)labels;
	(void)count;
	++*(int *)ctx;
	return false;
}

static bool first_claim(void *ctx, const struct heft_claim *claim)
{
	(void)claim;
	++*(int *)ctx;
	return false;
}

static void callbacks_end_what_calls_them(void **state)
{
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = profile_of(s, "/proc/self/exe");
	int claims = 0, ranges = 0;
	(void)state;
	heft_profile_set_flags(p, HEFT_PROFILE_RANGES);
	heft_profile_set_trace(p, first_claim, &claims);
	assert_true(heft_profile_run(p, NULL));
	assert_int_equal(claims, 1);
	assert_true(heft_profile_ranges(p, 0, HEFT_FILE, first_range, &ranges));
	assert_int_equal(ranges, 1);
	heft_profile_free(p);
	heft_session_free(s);
}

static void reports_go_to_files_and_memory(void **state)
{
	struct heft_session *s = heft_session_new();
	struct heft_profile *p = profile_of(s, "/proc/self/exe");
	struct heft_buffer b = { NULL, 0, 0 };
	char line[100];
	FILE *file = tmpfile();
	(void)state;
	assert_true(heft_profile_run(p, NULL));
	const struct heft_table *t = heft_profile_table(p);
	assert_int_equal(heft_table_measure(t, "file"), HEFT_SIZE_FILE);
	assert_int_equal(heft_table_measure(t, "vm"), HEFT_SIZE_VM);
	assert_true(heft_table_measure(t, "code") == SIZE_MAX);
	assert_true(heft_row_number(t, t->top, HEFT_SIZE_FILE, HEFT_INPUT) ==
		    (double)t->top->now[HEFT_SIZE_FILE]);
	const struct heft_sink to_buffer = heft_sink_buffer(&b), to_file = heft_sink_file(file);
	assert_true(heft_profile_write(p, NULL, &to_buffer, NULL));
	assert_true(heft_profile_write(p, NULL, &to_file, NULL));
	assert_int_equal(strlen(b.data), b.size);
	assert_int_equal(ftell(file), b.size);
	rewind(file);
	assert_non_null(fgets(line, sizeof line, file));
	assert_memory_equal(line, b.data, strlen(line));
	heft_buffer_release(&b);
	assert_null(b.data);
	fclose(file);
	heft_profile_free(p);
	heft_session_free(s);
}

static bool put_nothing(void *ctx, const void *bytes, size_t size)
{
	(void)ctx, (void)bytes, (void)size;
	return true;
}

static void a_heap_without_a_dump_is_an_error(void **state)
{
	struct heft_session *session = heft_session_new();
	struct heft_heap *h = heft_heap_new(session);
	const struct heft_sink sink = { put_nothing, NULL };
	struct heft_heap_damage damage = { .size = sizeof damage };
	struct heft_err err;
	size_t count;
	(void)state;
	for (int page = HEFT_HEAP_TIMELINE; page <= HEFT_HEAP_STACKS; page++) {
		assert_false(heft_heap_write(h, (enum heft_heap_page)page, HEFT_JSON, &sink, &err));
		assert_string_equal(err.text, "no dump is open");
	}
	assert_false(heft_heap_digest_write(h, &sink, &err));
	assert_false(heft_heap_find_damage(h, &count, &err));
	assert_false(heft_heap_damage(h, 0, &damage, &err));
	assert_int_equal(err.code, HEFT_EARG);
	heft_heap_free(h);
	heft_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heap_without_a_dump_is_an_error),
		cmocka_unit_test(a_handle_needs_a_session),
		cmocka_unit_test(a_session_may_be_freed_before_its_handles),
		cmocka_unit_test(progress_counts_for_handles_that_are_there),
		cmocka_unit_test(handles_tell_a_note_once),
		cmocka_unit_test(a_copy_has_the_settings_and_goes_its_own_way),
		cmocka_unit_test(settings_are_taken_with_the_first_file),
		cmocka_unit_test(callbacks_end_what_calls_them),
		cmocka_unit_test(reports_go_to_files_and_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
