/* Makes the two halves of a .sizediff file. */
#include "compare/diff.h"

/* Copies some symbols of a snapshot to another one */
struct diff_save_half {
	const struct snapshot *from;
	struct snapshot *to;
	uint32_t *texts;                /* Per text id of `from`: id in `to`. 0 if not copied yet */
	const char *const *disassembly; /* Per symbol of `from`: its disassembly or NULL. The whole
					 * list may be NULL */
	uint32_t *places;               /* Per symbol of `from`: index in `to`, or SNAP_NO_SYMBOL */
};

static uint32_t diff_save_copy_text(struct diff_save_half *h, uint32_t id)
{
	if (id != 0 && h->texts[id] == 0)
		h->texts[id] = intern_add(&h->to->texts, snapshot_text(h->from, id));
	return h->texts[id];
}

static void diff_save_copy_symbol(struct diff_save_half *h, const struct snap_symbol *y)
{
	struct snap_symbol c = *y;
	c.name = diff_save_copy_text(h, y->name);
	c.template_name = diff_save_copy_text(h, y->template_name);
	c.full_name = diff_save_copy_text(h, y->full_name);
	c.object = diff_save_copy_text(h, y->object);
	c.source = diff_save_copy_text(h, y->source);
	c.component = diff_save_copy_text(h, y->component);
	c.disassembly = diff_save_copy_text(h, y->disassembly);
	const char *text = h->disassembly ? h->disassembly[y - h->from->symbols.data] : NULL;
	if (text)
		c.disassembly = intern_add(&h->to->texts, str_of(text));
	h->places[y - h->from->symbols.data] = (uint32_t)h->to->symbols.count;
	vec_push(&h->to->symbols, c);
}

static struct snap_value copy_value(struct arena *a, const struct snap_value *v)
{
	struct snap_value c = *v;
	size_t count = 0;
	c.key = arena_copy(a, str_of(v->key));
	if (v->text)
		c.text = arena_copy(a, str_of(v->text));
	while (v->list && v->list[count])
		count++;
	const char **list = v->list ? arena_new(a, const char *, count + 1) : NULL;
	for (size_t i = 0; i < count; i++)
		list[i] = arena_copy(a, str_of(v->list[i]));
	c.list = list;
	return c;
}

static void copy_container(struct snapshot *to, const struct snap_container *c)
{
	struct snap_container n = { .name = arena_copy(&to->arena, str_of(c->name)) };
	for (size_t i = 0; i < c->metadata.count; i++)
		vec_push(&n.metadata, copy_value(&to->arena, &c->metadata.data[i]));
	for (size_t i = 0; i < c->metrics.count; i++) {
		const struct snap_metric *m = &c->metrics.data[i];
		vec_push(&n.metrics,
			 (struct snap_metric){ arena_copy(&to->arena, str_of(m->file)),
					       arena_copy(&to->arena, str_of(m->name)),
					       arena_copy(&to->arena, str_of(m->value)) });
	}
	for (size_t i = 0; i < c->section_sizes.count; i++) {
		const struct snap_section_size *s = &c->section_sizes.data[i];
		vec_push(&n.section_sizes,
			 (struct snap_section_size){ arena_copy(&to->arena, str_of(s->name)),
						     s->size });
	}
	vec_push(&to->containers, n);
}

/* Copies the marked symbols, with their whole alias lists. */
static void copy_marked(struct diff_save_half *h, const uint8_t *marked)
{
	const struct snap_symbol *y = h->from->symbols.data;
	for (size_t i = 0, n; i < h->from->symbols.count; i += n) {
		bool any = false;
		n = y[i].alias_count;
		for (size_t k = 0; k < n; k++)
			any = any || marked[i + k];
		for (size_t k = 0; any && k < n; k++)
			diff_save_copy_symbol(h, &y[i + k]);
	}
}

/* Copies the charges (struct snap_charge) of copied symbols and of pairs that changed. */
static void copy_charges(struct diff_save_half *h, const struct charge_pairs *pairs, size_t side)
{
	for (size_t i = 0; pairs->of[side] && i < h->from->charges.count; i++) {
		struct snap_charge c = h->from->charges.data[i];
		if (pairs->list.data[pairs->of[side][i]].change == HEFT_UNCHANGED)
			continue;
		c.name = diff_save_copy_text(h, c.name);
		c.space = diff_save_copy_text(h, c.space);
		c.source = diff_save_copy_text(h, c.source);
		c.object = diff_save_copy_text(h, c.object);
		c.component = diff_save_copy_text(h, c.component);
		c.package = diff_save_copy_text(h, c.package);
		if (c.symbol != SNAP_NO_SYMBOL)
			c.symbol = h->places[c.symbol];
		ASSERT(c.symbol == SNAP_NO_SYMBOL || c.symbol < h->to->symbols.count);
		vec_push(&h->to->charges, c);
	}
}

