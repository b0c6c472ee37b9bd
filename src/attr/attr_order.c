/* Judges references to data by the order of units. */
#include "attr/attr_order.h"

#include "base/pool.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"

/* Thresholds tuned by bench/fit (gcc, clang, rustc) and on the programs of bench/twins (gcc), for
 * x86-64. docs/accuracy.md has results for other programs. */
enum {
	FAR_PART = 20,      /* A function is far if 1/20 of all functions lie before its unit */
	SURE_PART = 64,     /* A verdict is sure if its probability by chance is below 1/64 */
	WIDE_PART = 8,      /* A verdict tells nothing if its probability by chance is over 1/8 */
	MANY_UNITS = 4,     /* If 4 or more units use a constant, half of the time none of them
			     * defines it */
	OUTSIDE_PART = 4,   /* If more than about 1/4 of a section's addresses contradict the
			     * order of units, none of its verdicts is sure */
	FEW_ADDRESSES = 10, /* Each section counts 10 addresses more, one of which contradicts the
			     * order. So sections with few addresses are rarely sure */
	CHANCE = 2,         /* n references in random order have a rising chain of 2 * sqrt(n) */
	CLEAR = 2           /* A second chain counts if it is twice as long as one by chance */
};

COMPARISON(points_by_rank, struct order_point, ORDER(b->rank, a->rank))

/* Sorts the references to one address by insertion. Usually there are few references, or few of
 * them are out of order. */
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

/* Completes the list of references to one address: points from `start` on. Sorts them by falling
 * rank, each function once. So a chain of rising ranks takes at most one of them. */
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

/* Returns the rank of a function to which the data in [addr, end) point. Returns UINT32_MAX if they
 * point to no function or to functions of several unit groups. *at: index of the next pointer */
static uint32_t pointee_rank(const struct order *o, uint64_t addr, uint64_t end, size_t *at)
{
	const struct pointer_place *list = o->pointers->places.data;
	const size_t count = o->pointers->places.count;
	uint32_t ret = UINT32_MAX;
	bool one = true;
	for (; *at < count && list[*at].addr < end; ++*at) {
		const uint64_t to = list[*at].to;
		const uint32_t rank = one && list[*at].addr >= addr && pointee_is_code(to)
					      ? code_order_rank(&o->code, spans_label(o->vm, to))
					      : UINT32_MAX;
		if (rank == UINT32_MAX)
			continue;
		one = ret == UINT32_MAX || o->code.groups[ret] == o->code.groups[rank];
		ret = rank;
	}
	return one ? ret : UINT32_MAX;
}

/* Keeps only those references to one address whose function is of a kind: kinds[rank] == kind. They
 * begin at index `start`. Keeps all and returns false if none is of the kind. */
static bool points_keep(point_vec *points, size_t start, const uint32_t *kinds, uint32_t kind)
{
	size_t kept = start;
	for (size_t i = start; i < points->count; i++)
		if (kinds[points->data[i].rank] == kind)
			points->data[kept++] = points->data[i];
	if (kept > start)
		points->count = kept;
	return kept > start;
}

/* Narrows down the references to the data at `addr`, from index `start` on. Of writable data, keeps
 * those of startup functions. If the data point to a function (rank `pointee`), keeps those of its
 * unit group; if there are none, adds a weak reference by the function. */
static void points_of_data(const struct order *o, const struct section *in, uint64_t addr,
			   uint32_t pointee, point_vec *points, size_t start)
{
	if (in->write)
		points_keep(points, start, o->code.startup, 1);
	if (pointee != UINT32_MAX &&
	    !points_keep(points, start, o->code.groups, o->code.groups[pointee]))
		vec_push(points,
			 (struct order_point){ addr, pointee, .pointee = true, .weak = true });
}

/* Marks a reference to an address as weak if its function also refers to the previous address.
 * Points [before, start) are references to the previous address. Points from `start` on are those
 * to the address itself. */
