#include "blocks/bolt_profile.h"

#include "base/sort.h"
#include "blocks/bolt.h"

struct carrying {
	const struct bolt *x;
	struct profile *to;
	uint64_t lost;             /* counts */
	struct bolt_starts starts; /* of function starts_of */
	uint32_t starts_of;
};

/* PROFILE_OUTSIDE where the old place is not known. */
static uint64_t carry(const struct carrying *c, uint64_t addr, bool branch)
{
	uint32_t function;
	uint64_t from;
	if (addr == PROFILE_OUTSIDE || !bolt_part_at(c->x, addr))
		return addr;
	if (!bolt_translate(c->x, addr, branch, &function, &from) ||
	    c->x->inputs[function] == BOLT_UNKNOWN)
		return PROFILE_OUTSIDE;
	return c->x->inputs[function] + from;
}

static void carry_branches(struct carrying *c, const struct tally *list)
{
	for (size_t i = 0; i < list->pairs.count; i++) {
		const struct tally_pair *k = &list->pairs.data[i];
		const uint64_t from = carry(c, k->a, true), to = carry(c, k->b, false);
		if (from != PROFILE_OUTSIDE || to != PROFILE_OUTSIDE)
			tally_add(&c->to->branches, from, to, k->count, k->extra);
		else
			c->lost += k->count;
	}
}

/* The first pair behind offset `to` of a part that starts a block. */
static size_t next_block(const struct bat_table *t, const struct bat_part *p, uint64_t to)
{
	const struct bat_place *list = t->places.data + p->first;
	size_t low;
	BISECT(low, 0, p->count, mid, list[mid].to <= to);
	while (low < p->count && list[low].branch)
		low++;
	return low;
}

/* Where a run of the output ends in the input: in the block that the pair in front is in, which may
 * have been shorter, for llvm-bolt adds jumps and makes them long. */
static uint64_t carry_end(struct carrying *c, uint32_t function, uint64_t addr)
{
	const uint64_t pair = carry(c, addr, true), to = carry(c, addr, false);
	if (to == PROFILE_OUTSIDE || pair == to)
		return to;
	if (c->starts_of != function)
		bolt_starts_read(c->x, function, &c->starts);
	c->starts_of = function;
	const uint64_t input = c->x->inputs[function];
	size_t low;
	BISECT(low, 0, c->starts.list.count, mid, c->starts.list.data[mid] <= pair - input);
	return low < c->starts.list.count ? min_u64(to, input + c->starts.list.data[low] - 1) : to;
}

/* Control ran from address `first` to `last`.  Each block of the tables on the way is a range of
 * its own, joined with the one in front where it was behind it in the input too. */
static void carry_range(struct carrying *c, uint64_t first, uint64_t last, uint64_t count)
{
	const struct bat_part *p = bolt_part_at(c->x, first);
	uint64_t open = PROFILE_OUTSIDE, at = first;
	while (p && last < p->addr + p->size) {
		const size_t next = next_block(&c->x->bat, p, at - p->addr);
		const struct bat_place *k = &c->x->bat.places.data[p->first + next];
		const bool end = next == p->count || p->addr + k->to > last;
		const uint64_t from = carry(c, at, false);
		const uint64_t stop = end ? last : p->addr + k->to - 1;
		const uint64_t to = carry_end(c, p->function, stop);
		if (from == PROFILE_OUTSIDE || to == PROFILE_OUTSIDE)
			break;
		if (open == PROFILE_OUTSIDE)
			open = from;
		if (end || carry(c, stop + 1, false) != to + 1) {
			if (to >= open)
				tally_add(&c->to->ranges, open, to, count, 0);
			open = PROFILE_OUTSIDE;
		}
		if (end)
			return;
		at = stop + 1;
	}
	if (!p)
		tally_add(&c->to->ranges, first, last, count, 0);
	else
		c->lost += count;
}

void profile_to_input(const struct profile *p, const struct blockmap *b, struct notes *notes,
		      struct profile *ret)
{
	struct carrying c = { .x = b->bolt, .to = ret, .starts_of = UINT32_MAX };
	memset(ret, 0, sizeof *ret);
	ret->samples = p->samples;
	ret->samples_inside = p->samples_inside;
	ret->estimated = p->estimated;
	carry_branches(&c, &p->branches);
	for (size_t i = 0; i < p->ranges.pairs.count; i++)
		carry_range(&c, p->ranges.pairs.data[i].a, p->ranges.pairs.data[i].b,
			    p->ranges.pairs.data[i].count);
	for (size_t i = 0; i < p->addrs.pairs.count; i++) {
		const uint64_t addr = carry(&c, p->addrs.pairs.data[i].a, false);
		if (addr != PROFILE_OUTSIDE)
			tally_add(&ret->addrs, addr, 0, p->addrs.pairs.data[i].count, 0);
		else
			c.lost += p->addrs.pairs.data[i].count;
	}
	vec_release(&c.starts.list);
	tally_sort(&ret->branches);
	tally_sort(&ret->ranges);
	tally_sort(&ret->addrs);
	if (c.lost > 0)
		note(notes, b->image->path, HEFT_NO_OFFSET, 0,
		     "counts of code of which nothing says where it was before llvm-bolt (%" PRIu64
		     ") are left out",
		     c.lost);
}
