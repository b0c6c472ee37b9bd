#include "api/cards/symbol_twins.h"

#include "api/cards/symbol_cards.h"
#include "base/map.h"
#include "base/sort.h"
#include "snapshot/contents.h"

struct held {
	uint64_t what;
	label_id label;
};

typedef VEC(struct held) held_vec;

/* Addresses that several names share count once. */
static void collect(held_vec *to, const struct entry *e, const struct level *l,
		    const struct named_place *places, size_t count)
{
	const struct spans *spans = entry_spans(e, l, HEFT_VM);
	const label_id *shown = view_is_plain(&l->view) ? NULL : l->view.shown;
	struct contents contents;
	contents_init(&contents, program_image(&e->program));
	for (size_t i = 0; i < count; i++) {
		const struct named_place *n = &places[i];
		const struct section *in = image_section_at(contents.image, n->addr);
		const struct span *s = spans_find(spans, n->addr);
		if ((i > 0 && places[i - 1].addr == n->addr) || !in || !s || s->start != n->addr)
			continue;
		const struct code_print print = contents_of(&contents, in, n->addr, n->size);
		if (print.whole != 0)
			vec_push(to, (struct held){ hash_mix(print.whole ^ n->size, HASH_ODD_1),
						    shown ? shown[s->label] : s->label });
	}
	contents_release(&contents);
}

static void find_in(const struct heft_profile *p, const struct entry *e, const struct level *l,
		    bool *ret)
{
	held_vec held = { 0 };
	const size_t count = e->places_end - e->places_begin;
	struct named_place *places = mem_alloc((count + 1) * sizeof *places);
	if (count > 0)
		memcpy(places, p->places.list.data + e->places_begin, count * sizeof *places);
	sort_by_key(places, count, sizeof *places);
	collect(&held, e, l, places, count);
	sort_by_key(held.data, held.count, sizeof *held.data);
	for (size_t i = 1; i < held.count; i++)
		if (held.data[i - 1].what == held.data[i].what)
			ret[held.data[i - 1].label] = ret[held.data[i].label] = true;
	vec_release(&held);
	mem_free(places);
}

void symbol_twins_find(const struct heft_profile *p, bool *ret)
{
	const struct level *l = symbol_cards_level(p);
	for (size_t i = 0; l && p->keep_ranges && i < p->entries.count; i++) {
		const struct entry *e = &p->entries.data[i];
		if (program_image(&e->program) && e->layers && e->role == HEFT_INPUT)
			find_in(p, e, l, ret);
	}
}
