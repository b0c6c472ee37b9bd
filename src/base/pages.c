#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* The page in front of what pages_alloc gives. */
struct pages {
	struct owned *owned;
	size_t size; /* mapped, this page included */
};

static size_t pages_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void pages_unmap(void *thing)
{
	struct pages *p = thing;
	munmap(p, p->size);
}

void *pages_alloc(uint64_t size)
{
	const size_t front = pages_size();
	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	struct pages *p = mmap(NULL, front + (size_t)size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
#ifdef MADV_HUGEPAGE
	/* Filling 4 KiB at a time takes twice as long. */
	(void)madvise((char *)p + front, (size_t)size, MADV_HUGEPAGE);
#endif
	p->size = front + (size_t)size;
	p->owned = memory_own(pages_unmap, p);
	return (char *)p + front;
}

void pages_free(void *p)
{
	if (!p)
		return;
	struct pages *pages = (void *)((char *)p - pages_size());
	memory_disown(pages->owned);
	pages_unmap(pages);
}

void pages_drop(const void *p, uint64_t size)
{
	const uintptr_t page = pages_size();
	const uintptr_t start = ((uintptr_t)p + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)p + (uintptr_t)size) / page * page;
	if (start < end)
		(void)madvise((void *)start, end - start, MADV_DONTNEED);
}
