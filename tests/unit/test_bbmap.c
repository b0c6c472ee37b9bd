/* Hand-assembled basic-block maps: every form, version and feature, and damage. */
#include "../lib/blob.h"
#include "../lib/rng.h"
#include "blocks/bbmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* ---- making maps ----------------------------------------------------------------------------- */

static void uleb(struct blob *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		blob_u8(b, (v & 0x7f) | 0x80);
	blob_u8(b, v);
}

static void head(struct blob *b, unsigned version, unsigned features)
{
	blob_u8(b, version);
	blob_uint(b, features, version >= 5 ? 2 : 1);
}

static void numbers(struct blob *b, size_t count, const uint64_t *list)
{
	for (size_t i = 0; i < count; i++)
		uleb(b, list[i]);
}

#define NUMBERS(b, ...)                                                                            \
	numbers(b, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                         \
		(uint64_t[]){ __VA_ARGS__ })

static struct bbmap_section section_of(const struct blob *b, enum bbmap_form form)
{
	return (struct bbmap_section){
		.bytes = blob_bytes(b), .form = form, .addr_size = 8, .big_endian = b->big_endian
	};
}

/* ---- looking at them ------------------------------------------------------------------------- */

static void expect_block(const struct bbmap_entry *e, size_t i, uint32_t id, uint32_t off,
			 uint32_t size, uint32_t flags)
{
	assert_true(i < e->blocks.count);
	assert_int_equal(e->blocks.data[i].id, id);
	assert_int_equal(e->blocks.data[i].off, off);
	assert_int_equal(e->blocks.data[i].size, size);
	assert_int_equal(e->blocks.data[i].flags, flags);
}

/* Opens the cursor and reads the only entry, which must take all bytes. */
static void read_only(struct bbmap_cursor *c, const struct bbmap_section *s, bool detail)
{
	bbmap_open(c, s, detail);
	assert_int_equal(bbmap_next(c), BBMAP_FUNCTION);
	assert_int_equal(c->entry.off, 0);
	assert_int_equal(c->entry.size, s->bytes.size);
	assert_int_equal(bbmap_next(c), BBMAP_END);
}

static void expect_fault(const struct blob *b, enum bbmap_form form, enum bbmap_fault fault)
{
	const struct bbmap_section s = section_of(b, form);
	struct bbmap_cursor c;
	bbmap_open(&c, &s, false);
	assert_int_equal(bbmap_next(&c), BBMAP_DAMAGE);
	assert_string_equal(bbmap_fault_text(c.fault), bbmap_fault_text(fault));
	assert_int_equal(c.skip_off, 0);
	bbmap_close(&c);
}

/* ---- forms and versions ---------------------------------------------------------------------- */

static void the_seed_has_no_offset_of_the_entry(void **state)
{
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	blob_u64(&b, 0x1000);
	NUMBERS(&b, 3, 10, 0, /**/ 10, 5, 1, /**/ 20, 4, 4);
	const struct bbmap_section s = section_of(&b, BBMAP_SEED);
	read_only(&c, &s, false);
	assert_int_equal(c.entry.version, 0);
	assert_int_equal(c.entry.ranges.data[0].addr, 0x1000);
	expect_block(&c.entry, 0, 0, 0, 10, 0);
	expect_block(&c.entry, 1, 1, 10, 5, BBMAP_RETURN);
	expect_block(&c.entry, 2, 2, 20, 4, BBMAP_LANDING_PAD);
	bbmap_close(&c);
}

static void without_a_version_offsets_count_from_the_function(void **state)
{
	static const uint8_t bytes[] = { 0x06, 0x00, 0x0a, 0x08, 0x0a, 0x0d, 0x03, 0x17, 0x04, 0x08,
					 0x1b, 0x02, 0x08, 0x20, 0x0e, 0x08, 0x2e, 0x0c, 0x01 };
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	blob_u64(&b, 0x2000);
	for (size_t i = 0; i < sizeof bytes; i++)
		blob_u8(&b, bytes[i]);
	const struct bbmap_section s = section_of(&b, BBMAP_UNVERSIONED);
	read_only(&c, &s, false);
	assert_int_equal(c.entry.blocks.count, 6);
	expect_block(&c.entry, 1, 1, 0x0a, 0x0d, BBMAP_RETURN | BBMAP_TAIL_CALL);
	expect_block(&c.entry, 4, 4, 0x20, 0x0e, BBMAP_FALL_THROUGH);
	expect_block(&c.entry, 5, 5, 0x2e, 0x0c, BBMAP_RETURN);
	bbmap_close(&c);
}

