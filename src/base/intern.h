/* intern.h - each distinct string once, as a small number.
 *
 * Ids count up from 0 in the order of first sight.  Strings are copied unless the
 * caller promises that they outlive the table (intern_borrow).  O(1), about
 * 150-350 ns for a long new name.  One thread at a time. */
#ifndef HEFT_BASE_INTERN_H
#define HEFT_BASE_INTERN_H

#include "base/arena.h"
#include "base/vec.h"

struct intern_entry {
	struct str text; /* NUL-terminated where it was copied */
	uint64_t hash;
};

struct intern {
	VEC(struct intern_entry) entries; /* by id */
	uint32_t *slots;                  /* id + 1, or 0 */
	size_t slot_count;                /* a power of two, or 0 */
	struct arena arena;
};

uint64_t hash_bytes(const void *p, size_t size);

uint32_t intern_add(struct intern *in, struct str s);
uint32_t intern_borrow(struct intern *in, struct str s);
/* The same where another thread has computed hash_bytes of s. */
uint32_t intern_borrow_hashed(struct intern *in, struct str s, uint64_t hash);
/* Fetches what a look-up will need; worth it some 10 to 20 look-ups ahead. */
static inline void intern_prefetch(const struct intern *in, uint64_t hash)
{
	if (in->slot_count > 0)
		__builtin_prefetch(&in->slots[hash & (in->slot_count - 1)]);
}
/* False where s was never added. */
bool intern_find(const struct intern *in, struct str s, uint32_t *ret);

static inline struct str intern_get(const struct intern *in, uint32_t id)
{
	ASSERT(id < in->entries.count);
	return in->entries.data[id].text;
}

void intern_release(struct intern *in);

#endif
