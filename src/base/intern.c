#include "base/intern.h"

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	const __uint128_t m = (__uint128_t)a * b;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Multiply-mix over 16-byte steps, the last step overlapping; never stored in a file. */
uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;
	const uint64_t k0 = UINT64_C(0x9e3779b97f4a7c15), k1 = UINT64_C(0xd6e8feb86659fd93);
	uint64_t h = mix(size ^ k0, k1);
	if (size < 8) {
		uint64_t v = 0;
		for (size_t i = 0; i < size; i++)
			v = v << 8 | p[i];
		return mix(h ^ v, k0);
	}
	size_t i = 0;
	for (; size - i > 16; i += 16)
		h = mix(load64(p + i) ^ h, load64(p + i + 8) ^ k1);
	if (size >= 16)
		return mix(load64(p + size - 16) ^ h ^ k0, load64(p + size - 8) ^ k1);
	return mix(load64(p) ^ h ^ k0, load64(p + size - 8) ^ k1);
}

static void slots_grow(struct intern *in)
{
	const size_t n = in->slot_count ? in->slot_count * 2 : 256;
	free(in->slots);
	in->slots = xcalloc(n, sizeof *in->slots);
	in->slot_count = n;
	for (size_t id = 0; id < in->entries.count; id++) {
		size_t i = in->entries.data[id].hash & (n - 1);
		while (in->slots[i])
			i = (i + 1) & (n - 1);
		in->slots[i] = (uint32_t)id + 1;
	}
}

/* The slot that holds s, or the empty one where it belongs. */
static uint32_t *slot_find(const struct intern *in, struct str s, uint64_t hash)
{
	const size_t mask = in->slot_count - 1;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		const uint32_t held = in->slots[i];
		if (held == 0)
			return &in->slots[i];
		const struct intern_entry *e = &in->entries.data[held - 1];
		if (e->hash == hash && str_eq(e->text, s))
			return &in->slots[i];
	}
}

static uint32_t add(struct intern *in, struct str s, uint64_t hash, bool copy)
{
	if (in->entries.count * 4 >= in->slot_count * 3)
		slots_grow(in);
	uint32_t *slot = slot_find(in, s, hash);
	if (*slot)
		return *slot - 1;
	ASSERT(in->entries.count < UINT32_MAX - 1);
	const struct str kept = copy ? (struct str){ arena_copy(&in->arena, s), s.len } : s;
	vec_push(&in->entries, (struct intern_entry){ kept, hash });
	*slot = (uint32_t)in->entries.count;
	return *slot - 1;
}

uint32_t intern_add(struct intern *in, struct str s)
{
	return add(in, s, hash_bytes(s.p, s.len), true);
}

uint32_t intern_borrow(struct intern *in, struct str s)
{
	return add(in, s, hash_bytes(s.p, s.len), false);
}

uint32_t intern_borrow_hashed(struct intern *in, struct str s, uint64_t hash)
{
	return add(in, s, hash, false);
}

bool intern_find(const struct intern *in, struct str s, uint32_t *ret)
{
	if (in->slot_count == 0)
		return false;
	const uint32_t held = *slot_find(in, s, hash_bytes(s.p, s.len));
	if (held)
		*ret = held - 1;
	return held != 0;
}

void intern_release(struct intern *in)
{
	vec_release(&in->entries);
	free(in->slots);
	arena_release(&in->arena);
	memset(in, 0, sizeof *in);
}
