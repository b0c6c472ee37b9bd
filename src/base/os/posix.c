/* Implements os.h for POSIX, with extensions of Linux, macOS and the BSDs. */
#define _GNU_SOURCE      /* For MAP_ANONYMOUS, SEEK_HOLE, pthread_getattr_np */
#define _DARWIN_C_SOURCE /* For extensions of macOS */
#include "base/os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#if defined(__FreeBSD__) || defined(__OpenBSD__)
#include <pthread_np.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static void *mapping_or_null(void *p)
{
	return p == MAP_FAILED ? NULL : p;
}

/* Asks for large pages, because small ones take twice as long to fill. If `huge` is false, forbids
 * them: if most of the memory stays empty, large pages take more of it. */
static void want_huge_pages(void *p, size_t size, bool huge)
{
#ifdef MADV_HUGEPAGE
	(void)madvise(p, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
	(void)p;
	(void)size;
	(void)huge;
#endif
}

size_t os_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *os_pages_new(size_t size, bool sparse)
{
	void *p = mapping_or_null(mmap(NULL, size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	if (p)
		want_huge_pages(p, size, !sparse);
	return p;
}

void os_pages_free(void *p, size_t size)
{
	munmap(p, size);
}

void os_pages_drop(void *p, size_t size)
{
	(void)madvise(p, size, MADV_DONTNEED);
}

int os_dup(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

#ifdef SEEK_HOLE

/* Replaces large holes of a mapped file by pages of zeros. A page of a hole takes memory when it is
 * read, and a page of zeros does not. Leaves small holes, and those after the first HOLES_MAX. */
static void map_holes(unsigned char *p, size_t size, int fd)
{
	enum { HOLE_MIN = 2 << 20, HOLES_MAX = 1024, LOOKS_MAX = 1 << 16 };
	const off_t before = lseek(fd, 0, SEEK_CUR);
	size_t at = 0;
	for (unsigned i = 0, holes = 0; at < size && i < LOOKS_MAX && holes < HOLES_MAX; i++) {
		const off_t hole = lseek(fd, (off_t)at, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole >= size)
			break;
		const off_t data = lseek(fd, hole, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			break;
		at = data < 0 || (uint64_t)data > size ? size : (size_t)data;
		const size_t start = ((size_t)hole + HOLE_MIN - 1) / HOLE_MIN * HOLE_MIN;
		const size_t end = at / HOLE_MIN * HOLE_MIN;
		if (end <= start)
			continue;
		if (mmap(p + start, end - start, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			 -1, 0) == MAP_FAILED)
			break;
		want_huge_pages(p + start, end - start, true);
		holes++;
	}
	if (before >= 0)
		lseek(fd, before, SEEK_SET);
}

/* Returns the first offset from `at` on at which the file has data. */
static size_t next_data(int fd, size_t at, size_t size)
{
	const off_t before = lseek(fd, 0, SEEK_CUR);
	const off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	/* ENXIO: no data follows, or the file became shorter than `at`. */
	const bool no_more = data < 0 && errno == ENXIO && (uint64_t)lseek(fd, 0, SEEK_END) >= size;
	if (before >= 0)
		lseek(fd, before, SEEK_SET);
	if (data < 0)
		return no_more ? size : at;
	return (uint64_t)data < size ? (size_t)data : size;
}

#else

static size_t next_data(int fd, size_t at, size_t size)
{
	(void)fd;
	(void)size;
	return at;
}

static void map_holes(unsigned char *p, size_t size, int fd)
{
	(void)p;
	(void)size;
	(void)fd;
}

#endif

void *os_map(int fd, size_t size, bool sparse)
{
	void *p = mapping_or_null(mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0));
	if (p && sparse)
		map_holes(p, size, fd);
	return p;
}

static bool is_zero(const unsigned char *p, size_t size)
{
	return size == 0 || (p[0] == 0 && memcmp(p, p + 1, size - 1) == 0);
}

void *os_copy(int fd, size_t size)
{
	unsigned char some[1 << 16];
	unsigned char *p = os_pages_new(size, false);
	for (size_t done = 0; p && done < size;) {
		const size_t want = size - done < sizeof some ? size - done : sizeof some;
		const ssize_t n = pread(fd, some, want, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			const int why = n < 0 ? errno : EIO;
			os_pages_free(p, size);
			errno = why;
			return NULL;
		}
		/* Pages of zeros are not written, so that they take no memory. */
		const bool zero = is_zero(some, (size_t)n);
		if (!zero)
			memcpy(p + done, some, (size_t)n);
		done = zero ? next_data(fd, done + (size_t)n, size) : done + (size_t)n;
	}
	return p;
}

void os_unmap(void *p, size_t size)
{
	munmap(p, size);
}

char *os_real_path(const char *path)
{
	return realpath(path, NULL);
}

/* mkstemp() gives rights only to the owner, so `shared` adds the rights of other users. */
int os_new_file(char *path, bool shared)
{
	const int fd = mkstemp(path);
	if (fd < 0 || !shared)
		return fd;
	const mode_t mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask) == 0)
		return fd;
	close(fd);
	return -1;
}

bool os_is_own_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Creates a file without a name. The system removes it when its descriptor is closed. */
bool os_scratch_open(struct os_scratch *s)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	*s = (struct os_scratch){ .fd = -1 };
	if (!dir || !*dir)
		dir = "/var/tmp";
	if (snprintf(path, sizeof path, "%s/heft-XXXXXX", dir) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	s->fd = mkstemp(path);
	if (s->fd >= 0)
		unlink(path);
	return s->fd >= 0;
}

uint64_t os_scratch_room(const struct os_scratch *s)
{
	struct statvfs v;
	return fstatvfs(s->fd, &v) == 0 ? (uint64_t)v.f_bavail * v.f_frsize : UINT64_MAX;
}

bool os_scratch_write(struct os_scratch *s, const uint8_t *p, size_t size, uint64_t at)
{
	while (size > 0) {
		const ssize_t n = pwrite(s->fd, p, size, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return true;
}

void *os_scratch_map(struct os_scratch *s, size_t size)
{
	return ftruncate(s->fd, (off_t)size) == 0 ? os_map(s->fd, size, false) : NULL;
}

void os_scratch_close(struct os_scratch *s)
{
	close(s->fd);
	s->fd = -1;
}

void *os_library_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *os_library_find(void *library, const char *name)
{
	return dlsym(library, name);
}

unsigned os_processors(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

#ifdef __APPLE__

bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	*ret_high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
	*ret_low = *ret_high - pthread_get_stacksize_np(pthread_self());
	return true;
}

#elif defined(__linux__) || defined(__FreeBSD__)

bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	pthread_attr_t attr;
	void *low;
	size_t size;
#ifdef __linux__
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return false;
#else
	if (pthread_attr_init(&attr) != 0)
		return false;
	if (pthread_attr_get_np(pthread_self(), &attr) != 0) {
		pthread_attr_destroy(&attr);
		return false;
	}
#endif
	const bool known = pthread_attr_getstack(&attr, &low, &size) == 0;
	pthread_attr_destroy(&attr);
	if (!known)
		return false;
	*ret_low = (uintptr_t)low;
	*ret_high = *ret_low + size;
	return true;
}

#else

bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	(void)ret_low;
	(void)ret_high;
	return false;
}

#endif
