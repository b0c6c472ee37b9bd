/* Zip files: 64-bit numbers where those of 32 bits do not do. */
#include "../lib/blob.h"
#include "package/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* One entry "a" of 5 bytes, behind `front` bytes that no offset counts.  All numbers are in zip64
 * fields. */
struct made {
	struct blob b;
	uint64_t local, central, extra, end64, locator, end;
};

static void add_end(struct made *m, uint64_t front)
{
	struct blob *b = &m->b;
	m->end64 = b->size;
	blob_uint(b, 0x06064b50, 4);
	blob_u64(b, 44);
	blob_zeros(b, 12);
	blob_u64(b, 1);
	blob_u64(b, 1);
	blob_u64(b, m->end64 - m->central);
	blob_u64(b, m->central - front);
	m->locator = b->size;
	blob_uint(b, 0x07064b50, 4);
	blob_u32(b, 0);
	blob_u64(b, m->end64 - front);
	blob_u32(b, 1);
	m->end = b->size;
	blob_uint(b, 0x06054b50, 4);
	blob_u32(b, 0);
	for (unsigned i = 0; i < 3; i++)
		blob_u32(b, UINT32_MAX);
	blob_uint(b, 0, 2);
}

static void make(struct made *m, uint64_t front)
{
	struct blob *b = &m->b;
	*m = (struct made){ .local = front };
	blob_zeros(b, front);
	blob_uint(b, 0x04034b50, 4);
	blob_zeros(b, 22);
	blob_uint(b, 1, 2);
	blob_uint(b, 0, 2);
	blob_text(b, "a");
	b->size--;
	blob_text(b, "data");
	m->central = b->size;
	blob_uint(b, 0x02014b50, 4);
	blob_zeros(b, 16);
	blob_u32(b, UINT32_MAX);
	blob_u32(b, UINT32_MAX);
	blob_uint(b, 1, 2);
	blob_uint(b, 6 + 28, 2);
	blob_zeros(b, 10);
	blob_u32(b, UINT32_MAX);
	blob_u8(b, 'a');
	blob_uint(b, 2 << 16 | 7, 4); /* another extra field */
	blob_uint(b, 0, 2);
	blob_uint(b, 24 << 16 | 1, 4);
	m->extra = b->size;
	blob_u64(b, 5);
	blob_u64(b, 5);
	blob_u64(b, 0);
	add_end(m, front);
}

static size_t entries_of(const struct made *m, struct zip_entry *ret)
{
	struct zip z;
	struct notes notes;
	struct heft_err err;
	size_t count = SIZE_MAX;
	notes_init(&notes);
	if (zip_parse(&z, "x", blob_bytes(&m->b), &notes, &err)) {
		count = z.entries.count;
		if (count > 0)
			*ret = z.entries.data[0];
		assert_true(z.directory + z.directory_size <= m->b.size);
		zip_release(&z);
	}
	notes_release(&notes);
	return count;
}

static void numbers_of_64_bits_are_read(void **state)
{
	static const uint64_t fronts[] = { 0, 100 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(fronts); i++) {
		struct made m;
		struct zip_entry e;
		make(&m, fronts[i]);
		assert_int_equal(entries_of(&m, &e), 1);
		assert_int_equal(e.off, fronts[i]);
		assert_true(e.size == 5 && e.packed == 5 && e.data == fronts[i] + 31);
	}
}

static void numbers_of_32_bits_stand_where_they_say_something(void **state)
{
	struct made m;
	struct zip_entry e;
	(void)state;
	make(&m, 0);
	blob_patch(&m.b, m.central + 24, 5,
		   4); /* the size; the packed size is first in the field now */
	blob_patch(&m.b, m.extra + 8, 0, 8); /* ... and the offset second */
	assert_int_equal(entries_of(&m, &e), 1);
	assert_true(e.size == 5 && e.packed == 5 && e.off == 0);
}

/* Any of the 64-bit numbers may be anything. */
static void numbers_that_lead_out_lose_the_entry_or_the_file(void **state)
{
	static const uint64_t values[] = { 1,         UINT32_MAX, (uint64_t)1 << 40,
					   INT64_MAX, UINT64_MAX, UINT64_MAX - 60 };
	struct made m;
	struct zip_entry e;
	(void)state;
	make(&m, 0);
	const uint64_t places[] = { m.extra + 8, m.extra + 16, m.end64 + 40, m.end64 + 48 };
	for (size_t i = 0; i < COUNT_OF(places); i++)
		for (size_t k = 0; k < COUNT_OF(values); k++) {
			make(&m, 0);
			blob_patch(&m.b, places[i], values[k], 8);
			const size_t count = entries_of(&m, &e);
			assert_true(count == 0 || count == SIZE_MAX || (i == 0 && values[k] == 1) ||
				    (i == 3 && count == 1));
		}
}

static void a_locator_may_lead_nowhere(void **state)
{
	struct made m;
	struct zip_entry e;
	(void)state;
	make(&m, 0);
	blob_patch(&m.b, m.locator + 8, UINT64_MAX, 8); /* the record is right in front of it */
	assert_int_equal(entries_of(&m, &e), 1);
	blob_patch(&m.b, m.end64, 0, 4); /* now there is none */
	assert_int_equal(entries_of(&m, &e), SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_64_bits_are_read),
		cmocka_unit_test(numbers_of_32_bits_stand_where_they_say_something),
		cmocka_unit_test(numbers_that_lead_out_lose_the_entry_or_the_file),
		cmocka_unit_test(a_locator_may_lead_nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
