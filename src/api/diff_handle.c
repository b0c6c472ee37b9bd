/* Implements diffs of snapshots: heft_diff_*. */
#include "api/budget_handle.h"
#include "measure/came_in.h"
#include "measure/diff_code.h"
#include "api/structs.h"
#include "base/file.h"
#include "query/region_metrics.h"
#include "review/comment.h"
#include "snapshot/sizefile.h"

struct heft_diff {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	bool made;
	const struct heft_snapshot *sides[2]; /* [0] is the snapshot before (may be NULL), [1]
					       * the one after */
	struct snapshot nothing;              /* Used as `before` if that is NULL */
	struct snapshot_diff diff;
	struct diff_sections sections;
	struct diff_rows rows;
	struct came_in_finder finder;
	came_in_vec came_in; /* Of `rows` */
};

static bool diff_handle_make(struct heft_diff *d, const struct heft_snapshot *before,
			     const struct heft_snapshot *after, unsigned flags,
			     struct heft_err *err)
{
	if (!after || !after->open || (before && !before->open) ||
	    (!before && !after->is_diff && !(flags & HEFT_DIFF_FROM_NOTHING)))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a diff needs two snapshots");
	memory_need_whole(after->memory);
	if (before)
		memory_need_whole(before->memory);
	memory_take_progress(after->memory);
	progress_tell("pairs of symbols", 0, 0);
	snapshot_init(&d->nothing);
	diff_init(&d->diff,
		  before                           ? &before->snapshot
		  : flags & HEFT_DIFF_FROM_NOTHING ? &d->nothing
						   : &after->before,
		  &after->snapshot, flags & HEFT_DIFF_SUPERSIZE);
	d->made = true;
	d->sides[0] = before;
	d->sides[1] = after;
	diff_sections_make(&d->sections, &d->diff);
	ASSERT(d->sections.sections.count > 0); /* The last section is the total */
	return true;
}

struct heft_diff *heft_diff_new(const struct heft_snapshot *before,
				const struct heft_snapshot *after, unsigned flags,
				struct heft_err *err)
{
	struct heft_diff *d = handle_new(sizeof *d);
	if (GUARDED(d ? d->memory : NULL, err, diff_handle_make(d, before, after, flags, err)))
		return d;
	heft_diff_free(d);
	return NULL;
}

void heft_diff_free(struct heft_diff *d)
{
	handle_free(d);
}

size_t heft_diff_section_count(const struct heft_diff *d)
{
	return d->sections.sections.count - 1;
}

/* Returns section `i`. NULL if there is none. */
static const struct diff_section *diff_handle_section_at(const struct heft_diff *d, size_t i)
{
	const size_t count = heft_diff_section_count(d);
	const size_t at = i == HEFT_DIFF_TOTAL ? count : i;
	return i < count || i == HEFT_DIFF_TOTAL ? &d->sections.sections.data[at] : NULL;
}

bool heft_diff_section(const struct heft_diff *d, size_t i, struct heft_diff_section *ret,
		       struct heft_err *err)
{
	if (!STATED(heft_diff_section, ret, err))
		return false;
	const struct diff_section *s = diff_handle_section_at(d, i);
	if (!s)
		return absent(err);
	const struct heft_diff_section made = { .name = s->name,
						.in_file = s->in_file,
						.before = s->sizes.before,
						.after = s->sizes.after,
						.padding_before = s->sizes.padding_before,
						.padding_after = s->sizes.padding_after,
						.in_memory = s->in_memory };
	return give(ret, &made, sizeof made);
}

uint64_t heft_diff_section_changes(const struct heft_diff *d, size_t i, enum heft_change what)
{
	const struct diff_section *s = diff_handle_section_at(d, i);
	return s && (unsigned)what < HEFT_CHANGES ? s->counts[what] : 0;
}

