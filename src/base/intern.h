/* intern.h - stores each distinct string once and numbers it.
 *
 * Ids count from 0 in the order of first use. Strings are copied, except those of
 * intern_borrow(), which must outlive the table. O(1), about 150-350 ns for a long new name. One
 * thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

/* A text, and its hash_bytes() that another thread has computed. text.p is NULL if there is none */
struct hashed_text {
	struct str text;
	uint64_t hash;
};

struct intern {
	VEC(struct str) entries; /* Text of each id. Copied texts end with NUL */
	struct map ids;
	struct arena arena;
};

uint32_t intern_add(struct intern *in, struct str s);
uint32_t intern_borrow(struct intern *in, struct str s);
uint32_t intern_borrow_hashed(struct intern *in, const struct hashed_text *t);
uint32_t intern_add_hashed(struct intern *in, const struct hashed_text *t);
bool intern_find(const struct intern *in, struct str s, uint32_t *ret);

static inline struct str intern_get(const struct intern *in, uint32_t id)
{
	ASSERT(id < in->entries.count);
	return in->entries.data[id];
}

void intern_release(struct intern *in);