static void points_weaken(point_vec *points, size_t before, size_t start)
{
	struct order_point *list = points->data;
	for (size_t i = start, k = before; i < points->count; i++) {
		while (k < start && list[k].rank > list[i].rank)
			k++;
		list[i].weak |= k < start && list[k].rank == list[i].rank;
	}
}

/* Lists the references to a section, sorted by address. The references to one address are mostly in
 * code order already. */
static void list_points(const struct order *o, const struct order_section *s, point_vec *ret)
{
	const struct target *list = o->targets->data;
	size_t before = 0,
	       pointer = lower_bound(o->pointers->places.data, o->pointers->places.count,
				     sizeof *o->pointers->places.data, s->section->addr);
	vec_reserve(ret, s->last - s->first);
	for (size_t i = s->first; i < s->last;) {
		const uint64_t addr = list[i].addr;
		const size_t start = ret->count;
		for (; i < s->last && list[i].addr == addr; i++) {
			const bool by_got = list[i].why == WHY_GOT;
			const uint32_t rank = code_order_rank(&o->code, list[i].label);
			if ((list[i].why == WHY_CODE_REF || by_got) && !list[i].weak &&
			    rank != UINT32_MAX)
				vec_push(ret, (struct order_point){ addr, rank, by_got });
		}
		const uint64_t end = i < s->last ? list[i].addr
						 : s->section->addr + s->section->size;
		const uint32_t pointee = pointee_rank(o, addr, end, &pointer);
		points_of_data(o, s->section, addr, pointee, ret, start);
		points_end(ret, start);
		if (ret->count > start + 1)
			points_weaken(ret, before, start);
		before = start;
	}
}

/* Returns the number of ranks that are at most `rank`, in a sorted list. Uses no branch on ranks,
 * because `rank` is different each time and a branch would be predicted wrong. */
static size_t ranks_until(const uint32_t *ranks, size_t count, uint32_t rank)
{
	size_t at = 0;
	for (; count > 1; count -= count / 2)
		at += ranks[at + count / 2 - 1] <= rank ? count / 2 : 0;
	return at + (count > 0 && ranks[at] <= rank);
}

/* Finds the longest chain of points whose ranks never fall, and moves it to *ret. Removes the other
 * references to its addresses. */
static void take_chain(point_vec *points, point_vec *ret)
{
	const size_t n = points->count;
	uint32_t *before = mem_zeroed(n, sizeof *before); /* Index of the previous point, plus 1 */
	uint32_t *ends = mem_zeroed(n, sizeof *ends);     /* ends[i]: index of the last point of the
							   * best chain of i + 1 points */
	uint32_t *ranks = mem_zeroed(n, sizeof *ranks);   /* ranks[i]: rank of the point ends[i] */
	size_t length = 0, at = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t rank = points->data[i].rank;
		/* Points with the same address have falling ranks, so a chain takes only one. */
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
	size_t i = length > 0 ? ends[length - 1] + 1 : 0, kept = 0;
	for (size_t k = length; k-- > 0; i = before[i - 1])
		ret->data[k] = points->data[i - 1];
	ASSERT(i == 0);
	at = 0;
	for (size_t k = 0; k < n; k++) {
		const uint64_t addr = points->data[k].addr;
		while (at < length && ret->data[at].addr < addr)
			at++;
		if (at == length || ret->data[at].addr > addr)
			points->data[kept++] = points->data[k];
	}
	points->count = kept;
	mem_free_all(before, ends, ranks);
}

static bool is_clear(size_t length, size_t of)
{
	return length * length >= (size_t)(CLEAR * CLEAR * CHANCE * CHANCE) * of;
}

/* Returns the index after the last reference to the address of reference i. */
static size_t points_of_address(const point_vec *points, size_t i)
{
	const uint64_t addr = points->data[i].addr;
	while (i < points->count && points->data[i].addr == addr)
		i++;
	return i;
}

