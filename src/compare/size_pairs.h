/* size_pairs.h - pairs items whose size occurs once in each of two snapshots.
 *
 * The items are nameless data, whose bounds are guesses. If exactly one item of each snapshot has a
 * size, they are probably the same data. O(items). One thread. */
#ifndef HEFT_COMPARE_SIZE_PAIRS_H
#define HEFT_COMPARE_SIZE_PAIRS_H

#include "base/intern.h"
#include "base/vec.h"

struct size_pair {
	uint32_t item[2];  /* Last item of this size in each snapshot. [0] before, [1] after */
	uint32_t count[2]; /* Number of items of this size. [0] before, [1] after */
};

struct size_pairs {
	struct intern keys;
	VEC(struct size_pair) list; /* One per size and place (see size_pairs_add()) */
};

/* Adds an item of a snapshot (`side`). Only items with the same `place` are paired. */
static inline void size_pairs_add(struct size_pairs *z, size_t side, uint32_t item, uint64_t place,
				  uint64_t size)
{
	const uint64_t key[] = { place, size };
	const uint32_t id = intern_add(&z->keys, (struct str){ (const char *)key, sizeof key });
	ASSERT(side < 2);
	if (id == z->list.count)
		vec_push(&z->list, (struct size_pair){ { 0 }, { 0 } });
	z->list.data[id].item[side] = item;
	z->list.data[id].count[side]++;
}

static inline bool size_pair_is_sure(const struct size_pair *p)
{
	return p->count[0] == 1 && p->count[1] == 1;
}

static inline void size_pairs_release(struct size_pairs *z)
{
	intern_release(&z->keys);
	vec_release(&z->list);
}

#endif