static void version_1_has_gaps(void **state)
{
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 1, 0);
	blob_u64(&b, 0x2000);
	NUMBERS(&b, 3, 0, 10, 8, /**/ 3, 300, 0, /**/ 0, 4, 17);
	const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	read_only(&c, &s, false);
	assert_int_equal(c.entry.version, 1);
	expect_block(&c.entry, 0, 0, 0, 10, BBMAP_FALL_THROUGH);
	expect_block(&c.entry, 1, 1, 13, 300, 0);
	expect_block(&c.entry, 2, 2, 313, 4, BBMAP_INDIRECT_JUMP | BBMAP_RETURN);
	bbmap_close(&c);
}

static void version_2_has_numbers_of_its_own(void **state)
{
	(void)state;
	for (int detail = 0; detail <= 1; detail++) {
		struct blob b = { 0 };
		struct bbmap_cursor c;
		head(&b, 2, 0);
		blob_u64(&b, 0x2000);
		NUMBERS(&b, 6, 0, 0, 10, 8, /**/ 7, 0, 128, 0, /**/ 300, 1, 3, 8);
		NUMBERS(&b, 70000, 2, 20000, 1, /**/ 5, 200, 0, 8, /**/ 1, 0, 1, 0);
		const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
		read_only(&c, &s, detail);
		expect_block(&c.entry, 1, 7, 10, 128, 0);
		expect_block(&c.entry, 2, 300, 139, 3, BBMAP_FALL_THROUGH);
		expect_block(&c.entry, 3, 70000, 144, 20000, BBMAP_RETURN);
		expect_block(&c.entry, 4, 5, 20344, 0, BBMAP_FALL_THROUGH);
		expect_block(&c.entry, 5, 1, 20344, 1, 0);
		assert_int_equal(c.entry.details.count, detail ? 6 : 0);
		bbmap_close(&c);
	}
}

static void a_map_has_the_byte_order_and_width_of_its_file(void **state)
{
	struct blob b = { .big_endian = true };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 5, BBMAP_CALLS | BBMAP_HASH);
	blob_u32(&b, 0x12345678);
	NUMBERS(&b, 1, 0, 0, /* calls */ 2, 3, 4, /**/ 5, 8);
	blob_u64(&b, 0x1122334455667788);
	struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	s.addr_size = 4;
	read_only(&c, &s, true);
	assert_int_equal(c.entry.version, 5);
	assert_int_equal(c.entry.features, BBMAP_CALLS | BBMAP_HASH);
	assert_int_equal(c.entry.ranges.data[0].addr, 0x12345678);
	/* A size counts from the last call. */
	expect_block(&c.entry, 0, 0, 0, 12, BBMAP_FALL_THROUGH);
	assert_int_equal(c.entry.details.data[0].hash, 0x1122334455667788);
	assert_int_equal(c.entry.details.data[0].call_count, 2);
	assert_int_equal(c.entry.calls.data[0], 3);
	assert_int_equal(c.entry.calls.data[1], 7);
	bbmap_close(&c);
}

static void several_ranges_begin_again(void **state)
{
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 2, BBMAP_MULTI_RANGE);
	uleb(&b, 2);
	blob_u64(&b, 0x1000);
	NUMBERS(&b, 2, 0, 0, 4, 8, /**/ 2, 1, 5, 0);
	blob_u64(&b, 0x9000);
	NUMBERS(&b, 1, 1, 0, 7, 1);
	const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	read_only(&c, &s, false);
	assert_int_equal(c.entry.ranges.count, 2);
	assert_int_equal(c.entry.ranges.data[1].addr, 0x9000);
	assert_int_equal(c.entry.ranges.data[1].first, 2);
	assert_int_equal(c.entry.ranges.data[1].count, 1);
	expect_block(&c.entry, 1, 2, 5, 5, 0);
	expect_block(&c.entry, 2, 1, 0, 7, BBMAP_RETURN);
	bbmap_close(&c);
}

