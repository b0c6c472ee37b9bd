/* Histories: heft_history_*. */
#include "api/snapshot_handle.h"
#include "api/structs.h"
#include "report/query_report.h"
#include "snapshot/sizefile.h"
#include "store/log.h"
#include "store/questions.h"

struct heft_history {
	struct memory *memory; /* first: see handle_new */
	struct store store;
	struct timeline timeline;
	struct steps steps; /* of the last report; their builds are the store's */
};

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
	if (*text_or_empty(b->commit) == '\0' || *text_or_empty(b->product) == '\0')
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a build needs a product and a commit");
	return true;
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
	const struct build_facts facts = { .product = b.product,
					   .config = text_or_empty(b.config),
					   .branch = text_or_empty(b.branch),
					   .commit = b.commit,
					   .parent = text_or_empty(b.parent),
					   .machine = text_or_empty(b.machine),
					   .time = b.time };
	if (!store_add(&h->store, &s->snapshot, &facts, &outcome, err))
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
	return true;
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

static bool find_steps(struct heft_history *h, const struct series *series,
		       const struct heft_history_query *q, struct heft_err *err)
{
	const struct build *from = timeline_find(&h->timeline, text_or_empty(q->from), err);
	const struct build *to = from ? timeline_find(&h->timeline, text_or_empty(q->to), err)
				      : NULL;
	return to && steps_between(&h->steps, series, from, to, err);
}

static bool answer(struct heft_history *h, enum heft_history_report what,
		   const struct heft_history_query *q, const struct query_visitor *to,
		   struct heft_err *err)
{
	struct series series;
	bool ok = true;
	if (what == HEFT_HISTORY_LOG)
		return log_write(&h->timeline, to, err);
	if (what == HEFT_HISTORY_CHANGES)
		return changes_tell(&h->store, &h->timeline, to, err);
	if (!series_make(&series, &h->store, &h->timeline, q->of ? q->of : "file", err))
		return false;
	if (what == HEFT_HISTORY_BISECT)
		ok = find_steps(h, &series, q, err);
	else if (what == HEFT_HISTORY_BLAME)
		steps_make(&h->steps, &series);
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
	struct query_report r = { .s = &s };
	sink_start(&s, sink);
	take_options(&q, sizeof q, query);
	take_options(&r.opts, sizeof r.opts, opts);
	if (r.opts.format > HEFT_MARKDOWN)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "histories have no such format");
	select_builds(h, query);
	const struct query_visitor v = query_report_visitor(&r);
	bool ok = answer(h, what, &q, &v, err);
	ok = sink_end(&s, ok ? err : NULL) && ok;
	query_report_release(&r);
	return ok;
}

bool heft_history_write(struct heft_history *h, enum heft_history_report what,
			const struct heft_history_query *query, const struct heft_query_opts *opts,
			const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(h->memory, err, write_report(h, what, query, opts, sink, err));
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
