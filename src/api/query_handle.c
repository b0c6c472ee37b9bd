/* Implements queries over snapshots: heft_query_*. */
#include "measure/snapshot_handle.h"
#include "measure/why.h"
#include "api/structs.h"
#include "report/query_report.h"

struct heft_query {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct query *query;
};

static bool query_handle_open(struct heft_query *q, const struct heft_snapshot *s,
			      struct heft_err *err)
{
	if (!s->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "a query needs a snapshot that is open");
	memory_need_whole(s->memory);
	memory_take_progress(s->memory);
	progress_tell("tables", 0, 0);
	q->query = query_open(&s->snapshot, s->is_diff ? &s->before : NULL, err);
	return q->query != NULL;
}

struct heft_query *heft_query_new(const struct heft_snapshot *s, struct heft_err *err)
{
	struct heft_query *q = handle_new(sizeof *q);
	if (GUARDED(q ? q->memory : NULL, err, query_handle_open(q, s, err)))
		return q;
	heft_query_free(q);
	return NULL;
}

static bool query_handle_ref(void *ctx, size_t i, struct query_ref *ret)
{
	struct heft_reference r;
	if (!why_reference(ctx, i, &r))
		return false;
	*ret = (struct query_ref){ r.from, r.to, r.kind, r.count, r.place };
	return true;
}

static bool query_handle_kept(void *ctx, size_t i, struct query_kept *ret)
{
	struct heft_why w;
	if (!why_symbol(ctx, i, &w))
		return false;
	*ret = (struct query_kept){ w.name,   w.addr,          w.own.file,
				    w.own.vm, w.retained.file, w.retained.vm };
	return true;
}

bool heft_query_add_graph(struct heft_query *q, struct heft_graph *g, struct heft_err *err)
{
	const struct query_graph tables = { query_handle_ref, query_handle_kept, g };
	return g->is_read ? GUARDED(g->memory, err, query_add_graph(q->query, &tables, err))
			  : fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no program is open");
}

void heft_query_free(struct heft_query *q)
{
	handle_free(q);
}

static bool query_handle_run(struct heft_query *q, const char *sql,
			     const struct heft_query_opts *opts, const struct heft_sink *sink,
			     struct heft_err *err)
{
	struct sink s;
	struct query_report r = { .s = &s };
	progress_tell("rows", 0, 0);
	sink_start(&s, sink);
	if (!TAKE(heft_query_opts, &r.opts, opts, err) ||
	    !list_has_format(r.opts.format, HEFT_SVG, err))
		return false;
	const struct query_visitor v = query_report_visitor(&r);
	bool ok = query_run(q->query, sql, &v, err);
	/* Rows before a mistake are shown. The returned error is that of the mistake. */
	if (!ok && r.err.code == HEFT_EARG && err != NULL)
		*err = r.err;
	ok = sink_end(&s, ok ? err : NULL) && ok;
	query_report_release(&r);
	return ok;
}

bool heft_query_run(struct heft_query *q, const char *sql, const struct heft_query_opts *opts,
		    const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(q->memory, err, query_handle_run(q, sql, opts, sink, err));
}

bool heft_query_is_complete(const char *sql)
{
	return query_is_complete(sql);
}

size_t heft_named_query_count(void)
{
	struct query_named n;
	size_t count = 0;
	while (query_named_at(count, &n))
		count++;
	return count;
}

bool heft_named_query(size_t i, const char **ret_name, const char **ret_text, const char **ret_sql)
{
	struct query_named n;
	if (!query_named_at(i, &n))
		return false;
	*ret_name = n.name;
	*ret_text = n.text;
	*ret_sql = n.sql;
	return true;
}
