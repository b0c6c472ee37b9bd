/* Judges references to data by the order of units. */
#include "attr/attr_order.h"

#include "base/pool.h"
#include "base/sort.h"

/* These numbers were chosen with the programs of bench/twins in view, which gcc 12 made for
 * x86-64. */
enum {
	FAR_PART = 20,      /* A function is far if it is away by 1/20 of all. */
	SURE_PART = 100,    /* Sure: a chance below 1/100 that another unit's function fits */
	FEW_ADDRESSES = 10, /* So many addresses count as if one of them were strange. */
	CHANCE = 2,         /* Numbers in any order have rising chains of about 2 * sqrt(n). */
	CLEAR = 2           /* A chain tells something if it is longer than chance by this factor */
};

/* ---- functions in the order of code ---------------------------------------------------------- */

/* Ranks labels by the largest code that each has. Stubs carry the label of what they call, and are
 * in none of the sections. */
static void order_rank(struct order *o, const struct spans *vm, const struct section *const *data,
		       size_t count)
{
	uint64_t *largest = mem_zeroed(o->label_count, sizeof *largest);
	o->of_rank = mem_zeroed(vm->list.count, sizeof *o->of_rank);
	for (size_t i = 0; i < count; i++) {
		if (!data[i]->exec)
			continue;
		for (size_t k = spans_from(vm, data[i]->addr); k < vm->list.count; k++) {
			const struct span *s = &vm->list.data[k];
			if (s->start - data[i]->addr >= data[i]->size ||
			    o->functions == vm->list.count)
				break;
			ASSERT(s->label < o->label_count);
			o->of_rank[o->functions] = s->label;
			if (s->size > largest[s->label]) {
				largest[s->label] = s->size;
				o->ranks[s->label] = o->functions;
			}
			o->functions++;
		}
	}
	mem_free(largest);
}

static uint32_t rank_of(const struct order *o, label_id label)
{
	return label < o->label_count ? o->ranks[label] : UINT32_MAX;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static int points_by_rank(const void *a, const void *b)
{
	const struct order_point *x = a, *y = b;
	return x->rank > y->rank ? -1 : x->rank < y->rank;
}

/* Sorts the references of one address. Most are few, or in order but for a few. */
static void points_sort(struct order_point *list, size_t count)
{
	enum { FEW = 32 };
	if (count > FEW) {
		qsort(list, count, sizeof *list, points_by_rank);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		const struct order_point p = list[i];
		size_t k = i;
		for (; k > 0 && list[k - 1].rank < p.rank; k--)
			list[k] = list[k - 1];
		list[k] = p;
	}
}

/* Ends the references of one address, [start, count): the last function first, each once. A rising
 * chain thus has no address twice. */
static void points_end(point_vec *points, size_t start)
{
	const size_t count = points->count - start;
	if (count == 0)
		return;
	struct order_point *list = points->data + start;
	bool falling = true;
	size_t kept = 1;
	for (size_t i = 0; i < count / 2; i++) {
		const struct order_point last = list[count - 1 - i];
		list[count - 1 - i] = list[i];
		list[i] = last;
	}
	for (size_t i = 1; i < count && falling; i++)
		falling = list[i - 1].rank >= list[i].rank;
	if (!falling)
		points_sort(list, count);
	for (size_t i = 1; i < count; i++) {
		if (list[i].rank != list[kept - 1].rank)
			list[kept++] = list[i];
		else
			list[kept - 1].by_got &= list[i].by_got;
	}
	points->count = start + kept;
}

/* Lists the references to a section. Targets of one address are mostly in the order of code. */
static void list_points(const struct order *o, const struct order_section *s, point_vec *ret)
{
	const struct target *list = o->targets->data;
	size_t start = 0;
	vec_reserve(ret, s->last - s->first);
	for (size_t i = s->first; i < s->last; i++) {
		const bool by_got = list[i].why == WHY_GOT;
		const uint32_t rank = rank_of(o, list[i].label);
		if ((list[i].why != WHY_CODE_REF && !by_got) || list[i].weak || rank == UINT32_MAX)
			continue;
		if (start < ret->count && ret->data[start].addr != list[i].addr) {
			points_end(ret, start);
			start = ret->count;
		}
		vec_push(ret, (struct order_point){ list[i].addr, rank, by_got });
	}
	points_end(ret, start);
}

/* Returns the number of sorted ranks that are at most `rank`. No branch depends on the ranks, which
 * come in any order. */
static size_t ranks_until(const uint32_t *ranks, size_t count, uint32_t rank)
{
	size_t at = 0;
	for (; count > 1; count -= count / 2)
		at += ranks[at + count / 2 - 1] <= rank ? count / 2 : 0;
	return at + (count > 0 && ranks[at] <= rank);
}

/* Moves the longest chain whose ranks never fall out of the points. */
static void take_chain(point_vec *points, point_vec *ret)
{
	const size_t n = points->count;
	uint32_t *before = mem_zeroed(n, sizeof *before); /* Index of the previous point, plus 1 */
	uint32_t *ends = mem_zeroed(n, sizeof *ends);     /* Ends of the best chains, by length */
	uint32_t *ranks = mem_zeroed(n, sizeof *ranks);   /* Their ranks */
	size_t length = 0, at = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t rank = points->data[i].rank;
		/* Ranks of one address fall. */
		const bool same = i > 0 && points->data[i].addr == points->data[i - 1].addr;
		const size_t high = same ? at : length;
		at = high;
		if (high > 0 && ranks[high - 1] > rank)
			at = ranks_until(ranks, high - 1, rank);
		before[i] = at > 0 ? ends[at - 1] + 1 : 0;
		ends[at] = (uint32_t)i;
		ranks[at] = rank;
		length += at == length;
	}
	vec_reserve(ret, length);
	ret->count = length;
	size_t kept = n, i = length > 0 ? ends[length - 1] + 1 : 0;
	for (size_t k = n; k-- > 0;) {
		if (k + 1 != i) {
			points->data[--kept] = points->data[k];
			continue;
		}
		ret->data[--length] = points->data[k];
		i = before[k];
	}
	ASSERT(length == 0 && kept == ret->count);
	memmove(points->data, points->data + kept, (n - kept) * sizeof *points->data);
	points->count = n - kept;
	mem_free(before);
	mem_free(ends);
	mem_free(ranks);
}