/* Returns how many unit groups refer to an address. `list`: the references, by falling rank. */
static uint32_t units_using(const struct order *o, const struct order_point *list, size_t count)
{
	uint32_t ret = !list[0].pointee, last = o->code.groups[list[0].rank];
	for (size_t i = 1; i < count; i++) {
		const uint32_t group = o->code.groups[list[i].rank];
		ret += !list[i].pointee && group != last;
		last = group;
	}
	return ret;
}

/* Finds the chains of a section: series of variables whose units ascend. Leaves out variables whose
 * references do not show the unit: those in the GOT, and those that several units use. */
static void find_chains(const struct order *o, struct order_section *s, const point_vec *all)
{
	point_vec points = { 0 };
	vec_reserve(&points, all->count);
	for (size_t i = 0, end; i < all->count; i = end) {
		end = points_of_address(all, i);
		const bool shared = units_using(o, all->data + i, end - i) > 1;
		for (size_t k = i; k < end && !shared; k++)
			if (!all->data[k].by_got)
				vec_push(&points, all->data[k]);
	}
	while (s->chain_count < ORDER_CHAINS && points.count > 0 && points.count < UINT32_MAX) {
		point_vec *chain = &s->chains[s->chain_count];
		size_t of = 0;
		for (size_t i = 0; i < points.count; i = points_of_address(&points, i))
			of++;
		take_chain(&points, chain);
		if (s->chain_count > 0 && !is_clear(chain->count, of))
			break;
		s->chain_count++;
	}
	vec_release(&points);
}

/* Range of functions, from rank `low` to rank `high` inclusive. See struct code_order for ranks */
struct order_room {
	uint32_t low, high;
};

/* Returns the ranks between which a chain places the unit of an address: the ranks of the chain's
 * points before and after it. `at`: number of points before the address. */
static struct order_room room_from(const struct order *o, const point_vec *chain, uint64_t addr,
				   size_t at)
{
	struct order_room room = { at > 0 ? chain->data[at - 1].rank : 0, o->code.count - 1 };
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

/* Returns the number of functions between two ranges of functions. 0 if they overlap. */
static uint32_t rooms_apart(struct order_room a, struct order_room b)
{
	return b.high < a.low ? a.low - b.high : b.low > a.high ? b.low - a.high : 0;
}

/* Returns true if the two ranges of functions have no unit in common. */
static bool is_outside(const struct order *o, struct order_room room, struct order_room of)
{
	const uint32_t *groups = o->code.groups;
	return groups[of.high] < groups[room.low] || groups[of.low] > groups[room.high];
}

static bool is_far(const struct order *o, uint32_t away)
{
	return away > o->code.count / FAR_PART;
}

/* Judges how far the users of an address are from its likely unit. `room`: range of functions among
 * which a chain places the unit. `of`: range of the users. */
static struct order_verdict judge_room(const struct order *o, struct order_room room,
				       struct order_room of)
{
	struct order_verdict v = { .label = LABEL_NONE };
	v.away = rooms_apart(room, of);
	const uint64_t spread = (room.high - room.low) + UINT64_C(1) + 2 * (uint64_t)v.away +
				(of.high - of.low);
	v.spread = (uint32_t)min_u64(spread, UINT32_MAX - 1);
	v.outside = is_outside(o, room, of);
	return v;
}

/* Judges one address. `room`: range of functions among which a chain places its unit. `list`: the
 * functions that refer to it. Chooses the function nearest to the range, and among equals the one
 * with the lowest rank. */
static struct order_verdict judge_by(const struct order *o, struct order_room room,
				     const struct order_point *list, size_t count)
{
	size_t best = 0;
	uint32_t away = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		const uint32_t one = rooms_apart(room,
						 (struct order_room){ list[i].rank, list[i].rank });
		if (one < away || (one == away && list[i].weak <= list[best].weak)) {
			away = one;
			best = i;
		}
	}
	const uint32_t rank = list[best].rank;
	struct order_verdict v = judge_room(o, room, (struct order_room){ rank, rank });
	v.label = o->code.of_rank[rank];
	v.pointee = list[best].pointee;
	for (size_t i = 0; i < count; i++)
		v.units += list[i].pointee && i != best &&
			   !is_outside(o, room, (struct order_room){ list[i].rank, list[i].rank });
	return v;
}

