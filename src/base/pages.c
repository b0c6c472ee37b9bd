#include "base/pages.h"

#include "base/os/os.h"

/* The page before the memory that pages_alloc() returns */
struct pages {
	struct owned *owned;
	size_t size; /* Size of the mapping, with this page */
};

static void pages_release(void *thing)
{
	struct pages *p = thing;
	os_pages_free(p, p->size);
}

static void *pages_make(uint64_t size, bool sparse)
{
	const size_t front = os_page_size();
	if (size == 0 || size > SIZE_MAX / 2)
		return NULL;
	struct pages *p = os_pages_new(front + (size_t)size, sparse);
	if (!p)
		return NULL;
	p->size = front + (size_t)size;
	p->owned = memory_own(pages_release, p);
	return (char *)p + front;
}

void *pages_alloc(uint64_t size)
{
	return pages_make(size, false);
}

void *pages_alloc_sparse(uint64_t size)
{
	return pages_make(size, true);
}

void pages_free(void *p)
{
	if (!p)
		return;
	ASSERT((uintptr_t)p % os_page_size() == 0);
	struct pages *pages = (void *)((char *)p - os_page_size());
	memory_disown(pages->owned);
	pages_release(pages);
}

void pages_drop(const void *p, uint64_t size)
{
	const uintptr_t page = os_page_size();
	const uintptr_t start = ((uintptr_t)p + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)p + (uintptr_t)size) / page * page;
	if (start < end)
		os_pages_drop((void *)start, end - start);
}
