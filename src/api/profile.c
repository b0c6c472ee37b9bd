/* Implements the settings, the run and the results of a profile. */
#include "measure/profile.h"

#include "api/structs.h"

#include "attr/passes.h"
#include "report/report.h"

const char *heft_file_at(const void *address)
{
	return file_mapped_at(address);
}

const char *heft_version(void)
{
	return HEFT_VERSION;
}

int heft_version_number(void)
{
	return HEFT_VERSION_NUMBER;
}

size_t heft_source_count(void)
{
	size_t count = 0;
	while (source_at(count))
		count++;
	return count;
}

bool heft_source(size_t i, const char **ret_name, const char **ret_text)
{
	const struct source *s = source_at(i);
	if (!s)
		return false;
	*ret_name = s->name;
	*ret_text = s->about;
	return true;
}

size_t heft_pass_count(void)
{
	size_t count = 0;
	while (attr_pass_at(count))
		count++;
	return count;
}

bool heft_pass(size_t i, struct heft_pass *ret, struct heft_err *err)
{
	if (!STATED(heft_pass, ret, err))
		return false;
	static const char *const sources[FOR_ALL + 1] = {
		[FOR_SYMBOL] = "symbols",
		[FOR_UNIT] = "compileunits",
		[FOR_SOURCES] = "compileunits, sourcefiles",
		[FOR_ALL] = "symbols, compileunits, sourcefiles",
	};
	const struct attr_pass *p = attr_pass_at(i);
	if (!p)
		return absent(err);
	const struct heft_pass made = { .name = p->name,
					.sources = sources[p->owners],
					.needs = p->needs ? p->needs : "",
					.text = p->why };
	ASSERT(made.sources);
	return give(ret, &made, sizeof made);
}

struct heft_profile *heft_profile_new(struct heft_session *session)
{
	struct heft_profile *p = context_handle_new(session, CONTEXT_HANDLE(struct heft_profile));
	if (!p)
		return NULL;
	p->sort_domain = HEFT_BOTH;
	p->rows = 20;
	return p;
}

void heft_profile_free(struct heft_profile *p)
{
	CONTEXT_FREE(struct heft_profile, p);
}

bool heft_profile_add_source(struct heft_profile *p, const char *name, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_add_source(p, name, err));
}

bool heft_profile_define_source(struct heft_profile *p, const char *name, const char *base,
				const struct heft_rewrite *rules, size_t count,
				struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_define_source(p, name, base, rules, count, err));
}

bool heft_profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err, (profile_add_file(p, path, role), true));
}

static bool profile_set_samples(struct heft_profile *p, const char *path, struct heft_err *err)
{
	struct file f;
	context_take_inputs(&p->context);
	if (!file_open(&f, path, err))
		return false;
	const struct file_format *format = file_format_of(f.bytes, NULL);
	const bool ok = file_format_serves(format, USE_SAMPLES) ||
			file_format_refuse(format, USE_SAMPLES, path, f.bytes.size, err);
	file_close(&f);
	if (ok)
		p->samples = arena_copy(&p->arena, str_of(path));
	return ok;
}

bool heft_profile_set_samples(struct heft_profile *p, const char *path, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_set_samples(p, path, err));
}

bool heft_profile_include(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_set_pattern(&p->include, regex, err));
}

bool heft_profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_set_pattern(&p->exclude, regex, err));
}

void heft_profile_set_sure(struct heft_profile *p, unsigned which)
{
	const unsigned all = HEFT_SURE_STATED | HEFT_SURE_PROVED | HEFT_SURE_INFERRED |
			     HEFT_SURE_NONE;
	p->sure_kept = which & all;
}

void heft_profile_set_depth(struct heft_profile *p, unsigned levels)
{
	p->depth = levels;
}

void heft_profile_set_sort(struct heft_profile *p, enum heft_sort sort)
{
	p->sort = sort;
}

void heft_profile_set_sort_domain(struct heft_profile *p, enum heft_domain domain)
{
	p->sort_domain = domain;
}

