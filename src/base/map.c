/* Implements the hash map and its hash functions. */
#include "base/map.h"

#include "base/pages.h"

enum { BITS_MIN = 6, BITS_MAX = 32, DROPPED_AT_ONCE = 1 << 16 };

const char hash_anchor = 0;

static inline uint64_t map_load64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t map_load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

/* Hashes 16 bytes per multiplication. The last 16 may overlap those before. Both factors contain
 * the seed. So only somebody who knows the seed could make a factor 0, which would cancel the bytes
 * before. */
uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;
	const uint64_t k0 = hash_seed() ^ HASH_ODD_1, k1 = hash_seed() + HASH_ODD_2;
	uint64_t h = hash_mix(size ^ k0, k1);
	if (size < 8) { /* All bytes and the size become one number */
		const uint64_t ends = size >= 4 ? map_load32(p) << 32 | map_load32(p + size - 4)
				      : size ? (uint64_t)p[0] << 16 | (uint64_t)p[size / 2] << 8 |
						       p[size - 1]
					     : 0;
		return hash_mix(ends ^ h, k0);
	}
	size_t i = 0;
	for (; size - i > 16; i += 16)
		h = hash_mix(map_load64(p + i) ^ h, map_load64(p + i + 8) ^ k1);
	if (size >= 16)
		return hash_mix(map_load64(p + size - 16) ^ h ^ k0, map_load64(p + size - 8) ^ k1);
	return hash_mix(map_load64(p) ^ h ^ k0, map_load64(p + size - 8) ^ k1);
}

static uint32_t free_place(const struct map *m, uint32_t tag)
{
	const uint32_t mask = (uint32_t)((UINT64_C(1) << m->bits) - 1);
	uint32_t place = map_place(m, tag);
	while (m->slots[place] != 0)
		place = (place + 1) & mask;
	return place;
}

static void resize(struct map *m, unsigned bits)
{
	const struct map old = *m;
	ASSERT(bits <= BITS_MAX);
	m->bits = bits;
	m->slots = mem_zeroed((size_t)1 << bits, sizeof *m->slots);
	for (size_t i = 0; old.slots && i < (size_t)1 << old.bits; i++) {
		if (old.slots[i] != 0)
			m->slots[free_place(m, (uint32_t)(old.slots[i] >> 32))] = old.slots[i];
		/* Gives back the pages of the old table while the new one fills, so that memory
		 * never has both tables whole. */
		if ((i + 1) % DROPPED_AT_ONCE == 0)
			pages_drop(&old.slots[i + 1 - DROPPED_AT_ONCE],
				   DROPPED_AT_ONCE * sizeof *old.slots);
	}
	mem_free(old.slots);
}

void map_grow(struct map *m, struct map_at *at)
{
	resize(m, m->slots ? m->bits + 1 : BITS_MIN);
	at->place = free_place(m, at->tag);
}

/* Returns log2 of the number of slots for `count` entries. */
static unsigned bits_for(size_t count)
{
	unsigned bits = BITS_MIN;
	while ((size_t)3 << bits >> 2 < count)
		bits++;
	return bits;
}

void map_reserve(struct map *m, size_t count)
{
	const unsigned bits = bits_for(count);
	if (!m->slots || bits > m->bits)
		resize(m, bits);
}

/* Also shrinks the table to the size that the last use needed. Otherwise each later call would
 * clear the slots of the largest use. */
void map_clear(struct map *m)
{
	if (!m->slots)
		return;
	memset(m->slots, 0, sizeof *m->slots << m->bits);
	m->bits = bits_for(m->count);
	m->count = 0;
}

void map_release(struct map *m)
{
	mem_free(m->slots);
	*m = (struct map){ 0 };
}
