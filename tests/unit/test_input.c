/* Inputs that are no files of their names: bytes in memory, descriptors.
 * usage: test_input LIBHEFT-HEAP.SO */
#define _XOPEN_SOURCE 700 /* realpath */
#include "heft.h"
#include "../lib/sessions.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const struct heft_write_opts as_json = { .size = sizeof as_json, .format = HEFT_JSON };

static const char *library, *dump;

/* What a call wrote. */
struct answer {
	char *text;
	size_t size;
};

static bool append(void *ctx, const void *data, size_t size)
{
	struct answer *a = ctx;
	a->text = realloc(a->text, a->size + size);
	memcpy(a->text + a->size, data, size);
	a->size += size;
	return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Each asks everything of the file "given" that the session knows, or the folder has. */

static bool measure(struct heft_session *session, const struct heft_sink *sink,
		    struct heft_err *err)
{
	const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_JSON };
	struct heft_profile *p = heft_profile_new(session);
	const bool ok = heft_profile_add_source(p, "sections", err) &&
			heft_profile_add_source(p, "symbols", err) &&
			heft_profile_add_file(p, "given", HEFT_INPUT, err) &&
			heft_profile_run(p, err) && heft_profile_write(p, &opts, sink, err);
	heft_profile_free(p);
	return ok;
}

static bool look_up(struct heft_session *session, const struct heft_sink *sink,
		    struct heft_err *err)
{
	struct heft_where *w = heft_where_new(session);
	struct heft_location at = { .size = sizeof at };
	uint64_t addr;
	const bool ok = heft_where_add_source(w, "sections", err) &&
			heft_where_open(w, "given", err) &&
			heft_where_parse(w, ".text+10", &addr, err) &&
			heft_where_find(w, addr, &at, NULL) &&
			heft_where_write(w, &at, &as_json, sink, err);
	heft_where_free(w);
	return ok;
}

static bool list_blocks(struct heft_session *session, const struct heft_sink *sink,
			struct heft_err *err)
{
	struct heft_blocks *b = heft_blocks_new(session);
	struct heft_block_function at = { .size = sizeof at };
	bool ok = heft_blocks_open(b, "given", err);
	for (size_t i = 0; ok && i < heft_blocks_function_count(b); i++)
		ok = heft_blocks_function(b, i, &at, NULL) &&
		     heft_block_function_write(&at, &as_json, sink, err);
	heft_blocks_free(b);
	return ok;
}

static bool list_symbols(struct heft_session *session, const struct heft_sink *sink,
			 struct heft_err *err)
{
	const struct heft_query_opts opts = { .size = sizeof opts, .format = HEFT_CSV };
	struct heft_snapshot *s = heft_snapshot_new(session);
	struct heft_query *q = heft_snapshot_open(s, "given", err) ? heft_query_new(s, err) : NULL;
	const bool ok = q && heft_query_run(q, "SELECT * FROM symbols", &opts, sink, err);
	heft_query_free(q);
	heft_snapshot_free(s);
	return ok;
}

static bool compare(struct heft_session *session, const struct heft_sink *sink,
		    struct heft_err *err)
{
	const struct heft_write_opts opts = { .size = sizeof opts, .format = HEFT_JSON };
	struct heft_snapshot *a = heft_snapshot_new(session), *b = heft_snapshot_new(session);
	const bool open = heft_snapshot_open_pair(a, "given", b, "given", err);
	struct heft_diff *d = open ? heft_diff_new(a, b, 0, err) : NULL;
	const bool ok = d && heft_diff_rows(d, NULL, err) && heft_diff_write(d, &opts, sink, err);
	heft_diff_free(d);
	heft_snapshot_free(a);
	heft_snapshot_free(b);
	return ok;
}

static bool show_heap(struct heft_session *session, const struct heft_sink *sink,
		      struct heft_err *err)
{
	struct heft_heap *h = heft_heap_new(session);
	struct heft_heap_report *r = heft_heap_open(h, "given", err)
					     ? heft_heap_report_new(h, NULL, NULL, err)
					     : NULL;
	const bool ok = r && heft_heap_report_write(r, NULL, sink, err) &&
			heft_heap_write(h, HEFT_HEAP_TIMELINE, HEFT_JSON, sink, err);
	heft_heap_report_free(r);
	heft_heap_free(h);
	return ok;
}

typedef bool (*call_fn)(struct heft_session *session, const struct heft_sink *sink,
			struct heft_err *err);

/* ---- the same of one file, however it is given ----------------------------------------------- */

static struct answer ask(call_fn call, struct heft_session *f)
{
	struct answer a = { NULL, 0 };
	const struct heft_sink sink = { append, &a };
	struct heft_err err;
	if (!call(f, &sink, &err))
		fail_msg("%s", err.text);
	return a;
}

static void same(const struct answer *want, struct answer got, const char *path, const char *how)
{
	if (want->size != got.size || memcmp(want->text, got.text, got.size) != 0)
		fail_msg("%s from %s: %zu bytes for %zu", path, how, got.size, want->size);
	free(got.text);
}

