/* Histories: heft_history_*. */
#include "api/history/history_handle.h"
#include "api/snapshot_handle.h"
#include "api/structs.h"
#include "query/region_metrics.h"
#include "report/packed_sink.h"
#include "report/query_report.h"
#include "snapshot/sizefile.h"
#include "store/log.h"

#include <math.h>

/* ---- opening --------------------------------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static void select_builds(struct heft_history *h, const struct heft_history_query *query)
{
	struct heft_history_query q = { 0 };
	take_options(&q, sizeof q, query);
	steps_release(&h->steps);
	timeline_release(&h->timeline);
	timeline_make(&h->timeline, &h->store,
		      &(struct build_filter){ q.product, q.config, q.branch });
}

static bool open_store(struct heft_history *h, const char *url, unsigned flags,
		       struct heft_err *err)
{
	const unsigned how = (flags & HEFT_HISTORY_WRITE ? DB_WRITES : 0u) |
			     (flags & HEFT_HISTORY_NO_WAIT ? DB_NO_WAIT : 0u);
	if (!store_open(&h->store, url, how, err))
		return false;
	select_builds(h, NULL);
	return true;
}

static void release(void *handle)
{
	struct heft_history *h = handle;
	steps_release(&h->steps);
	timeline_release(&h->timeline);
	store_close(&h->store);
	mem_free(h);
}

struct heft_history *heft_history_open(const char *store, unsigned flags, struct heft_err *err)
{
	struct heft_history *h = handle_new(sizeof *h);
	if (GUARDED(h ? h->memory : NULL, err, open_store(h, store, flags, err)))
		return h;
	heft_history_free(h);
	return NULL;
}

void heft_history_free(struct heft_history *h)
{
	handle_free(h, release);
}

bool heft_history_parse_time(const char *text, int64_t *ret, struct heft_err *err)
{
	return time_parse(text, false, ret) ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "'%s' is no time: write 2026-11-23, 2026-11-23T18:00 (UTC) or @SECONDS", text);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct heft_snapshot *s, const struct heft_build *b,
		      struct heft_err *err)
{
	const struct snapshot *snap = &s->snapshot;
	if (!s->open || s->is_diff || snap->sparse)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "a history takes snapshots that are whole, and no .sizediff file");
	for (size_t i = 0; i < snap->symbols.count; i++)
		if (snap->symbols.data[i].disassembly != 0)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "a history takes no snapshots with disassembly");
	for (size_t i = 0; i < b->row_count; i++)
		if (!b->rows[i].source || !b->rows[i].kind || !b->rows[i].label ||
		    !isfinite(b->rows[i].value))
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "a row needs a source, a kind, a label and a number");
	if (*text_or_empty(b->commit) == '\0' || *text_or_empty(b->product) == '\0')
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a build needs a product and a commit");
	return true;
}

struct rows {
	VEC(struct heft_history_row) list;
};

static void add_regions(struct rows *rows, const struct snapshot *s, const struct snap_container *c)
{
	for (size_t i = 0; i < c->metrics.count; i++) {
		const char *name = region_metrics_name(&c->metrics.data[i]);
		if (!name)
			continue;
		const struct region_metrics r = region_metrics_find(s, name);
		vec_push(&rows->list,
			 (struct heft_history_row){ "regions", "used", name, (double)r.used });
		vec_push(&rows->list,
			 (struct heft_history_row){ "regions", "limit", name, (double)r.length });
	}
}

/* What is given, and the regions that the snapshot knows; of several programs the first's. */
static struct rows find_rows(const struct snapshot *s, const struct heft_build *b)
{
	struct rows rows = { { 0 } };
	bool given = false;
	for (size_t i = 0; i < b->row_count; i++) {
		given |= strcmp(b->rows[i].source, "regions") == 0;
		vec_push(&rows.list, b->rows[i]);
	}
	if (!given && s->containers.count > 0)
		add_regions(&rows, s, &s->containers.data[0]);
	return rows;
}

static bool add(struct heft_history *h, const struct heft_snapshot *s,
		const struct heft_build *given, enum heft_history_outcome *ret,
		struct heft_err *err)
{
	enum store_outcome outcome;
	struct heft_build b = { 0 };
	take_options(&b, sizeof b, given);
	memory_need_whole(s->memory);
	if (!is_wanted(s, &b, err))
		return false;
	struct rows rows = find_rows(&s->snapshot, &b);
	const struct build_facts facts = { .product = b.product,
					   .config = text_or_empty(b.config),
					   .branch = text_or_empty(b.branch),
					   .commit = b.commit,
					   .parent = text_or_empty(b.parent),
					   .machine = text_or_empty(b.machine),
					   .time = b.time,
					   .rows = rows.list.data,
					   .row_count = rows.list.count };
	const bool ok = store_add(&h->store, &s->snapshot, &facts, &outcome, err);
	vec_release(&rows.list);
	if (!ok)
		return false;
	select_builds(h, NULL);
	if (ret)
		*ret = outcome == STORE_SAME       ? HEFT_HISTORY_SAME
		       : outcome == STORE_REPLACED ? HEFT_HISTORY_REPLACED
						   : HEFT_HISTORY_ADDED;
	return true;
}

