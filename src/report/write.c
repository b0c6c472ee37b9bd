/* Writes a report in its format. */
#include "report/report.h"

#include "base/err.h"
#include "report/record_rows.h"
#include "report/svg.h"

static void draw(const struct report *r, struct sink *s)
{
	if (r->flame)
		out_svg_flame(r, s);
	else
		out_svg_map(r, s);
}

/* Draws records as rows with labels, see record_rows.h. */
static bool draw_records(const struct report *r, struct sink *s, struct heft_err *err)
{
	struct record_rows rows;
	struct report labelled = *r;
	const bool good = record_rows_make(&rows, r, err);
	labelled.table = rows.table;
	ASSERT(!good || has_labels(&labelled));
	if (good)
		draw(&labelled, s);
	record_rows_release(&rows);
	return good;
}

bool list_has_format(enum heft_format format, enum heft_format also, struct heft_err *err)
{
	return format <= HEFT_MARKDOWN || format == also ||
	       fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
}

bool report_write(const struct report *r, struct sink *s, struct heft_err *err)
{
	ASSERT(r->kind != NULL && r->table.top != NULL);
	ASSERT(r->columns != r->room[0] || r->column_count <= COLUMNS_MAX);
	ASSERT(r->fields != r->room[1] || r->field_count <= COLUMNS_MAX);
	if (r->opts.format == HEFT_PPROF && r->table.diff)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "this format holds one profile, not the difference of two");
	if (r->opts.format == HEFT_SVG && !has_labels(r) && r->kind->draws_records)
		return draw_records(r, s, err) && sink_end(s, err);
	if (r->opts.format == HEFT_SVG && !has_labels(r))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	switch (r->opts.format) {
	case HEFT_TABLE: out_table(r, s); break;
	case HEFT_CSV: out_csv(r, s, ','); break;
	case HEFT_TSV: out_csv(r, s, '\t'); break;
	case HEFT_JSON: out_json(r, s); break;
	case HEFT_MARKDOWN: out_markdown(r, s); break;
	case HEFT_FOLDED: out_folded(r, s); break;
	case HEFT_PPROF: out_pprof(r, s); break;
	case HEFT_SVG: draw(r, s); break;
	case HEFT_NDJSON:
		if (!out_store_rows(r, s, err))
			return false;
		break;
	default: return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "this report has no such format");
	}
	return sink_end(s, err);
}
