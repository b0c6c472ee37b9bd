/* Implements the settings of a profile. */
#include "measure/profile.h"

#include "api/structs.h"

#include "blocks/perfdata.h"
#include "attr/passes.h"

#include <stdlib.h>

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
	give(ret, &made, sizeof made);
	return true;
}

struct heft_profile *heft_profile_new(struct heft_session *session)
{
	struct heft_profile *p = session ? handle_new(sizeof *p) : NULL;
	if (!p)
		return NULL;
	context_begin(&p->context, session, p->memory);
	p->sort_domain = HEFT_BOTH;
	p->rows = 20;
	return p;
}

static void level_release(struct level *l)
{
	view_release(&l->view);
	view_names_release(&l->full);
	alias_index_release(&l->aliases);
}

static void api_profile_release(void *handle)
{
	struct heft_profile *p = handle;
	for (size_t i = 0; i < p->entries.count; i++)
		entry_release(&p->entries.data[i]);
	for (size_t i = 0; i < p->customs.count; i++)
		rules_free(p->customs.data[i].rules);
	for (size_t i = 0; i < p->levels.count; i++)
		level_release(&p->levels.data[i]);
	places_release(&p->places);
	vec_release(&p->entries);
	vec_release(&p->configured_debug);
	vec_release(&p->configured_source_maps);
	wish_release(&p->configured);
	vec_release(&p->customs);
	vec_release(&p->levels);
	vec_release(&p->trace_addrs);
	vec_release(&p->trace_texts);
	region_sums_release(&p->regions);
	region_sums_release(&p->base_regions);
	stack_column_release(&p->stacks);
	namespaces_release(&p->namespaces);
	pattern_free(p->include);
	pattern_free(p->exclude);
	if (p->has_config)
		config_release(&p->config);
	rows_end(&p->maker);
	rollup_release(&p->rollup);
	labels_release(&p->labels);
	context_release(&p->context);
	arena_release(&p->arena);
	mem_free(p);
}

void heft_profile_free(struct heft_profile *p)
{
	if (p)
		context_end(&p->context);
	handle_free(p, api_profile_release);
}

/* ---- sources ------------------------------------------------------------------- */

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

/* ---- inputs -------------------------------------------------------------------- */

static bool profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
			     struct heft_err *err)
{
	(void)err;
	vec_push(&p->entries,
		 (struct entry){ .path = arena_copy(&p->arena, str_of(path)), .role = role });
	return true;
}

bool heft_profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
			   struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_add_file(p, path, role, err));
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

/* ---- settings ------------------------------------------------------------------ */

static bool set_pattern(struct pattern **slot, const char *regex, struct heft_err *err)
{
	struct pattern *made = pattern_new(str_of(regex), err);
	if (!made)
		return false;
	pattern_free(*slot);
	*slot = made;
	return true;
}

static bool profile_include(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return set_pattern(&p->include, regex, err);
}

bool heft_profile_include(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_include(p, regex, err));
}

static bool profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return set_pattern(&p->exclude, regex, err);
}

bool heft_profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err)
{
	return GUARDED(p->memory, err, profile_exclude(p, regex, err));
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

/* ---- configuration file --------------------------------------------------------- */

static bool apply_lists(struct heft_profile *p, const struct config *c, struct heft_err *err)
{
	for (size_t i = 0; i < c->sources.count; i++) {
		const struct config_source *s = &c->sources.data[i];
		if (!heft_profile_define_source(p, s->name, s->base, s->rewrites.data,
						s->rewrites.count, err))
			return false;
	}
	for (size_t i = 0; i < c->data_sources.count; i++)
		if (!heft_profile_add_source(p, c->data_sources.data[i], err))
			return false;
	for (size_t i = 0; i < c->filenames.count; i++)
		heft_profile_add_file(p, c->filenames.data[i], HEFT_INPUT, err);
	for (size_t i = 0; i < c->base_filenames.count; i++)
		heft_profile_add_file(p, c->base_filenames.data[i], HEFT_BASE, err);
	for (size_t i = 0; i < c->debug_filenames.count; i++)
		vec_push(&p->configured_debug,
			 arena_copy(&p->arena, str_of(c->debug_filenames.data[i])));
	for (size_t i = 0; i < c->dsym_paths.count; i++)
		vec_push(&p->configured_debug,
			 arena_copy(&p->arena, str_of(c->dsym_paths.data[i])));
	for (size_t i = 0; i < c->source_maps.count; i++)
		vec_push(&p->configured_source_maps,
			 arena_copy(&p->arena, str_of(c->source_maps.data[i])));
	return !c->source_filter || heft_profile_include(p, c->source_filter, err);
}

static bool apply_regions(struct heft_profile *p, const struct config *c, struct heft_err *err)
{
	for (size_t i = 0; i < c->regions.count; i++) {
		const struct config_region *r = &c->regions.data[i];
		if (!wish_add_region(&p->configured, r->name, r->origin, r->length, err))
			return false;
	}
	return true;
}

static bool apply_config(struct heft_profile *p, const char *path, struct heft_err *err)
{
	const struct config *c = &p->config;
	for (size_t i = 0; i < c->source_maps.count; i++)
		if (!strchr(c->source_maps.data[i], '='))
			return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
				    "%s: source_map '%s' is not an id, '=' and a file", path,
				    c->source_maps.data[i]);
	if (!apply_lists(p, c, err) || !apply_regions(p, c, err))
		return false;
	if (c->has_rows)
		p->rows = c->rows;
	if (c->has_demangle)
		p->context.session->style = c->demangle;
	if (c->has_sort)
		p->sort_domain = c->sort;
	return true;
}

static bool profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
			   struct heft_err *err)
{
	struct file f;
	context_take_inputs(&p->context);
	if (!file_open_stream(&f, path, err))
		return false;
	if (p->has_config)
		config_release(&p->config);
	const struct str text = { (const char *)f.bytes.p, f.bytes.size };
	p->has_config = config_parse(&p->config, path, text, err);
	file_close(&f);
	if (!p->has_config || !apply_config(p, path, err))
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