/* Returns true if most addresses of the section agree with the order of units. */
static bool is_ordered(const struct order_section *s)
{
	return OUTSIDE_PART * (s->outside + 1) <= s->judged + FEW_ADDRESSES;
}

/* True if the linker merged the section's constants, and so changed their order. */
static bool is_merged(const struct order_section *s)
{
	return (s->section->flags & SHF_MERGE) && !is_ordered(s);
}

/* True if a function of another unit would fit with a probability below 1/part. The probability is
 * higher if many of the section's addresses contradict the chain: then many references go to
 * variables of other units. */
static bool is_unlikely(const struct order *o, const struct order_section *s,
			const struct order_verdict *v, unsigned part)
{
	return (double)v->spread * (double)(s->outside + 1) * part <
	       (double)o->code.count * (double)(s->judged + FEW_ADDRESSES);
}

/* Returns true if the address is unlikely to belong to the unit of the function v->label. */
static bool is_strange(const struct order *o, const struct order_section *s,
		       const struct order_verdict *v)
{
	if (!o->code.told || is_merged(s))
		return v->global && is_far(o, v->away);
	return !is_unlikely(o, s, v, WIDE_PART) ||
	       (v->units >= MANY_UNITS && !s->section->nobits) ||
	       (v->outside && (v->units > 1 || v->global || is_far(o, v->away)));
}

static bool is_sure(const struct order *o, const struct order_section *s,
		    const struct order_verdict *v)
{
	return !v->outside && v->units <= 1 && !v->global && is_ordered(s) &&
	       is_unlikely(o, s, v, SURE_PART);
}

/* Judges an address by the chain that fits best. `before`: per chain, the number of its points
 * before the address. */
static struct order_verdict judge_address(const struct order *o, const struct order_section *s,
					  const size_t before[ORDER_CHAINS],
					  const struct order_point *list, size_t count)
{
	struct order_verdict best = { 0 };
	for (size_t k = 0; k < s->chain_count; k++) {
		const struct order_room room = room_from(o, &s->chains[k], list->addr, before[k]);
		const struct order_verdict v = judge_by(o, room, list, count);
		if (k == 0 || v.outside < best.outside ||
		    (v.outside == best.outside && v.spread < best.spread / (k + 1)))
			best = v;
	}
	best.addr = list->addr;
	best.global = true;
	for (size_t i = 0; i < count; i++)
		best.global &= list[i].by_got;
	best.units += units_using(o, list, count);
	return best;
}

static void judge_section(void *ctx, size_t index, unsigned worker)
{
	const struct order *o = ctx;
	struct order_section *s = &o->sections.data[index];
	point_vec all = { 0 };
	size_t before[ORDER_CHAINS] = { 0 };
	(void)worker;
	list_points(o, s, &all);
	find_chains(o, s, &all);
	vec_reserve(&s->verdicts, all.count);
	for (size_t i = 0, end; s->chain_count > 0 && i < all.count; i = end) {
		end = points_of_address(&all, i);
		for (size_t k = 0; k < s->chain_count; k++) {
			const point_vec *chain = &s->chains[k];
			while (before[k] < chain->count &&
			       chain->data[before[k]].addr < all.data[i].addr)
				before[k]++;
		}
		const struct order_verdict v = judge_address(o, s, before, all.data + i, end - i);
		const bool clear = !v.global && v.units == 1;
		s->judged += clear;
		s->outside += clear && v.outside;
		if (!v.pointee || !v.outside)
			vec_push(&s->verdicts, v);
	}
	vec_each(struct order_verdict, v, &s->verdicts) {
		v->strange = is_strange(o, s, v);
		v->sure = is_sure(o, s, v);
	}
	vec_release(&all);
}

