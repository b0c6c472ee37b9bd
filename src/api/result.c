/* Writes the results of a profile's run. */
#include "measure/profile.h"
#include "api/structs.h"

#include "report/report.h"

const struct heft_table *heft_profile_table(const struct heft_profile *p)
{
	return p->table.top ? &p->table : NULL;
}

bool heft_profile_is_diff(const struct heft_profile *p)
{
	return p->diff;
}

bool heft_profile_open_row(struct heft_profile *p, const struct heft_row *row, struct heft_err *err)
{
	return !p->levelwise || GUARDED(p->memory, err, (rows_open(&p->maker, row), true));
}

static bool result_filter_rows(struct heft_profile *p, const struct heft_row_filter *f,
			       uint64_t *ret_count, struct heft_err *err)
{
	if (!p->levelwise || !p->table.top)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "only rows that are made level by level are filtered");
	struct heft_row_filter own;
	if (f && !TAKE(heft_row_filter, &own, f, err))
		return false;
	const uint64_t count = rows_filter(&p->maker, f ? &own : NULL);
	if (ret_count)
		*ret_count = count;
	return true;
}

bool heft_profile_filter_rows(struct heft_profile *p, const struct heft_row_filter *f,
			      uint64_t *ret_count, struct heft_err *err)
{
	return GUARDED(p->memory, err, result_filter_rows(p, f, ret_count, err));
}

static bool result_open_filtered(struct heft_profile *p, const struct heft_row *row,
				 const struct heft_row *const **ret_list, size_t *ret_count)
{
	*ret_count = row->child_count;
	*ret_list = p->levelwise ? rows_open_filtered(&p->maker, row, ret_count) : row->children;
	return true;
}

bool heft_profile_open_filtered(struct heft_profile *p, const struct heft_row *row,
				const struct heft_row *const **ret_list, size_t *ret_count,
				struct heft_err *err)
{
	return GUARDED(p->memory, err, result_open_filtered(p, row, ret_list, ret_count));
}

enum heft_filtered heft_profile_filtered(const struct heft_profile *p, const struct heft_row *row,
					 const uint64_t **ret_now, const uint64_t **ret_base)
{
	if (p->levelwise)
		return rows_filtered(&p->maker, row, ret_now, ret_base);
	*ret_now = row->now;
	*ret_base = row->base;
	return HEFT_ROW_SHOWN;
}

uint64_t heft_profile_omitted(const struct heft_profile *p, enum heft_size_measure measure)
{
	return measure == HEFT_SIZE_FILE ? p->rollup.omitted_file
	       : measure == HEFT_SIZE_VM ? p->rollup.omitted_vm
					 : 0;
}

size_t heft_profile_file_count(const struct heft_profile *p)
{
	return p->entries.count;
}

bool heft_profile_file(const struct heft_profile *p, size_t i, struct heft_file_info *ret,
		       struct heft_err *err)
{
	if (!STATED(heft_file_info, ret, err))
		return false;
	if (i >= p->entries.count)
		return absent(err);
	const struct heft_file_info made = entry_info(&p->entries.data[i]);
	give(ret, &made, sizeof made);
	return true;
}

bool heft_profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
			 heft_range_fn fn, void *ctx)
{
	return profile_ranges(p, i, domain, fn, ctx);
}

bool heft_profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain, uint64_t addr,
			 struct heft_place *ret, struct heft_err *err)
{
	struct heft_place made;
	if (!STATED(heft_place, ret, err))
		return false;
	if (!profile_lookup(p, i, domain, addr, &made))
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET,
			    "no range of this file is known there");
	give(ret, &made, sizeof made);
	return true;
}

static bool result_write_report(const struct report *r, const struct heft_sink *sink,
				struct heft_err *err)
{
	struct sink s;
	sink_start(&s, sink);
	return report_write(r, &s, err);
}

/* Writes rows that are made level by level. Unopened rows are made during writing. */
static bool write_walked(const struct heft_profile *p, const struct report *r,
			 const struct heft_sink *sink, struct heft_err *err)
{
	struct report walked = *r;
	struct rows_opts opts;
	struct rows_maker maker;
	struct arena arena = { 0 };
	if (r->opts.format != HEFT_NDJSON)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "rows that are made level by level have no such format");
	walked.table = profile_begin_table(p, &opts, &arena);
	opts.limit = 0;
	walked.table.top = rows_visit_all(&maker, &p->rollup.tree, &opts, &p->maker, &arena);
	ASSERT(walked.table.top);
	walked.maker = &maker;
	const bool good = result_write_report(&walked, sink, err);
	rows_end(&maker);
	arena_release(&arena);
	return good;
}

static bool profile_write(const struct heft_profile *p, const struct heft_write_opts *opts,
			  const struct heft_sink *sink, struct heft_err *err)
{
	if (!p->table.top)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "the profile has not run");
	struct heft_file_info *files = mem_zeroed(p->entries.count, sizeof *files);
	for (size_t i = 0; i < p->entries.count; i++)
		files[i] = entry_info(&p->entries.data[i]);
	const struct size_report z = { .filtered = profile_is_filtered(p),
				       .omitted_file = p->rollup.omitted_file,
				       .omitted_vm = p->rollup.omitted_vm,
				       .files = files,
				       .file_count = p->entries.count,
				       .notes = p->context.notes.data,
				       .note_count = p->context.notes.count };
	struct report r = { .table = p->table, .ctx = &z, .nan_shares = p->as_bloaty };
	for (size_t i = 0; i < p->levels.count; i++)
		r.stacks |= (uint32_t)(p->levels.data[i].source->text == TEXT_STACK) << i;
	if (!TAKE(heft_write_opts, &r.opts, opts, err))
		return false;
	size_report_init(&r);
	const bool good = p->levelwise ? write_walked(p, &r, sink, err)
				       : result_write_report(&r, sink, err);
	mem_free(files);
	return good;
}

bool heft_profile_write(const struct heft_profile *p, const struct heft_write_opts *opts,
			const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_write(p, opts, sink, err));
}