static void profiles_follow_the_blocks_of_all_ranges(void **state)
{
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 5,
	     BBMAP_MULTI_RANGE | BBMAP_ENTRY_COUNT | BBMAP_FREQUENCY | BBMAP_PROBABILITY |
		     BBMAP_POST_LINK);
	uleb(&b, 2);
	blob_u64(&b, 0x1000);
	NUMBERS(&b, 1, 0, 0, 4, 8);
	blob_u64(&b, 0x9000);
	NUMBERS(&b, 1, 1, 0, 7, 1);
	uleb(&b, UINT64_C(1) << 40);
	NUMBERS(&b, 1000, 11, /* successors */ 2, 1, 0x40000000, 5, 0, 0x40000000, 6);
	NUMBERS(&b, 500, 12, 0);
	const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	read_only(&c, &s, true);
	assert_true(c.entry.entry_count == UINT64_C(1) << 40);
	const struct bbmap_detail *d = c.entry.details.data;
	assert_int_equal(d[0].frequency, 1000);
	assert_int_equal(d[0].post_link, 11);
	assert_int_equal(d[0].successor_count, 2);
	assert_int_equal(c.entry.successors.data[1].id, 0);
	assert_int_equal(c.entry.successors.data[1].probability, 0x40000000);
	assert_int_equal(c.entry.successors.data[1].frequency, 6);
	assert_int_equal(d[1].frequency, 500);
	assert_int_equal(d[1].successor_count, 0);
	bbmap_close(&c);
	read_only(&c, &s, false); /* passed over just as well */
	assert_int_equal(c.entry.blocks.count, 2);
	bbmap_close(&c);
}

static void blocks_may_be_left_out(void **state)
{
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 2, BBMAP_NO_BLOCKS | BBMAP_ENTRY_COUNT);
	blob_u64(&b, 0x1000);
	NUMBERS(&b, 9, /* entered */ 77);
	const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	read_only(&c, &s, false);
	assert_int_equal(c.entry.ranges.data[0].stated, 9);
	assert_int_equal(c.entry.ranges.data[0].count, 0);
	assert_int_equal(c.entry.entry_count, 77);
	bbmap_close(&c);
}

static void padded_numbers_are_numbers(void **state)
{
	static const uint8_t padded[] = { 0x81, 0x80, 0x80, 0x00, 0x80, 0x00, 0x80, 0x80,
					  0x80, 0x80, 0x00, 0x85, 0x80, 0x00, 0x88, 0x00 };
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	head(&b, 2, 0);
	blob_u64(&b, 0x1000);
	for (size_t i = 0; i < sizeof padded; i++)
		blob_u8(&b, padded[i]);
	const struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	read_only(&c, &s, false);
	expect_block(&c.entry, 0, 0, 0, 5, BBMAP_FALL_THROUGH);
	bbmap_close(&c);
}

