/* Budgets and the quality of snapshots: heft_budget_*, heft_quality_*. */
#include "api/snapshot.h"
#include "base/file.h"
#include "report/budget_report.h"
#include "snapshot/budget.h"
#include "snapshot/quality.h"

struct heft_budget {
	struct arena arena;
	const char *path;
	struct budget budget;
	struct budget_result result;
};

struct heft_budget *heft_budget_open(const char *path, struct heft_err *err)
{
	struct file f;
	if (!file_open(&f, path, err))
		return NULL;
	struct heft_budget *b = mem_zeroed(1, sizeof *b);
	b->path = arena_copy(&b->arena, str_of(path));
	const bool ok = budget_parse(&b->budget, path,
				     (struct str){ (const char *)f.bytes.p, f.bytes.size }, err);
	file_close(&f);
	if (ok)
		return b;
	heft_budget_free(b);
	return NULL;
}

void heft_budget_free(struct heft_budget *b)
{
	if (!b)
		return;
	budget_result_release(&b->result);
	budget_release(&b->budget);
	arena_release(&b->arena);
	mem_free(b);
}

bool heft_budget_check(struct heft_budget *b, const struct heft_snapshot *now,
		       const struct heft_snapshot *base, struct heft_err *err)
{
	if (!now->open || (base && !base->open))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the snapshots must be open");
	const struct budget_input in = { &now->snapshot, base ? &base->snapshot : NULL };
	budget_result_release(&b->result);
	return budget_check(&b->result, &b->budget, &in, err);
}

size_t heft_budget_count(const struct heft_budget *b)
{
	return b->result.rows.count;
}

const struct heft_budget_row *heft_budget_row(const struct heft_budget *b, size_t i)
{
	return i < b->result.rows.count ? &b->result.rows.data[i] : NULL;
}

bool heft_budget_write(const struct heft_budget *b, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	struct heft_write_opts o = { 0 };
	struct sink s;
	const struct budget_report r = { b->path, b->result.rows.data, b->result.rows.count };
	if (opts)
		memcpy(&o, opts, min_u64(opts->size, sizeof o));
	sink_start(&s, sink);
	switch (o.format) {
	case HEFT_TABLE: out_budget_text(&r, &s); break;
	case HEFT_CSV: out_budget_csv(&r, ',', o.csv_safe, &s); break;
	case HEFT_TSV: out_budget_csv(&r, '\t', o.csv_safe, &s); break;
	case HEFT_JSON: out_budget_json(&r, &s); break;
	case HEFT_MARKDOWN: out_budget_markdown(&r, &s); break;
	case HEFT_GITHUB: out_budget_github(&r, &s); break;
	default: return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "budgets have no such format");
	}
	return sink_end(&s, err);
}

/* ---- quality --------------------------------------------------------------------------------- */

struct heft_quality {
	struct quality quality;
};

struct heft_quality *heft_quality_new(const struct heft_snapshot *s)
{
	struct heft_quality *q = mem_zeroed(1, sizeof *q);
	if (s->open)
		quality_check(&q->quality, &s->snapshot);
	return q;
}

void heft_quality_free(struct heft_quality *q)
{
	if (!q)
		return;
	quality_release(&q->quality);
	mem_free(q);
}

size_t heft_quality_count(const struct heft_quality *q)
{
	return q->quality.findings.count;
}

const struct heft_quality_finding *heft_quality_get(const struct heft_quality *q, size_t i)
{
	return i < q->quality.findings.count ? &q->quality.findings.data[i] : NULL;
}
