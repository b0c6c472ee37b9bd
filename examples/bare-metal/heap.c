/* heap.c - the port: all that a program writes itself. */
#include "heap.h"
#include "board.h"
#include "pool.h"

static struct pool pool;
static _Alignas(8) unsigned char memory[24 * 1024];

static uint64_t now(void *ctx)
{
	(void)ctx;
	return board_now();
}

static const struct heft_port port = {
	.allocate = pool_take,
	.release = pool_give,
	.capture = CAPTURE, /* the Makefile says which of capture.c fits the compiler */
	.now = now,
	.ctx = &pool,
	.align = 8,
	.depth = 8,
	.flags = HEAP_CANARY,
};

/* The linker script puts .heft at a multiple of 32 KiB, the start of memory: so the state is a
 * process page as well. Anywhere else does too. */
__attribute__((section(".heft"))) struct heft_heap heap;

void heap_start(void)
{
	pool_init(&pool, memory, sizeof memory);
	heft_heap_init(&heap, &port);
}

void *malloc(size_t size)
{
	return heft_heap_malloc(&heap, size, HEFT_CALLER);
}

void *calloc(size_t count, size_t size)
{
	return heft_heap_calloc(&heap, count, size, HEFT_CALLER);
}

void *realloc(void *p, size_t size)
{
	return heft_heap_realloc(&heap, p, size, HEFT_CALLER);
}

/* A debug build may stop here unless the answer is HEFT_GOOD. */
void free(void *p)
{
	heft_heap_free(&heap, p);
}
