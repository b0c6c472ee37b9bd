/* heap_blocks.c - a process with many blocks from many call stacks, to be dumped.
 *
 *	heap_blocks BLOCKS STACKS
 *
 * Stacks are 24 to 42 frames deep and part in their innermost 20, two ways ten times; blocks have
 * 16 to 79 bytes, every sixteenth is freed again.  Blocks are chained, so all are reachable.
 * Prints "ready" and waits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TURNS = 10, OUTER = 18 };

#define LEAVE __asm__ volatile("" ::: "memory") /* no tail call */

struct block {
	struct block *next;
};

static __attribute__((noinline)) void *inner(unsigned way, int left, size_t size);

static __attribute__((noinline)) void *left_way(unsigned way, int left, size_t size)
{
	void *p = left == 0 ? malloc(size) : inner(way >> 1, left - 1, size);
	LEAVE;
	return p;
}

static __attribute__((noinline)) void *right_way(unsigned way, int left, size_t size)
{
	void *p = left == 0 ? malloc(size) : inner(way >> 1, left - 1, size);
	LEAVE;
	return p;
}

static void *inner(unsigned way, int left, size_t size)
{
	void *p = (way & 1) != 0 ? left_way(way, left, size) : right_way(way, left, size);
	LEAVE;
	return p;
}

static __attribute__((noinline)) void *down(unsigned way, int left, size_t size)
{
	void *p = left == 0 ? inner(way, TURNS - 1, size) : down(way, left - 1, size);
	LEAVE;
	return p;
}

int main(int argc, char **argv)
{
	struct block *first = NULL;
	uint32_t r = 1;
	if (argc != 3)
		return 2;
	const long blocks = atol(argv[1]), stacks = atol(argv[2]);
	for (long i = 0; i < blocks; i++) {
		r = r * 1664525 + 1013904223;
		const unsigned stack = (unsigned)(i % stacks);
		struct block *b = down(stack, (int)(stack >> TURNS) % OUTER, 16 + (r >> 8 & 63));
		if (b == NULL)
			return 1;
		if (i % 16 == 7) {
			free(b);
			continue;
		}
		b->next = first;
		first = b;
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