static void relocations_say_the_addresses_of_objects(void **state)
{
	const struct bbmap_fix fixes[] = { { 2, 0x40 }, { 17, UINT64_C(5) << 40 } };
	struct blob b = { 0 };
	struct bbmap_cursor c;
	(void)state;
	for (int i = 0; i < 2; i++) {
		head(&b, 2, 0);
		blob_u64(&b, 0);
		NUMBERS(&b, 1, 0, 0, 5, 1);
	}
	struct bbmap_section s = section_of(&b, BBMAP_VERSIONED);
	s.relocated = true;
	s.fixes = fixes;
	s.fix_count = 2;
	bbmap_open(&c, &s, false);
	assert_int_equal(bbmap_next(&c), BBMAP_FUNCTION);
	assert_int_equal(c.entry.ranges.data[0].addr, 0x40);
	assert_int_equal(bbmap_next(&c), BBMAP_FUNCTION);
	assert_true(c.entry.ranges.data[0].addr == UINT64_C(5) << 40);
	assert_true(bbmap_read(&c, 0));
	assert_int_equal(c.entry.ranges.data[0].addr, 0x40);
	assert_int_equal(bbmap_next(&c), BBMAP_END);
	bbmap_close(&c);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void unknown_versions_and_features_are_damage(void **state)
{
	(void)state;
	for (unsigned version = 0; version <= 7; version++) {
		struct blob b = { 0 };
		if (version >= 1 && version <= 5)
			continue;
		head(&b, version, 0);
		blob_u64(&b, 0x1000);
		NUMBERS(&b, 1, 0, 0, 5, 1);
		expect_fault(&b, BBMAP_VERSIONED, BBMAP_BAD_VERSION);
	}
	for (unsigned version = 1; version <= 5; version++) {
		static const unsigned newer[] = { 0, 0x01, 0x20, 0x40, 0x80, 0x100 };
		struct blob b = { 0 };
		head(&b, version, newer[version]);
		blob_u64(&b, 0x1000);
		NUMBERS(&b, 1, 0, 0, 5, 1, 1, 1, 1);
		expect_fault(&b, BBMAP_VERSIONED, BBMAP_BAD_FEATURES);
	}
}

static void numbers_out_of_range_are_damage(void **state)
{
	static const struct {
		uint64_t list[5]; /* count, id, gap, size, flags */
		enum bbmap_fault fault;
	} cases[] = {
		{ { 1, UINT64_C(1) << 32, 0, 1, 0 }, BBMAP_BAD_NUMBER },
		{ { 1, 0, UINT64_C(1) << 32, 1, 0 }, BBMAP_BAD_NUMBER },
		{ { 1, 0, 0xffffffff, 1, 0 }, BBMAP_BAD_NUMBER },
		{ { 1, 0, 0, UINT64_C(1) << 32, 0 }, BBMAP_BAD_NUMBER },
		{ { 1, 0, 0, 1, 32 }, BBMAP_BAD_FLAGS },
		{ { 1, 0, 0, 1, 128 }, BBMAP_BAD_FLAGS },
		{ { 0xffffffff, 0, 0, 1, 0 }, BBMAP_BAD_COUNT },
		{ { UINT64_MAX, 0, 0, 1, 0 }, BBMAP_BAD_NUMBER },
		{ { 2, 0, 0, 1, 0 }, BBMAP_CUT_OFF },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct blob b = { 0 };
		head(&b, 2, 0);
		blob_u64(&b, 0x1000);
		numbers(&b, 5, cases[i].list);
		expect_fault(&b, BBMAP_VERSIONED, cases[i].fault);
	}
}

static void no_ranges_is_damage(void **state)
{
	struct blob b = { 0 };
	(void)state;
	head(&b, 2, BBMAP_MULTI_RANGE);
	uleb(&b, 0);
	blob_u64(&b, 0x1000);
	expect_fault(&b, BBMAP_VERSIONED, BBMAP_BAD_COUNT);
}

static void a_number_of_eleven_bytes_is_damage(void **state)
{
	struct blob b = { 0 };
	(void)state;
	head(&b, 2, 0);
	blob_u64(&b, 0x1000);
	uleb(&b, 1);
	for (int i = 0; i < 10; i++)
		blob_u8(&b, 0xff);
	NUMBERS(&b, 1, 0, 1, 0);
	expect_fault(&b, BBMAP_VERSIONED, BBMAP_BAD_NUMBER);
}

static void every_cut_is_noticed(void **state)
{
	struct blob b = { 0 };
	(void)state;
	head(&b, 4, BBMAP_HASH | BBMAP_CALLS | BBMAP_ENTRY_COUNT);
	blob_u64(&b, 0x1000);
	NUMBERS(&b, 1, 0, 0, 1, 3, 5, 8);
	blob_u64(&b, 1);
	uleb(&b, 300);
	const struct bbmap_section whole = section_of(&b, BBMAP_VERSIONED);
	for (uint64_t size = 1; size < whole.bytes.size; size++) {
		struct bbmap_section s = whole;
		struct bbmap_cursor c;
		s.bytes.size = size;
		bbmap_open(&c, &s, true);
		assert_int_equal(bbmap_next(&c), BBMAP_DAMAGE);
		assert_int_equal(c.skip_size, size);
		assert_int_equal(bbmap_next(&c), BBMAP_END);
		bbmap_close(&c);
	}
}

/* ---- going on behind damage ------------------------------------------------------------------ */

enum { FUNCTIONS = 400, CODE = 0x401000 };

/* A program of FUNCTIONS functions. */
struct program {
	uint8_t bytes[65536];
	uint64_t size;
	uint64_t addr[FUNCTIONS];
	uint64_t sum[FUNCTIONS]; /* of all its numbers */
	uint64_t end;
};

static uint64_t sum_of(const struct bbmap_entry *e)
{
	uint64_t sum = e->features + e->ranges.count;
	for (size_t i = 0; i < e->blocks.count; i++) {
		const struct bbmap_block *k = &e->blocks.data[i];
		sum = sum * 31 + k->id * 7 + k->off * 5 + k->size * 3 + k->flags;
	}
	return sum;
}

static bool in_program(void *ctx, uint64_t addr)
{
	const struct program *p = ctx;
	return addr >= CODE && addr < p->end;
}

/* The function at addr, or FUNCTIONS. */
static size_t function_at(const struct program *p, uint64_t addr)
{
	size_t lo = 0, hi = FUNCTIONS;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (p->addr[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < FUNCTIONS && p->addr[lo] == addr ? lo : FUNCTIONS;
}

static bool is_function(void *ctx, uint64_t addr)
{
	return function_at(ctx, addr) < FUNCTIONS;
}

static void make_function(struct program *p, struct blob *b, struct rng *r, unsigned version)
{
	static const uint8_t flags[] = { 8, 8, 8, 0, 0, 1, 3, 16, 4, 8 };
	const uint64_t count = 1 + rng_below(r, 30);
	const bool calls = version >= 3 && rng_once_in(r, 2);
	b->size = 0;
	if (version > 0)
		head(b, version, calls ? BBMAP_CALLS : 0);
	blob_u64(b, p->end);
	uleb(b, count);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t size = 1 + rng_below(r, rng_once_in(r, 20) ? 400 : 40);
		if (version >= 2)
			uleb(b, i == 0 ? 0 : 1 + (i * 7) % count);
		uleb(b, version > 0 ? rng_once_in(r, 20) : i * 400);
		if (calls)
			NUMBERS(b, 1, rng_below(r, 50));
		uleb(b, size);
		uleb(b, flags[rng_below(r, sizeof flags)]);
		p->end += size + 60;
	}
	p->end = (p->end + 15) / 16 * 16;
}

static struct bbmap_section make_program(struct program *p, unsigned version)
{
	static struct blob b;
	struct rng r = { version + 1 };
	memset(p, 0, sizeof *p);
	p->end = CODE;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		p->addr[i] = p->end;
		make_function(p, &b, &r, version);
		assert_true(p->size + b.size <= sizeof p->bytes);
		memcpy(p->bytes + p->size, b.data, b.size);
		p->size += b.size;
	}
	return (struct bbmap_section){ .bytes = { p->bytes, p->size },
				       .form = version ? BBMAP_VERSIONED : BBMAP_UNVERSIONED,
				       .addr_size = 8,
				       .is_code = in_program,
				       .is_start = is_function,
				       .ctx = p };
}

/* How many functions are found as they were; all of them with `learn`. */
static size_t count_sound(struct program *p, const struct bbmap_section *s, bool learn)
{
	struct bbmap_cursor c;
	size_t sound = 0;
	uint64_t covered = 0;
	enum bbmap_step step;
	bbmap_open(&c, s, false);
	while ((step = bbmap_next(&c)) != BBMAP_END) {
		assert_int_equal(step == BBMAP_FUNCTION ? c.entry.off : c.skip_off, covered);
		covered += step == BBMAP_FUNCTION ? c.entry.size : c.skip_size;
		if (step != BBMAP_FUNCTION)
			continue;
		const size_t i = function_at(p, c.entry.ranges.data[0].addr);
		if (i == FUNCTIONS)
			continue;
		if (learn)
			p->sum[i] = sum_of(&c.entry);
		sound += p->sum[i] == sum_of(&c.entry);
	}
	assert_int_equal(covered, s->bytes.size);
	bbmap_close(&c);
	return sound;
}

/* Every byte in turn gets another value. */
static void damage_bytes(struct program *p, const struct bbmap_section *s, size_t lost_max)
{
	struct rng r = { 9 };
	assert_int_equal(count_sound(p, s, true), FUNCTIONS);
	for (uint64_t off = 0; off < p->size; off += 1 + rng_below(&r, 30)) {
		const uint8_t before = p->bytes[off];
		p->bytes[off] ^= (uint8_t)(1 + rng_below(&r, 255));
		const size_t sound = count_sound(p, s, false);
		p->bytes[off] = before;
		if (sound + lost_max < FUNCTIONS)
			print_message("byte %d: %d functions left\n", (int)off, (int)sound);
		assert_true(sound + lost_max >= FUNCTIONS);
	}
}

static void one_damaged_byte_costs_a_function_or_two(void **state)
{
	static struct program p;
	(void)state;
	for (unsigned version = 0; version <= 5; version++) {
		const struct bbmap_section s = make_program(&p, version);
		damage_bytes(&p, &s, 4);
	}
}

static void it_costs_hardly_more_where_no_function_is_known(void **state)
{
	static struct program p;
	(void)state;
	for (unsigned version = 1; version <= 5; version++) {
		struct bbmap_section s = make_program(&p, version);
		s.is_start = NULL;
		damage_bytes(&p, &s, 4);
	}
}

static void a_stretch_of_rubbish_is_passed_over(void **state)
{
	static struct program p;
	struct rng r = { 3 };
	(void)state;
	const struct bbmap_section s = make_program(&p, 2);
	assert_int_equal(count_sound(&p, &s, true), FUNCTIONS);
	for (uint64_t off = 10000; off < 12000; off++)
		p.bytes[off] = (uint8_t)rng_next(&r);
	const size_t sound = count_sound(&p, &s, false);
	assert_in_range(sound, FUNCTIONS - 60, FUNCTIONS - 10);
}

/* Functions nobody knows, behind a damaged entry, lead up to one that is known. */
static bool is_tenth(void *ctx, uint64_t addr)
{
	return function_at(ctx, addr) % 10 == 0 && is_function(ctx, addr);
}

static void unknown_functions_are_found_by_what_they_lead_to(void **state)
{
	static struct program p;
	(void)state;
	struct bbmap_section s = make_program(&p, 2);
	s.is_start = is_tenth;
	damage_bytes(&p, &s, 4);
}

static void entries_of_functions_thrown_away_are_sound(void **state)
{
	static struct program p;
	(void)state;
	const struct bbmap_section s = make_program(&p, 2);
	struct bbmap_cursor c;
	size_t count = 0;
	/* The first three at 0, as some linkers leave them; the fourth where nothing is. */
	uint64_t offs[4], n = 0;
	bbmap_open(&c, &s, false);
	while (n < 4 && bbmap_next(&c) == BBMAP_FUNCTION)
		offs[n++] = c.entry.off;
	bbmap_close(&c);
	for (size_t i = 0; i < 4; i++)
		memset(p.bytes + offs[i] + 2, i < 3 ? 0 : 0x70, 8);
	bbmap_open(&c, &s, false);
	enum bbmap_step step;
	while ((step = bbmap_next(&c)) != BBMAP_END) {
		assert_int_equal(step, BBMAP_FUNCTION);
		count++;
	}
	assert_int_equal(count, FUNCTIONS);
	bbmap_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_seed_has_no_offset_of_the_entry),
		cmocka_unit_test(without_a_version_offsets_count_from_the_function),
		cmocka_unit_test(version_1_has_gaps),
		cmocka_unit_test(version_2_has_numbers_of_its_own),
		cmocka_unit_test(a_map_has_the_byte_order_and_width_of_its_file),
		cmocka_unit_test(several_ranges_begin_again),
		cmocka_unit_test(profiles_follow_the_blocks_of_all_ranges),
		cmocka_unit_test(blocks_may_be_left_out),
		cmocka_unit_test(padded_numbers_are_numbers),
		cmocka_unit_test(relocations_say_the_addresses_of_objects),
		cmocka_unit_test(unknown_versions_and_features_are_damage),
		cmocka_unit_test(numbers_out_of_range_are_damage),
		cmocka_unit_test(no_ranges_is_damage),
		cmocka_unit_test(a_number_of_eleven_bytes_is_damage),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(one_damaged_byte_costs_a_function_or_two),
		cmocka_unit_test(it_costs_hardly_more_where_no_function_is_known),
		cmocka_unit_test(a_stretch_of_rubbish_is_passed_over),
		cmocka_unit_test(unknown_functions_are_found_by_what_they_lead_to),
		cmocka_unit_test(entries_of_functions_thrown_away_are_sound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
