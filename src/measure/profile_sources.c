/* Sets up and releases a profile: levels, custom sources, inputs, filters, configuration file. */
#include "measure/profile.h"

static const struct custom *custom_find(const struct heft_profile *p, const char *name)
{
	for (size_t i = p->customs.count; i-- > 0;)
		if (strcmp(p->customs.data[i].name, name) == 0)
			return &p->customs.data[i];
	return NULL;
}

bool profile_add_source(struct heft_profile *p, const char *name, struct heft_err *err)
{
	const struct custom *custom = custom_find(p, name);
	const struct source *source = custom ? custom->base : source_find(str_of(name));
	if (!source)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no such data source: %s", name);
	if (p->levels.count == LEVELS_MAX)
		return fail(err, HEFT_ELIMIT, HEFT_NO_OFFSET, "more than %d data sources",
			    LEVELS_MAX);
	vec_push(&p->levels, (struct level){ .name = arena_copy(&p->arena, str_of(name)),
					     .source = source,
					     .rules = custom ? custom->rules : NULL });
	return true;
}

static bool custom_base(const struct heft_profile *p, const char *name, const char *base,
			const struct source **ret, struct heft_err *err)
{
	const struct custom *custom = custom_find(p, base);
	if (strcmp(base, "symbols") == 0)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "custom source '%s': 'symbols' depends on -C; name rawsymbols, "
			    "shortsymbols or fullsymbols as its base",
			    name);
	if (custom && custom->rules)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "custom source '%s': its base '%s' has rewrites of its own", name,
			    base);
	*ret = custom ? custom->base : source_find(str_of(base));
	if (!*ret)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "custom source '%s': no such data source: %s", name, base);
	return true;
}

bool profile_define_source(struct heft_profile *p, const char *name, const char *base,
			   const struct heft_rewrite *rules, size_t count, struct heft_err *err)
{
	struct custom c = { .name = arena_copy(&p->arena, str_of(name)) };
	if (!custom_base(p, name, base, &c.base, err))
		return false;
	c.rules = count ? rules_new() : NULL;
	for (size_t i = 0; i < count; i++) {
		if (!rules_add(c.rules, str_of(rules[i].pattern), str_of(rules[i].replacement),
			       err)) {
			rules_free(c.rules);
			return false;
		}
	}
	vec_push(&p->customs, c);
	return true;
}

void profile_add_file(struct heft_profile *p, const char *path, enum heft_role role)
{
	vec_push(&p->entries,
		 (struct entry){ .path = arena_copy(&p->arena, str_of(path)), .role = role });
}

bool profile_set_pattern(struct pattern **slot, const char *regex, struct heft_err *err)
{
	struct pattern *made = pattern_new(str_of(regex), err);
	if (!made)
		return false;
	pattern_free(*slot);
	*slot = made;
	return true;
}

static void paths_keep(struct heft_profile *p, const config_strings *from, config_strings *to)
{
	for (size_t i = 0; i < from->count; i++)
		vec_push(to, arena_copy(&p->arena, str_of(from->data[i])));
}

/* Adds the files and data sources in the configuration file. */
static bool config_apply(struct heft_profile *p, const struct config *c, struct heft_err *err)
{
	vec_each(const struct config_source, s, &c->sources) {
		if (!profile_define_source(p, s->name, s->base, s->rewrites.data, s->rewrites.count,
					   err))
			return false;
	}
	for (size_t i = 0; i < c->data_sources.count; i++)
		if (!profile_add_source(p, c->data_sources.data[i], err))
			return false;
	for (size_t i = 0; i < c->filenames.count; i++)
		profile_add_file(p, c->filenames.data[i], HEFT_INPUT);
	for (size_t i = 0; i < c->base_filenames.count; i++)
		profile_add_file(p, c->base_filenames.data[i], HEFT_BASE);
	paths_keep(p, &c->debug_filenames, &p->configured_debug);
	paths_keep(p, &c->dsym_paths, &p->configured_debug);
	paths_keep(p, &c->source_maps, &p->configured_source_maps);
	vec_each(const struct config_region, r, &c->regions)
		if (!wish_add_region(&p->configured, r->name, r->origin, r->length, err))
			return false;
	return !c->source_filter || profile_set_pattern(&p->include, c->source_filter, err);
}

bool profile_configure(struct heft_profile *p, const char *path, struct heft_err *err)
{
	const struct config *c = &p->config;
	struct file f;
	context_take_inputs(&p->context);
	if (!file_open_stream(&f, path, err))
		return false;
	if (p->has_config)
		config_release(&p->config);
	const struct str text = { (const char *)f.bytes.p, f.bytes.size };
	p->has_config = config_parse(&p->config, path, text, err);
	file_close(&f);
	for (size_t i = 0; p->has_config && i < c->source_maps.count; i++)
		if (!strchr(c->source_maps.data[i], '='))
			return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
				    "%s: source_map '%s' is not an id, '=' and a file", path,
				    c->source_maps.data[i]);
	if (!p->has_config || !config_apply(p, c, err))
		return false;
	if (c->has_rows)
		p->rows = c->rows;
	if (c->has_demangle)
		p->context.session->style = c->demangle;
	if (c->has_sort)
		p->sort_domain = c->sort;
	return true;
}