bool heft_history_add(struct heft_history *h, const struct heft_snapshot *s,
		      const struct heft_build *facts, enum heft_history_outcome *ret,
		      struct heft_err *err)
{
	return GUARDED(h->memory, err, add(h, s, facts, ret, err));
}

static bool take_out(struct heft_history *h, const uint64_t *ids, size_t count,
		     struct heft_err *err)
{
	VEC(uint32_t) list = { 0 };
	for (size_t i = 0; i < count; i++)
		if (ids[i] <= UINT32_MAX && store_build(&h->store, (uint32_t)ids[i]))
			vec_push(&list, (uint32_t)ids[i]);
	const bool ok = list.count == count ? store_remove(&h->store, list.data, count, err)
					    : fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
						   "there is no such build");
	vec_release(&list);
	select_builds(h, NULL);
	return ok;
}

bool heft_history_remove(struct heft_history *h, const uint64_t *ids, size_t count,
			 struct heft_err *err)
{
	return GUARDED(h->memory, err, take_out(h, ids, count, err));
}

/* ---- builds ---------------------------------------------------------------------------------- */

bool heft_history_select(struct heft_history *h, const struct heft_history_query *query,
			 struct heft_err *err)
{
	return GUARDED(h->memory, err, (select_builds(h, query), true));
}

size_t heft_history_build_count(const struct heft_history *h)
{
	return h->timeline.list.count;
}

bool heft_history_build(const struct heft_history *h, size_t i, struct heft_build *ret)
{
	if (i >= h->timeline.list.count)
		return false;
	const struct build *b = h->timeline.list.data[i];
	const struct heft_build made = { .id = b->id,
					 .time = b->facts.time,
					 .file = b->file,
					 .vm = b->vm,
					 .symbols = b->symbols,
					 .product = b->facts.product,
					 .config = b->facts.config,
					 .commit = b->facts.commit,
					 .parent = b->facts.parent,
					 .branch = b->facts.branch,
					 .machine = b->facts.machine };
	give(ret, &made, sizeof made);
	return true;
}

bool heft_history_find(const struct heft_history *h, const char *word, size_t *ret,
		       struct heft_err *err)
{
	const struct build *b = timeline_find(&h->timeline, word, err);
	for (size_t i = 0; b && i < h->timeline.list.count; i++)
		if (h->timeline.list.data[i] == b)
			*ret = i;
	return b != NULL;
}

/* What a build is read into. */
struct reading {
	uint64_t id;
	struct text text; /* of the history's memory */
	bool own;
};

static bool read_build(struct heft_history *h, struct reading *r, struct heft_err *err)
{
	return store_read(&h->store, r->id > UINT32_MAX ? 0 : (uint32_t)r->id, &r->text, &r->own,
			  err);
}

static bool take_text(struct heft_snapshot *into, const struct reading *r, struct heft_err *err)
{
	const struct bytes b = { (const uint8_t *)r->text.p, r->text.len };
	into->open = sizefile_read(&into->snapshot, "history", b, &into->notes, err);
	if (!into->open)
		return false;
	into->snapshot.own = r->own;
	snapshot_split_names(&into->snapshot);
	return snapshot_take_components(into, err);
}

static bool open_build(struct heft_history *h, struct reading *r, struct heft_snapshot *into,
		       struct heft_err *err)
{
	if (into->open)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens once");
	return GUARDED(h->memory, err, read_build(h, r, err)) &&
	       GUARDED(into->memory, err, take_text(into, r, err));
}

