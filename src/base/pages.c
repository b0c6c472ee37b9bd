#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void *pages_alloc(uint64_t size)
{
	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	void *p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
#ifdef MADV_HUGEPAGE
	(void)madvise(p, (size_t)size,
		      MADV_HUGEPAGE); /* filling 4 KiB at a time takes twice as long */
#endif
	return p;
}

void pages_free(void *p, uint64_t size)
{
	if (p)
		munmap(p, (size_t)size);
}

void pages_drop(const void *p, uint64_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t start = ((uintptr_t)p + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)p + (uintptr_t)size) / page * page;
	if (start < end)
		(void)madvise((void *)start, end - start, MADV_DONTNEED);
}
