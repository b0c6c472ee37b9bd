/* Preloaded into a program, makes one of its allocations fail, or all from one on, for
 * out_of_memory.py.  FAIL_AT=N says which, FAIL_ON=1 that those behind it fail as well.
 * FAIL_COUNT=FILE has 8 bytes, in which the allocations are counted.  With FAIL_BY=WORD, only those
 * of files that have it in their names.  Children of the program are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t none, *count = &none;
static uint64_t fail_at;
static bool fail_on;
static const char *fail_by;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT"), *on = getenv("FAIL_ON"), *path = getenv("FAIL_COUNT");
	const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *shared = fd < 0 ? MAP_FAILED
			      : (void *)syscall(SYS_mmap, NULL, sizeof *count,
						PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		_exit(99);
	close(fd);
	fail_at = at ? strtoull(at, NULL, 10) : 0;
	fail_on = on != NULL;
	fail_by = getenv("FAIL_BY");
	count = shared;
	unsetenv("LD_PRELOAD");
}

static bool fails(const void *caller)
{
	Dl_info file;
	if (fail_by && (dladdr(caller, &file) == 0 || !strstr(file.dli_fname, fail_by)))
		return false;
	const uint64_t number = atomic_fetch_add(count, 1) + 1;
	const bool so = fail_at != 0 && (fail_on ? number >= fail_at : number == fail_at);
	if (so)
		errno = ENOMEM;
	return so;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return size > 0 && fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *p = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
	if (p)
		*ret = p;
	return p ? 0 : ENOMEM;
}

/* Arrays of many megabytes, and the bytes of files. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t off)
{
	return fails(__builtin_return_address(0))
		       ? MAP_FAILED
		       : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, off);
}
