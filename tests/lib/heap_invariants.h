/* heap_invariants.h - what must hold of the heap of any dump, however damaged: NULL, or what does
 * not. */
#ifndef HEFT_TESTS_HEAP_INVARIANTS_H
#define HEFT_TESTS_HEAP_INVARIANTS_H

#include "heap/heap_layout.h"
#include "heap/reach.h"

static inline const char *calls_invariants(const struct calls *c)
{
	if (c->nodes.count == 0 || c->stacks.count == 0)
		return "there is a root and a stack that is not known";
	for (size_t i = 1; i < c->nodes.count; i++) {
		const struct call_node *n = &c->nodes.data[i];
		if (n->parent >= i)
			return "callers come before whom they call";
		if (n->module != CALLS_NONE && n->module >= c->modules.count)
			return "modules are there";
	}
	for (size_t i = 1; i < c->stacks.count; i++)
		if (c->stacks.data[i].node == 0 || c->stacks.data[i].node >= c->nodes.count)
			return "stacks end at a node";
	for (size_t i = 0; i < c->shares.count; i++) {
		const struct call_share *s = &c->shares.data[i], *before = s - 1;
		if (s->stack >= c->stacks.count)
			return "shares are of stacks";
		if (i > 0 && (before->stack > s->stack ||
			      (before->stack == s->stack && before->slot >= s->slot)))
			return "shares are in order";
	}
	return NULL;
}

static inline const char *blocks_invariants(const struct dump *d, const struct calls *c,
					    const struct blocks_found *b)
{
	uint64_t end = 0;
	for (size_t i = 0; i < b->live.count; i++) {
		const struct heap_found *f = &b->live.data[i];
		if (heap_found_start(f) < end || heap_found_start(f) > f->addr)
			return "live blocks do not overlap";
		end = heap_found_end(f);
		if (end < f->addr || f->stack >= c->stacks.count)
			return "blocks have an end and a stack";
		if (dump_region(d, f->addr - 1) == NULL)
			return "headers are in a region";
		if (heap_block_at(b, f->addr) != i || heap_block_at(b, heap_found_start(f)) != i)
			return "a block is found by its address";
	}
	for (size_t i = 0; i < b->freed.count; i++) {
		const struct heap_found *f = &b->freed.data[i];
		if (f->stack >= c->stacks.count || (i > 0 && f->addr <= b->freed.data[i - 1].addr))
			return "freed blocks are in order and have a stack";
	}
	return NULL;
}

/* Every byte of a span is in one part; every live block in one; sums are those of the parts. */
static inline const char *layout_invariants(const struct blocks_found *b,
					    const struct heap_layout *l)
{
	struct heap_part split[HEAP_SPLIT_MAX];
	uint64_t bytes[HEAP_PART_KINDS] = { 0 }, total = 0;
	size_t part = 0, block = 0;
	for (size_t i = 0; i < l->spans.count; i++) {
		uint64_t at = l->spans.data[i].addr;
		const uint64_t end = at + l->spans.data[i].size;
		for (; part < l->parts.count && l->parts.data[part].addr < end; part++) {
			const struct heap_part *p = &l->parts.data[part];
			if (p->addr != at || p->size == 0)
				return "parts follow one another";
			if (p->kind == HEAP_PART_BLOCK && p->block != block++)
				return "every block is in one part";
			const size_t n = heap_part_split(p, b, split);
			for (size_t j = 0; j < n; at += split[j++].size) {
				if (split[j].addr != at)
					return "the pieces of a block follow one another";
				bytes[split[j].kind] += split[j].size;
			}
			if (at != p->addr + p->size)
				return "the pieces of a block fill it";
		}
		if (at != end)
			return "parts fill the spans";
		total += l->spans.data[i].size;
	}
	if (part != l->parts.count || block != b->live.count)
		return "all parts and blocks are in spans";
	for (size_t i = 0; i < HEAP_PART_KINDS; i++) {
		if (bytes[i] != l->bytes[i])
			return "sums are those of the parts";
		total -= bytes[i];
	}
	if (total != 0 || l->pinned_bytes > l->bytes[HEAP_PART_FREE])
		return "sums make up the spans";
	for (size_t i = 0; i < l->breaks.count; i++)
		if (l->breaks.data[i].before >= b->live.count)
			return "breaks are behind a block";
	return NULL;
}

static inline const char *heap_invariants(const struct dump *d, const struct calls *c,
					  const struct blocks_found *b, const struct heap_layout *l)
{
	const char *broken = calls_invariants(c);
	if (broken == NULL)
		broken = blocks_invariants(d, c, b);
	return broken != NULL ? broken : layout_invariants(b, l);
}

static inline const char *heap_reach_invariants(const uint8_t *reach, const struct blocks_found *b)
{
	size_t lost = 0, indirect = 0;
	for (size_t i = 0; i < b->live.count; i++) {
		if (reach[i] > REACH_YES)
			return "a block is reached or not";
		lost += reach[i] == REACH_LOST;
		indirect += reach[i] == REACH_INDIRECT;
	}
	return indirect > 0 && lost == 0 ? "what is lost indirectly hangs on what is lost" : NULL;
}

#endif
