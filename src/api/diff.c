/* Diffs of snapshots: heft_diff_*. */
#include "api/snapshot.h"
#include "report/diff_report.h"
#include "snapshot/diff_rows.h"
#include "snapshot/sizefile.h"

struct heft_diff {
	struct snapshot_diff diff;
	struct diff_sections sections;
	struct heft_diff_query query; /* of the rows */
	struct diff_rows rows;
};

struct heft_diff *heft_diff_new(const struct heft_snapshot *before,
				const struct heft_snapshot *after, bool supersize,
				struct heft_err *err)
{
	if (!after || !after->open || (before && !before->open) || (!before && !after->is_diff)) {
		fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a diff needs two snapshots");
		return NULL;
	}
	struct heft_diff *d = xcalloc(1, sizeof *d);
	diff_init(&d->diff, before ? &before->snapshot : &after->before, &after->snapshot,
		  supersize);
	diff_sections_make(&d->sections, &d->diff);
	return d;
}

void heft_diff_free(struct heft_diff *d)
{
	if (!d)
		return;
	diff_rows_release(&d->rows);
	diff_sections_release(&d->sections);
	diff_release(&d->diff);
	free(d);
}

size_t heft_diff_section_count(const struct heft_diff *d)
{
	return d->sections.sections.count - 1;
}

const struct heft_diff_section *heft_diff_get_section(const struct heft_diff *d, size_t i)
{
	return i < heft_diff_section_count(d) ? &d->sections.sections.data[i] : NULL;
}

const struct heft_diff_section *heft_diff_total(const struct heft_diff *d)
{
	return &d->sections.sections.data[heft_diff_section_count(d)];
}

/* ---- rows -------------------------------------------------------------------------------------- */

size_t heft_diff_rows(struct heft_diff *d, const struct heft_diff_query *query)
{
	memset(&d->query, 0, sizeof d->query);
	if (query)
		memcpy(&d->query, query, min_u64(query->size, sizeof d->query));
	diff_rows_release(&d->rows);
	diff_rows_make(&d->rows, &d->diff, &d->query);
	return d->rows.rows.count;
}

const struct heft_diff_row *heft_diff_row(const struct heft_diff *d, size_t i)
{
	return i < d->rows.rows.count ? &d->rows.rows.data[i] : NULL;
}

const struct heft_diff_row *heft_diff_rows_total(const struct heft_diff *d)
{
	return &d->rows.total;
}

/* ---- files ------------------------------------------------------------------------------------- */

bool heft_diff_write(const struct heft_diff *d, enum heft_diff_format format, unsigned width,
		     bool (*sink)(void *ctx, const void *data, size_t size), void *ctx,
		     struct heft_err *err)
{
	static void (*const writers[])(const struct diff_report *, struct sink *) = {
		[HEFT_DIFF_TABLE] = out_diff_table,
		[HEFT_DIFF_CSV] = out_diff_csv,
		[HEFT_DIFF_JSON] = out_diff_json,
		[HEFT_DIFF_MARKDOWN] = out_diff_markdown,
	};
	struct sink s;
	const struct diff_report r = { d->sections.sections.data,
				       d->sections.sections.count,
				       d->rows.rows.data,
				       &d->rows.total,
				       d->rows.rows.count,
				       d->query.by,
				       width };
	sink_start(&s, sink, ctx);
	writers[format](&r, &s);
	return sink_flush(&s) || fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
}

bool heft_diff_save(const struct heft_diff *d,
		    bool (*sink)(void *ctx, const void *data, size_t size), void *ctx,
		    struct heft_err *err)
{
	struct snapshot before, after;
	struct arena arena = { 0 };
	struct sizefile_out out = { { 0 } };
	diff_halves(&d->diff, &before, &after);
	bool ok = sizediff_write(&out, &before, &after,
				 diff_sources(&d->diff, HEFT_REMOVED, &arena),
				 diff_sources(&d->diff, HEFT_ADDED, &arena), err);
	if (ok && !sink(ctx, out.bytes.data, out.bytes.count))
		ok = fail(err, HEFT_EIO, HEFT_NO_OFFSET, "the output took no more");
	vec_release(&out.bytes);
	snapshot_release(&before);
	snapshot_release(&after);
	arena_release(&arena);
	return ok;
}
