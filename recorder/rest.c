/* rest.c - records freed blocks: as struct heap_rest in their own bytes, and in a ring if their
 * bytes may be overwritten. */
#include "recorder.h"

enum { SIZE_SMALL = 8 }; /* Maximal bytes of blocks that only have room for heap_rest.link */

/* Returns the page of the ring of freed blocks, and creates it if `s` is not NULL. If two threads
 * create it at once, one of their pages stays unused. NULL if there is none. */
static struct heap_page *ring(const struct slot *s)
{
	struct heap_page *page = atomic_load_explicit(&recorder.gone, memory_order_acquire);
	if (page != NULL || s == NULL)
		return page;
	page = page_new(HEAP_PAGE_GONE, sizeof(struct heap_gone), 0);
	if (page == NULL)
		return NULL;
	page->used = page_capacity(page);
	struct heap_page *other = NULL;
	return atomic_compare_exchange_strong(&recorder.gone, &other, page) ? page : other;
}

COLD void rest_note(const struct slot *s, const void *p, const struct head *h, uintptr_t pc,
		    enum heap_gone_why why)
{
	struct heap_page *page = ring(s);
	if (page == NULL)
		return;
	const uint64_t number = __atomic_fetch_add(&page->reserved, 1, __ATOMIC_RELAXED);
	struct heap_gone *e = page_entry(page, (uint32_t)(number % page_capacity(page)));
	__atomic_store_n(&e->number, 0, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	e->addr = (uintptr_t)p;
	e->size = h->size;
	e->by = pc;
	e->stack = h->stack;
	e->thread = s != NULL ? s->thread->thread : 0;
	e->why = (uint32_t)why;
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&e->number, number + 1, __ATOMIC_RELEASE);
}

/* Bits of the word before a block p without a recorder's header. It is the size of the C library's
 * chunk: below 1 << SIZE_BITS, with IN_USE_BEFORE if the chunk before is in use, MAPPED if the
 * chunk has its own mapping. The word of an overwritten header is 0, a pointer without these bits,
 * a random number, or (with 32-bit words) the upper half of the mark. */
enum {
	SIZE_BITS = WORD_SIZE == 8 ? 40 : 31,
	IN_USE_BEFORE = 1,
	MAPPED = 2,
	CHUNK_LEAST = 4 * WORD_SIZE,
};

static uintptr_t word_before(const unsigned char *p, unsigned words)
{
	return ((const uintptr_t *)(const void *)p)[-(int)words];
}

/* True if the chunk before p is free. A free chunk states its size at both ends. */
static bool is_behind_free(const unsigned char *p)
{
	const uint64_t size = word_before(p, 2);
	const uintptr_t at = (uintptr_t)p - (uintptr_t)size - WORD_SIZE;
	return size % HEAP_ALIGN == 0 && size >= CHUNK_LEAST && size >> SIZE_BITS == 0 &&
	       memory_readable(at) && (*(const uintptr_t *)at & ~(uintptr_t)7) == size;
}

static bool is_rest(uintptr_t addr, uint64_t link, uint64_t mark, struct head *ret)
{
	if (heap_check(addr, mark, (uint32_t)link, 0) != link >> 32)
		return false;
	ret->flags = (uint32_t)(mark >> HEAP_FLAG_SHIFT) & 15;
	ret->stack = (ret->flags & HEAP_INLINE) == 0 ? (uint32_t)link : 0;
	ret->size = mark & HEAP_SIZE_MASK;
	ret->raw = (unsigned char *)addr - recorder.front;
	return true;
}

/* Sets *ret from the last entry for a block in the ring of freed blocks. False if none. */
static bool find_note(uintptr_t addr, struct head *ret)
{
	const struct heap_page *page = atomic_load_explicit(&recorder.gone, memory_order_acquire);
	uint64_t last = 0;
	for (uint32_t i = 0; page != NULL && i < page->used; i++) {
		const struct heap_gone *e = (const struct heap_gone *)((const unsigned char *)page +
								       HEAP_PAGE_HEADER) +
					    i;
		if (e->addr != addr || e->number <= last)
			continue;
		last = e->number;
		*ret = (struct head){ .stack = e->stack, .size = e->size };
		ret->raw = (unsigned char *)addr - recorder.front;
	}
	return last != 0;
}

static bool find_rest(const unsigned char *p, struct head *ret)
{
	const uint64_t flags = HEAP_MARK | (uint64_t)(recorder.opt.flags | HEAP_FREED)
						   << HEAP_FLAG_SHIFT;
	const uintptr_t addr = (uintptr_t)p;
	const struct heap_rest *rest = (const void *)p;
	for (unsigned i = 0; i < 2; i++, rest = (const void *)(p + HEAP_REST_AT)) {
		const uint64_t mark = rest->mark;
		if ((mark & ~HEAP_SIZE_MASK) == flags &&
		    heap_rest_distance(mark & HEAP_SIZE_MASK) == i * HEAP_REST_AT &&
		    is_rest(addr, rest->link, mark, ret))
			return true;
	}
	rest = (const void *)p;
	for (uint64_t size = 0; size <= SIZE_SMALL; size++)
		if (is_rest(addr, rest->link, flags | size, ret))
			return true;
	return false;
}

COLD bool rest_find(const unsigned char *p, struct head *ret)
{
	if (recorder.foreign || recorder.process == NULL || (uintptr_t)p % HEAP_ALIGN != 0)
		return false;
	const uint64_t word = word_before(p, 1);
	const bool small = word != 0 && word >> SIZE_BITS == 0;
	if (small && (word & (IN_USE_BEFORE | MAPPED)) != 0)
		return false;
	if (find_rest(p, ret))
		return !small || !is_behind_free(p);
	return !small && find_note((uintptr_t)p, ret);
}
