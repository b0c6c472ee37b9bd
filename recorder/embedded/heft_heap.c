/* Writes headers and inline stacks before the blocks of an allocator (block.h). */
#include "heft_heap.h"

/* Maximal alignment in bytes. The format has 32 bits for the distance before a block. */
#define ALIGN_MOST ((size_t)1 << 30)

static uint64_t now(const struct heft_heap *h)
{
	return h->port->now != NULL ? h->port->now(h->port->ctx) : 0;
}

/* Fills frames[HEFT_DEPTH_MAX + 1] with the stack. Returns the number of frames. */
static uint32_t capture(const struct heft_heap *h, const struct heft_caller *from,
			uintptr_t *frames)
{
	const uint32_t depth = h->process.depth;
	uint32_t n = 1;
	frames[0] = from->pc;
	if (h->port->capture != NULL)
		n = h->port->capture(h->port->ctx, from, frames, depth + 1);
#if defined(__arm__) || defined(__mips16) || defined(__mips_micromips)
	/* Clear the Thumb bit, because readers look up the address before the return address. */
	for (uint32_t i = 0; i < n; i++)
		frames[i] &= ~(uintptr_t)1;
#endif
	if (n <= depth)
		return n;
	frames[depth] = (uintptr_t)HEAP_FRAME_CUT;
	return depth + 1;
}

static struct heap_header *header_of(const void *p)
{
	return (struct heap_header *)(uintptr_t)p - 1;
}

static uint32_t flags_of(const void *p)
{
	return (uint32_t)(header_of(p)->mark >> HEAP_FLAG_SHIFT) & 15;
}

/* Computes the check value of the block's header. Skips the wide words of freed blocks, which the
 * allocator may have overwritten. */
static uint32_t check_of(const void *p)
{
	const struct heap_header *head = header_of(p);
	const struct heap_wide *wide = (const struct heap_wide *)(const void *)head - 1;
	const bool is_wide = (flags_of(p) & (HEAP_WIDE | HEAP_FREED)) == HEAP_WIDE;
	return heap_check((uintptr_t)p, head->mark, (uint32_t)head->link,
			  is_wide ? wide->sequence ^ wide->owner : 0);
}

static void set_header(void *p, uint32_t flags, size_t size, uint32_t distance)
{
	struct heap_header *head = header_of(p);
	head->mark = HEAP_MARK | (uint64_t)flags << HEAP_FLAG_SHIFT | size;
	head->link = distance;
	head->link |= (uint64_t)check_of(p) << 32;
}

/* Writes the header, frames and canary of block p. `distance` is the number of bytes from the start
 * of the allocator's block to p. Zeros after the frames fill the bytes that alignment adds. */
static void write_block(struct heft_heap *h, unsigned char *p, size_t size, size_t distance,
			const uintptr_t *frames, uint32_t count)
{
	struct heap_inline *in = (struct heap_inline *)(void *)(p - distance);
	const struct heap_wide wide = { ++h->sequence, (uint64_t)h->task << 32 };
	const uint64_t canary = heap_canary((uintptr_t)p);
	uint64_t check = 0;
	__builtin_memset(in, 0, distance);
	__builtin_memcpy(in + 1, frames, count * sizeof *frames);
	for (uint32_t i = 0; i < count; i++)
		check = heap_inline_check(check, frames[i]);
	in->magic = HEAP_INLINE_MAGIC + sizeof *frames;
	in->count = check >> 32 << 32 | count;
	if ((h->process.flags & HEAP_WIDE) != 0)
		__builtin_memcpy(p - HEAP_WIDE_SIZE, &wide, sizeof wide);
	if ((h->process.flags & HEAP_CANARY) != 0)
		__builtin_memcpy(p + size, &canary, sizeof canary);
	set_header(p, h->process.flags, size, (uint32_t)distance);
}

static void count_alloc(struct heft_heap *h, size_t size)
{
	struct heap_process *c = &h->process;
	c->updated_at = now(h);
	c->live_bytes += size;
	if (c->live_bytes > c->peak_bytes) {
		c->peak_bytes = c->live_bytes;
		c->peak_at = c->updated_at;
	}
}

void heft_heap_init(struct heft_heap *h, const struct heft_port *port)
{
	__builtin_memset(h, 0, sizeof *h);
	h->port = port;
	h->process.version = HEAP_VERSION;
	h->process.depth = port->depth < HEFT_DEPTH_MAX ? port->depth : HEFT_DEPTH_MAX;
	h->process.flags = HEAP_INLINE | (port->flags & (HEAP_WIDE | HEAP_CANARY));
	h->process.started_at = h->process.updated_at = now(h);
	if (((uintptr_t)h & (HEAP_PAGE_SIZE - 1)) != 0)
		return;
	h->process.page_count = 1;
	h->page.self = h->page.process = (uintptr_t)h;
	h->page.kind = HEAP_PAGE_PROCESS;
	h->page.number = h->page.used = 1;
	h->page.entry_size = sizeof h->process;
	h->page.version = HEAP_VERSION;
	h->page.magic = HEAP_PAGE_MAGIC + sizeof(uintptr_t);
	h->page.check = heap_page_check(&h->page);
}

