/* Counts pairs of numbers in a hash table. */
#include "blocks/tally.h"

#include "base/sort.h"

/* Returns the pair. If it is new, returns NULL and sets *at to where to insert it. */
static struct tally_pair *blocks_tally_find(const struct tally *t, uint64_t a, uint64_t b,
					    struct map_at *at)
{
	uint32_t i;
	*at = map_at(&t->map, hash_pair(a, b));
	while (map_next(&t->map, at, &i))
		if (t->pairs.data[i].a == a && t->pairs.data[i].b == b)
			return &t->pairs.data[i];
	return NULL;
}

void tally_add(struct tally *t, uint64_t a, uint64_t b, uint64_t count, uint64_t extra)
{
	struct map_at at;
	if (count == 0)
		return;
	struct tally_pair *p = blocks_tally_find(t, a, b, &at);
	if (!p) {
		ASSERT(t->pairs.count < UINT32_MAX);
		map_put(&t->map, &at, (uint32_t)t->pairs.count);
		vec_push(&t->pairs, (struct tally_pair){ a, b, count, extra });
		return;
	}
	p->count = add_sat(p->count, count);
	p->extra = add_sat(p->extra, extra);
}

const struct tally_pair *tally_find(const struct tally *t, uint64_t a, uint64_t b)
{
	struct map_at at;
	return blocks_tally_find(t, a, b, &at);
}

static int by_b(const void *x, const void *y)
{
	const struct tally_pair *a = x, *b = y;
	return a->b < b->b ? -1 : a->b > b->b;
}

void tally_sort(struct tally *t)
{
	map_release(&t->map);
	sort_by_key_then(t->pairs.data, t->pairs.count, sizeof *t->pairs.data, by_b);
}

void tally_release(struct tally *t)
{
	vec_release(&t->pairs);
	map_release(&t->map);
}