/* Marks the functions that .init_array lists. */
static void startup_read(struct order *o, const struct image *im)
{
	const struct pointer_place *list = o->pointers->places.data;
	const size_t count = o->pointers->places.count;
	const struct section *s = image_section_type(im, SHT_INIT_ARRAY, 1);
	o->code.startup = mem_zeroed(o->code.count, sizeof *o->code.startup);
	for (size_t i = s ? lower_bound(list, count, sizeof *list, s->addr) : count;
	     i < count && list[i].addr - s->addr < s->size; i++) {
		const uint32_t rank = code_order_rank(&o->code, spans_label(o->vm, list[i].to));
		if (rank != UINT32_MAX)
			o->code.startup[rank] = 1;
	}
}

void order_judge(struct order *o, const struct attr *a, const target_vec *targets,
		 const struct section *const *data, size_t count)
{
	static const struct vtables none = { 0 };
	size_t at = 0;
	o->targets = targets;
	o->vm = &a->vm;
	/* An object of GHC begins with a pointer to code of its constructor, not of its unit. */
	if (attr_is_ghc(a))
		o->pointers = &none;
	startup_read(o, a->im);
	for (size_t i = 0; i < count && o->code.count > 0; i++) {
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

enum why order_why(const struct order_verdict *v)
{
	if (v->strange && !v->sure)
		return WHY_AFTER;
	if (v->pointee)
		return v->sure ? WHY_DATA_ORDER : WHY_DATA_REF;
	return v->sure ? WHY_CODE_ORDER : WHY_CODE_REF;
}

struct order_verdict order_of_pointer(const struct order *o, uint64_t place, label_id owner,
				      uint64_t target)
{
	struct order_verdict v = { target, LABEL_NONE, .spread = UINT32_MAX };
	const struct order_section *to = order_section_at(o, target),
				   *in = order_section_at(o, place);
	const uint32_t rank = code_order_rank(&o->code, owner);
	struct order_room from = { rank, rank };
	if (!to || to->chain_count == 0)
		return v;
	if (rank == UINT32_MAX) { /* The owner is data, not code. */
		if (!in || in->chain_count == 0)
			return v;
		from = room_at(o, &in->chains[0], place);
	}
	v = judge_room(o, room_at(o, &to->chains[0], target), from);
	v.addr = target;
	v.strange = v.outside && (is_far(o, v.away) || (o->code.told && is_ordered(to)));
	v.sure = is_sure(o, to, &v);
	return v;
}

void order_release(struct order *o)
{
	vec_each(struct order_section, s, &o->sections) {
		vec_release(&s->verdicts);
		for (size_t k = 0; k < ORDER_CHAINS; k++)
			vec_release(&s->chains[k]);
	}
	vec_release(&o->sections);
	code_order_release(&o->code);
}

/* Limits for finding the order of functions. */
enum {
	UNIT_ALIGN = 8,   /* Alignment of the last unwind entry of a unit */
	RARE = 1024,      /* If fewer entries than 1 in 1024 have padding, `ld -r` removed it */
	GROUP_MOST = 2048 /* In a longer group, the first entry that may be a unit's last one
			   * ends the group */
};

uint32_t code_order_rank(const struct code_order *o, label_id label)
{
	return label < o->label_count ? o->ranks[label] - 1 : UINT32_MAX;
}

/* Appends a function. Skips stubs: a stub has the label of its target. If a label has several
 * pieces of code, uses the largest. */
static void function_add(struct code_order *o, uint64_t *sizes, label_id label, uint64_t size)
{
	const uint32_t rank = o->count++;
	o->of_rank[rank] = label;
	sizes[rank] = size;
	if (label == LABEL_NONE || size == 0)
		return;
	ASSERT(label < o->label_count);
	if (o->ranks[label] == 0 || size > sizes[o->ranks[label] - 1])
		o->ranks[label] = rank + 1;
}

/* Ranks functions by address. Each function is a group of its own. */
static void functions_by_address(struct code_order *o, const struct attr *a,
				 const struct section *const *data, size_t count)
{
	const struct spans *vm = &a->vm;
	const size_t most = vm->list.count < UINT32_MAX ? vm->list.count : 0;
	uint64_t *sizes = mem_alloc(most * sizeof *sizes);
	o->of_rank = mem_zeroed(most, sizeof *o->of_rank);
	o->groups = mem_zeroed(most, sizeof *o->groups);
	for (size_t i = 0; i < count && most > 0; i++) {
		if (!data[i]->exec)
			continue;
		for (size_t k = spans_from(vm, data[i]->addr); k < vm->list.count; k++) {
			const struct span *s = &vm->list.data[k];
			if (s->start - data[i]->addr >= data[i]->size || o->count == most)
				break;
			o->groups[o->count] = o->count;
			function_add(o, sizes, s->label, s->size);
		}
	}
	mem_free(sizes);
}

static bool may_be_last(const struct fde *d)
{
	return (d->off + d->bytes) % UNIT_ALIGN == 0;
}

/* Returns true if the unwind entries show the ends of units. */
static bool units_are_told(const fde_vec *fdes)
{
	size_t within = 0, last = 0;
	for (size_t i = 0; i < fdes->count; i++) {
		within += !may_be_last(&fdes->data[i]);
		last += fdes->data[i].padded;
	}
	return within > 0 && last > 0 && last >= fdes->count / RARE && fdes->count < UINT32_MAX;
}

static void groups_number(struct code_order *o, const fde_vec *fdes)
{
	uint32_t group = 0;
	for (size_t start = 0, end; start < fdes->count; start = end) {
		for (end = start + 1; end < fdes->count && !fdes->data[end - 1].padded;)
			end++;
		const bool every = end - start > GROUP_MOST;
		for (size_t i = start; i < end; i++) {
			o->groups[i] = group;
			group += i + 1 == end || (every && may_be_last(&fdes->data[i]));
		}
	}
}

static bool is_code(const struct section *const *data, size_t count, uint64_t addr)
{
	size_t low;
	BISECT(low, 0, count, mid, data[mid]->addr <= addr);
	return low > 0 && data[low - 1]->exec && addr - data[low - 1]->addr < data[low - 1]->size;
}

static void functions_by_entry(struct code_order *o, const struct attr *a,
			       const struct section *const *data, size_t count)
{
	const fde_vec *fdes = &a->scratch->fdes;
	struct span_cursor cursor = { &a->vm, 0 };
	uint64_t *sizes = mem_alloc(fdes->count * sizeof *sizes);
	o->of_rank = mem_zeroed(fdes->count, sizeof *o->of_rank);
	o->groups = mem_zeroed(fdes->count, sizeof *o->groups);
	vec_each(const struct fde, d, fdes) {
		function_add(o, sizes,
			     is_code(data, count, d->addr) ? cursor_label(&cursor, d->addr)
							   : LABEL_NONE,
			     d->size);
	}
	mem_free(sizes);
	groups_number(o, fdes);
}

void code_order_read(struct code_order *o, const struct attr *a, const struct section *const *data,
		     size_t count)
{
	ASSERT(o->count == 0);
	o->label_count = a->f->labels->kinds.count;
	o->ranks = mem_zeroed(o->label_count, sizeof *o->ranks);
	o->told = units_are_told(&a->scratch->fdes);
	if (o->told)
		functions_by_entry(o, a, data, count);
	else
		functions_by_address(o, a, data, count);
}

void code_order_release(struct code_order *o)
{
	mem_free_all(o->ranks, o->of_rank, o->groups, o->startup);
}
