#include "base/map.h"

#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* A map of numbers, as its users write one. */
struct numbers {
	VEC(uint64_t) keys;
	struct map map;
};

static bool find(const struct numbers *n, uint64_t key, struct map_at *at, uint32_t *ret)
{
	while (map_next(&n->map, at, ret))
		if (n->keys.data[*ret] == key)
			return true;
	return false;
}

static bool has(const struct numbers *n, uint64_t key)
{
	uint32_t id;
	struct map_at at = map_at(&n->map, hash_u64(key));
	return find(n, key, &at, &id);
}

static uint32_t add_hashed(struct numbers *n, uint64_t key, uint64_t hash)
{
	uint32_t id;
	struct map_at at = map_at(&n->map, hash);
	if (find(n, key, &at, &id))
		return id;
	vec_push(&n->keys, key);
	map_put(&n->map, &at, (uint32_t)n->keys.count - 1);
	return (uint32_t)n->keys.count - 1;
}

static uint32_t add(struct numbers *n, uint64_t key)
{
	return add_hashed(n, key, hash_u64(key));
}

static void clear(struct numbers *n)
{
	n->keys.count = 0;
	map_clear(&n->map);
}

static void release(struct numbers *n)
{
	vec_release(&n->keys);
	map_release(&n->map);
}

/* How many slots a look-up of what is there passes, in hundredths, on average. */
static uint64_t steps(const struct map *m)
{
	const size_t size = (size_t)1 << m->bits;
	uint64_t sum = 0;
	for (size_t i = 0; i < size; i++)
		if (m->slots[i] != 0)
			sum += (i - map_place(m, (uint32_t)(m->slots[i] >> 32))) & (size - 1);
	return m->count ? 100 * sum / m->count : 0;
}

/* ---- the map --------------------------------------------------------------------------------- */

static void an_empty_map_has_nothing(void **state)
{
	struct numbers n = { 0 };
	(void)state;
	map_prefetch(&n.map, 5);
	assert_false(has(&n, 0));
	map_clear(&n.map);
	assert_false(has(&n, 1));
	release(&n);
	release(&n);
}

static void every_key_leads_to_its_number_however_large_the_map(void **state)
{
	struct numbers n = { 0 };
	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 100000; i++)
			assert_int_equal(add(&n, i * UINT64_C(7)), i);
	assert_int_equal(n.map.count, 100000);
	assert_false(has(&n, 3));
	assert_true(n.map.count * 4 <= (size_t)3 << n.map.bits);
	release(&n);
}

/* The last slots run over into the first. */
static void keys_of_one_hash_are_told_apart(void **state)
{
	static const uint64_t hashes[] = { 0, 1, UINT64_MAX, UINT64_MAX << 32 };
	(void)state;
	for (size_t h = 0; h < COUNT_OF(hashes); h++) {
		struct numbers n = { 0 };
		for (unsigned round = 0; round < 2; round++)
			for (uint32_t i = 0; i < 1000; i++)
				assert_int_equal(add_hashed(&n, i, hashes[h]), i);
		assert_int_equal(n.map.count, 1000);
		release(&n);
	}
}

static void room_that_was_made_is_not_made_again(void **state)
{
	struct numbers n = { 0 };
	(void)state;
	map_reserve(&n.map, 3000);
	const uint64_t *const slots = n.map.slots;
	for (uint32_t i = 0; i < 3000; i++)
		add(&n, i);
	assert_ptr_equal(n.map.slots, slots);
	map_reserve(&n.map, 10);
	assert_ptr_equal(n.map.slots, slots);
	map_reserve(&n.map, 30000);
	for (uint32_t i = 0; i < 3000; i++)
		assert_true(has(&n, i));
	release(&n);
}

static void what_is_cleared_is_empty_and_can_be_filled_again(void **state)
{
	static const uint32_t rounds[] = { 5000, 3, 0, 200, 20000 };
	struct numbers n = { 0 };
	(void)state;
	for (size_t r = 0; r < COUNT_OF(rounds); r++) {
		for (uint32_t i = 0; i < rounds[r]; i++)
			assert_int_equal(add(&n, r << 40 | i), i);
		for (uint32_t i = 0; i < rounds[r]; i++)
			assert_true(has(&n, r << 40 | i));
		clear(&n);
		assert_false(has(&n, r << 40));
	}
	release(&n);
}

