/* Dex files: whose their bytes are, and the symbols they become. */
#include "../lib/blob.h"
#include "package/dex.h"
#include "snapshot/collect_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Two classes; the methods share their code, which loads "text".
 * Strings: I, LA;, LB;, V, f, m, text.  Types: I, A, B, V. */
enum {
	STRINGS = 0x70,
	TYPES = 0x8c,
	PROTOS = 0x9c,
	FIELDS = 0xa8,
	METHODS = 0xb0,
	CLASSES = 0xc0,
	CODE = 0x100,
	DATA_A = 0x118,
	DATA_B = 0x122,
	TEXTS = 0x12a,
	SIZE = 326,
};

static void add_header(struct blob *b)
{
	static const uint32_t tables[] = { 7, STRINGS, 4, TYPES,   1, PROTOS,
					   1, FIELDS,  2, METHODS, 2, CLASSES };
	blob_text(b, "dex\n035");
	blob_zeros(b, 24);
	blob_u32(b, SIZE);
	blob_u32(b, 0x70);
	blob_u32(b, 0x12345678);
	blob_zeros(b, 12); /* link, map */
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		blob_u32(b, tables[i]);
	blob_u32(b, SIZE - CODE);
	blob_u32(b, CODE);
}

static void add_class(struct blob *b, uint32_t type, uint32_t data)
{
	const uint32_t def[] = { type, 1, UINT32_MAX, 0, UINT32_MAX, 0, data, 0 };
	for (size_t i = 0; i < COUNT_OF(def); i++)
		blob_u32(b, def[i]);
}

static void add_ids(struct blob *b)
{
	static const uint8_t offs[] = { 0, 3, 8, 13, 16, 19, 22 };
	static const uint16_t members[] = { 1, 0, 4, 0, 1, 0, 5, 0, 2, 0, 5, 0 };
	for (size_t i = 0; i < COUNT_OF(offs); i++)
		blob_u32(b, (uint32_t)TEXTS + offs[i]);
	for (uint32_t i = 0; i < 4; i++)
		blob_u32(b, i);
	blob_u32(b, 3); /* the prototype: shorty, result, no parameters */
	blob_u32(b, 3);
	blob_u32(b, 0);
	for (size_t i = 0; i < COUNT_OF(members); i++)
		blob_uint(b, members[i], 2);
	add_class(b, 1, DATA_A);
	add_class(b, 2, DATA_B);
}

static void add_data(struct blob *b)
{
	static const uint8_t code[] = { 1, 0, 1, 0, 0,    0, 0, 0, 0,    0, 0, 0,
					3, 0, 0, 0, 0x1a, 0, 6, 0, 0x0e, 0, 0, 0 };
	static const uint8_t a[] = { 1, 0, 1, 0, 0, 8, 0, 1, 0x80, 2 };
	static const uint8_t other[] = { 0, 0, 1, 0, 1, 1, 0x80, 2 };
	static const char *const texts[] = { "I", "LA;", "LB;", "V", "f", "m", "text" };
	for (size_t i = 0; i < sizeof code; i++)
		blob_u8(b, code[i]);
	for (size_t i = 0; i < sizeof a; i++)
		blob_u8(b, a[i]);
	for (size_t i = 0; i < sizeof other; i++)
		blob_u8(b, other[i]);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		blob_u8(b, strlen(texts[i]));
		blob_text(b, texts[i]);
	}
}

static void make(struct blob *b)
{
	*b = (struct blob){ 0 };
	add_header(b);
	assert_int_equal(b->size, STRINGS);
	add_ids(b);
	assert_int_equal(b->size, CODE);
	add_data(b);
	assert_int_equal(b->size, SIZE);
}

static uint64_t size_of(const struct dex *d, enum dex_kind kind, uint32_t index)
{
	for (size_t i = 0; i < d->items.count; i++)
		if (d->items.data[i].kind == kind && d->items.data[i].index == index)
			return d->items.data[i].size;
	return UINT64_MAX;
}

static uint64_t sum(const struct dex *d)
{
	uint64_t all = 0;
	for (size_t i = 0; i < d->items.count; i++)
		all += d->items.data[i].size;
	return all;
}

static void every_byte_has_one_owner(void **state)
{
	struct blob b;
	struct dex d;
	struct heft_err err;
	(void)state;
	make(&b);
	assert_true(dex_matches(blob_bytes(&b)));
	assert_true(dex_parse(&d, "x", blob_bytes(&b), &err));
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(size_of(&d, DEX_CLASS, i), 32 + 4 + 4 + 5 + 4);
		/* id, entry, half of the code and of the alignment behind */
		assert_int_equal(size_of(&d, DEX_METHOD, i), 8 + 4 + 24 / 2);
	}
	assert_int_equal(size_of(&d, DEX_FIELD, 0), 8 + 2);
	assert_int_equal(size_of(&d, DEX_STRING, 6), 4 + 6);
	assert_int_equal(size_of(&d, DEX_TABLE, DEX_NAMES), 4 * (4 + 3));
	assert_int_equal(size_of(&d, DEX_TABLE, DEX_TYPES), 2 * 4 + 12);
	assert_int_equal(size_of(&d, DEX_TABLE, DEX_REST), 0x70);
	assert_int_equal(sum(&d), SIZE);
	assert_int_equal(d.uses.count, 2);
	dex_release(&d);
}

