#include "base/file.h"
#include "base/os/os.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { HOLE = 64 << 20, PLACES = 3 };

/* Where there is something in the file: at the start, in the middle, at the end. */
static const uint64_t places[PLACES] = { 0, HOLE / 2 + 5000, HOLE + 123 };

/* Pages of memory of this process; 0 where the system does not tell. */
static long resident(void)
{
	long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f) {
		if (fscanf(f, "%ld %ld", &size, &pages) != 2)
			pages = 0;
		fclose(f);
	}
	return pages;
}

static uint64_t sum(struct bytes b)
{
	uint64_t ret = 0;
	for (uint64_t i = 0; i < b.size; i++)
		ret += b.p[i];
	return ret;
}

static void holes_of_a_file_are_zeros_and_take_no_memory(void **state)
{
	char path[] = "/tmp/heft-test-XXXXXX";
	const int fd = mkstemp(path);
	struct file f;
	struct stat st;
	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(pwrite(fd, "x", 1, (off_t)places[i]), 1);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_true(file_open(&f, path, NULL));
	assert_int_equal(f.bytes.size, places[PLACES - 1] + 1);
	const long before = resident();
	assert_int_equal(sum(f.bytes), PLACES * 'x');
	const long taken = (resident() - before) * sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(f.bytes.p[places[i]], 'x');
	file_close(&f);
	unlink(path);
	if (st.st_blocks > HOLE / 512 || before == 0)
		skip(); /* a file system without holes */
	assert_true(taken < HOLE / 4);
}

static void a_copy_of_zeros_fails_if_the_file_became_shorter(void **state)
{
	char path[] = "/tmp/heft-copy-XXXXXX";
	const int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100000), 0);
	void *whole = os_copy(fd, 100000);
	assert_non_null(whole);
	os_unmap(whole, 100000);
	assert_null(os_copy(fd, 200000));
	assert_int_equal(errno, EIO);
	assert_int_equal(close(fd) | unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_of_a_file_are_zeros_and_take_no_memory),
		cmocka_unit_test(a_copy_of_zeros_fails_if_the_file_became_shorter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
