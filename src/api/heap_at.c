/* What is at an address of a process, and what is damaged in its heap. */
#include "api/heap.h"

static bool heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret)
{
	arena_release(&h->answer);
	if (h->open)
		return process_at(&h->process, addr, &h->answer, ret);
	*ret = (struct heft_heap_place){ .addr = addr, .map_name = "", .module = "", .symbol = "" };
	return false;
}

bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret)
{
	return GUARDED(h->memory, NULL, heap_at(h, addr, ret));
}

static bool place_write(const struct heft_heap_place *at, enum heft_format format,
			const struct heft_sink *sink, struct heft_err *err)
{
	struct sink s;
	sink_start(&s, sink);
	out_heap_place(at, format == HEFT_JSON, &s);
	return sink_end(&s, err);
}

bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_format format,
			   const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED_BARE(err, place_write(at, format, sink, err));
}

/* ---- damage --------------------------------------------------------------------------------- */

static void find_damages(struct heft_heap *h)
{
	struct process_heap *heap = &h->process.heap;
	if (h->open && !h->damages_known)
		heap_damage_find(&h->damages, &h->process.dump, &heap->records, &heap->calls,
				 &heap->blocks, &heap->layout);
	h->damages_known = true;
}

size_t heft_heap_damage_count(struct heft_heap *h)
{
	const bool found = GUARDED(h->memory, NULL, (find_damages(h), true));
	return found ? h->damages.list.count : 0;
}

static bool get_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret)
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
	};
	if (i >= heft_heap_damage_count(h))
		return false;
	const struct damage *d = &h->damages.list.data[i];
	const struct blocks_found *b = &h->process.heap.blocks;
	*ret = (struct heft_heap_damage){ .kind = (enum heft_heap_damage_kind)kinds[d->kind],
					  .addr = d->addr,
					  .count = d->count,
					  .distance = d->distance };
	arena_release(&h->answer);
	ret->has_block = d->block < b->live.count || d->freed < b->freed.count;
	ret->has_victim = d->victim < b->live.count || d->was_stack > 0;
	if (ret->has_block)
		process_block(&h->process,
			      d->block < b->live.count ? &b->live.data[d->block]
						       : &b->freed.data[d->freed],
			      &h->answer, &ret->block);
	const struct heap_found was = { .addr = d->addr,
					.size = d->was_size,
					.stack = d->was_stack };
	if (d->kind == DAMAGE_DOUBLE_FREE && d->again_by > 0)
		process_kept_stack(&h->process, (uint32_t)d->again_by, &h->answer, &ret->again_by,
				   &ret->again_by_count);
	if (ret->has_victim)
		process_block(&h->process,
			      d->victim < b->live.count ? &b->live.data[d->victim] : &was,
			      &h->answer, &ret->victim);
	return true;
}

bool heft_heap_get_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret)
{
	return GUARDED(h->memory, NULL, get_damage(h, i, ret));
}
