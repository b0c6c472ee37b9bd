/* bump.c - an allocator that signal handlers may interrupt, and call: it never takes a block
 * back. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { HEAP = 1 << 30 };

static _Alignas(4096) char heap[HEAP];
static _Atomic(size_t) used;

void *memalign(size_t align, size_t size)
{
	const size_t need = ((size + 15) & ~(size_t)15) + (align < 16 ? 16 : align) + 16;
	const size_t at = size < HEAP && align < HEAP ? atomic_fetch_add(&used, need) : HEAP;
	if (at > HEAP - need) {
		errno = ENOMEM;
		return NULL;
	}
	char *p = heap + at + 16;
	p += -(size_t)p & ((align < 16 ? 16 : align) - 1);
	memcpy(p - 16, &size, sizeof size);
	return p;
}

void *malloc(size_t size)
{
	return memalign(16, size);
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t count, size_t size)
{
	return memalign(16, count * size);
}

size_t malloc_usable_size(void *p)
{
	size_t size = 0;
	if (p != NULL)
		memcpy(&size, (char *)p - 16, sizeof size);
	return size;
}

void *realloc(void *p, size_t size)
{
	const size_t old = malloc_usable_size(p);
	void *to = memalign(16, size);
	if (to != NULL && p != NULL)
		memcpy(to, p, old < size ? old : size);
	return to;
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **ret, size_t align, size_t size)
{
	*ret = memalign(align, size);
	return *ret != NULL ? 0 : ENOMEM;
}
