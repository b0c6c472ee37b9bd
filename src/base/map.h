/* map.h - maps hashes of keys of any kind to numbers of entries that the owner keeps.
 *
 * The owner keeps the entries in an array, with their keys, and computes a key's hash with one of
 * the functions below. The map finds the numbers that were stored under a hash. The owner compares
 * the keys:
 *
 * 	uint32_t id;
 * 	struct map_at at = map_at(&m, hash_u64(key));
 * 	while (map_next(&m, &at, &id))
 * 		if (entries.data[id].key == key)
 * 			return id;
 * 	vec_push(&entries, (struct entry){ key });
 * 	map_put(&m, &at, (uint32_t)entries.count - 1);
 *
 * To visit all entries, walk the array; so output never depends on the order of hashes. Single
 * entries cannot be removed.
 *
 * Cost: a slot of 8 bytes holds the number and 32 bits of the hash. So a look-up reads one run of
 * slots, and rarely an entry with another key. Linear probing starts at the upper bits of the hash.
 * At most three quarters of the slots are used, so an entry costs 11 to 22 bytes. The map doubles
 * in one pass and does not need the keys. Quality: keys that differ in one bit differ in about half
 * the bits of their hashes. Hashes depend on the load address of the process. So no file can have
 * keys that collide in every process, and a hash must not outlive the process. Ownership: the map
 * owns only its slots. A zeroed struct is an empty map. Threads: one at a time, or several that
 * only look up. */
#pragma once

#include "base/base.h"
#include "base/wide.h"

struct map {
	uint64_t *slots; /* (hash >> 32) << 32 | number + 1. 0: free */
	size_t count;
	unsigned bits; /* There are 2^bits slots, or none */
};

#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

/* Its address seeds the hashes, because the loader chooses it at random. */
extern const char hash_anchor;

static inline uint64_t hash_seed(void)
{
	return (uintptr_t)&hash_anchor * HASH_ODD_2;
}

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	const struct wide product = wide_product(a, b);
	return product.low ^ product.high;
}

/* Hashes a number. Mixes twice: after one product, regular keys, such as addresses 16 bytes apart,
 * often collide for some seeds. */
static inline uint64_t hash_u64(uint64_t key)
{
	return hash_mix(hash_mix(key ^ hash_seed(), HASH_ODD_1), HASH_ODD_2);
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(hash_mix(a, HASH_ODD_1) ^ b);
}

/* Hashes bytes, in about 0.3 ns per byte. */
uint64_t hash_bytes(const void *p, size_t size);

/* Position of a look-up in the slots */
struct map_at {
	uint32_t tag; /* Upper half of the hash */
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

/* Finds the next number that was stored under the hash. False if there is none. */
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

/* Doubles the map, and moves `at` to the free slot for its hash. */
void map_grow(struct map *m, struct map_at *at);

/* Stores a number, below UINT32_MAX, where map_next() has returned false. */
static inline void map_put(struct map *m, struct map_at *at, uint32_t number)
{
	if (!m->slots || m->count >= (size_t)3 << m->bits >> 2)
		map_grow(m, at);
	m->slots[at->place] = (uint64_t)at->tag << 32 | (number + 1);
	m->count++;
}

/* Stores a number under a hash. The key must be new. */
static inline void map_add(struct map *m, uint64_t hash, uint32_t number)
{
	uint32_t other;
	struct map_at at = map_at(m, hash);
	while (map_next(m, &at, &other))
		;
	map_put(m, &at, number);
}

/* Makes room for `count` entries in total. */
void map_reserve(struct map *m, size_t count);

/* Prefetches what a look-up reads first. Call it 10 to 20 look-ups ahead. */
static inline void map_prefetch(const struct map *m, uint64_t hash)
{
	if (m->slots)
		__builtin_prefetch(&m->slots[map_place(m, (uint32_t)(hash >> 32))]);
}

/* Removes all entries. O(entries added since the last clearing). */
void map_clear(struct map *m);
void map_release(struct map *m);
