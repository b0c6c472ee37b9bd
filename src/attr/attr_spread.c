/* Gives pieces of anonymous data to the owners of pointers to them, in rounds: a piece that got an
 * owner in a round is the owner of the pointers that it holds. */
#include "attr/attr_order.h"

#include "base/sort.h"
#include "image/lookalike.h"

/* A pointer to a piece of anonymous data that has no owner yet. */
struct spread_wait {
	struct pointer pointer;
	struct data_piece *to;
	const struct data_piece *in; /* The piece that holds the pointer. NULL if the pointer has
				      * an owner */
};

typedef VEC(struct spread_wait) wait_vec;

struct spread {
	const struct image *im;
	const struct order *order;
	piece_vec *pieces;
	wait_vec *parts; /* Per part of the image: pointers that wait for an owner */
	size_t part_count;
};

static struct data_piece *piece_at(const struct spread *s, uint64_t addr)
{
	const size_t low = vec_upper(s->pieces, addr);
	return low > 0 && addr < s->pieces->data[low - 1].end ? &s->pieces->data[low - 1] : NULL;
}

static void waits_list(const struct spread *s, const pointer_vec *pointers, wait_vec *ret)
{
	vec_each(const struct pointer, p, pointers) {
		struct data_piece *to = piece_at(s, p->target);
		if (!to || to->label != LABEL_NONE)
			continue;
		const struct data_piece *in = p->owner == LABEL_NONE ? piece_at(s, p->addr) : NULL;
		if (in || p->owner != LABEL_NONE)
			vec_push(ret, (struct spread_wait){ *p, to, in });
	}
}

/* Offers a piece to the owner of a pointer to it. Of several owners, the nearest in the order of
 * units wins; of equals, the first. */
static void offer_piece(const struct spread *s, const struct spread_wait *w)
{
	const struct pointer *p = &w->pointer;
	const struct data_piece *in = w->in;
	struct data_piece *to = w->to;
	const label_id owner = in ? in->label : p->owner;
	const bool known = !in || (in->why == WHY_CODE_ORDER || in->why == WHY_DATA_ORDER);
	const struct order_verdict v = order_of_pointer(s->order, p->addr, owner, p->target);
	if (to->label != LABEL_NONE && v.away >= to->away)
		return;
	to->label = owner;
	to->away = v.away;
	const bool after = !lookalike_is_printed(s->im, p->target) &&
			   ((in && in->why == WHY_AFTER) || (v.strange && !known));
	to->why = after ? WHY_AFTER : v.sure && known ? WHY_DATA_ORDER : WHY_DATA_REF;
}

/* Visits each pointer to a piece that had no owner before this round. Returns true if a piece got
 * an owner. `back`: from last to first, which is faster for lists whose objects link to the
 * previous one. */
static bool spread_once(const struct spread *s, bool back)
{
	VEC(struct data_piece *) changed = { 0 };
	for (size_t k = 0; k < s->part_count; k++) {
		wait_vec *waits = &s->parts[k];
		size_t left = 0;
		for (size_t i = 0; i < waits->count; i++) {
			const struct spread_wait w = waits->data[back ? waits->count - 1 - i : i];
			if (w.to->label != LABEL_NONE && !w.to->open)
				continue;
			if ((w.in ? w.in->label : w.pointer.owner) == LABEL_NONE) {
				if (!back)
					waits->data[left++] = w;
				continue;
			}
			if (!w.to->open)
				vec_push(&changed, w.to);
			w.to->open = true;
			offer_piece(s, &w);
		}
		if (!back)
			waits->count = left;
	}
	const bool any = changed.count > 0;
	for (size_t i = 0; i < changed.count; i++)
		changed.data[i]->open = false;
	vec_release(&changed);
	return any;
}

enum { ROUNDS_AHEAD = 64, ROUNDS_MAX = ROUNDS_AHEAD + 8 };

void pieces_spread(const struct image *im, const struct order *order, piece_vec *pieces,
		   pointer_parts *pointers)
{
	struct spread s = { im, order, pieces, mem_zeroed(pointers->count + 1, sizeof *s.parts),
			    pointers->count };
	for (size_t k = 0; k < s.part_count; k++) {
		waits_list(&s, &pointers->data[k], &s.parts[k]);
		vec_release(&pointers->data[k]);
	}
	vec_release(pointers);
	for (unsigned round = 0; round < ROUNDS_MAX && spread_once(&s, round >= ROUNDS_AHEAD);
	     round++)
		;
	for (size_t k = 0; k < s.part_count; k++)
		vec_release(&s.parts[k]);
	mem_free(s.parts);
}
