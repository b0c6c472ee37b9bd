/* map.h - a hash map from a key of any kind to the number of an entry that the owner keeps.
 *
 * The owner keeps the entries in an array, keys included, and computes a key's hash with one of the
 * functions below.  The map leads from a hash to the numbers that were put in under it; the owner
 * compares the keys:
 *
 *	uint32_t id;
 *	struct map_at at = map_at(&m, hash_u64(key));
 *	while (map_next(&m, &at, &id))
 *		if (entries.data[id].key == key)
 *			return id;
 *	vec_push(&entries, (struct entry){ key });
 *	map_put(&m, &at, (uint32_t)entries.count - 1);
 *
 * Whoever walks all entries walks the array: no output depends on the order of hashes.  Single
 * entries cannot be removed.
 *
 * Cost: a slot of 8 bytes holds 32 bits of the hash beside the number, so a look-up reads one run
 * of slots and, nearly always, no entry but the one it is for.  Linear probing from the upper bits
 * of the hash; at most three quarters of the slots are taken, so an entry costs 11 to 22 bytes.
 * The map doubles in one pass from front to back and asks for no key.
 * Quality: keys that differ in any bit differ in about half the bits of their hash.  Hashes depend
 * on where the process was loaded: no file can be made whose keys collide in every process, and a
 * hash must not outlive the process.
 * Ownership: the map owns its slots alone; a zeroed struct is an empty map.
 * Threads: one at a time, or any number that only look up. */
#ifndef HEFT_BASE_MAP_H
#define HEFT_BASE_MAP_H

#include "base/base.h"
#include "base/wide.h"

struct map {
	uint64_t *slots; /* hash >> 32 << 32 | number + 1; 0: free */
	size_t count;    /* entries */
	unsigned bits;   /* there are 2^bits slots, none while slots is NULL */
};

/* ---- hashes ---------------------------------------------------------------------------------- */

#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

/* Its address is the seed. */
extern const char hash_anchor;

static inline uint64_t hash_seed(void)
{
	return (uintptr_t)&hash_anchor * HASH_ODD_2;
}

/* All bits of the product of a and b, folded to 64. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	const struct wide product = wide_product(a, b);
	return product.low ^ product.high;
}

/* Twice: one product leaves keys of a pattern, such as addresses 16 bytes apart, in heaps for some
 * seeds. */
static inline uint64_t hash_u64(uint64_t key)
{
	return hash_mix(hash_mix(key ^ hash_seed(), HASH_ODD_1), HASH_ODD_2);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(hash_mix(a, HASH_ODD_1) ^ b);
}

/* About 0.3 ns a byte. */
uint64_t hash_bytes(const void *p, size_t size);

/* ---- the map --------------------------------------------------------------------------------- */

/* Where a look-up stands. */
struct map_at {
	uint32_t tag; /* upper half of the hash */
	uint32_t place;
};

static inline uint32_t map_place(const struct map *m, uint32_t tag)
{
	return (uint32_t)((uint64_t)tag << m->bits >> 32);
}

static inline struct map_at map_at(const struct map *m, uint64_t hash)
{
	const uint32_t tag = (uint32_t)(hash >> 32);
	return (struct map_at){ tag, map_place(m, tag) };
}

/* The next number that was put in under the hash; false where there is none left. */
static inline bool map_next(const struct map *m, struct map_at *at, uint32_t *ret)
{
	if (!m->slots)
		return false;
	const uint32_t mask = (uint32_t)((UINT64_C(1) << m->bits) - 1);
	for (;; at->place = (at->place + 1) & mask) {
		const uint64_t slot = m->slots[at->place];
		if (slot == 0)
			return false;
		if (slot >> 32 == at->tag) {
			at->place = (at->place + 1) & mask;
			*ret = (uint32_t)slot - 1;
			return true;
		}
	}
}

/* Doubles the map and moves `at` to the free slot that is now the one for it. */
void map_grow(struct map *m, struct map_at *at);

/* Puts a number in where map_next ended with false.  The number is below UINT32_MAX. */
static inline void map_put(struct map *m, struct map_at *at, uint32_t number)
{
	if (!m->slots || m->count >= (size_t)3 << m->bits >> 2)
		map_grow(m, at);
	m->slots[at->place] = (uint64_t)at->tag << 32 | (number + 1);
	m->count++;
}

/* The same where the owner knows that the key is not in yet. */
static inline void map_add(struct map *m, uint64_t hash, uint32_t number)
{
	uint32_t other;
	struct map_at at = map_at(m, hash);
	while (map_next(m, &at, &other))
		;
	map_put(m, &at, number);
}

/* Makes room for `count` entries in all. */
void map_reserve(struct map *m, size_t count);

/* Fetches the slots that a look-up will begin with; worth it some 10 to 20 look-ups ahead. */
static inline void map_prefetch(const struct map *m, uint64_t hash)
{
	if (m->slots)
		__builtin_prefetch(&m->slots[map_place(m, (uint32_t)(hash >> 32))]);
}

/* Takes all entries out.  Costs what was put in since the last time, whatever was before. */
void map_clear(struct map *m);
void map_release(struct map *m);

#endif
