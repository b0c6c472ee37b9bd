/* heapgen.h - memory of a process made by hand, for tests: regions, the recorder's pages and
 * blocks, glibc's chunks.
 *
 *     struct heapgen g = heapgen_make(8, false);
 *     heapgen_region(&g, 0x10000, 0x4000);
 *     uint64_t at = heapgen_start(&g);
 *     const uint64_t p = heapgen_alloc(&g, &at, 24, 0, 1);
 *     heapgen_top(&g, at);
 *     heapgen_read(&g);
 *     ... g.blocks, g.layout ...
 *     heapgen_drop(&g); */
#ifndef HEFT_TESTS_HEAPGEN_H
#define HEFT_TESTS_HEAPGEN_H

#include "coregen.h"
#include "heap_invariants.h"

#include "heap/damage.h"
#include "heap/reach.h"
#include "heap/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { HEAPGEN_REGIONS = 8, HEAPGEN_PROCESS = 0x100000 };

struct heapgen {
	unsigned word;
	bool big_endian;
	struct region regions[HEAPGEN_REGIONS];
	size_t count;
	struct dump_thread thread;
	struct notes notes;
	/* after heapgen_read */
	struct dump dump;
	struct records records;
	struct calls calls;
	struct blocks_found blocks;
	struct heap_layout layout;
	struct damages damages;
};

static inline struct heapgen heapgen_make(unsigned word, bool big_endian)
{
	struct heapgen g = { .word = word, .big_endian = big_endian };
	notes_init(&g.notes);
	return g;
}

/* Zeroed and writable; in order of address. */
static inline struct region *heapgen_region(struct heapgen *g, uint64_t addr, uint64_t size)
{
	ASSERT(g->count < HEAPGEN_REGIONS);
	struct region *r = &g->regions[g->count++];
	*r = (struct region){ .addr = addr, .size = size, .read = true, .write = true };
	r->bytes = (struct bytes){ mem_zeroed(1, size), size };
	return r;
}

static inline uint8_t *heapgen_at(struct heapgen *g, uint64_t addr)
{
	for (size_t i = 0; i < g->count; i++)
		if (addr - g->regions[i].addr < g->regions[i].bytes.size)
			return (uint8_t *)(uintptr_t)g->regions[i].bytes.p +
			       (addr - g->regions[i].addr);
	fail_msg("%#" PRIx64 " is in no region", addr);
	return NULL;
}

static inline void heapgen_put(struct heapgen *g, uint64_t addr, unsigned width, uint64_t v)
{
	uint8_t *p = heapgen_at(g, addr);
	for (unsigned i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (g->big_endian ? width - 1 - i : i));
}

static inline void heapgen_word(struct heapgen *g, uint64_t addr, uint64_t v)
{
	heapgen_put(g, addr, g->word, v);
}

static inline void heapgen_block(struct heapgen *g, uint64_t p, uint64_t size, unsigned flags,
				 uint32_t stack)
{
	coregen_block(heapgen_at(g, p - HEAP_WIDE_SIZE), HEAP_WIDE_SIZE, g->big_endian,
		      p - HEAP_WIDE_SIZE, size, flags, stack);
}

/* The first chunk of a region: users' bytes are at multiples of 16. */
static inline uint64_t heapgen_start(const struct heapgen *g)
{
	return g->regions[g->count - 1].addr + 16 - 2 * g->word;
}

/* A chunk without a block, which says whether the one before is in use. */
static inline uint64_t heapgen_chunk(struct heapgen *g, uint64_t *at, uint64_t size,
				     bool used_before)
{
	const uint64_t chunk = *at;
	heapgen_word(g, chunk + g->word, size | used_before);
	*at += size;
	return chunk;
}

/* As glibc rounds: at least 4 words, multiples of 16. */
static inline uint64_t heapgen_chunk_size(const struct heapgen *g, uint64_t size)
{
	return max_u64(align_up(size + g->word, 16), 4 * (uint64_t)g->word);
}

/* A recorded block in a chunk in use, behind another; its address.  Chunks are where blocks are
 * aligned. */