void *heft_heap_aligned(struct heft_heap *h, size_t align, size_t size,
			const struct heft_caller *from)
{
	uintptr_t frames[HEFT_DEPTH_MAX + 1];
	const size_t given = h->port->align;
	const size_t tail = (h->process.flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
	const uint32_t count = capture(h, from, frames);
	align = align < HEAP_ALIGN ? HEAP_ALIGN : align;
	align = align < given ? given : align;
	if ((align & (align - 1)) != 0 || align > ALIGN_MOST)
		return NULL;
	/* The front is a multiple of the allocator's alignment, so align - given more bytes always
	 * contain an aligned address. */
	const size_t front = (heft_heap_front(h->port, count) + given - 1) & ~(given - 1);
	const size_t more = front + align - given + tail;
	if (size > SIZE_MAX - more || (uint64_t)size >> HEAP_FLAG_SHIFT != 0)
		return NULL;
	unsigned char *raw = h->port->allocate(h->port->ctx, size + more);
	if (raw == NULL)
		return NULL;
	const size_t distance = front + (-((uintptr_t)raw + front) & (align - 1));
	write_block(h, raw + distance, size, distance, frames, count);
	count_alloc(h, size);
	return raw + distance;
}

void *heft_heap_malloc(struct heft_heap *h, size_t size, const struct heft_caller *from)
{
	return heft_heap_aligned(h, HEAP_ALIGN, size, from);
}

void *heft_heap_calloc(struct heft_heap *h, size_t count, size_t size,
		       const struct heft_caller *from)
{
	size_t all;
	if (__builtin_mul_overflow(count, size, &all))
		return NULL;
	void *p = heft_heap_aligned(h, HEAP_ALIGN, all, from);
	if (p != NULL)
		__builtin_memset(p, 0, all);
	return p;
}

enum heft_verdict heft_heap_check(const void *p)
{
	if (p == NULL)
		return HEFT_GOOD;
	if (((uintptr_t)p & (HEAP_ALIGN - 1)) != 0 || (flags_of(p) & HEAP_INLINE) == 0 ||
	    (header_of(p)->mark & HEAP_MARK_MASK) != HEAP_MARK ||
	    header_of(p)->link >> 32 != check_of(p))
		return HEFT_FOREIGN;
	if ((flags_of(p) & HEAP_FREED) != 0)
		return HEFT_FREED;
	uint64_t canary = heap_canary((uintptr_t)p);
	if ((flags_of(p) & HEAP_CANARY) != 0)
		__builtin_memcpy(&canary, (const unsigned char *)p + heft_heap_size(p),
				 sizeof canary);
	return canary == heap_canary((uintptr_t)p) ? HEFT_GOOD : HEFT_DAMAGED;
}

size_t heft_heap_size(const void *p)
{
	return p != NULL ? (size_t)(header_of(p)->mark & HEAP_SIZE_MASK) : 0;
}

enum heft_verdict heft_heap_free(struct heft_heap *h, void *p)
{
	const enum heft_verdict verdict = heft_heap_check(p);
	h->process.double_frees += verdict == HEFT_FREED;
	h->process.foreign_frees += verdict == HEFT_FOREIGN;
	h->process.damaged += verdict == HEFT_DAMAGED;
	if (p == NULL || verdict == HEFT_FREED || verdict == HEFT_FOREIGN)
		return verdict;
	const size_t size = heft_heap_size(p);
	const uint32_t distance = (uint32_t)header_of(p)->link;
	h->process.live_bytes -= size;
	h->process.updated_at = now(h);
	set_header(p, flags_of(p) | HEAP_FREED, size, distance);
	h->port->release(h->port->ctx, (unsigned char *)p - distance);
	return verdict;
}

void *heft_heap_realloc(struct heft_heap *h, void *p, size_t size, const struct heft_caller *from)
{
	const enum heft_verdict verdict = heft_heap_check(p);
	const bool bad = verdict == HEFT_FREED || verdict == HEFT_FOREIGN;
	void *to = NULL;
	if (!bad && (p == NULL || size != 0)) {
		to = heft_heap_malloc(h, size, from);
		if (to == NULL)
			return NULL;
		const size_t old = heft_heap_size(p);
		if (p != NULL)
			__builtin_memcpy(to, p, old < size ? old : size);
	}
	heft_heap_free(h, p); /* It also counts errors, such as a second free */
	return to;
}
