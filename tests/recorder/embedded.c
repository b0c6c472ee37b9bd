/* embedded.c - the embedded recorder's blocks, looked at as a reader of a dump would
 * (docs/heap-format.md), for words of any size and either byte order.
 *
 * Exits 0, or 1 after naming what does not hold.  With a file name: writes its memory there as a
 * probe would, and what is live in it to stdout, for embedded.py. */
#include "heft_heap.h"
#include "pool.h"

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

enum { BLOCKS = 200, MEMORY = 1 << 20 };

/* What a probe would read: the recorder's state at its start. */
static _Alignas(HEAP_PAGE_SIZE) struct memory {
	struct heft_heap heap;
	_Alignas(64) unsigned char pool[MEMORY];
} memory;
static struct heft_heap *const heap = &memory.heap;

struct kept {
	unsigned char *p;
	size_t size, align;
	uint32_t frames;
};

static struct bench {
	struct heft_port port;
	struct pool pool;
	uint32_t frames; /* what the next stack has */
	uint64_t time;
	size_t taken; /* asked of the allocator last */
	struct kept kept[BLOCKS];
	uint64_t live, peak, sequence;
} bench;

/* What the allocator below gives is a multiple of port.align and, where it can be, of no more. */
static void *take(void *ctx, size_t size)
{
	struct bench *b = ctx;
	const size_t align = b->port.align;
	b->taken = size;
	if (align <= 8)
		return pool_take(&b->pool, size);
	unsigned char *raw = size < MEMORY ? pool_take(&b->pool, size + 2 * align) : NULL;
	if (raw == NULL)
		return NULL;
	const uintptr_t at = ((uintptr_t)raw + align) & ~(uintptr_t)(align - 1);
	((uint32_t *)at)[-1] = (uint32_t)(at - (uintptr_t)raw);
	return (void *)at;
}

static void give(void *ctx, void *block)
{
	struct bench *b = ctx;
	unsigned char *at = block;
	memset(block, 0xdd, 8); /* allocators write there */
	pool_give(&b->pool, b->port.align <= 8 ? at : at - ((uint32_t *)block)[-1]);
}

static uintptr_t frame_made(const struct heft_caller *from, uint32_t i)
{
	return i == 0 ? from->pc : (uintptr_t)0x8123450 + 2 * i;
}

static uint32_t made_up(void *ctx, const struct heft_caller *from, uintptr_t *frames, uint32_t max)
{
	struct bench *b = ctx;
	uint32_t n = 0;
	for (; n < b->frames && n < max; n++)
		frames[n] = frame_made(from, n);
	return n;
}

static uint64_t tick(void *ctx)
{
	return ++((struct bench *)ctx)->time;
}

static void start(uint32_t align, uint32_t depth, uint32_t flags)
{
	memset(&memory, 0xa5, sizeof memory);
	bench = (struct bench){ .port = { take, give, made_up, tick, &bench, align, (uint16_t)depth,
					  (uint16_t)flags } };
	pool_init(&bench.pool, memory.pool, MEMORY);
	heft_heap_init(heap, &bench.port);
	heap->task = 7;
}

static struct heap_header header_at(const unsigned char *p)
{
	struct heap_header h;
	memcpy(&h, p - sizeof h, sizeof h);
	return h;
}

static uint32_t flags_at(const unsigned char *p)
{
	return (uint32_t)(header_at(p).mark >> HEAP_FLAG_SHIFT) & 15;
}

/* Is there, in front of `at`, a header of the address `p`? */
static int verifies(const unsigned char *at, const unsigned char *p)
{
	const struct heap_header h = header_at(at);
	struct heap_wide wide = { 0 };
	if ((flags_at(at) & (HEAP_WIDE | HEAP_FREED)) == HEAP_WIDE)
		memcpy(&wide, at - HEAP_WIDE_SIZE, sizeof wide);
	return (h.mark & HEAP_MARK_MASK) == HEAP_MARK &&
	       heap_check((uintptr_t)p, h.mark, (uint32_t)h.link, wide.sequence ^ wide.owner) ==
		       h.link >> 32;
}

