/* Memory that runs out, and calls that are cancelled.
 * usage: test_memory LIBHEFT-HEAP.SO */
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct heft_write_opts as_json = { .size = sizeof as_json, .format = HEFT_JSON };

static const char *myself, *dump;
static char budget[100];

/* An allocator that fails once, at allocation number `fail_at`, and counts what is not given
 * back. */
static struct {
	atomic_size_t asked;
	atomic_long held;
	size_t fail_at;
} counted;

static void *resize(void *ctx, void *p, size_t bytes)
{
	(void)ctx;
	if (bytes == 0) {
		counted.held -= p != NULL;
		free(p);
		return NULL;
	}
	if (++counted.asked == counted.fail_at)
		return NULL;
	void *got = realloc(p, bytes);
	counted.held += !p && got;
	return got;
}

static bool swallow(void *ctx, const void *data, size_t size)
{
	size_t *sum = ctx;
	(void)data;
	*sum += size;
	return true;
}

static size_t written;
static const struct heft_sink nowhere = { swallow, &written };

/* The user, who cancels when he is asked for the time `cancel_at`. */
static struct {
	size_t asked, cancel_at;
} user;

static bool go_on(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	(void)ctx;
	assert_non_null(what);
	assert_true(done <= total);
	return ++user.asked != user.cancel_at;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A session whose progress function may cancel; NULL where there is no memory. */
static struct heft_session *asked_session(void)
{
	struct heft_session *s = heft_session_new();
	if (s)
		heft_session_set_progress(s, go_on, NULL);
	return s;
}

/* Each makes a handle, works with it and frees it; false, with *err filled, on failure.
 * HEFT_ENOMEM breaks the handle: the next call on it fails as well. */

static bool measure(const char *source, struct heft_err *err)
{
	struct heft_session *s = asked_session();
	struct heft_profile *p = heft_profile_new(s);
	if (!p) {
		heft_session_free(s);
		return false;
	}
	heft_session_set_threads(s, 2);
	const bool ok = heft_profile_add_source(p, source, err) &&
			heft_profile_include(p, ".", err) &&
			heft_profile_add_file(p, "/bin/sh", HEFT_INPUT, err) &&
			heft_profile_run(p, err) && heft_profile_write(p, NULL, &nowhere, err);
	if (!ok)
		assert_false(heft_profile_run(p, NULL));
	heft_profile_free(p);
	heft_session_free(s);
	return ok;
}

static bool measure_symbols(struct heft_err *err)
{
	return measure("symbols", err);
}

static bool measure_sections(struct heft_err *err)
{
	return measure("sections", err);
}

static bool measure_units(struct heft_err *err)
{
	return measure("compileunits", err);
}

static bool look_up(struct heft_err *err)
{
	struct heft_session *s = asked_session();
	struct heft_where *w = heft_where_new(s);
	struct heft_location at = { .size = sizeof at };
	uint64_t addr;
	bool ok = w;
	if (ok) {
		heft_finder_add_debug_dir(heft_session_finder(s), "/nowhere");
		ok = heft_where_open(w, myself, err) &&
		     heft_where_parse(w, "calloc+1", &addr, err) &&
		     /* What finds nothing says by the next call why. */
		     (heft_where_find(w, addr, &at, NULL) ||
		      heft_where_parse(w, "0", &addr, err)) &&
		     heft_where_write(w, &at, &as_json, &nowhere, err);
	}
	heft_session_free(s);
	heft_where_free(w);
	return ok;
}

static bool compare(struct heft_err *err)
{
	struct heft_session *s = asked_session();
	struct heft_snapshot *a = heft_snapshot_new(s), *b = heft_snapshot_new(s);
	heft_session_free(s);
	bool ok = a && b && heft_snapshot_open_pair(a, myself, b, myself, err);
	struct heft_diff *d = ok ? heft_diff_new(a, b, 0, err) : NULL;
	ok = d && heft_diff_rows(d, NULL, err) && heft_diff_write(d, NULL, &nowhere, err);
	heft_diff_free(d);
	heft_snapshot_free(a);
	heft_snapshot_free(b);
	return ok;
}

static bool ask(struct heft_err *err)
{
	static const char sql[] = "SELECT name FROM symbols WHERE name REGEXP 'ma+in' LIMIT 3";
	struct heft_session *session = asked_session();
	struct heft_snapshot *s = heft_snapshot_new(session);
	heft_session_free(session);
	struct heft_query *q = s && heft_snapshot_open(s, myself, err) ? heft_query_new(s, err)
								       : NULL;
	const bool ok = q && heft_query_run(q, sql, NULL, &nowhere, err);
	heft_query_free(q);
	heft_snapshot_free(s);
	return ok;
}

static bool judge(struct heft_err *err)
{
	struct heft_session *session = asked_session();
	struct heft_snapshot *s = heft_snapshot_new(session);
	struct heft_quality *q = NULL;
	struct heft_budget *b = NULL;
	bool ok = s != NULL;
	if (s) {
		ok = heft_snapshot_open(s, myself, err) && (q = heft_quality_new(s, err)) &&
		     (b = heft_budget_new(session, budget, err)) &&
		     heft_budget_check(b, s, NULL, err) &&
		     heft_budget_write(b, NULL, &nowhere, err);
	}
	heft_budget_free(b);
	heft_quality_free(q);
	heft_snapshot_free(s);
	heft_session_free(session);
	return ok;
}

static bool list_blocks(struct heft_err *err)
{
	struct heft_session *s = asked_session();
	struct heft_blocks *b = heft_blocks_new(s);
	struct heft_block_function f = { .size = sizeof f };
	heft_session_free(s);
	bool ok = b && heft_blocks_open(b, myself, err);
	for (size_t i = 0; ok && i < heft_blocks_function_count(b); i++)
		ok = (heft_blocks_function(b, i, &f, NULL) || heft_blocks_open(b, myself, err)) &&
		     heft_block_function_write(&f, &as_json, &nowhere, err);
	heft_blocks_free(b);
	return ok;
}

/* A section that cannot be unpacked is a note: it costs the user its bytes, not the report. */
static bool is_noted(struct heft_session *s, struct heft_err *err)
{
	for (size_t i = 0; i < heft_session_note_count(s); i++)
		if (strstr(heft_session_note(s, i)->text, "no memory for")) {
			err->code = HEFT_ENOMEM;
			return true;
		}
	return false;
}

static bool show_heap(struct heft_err *err)
{
	struct heft_session *s = asked_session();
	struct heft_heap *h = heft_heap_new(s);
	struct heft_heap_report *r = NULL;
	if (h)
		heft_finder_set_flags(heft_session_finder(s), HEFT_FIND_NO_DEBUG);
	bool ok = h && heft_heap_open(h, dump, err);
	if (ok)
		r = heft_heap_report_new(h, NULL, NULL, err);
	ok = r && heft_heap_report_write(r, NULL, &nowhere, err) &&
	     heft_heap_write(h, HEFT_HEAP_LAYOUT, HEFT_JSON, &nowhere, err) && !is_noted(s, err);
	heft_heap_report_free(r);
	heft_heap_free(h);
	heft_session_free(s);
	return ok;
}

static const struct {
	const char *name;
	bool (*call)(struct heft_err *err);
} calls[] = {
	{ "symbols", measure_symbols }, { "sections", measure_sections },
	{ "units", measure_units },     { "where", look_up },
	{ "snapshots, diff", compare }, { "query", ask },
	{ "quality, budget", judge },   { "blocks", list_blocks },
	{ "heap", show_heap },
};

enum { CALLS = sizeof calls / sizeof *calls };

/* ---- without memory -------------------------------------------------------------------------- */

/* Whether the allocation was reached. */
static bool fails_at(const char *name, bool (*call)(struct heft_err *err), size_t n)
{
	struct heft_err err = { .code = HEFT_ENOMEM };
	counted.asked = 0;
	counted.fail_at = n;
	const bool ok = call(&err);
	const bool reached = counted.asked >= n;
	if (ok == reached)
		fail_msg("%s: allocation %zu: %s", name, n,
			 ok ? "failed and nothing was said" : err.text);
	if (!ok)
		assert_int_equal(err.code, HEFT_ENOMEM);
	if (counted.held != 0)
		fail_msg("%s: allocation %zu failed: %ld were kept", name, n, (long)counted.held);
	return reached;
}

static void every_allocation_may_fail(void **state)
{
	const struct heft_allocator a = { sizeof a, resize, NULL };
	(void)state;
	assert_true(heft_set_allocator(&a, NULL));
	user.cancel_at = 0;
	for (size_t i = 0; i < CALLS; i++) {
		size_t n = 1;
		while (n <= 2000 && fails_at(calls[i].name, calls[i].call, n))
			n++;
		print_message("%s: %zu places\n", calls[i].name, n - 1);
		assert_true(n > 50);
	}
	assert_true(heft_set_allocator(NULL, NULL));
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* Whether the user was asked often enough to cancel. */
static bool is_cancelled_at(const char *name, bool (*call)(struct heft_err *err), size_t n)
{
	struct heft_err err = { .code = HEFT_OK };
	user.asked = 0;
	user.cancel_at = n;
	const bool ok = call(&err), reached = user.asked >= n;
	if (ok == reached)
		fail_msg("%s: cancelled at question %zu: %s", name, n,
			 ok ? "nothing was said" : err.text);
	if (!ok && err.code != HEFT_ECANCELED)
		fail_msg("%s: cancelled at question %zu: %s", name, n, err.text);
	if (user.asked > n && reached)
		fail_msg("%s: asked again after it was cancelled at question %zu", name, n);
	if (counted.held != 0)
		fail_msg("%s: cancelled at question %zu: %ld were kept", name, n,
			 (long)counted.held);
	return reached;
}

/* Each of the first questions, then fewer and fewer of them. */
static void every_long_call_is_cancelled_by_its_progress(void **state)
{
	const struct heft_allocator a = { sizeof a, resize, NULL };
	(void)state;
	counted.fail_at = 0;
	assert_true(heft_set_allocator(&a, NULL));
	for (size_t i = 0; i < CALLS; i++) {
		size_t n = 1;
		while (is_cancelled_at(calls[i].name, calls[i].call, n))
			n += 1 + n / 16;
		print_message("%s: %zu questions\n", calls[i].name, user.asked);
		assert_true(n > 1); /* of a small program without debug info there is one */
	}
	assert_true(heft_set_allocator(NULL, NULL));
}

static void an_allocator_needs_a_function(void **state)
{
	const struct heft_allocator none = { sizeof none, NULL, NULL };
	struct heft_err err;
	(void)state;
	assert_false(heft_set_allocator(&none, &err));
	assert_int_equal(err.code, HEFT_EARG);
}

/* A dump of a small program's heap. */
static const char *record(const char *library, char *folder)
{
	static char path[200];
	char shell[] = "sh", option[] = "-c", command[] = "exit 0", output[100];
	char *argv[] = { shell, option, command, NULL };
	struct heft_recorder *r = heft_recorder_new();
	struct heft_recorder_end end = { .size = sizeof end };
	struct heft_recorder_file f = { .size = sizeof f };
	struct heft_err err;
	snprintf(output, sizeof output, "%s/%%p", folder);
	heft_recorder_set_library(r, library);
	heft_recorder_set_output(r, output);
	if (heft_recorder_run(r, argv, &end, &err) && heft_recorder_file(r, 0, &f, NULL))
		snprintf(path, sizeof path, "%s", f.path);
	heft_recorder_free(r);
	return path;
}

static void write_budget(const char *folder)
{
	snprintf(budget, sizeof budget, "%s/budget", folder);
	FILE *f = fopen(budget, "w");
	assert_non_null(f);
	fputs("file max 1 GiB\n", f);
	fclose(f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(every_long_call_is_cancelled_by_its_progress),
		cmocka_unit_test(an_allocator_needs_a_function),
	};
	char folder[] = "/tmp/heft-memory-XXXXXX";
	if (argc != 2 || !mkdtemp(folder))
		return 2;
	myself = argv[1];
	write_budget(folder);
	dump = record(argv[1], folder);
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(dump);
	unlink(budget);
	return rmdir(folder) == 0 ? failed : 2;
}