static bool is_clear(size_t length, size_t of)
{
	return length * length >= (size_t)(CLEAR * CLEAR * CHANCE * CHANCE) * of;
}

/* Finds the chains. Variables in the GOT may be anybody's. */
static void find_chains(struct order_section *s, const point_vec *all)
{
	point_vec points = { 0 };
	vec_reserve(&points, all->count);
	for (size_t i = 0; i < all->count; i++)
		if (!all->data[i].by_got)
			vec_push(&points, all->data[i]);
	while (s->chain_count < ORDER_CHAINS && points.count > 0 && points.count < UINT32_MAX) {
		point_vec *chain = &s->chains[s->chain_count];
		const size_t of = points.count;
		take_chain(&points, chain);
		const bool clear = is_clear(chain->count, of);
		if (s->chain_count == 0)
			s->vague = !clear;
		else if (!clear)
			break;
		s->chain_count++;
	}
	vec_release(&points);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The functions among which a chain places the unit of an address. */
struct order_room {
	uint32_t low, high;
};

/* Returns the room at an address, if *at points of the chain come before it. */
static struct order_room room_from(const struct order *o, const point_vec *chain, uint64_t addr,
				   size_t at)
{
	struct order_room room = { at > 0 ? chain->data[at - 1].rank : 0, o->functions - 1 };
	at += at < chain->count && chain->data[at].addr == addr;
	if (at < chain->count)
		room.high = chain->data[at].rank;
	ASSERT(room.low <= room.high);
	return room;
}

static struct order_room room_at(const struct order *o, const point_vec *chain, uint64_t addr)
{
	size_t at;
	BISECT(at, 0, chain->count, mid, chain->data[mid].addr < addr);
	return room_from(o, chain, addr, at);
}

/* Returns the number of functions between two rooms. */
static uint32_t rooms_apart(struct order_room a, struct order_room b)
{
	return b.high < a.low ? a.low - b.high : b.low > a.high ? b.low - a.high : 0;
}

/* Judges the references [list, list + count) to one address by a room. */
static struct order_verdict judge_by(const struct order *o, struct order_room room,
				     const struct order_point *list, size_t count)
{
	struct order_verdict v = { list->addr, LABEL_NONE, .away = UINT32_MAX, .global = true };
	uint64_t furthest = 0;
	for (size_t i = 0; i < count; i++) {
		const struct order_room one = { list[i].rank, list[i].rank };
		const uint32_t away = rooms_apart(room, one);
		v.global &= list[i].by_got;
		furthest = max_u64(furthest, away);
		if (away <= v.away) { /* the first function by address, if several fit */
			v.away = away;
			v.label = o->of_rank[list[i].rank];
		}
	}
	const uint64_t width = room.high - room.low + UINT64_C(1);
	v.spread = (uint32_t)min_u64(
		min_u64(count * (width + 2 * (uint64_t)v.away), width + 2 * furthest),
		UINT32_MAX - 1);
	return v;
}

static bool is_far(const struct order *o, uint32_t away)
{
	return away > o->functions / FAR_PART;
}

/* Tells whether a verdict is sure. The more addresses of the section are strange, the likelier is a
 * reference one to another unit's variable. Of global variables, any reference may be. */
static bool is_sure(const struct order *o, const struct order_section *s,
		    const struct order_verdict *v)
{
	if (v->strange || (s->vague && 2 * (s->strange + 1) >= s->judged + FEW_ADDRESSES))
		return false;
	if (v->global)
		return (uint64_t)v->spread * SURE_PART < o->functions;
	return (double)v->spread * (double)(s->strange + 1) * (double)SURE_PART <
	       (double)o->functions * (double)(s->judged + FEW_ADDRESSES);
}

static void judge_section(void *ctx, size_t index, unsigned worker)
{
	const struct order *o = ctx;
	struct order_section *s = &o->sections.data[index];
	point_vec all = { 0 };
	size_t before[ORDER_CHAINS] = { 0 }; /* Points of a chain before the address */
	(void)worker;
	list_points(o, s, &all);
	find_chains(s, &all);
	for (size_t i = 0, end; s->chain_count > 0 && i < all.count; i = end) {
		const uint64_t addr = all.data[i].addr;
		struct order_verdict best = { .spread = UINT32_MAX };
		for (end = i + 1; end < all.count && all.data[end].addr == addr;)
			end++;
		for (size_t k = 0; k < s->chain_count; k++) {
			const point_vec *chain = &s->chains[k];
			while (before[k] < chain->count && chain->data[before[k]].addr < addr)
				before[k]++;
			const struct order_room room = room_from(o, chain, addr, before[k]);
			const struct order_verdict v = judge_by(o, room, all.data + i, end - i);
			if (v.spread < best.spread / (k + 1))
				best = v;
		}
		best.strange = is_far(o, best.away);
		s->judged += !best.global;
		s->strange += best.strange && !best.global;
		vec_push(&s->verdicts, best);
	}
	for (size_t i = 0; i < s->verdicts.count; i++)
		s->verdicts.data[i].sure = is_sure(o, s, &s->verdicts.data[i]);
	vec_release(&all);
}

void order_judge(struct order *o, const struct attr *a, const target_vec *targets,
		 const struct section *const *data, size_t count)
{
	size_t at = 0;
	o->targets = targets;
	o->label_count = a->f->labels->kinds.count;
	o->ranks = mem_zeroed(o->label_count, sizeof *o->ranks);
	memset(o->ranks, 0xff, o->label_count * sizeof *o->ranks);
	order_rank(o, &a->vm, data, count);
	for (size_t i = 0; i < count && o->functions > 0; i++) {
		struct order_section s = { .section = data[i] };
		while (at < targets->count && targets->data[at].addr < data[i]->addr)
			at++;
		for (s.first = at;
		     at < targets->count && targets->data[at].addr - data[i]->addr < data[i]->size;)
			at++;
		s.last = at;
		if (!data[i]->exec)
			vec_push(&o->sections, s);
	}
	parallel_for(a->f->threads, o->sections.count, judge_section, o);
}

/* ---- looking up ------------------------------------------------------------------------------ */

static const struct order_section *order_section_at(const struct order *o, uint64_t addr)
{
	size_t low;
	BISECT(low, 0, o->sections.count, mid, o->sections.data[mid].section->addr <= addr);
	const struct order_section *s = low > 0 ? &o->sections.data[low - 1] : NULL;
	return s && addr - s->section->addr < s->section->size ? s : NULL;
}

const struct order_verdict *order_verdict_next(struct order *o, uint64_t addr)
{
	for (; o->section < o->sections.count; o->section++, o->verdict = 0) {
		const struct order_section *s = &o->sections.data[o->section];
		while (o->verdict < s->verdicts.count && s->verdicts.data[o->verdict].addr < addr)
			o->verdict++;
		if (o->verdict < s->verdicts.count)
			return s->verdicts.data[o->verdict].addr == addr
				       ? &s->verdicts.data[o->verdict]
				       : NULL;
	}
	return NULL;
}

struct order_verdict order_of_pointer(const struct order *o, uint64_t place, label_id owner,
				      uint64_t target)
{
	struct order_verdict v = { target, LABEL_NONE, .spread = UINT32_MAX };
	const struct order_section *to = order_section_at(o, target),
				   *in = order_section_at(o, place);
	const uint32_t rank = rank_of(o, owner);
	struct order_room from = { rank, rank };
	if (!to || to->chain_count == 0)
		return v;
	if (rank == UINT32_MAX) { /* the owner is data */
		if (!in || in->chain_count == 0)
			return v;
		from = room_at(o, &in->chains[0], place);
	}
	const struct order_room room = room_at(o, &to->chains[0], target);
	v.away = rooms_apart(room, from);
	v.spread = (uint32_t)min_u64((uint64_t)(room.high - room.low) + 1 + 2 * (uint64_t)v.away +
					     (from.high - from.low),
				     UINT32_MAX - 1);
	v.strange = is_far(o, v.away);
	v.sure = is_sure(o, to, &v);
	return v;
}

void order_release(struct order *o)
{
	for (size_t i = 0; i < o->sections.count; i++) {
		struct order_section *s = &o->sections.data[i];
		vec_release(&s->verdicts);
		for (size_t k = 0; k < ORDER_CHAINS; k++)
			vec_release(&s->chains[k]);
	}
	vec_release(&o->sections);
	mem_free(o->ranks);
	mem_free(o->of_rank);
}