static char *read_all(const char *path, size_t *ret_size)
{
	struct stat st;
	const int fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	char *data = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, data, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return data;
}

static struct heft_session *session_of(const struct heft_input *in)
{
	struct heft_session *session = heft_session_new();
	struct heft_finder *f = heft_session_finder(session);
	struct heft_err err;
	heft_finder_set_flags(f, HEFT_FIND_NO_DEBUG);
	if (in && !heft_finder_add_input(f, in, &err))
		fail_msg("%s", err.text);
	return session;
}

static void is_same_from_memory(call_fn call, const char *path, const struct answer *want)
{
	struct heft_input in = { .size = sizeof in, .name = "given", .fd = -1 };
	char *data = read_all(path, &in.data_size), *before = malloc(in.data_size);
	in.data = memcpy(before, data, in.data_size);
	struct heft_session *f = session_of(&in);
	same(want, ask(call, f), path, "memory");
	assert_memory_equal(before, data, in.data_size);
	heft_session_free(f);
	free(before);
	free(data);
}

static void is_same_from_descriptor(call_fn call, const char *path, const struct answer *want)
{
	struct heft_input in = { .size = sizeof in, .name = "given", .fd = open(path, O_RDONLY) };
	assert_int_equal(lseek(in.fd, 3, SEEK_SET), 3);
	struct heft_session *f = session_of(&in);
	same(want, ask(call, f), path, "a descriptor");
	assert_int_equal(lseek(in.fd, 0, SEEK_CUR), 3);
	close(in.fd);
	same(want, ask(call, f), path, "a descriptor that the caller closed");
	heft_session_free(f);
}

static void is_same(call_fn call, const char *path)
{
	struct heft_session *f = session_of(NULL);
	assert_int_equal(symlink(path, "given"), 0);
	const struct answer want = ask(call, f);
	assert_int_equal(unlink("given"), 0);
	assert_true(want.size > 100);
	is_same_from_memory(call, path, &want);
	is_same_from_descriptor(call, path, &want);
	heft_session_free(f);
	free(want.text);
}

static void programs_are_files_bytes_or_descriptors(void **state)
{
	static const call_fn calls[] = { measure, look_up, list_blocks, list_symbols, compare };
	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		is_same(calls[i], "/bin/ls");
		is_same(calls[i], library);
	}
}

static void dumps_are_files_bytes_or_descriptors(void **state)
{
	(void)state;
	is_same(show_heap, dump);
}

static bool to_file(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size;
}

static void snapshots_are_files_bytes_or_descriptors(void **state)
{
	struct heft_snapshot *s = ALONE(heft_snapshot_new);
	FILE *out = fopen("made.size", "w");
	const struct heft_sink sink = { to_file, out };
	(void)state;
	assert_true(heft_snapshot_open(s, library, NULL) && heft_snapshot_write(s, &sink, NULL));
	fclose(out);
	heft_snapshot_free(s);
	is_same(list_symbols, "made.size");
	is_same(compare, "made.size");
	unlink("made.size");
}

/* ---- what is named beside the program -------------------------------------------------------- */

static void expect(bool ok, const struct heft_err *err, enum heft_code code, const char *text)
{
	assert_false(ok);
	if (err->code != code || strstr(err->text, text) != err->text || strchr(err->text, '\n'))
		fail_msg("%d: %s", err->code, err->text);
}

