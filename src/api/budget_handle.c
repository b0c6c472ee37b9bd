/* Implements budgets and the quality of snapshots: heft_budget_*, heft_quality_*. */
#include "api/budget_handle.h"
#include "measure/snapshot_handle.h"
#include "api/structs.h"
#include "base/file.h"
#include "query/budget.h"
#include "query/quality.h"

struct heft_budget {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	const char *path;
	struct budget budget;
	struct budget_result result;
};

static bool budget_handle_open(struct heft_budget *b, const char *path, struct heft_err *err)
{
	struct file f;
	context_take(&b->context);
	if (!file_open_stream(&f, path, err))
		return false;
	b->path = arena_copy(&b->arena, str_of(path));
	const bool ok = budget_parse(&b->budget, path,
				     (struct str){ (const char *)f.bytes.p, f.bytes.size }, err);
	file_close(&f);
	return ok;
}

struct heft_budget *heft_budget_new(struct heft_session *session, const char *path,
				    struct heft_err *err)
{
	struct heft_budget *b = context_handle_new(session, CONTEXT_HANDLE(struct heft_budget));
	if (GUARDED(b ? b->memory : NULL, err, budget_handle_open(b, path, err)))
		return b;
	heft_budget_free(b);
	return NULL;
}

void heft_budget_free(struct heft_budget *b)
{
	CONTEXT_FREE(struct heft_budget, b);
}

unsigned heft_budget_flags(const struct heft_budget *b)
{
	for (size_t i = 0; i < b->budget.limits.count; i++)
		if (b->budget.limits.data[i].subject == BUDGET_STACK)
			return HEFT_SNAPSHOT_STACKS;
	return 0;
}

static bool budget_handle_check(struct heft_budget *b, const struct heft_snapshot *now,
				const struct heft_snapshot *base, struct heft_err *err)
{
	if (!now->open || (base && !base->open))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the snapshots must be open");
	memory_need_whole(now->memory);
	if (base)
		memory_need_whole(base->memory);
	memory_take_progress(now->memory);
	progress_tell("limits", 0, 0);
	const struct budget_input in = { &now->snapshot, base ? &base->snapshot : NULL };
	budget_result_release(&b->result);
	budget_check(&b->result, &b->budget, &in);
	return true;
}

bool heft_budget_check(struct heft_budget *b, const struct heft_snapshot *now,
		       const struct heft_snapshot *base, struct heft_err *err)
{
	return GUARDED(b->memory, err, budget_handle_check(b, now, base, err));
}

size_t heft_budget_row_count(const struct heft_budget *b)
{
	return b->result.rows.count;
}

const struct heft_budget_row *heft_budget_row(const struct heft_budget *b, size_t i)
{
	return i < b->result.rows.count ? &b->result.rows.data[i] : NULL;
}

struct budget_report budget_handle_report(const struct heft_budget *b)
{
	if (!b)
		return (struct budget_report){ .path = "" };
	return (struct budget_report){ b->path, b->result.rows.data, b->result.rows.count };
}

static bool budget_handle_write_rows(const struct heft_budget *b,
				     const struct heft_write_opts *opts,
				     const struct heft_sink *sink, struct heft_err *err)
{
	const struct budget_report all = budget_handle_report(b);
	struct report r = { .opts = { .format = HEFT_TABLE } };
	struct arena arena = { 0 };
	struct sink s;
	if (!TAKE(heft_write_opts, &r.opts, opts, err))
		return false;
	sink_start(&s, sink);
	if (r.opts.format == HEFT_GITHUB) {
		out_budget_github(&all, &s);
		return sink_end(&s, err);
	}
	if (!list_has_format(r.opts.format, HEFT_TABLE, err))
		return false;
	budget_report_init(&r, &all, &arena);
	const bool ok = report_write(&r, &s, err);
	arena_release(&arena);
	return ok;
}

bool heft_budget_write(const struct heft_budget *b, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(b->memory, err, budget_handle_write_rows(b, opts, sink, err));
}

struct heft_quality {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct quality quality;
};

static bool check_quality(struct heft_quality *q, const struct heft_snapshot *s)
{
	memory_need_whole(s->memory);
	memory_take_progress(s->memory);
	progress_tell("symbols", 0, 0);
	if (s->open)
		quality_check(&q->quality, &s->snapshot);
	return true;
}

struct heft_quality *heft_quality_new(const struct heft_snapshot *s, struct heft_err *err)
{
	struct heft_quality *q = handle_new(sizeof *q);
	if (GUARDED(q ? q->memory : NULL, err, check_quality(q, s)))
		return q;
	heft_quality_free(q);
	return NULL;
}

void heft_quality_free(struct heft_quality *q)
{
	handle_free(q);
}

size_t heft_quality_finding_count(const struct heft_quality *q)
{
	return q->quality.findings.count;
}

const struct heft_quality_finding *heft_quality_finding(const struct heft_quality *q, size_t i)
{
	return i < q->quality.findings.count ? &q->quality.findings.data[i] : NULL;
}
