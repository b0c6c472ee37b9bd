#include "base/file.h"
#include "base/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <isa-l.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

enum { SIZE = 300000 };

static const enum unpack_method methods[] = { UNPACK_GZIP, UNPACK_ZSTD, UNPACK_LZ4, UNPACK_LZ4_OLD,
					      UNPACK_XZ };

/* Half noise, with pages of zeros in between. */
static uint8_t *make_plain(void)
{
	uint8_t *p = mem_zeroed(1, SIZE);
	uint32_t state = 1;
	for (size_t i = 0; i < SIZE; i++) {
		state = state * 1664525 + 1013904223;
		p[i] = i / 20000 % 2 ? 0 : (uint8_t)(state >> 24);
	}
	return p;
}

/* Blocks of 64 KiB, where 8 MiB are allowed. */
static size_t pack_lz4_old(const uint8_t *p, size_t size, uint8_t *out, size_t cap)
{
	enum { BLOCK = 64 << 10 };
	size_t at = 4;
	memcpy(out, "\x02\x21\x4c\x18", at);
	for (size_t done = 0; done < size; done += BLOCK) {
		const int made = LZ4_compress_default((const char *)p + done, (char *)out + at + 4,
						      (int)min_u64(BLOCK, size - done),
						      (int)(cap - at - 4));
		assert_true(made > 0);
		for (unsigned i = 0; i < 4; i++)
			out[at + i] = (uint8_t)((uint32_t)made >> (8 * i));
		at += 4 + (size_t)made;
	}
	return at;
}

static size_t pack(enum unpack_method method, const uint8_t *p, size_t size, uint8_t *out,
		   size_t cap)
{
	size_t made = 0;
	if (method == UNPACK_GZIP) {
		struct isal_zstream z;
		isal_deflate_stateless_init(&z);
		z.gzip_flag = IGZIP_GZIP;
		z.end_of_stream = 1;
		z.next_in = (uint8_t *)(uintptr_t)p;
		z.avail_in = (uint32_t)size;
		z.next_out = out;
		z.avail_out = (uint32_t)cap;
		assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
		return z.total_out;
	}
	if (method == UNPACK_ZSTD)
		return ZSTD_compress(out, cap, p, size, 1);
	if (method == UNPACK_LZ4_OLD)
		return pack_lz4_old(p, size, out, cap);
	if (method == UNPACK_LZ4)
		return LZ4F_compressFrame(out, cap, p, size, NULL);
	assert_int_equal(
		lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, p, size, out, &made, cap),
		LZMA_OK);
	return made;
}

static void release(struct bytes b)
{
	munmap((void *)(uintptr_t)b.p, b.size);
}

static void a_packed_file_is_known_and_comes_out_whole(void **state)
{
	(void)state;
	uint8_t *plain = make_plain(), *packed = mem_alloc(2 * SIZE);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const size_t size = pack(methods[i], plain, SIZE, packed, 2 * SIZE);
		const struct bytes b = { packed, size };
		enum unpack_method method;
		struct bytes got;
		struct heft_err cut;
		uint8_t head[100];
		assert_true(unpack_guess(b, &method));
		assert_int_equal(method, methods[i]);
		assert_int_equal(unpack_head(method, b, head, sizeof head), sizeof head);
		assert_memory_equal(head, plain, sizeof head);
		assert_true(unpack_file(method, b, SIZE, &got, &cut, NULL));
		assert_int_equal(cut.code, HEFT_OK);
		assert_int_equal(got.size, SIZE);
		assert_memory_equal(got.p, plain, SIZE);
		release(got);
	}
	mem_free(packed);
	mem_free(plain);
}

static void members_that_follow_one_another_are_one_file(void **state)
{
	(void)state;
	uint8_t *plain = make_plain(), *packed = mem_alloc(4 * SIZE);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const size_t first = pack(methods[i], plain, SIZE / 3, packed, 2 * SIZE);
		const size_t second = pack(methods[i], plain + SIZE / 3, SIZE - SIZE / 3,
					   packed + first, 2 * SIZE);
		struct bytes got;
		struct heft_err cut;
		assert_true(unpack_file(methods[i], (struct bytes){ packed, first + second }, SIZE,
					&got, &cut, NULL));
		assert_int_equal(cut.code, HEFT_OK);
		assert_int_equal(got.size, SIZE);
		assert_memory_equal(got.p, plain, SIZE);
		release(got);
	}
	mem_free(packed);
	mem_free(plain);
}

static void what_is_cut_off_gives_what_comes_before(void **state)
{
	(void)state;
	uint8_t *plain = make_plain(), *packed = mem_alloc(2 * SIZE);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const size_t size = pack(methods[i], plain, SIZE, packed, 2 * SIZE);
		for (size_t cut_at = 1; cut_at < size; cut_at += size / 7) {
			struct bytes got;
			struct heft_err cut;
			assert_true(unpack_file(methods[i], (struct bytes){ packed, cut_at }, SIZE,
						&got, &cut, NULL));
			assert_int_not_equal(cut.code, HEFT_OK);
			assert_true(got.size <= SIZE);
			if (got.size)
				assert_memory_equal(got.p, plain, got.size);
			release(got);
		}
	}
	mem_free(packed);
	mem_free(plain);
}

static void more_than_the_limit_is_an_error(void **state)
{
	(void)state;
	uint8_t *plain = make_plain(), *packed = mem_alloc(2 * SIZE);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const size_t size = pack(methods[i], plain, SIZE, packed, 2 * SIZE);
		struct bytes got;
		struct heft_err cut, err = { 0 };
		assert_false(unpack_file(methods[i], (struct bytes){ packed, size }, SIZE - 1, &got,
					 &cut, &err));
		assert_int_equal(err.code, HEFT_ELIMIT);
		assert_int_equal(got.size, 0);
	}
	mem_free(packed);
	mem_free(plain);
}

static void a_file_is_unpacked_in_place(void **state)
{
	(void)state;
	uint8_t *plain = make_plain(), *packed = mem_alloc(2 * SIZE);
	const size_t size = pack(UNPACK_ZSTD, plain, SIZE, packed, 2 * SIZE);
	char path[] = "/tmp/heft-test-XXXXXX";
	const int fd = mkstemp(path);
	struct file f;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, packed, size), size);
	close(fd);
	assert_true(file_open(&f, path, NULL));
	assert_true(unpack_in_place(&f, NULL, NULL));
	assert_int_equal(f.bytes.size, SIZE);
	assert_memory_equal(f.bytes.p, plain, SIZE);
	assert_true(unpack_in_place(&f, NULL, NULL)); /* it is packed no longer */
	assert_int_equal(f.bytes.size, SIZE);
	file_close(&f);
	unlink(path);
	mem_free(packed);
	mem_free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packed_file_is_known_and_comes_out_whole),
		cmocka_unit_test(members_that_follow_one_another_are_one_file),
		cmocka_unit_test(what_is_cut_off_gives_what_comes_before),
		cmocka_unit_test(more_than_the_limit_is_an_error),
		cmocka_unit_test(a_file_is_unpacked_in_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
