/* Allocates large arrays directly from the kernel. */
#define _GNU_SOURCE /* For mremap */
#include "base/large.h"

#if LARGE_MAPPED

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

static size_t up(size_t size, size_t unit)
{
	return (size + unit - 1) & ~(unit - 1);
}

/* Returns the size of a mapping for `size` bytes: whole pages. 0 if it is too large. */
static size_t mapped_bytes(size_t size)
{
	const size_t page = size < HUGE_PAGE ? (size_t)sysconf(_SC_PAGESIZE) : HUGE_PAGE;
	return size <= SIZE_MAX - 2 * HUGE_PAGE - page ? up(size, page) : 0;
}

/* Maps memory at a multiple of 2 MiB. MADV_HUGEPAGE must cover the whole mapping. Otherwise the
 * kernel splits it in two, and mremap cannot grow both. */
static unsigned char *map_aligned(size_t bytes)
{
	unsigned char *const p = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	const size_t front = up((uintptr_t)p, HUGE_PAGE) - (uintptr_t)p;
	if (front > 0)
		munmap(p, front);
	if (front < HUGE_PAGE)
		munmap(p + front + bytes, HUGE_PAGE - front);
	madvise(p + front, bytes, MADV_HUGEPAGE);
	return p + front;
}

void *large_new(size_t size)
{
	const size_t bytes = mapped_bytes(size);
	return bytes > 0 ? map_aligned(bytes) : NULL;
}

/* Resizes the array in place if possible. If other memory follows it, the kernel moves its pages to
 * other addresses, without a copy. */
void *large_resize(void *p, size_t before, size_t size)
{
	const size_t from = mapped_bytes(before), bytes = mapped_bytes(size);
	if (bytes == 0)
		return NULL;
	if (mremap(p, from, bytes, 0) != MAP_FAILED)
		return p;
	void *const to = map_aligned(bytes);
	if (!to)
		return NULL;
	if (mremap(p, from, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED)
		return to;
	munmap(to, bytes);
	return NULL;
}

void *large_from(void *p, size_t size)
{
	const size_t has = malloc_usable_size(p);
	void *const moved = large_new(size);
	if (!moved)
		return NULL;
	memcpy(moved, p, has < size ? has : size);
	free(p);
	return moved;
}

void large_free(void *p, size_t size)
{
	munmap(p, mapped_bytes(size));
}

#else

void *large_new(size_t size)
{
	(void)size;
	return NULL;
}

void *large_resize(void *p, size_t before, size_t size)
{
	(void)p;
	(void)before;
	(void)size;
	return NULL;
}

void *large_from(void *p, size_t size)
{
	(void)p;
	(void)size;
	return NULL;
}

void large_free(void *p, size_t size)
{
	(void)p;
	(void)size;
}

#endif