bool heft_history_read(struct heft_history *h, uint64_t id, struct heft_snapshot *into,
		       struct heft_err *err)
{
	struct reading r = { .id = id };
	const bool ok = open_build(h, &r, into, err);
	GUARDED_VOID(h->memory, text_release(&r.text));
	return ok;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The builds that are named by a query. */
static bool find_pair(struct heft_history *h, const struct heft_history_query *q,
		      const struct build *ret[2], struct heft_err *err)
{
	ret[0] = timeline_find(&h->timeline, text_or_empty(q->from), err);
	ret[1] = ret[0] ? timeline_find(&h->timeline, text_or_empty(q->to), err) : NULL;
	return ret[1] != NULL;
}

static bool find_steps(struct heft_history *h, const struct series *series,
		       const struct heft_history_query *q, struct heft_err *err)
{
	const struct build *pair[2];
	return find_pair(h, q, pair, err) &&
	       steps_between(&h->steps, series, pair[0], pair[1], err);
}

static bool compare_rows(struct heft_history *h, const struct heft_history_query *q,
			 const struct query_visitor *to, struct heft_err *err)
{
	const struct build *pair[2];
	struct measures m;
	if (!find_pair(h, q, pair, err))
		return false;
	const bool ok = store_measures(&h->store, &m, text_or_empty(q->of), pair[0]->id,
				       pair[1]->id, err) &&
			rows_compare(&m, to, err);
	measures_release(&m);
	return ok;
}

static bool answer(struct heft_history *h, enum heft_history_report what,
		   const struct heft_history_query *q, const struct query_visitor *to,
		   struct heft_err *err)
{
	struct series series;
	bool ok = true;
	if (what == HEFT_HISTORY_LOG && !q->of)
		return log_write(&h->timeline, NULL, to, err);
	if (what == HEFT_HISTORY_CHANGES)
		return q->of ? rows_tell(&h->store, &h->timeline, q->of, to, err)
			     : changes_tell(&h->store, &h->timeline, to, err);
	if (what == HEFT_HISTORY_ROWS)
		return compare_rows(h, q, to, err);
	if (!series_make(&series, &h->store, &h->timeline, q->of ? q->of : "file", err))
		return false;
	if (what == HEFT_HISTORY_BISECT)
		ok = find_steps(h, &series, q, err);
	else if (what == HEFT_HISTORY_BLAME)
		steps_make(&h->steps, &series);
	if (ok && what == HEFT_HISTORY_LOG)
		ok = log_write(&h->timeline, &series, to, err);
	else
		ok = ok && (what == HEFT_HISTORY_TREND ? trend_write(&series, q->limit, to, err)
						       : steps_write(&h->steps, to, err));
	series_release(&series);
	return ok;
}

static bool write_report(struct heft_history *h, enum heft_history_report what,
			 const struct heft_history_query *query, const struct heft_query_opts *opts,
			 const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_history_query q = { 0 };
	struct sink s;
	struct query_report r = { .s = &s, .opts = *opts };
	sink_start(&s, sink);
	take_options(&q, sizeof q, query);
	select_builds(h, query);
	const struct query_visitor v = query_report_visitor(&r);
	bool ok = answer(h, what, &q, &v, err);
	ok = sink_end(&s, ok ? err : NULL) && ok;
	query_report_release(&r);
	return ok;
}

static bool write_packed(struct heft_history *h, enum heft_history_report what,
			 const struct heft_history_query *query, const struct heft_query_opts *opts,
			 const struct heft_sink *sink, struct heft_err *err)
{
	struct packed_sink *packed = packed_sink_open(sink, err);
	if (!packed)
		return false;
	const struct heft_sink to = packed_sink_of(packed);
	const bool ok = write_report(h, what, query, opts, &to, err) &&
			packed_sink_end(packed, err);
	packed_sink_close(packed);
	return ok;
}

static bool write_any(struct heft_history *h, enum heft_history_report what,
		      const struct heft_history_query *query, const struct heft_query_opts *given,
		      const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_query_opts opts = { 0 };
	take_options(&opts, sizeof opts, given);
	if (opts.format > HEFT_MARKDOWN && opts.format != HEFT_NDJSON)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "histories have no such format");
	return (opts.zstd ? write_packed : write_report)(h, what, query, &opts, sink, err);
}

bool heft_history_write(struct heft_history *h, enum heft_history_report what,
			const struct heft_history_query *query, const struct heft_query_opts *opts,
			const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(h->memory, err, write_any(h, what, query, opts, sink, err));
}

static bool give_values(struct heft_history *h, const struct heft_history_query *query, double *ret,
			size_t count, struct heft_err *err)
{
	struct heft_history_query q = { 0 };
	struct series series;
	take_options(&q, sizeof q, query);
	select_builds(h, query);
	if (!series_make(&series, &h->store, &h->timeline, q.of ? q.of : "file", err))
		return false;
	for (size_t i = 0; i < count && i < series.values.count; i++)
		ret[i] = series.values.data[i];
	series_release(&series);
	return true;
}

bool heft_history_values(struct heft_history *h, const struct heft_history_query *query,
			 double *ret, size_t count, struct heft_err *err)
{
	return GUARDED(h->memory, err, give_values(h, query, ret, count, err));
}

size_t heft_history_step_count(const struct heft_history *h)
{
	return h->steps.list.count;
}

bool heft_history_step(const struct heft_history *h, size_t i, struct heft_step *ret)
{
	if (i >= h->steps.list.count)
		return false;
	const struct step *s = &h->steps.list.data[i];
	const struct heft_step made = { .before = s->before ? s->before->id : 0,
					.build = s->build->id,
					.was = s->was,
					.now = s->now,
					.apart = s->apart };
	give(ret, &made, sizeof made);
	return true;
}