static bool diff_handle_make_rows(struct heft_diff *d, const struct heft_diff_query *query,
				  struct heft_err *err)
{
	struct heft_diff_query q = { 0 };
	if (!TAKE(heft_diff_query, &q, query, err))
		return false;
	diff_rows_release(&d->rows);
	diff_rows_make(&d->rows, &d->diff, &q);
	d->came_in.count = 0;
	d->finder.d = &d->diff;
	d->finder.after = d->sides[1];
	if (q.came_in)
		came_in_find_rows(&d->finder, &d->rows, &q, &d->came_in);
	return true;
}

const struct heft_table *heft_diff_rows(struct heft_diff *d, const struct heft_diff_query *query,
					struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_handle_make_rows(d, query, err)) ? &d->rows.table
									     : NULL;
}

const struct heft_came_in *heft_diff_came_in(const struct heft_diff *d, size_t *ret_count)
{
	*ret_count = d->came_in.count;
	return d->came_in.data;
}

static bool diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
		       const struct heft_sink *sink, struct heft_err *err)
{
	struct diff_report z = diff_report_of(&d->diff, &d->sections, &d->rows);
	struct report r = { .table = d->rows.table, .ctx = &z };
	struct causes causes = { .count = 0 };
	struct sink s;
	if (!d->rows.table.top)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no rows of the diff were asked for");
	if (!TAKE(heft_write_opts, &r.opts, opts, err))
		return false;
	if (r.opts.format == HEFT_JSON)
		causes_find(&causes, &d->diff, &d->sections, region_metrics_known(d->diff.after));
	z.causes = causes.list;
	z.cause_count = causes.count;
	z.came_in = d->came_in.data;
	z.came_in_count = d->came_in.count;
	diff_report_init(&r);
	sink_start(&s, sink);
	const bool ok = report_write(&r, &s, err);
	causes_release(&causes);
	return ok;
}

bool heft_diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
		     const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_write(d, opts, sink, err));
}

static bool diff_write_comment(const struct heft_diff *d, const struct heft_budget *b,
			       const struct heft_comment_opts *given, const struct heft_sink *sink,
			       struct heft_err *err)
{
	struct heft_comment_opts opts = { 0 };
	struct file template = { .path = NULL };
	struct sink s;
	if (!TAKE(heft_comment_opts, &opts, given, err))
		return false;
	if (opts.page_url && !comment_takes_url(opts.page_url))
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "'%s' is no http or https address",
			    opts.page_url);
	if (opts.template_path && !file_open_stream(&template, opts.template_path, err))
		return false;
	const struct str text = { (const char *)template.bytes.p, template.bytes.size };
	const struct budget_report budget = budget_handle_report(b);
	bool ok = !opts.template_path || comment_template_check(opts.template_path, text, err);
	if (ok) {
		sink_start(&s, sink);
		struct came_in_finder came = { .d = &d->diff, .after = d->sides[1], .least = 256 };
		comment_make(&came, &d->sections, &budget, &opts, text, &s);
		came_in_release(&came);
		ok = sink_end(&s, err);
	}
	if (opts.template_path)
		file_close(&template);
	return ok;
}

bool heft_comment_write(const struct heft_diff *d, const struct heft_budget *b,
			const struct heft_comment_opts *opts, const struct heft_sink *sink,
			struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_write_comment(d, b, opts, sink, err));
}

static bool diff_save(const struct heft_diff *d, const struct heft_sink *sink, struct heft_err *err)
{
	struct snapshot before, after;
	struct arena arena = { 0 };
	struct sizefile_out out = { { 0 } };
	diff_halves(&d->diff, diff_code_texts(&d->diff, d->sides, &arena), &before, &after);
	bool ok = sizediff_write(&out, &before, &after,
				 diff_sources(&d->diff, HEFT_REMOVED, &arena),
				 diff_sources(&d->diff, HEFT_ADDED, &arena), err);
	ok = ok && sink_once(sink, out.bytes.data, out.bytes.count, err);
	vec_release(&out.bytes);
	snapshot_release(&before);
	snapshot_release(&after);
	arena_release(&arena);
	return ok;
}

bool heft_diff_save(const struct heft_diff *d, const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(d->memory, err, diff_save(d, sink, err));
}
