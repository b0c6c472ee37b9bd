/* PDBs: the container, types, where inlined code comes from.  Whole ones: tests/golden/pdb-*. */
#include "../lib/blob.h"
#include "debug/codeview/pdb_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { BLOCK = 512 };

/* Two streams, of 600 bytes in blocks 4 and 3 and of none; the directory is block 2, its list 1. */
static void put_container(struct blob *b)
{
	static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
				    "DS\0\0";
	for (size_t i = 0; i < sizeof magic; i++)
		blob_u8(b, (uint8_t)magic[i]);
	const uint32_t head[] = { BLOCK, 1, 5, 20, 0, 1 };
	for (size_t i = 0; i < COUNT_OF(head); i++)
		blob_u32(b, head[i]);
	blob_zeros(b, BLOCK - b->size);
	blob_u32(b, 2);
	blob_zeros(b, 2 * BLOCK - b->size);
	const uint32_t directory[] = { 2, 600, UINT32_MAX, 4, 3 };
	for (size_t i = 0; i < COUNT_OF(directory); i++)
		blob_u32(b, directory[i]);
	blob_zeros(b, 3 * BLOCK - b->size);
	for (size_t i = 0; i < 2 * BLOCK; i++)
		blob_u8(b, i < BLOCK ? 3 : 4);
}

static void streams_are_put_together_from_their_blocks(void **state)
{
	struct blob b = { 0 };
	struct msf m;
	(void)state;
	put_container(&b);
	assert_true(msf_open(&m, blob_bytes(&b)));
	const struct bytes s = msf_stream(&m, 0);
	assert_int_equal(s.size, 600);
	assert_int_equal(s.p[0], 4);
	assert_int_equal(s.p[BLOCK - 1], 4);
	assert_int_equal(s.p[BLOCK], 3);
	assert_int_equal(msf_stream(&m, 1).size, 0);
	assert_int_equal(msf_stream(&m, 2).size, 0);
	msf_close(&m);
}

static void streams_beyond_the_file_are_empty(void **state)
{
	struct blob b = { 0 };
	struct msf m;
	(void)state;
	put_container(&b);
	blob_patch(&b, 2 * BLOCK + 12, 5, 4);
	assert_true(msf_open(&m, blob_bytes(&b)));
	assert_int_equal(msf_stream(&m, 0).size, 0);
	msf_close(&m);
	blob_patch(&b, 2 * BLOCK, 5, 4); /* more streams than the directory has room for */
	assert_false(msf_open(&m, blob_bytes(&b)));
	msf_close(&m);
	blob_patch(&b, 32, 0, 4); /* blocks of no bytes */
	assert_false(msf_open(&m, blob_bytes(&b)));
	msf_close(&m);
}

static void simple_types_have_the_size_that_their_number_says(void **state)
{
	static const struct {
		uint32_t index;
		uint64_t size;
	} types[] = { { 0x03, 0 },  { 0x10, 1 }, { 0x11, 2 }, { 0x12, 4 },  { 0x13, 8 },
		      { 0x30, 1 },  { 0x40, 4 }, { 0x41, 8 }, { 0x42, 10 }, { 0x70, 1 },
		      { 0x71, 2 },  { 0x74, 4 }, { 0x77, 8 }, { 0x7a, 2 },  { 0x7b, 4 },
		      { 0x474, 4 }, { 0x603, 8 } };
	const struct pdb p = { .age = 0 };
	(void)state;
	for (size_t i = 0; i < COUNT_OF(types); i++)
		assert_int_equal(pdb_type_size(&p, types[i].index), types[i].size);
}

/* The rows that annotations give, of a function at 0x1000 that is declared on line 10. */
static void inlined(struct pdb_lines *l, const uint8_t *annotations, size_t size)
{
	const struct pdb_inlinee f = { .id = 1, .place = { 1, 10 } };
	memset(l, 0, sizeof *l);
	pdb_lines_inline(l, &f, 0x1000, reader_make(annotations, size, false));
}

static void check_row(const struct pdb_lines *l, size_t i, uint64_t addr, uint64_t end,
		      uint32_t line)
{
	assert_true(i < l->rows.count);
	assert_int_equal(l->rows.data[i].addr, addr);
	assert_int_equal(l->rows.data[i].end, end);
	assert_int_equal(l->places.data[l->rows.data[i].who].line, line);
}

static void annotations_tell_rows_of_inlined_code(void **state)
{
	/* A line down and 4 bytes on; 16384 bytes on, two lines up; those are 8 bytes long. */
	static const uint8_t packed[] = { 11, 0x24, 6, 5, 3, 0xc0, 0, 0x40, 0, 4, 8, 0, 3, 1 };
	/* 6 bytes of code that begin 3 further on, then a number that is cut off. */
	static const uint8_t both[] = { 12, 6, 3, 3, 0x80 };
	struct pdb_lines l;
	(void)state;
	inlined(&l, packed, sizeof packed);
	assert_int_equal(l.rows.count, 2);
	check_row(&l, 0, 0x1004, 0x5004, 11);
	check_row(&l, 1, 0x5004, 0x500c, 9);
	assert_int_equal(pdb_lines_find(&l, 0, 2, 0x5003).line, 11);
	assert_int_equal(pdb_lines_find(&l, 0, 2, 0x500c).line, 0);
	pdb_lines_release(&l);
	inlined(&l, both, sizeof both);
	assert_int_equal(l.rows.count, 1);
	check_row(&l, 0, 0x1003, 0x1009, 10);
	pdb_lines_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_put_together_from_their_blocks),
		cmocka_unit_test(streams_beyond_the_file_are_empty),
		cmocka_unit_test(simple_types_have_the_size_that_their_number_says),
		cmocka_unit_test(annotations_tell_rows_of_inlined_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
