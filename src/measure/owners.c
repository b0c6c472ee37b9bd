/* Finds the owners of an address in the layers of the map. */
#include "measure/owners.h"

#include "base/pool.h"

bool owners_add(struct owners *o, const char *source, struct heft_err *err)
{
	const struct source *s = source_find(str_of(source));
	if (!s)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no such data source: %s", source);
	vec_push(&o->levels, (struct owner_level){ .source = s });
	vec_push(&o->names, s->name);
	return true;
}

unsigned owners_need(const struct owners *o)
{
	unsigned needs = 0;
	for (size_t i = 0; i < o->levels.count; i++)
		needs |= source_needs(o->levels.data[i].source);
	return needs;
}

void owners_begin(struct owners *o, const struct source_file *file, const struct program_wish *wish)
{
	ASSERT(!o->ready && file->input && file->notes);
	struct source_file of = *file;
	of.labels = &o->labels;
	of.threads = pool_threads(0);
	of.vm_only = true;
	o->ready = o->levels.count > 0;
	if (o->ready)
		measure_begin(&o->measure, &of, wish);
}

static void owners_measure(struct owners *o, struct owner_level *l)
{
	l->measured = true;
	o->measure.file.origins = &l->origins;
	measure_run(&o->measure, l->source, &l->layer);
}

static void owners_set_view(struct owners *o, struct owner_level *l, const struct spans *vm)
{
	l->view = source_view(l->source, o->style);
	l->view.paths = &o->measure.dwarf.wish->paths;
	l->view.spaces = &o->spaces;
	l->viewed = true;
	if (l->view.form != VIEW_NAMESPACE)
		return;
	/* Whether a name is a namespace depends on all names. */
	source_namespaces(&o->measure.file, &o->spaces);
	view_update(&l->view, &o->labels, vm, o->measure.file.threads, o->measure.file.notes);
}

/* Returns the first level with the data source of `l`. Only this level has the layer. Measures it
 * if needed. */
static const struct owner_level *owners_measured(struct owners *o, struct owner_level *l)
{
	struct owner_level *first = o->levels.data;
	while (first->source->run != l->source->run)
		first++;
	ASSERT(first <= l);
	if (!first->measured)
		owners_measure(o, first);
	if (!l->viewed)
		owners_set_view(o, l, &first->layer.vm);
	return first;
}

static label_id owners_shown(struct owners *o, struct owner_level *l, label_id raw)
{
	struct span one = { .size = 1, .label = raw };
	const struct spans spans = { { &one, 1, 1 } };
	if (view_is_plain(&l->view))
		return raw;
	if (raw >= l->view.count || l->view.shown[raw] == LABEL_NONE)
		view_update(&l->view, &o->labels, &spans, 1, o->measure.file.notes);
	return l->view.shown[raw];
}

/* Sets why an owner has `addr` (claim or padding), and the range of that claim or padding. */
static void tell_claim(const struct origins *origins, const struct span *owned, uint64_t addr,
		       struct heft_owner *ret)
{
	const struct span *part = spans_find(&origins->spans, addr);
	const struct claim *c = part ? &origins->claims.list.data[part->label] : NULL;
	if (!c || c->label != owned->label) {
		ret->why = "padding";
		ret->start = part ? max_u64(part->start, owned->start) : owned->start;
		ret->size = min_u64(part ? part->start + part->size : UINT64_MAX,
				    owned->start + owned->size) -
			    ret->start;
		return;
	}
	ASSERT(c->start <= addr);
	ret->why = why_text((enum why)c->why);
	ret->start = c->start;
	ret->size = c->size != SIZE_UNKNOWN ? c->size : part->start + part->size - c->start;
}

static void find_one(struct owners *o, struct owner_level *l, uint64_t addr)
{
	const struct owner_level *from = owners_measured(o, l);
	const struct span *s = spans_find(&from->layer.vm, addr);
	if (!s)
		return;
	/* Bytes that are copied at start have no claim, but their copy has. */
	const bool claimed = spans_find(&from->origins.spans, addr) != NULL;
	const uint64_t at = claimed ? addr : basemap_runs_at(&o->measure.map, addr);
	struct heft_owner owner = {
		.source = l->source->name,
		.label = label_text(&o->labels, owners_shown(o, l, s->label)).p
	};
	tell_claim(&from->origins, s, at, &owner);
	vec_push(&o->found, owner);
}

size_t owners_find(struct owners *o, uint64_t addr, const struct heft_owner *const **ret)
{
	o->found.count = o->list.count = 0;
	for (size_t i = 0; o->ready && i < o->levels.count; i++)
		find_one(o, &o->levels.data[i], addr);
	for (size_t i = 0; i < o->found.count; i++)
		vec_push(&o->list, &o->found.data[i]);
	*ret = o->list.data;
	return o->found.count;
}
