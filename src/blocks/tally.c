#include "blocks/tally.h"

#include "base/sort.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 4096 };

static size_t slot_of(const struct tally *t, uint64_t a, uint64_t b)
{
	/* Odd numbers without a pattern, as for any multiplicative hash; the high bits are the good
	 * ones. */
	const uint64_t h = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xd6e8feb86659fd93);
	size_t i = (size_t)(h ^ h >> 32) & (t->slots - 1);
	while (t->pairs[i].count > 0 && (t->pairs[i].a != a || t->pairs[i].b != b))
		i = (i + 1) & (t->slots - 1);
	return i;
}

static void grow(struct tally *t)
{
	const struct tally old = *t;
	t->slots = old.slots ? old.slots * 2 : SLOTS_FIRST;
	t->pairs = xcalloc(t->slots, sizeof *t->pairs);
	for (size_t i = 0; i < old.slots; i++)
		if (old.pairs[i].count > 0)
			t->pairs[slot_of(t, old.pairs[i].a, old.pairs[i].b)] = old.pairs[i];
	free(old.pairs);
}

void tally_add(struct tally *t, uint64_t a, uint64_t b, uint64_t count, uint64_t extra)
{
	if (count == 0)
		return;
	if (t->used >= t->slots / 2)
		grow(t);
	struct tally_pair *p = &t->pairs[slot_of(t, a, b)];
	t->used += p->count == 0;
	*p = (struct tally_pair){ a, b, add_sat(p->count, count), add_sat(p->extra, extra) };
}

const struct tally_pair *tally_find(const struct tally *t, uint64_t a, uint64_t b)
{
	if (t->used == 0)
		return NULL;
	const struct tally_pair *p = &t->pairs[slot_of(t, a, b)];
	return p->count > 0 ? p : NULL;
}

static int by_b(const void *x, const void *y)
{
	const struct tally_pair *a = x, *b = y;
	return a->b < b->b ? -1 : a->b > b->b;
}

void tally_sort(struct tally *t)
{
	size_t n = 0;
	for (size_t i = 0; i < t->slots; i++)
		if (t->pairs[i].count > 0)
			t->pairs[n++] = t->pairs[i];
	sort_by_key_then(t->pairs, n, sizeof *t->pairs, by_b);
}

void tally_release(struct tally *t)
{
	free(t->pairs);
	memset(t, 0, sizeof *t);
}