static void maps_and_debug_files_are_found_by_their_names(void **state)
{
	static const char text[] = "no map\n";
	const struct heft_input map = {
		.size = sizeof map, .name = "a.map", .data = text, .data_size = sizeof text - 1
	};
	struct heft_err err;
	(void)state;
	for (int debug = 0; debug < 2; debug++) {
		struct heft_session *f = session_of(&map);
		struct heft_snapshot *s = heft_snapshot_new(f);
		(debug ? heft_finder_add_debug_file : heft_finder_add_map)(heft_session_finder(f),
									   "a.map");
		expect(heft_snapshot_open(s, "/bin/ls", &err), &err, HEFT_EUNSUPPORTED,
		       debug ? "a.map is of no kind that heft knows; --debug-file takes "
			     : "a.map is of no kind that heft knows; --map takes linker maps");
		heft_snapshot_free(s);
		heft_session_free(f);
	}
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(struct heft_session *f, const char *name, int fd, enum heft_code code,
		    const char *text)
{
	const struct heft_input in = { .size = sizeof in, .name = name, .fd = fd };
	struct heft_err err;
	expect(heft_finder_add_input(heft_session_finder(f), &in, &err), &err, code, text);
}

static void what_is_no_input_is_refused(void **state)
{
	struct heft_session *f = session_of(NULL);
	struct heft_input in = { .size = sizeof in, .name = "twice", .data = "x", .data_size = 1 };
	struct heft_err err;
	int pipes[2];
	const int folder = open("/", O_RDONLY);
	(void)state;
	assert_int_equal(pipe(pipes), 0);
	refused(f, "p", pipes[0], HEFT_EARG, "p: a pipe");
	refused(f, "d", folder, HEFT_EARG, "d: is a directory");
	refused(f, "n", -1, HEFT_EIO, "n: Bad file descriptor");
	refused(f, NULL, pipes[0], HEFT_EARG, "an input without a name");
	refused(f, "", pipes[0], HEFT_EARG, "an input without a name");
	assert_true(heft_finder_add_input(heft_session_finder(f), &in, &err));
	expect(heft_finder_add_input(heft_session_finder(f), &in, &err), &err, HEFT_EARG,
	       "twice: an input of this");
	in.name = "empty";
	in.data_size = 0;
	expect(heft_finder_add_input(heft_session_finder(f), &in, &err), &err, HEFT_EFORMAT,
	       "empty: the file is empty");
	close(pipes[0]);
	close(pipes[1]);
	close(folder);
	heft_session_free(f);
}

static void limits_are_bytes(void **state)
{
	static const char text[] = "section .text max 1 MiB\n";
	struct heft_input in = {
		.size = sizeof in, .name = "limits", .data = text, .data_size = sizeof text - 1
	};
	struct heft_session *f = session_of(&in);
	struct heft_err err;
	struct heft_budget *b = heft_budget_new(f, "limits", &err);
	(void)state;
	heft_session_free(f);
	assert_non_null(b);
	heft_budget_free(b);
	struct heft_session *none = session_of(NULL);
	assert_null(heft_budget_new(none, "limits", &err));
	assert_int_equal(err.code, HEFT_EIO);
	heft_session_free(none);
}

/* A file that becomes shorter raises SIGBUS if it is mapped. */
static void copied_inputs_outlive_their_files(void **state)
{
	size_t size;
	char *data = read_all("/bin/ls", &size);
	const int fd = open("given", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, data, size), size);
	struct heft_session *s = session_of(NULL), *copy;
	(void)state;
	const struct answer want = ask(measure, s);
	heft_session_set_copying(s, true);
	same(&want, ask(measure, s), "/bin/ls", "a copy");
	copy = heft_session_copy(s);
	struct heft_where *w = heft_where_new(copy);
	struct heft_location at = { .size = sizeof at };
	uint64_t addr;
	assert_true(heft_where_add_source(w, "sections", NULL) &&
		    heft_where_open(w, "given", NULL));
	assert_int_equal(ftruncate(fd, 1), 0);
	assert_true(heft_where_parse(w, ".text+10", &addr, NULL) &&
		    heft_where_find(w, addr, &at, NULL));
	assert_string_equal(at.owners[0]->label, ".text");
	heft_where_free(w);
	heft_session_free(copy);
	heft_session_free(s);
	assert_int_equal(ftruncate(fd, (off_t)size * 100), 0); /* a hole */
	s = session_of(NULL);
	heft_session_set_copying(s, true);
	struct heft_err err;
	w = heft_where_new(s);
	assert_false(heft_where_open(w, "given", &err));
	assert_int_equal(err.code, HEFT_EUNSUPPORTED);
	heft_where_free(w);
	heft_session_free(s);
	assert_int_equal(close(fd) | unlink("given"), 0);
	free(want.text);
	free(data);
}

/* Descriptors that are open. */
static int open_count(void)
{
	int count = 0;
	for (int fd = 0; fd < 200; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void no_descriptor_is_left_open(void **state)
{
	const int before = open_count();
	struct heft_input in = { .size = sizeof in, .name = "a", .fd = open("/bin/ls", O_RDONLY) };
	struct heft_session *f = session_of(&in);
	struct heft_where *w = heft_where_new(f);
	(void)state;
	assert_true(heft_where_open(w, "a", NULL));
	assert_true(open_count() > before + 1);
	close(in.fd);
	heft_session_free(f);
	heft_where_free(w);
	assert_int_equal(open_count(), before);
}

/* A dump of a small program's heap. */
static const char *record(const char *folder)
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_files_bytes_or_descriptors),
		cmocka_unit_test(dumps_are_files_bytes_or_descriptors),
		cmocka_unit_test(snapshots_are_files_bytes_or_descriptors),
		cmocka_unit_test(maps_and_debug_files_are_found_by_their_names),
		cmocka_unit_test(limits_are_bytes),
		cmocka_unit_test(what_is_no_input_is_refused),
		cmocka_unit_test(copied_inputs_outlive_their_files),
		cmocka_unit_test(no_descriptor_is_left_open),
	};
	char folder[] = "/tmp/heft-input-XXXXXX";
	if (argc != 2 || !mkdtemp(folder))
		return 2;
	library = realpath(argv[1], NULL);
	dump = record(folder);
	if (chdir(folder) != 0)
		return 2;
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(dump);
	return rmdir(folder) == 0 ? failed : 2;
}
