/* Finds symbols that have the same contents as another symbol of the same program. */
#include "page/cards/symbol_twins.h"

#include "page/cards/symbol_cards.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/sort.h"
#include "snapshot/contents.h"

struct held {
	uint64_t what;
	label_id label;
};

typedef VEC(struct held) held_vec;

enum { JOB_PLACES = 8192 };

struct symbol_twins_hunt {
	const struct spans *spans;
	const label_id *shown; /* Per label: how it is shown. NULL: all are shown unchanged */
	const struct named_place *places;
	size_t count;
	struct contents contents;
	held_vec *held; /* Per job: the hashes of its symbols' contents */
};

static void symbol_twins_look_at(const struct symbol_twins_hunt *h, const struct named_place *n,
				 label_id label, held_vec *to)
{
	const struct section *in = image_section_at(h->contents.image, n->addr);
	if (!in)
		return;
	const struct code_print print = contents_of(&h->contents, in, n->addr, n->size);
	if (print.whole != 0)
		vec_push(to, (struct held){ hash_mix(print.whole ^ n->size, HASH_ODD_1),
					    h->shown ? h->shown[label] : label });
}

/* Reads the symbols of a range of `places`. An address with several names counts once. */
static void symbol_twins_hunt_job(void *ctx, size_t i, unsigned worker)
{
	const struct symbol_twins_hunt *h = ctx;
	const struct span *list = h->spans->list.data;
	const size_t first = i * JOB_PLACES, end = min_u64(first + JOB_PLACES, h->count);
	size_t at = lower_bound(list, h->spans->list.count, sizeof *list, h->places[first].addr);
	(void)worker;
	for (size_t k = first; k < end; k++) {
		const struct named_place *n = &h->places[k];
		while (at < h->spans->list.count && list[at].start < n->addr)
			at++;
		if (at < h->spans->list.count && list[at].start == n->addr &&
		    (k == 0 || n[-1].addr != n->addr))
			symbol_twins_look_at(h, n, list[at].label, &h->held[i]);
	}
}

static void symbol_twins_find_in(const struct heft_profile *p, const struct entry *e,
				 const struct level *l, bool *ret)
{
	struct symbol_twins_hunt h = { .spans = entry_spans(e, l, HEFT_VM),
				       .shown = view_is_plain(&l->view) ? NULL : l->view.shown,
				       .count = e->places_end.list - e->places_begin.list };
	if (h.count == 0)
		return;
	h.places = p->places.list.data + e->places_begin.list;
	const size_t jobs = (h.count + JOB_PLACES - 1) / JOB_PLACES;
	held_vec held = { 0 };
	contents_init(&h.contents, program_image(&e->program));
	contents_read(&h.contents);
	h.held = mem_zeroed(jobs, sizeof *h.held);
	parallel_for(p->context.threads, jobs, symbol_twins_hunt_job, &h);
	for (size_t i = 0; i < jobs; i++)
		vec_append(&held, &h.held[i]);
	sort_by_key(held.data, held.count, sizeof *held.data);
	for (size_t i = 1; i < held.count; i++)
		if (held.data[i - 1].what == held.data[i].what)
			ret[held.data[i - 1].label] = ret[held.data[i].label] = true;
	vec_release(&held);
	mem_free(h.held);
	contents_release(&h.contents);
}

void symbol_twins_find(const struct heft_profile *p, bool *ret)
{
	const struct level *l = symbol_cards_level(p);
	for (size_t i = 0; l && p->keep_ranges && i < p->entries.count; i++) {
		const struct entry *e = &p->entries.data[i];
		if (program_image(&e->program) && e->layers && e->role == HEFT_INPUT)
			symbol_twins_find_in(p, e, l, ret);
	}
}
