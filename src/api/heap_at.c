/* Answers what is at an address of a process, and what is damaged in its heap. */
#include "api/heap.h"
#include "api/structs.h"

static bool heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
		    struct heft_err *err)
{
	arena_release(&h->answer);
	return (h->open && process_at(&h->process, addr, &h->answer, ret)) ||
	       fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "nothing is mapped at this address");
}

bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret,
		  struct heft_err *err)
{
	if (!STATED(heft_heap_place, ret, err))
		return false;
	struct heft_heap_place made = process_no_place(addr);
	const bool found = GUARDED(h->memory, err, heap_at(h, addr, &made, err));
	give(ret, &made, sizeof made);
	return found;
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

/* Keeps the message that the C library printed when it aborted, without line ends at its end. */
static void keep_said(struct heft_heap *h)
{
	struct str said = str_of(h->damages.said != NULL ? h->damages.said : "");
	while (said.len > 0 && said.p[said.len - 1] == '\n')
		said.len--;
	h->info.said = arena_copy(&h->arena, said);
}

size_t heap_find_damage(struct heft_heap *h)
{
	struct process_heap *heap = &h->process.heap;
	if (h->open && !h->damages_known && dump_is_fatal(&h->process.dump))
		process_walk_threads(&h->process);
	if (h->open && !h->damages_known) {
		heap_damage_find(&h->damages, &h->process.dump, &heap->records, &heap->calls,
				 &heap->blocks, &heap->layout);
		keep_said(h);
	}
	h->damages_known = true;
	return h->damages.list.count;
}

bool heft_heap_find_damage(struct heft_heap *h, size_t *ret_count, struct heft_err *err)
{
	return GUARDED(h->memory, err, (*ret_count = heap_find_damage(h), true));
}

/* Returns what is mapped at an address outside of all blocks: a symbol, otherwise the name of the
 * mapping. */
static const char *heap_at_place_of(struct heft_heap *h, uint64_t addr)
{
	struct heft_heap_place at;
	if (!process_at(&h->process, addr, &h->answer, &at))
		return "";
	return *at.symbol ? arena_format(&h->answer, "%s + %" PRIu64, at.symbol, at.symbol_offset)
			  : at.map_name;
}

/* Returns who freed the block again. If its memory was gone, the process died in that call, before
 * the recorder saw it. */
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
	const struct damage *d = &h->damages.list.data[i];
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

static bool get_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
		       struct heft_err *err)
{
	if (i >= heap_find_damage(h))
		return fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "no damage has this number");
	*ret = heap_damage(h, i);
	return true;
}

bool heft_heap_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret,
		      struct heft_err *err)
{
	if (!STATED(heft_heap_damage, ret, err))
		return false;
	struct heft_heap_damage made;
	if (!GUARDED(h->memory, err, get_damage(h, i, &made, err)))
		return false;
	give(ret, &made, sizeof made);
	return true;
}
