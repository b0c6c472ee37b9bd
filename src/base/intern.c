#include "base/intern.h"

/* Finds the id of s. If there is none, returns false, and `at` is where to insert it. */
static inline bool base_intern_find(const struct intern *in, struct str s, struct map_at *at,
				    uint32_t *ret)
{
	while (map_next(&in->ids, at, ret))
		if (str_eq(in->entries.data[*ret], s))
			return true;
	return false;
}

static uint32_t base_intern_add(struct intern *in, struct str s, uint64_t hash, bool copy)
{
	uint32_t id;
	struct map_at at = map_at(&in->ids, hash);
	if (base_intern_find(in, s, &at, &id))
		return id;
	ASSERT(in->entries.count < UINT32_MAX - 1);
	id = (uint32_t)in->entries.count;
	vec_push(&in->entries, copy ? (struct str){ arena_copy(&in->arena, s), s.len } : s);
	map_put(&in->ids, &at, id);
	return id;
}

uint32_t intern_add(struct intern *in, struct str s)
{
	return base_intern_add(in, s, hash_bytes(s.p, s.len), true);
}

uint32_t intern_borrow(struct intern *in, struct str s)
{
	return base_intern_add(in, s, hash_bytes(s.p, s.len), false);
}

uint32_t intern_borrow_hashed(struct intern *in, const struct hashed_text *t)
{
	return base_intern_add(in, t->text, t->hash, false);
}

uint32_t intern_add_hashed(struct intern *in, const struct hashed_text *t)
{
	return base_intern_add(in, t->text, t->hash, true);
}

bool intern_find(const struct intern *in, struct str s, uint32_t *ret)
{
	uint32_t id;
	struct map_at at = map_at(&in->ids, hash_bytes(s.p, s.len));
	if (!base_intern_find(in, s, &at, &id))
		return false;
	*ret = id;
	return true;
}

void intern_release(struct intern *in)
{
	vec_release(&in->entries);
	map_release(&in->ids);
	arena_release(&in->arena);
	memset(in, 0, sizeof *in);
}
