/* finding.c - does what heaps suffer from, and says which block it did it to:
 * tests/recorder/finding.py.
 *
 *	finding MODE
 *
 * Each fault is announced by a line, "MODE ADDRESS SIZE ..."; SIGTRAP follows for a dump, and then
 * the fault is undone and the next one made. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define AWAY __attribute__((noinline))

enum { SIZE = 24, BLOCKS = 9, OVER_MOST = 64 };

struct node {
	struct node *next;
	long value;
};

static struct node *volatile kept;

static void dump(const char *mode, const void *p, size_t size, const void *other)
{
	printf("%s %p %zu %p\n", mode, p, size, other);
	fflush(stdout);
	raise(SIGTRAP);
}

/* Small blocks side by side, in use all the time. */
static char **neighbours(size_t size)
{
	static char *blocks[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(size);
		memset(blocks[i], i, size);
	}
	return blocks;
}

static void overflow(int fill)
{
	static const int sizes[] = {
		1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 32, 33, 40, 48, 63, 64
	};
	char **blocks = neighbours(SIZE), saved[OVER_MOST];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *end = blocks[4] + SIZE;
		memcpy(saved, end, sizeof saved);
		memset(end, fill, (size_t)sizes[i]);
		dump("overflow", blocks[4], SIZE, blocks[5]);
		memcpy(end, saved, sizeof saved);
	}
}

/* The size and flags go, then check and stack, and nothing else. */
static void header(void)
{
	char **blocks = neighbours(SIZE);
	for (int off = -16; off <= -8; off += 8) {
		char saved[8];
		memcpy(saved, blocks[4] + off, 8);
		memset(blocks[4] + off, 'A', 8);
		dump("header", blocks[4], SIZE, blocks[3]);
		memcpy(blocks[4] + off, saved, 8);
	}
}

static AWAY void free_first(char *p)
{
	free(p);
}

static AWAY void free_second(char *p)
{
	free(p);
}

static void double_free(size_t size)
{
	char **blocks = neighbours(size);
	free_first(blocks[4]);
	printf("double %p %zu 0\n", (void *)blocks[4], size);
	fflush(stdout);
	free_second(blocks[4]);
}

/* realloc took it elsewhere; the old pointer is freed. */
static void free_moved(void)
{
	char **blocks = neighbours(SIZE), *old = blocks[4];
	blocks[4] = realloc(old, 5000);
	printf("moved %p %d 0\n", (void *)old, SIZE);
	fflush(stdout);
	free_second(old);
}

/* A byte of the header in front of a block, which is then freed. */
static void below(int off)
{
	char **blocks = neighbours(SIZE);
	blocks[4][-off] ^= 0x55;
	printf("below %p %d %p\n", (void *)blocks[4], SIZE, (void *)blocks[3]);
	fflush(stdout);
	free(blocks[4]);
}

/* Blocks of their own mappings, of which the memory of the upper one is gone. */
static void behind(void)
{
	enum { LARGE = 1 << 20 };
	char *a = malloc(LARGE), *b = malloc(LARGE);
	char *low = a < b ? a : b, *high = a < b ? b : a;
	munmap((void *)((uintptr_t)high & ~(uintptr_t)4095), LARGE + 4096);
	printf("behind %p %d 0\n", (void *)low, LARGE);
	fflush(stdout);
	*(volatile char *)(low + LARGE + 5000) = 1;
}

static AWAY void make_lost(void)
{
	struct node *a = malloc(40), *b = malloc(50), *c = malloc(60), *d = malloc(70);
	struct node *e = malloc(80), *f = malloc(90), *g = malloc(100);
	a->next = b; /* a is lost, b with it */
	b->next = c; /* and c */
	c->next = a->next;
	d->next = e; /* a ring: d, the lower one, counts as lost */
	e->next = d;
	kept = f; /* reached; g only from inside */
	f->next = (struct node *)((char *)g + 32);
	g->next = NULL;
	printf("lost %p 40 0\nindirect %p 50 0\nindirect %p 60 0\n", (void *)a, (void *)b,
	       (void *)c);
	printf("lost %p 70 0\nindirect %p 80 0\n", (void *)(d < e ? d : e),
	       (void *)(d < e ? e : d));
	printf("inside %p 100 0\nreached %p 90 0\n", (void *)g, (void *)f);
	fflush(stdout);
}

/* What stands below the stack pointer, and in registers, is not what make_lost left. */
static AWAY void forget(void)
{
	volatile char wide[1 << 16];
	for (size_t i = 0; i < sizeof wide; i++)
		wide[i] = 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	if (strcmp(mode, "overflow") == 0)
		overflow('q');
	else if (strcmp(mode, "nul") == 0)
		overflow(0);
	else if (strcmp(mode, "header") == 0)
		header();
	else if (strncmp(mode, "double", 6) == 0)
		double_free(strtoul(mode + 6, NULL, 10));
	else if (strcmp(mode, "moved") == 0)
		free_moved();
	else if (strncmp(mode, "below", 5) == 0)
		below(atoi(mode + 5));
	else if (strcmp(mode, "behind") == 0)
		behind();
	else if (strcmp(mode, "leak") == 0) {
		make_lost();
		forget();
		raise(SIGTRAP);
	} else if (strcmp(mode, "healthy") == 0) {
		char **blocks = neighbours(SIZE);
		free(blocks[2]);
		free(realloc(blocks[3], 5000));
		dump("healthy", blocks[4], SIZE, blocks[5]);
	} else {
		return 2;
	}
	return 0;
}