static void parts_of_a_container_count_from_its_start(void **state)
{
	struct blob b;
	struct dex d;
	struct heft_err err;
	(void)state;
	make(&b);
	blob_patch(&b, 5, '4' | '1' << 8, 2);
	assert_false(dex_parse(&d, "x", blob_bytes(&b), &err)); /* the header is too short */
	blob_patch(&b, 0x24, 0x78, 4);
	/* The second part has the strings and types of the first, and no classes. */
	const uint64_t second = b.size;
	for (uint64_t i = 0; i < 0x70; i++)
		blob_u8(&b, b.data[i]);
	blob_zeros(&b, 8);
	blob_patch(&b, second + 0x20, 0x78, 4);
	blob_patch(&b, second + 0x60, 0, 4);
	assert_true(dex_parse(&d, "x", blob_bytes(&b), &err));
	assert_int_equal(d.parts.count, 2);
	assert_int_equal(sum(&d), SIZE + 0x78);
	dex_release(&d);
}

static void expect_damage(uint64_t off, uint64_t v, unsigned width, uint64_t where)
{
	struct blob b;
	struct dex d;
	struct heft_err err = { 0 };
	make(&b);
	blob_patch(&b, off, v, width);
	assert_false(dex_parse(&d, "x", blob_bytes(&b), &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_int_equal(err.offset, where);
}

static void damage_is_said_with_its_offset(void **state)
{
	(void)state;
	expect_damage(4, '9', 1, 0);                 /* version */
	expect_damage(0x20, SIZE + 1, 4, 0x20);      /* cut off */
	expect_damage(0x38, 1 << 30, 4, 0x38);       /* too many strings */
	expect_damage(0x34, SIZE, 4, SIZE);          /* map */
	expect_damage(STRINGS, 9999, 4, 9999);       /* text of a string */
	expect_damage(CLASSES, 4, 4, CLASSES);       /* type of a class */
	expect_damage(DATA_A + 4, 1, 1, DATA_A + 4); /* index of a field */
	expect_damage(CODE + 12, 1 << 20, 4, CODE);  /* size of code */
	expect_damage(CODE + 18, 7, 2, CODE + 16);   /* string that it loads */
}

/* Whatever stands anywhere, all bytes have an owner or the file is refused. */
static void any_word_may_be_wrong(void **state)
{
	static const uint32_t words[] = { 0, 1, 0x74, SIZE - 1, 0x7fffffff, UINT32_MAX };
	(void)state;
	for (uint64_t off = 8; off + 4 <= SIZE; off++)
		for (size_t i = 0; i < COUNT_OF(words); i++) {
			struct blob b;
			struct dex d;
			struct heft_err err = { 0 };
			make(&b);
			blob_patch(&b, off, words[i], 4);
			if (dex_parse(&d, "x", blob_bytes(&b), &err)) {
				assert_int_equal(sum(&d), SIZE);
				dex_release(&d);
			} else {
				assert_int_equal(err.code, HEFT_EFORMAT);
			}
		}
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool collect(struct snapshot *s, const struct blob *b, uint64_t packed, struct heft_err *err)
{
	const struct pack_entry e = { 0, "x", "classes.dex", blob_bytes(b), packed };
	snapshot_init(s);
	vec_push(&s->containers, (struct snap_container){ .name = "" });
	return collect_dex(s, &e, err);
}

static const struct snap_symbol *find(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->symbols.count; i++)
		if (str_eq(snapshot_text(s, s->symbols.data[i].full_name), str_of(name)))
			return &s->symbols.data[i];
	fail_msg("no %s", name);
	return NULL;
}

static void symbols_add_up_to_what_the_entry_takes(void **state)
{
	static const uint64_t sizes[] = { SIZE, 1, 99, SIZE - 1, 5000 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct blob b;
		struct snapshot s;
		struct heft_err err;
		uint64_t all = 0;
		make(&b);
		assert_true(collect(&s, &b, sizes[i], &err));
		snapshot_finish(&s);
		for (size_t k = 0; k < s.symbols.count; k++)
			if (s.symbols.data[k].alias_place == 0)
				all += s.symbols.data[k].size;
		assert_int_equal(all, sizes[i]);
		assert_int_equal(s.sections.data[0].size + s.sections.data[1].size, sizes[i]);
		snapshot_release(&s);
	}
}

static void symbols_have_java_names_and_paths(void **state)
{
	struct blob b;
	struct snapshot s;
	struct heft_err err;
	(void)state;
	make(&b);
	assert_true(collect(&s, &b, SIZE, &err));
	snapshot_finish(&s);
	const struct snap_symbol *method = find(&s, "A#m(): void"), *text = find(&s, "\"text\"");
	assert_string_equal(s.sections.data[method->section].name, ".dex.method");
	assert_string_equal(snapshot_text(&s, method->template_name).p, "A#m");
	assert_string_equal(snapshot_text(&s, method->object).p, "$APK/A");
	assert_string_equal(s.sections.data[find(&s, "A#f: int")->section].name, ".dex");
	assert_int_equal(text->alias_count, 2);
	assert_int_equal(text->size, 10);
	assert_string_equal(snapshot_text(&s, text->object).p, "$APK/A");
	assert_string_equal(snapshot_text(&s, text[1].object).p, "$APK/B");
	snapshot_release(&s);
}

static void names_that_are_not_there_add_nothing(void **state)
{
	struct blob b;
	struct snapshot s;
	struct heft_err err = { 0 };
	(void)state;
	make(&b);
	blob_patch(&b, FIELDS + 2, 77, 2); /* type of the field */
	assert_false(collect(&s, &b, SIZE, &err));
	assert_int_equal(err.code, HEFT_EFORMAT);
	assert_int_equal(s.symbols.count, 0);
	snapshot_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_has_one_owner),
		cmocka_unit_test(parts_of_a_container_count_from_its_start),
		cmocka_unit_test(damage_is_said_with_its_offset),
		cmocka_unit_test(any_word_may_be_wrong),
		cmocka_unit_test(symbols_add_up_to_what_the_entry_takes),
		cmocka_unit_test(symbols_have_java_names_and_paths),
		cmocka_unit_test(names_that_are_not_there_add_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
