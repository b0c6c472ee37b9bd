/* blocks.c - looks at its own blocks as a reader of a dump would: docs/heap-format.md.
 *
 * Runs under the recorder; exits 0, or 1 after naming what does not hold. */
#include "heap/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(x)                                                                                  \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "%d: %s\n", __LINE__, #x);                                 \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

struct seen {
	uint32_t flags, stack;
	uint64_t size;
	struct heap_wide wide;
};

/* Is there a header in front of `at` that belongs to the address `p`? */
static int verify(const unsigned char *at, uintptr_t p, struct seen *ret)
{
	struct heap_header h;
	memcpy(&h, at - sizeof h, sizeof h);
	*ret = (struct seen){ 0 };
	ret->flags = (uint32_t)(h.mark >> HEAP_FLAG_SHIFT) & 15;
	ret->stack = (uint32_t)h.link;
	ret->size = h.mark & HEAP_SIZE_MASK;
	if ((ret->flags & HEAP_WIDE) != 0)
		memcpy(&ret->wide, at - HEAP_WIDE_SIZE, sizeof ret->wide);
	const uint64_t wide = (ret->flags & HEAP_FREED) != 0 ? 0
							     : ret->wide.sequence ^ ret->wide.owner;
	return (h.mark & HEAP_MARK_MASK) == HEAP_MARK &&
	       heap_check(p, h.mark, ret->stack, wide) == h.link >> 32;
}

static int is_on(const char *name, const char *value)
{
	const char *v = getenv(name);
	return v != NULL && strcmp(v, value) == 0;
}

static void live_blocks(void)
{
	struct seen a, b;
	uint64_t last = 0;
	for (size_t n = 0; n < 2000; n += 7) {
		unsigned char *p = malloc(n), *q = aligned_alloc(256, n + 1);
		EXPECT(verify(p, (uintptr_t)p, &a) && a.size == n && (a.flags & HEAP_FREED) == 0);
		EXPECT(verify(q, (uintptr_t)q, &b) && b.size == n + 1 &&
		       (b.flags & HEAP_WIDE) != 0);
		if (is_on("HEFT_HEAP_WIDE", "1")) {
			EXPECT(a.wide.sequence > last && b.wide.sequence > a.wide.sequence);
			last = b.wide.sequence;
		}
		if (is_on("HEFT_HEAP_CANARY", "1")) {
			const uint64_t canary = heap_canary((uintptr_t)p);
			EXPECT((a.flags & HEAP_CANARY) != 0 && memcmp(p + n, &canary, 8) == 0);
		}
		EXPECT(is_on("HEFT_HEAP_STACKS", "inline") == ((a.flags & HEAP_INLINE) != 0));
		p = realloc(p, n + 5000);
		EXPECT(verify(p, (uintptr_t)p, &a) && a.size == n + 5000);
		free(p);
		free(q);
	}
}

static void copies_do_not_verify(void)
{
	_Alignas(16) unsigned char copy[256];
	struct seen s;
	unsigned char *p = malloc(100);
	memcpy(copy, p - HEAP_WIDE_SIZE, sizeof copy / 2);
	EXPECT(!verify(copy + HEAP_WIDE_SIZE, (uintptr_t)(copy + HEAP_WIDE_SIZE), &s));
	EXPECT(verify(copy + HEAP_WIDE_SIZE, (uintptr_t)p, &s));
	free(p);
}

/* Read after free, on purpose: through an address the compiler knows nothing of. */
static void freed_blocks(void)
{
	struct seen s;
	unsigned char *p = malloc(100);
	volatile uintptr_t address = (uintptr_t)p;
	free(p);
	/* The allocator writes 16 bytes in front: the plain header is gone, the wide one stays. */
	if (is_on("HEFT_HEAP_WIDE", "1"))
		EXPECT(verify((const unsigned char *)address, address, &s) &&
		       (s.flags & HEAP_FREED) != 0);
	else
		EXPECT(!verify((const unsigned char *)address, address, &s) ||
		       (s.flags & HEAP_FREED) != 0);
}

static __attribute__((noinline)) unsigned char *from_here(void)
{
	unsigned char *p = malloc(50);
	__asm__ volatile("" ::: "memory");
	return p;
}

static void inline_stacks(void)
{
	struct seen s;
	struct heap_inline in;
	uint64_t check = 0;
	unsigned char *p = from_here();
	EXPECT(verify(p, (uintptr_t)p, &s) && (s.flags & HEAP_INLINE) != 0);
	memcpy(&in, p - s.stack, sizeof in);
	const uint32_t count = (uint32_t)in.count;
	EXPECT(in.magic == HEAP_INLINE_MAGIC + sizeof(void *) && count >= 3 && count <= 16);
	const uintptr_t *frames = (const uintptr_t *)(const void *)(p - s.stack + sizeof in);
	for (uint32_t i = 0; i < count; i++)
		check = heap_inline_check(check, frames[i]);
	EXPECT(check >> 32 == in.count >> 32);
	EXPECT(frames[0] - (uintptr_t)from_here < 64);
	EXPECT(frames[1] - (uintptr_t)inline_stacks < 256);
	free(p);
}

int main(void)
{
	live_blocks();
	copies_do_not_verify();
	freed_blocks();
	if (is_on("HEFT_HEAP_STACKS", "inline"))
		inline_stacks();
	puts("good");
	return 0;
}
