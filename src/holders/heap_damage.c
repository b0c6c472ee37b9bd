/* Describes the damage of a heap, with the blocks that were hit. */
#include "holders/holders.h"

size_t heap_find_damage(struct heft_heap *h)
{
	struct process_heap *heap = &h->process.heap;
	if (h->open && !h->damages_known) {
		if (dump_is_fatal(&h->process.dump))
			process_walk_threads(&h->process);
		heap_damage_find(&h->damages, &h->process.dump, &heap->records, &heap->calls,
				 &heap->blocks, &heap->layout);
		struct str said = str_of(h->damages.said != NULL ? h->damages.said : "");
		while (said.len > 0 && said.p[said.len - 1] == '\n')
			said.len--;
		h->info.said = arena_copy(&h->arena, said);
	}
	h->damages_known = true;
	return h->damages.list.count;
}

/* Returns the name of an address outside of all blocks: a symbol, otherwise the mapping's name. */
static const char *heap_at_place_of(struct heft_heap *h, uint64_t addr)
{
	struct heft_heap_place at;
	if (!process_at(&h->process, addr, &h->answer, &at))
		return "";
	return *at.symbol ? arena_format(&h->answer, "%s + %" PRIu64, at.symbol, at.symbol_offset)
			  : at.map_name;
}

/* Returns the stack that freed the block again. If the block's memory was unmapped, the process
 * died in that call, before the recorder noticed. */
static uint32_t again_by(const struct heft_heap *h, const struct damage *d)
{
	if (d->again_by > 0 || d->kind != DAMAGE_DOUBLE_FREE || !h->info.of.has_fault)
		return d->again_by;
	return process_thread_stack(&h->process, 0);
}

/* Returns the C library's message, if it is about this damage. */
static const char *said_of(struct heft_heap *h, const struct damage *d)
{
	const bool about = d->kind == DAMAGE_DOUBLE_FREE || d->kind == DAMAGE_WILD_FREE ||
			   d->kind == DAMAGE_ALLOCATOR;
	return about ? h->info.said : "";
}

struct heft_heap_damage heap_damage(struct heft_heap *h, size_t i)
{
	static const uint8_t kinds[] = {
		[DAMAGE_CANARY] = HEFT_HEAP_CANARY,
		[DAMAGE_HEADER] = HEFT_HEAP_HEADER,
		[DAMAGE_CHUNK] = HEFT_HEAP_CHUNK,
		[DAMAGE_FAULT] = HEFT_HEAP_FAULT,
		[DAMAGE_DOUBLE_FREE] = HEFT_HEAP_DOUBLE_FREE,
		[DAMAGE_FREED_USE] = HEFT_HEAP_FREED_USE,
		[DAMAGE_CANARY_FREED] = HEFT_HEAP_CANARY_FREED,
		[DAMAGE_FREED_POINTER] = HEFT_HEAP_FREED_POINTER,
		[DAMAGE_WILD_FREE] = HEFT_HEAP_WILD_FREE,
		[DAMAGE_ALLOCATOR] = HEFT_HEAP_ALLOCATOR,
		[DAMAGE_FREED_WRITTEN] = HEFT_HEAP_FREED_WRITTEN,
	};
	ASSERT(h->damages_known && i < h->damages.list.count);
	const struct damage *d = &h->damages.list.data[i];
	ASSERT(d->kind < COUNT_OF(kinds));
	const struct blocks_found *b = &h->process.heap.blocks;
	const struct heap_found was = { .addr = d->was_addr,
					.size = d->was_size,
					.stack = d->was_stack };
	const bool is_live = d->block < b->live.count, hit = d->victim < b->live.count;
	const bool is_freed = !is_live && d->freed < b->freed.count;
	const struct heap_found suspect = is_live    ? heap_live(b, d->block)
					  : is_freed ? heap_freed(b, d->freed)
						     : was;
	const struct heap_found other = hit ? heap_live(b, d->victim) : was;
	const struct heap_found *block = is_live || is_freed ? &suspect : NULL;
	const struct heap_found *victim = hit || d->was_addr > 0 ? &other : NULL;
	arena_release(&h->answer);
	struct heft_heap_damage made = {
		.kind = (enum heft_heap_damage_kind)kinds[d->kind],
		.addr = d->addr,
		.count = d->count,
		.distance = d->distance,
		.place = "",
		.said = said_of(h, d),
		.block = block ? process_block(&h->process, block, &h->answer) : NULL,
		.victim = victim ? process_block(&h->process, victim, &h->answer) : NULL,
	};
	const uint32_t again = again_by(h, d);
	if (again > 0)
		made.again_by = process_kept_stack(&h->process, again, &h->answer,
						   &made.again_by_count);
	if (d->kind == DAMAGE_WILD_FREE && !block)
		made.place = heap_at_place_of(h, d->addr);
	return made;
}
