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
	uint64_t end = 0, bytes = 0, damaged = 0, freed_addr = 0;
	struct heap_walk w = heap_walk_from(b, 0);
	for (size_t i = 0; i < b->live.count; i++) {
		const struct heap_found f = heap_live(b, i);
		if (heap_found_start(&f) < end || heap_found_start(&f) > f.addr)
			return "live blocks do not overlap";
		/* The header may begin where an empty block is. */
		const bool behind_empty = i > 0 && heap_live(b, i - 1).addr == heap_found_start(&f);
		end = heap_found_end(&f);
		if (end < f.addr || f.stack >= c->stacks.count)
			return "blocks have an end and a stack";
		if (dump_region(d, f.addr - 1) == NULL)
			return "headers are in a region";
		if (heap_block_at(b, f.addr) != i ||
		    heap_block_at(b, heap_found_start(&f)) != i - behind_empty)
			return "a block is found by its address";
		struct heap_found walked;
		if (!heap_walk_next(&w))
			return "a walk comes to all blocks";
		heap_walk_found(&w, &walked);
		if (w.index != i || walked.addr != f.addr || heap_live_below(b, f.addr) != i ||
		    heap_live_below(b, f.addr + 1) != i + 1)
			return "blocks are walked in order, and have their numbers";
		bytes += f.size;
		damaged += f.canary_damaged;
	}
	if (heap_walk_next(&w) || bytes != b->live_bytes || damaged != b->damaged_canaries)
		return "sums are those of the blocks";
	for (size_t i = 0; i < b->freed.count; i++) {
		const struct heap_found f = heap_freed(b, i);
		if (f.stack >= c->stacks.count || f.freed_by >= c->stacks.count ||
		    (i > 0 && f.addr <= freed_addr))
			return "freed blocks are in order and have a stack";
		if ((f.flags & HEAP_FREED) == 0 || heap_freed_find(b, f.addr) != i)
			return "a freed block is found by its address";
		freed_addr = f.addr;
	}
	return NULL;
}

/* Every byte of a span is in one part; every live block in one; sums are those of the parts. */
struct parts_seen {
	const struct heap_layout *l;
	uint64_t bytes[HEAP_PART_KINDS], at; /* where the last part ends */
	size_t span, parts, blocks;          /* how many there were */
	const char *broken;
};

static inline const char *part_invariants(struct parts_seen *s, const struct heap_part *p,
					  const struct heap_found *block)
{
	struct heap_part split[HEAP_SPLIT_MAX];
	const struct heap_span *spans = s->l->spans.data;
	if (s->span == 0 || s->at == spans[s->span - 1].addr + spans[s->span - 1].size) {
		if (s->span == s->l->spans.count)
			return "all parts are in spans";
		s->at = spans[s->span++].addr;
	}
	if (p->addr != s->at || p->size == 0)
		return "parts follow one another";
	if ((p->kind == HEAP_PART_BLOCK) != (block != NULL))
		return "a part of a block has it";
	if (p->kind == HEAP_PART_BLOCK && p->block != s->blocks++)
		return "every block is in one part";
	const size_t n = heap_part_split(p, block, split);
	for (size_t j = 0; j < n; s->at += split[j++].size) {
		if (split[j].addr != s->at)
			return "the pieces of a block follow one another";
		s->bytes[split[j].kind] += split[j].size;
	}
	return s->at != p->addr + p->size ? "the pieces of a block fill it" : NULL;
}

static inline void see_part(void *ctx, const struct heap_part *p, const struct heap_found *block)
{
	struct parts_seen *s = ctx;
	s->parts++;
	if (s->broken == NULL)
		s->broken = part_invariants(s, p, block);
}

static inline const char *layout_invariants(const struct blocks_found *b,
					    const struct heap_layout *l)
{
	struct parts_seen s = { .l = l };
	uint64_t total = 0;
	heap_parts_each(l, see_part, &s);
	if (s.broken != NULL)
		return s.broken;
	if (s.span != l->spans.count ||
	    (s.span > 0 && s.at != l->spans.data[s.span - 1].addr + l->spans.data[s.span - 1].size))
		return "parts fill the spans";
	if (s.parts != l->part_count || s.blocks != b->live.count)
		return "all blocks are in spans";
	for (size_t i = 0; i < l->spans.count; i++)
		total += l->spans.data[i].size;
	for (size_t i = 0; i < HEAP_PART_KINDS; i++) {
		if (s.bytes[i] != l->bytes[i])
			return "sums are those of the parts";
		total -= s.bytes[i];
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
		if ((reach[i / 2] >> 4 * (i % 2) & 15) > REACH_YES)
			return "a block is reached or not, and none waits";
		lost += reach_of(reach, i) == REACH_LOST;
		indirect += reach_of(reach, i) == REACH_INDIRECT;
	}
	return indirect > 0 && lost == 0 ? "what is lost indirectly hangs on what is lost" : NULL;
}

#endif