static inline uint64_t heapgen_alloc(struct heapgen *g, uint64_t *at, uint64_t size, unsigned flags,
				     uint32_t stack)
{
	const uint64_t front = (flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	const uint64_t tail = (flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
	const uint64_t p = *at + 2 * g->word + front;
	heapgen_chunk(g, at, heapgen_chunk_size(g, front + size + tail), true);
	heapgen_block(g, p, size, flags, stack);
	return p;
}

/* The rest of the last region. */
static inline void heapgen_top(struct heapgen *g, uint64_t at)
{
	const struct region *r = &g->regions[g->count - 1];
	heapgen_word(g, at + g->word, (r->addr + r->size - at) | 1);
}

struct heapgen_page {
	uint64_t addr;
	uint32_t kind, number, used, slot, epoch;
};

/* A page of the recorder, in a region of its own; where its entries begin. */
static inline uint64_t heapgen_page(struct heapgen *g, struct heapgen_page w)
{
	static const uint32_t sizes[] = { 0,
					  sizeof(struct heap_process),
					  sizeof(struct heap_module),
					  sizeof(struct heap_thread),
					  sizeof(struct heap_node),
					  sizeof(struct heap_stack),
					  sizeof(struct heap_remote),
					  sizeof(struct heap_moment),
					  sizeof(struct heap_gone) };
	struct heap_page p = { .magic = HEAP_PAGE_MAGIC + g->word,
			       .self = w.addr,
			       .process = HEAPGEN_PROCESS,
			       .kind = w.kind,
			       .number = w.number,
			       .entry_size = sizes[w.kind],
			       .used = w.used,
			       .slot = w.slot,
			       .epoch = w.epoch,
			       .version = HEAP_VERSION };
	const uint32_t words[] = { p.kind, p.number, p.entry_size, p.used,
				   p.slot, p.epoch,  p.version,    heap_page_check(&p) };
	heapgen_region(g, w.addr, HEAP_PAGE_SIZE);
	heapgen_put(g, w.addr, 8, p.magic);
	heapgen_put(g, w.addr + 8, 8, p.self);
	heapgen_put(g, w.addr + 16, 8, p.process);
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		heapgen_put(g, w.addr + 24 + 4 * i, 4, words[i]);
	return w.addr + HEAP_PAGE_HEADER;
}

/* Entries; what is not said is 0. */
static inline void heapgen_process(struct heapgen *g, uint64_t at, uint32_t flags, uint64_t peak,
				   uint32_t peak_epoch, uint32_t module_epoch)
{
	heapgen_put(g, at, 4, HEAP_VERSION);
	heapgen_put(g, at + 4, 4, 4711);
	heapgen_put(g, at + 36, 4, flags);
	heapgen_put(g, at + 48, 8, peak);
	heapgen_put(g, at + 64, 4, peak_epoch);
	heapgen_put(g, at + 68, 4, module_epoch);
}

static inline void heapgen_node(struct heapgen *g, uint64_t page, uint32_t i, uint64_t frame,
				uint32_t parent)
{
	heapgen_put(g, page + 16 * (uint64_t)i, 8, frame);
	heapgen_put(g, page + 16 * (uint64_t)i + 8, 4, parent);
}

static inline void heapgen_stack(struct heapgen *g, uint64_t page, uint32_t i,
				 const struct heap_stack *s)
{
	const uint64_t at = page + sizeof *s * (uint64_t)i;
	const uint64_t wide[] = { s->allocs,      s->alloc_bytes, s->frees,
				  s->freed_bytes, s->peak_bytes,  s->at_peak_bytes };
	const uint32_t narrow[] = { s->at_peak_blocks, s->peak_epoch, s->node, s->temporary };
	for (unsigned j = 0; j < COUNT_OF(wide); j++)
		heapgen_put(g, at + 8 * j, 8, wide[j]);
	for (unsigned j = 0; j < COUNT_OF(narrow); j++)
		heapgen_put(g, at + 48 + 4 * j, 4, narrow[j]);
}

/* Ids. */
static inline uint32_t heapgen_node_id(uint32_t number, uint32_t i)
{
	return number << HEAP_NODE_SHIFT | i;
}

static inline uint32_t heapgen_stack_id(uint32_t number, uint32_t i)
{
	return number << HEAP_STACK_SHIFT | i;
}

static inline void heapgen_read(struct heapgen *g)
{
	g->dump = (struct dump){ .path = "made",
				 .word = (uint8_t)g->word,
				 .big_endian = g->big_endian,
				 .regions = g->regions,
				 .region_count = g->count,
				 .threads = &g->thread,
				 .thread_count = 1,
				 .notes = &g->notes };
	const struct dump *d = &g->dump;
	records_read(&g->records, d, &g->notes);
	calls_read(&g->calls, d, &g->records, &g->notes);
	heap_scan(&g->blocks, d, &g->records, &g->calls, 1, &g->notes);
	heap_layout_make(&g->layout, d, &g->records, &g->blocks);
	heap_damage_find(&g->damages, d, &g->records, &g->calls, &g->blocks, &g->layout);
	const char *broken = heap_invariants(d, &g->calls, &g->blocks, &g->layout);
	if (broken != NULL)
		fail_msg("broken: %s", broken);
}

static inline void heapgen_drop(struct heapgen *g)
{
	heap_damage_release(&g->damages);
	heap_layout_release(&g->layout);
	heap_scan_release(&g->blocks);
	calls_release(&g->calls);
	records_release(&g->records);
	notes_release(&g->notes);
	for (size_t i = 0; i < g->count; i++)
		mem_free((void *)(uintptr_t)g->regions[i].bytes.p);
}

/* The same test for both sizes of words and both orders. */
#define HEAPGEN_EACH(body)                                                                         \
	for (int each = 0; each < 4; each++) {                                                     \
		struct heapgen g = heapgen_make(each & 1 ? 4 : 8, each & 2);                       \
		body(&g);                                                                          \
		heapgen_drop(&g);                                                                  \
	}

#endif