void heft_profile_set_rows(struct heft_profile *p, uint32_t rows)
{
	p->rows = rows;
}

void heft_profile_set_flags(struct heft_profile *p, unsigned flags)
{
	p->counting = flags & HEFT_PROFILE_COUNT;
	p->code = flags & HEFT_PROFILE_CODE;
	p->stacking = flags & HEFT_PROFILE_STACKS;
	p->listing_aliases = flags & HEFT_PROFILE_ALIASES;
	p->debug_owners = flags & HEFT_PROFILE_DEBUG_OWNERS;
	p->no_debug = flags & HEFT_PROFILE_NO_DEBUG;
	p->own_headers = flags & HEFT_PROFILE_SECTION_HEADERS;
	p->as_bloaty = flags & HEFT_PROFILE_BLOATY;
	p->keep_ranges = flags & HEFT_PROFILE_RANGES;
	p->by_regions = flags & HEFT_PROFILE_REGIONS;
	p->levelwise = flags & HEFT_PROFILE_LEVELWISE;
	p->how_sure = flags & HEFT_PROFILE_HOW_SURE;
	p->retaining = flags & HEFT_PROFILE_RETAINED;
	p->keeping = flags & HEFT_PROFILE_KEEPERS;
}

void heft_profile_set_trace(struct heft_profile *p, heft_trace_fn fn, void *ctx)
{
	p->trace.fn = fn;
	p->trace.ctx = ctx;
}

static void profile_trace_at(struct heft_profile *p, enum heft_domain domain, uint64_t addr)
{
	vec_push(&p->trace_addrs, (struct trace_addr){ domain, addr });
}

void heft_profile_trace_at(struct heft_profile *p, enum heft_domain domain, uint64_t addr)
{
	GUARDED_VOID(p->memory, profile_trace_at(p, domain, addr));
}

static void profile_trace_text(struct heft_profile *p, const char *text)
{
	vec_push(&p->trace_texts, arena_copy(&p->arena, str_of(text)));
}

void heft_profile_trace_text(struct heft_profile *p, const char *text)
{
	GUARDED_VOID(p->memory, profile_trace_text(p, text));
}

bool heft_profile_run(struct heft_profile *p, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_run(p, err));
}

static bool profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
			   struct heft_err *err)
{
	if (!profile_configure(p, path, err))
		return false;
	const struct config *c = &p->config;
	const struct heft_config made = {
		.raw_map = c->raw_map,
		.verbose = c->verbose,
		.has_demangle = c->has_demangle,
		.has_rows = c->has_rows,
		.has_sort = c->has_sort,
		.debug_vmaddrs = c->debug_vmaddrs.data,
		.debug_fileoffs = c->debug_fileoffs.data,
		.debug_vmaddr_count = c->debug_vmaddrs.count,
		.debug_fileoff_count = c->debug_fileoffs.count,
		.data_sources = c->data_sources.data,
		.data_source_count = c->data_sources.count,
		.disassemble = c->disassemble ? arena_copy(&p->arena, str_of(c->disassemble)) : NULL
	};
	if (ret)
		give(ret, &made, sizeof made);
	return true;
}

bool heft_profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
			 struct heft_err *err)
{
	if (ret && !STATED(heft_config, ret, err))
		return false;
	return GUARDED(p->memory, err, profile_config(p, path, ret, err));
}

/* The next functions return the results of a run. */

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

bool heft_profile_open_filtered(struct heft_profile *p, const struct heft_row *row,
				const struct heft_row *const **ret_list, size_t *ret_count,
				struct heft_err *err)
{
	*ret_count = row->child_count;
	*ret_list = row->children;
	return GUARDED(p->memory, err,
		       (!p->levelwise ||
			(*ret_list = rows_open_filtered(&p->maker, row, ret_count), true)));
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
	return give(ret, &made, sizeof made);
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
	return give(ret, &made, sizeof made);
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