static void make_half(struct snapshot *to, const struct snapshot *from, const uint8_t *marked,
		      const char *const *disassembly, const struct charge_pairs *pairs, size_t side)
{
	snapshot_init(to);
	struct diff_save_half h = { from, to,
				    mem_zeroed(from->texts.entries.count + 1, sizeof *h.texts),
				    disassembly,
				    mem_alloc((from->symbols.count + 1) * sizeof *h.places) };
	memset(h.places, 0xff, (from->symbols.count + 1) * sizeof *h.places);
	to->sparse = true;
	to->has_components = from->has_components;
	to->by_heft = from->by_heft;
	to->exact_names = from->exact_names;
	for (size_t i = 0; i < from->build_config.count; i++)
		vec_push(&to->build_config, copy_value(&to->arena, &from->build_config.data[i]));
	for (size_t i = 0; i < from->extra.count; i++)
		vec_push(&to->extra, copy_value(&to->arena, &from->extra.data[i]));
	for (size_t i = 0; i < from->containers.count; i++)
		copy_container(to, &from->containers.data[i]);
	/* Copies all sections, so that indexes of sections stay valid. */
	for (size_t i = 0; i < from->sections.count; i++) {
		const struct snap_section *sec = &from->sections.data[i];
		const uint32_t section = snapshot_section_like(to, sec);
		to->sections.data[section].size = sec->size;
	}
	copy_marked(&h, marked);
	copy_charges(&h, pairs, side);
	mem_free_all(h.texts, h.places);
}

/* Returns the index of the container with that name. 0 (the first container) if there is none. */
static uint32_t container_named(const struct snapshot *s, const char *name)
{
	for (uint32_t i = 0; i < s->containers.count; i++)
		if (strcmp(s->containers.data[i].name, name) == 0)
			return i;
	return 0;
}

static void diff_save_add_paddings(const struct snapshot_diff *d, struct snapshot *to)
{
	const uint32_t name = intern_add(&to->texts, STR(DIFF_PADDING_NAME));
	for (size_t i = 0; i < d->paddings.count && to->containers.count > 0; i++) {
		const struct diff_padding *p = &d->paddings.data[i];
		struct snap_section sec = d->before->sections.data[p->section];
		sec.container = container_named(to, d->before->containers.data[sec.container].name);
		const uint32_t section = snapshot_section_like(to, &sec);
		vec_push(&to->symbols, (struct snap_symbol){ .padding = p->size,
							     .name = name,
							     .template_name = name,
							     .full_name = name,
							     .section = section,
							     .alias_count = 1 });
	}
}

static void mark_charged(const struct snapshot_diff *d, size_t side, uint8_t *marked)
{
	const struct snapshot *s = side == 0 ? d->before : d->after;
	for (size_t i = 0; d->charged && i < s->charges.count; i++) {
		const uint32_t symbol = s->charges.data[i].symbol;
		const struct charge_pair *p = &d->charges.list.data[d->charges.of[side][i]];
		if (symbol != SNAP_NO_SYMBOL && p->change != HEFT_UNCHANGED)
			marked[symbol] = 1;
	}
}

void diff_halves(const struct snapshot_diff *d, const char *const *disassembly,
		 struct snapshot *ret_before, struct snapshot *ret_after)
{
	uint8_t *old = mem_zeroed(d->before->symbols.count + 1, 1);
	uint8_t *new_ = mem_zeroed(d->after->symbols.count + 1, 1);
	vec_each(const struct diff_pair, p, &d->pairs) {
		if (p->before != DIFF_NONE)
			old[p->before] = p->change != HEFT_UNCHANGED;
		if (p->after != DIFF_NONE)
			new_[p->after] = p->change != HEFT_UNCHANGED;
	}
	mark_charged(d, 0, old);
	mark_charged(d, 1, new_);
	make_half(ret_before, d->before, old, NULL, &d->charges, 0);
	make_half(ret_after, d->after, new_, disassembly, &d->charges, 1);
	diff_save_add_paddings(d, ret_after);
	snapshot_place_sections(ret_before);
	snapshot_place_sections(ret_after);
	mem_free_all(old, new_);
}

static void see_source(struct intern *seen, struct intern *other, const struct snapshot *s,
		       const struct snap_symbol *y, bool wanted)
{
	if (y && y->source)
		(void)intern_borrow(wanted ? seen : other, snapshot_text(s, y->source));
}

const char *const *diff_sources(const struct snapshot_diff *d, enum heft_change change,
				struct arena *arena)
{
	struct intern seen = { { 0 } }, other = { { 0 } };
	size_t count = 0;
	uint32_t id;
	vec_each(const struct diff_pair, p, &d->pairs) {
		if (p->change == HEFT_UNCHANGED)
			continue;
		see_source(&seen, &other, d->before, diff_before(d, p), p->change == change);
		see_source(&seen, &other, d->after, diff_after(d, p), p->change == change);
	}
	const char **list = arena_new(arena, const char *, seen.entries.count + 1);
	for (size_t i = 0; i < seen.entries.count; i++)
		if (!intern_find(&other, seen.entries.data[i], &id))
			list[count++] = arena_copy(arena, seen.entries.data[i]);
	intern_release(&seen);
	intern_release(&other);
	return list;
}
