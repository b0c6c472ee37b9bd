/* size_pairs.h - pairs items whose size occurs once on each side.
 *
 * The bounds of nameless data are guesses, so its names prove little. A size that only one item of
 * each side has is stronger evidence. O(items). One thread. */
#ifndef HEFT_COMPARE_SIZE_PAIRS_H
#define HEFT_COMPARE_SIZE_PAIRS_H

#include "base/intern.h"
#include "base/vec.h"

struct size_pair {
	uint32_t item[2];  /* The last item of each side: [0] before, [1] after */
	uint32_t count[2]; /* Number of items of each side */
};

struct size_pairs {
	struct intern keys;
	VEC(struct size_pair) list; /* One per size and place */
};

/* Adds an item. Two items are paired only if their places are equal. */
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
