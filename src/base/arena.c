/* Allocates memory in blocks that are freed together. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

struct arena_block {
	struct arena_block *next;
	size_t size; /* Bytes of data after the header */
	_Alignas(16) unsigned char data[];
};

/* Bytes for the headers of a block and of its allocation. So a block of 4 MiB with its headers
 * fills two huge pages exactly. */
enum { BLOCK_FRONT = 256 };
enum { BLOCK_MIN = (16 << 10) - BLOCK_FRONT, BLOCK_MAX = (4 << 20) - BLOCK_FRONT };

static void block_add(struct arena *a, uint64_t need)
{
	uint64_t size = a->head ? a->head->size * 2 + BLOCK_FRONT : BLOCK_MIN;
	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < need)
		size = need;
	struct arena_block *b = mem_alloc(sizeof *b + size);
	b->next = a->head;
	b->size = (size_t)size; /* The size fits, because mem_alloc() succeeded. */
	a->head = b;
	a->used = 0;
	a->total += b->size;
}

void *arena_alloc(struct arena *a, uint64_t size, size_t align)
{
	ASSERT(align > 0 && (align & (align - 1)) == 0);
	size_t start = (a->used + align - 1) & ~(align - 1);
	if (!a->head || start > a->head->size || size > a->head->size - start) {
		block_add(a, size);
		start = 0;
	}
	a->used = start + (size_t)size;
	return a->head->data + start;
}

void *arena_calloc(struct arena *a, uint64_t count, size_t size, size_t align)
{
	if (size && count > UINT64_MAX / size)
		call_raise(HEFT_ENOMEM, "out of memory");
	void *p = arena_alloc(a, count * size, align);
	return memset(p, 0, (size_t)count * size);
}

char *arena_copy(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.len + 1, 1);
	if (s.len)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return p;
}

char *arena_format(struct arena *a, const char *fmt, ...)
{
	char small[256];
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	const int n = vsnprintf(small, sizeof small, fmt, args);
	va_end(args);
	ASSERT(n >= 0);
	char *p = arena_alloc(a, (size_t)n + 1, 1);
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	if (!from->head)
		return;
	if (!a->head) {
		*a = *from;
	} else {
		struct arena_block *last = from->head;
		while (last->next)
			last = last->next;
		last->next = a->head->next;
		a->head->next = from->head;
		a->total += from->total;
	}
	memset(from, 0, sizeof *from);
}

void arena_reset(struct arena *a)
{
	while (a->head && a->head->next) {
		struct arena_block *old = a->head->next;
		a->head->next = old->next;
		a->total -= old->size;
		mem_free(old);
	}
	a->used = 0;
}

void arena_release(struct arena *a)
{
	for (struct arena_block *b = a->head; b;) {
		struct arena_block *next = b->next;
		mem_free(b);
		b = next;
	}
	memset(a, 0, sizeof *a);
}
