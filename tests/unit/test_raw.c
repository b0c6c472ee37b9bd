/* Raw images of firmware: which bytes are at which addresses, and what is told of damage. */
#include "image/elf/elf_const.h"
#include "image/raw/raw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct raw raw;
static struct notes notes;

static bool parse_bytes(const void *p, size_t size)
{
	struct heft_err err;
	raw_release(&raw);
	notes_release(&notes);
	notes_init(&notes);
	return raw_parse(&raw, "x", (struct bytes){ p, size }, &notes, &err);
}

static bool parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static int finish(void **state)
{
	(void)state;
	raw_release(&raw);
	notes_release(&notes);
	return 0;
}

static void assert_chunk(size_t i, uint64_t addr, const char *bytes, size_t size)
{
	assert_true(i < raw.chunks.count);
	assert_int_equal(raw.chunks.data[i].addr, addr);
	assert_int_equal(raw.chunks.data[i].size, size);
	assert_memory_equal(raw.bytes.p + raw.chunks.data[i].off, bytes, size);
}

static void assert_noted(const char *text)
{
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.data[i].text, text))
			return;
	fail_msg("no note '%s'", text);
}

#define EOF_RECORD ":00000001FF\n"

static void records_of_intel_hex_lie_where_they_say(void **state)
{
	(void)state;
	assert_true(parse(":020000040800F2\r\n"
			  ":0400100001020304E2\r\n"
			  "\n"
			  ":02001400050 6DF\n"
			  ":02001400AABB85\n"
			  ":02000000CCDD55\n"
			  ":0400000508000011DE\n" EOF_RECORD));
	assert_int_equal(raw.chunks.count, 2);
	assert_chunk(0, 0x08000000, "\xcc\xdd", 2);
	assert_chunk(1, 0x08000010, "\x01\x02\x03\x04\xaa\xbb", 6);
	assert_int_equal(raw.entry, 0x08000011);
	assert_string_equal(raw.format, "Intel HEX");
	assert_noted("line 4: no record of Intel HEX");
}

static void segments_of_intel_hex_wrap(void **state)
{
	(void)state;
	assert_true(parse(":020000021000EC\n"
			  ":02FFFF000102FD\n" EOF_RECORD));
	assert_chunk(0, 0x10000, "\x02", 1);
	assert_chunk(1, 0x1ffff, "\x01", 1);
}

static void a_wrong_checksum_leaves_the_record_out(void **state)
{
	(void)state;
	assert_true(parse(":02000000CCDD55\n:02000200CCDD55\n:020004000102F7\n" EOF_RECORD));
	assert_noted("line 2: the checksum is 55, that of the bytes is 53");
	assert_int_equal(raw.chunks.count, 2);
	assert_chunk(1, 4, "\x01\x02", 2);
	assert_false(parse(":02000000CCDD56\n" EOF_RECORD));
	assert_true(parse("S1050000CCDD51\nS1050002CCDD51\nS9030000FC\n"));
	assert_noted("line 2: the checksum is 51, that of the bytes is 4f");
	assert_chunk(0, 0, "\xcc\xdd", 2);
}

static void damage_of_intel_hex_is_told_with_its_line(void **state)
{
	static const char *const tests[][2] = {
		{ ":03000000CCDD54\n" EOF_RECORD, "line 2: the record states 3 bytes and is 7" },
		{ ":0100000601F8\n" EOF_RECORD, "line 2: no record is of type 06 with 1 bytes" },
		{ ":010000040001FA\n" EOF_RECORD, "line 2: the record states 1 bytes" },
		{ EOF_RECORD ":02000200CCDD53\n", "line 3: a record stands behind the one that" },
		{ ":02000200CCDD53\n", "the record that ends the file is missing" },
		{ "hello\n" EOF_RECORD, "line 2: no record of Intel HEX" },
		{ ":02000000010 FD\n" EOF_RECORD, "line 2: no record of Intel HEX" },
		{ ":02000000AABB99\n" EOF_RECORD, "bytes are left out: others are at" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tests); i++) {
		char text[200];
		snprintf(text, sizeof text, ":02000000CCDD55\n%s", tests[i][0]);
		assert_true(parse(text));
		assert_noted(tests[i][1]);
		assert_int_equal(raw.chunks.data[0].addr, 0);
		assert_memory_equal(raw.bytes.p, "\xcc\xdd", 2);
	}
}

static void s_records_have_addresses_of_two_to_four_bytes(void **state)
{
	(void)state;
	assert_true(parse("S00600004844521B\n"
			  "S1050010AABB85\n"
			  "S206012345778891\n"
			  "S307080000001122BD\n"
			  "S5030003F9\n"
			  "S70508000011E1\n"));
	assert_int_equal(notes.count, 0);
	assert_chunk(0, 0x10, "\xaa\xbb", 2);
	assert_chunk(1, 0x12345, "\x77\x88", 2);
	assert_chunk(2, 0x08000000, "\x11\x22", 2);
	assert_int_equal(raw.entry, 0x08000011);
	assert_true(parse("S1050010AABB85\nS5030003F9\nS1FF\nS9030000FC\n"));
	assert_noted("line 2: there are 1 records of data, not 3");
	assert_noted("line 3: no S-record");
}

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static void put_block(uint8_t *p, uint32_t flags, uint32_t addr, uint32_t size)
{
	memset(p, 0, 512);
	put32(p, 0x0a324655);
	put32(p + 4, 0x9e5d5157);
	put32(p + 8, flags);
	put32(p + 12, addr);
	put32(p + 16, size);
	memset(p + 32, (int)(addr >> 8), 476);
	put32(p + 508, 0x0ab16f30);
}

