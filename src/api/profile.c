/* Implements the settings of a profile. */
#include "measure/profile.h"

#include "api/structs.h"

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