static void clearing_costs_what_was_put_in(void **state)
{
	struct numbers n = { 0 };
	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		add(&n, i);
	clear(&n);
	add(&n, 1);
	clear(&n);
	assert_true(n.map.bits < 10);
	release(&n);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

/* Every byte counts, wherever it is. */
static void a_changed_byte_changes_the_hash(void **state)
{
	uint8_t text[70];
	(void)state;
	for (size_t size = 1; size < sizeof text; size++) {
		memset(text, 7, sizeof text);
		const uint64_t hash = hash_bytes(text, size);
		for (size_t i = 0; i < size; i++) {
			text[i] ^= 0x40;
			assert_int_not_equal(hash_bytes(text, size), hash);
			text[i] ^= 0x40;
		}
		assert_int_equal(hash_bytes(text, size), hash);
	}
}

/* Pages, pointers, pairs of small numbers, bits from either end. */
static uint64_t odd_key(unsigned kind, uint64_t i)
{
	switch (kind) {
	case 0: return i;
	case 1: return i << 12;
	case 2: return i << 40;
	case 3: return UINT64_C(0x7f0000000000) + 16 * i;
	case 4: return i << 32 | i;
	case 5: return i << 32 | (i & 7);
	case 6: return i * UINT64_C(0x0000000100000001);
	case 7: return i * HASH_ODD_1; /* what undoes a multiplication */
	case 8: return i * UINT64_C(0xf1de83e19937733d);
	default: return UINT64_MAX - i;
	}
}

static void numbers_of_a_pattern_spread(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 10; kind++) {
		struct numbers n = { 0 }, pairs = { 0 };
		for (uint64_t i = 0; i < 49000; i++) {
			const uint64_t key = odd_key(kind, i);
			add(&n, key);
			add_hashed(&pairs, key, hash_pair(key, i % 3));
			add_hashed(&pairs, ~key, hash_pair(i % 3, key));
		}
		assert_true(steps(&n.map) < 400);
		assert_true(steps(&pairs.map) < 400);
		release(&n);
		release(&pairs);
	}
}

/* A factor that is 0 would wipe out all that stands before it; so texts are made that hold the
 * constants of the hash where its factors are. */
static void texts_made_to_collide_do_not(void **state)
{
	static const uint64_t constants[] = { 0, HASH_ODD_1, HASH_ODD_2, UINT64_MAX };
	(void)state;
	for (size_t c = 0; c < COUNT_OF(constants); c++) {
		struct numbers n = { 0 };
		for (uint64_t i = 0; i < 20000; i++) {
			const uint64_t text[] = { i, constants[c], constants[c], constants[c],
						  i % 2 };
			add_hashed(&n, i, hash_bytes(text, sizeof text));
		}
		assert_true(steps(&n.map) < 400);
		release(&n);
	}
}

static void short_texts_spread(void **state)
{
	struct numbers n = { 0 };
	(void)state;
	for (uint64_t i = 0; i < 40000; i++) {
		char text[32];
		snprintf(text, sizeof text, "%05" PRIu64 "--", i);
		add_hashed(&n, i, hash_bytes(text, 5 + i % 3));
	}
	assert_true(steps(&n.map) < 400);
	release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(every_key_leads_to_its_number_however_large_the_map),
		cmocka_unit_test(keys_of_one_hash_are_told_apart),
		cmocka_unit_test(room_that_was_made_is_not_made_again),
		cmocka_unit_test(what_is_cleared_is_empty_and_can_be_filled_again),
		cmocka_unit_test(clearing_costs_what_was_put_in),
		cmocka_unit_test(a_changed_byte_changes_the_hash),
		cmocka_unit_test(numbers_of_a_pattern_spread),
		cmocka_unit_test(texts_made_to_collide_do_not),
		cmocka_unit_test(short_texts_spread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