static void check_stack(const unsigned char *p, uint32_t frames, const struct heft_caller *from)
{
	const uint32_t distance = (uint32_t)header_at(p).link, depth = bench.port.depth;
	const uint32_t kept = frames > depth ? depth + 1 : frames;
	const unsigned char *at = p - distance;
	struct heap_inline in;
	uint64_t check = 0;
	memcpy(&in, at, sizeof in);
	EXPECT(((uintptr_t)at & 7) == 0);
	EXPECT(in.magic == HEAP_INLINE_MAGIC + sizeof(void *));
	EXPECT((uint32_t)in.count == kept);
	at += sizeof in;
	for (uint32_t i = 0; i < kept; i++, at += sizeof(uintptr_t)) {
		uintptr_t frame;
		memcpy(&frame, at, sizeof frame);
		EXPECT(frame == (i == depth ? HEAP_FRAME_CUT : frame_made(from, i)));
		check = heap_inline_check(check, frame);
	}
	EXPECT(check >> 32 == in.count >> 32);
	const uint32_t head = (flags_at(p) & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	EXPECT(at <= p - head);
	for (; at < p - head; at++)
		EXPECT(*at == 0);
}

/* A live block with all that the format says of it. */
static void check_block(const unsigned char *p, size_t size, size_t align, uint32_t frames,
			const struct heft_caller *from)
{
	const size_t most = align > bench.port.align ? align : bench.port.align;
	EXPECT(((uintptr_t)p & (most - 1)) == 0 && ((uintptr_t)p & (HEAP_ALIGN - 1)) == 0);
	EXPECT(verifies(p, p));
	EXPECT((header_at(p).mark & HEAP_SIZE_MASK) == size);
	EXPECT(flags_at(p) == (HEAP_INLINE | bench.port.flags));
	EXPECT(heft_heap_check(p) == HEFT_GOOD && heft_heap_size(p) == size);
	const size_t tail = (bench.port.flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
	EXPECT((uint32_t)header_at(p).link + size + tail <= bench.taken);
	check_stack(p, frames, from);
	if ((bench.port.flags & HEAP_WIDE) != 0) {
		struct heap_wide wide;
		memcpy(&wide, p - HEAP_WIDE_SIZE, sizeof wide);
		EXPECT(wide.sequence == bench.sequence && wide.owner == (uint64_t)7 << 32);
	}
	if ((bench.port.flags & HEAP_CANARY) != 0) {
		const uint64_t canary = heap_canary((uintptr_t)p);
		EXPECT(memcmp(p + size, &canary, sizeof canary) == 0);
	}
}

static void check_counters(void)
{
	EXPECT(heap->process.live_bytes == bench.live && heap->process.peak_bytes == bench.peak);
	EXPECT(heap->process.updated_at == bench.time);
}

static void count(uint64_t more, uint64_t less)
{
	bench.live += more;
	bench.peak = bench.live > bench.peak ? bench.live : bench.peak;
	bench.live -= less;
}

/* The block holds what it was filled with: nobody else wrote there. */
static int is_filled(const struct kept *k)
{
	for (size_t i = 0; i < k->size; i++)
		if (k->p[i] != (unsigned char)((uintptr_t)k->p >> 4))
			return 0;
	return 1;
}

static void step(struct kept *k, uint32_t n)
{
	const struct heft_caller from = { 0x8000100 + 4 * n, NULL };
	if (k->p != NULL && (n % 5 != 0 || k->align > HEAP_ALIGN)) {
		EXPECT(is_filled(k));
		const unsigned char *p = k->p;
		count(0, k->size);
		EXPECT(heft_heap_free(heap, k->p) == HEFT_GOOD);
		EXPECT(verifies(p, p) && (flags_at(p) & HEAP_FREED) != 0);
		*k = (struct kept){ 0 };
		return;
	}
	const size_t size = n * 7919 % 1201, old = k->size;
	const size_t align = k->p == NULL && n % 3 == 0 ? (size_t)16 << n % 9 : HEAP_ALIGN;
	const uint32_t frames = 1 + n % 40;
	const unsigned char byte = k->p != NULL ? k->p[0] : 0;
	if (k->p != NULL && (size == 0 || old == 0))
		return;
	bench.frames = frames;
	unsigned char *p = align > HEAP_ALIGN ? heft_heap_aligned(heap, align, size, &from)
			   : k->p != NULL     ? heft_heap_realloc(heap, k->p, size, &from)
					      : heft_heap_malloc(heap, size, &from);
	EXPECT(p != NULL);
	bench.sequence++;
	count(size, k->p != NULL ? old : 0);
	EXPECT(k->p == NULL || p[(old < size ? old : size) - 1] == byte);
	check_block(p, size, align, frames, &from);
	*k = (struct kept){ p, size, align, frames };
	memset(p, (int)((uintptr_t)p >> 4 & 255), size);
}

static void any_order(uint32_t align, uint32_t depth, uint32_t flags)
{
	start(align, depth, flags);
	for (uint32_t n = 1; n < 4000; n++) {
		step(&bench.kept[n * 31 % 97 % BLOCKS], n);
		check_counters();
	}
	for (uint32_t i = 0; i < BLOCKS; i++)
		EXPECT(heft_heap_free(heap, bench.kept[i].p) == HEFT_GOOD);
	EXPECT(heap->process.live_bytes == 0);
}

static void limits(void)
{
	start(8, 4, HEAP_CANARY);
	bench.frames = 2;
	const struct heft_caller from = { 0x8000100, NULL };
	EXPECT(heft_heap_malloc(heap, SIZE_MAX, &from) == NULL);
	EXPECT(heft_heap_malloc(heap, SIZE_MAX - 40, &from) == NULL);
	EXPECT(heft_heap_malloc(heap, MEMORY, &from) == NULL);
	EXPECT(heft_heap_aligned(heap, 48, 10, &from) == NULL);
	EXPECT(heft_heap_aligned(heap, SIZE_MAX / 2 + 1, 10, &from) == NULL);
	EXPECT(heft_heap_calloc(heap, SIZE_MAX / 2 + 1, 2, &from) == NULL);
	EXPECT(heft_heap_calloc(heap, SIZE_MAX / 8, 9, &from) == NULL);
	EXPECT(heap->process.live_bytes == 0 && heap->process.peak_bytes == 0);
	unsigned char *p = heft_heap_calloc(heap, 10, 30, &from);
	bench.sequence = heap->sequence;
	check_block(p, 300, 16, 2, &from);
	for (int i = 0; i < 300; i++)
		EXPECT(p[i] == 0);
	EXPECT(heft_heap_realloc(heap, p, MEMORY, &from) == NULL &&
	       heft_heap_check(p) == HEFT_GOOD);
	EXPECT(heft_heap_realloc(heap, p, 0, &from) == NULL && heft_heap_check(p) == HEFT_FREED);
	bench.port.capture = NULL;
	p = heft_heap_malloc(heap, 0, &from);
	check_block(p, 0, 16, 1, &from);
	EXPECT(heft_heap_check(NULL) == HEFT_GOOD && heft_heap_size(NULL) == 0);
	/* A block costs what the header says. */
	EXPECT(bench.taken == heft_heap_front(&bench.port, 1) + 8 + HEAP_CANARY_SIZE);
}

static void trouble(void)
{
	const struct heft_caller from = { 0x8000100, NULL };
	_Alignas(16) unsigned char copy[256];
	start(8, 8, HEAP_WIDE | HEAP_CANARY);
	bench.frames = 3;
	unsigned char *p = heft_heap_malloc(heap, 21, &from),
		      *q = heft_heap_malloc(heap, 50, &from);
	memcpy(copy, p - 64, 128);
	EXPECT(verifies(copy + 64, p) && !verifies(copy + 64, copy + 64));
	EXPECT(heft_heap_free(heap, copy + 64) == HEFT_FOREIGN);
	EXPECT(heft_heap_free(heap, p + 8) == HEFT_FOREIGN);
	/* A header of the hosted recorder's, with a number for a stack. */
	const struct heap_header other = {
		(uint64_t)heap_check((uintptr_t)copy + 128, HEAP_MARK | 9, 5, 0) << 32 | 5,
		HEAP_MARK | 9
	};
	memcpy(copy + 112, &other, sizeof other);
	EXPECT(verifies(copy + 128, copy + 128) && heft_heap_check(copy + 128) == HEFT_FOREIGN);
	p[21] ^= 1;
	EXPECT(heft_heap_check(p) == HEFT_DAMAGED && heft_heap_free(heap, p) == HEFT_DAMAGED);
	EXPECT(heft_heap_free(heap, p) == HEFT_FREED);
	EXPECT(heft_heap_realloc(heap, p, 10, &from) == NULL);
	q[-9] ^= 4; /* in link */
	EXPECT(heft_heap_free(heap, q) == HEFT_FOREIGN);
	q[-9] ^= 4;
	q[-32] ^= 1; /* in sequence */
	EXPECT(heft_heap_realloc(heap, q, 60, &from) == NULL);
	q[-32] ^= 1;
	EXPECT(heft_heap_free(heap, q) == HEFT_GOOD);
	EXPECT(heap->process.double_frees == 2 && heap->process.foreign_frees == 4 &&
	       heap->process.damaged == 1 && heap->process.live_bytes == 0);
}

static void process_page(void)
{
	const struct heap_page *page = &heap->page;
	static struct heft_heap elsewhere[2];
	start(8, 8, HEAP_CANARY);
	EXPECT(page->magic == HEAP_PAGE_MAGIC + sizeof(void *) && page->self == (uintptr_t)heap);
	EXPECT(page->process == page->self && page->kind == HEAP_PAGE_PROCESS);
	EXPECT(page->check == heap_page_check(page) && page->version == HEAP_VERSION);
	EXPECT(page->used == 1 && page->entry_size == sizeof(struct heap_process));
	EXPECT(offsetof(struct heft_heap, process) == HEAP_PAGE_HEADER);
	EXPECT(sizeof(struct heap_process) == 120 && sizeof(struct heap_page) == 64);
	EXPECT(heap->process.flags == (HEAP_INLINE | HEAP_CANARY) && heap->process.depth == 8);
	struct heft_heap *h = &elsewhere[((uintptr_t)elsewhere & (HEAP_PAGE_SIZE - 1)) == 0];
	heft_heap_init(h, &bench.port);
	EXPECT(h->page.magic == 0 && h->process.depth == 8);
}

/* Real return addresses of real callers. */
static __attribute__((noinline)) unsigned char *own_malloc(size_t size)
{
	unsigned char *p = heft_heap_malloc(heap, size, HEFT_CALLER);
	__asm__ volatile("" ::: "memory");
	return p;
}

static __attribute__((noinline)) void caller_is_known(void)
{
	struct heap_header h;
	uintptr_t frame;
	start(8, 8, 0);
	bench.port.capture = NULL;
	unsigned char *p = own_malloc(10);
	h = header_at(p);
	memcpy(&frame, p - (uint32_t)h.link + sizeof(struct heap_inline), sizeof frame);
	const uintptr_t here = (uintptr_t)__builtin_extract_return_addr(
		__builtin_return_address(0));
	const uintptr_t apart = frame > here ? frame - here : here - frame;
	EXPECT(frame != 0 && frame != here && apart < 0x10000);
}

/* Blocks of many kinds, one damaged, written as a probe and as a log would have them. */
static void write_dump(const char *path)
{
	const struct heft_caller from = { 0x8000100, NULL };
	start(8, 6, HEAP_CANARY);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct kept *k = &bench.kept[i];
		k->frames = bench.frames = 1 + i % 7;
		k->size = i * i % 977;
		k->p = heft_heap_aligned(heap, (size_t)16 << i % 4, k->size, &from);
		memset(k->p, (int)i, k->size);
	}
	for (uint32_t i = 0; i < BLOCKS; i += 3)
		EXPECT(heft_heap_free(heap, bench.kept[i].p) == HEFT_GOOD);
	bench.kept[100].p[bench.kept[100].size] ^= 1;
	printf("base %lx\n", (unsigned long)(uintptr_t)&memory);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const struct kept *k = &bench.kept[i];
		if (i % 3 == 0)
			continue;
		printf("live %lx %lu ", (unsigned long)(uintptr_t)k->p, (unsigned long)k->size);
		for (uint32_t f = 0; f < k->frames; f++)
			printf("%lx%c",
			       (unsigned long)(f < 6 ? frame_made(&from, f) : HEAP_FRAME_CUT),
			       f + 1 < k->frames ? '<' : '\n');
	}
	printf("damaged %lx\n", (unsigned long)(uintptr_t)bench.kept[100].p);
	FILE *f = fopen(path, "wb");
	EXPECT(f != NULL && fwrite(&memory, sizeof memory, 1, f) == 1 && fclose(f) == 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		write_dump(argv[1]);
		return 0;
	}
	for (uint32_t align = 8; align <= 64; align *= 2)
		for (uint32_t flags = 0; flags < 16; flags += HEAP_WIDE)
			for (uint32_t depth = 1; depth <= HEFT_DEPTH_MAX; depth += 5 + depth)
				any_order(align, depth, flags);
	limits();
	trouble();
	process_page();
	caller_is_known();
	puts("good");
	return 0;
}
