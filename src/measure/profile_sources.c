/* Sets the levels of a profile, and the sources that the user defined. */
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
