/* The stacks of functions: heft_stack_*. */
#include "api/finder.h"
#include "api/structs.h"
#include "report/stack_report.h"

struct heft_stack {
	struct memory *memory; /* first: see handle_new */
	struct arena arena;
	struct notes notes;
	struct program_wish wish;
	struct program program;
	struct locator locator;
	struct stack_use stack;
	bool opened, is_read;
	struct stack_rows rows;
};

/* ---- the handle ------------------------------------------------------------------------------ */

struct heft_stack *heft_stack_new(void)
{
	struct heft_stack *s = handle_new(sizeof *s);
	if (s) {
		notes_init(&s->notes);
		s->locator.style = HEFT_NAMES_FULL;
		s->rows = (struct stack_rows){ .stack = &s->stack, .locator = &s->locator };
	}
	return s;
}

static void stack_handle_release(void *handle)
{
	struct heft_stack *s = handle;
	stack_rows_release(&s->rows);
	stack_release(&s->stack);
	locator_release(&s->locator);
	program_close(&s->program);
	wish_release(&s->wish);
	notes_release(&s->notes);
	arena_release(&s->arena);
	mem_free(s);
}

void heft_stack_free(struct heft_stack *s)
{
	handle_free(s, stack_handle_release);
}

static void stack_handle_set_finder(struct heft_stack *s, const struct heft_finder *f)
{
	memory_need_whole(f->memory);
	wish_copy(&s->wish, &f->wish);
}

void heft_stack_set_finder(struct heft_stack *s, const struct heft_finder *f)
{
	GUARDED_VOID(s->memory, stack_handle_set_finder(s, f));
}

void heft_stack_set_demangle(struct heft_stack *s, enum heft_demangle style)
{
	s->locator.style = style;
}

void heft_stack_set_progress(struct heft_stack *s, heft_progress_fn progress, void *ctx)
{
	memory_set_progress(s->memory, progress, ctx);
}

size_t heft_stack_note_count(const struct heft_stack *s)
{
	return s->notes.count;
}

const struct heft_note *heft_stack_note(const struct heft_stack *s, size_t i)
{
	return i < s->notes.count ? &s->notes.data[i] : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool stack_handle_open_program(struct heft_stack *s, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&s->arena, str_of(path));
	if (s->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	s->opened = true;
	progress_tell("code", 0, 0);
	if (!program_open_alone(&s->program, copy, USE_STACK, &s->wish, &s->notes, err) ||
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

/* ---- the table ------------------------------------------------------------------------------- */

static bool stack_handle_make_table(struct heft_stack *s, const struct heft_stack_query *query,
				    struct heft_err *err)
{
	struct heft_stack_query q = { .size = sizeof q };
	take_options(&q, sizeof q, query);
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
	take_options(&o, sizeof o, opts);
	if (o.format > HEFT_MARKDOWN)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
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
