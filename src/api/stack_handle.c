/* Implements the stacks of functions: heft_stack_*. */
#include "api/structs.h"
#include "program/session.h"
#include "report/report.h"
#include "stack/stack_rows.h"

struct heft_stack {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	struct program program;
	struct locator locator;
	struct stack_use stack;
	bool opened, is_read;
	struct stack_rows rows;
};

struct heft_stack *heft_stack_new(struct heft_session *session)
{
	struct heft_stack *s = context_handle_new(session, CONTEXT_HANDLE(struct heft_stack));
	if (s)
		s->rows = (struct stack_rows){ .stack = &s->stack, .locator = &s->locator };
	return s;
}

void heft_stack_free(struct heft_stack *s)
{
	CONTEXT_FREE(struct heft_stack, s);
}

static bool stack_handle_open_program(struct heft_stack *s, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&s->arena, str_of(path));
	if (s->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	s->opened = true;
	context_take(&s->context);
	s->locator.style = context_style(&s->context, HEFT_NAMES_FULL);
	progress_tell("code", 0, 0);
	if (!program_open_alone(&s->program, copy, USE_STACK, &s->context.wish, &s->context.notes,
				err) ||
	    !stack_read(&s->stack, &s->program, err))
		return false;
	s->locator.symbols = program_symbols(&s->program);
	s->is_read = true;
	return true;
}

bool heft_stack_open(struct heft_stack *s, const char *path, struct heft_err *err)
{
	return GUARDED(s->memory, err, stack_handle_open_program(s, path, err));
}

static bool stack_handle_make_table(struct heft_stack *s, const struct heft_stack_query *query,
				    struct heft_err *err)
{
	struct heft_stack_query q = { .size = sizeof q };
	if (!TAKE(heft_stack_query, &q, query, err))
		return false;
	if (!s->is_read)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
	return stack_rows_make(&s->rows, &q) ||
	       fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "%s: no function is called '%s'",
		    s->program.path, q.function);
}

const struct heft_table *
heft_stack_table(struct heft_stack *s, const struct heft_stack_query *query, struct heft_err *err)
{
	return GUARDED(s->memory, err, stack_handle_make_table(s, query, err)) ? &s->rows.table
									       : NULL;
}

static bool stack_handle_write_table(struct heft_stack *s, const struct heft_stack_query *query,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink out;
	if (!TAKE(heft_write_opts, &o, opts, err) || !list_has_format(o.format, HEFT_TABLE, err))
		return false;
	if (!stack_handle_make_table(s, query, err))
		return false;
	sink_start(&out, sink);
	return stack_report_write(&s->rows.table, &o, &out, err);
}

bool heft_stack_write(struct heft_stack *s, const struct heft_stack_query *query,
		      const struct heft_write_opts *opts, const struct heft_sink *sink,
		      struct heft_err *err)
{
	return GUARDED(s->memory, err, stack_handle_write_table(s, query, opts, sink, err));
}
