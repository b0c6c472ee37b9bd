/* heft_answer_*: tables that a program makes itself are written as answers to statements are. */
#include "base/base.h"
#include "heft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct out {
	char text[4096];
	size_t used;
	bool full;
};

static bool put(void *ctx, const void *data, size_t size)
{
	struct out *o = ctx;
	if (o->full || size >= sizeof o->text - o->used)
		return false;
	memcpy(o->text + o->used, data, size);
	o->used += size;
	return true;
}

/* Two tables of two rows. */
static bool write_answer(struct out *o, const struct heft_query_opts *opts, struct heft_err *err)
{
	static const char *const names[] = { "name", "bytes", "part" };
	static const struct heft_cell rows[2][3] = {
		{ { .kind = HEFT_CELL_TEXT, .text = "a,b" },
		  { .kind = HEFT_CELL_INTEGER, .integer = -7 },
		  { .kind = HEFT_CELL_REAL, .real = 2.5 } },
		{ { .kind = HEFT_CELL_TEXT, .text = "c" },
		  { .kind = HEFT_CELL_INTEGER, .integer = INT64_MAX },
		  { .kind = HEFT_CELL_NULL } },
	};
	struct heft_answer *a = heft_answer_new(opts, &(struct heft_sink){ put, o }, err);
	bool ok = a != NULL;
	for (size_t i = 0; ok && i < 4; i++) {
		ok = (i % 2 == 1 || heft_answer_columns(a, names, COUNT_OF(names), err)) &&
		     heft_answer_row(a, rows[i % 2], err) &&
		     (i != 1 || heft_answer_table_end(a, err));
	}
	ok = ok && heft_answer_end(a, err);
	heft_answer_free(a);
	return ok;
}

static void assert_writes(enum heft_format format, const char *wanted)
{
	struct heft_query_opts opts = { .size = sizeof opts, .format = format };
	struct out o = { .used = 0 };
	struct heft_err err;
	if (!write_answer(&o, &opts, &err))
		fail_msg("%s", err.text);
	o.text[o.used] = '\0';
	assert_string_equal(o.text, wanted);
}

static void rows_are_written_in_every_format(void **state)
{
	(void)state;
	assert_writes(HEFT_CSV, "name,bytes,part\n\"a,b\",-7,2.5\nc,9223372036854775807,\n"
				"name,bytes,part\n\"a,b\",-7,2.5\nc,9223372036854775807,\n");
	assert_writes(HEFT_NDJSON,
		      "{\"name\": \"a,b\", \"bytes\": -7, \"part\": 2.5}\n"
		      "{\"name\": \"c\", \"bytes\": 9223372036854775807, \"part\": null}\n"
		      "{\"name\": \"a,b\", \"bytes\": -7, \"part\": 2.5}\n"
		      "{\"name\": \"c\", \"bytes\": 9223372036854775807, \"part\": null}\n");
	assert_writes(HEFT_TABLE, "name                bytes  part\n"
				  "a,b                    -7   2.5\n"
				  "c     9223372036854775807      \n"
				  "\n"
				  "name                bytes  part\n"
				  "a,b                    -7   2.5\n"
				  "c     9223372036854775807      \n");
}

static void misuse_and_full_outputs_are_told(void **state)
{
	const struct heft_query_opts pprof = { .size = sizeof pprof, .format = HEFT_PPROF };
	static const struct heft_cell cell = { .kind = HEFT_CELL_INTEGER };
	struct out o = { .full = true };
	struct heft_err err;
	(void)state;
	assert_false(write_answer(&o, NULL, &err));
	assert_int_equal(err.code, HEFT_EIO);
	assert_false(write_answer(&o, &pprof, &err));
	assert_int_equal(err.code, HEFT_EARG);
	struct heft_answer *a = heft_answer_new(NULL, &(struct heft_sink){ put, &o }, &err);
	assert_false(heft_answer_row(a, &cell, &err));
	assert_int_equal(err.code, HEFT_EARG);
	assert_false(heft_answer_table_end(a, &err));
	heft_answer_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_written_in_every_format),
		cmocka_unit_test(misuse_and_full_outputs_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
