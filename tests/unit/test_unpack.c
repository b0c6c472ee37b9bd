#include "base/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <isa-l.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

#define TEXT "heft heft heft heft heft heft heft heft heft heft heft heft heft"

static struct bytes pack(enum unpack_method method, uint8_t *out, size_t cap)
{
	size_t size = 0;
	if (method == UNPACK_ZLIB) {
		struct isal_zstream z;
		isal_deflate_stateless_init(&z);
		z.gzip_flag = IGZIP_ZLIB;
		z.end_of_stream = 1;
		z.next_in = (uint8_t *)(uintptr_t)TEXT;
		z.avail_in = sizeof TEXT;
		z.next_out = out;
		z.avail_out = (uint32_t)cap;
		assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
		size = z.total_out;
	} else if (method == UNPACK_ZSTD) {
		size = ZSTD_compress(out, cap, TEXT, sizeof TEXT, 3);
	} else {
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL,
							 (const uint8_t *)TEXT, sizeof TEXT, out,
							 &size, cap),
				 LZMA_OK);
	}
	return (struct bytes){ out, size };
}

static const enum unpack_method methods[] = { UNPACK_ZLIB, UNPACK_ZSTD, UNPACK_XZ };

static void a_stream_gives_the_same_bytes_piece_by_piece(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint8_t buf[512], out[sizeof TEXT];
		struct unpack_stream *s;
		const struct bytes packed = pack(methods[i], buf, sizeof buf);
		assert_true(unpack_stream_open(&s, methods[i], packed, sizeof TEXT, NULL));
		for (size_t at = 0; at < sizeof TEXT; at += 13)
			assert_true(unpack_stream_read(s, out + at, min_u64(13, sizeof TEXT - at),
						       NULL));
		assert_memory_equal(out, TEXT, sizeof TEXT);
		assert_false(unpack_stream_read(s, out, 1, NULL));
		unpack_stream_close(s);
	}
}

static void sizes_that_no_section_has_are_refused(void **state)
{
	struct heft_err err = { 0 };
	(void)state;
	assert_true(unpack_possible(UNPACK_ZSTD, 200, (uint64_t)4 << 20, &err));
	assert_true(unpack_possible(UNPACK_ZSTD, 1 << 20, (uint64_t)256 << 20, &err));
	assert_false(unpack_possible(UNPACK_ZSTD, 550000, (uint64_t)8 << 30, &err));
	assert_int_equal(err.code, HEFT_ELIMIT);
}

static void every_method_gives_back_what_was_packed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		uint8_t buf[512];
		struct bytes plain;
		const struct bytes packed = pack(methods[i], buf, sizeof buf);
		assert_true(unpack(methods[i], packed, sizeof TEXT, &plain, NULL));
		assert_int_equal(plain.size, sizeof TEXT);
		assert_memory_equal(plain.p, TEXT, sizeof TEXT);
		mem_free((void *)(uintptr_t)plain.p);
	}
}

static void expect_failure(enum unpack_method method, struct bytes packed, uint64_t size,
			   const char *words)
{
	struct bytes plain = packed;
	struct heft_err err = { 0 };
	assert_false(unpack(method, packed, size, &plain, &err));
	assert_null(plain.p);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

static void cut_or_changed_data_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		uint8_t buf[512];
		struct bytes packed = pack(methods[i], buf, sizeof buf);
		packed.size -= 3;
		expect_failure(methods[i], packed, sizeof TEXT, "");
		packed.size = 0;
		expect_failure(methods[i], packed, sizeof TEXT, "");
		packed = pack(methods[i], buf, sizeof buf);
		buf[0] ^= 0x55;
		expect_failure(methods[i], packed, sizeof TEXT, "");
	}
}

static void another_size_than_stated_fails(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint8_t buf[512];
		const struct bytes packed = pack(methods[i], buf, sizeof buf);
		expect_failure(methods[i], packed, sizeof TEXT + 1, "another size");
		expect_failure(methods[i], packed, sizeof TEXT - 1, "");
		expect_failure(methods[i], packed, 0, "");
	}
}

static void impossible_sizes_fail_before_anything_is_allocated(void **state)
{
	(void)state;
	uint8_t buf[512];
	struct bytes packed = pack(UNPACK_ZLIB, buf, sizeof buf);
	expect_failure(UNPACK_ZLIB, packed, 1 << 20, "cannot become");
	expect_failure(UNPACK_ZLIB, packed, UNPACK_MAX + 1, "over the limit");
	packed = pack(UNPACK_ZSTD, buf, sizeof buf);
	expect_failure(UNPACK_ZSTD, packed, UINT64_C(1) << 31, "cannot become");
	expect_failure(UNPACK_ZSTD, packed, UINT64_MAX, "over the limit");
}

static void what_follows_a_stream_of_zlib_is_none_of_it(void **state)
{
	(void)state;
	static const uint8_t packed[] = { 0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00,
					  0x02, 0x4d, 0x01, 0x27, 0x00, 0x55, 0xaa };
	struct unpack_stream *s;
	struct heft_err err;
	uint8_t out[16];
	uint64_t made;
	assert_true(unpack_stream_open_any(&s, UNPACK_ZLIB, (struct bytes){ packed, sizeof packed },
					   &err));
	assert_true(unpack_stream_next(s, out, sizeof out, &made, &err));
	assert_int_equal(made, 3);
	unpack_stream_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows_a_stream_of_zlib_is_none_of_it),
		cmocka_unit_test(sizes_that_no_section_has_are_refused),
		cmocka_unit_test(every_method_gives_back_what_was_packed),
		cmocka_unit_test(a_stream_gives_the_same_bytes_piece_by_piece),
		cmocka_unit_test(cut_or_changed_data_fail),
		cmocka_unit_test(another_size_than_stated_fails),
		cmocka_unit_test(impossible_sizes_fail_before_anything_is_allocated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
