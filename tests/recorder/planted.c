/* planted.c - one fault of a heap, for tests/recorder/planted.py.
 *
 *	planted FAULT SIZE
 *
 * Says "ADDRESS BEFORE": the block that it is done to, and the one that was allocated before.  Then
 * the fault is made, and the program ends by it, or else by abort(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAY __attribute__((noinline))

enum { BLOCKS = 9, OVER = 40, UNDER = 8 };

static char *blocks[BLOCKS];
static char in_data[4096];

/* The calls are no last ones: each function is in the stack. */
static AWAY char *take(size_t size)
{
	char *p = malloc(size);
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

static AWAY void make(size_t size)
{
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = take(size);
		memset(blocks[i], i, size);
	}
}

static AWAY void first(char *p)
{
	free(p);
	__asm__ volatile("" : : : "memory");
}

static AWAY void second(char *p)
{
	free(p);
	__asm__ volatile("" : : : "memory");
}

static AWAY void use_freed(char *p)
{
	*(char **)p = (char *)16;
	first(p);
	**(char **)p = 1;
}

static AWAY void free_stack(void)
{
	char on_stack[256];
	__asm__ volatile("" : : "r"(on_stack) : "memory");
	second(on_stack + 64);
}

static AWAY void plant(const char *fault, char *p, size_t size)
{
	if (strcmp(fault, "double") == 0) {
		first(p);
		second(p);
	} else if (strcmp(fault, "overflow") == 0) {
		memset(p + size, 'q', OVER);
	} else if (strcmp(fault, "overflow-freed") == 0) {
		memset(p + size, 'q', OVER);
		first(p);
	} else if (strcmp(fault, "underflow") == 0) {
		memset(p - UNDER, 'q', UNDER);
	} else if (strcmp(fault, "underflow-freed") == 0) {
		memset(p - UNDER, 'q', UNDER);
		second(p);
	} else if (strcmp(fault, "use") == 0) {
		use_freed(p);
	} else if (strcmp(fault, "wild-inside") == 0) {
		second(p + 16);
	} else if (strcmp(fault, "wild-data") == 0) {
		second(in_data + 64);
	} else if (strcmp(fault, "wild-stack") == 0) {
		free_stack();
	} else {
		first(p); /* healthy */
	}
}

int main(int argc, char **argv)
{
	const size_t size = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	make(size);
	printf("%p %p\n", (void *)blocks[4], (void *)blocks[3]);
	fflush(stdout);
	plant(argv[1], blocks[4], size);
	abort();
}