static void blocks_of_uf2_lie_where_they_say(void **state)
{
	uint8_t file[5 * 512];
	(void)state;
	put_block(file, 0x2000, 0x10000100, 256);
	put_block(file + 512, 0x2000, 0x10000000, 256);
	put_block(file + 1024, 1, 0x20000000, 256);
	put_block(file + 1536, 0, 0x30000000, 477);
	put_block(file + 2048, 0, 0x10000300, 4);
	assert_true(parse_bytes(file, sizeof file - 1));
	assert_int_equal(raw.chunks.count, 1);
	assert_int_equal(raw.chunks.data[0].addr, 0x10000000);
	assert_int_equal(raw.chunks.data[0].size, 512);
	assert_int_equal(raw.bytes.p[256], 1);
	assert_noted("a block is not meant for flash (flags 0x1)");
	assert_noted("a block is damaged");
	assert_noted("the last block is cut off");
	assert_true(parse_bytes(file, sizeof file));
	assert_chunk(1, 0x10000300, "\3\3\3\3", 4);
}

/* An image of two segments, the first of which is padding. */
static size_t make_esp(uint8_t *p)
{
	static const uint8_t head[24] = { 0xe9, 2,    2, 0x20, 0x10, 0, 8,
					  0x40, 0xee, 0, 0,    0,    5, [23] = 1 };
	memset(p, 0, 128);
	memcpy(p, head, sizeof head);
	put32(p + 28, 4);
	put32(p + 36, 0x40080010);
	put32(p + 40, 8);
	memset(p + 44, 7, 7);
	p[63] = 0xef ^ 7;
	return 96;
}

static void segments_of_esp_images_lie_where_they_say(void **state)
{
	uint8_t file[128];
	const size_t size = make_esp(file);
	(void)state;
	assert_true(parse_bytes(file, size));
	assert_string_equal(raw.format, "ESP image");
	assert_int_equal(raw.machine, EM_RISCV);
	assert_int_equal(raw.entry, 0x40080010);
	assert_int_equal(raw.chunks.count, 1);
	assert_chunk(0, 0x40080010, "\7\7\7\7\7\7\7", 8);
	uint64_t others = 0;
	for (size_t i = 0; i < raw.parts.count; i++)
		others += raw.parts.data[i].size;
	assert_int_equal(others + 8, size);
	file[50] ^= 1; /* the checksum is wrong now, but the program begins in a segment */
	assert_true(parse_bytes(file, size));
	assert_string_equal(raw.format, "ESP image");
	assert_noted("the checksum of the segments is 0xe9, where the file states 0xe8");
	put32(file + 4, 0x40080018); /* behind it: it is no such image */
	assert_false(raw_matches((struct bytes){ file, size }));
}

static void plain_bytes_end_with_the_address_space(void **state)
{
	(void)state;
	raw_release(&raw);
	notes_release(&notes);
	notes_init(&notes);
	raw_plain(&raw, "x", (struct bytes){ (const uint8_t *)"abcd", 4 }, UINT64_MAX - 2, &notes);
	assert_chunk(0, UINT64_MAX - 2, "ab", 2);
	assert_noted("bytes lie beyond");
}

static void runs_of_padding_are_sections_of_their_own(void **state)
{
	static uint8_t bytes[1000];
	struct image im;
	(void)state;
	memset(bytes, 'x', sizeof bytes);
	memset(bytes + 100, 0xff, 64);
	memset(bytes + 300, 0, 63);
	memset(bytes + 900, 0, 100);
	raw_release(&raw);
	raw_plain(&raw, "x", (struct bytes){ bytes, sizeof bytes }, 0x1000, NULL);
	raw_image(&im, &(struct image_place){ "x", STR(""), 0, 0, 0 }, &raw, NULL);
	assert_int_equal(im.section_count, 5);
	assert_int_equal(im.segment_count, 1);
	assert_string_equal(im.sections[2].title.p, "[padding]");
	assert_int_equal(im.sections[2].size, 64);
	assert_string_equal(im.sections[3].title.p, "0x000010a4");
	assert_int_equal(im.sections[4].size, 100);
	image_release(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_intel_hex_lie_where_they_say),
		cmocka_unit_test(segments_of_intel_hex_wrap),
		cmocka_unit_test(a_wrong_checksum_leaves_the_record_out),
		cmocka_unit_test(damage_of_intel_hex_is_told_with_its_line),
		cmocka_unit_test(s_records_have_addresses_of_two_to_four_bytes),
		cmocka_unit_test(blocks_of_uf2_lie_where_they_say),
		cmocka_unit_test(segments_of_esp_images_lie_where_they_say),
		cmocka_unit_test(plain_bytes_end_with_the_address_space),
		cmocka_unit_test(runs_of_padding_are_sections_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, finish);
}
