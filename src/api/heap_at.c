/* What is at an address of a process, and what is damaged in its heap. */
#include "api/heap.h"

#include "base/sort.h"

/* ---- blocks --------------------------------------------------------------------------------- */

/* The functions of a stack, innermost first, at the end of h->frames; returns how many. */
static size_t add_frames(struct heft_heap *h, uint32_t stack)
{
	process_name_calls(&h->process);
	process_stack(&h->process, stack, &h->stack);
	for (size_t i = 0; i < h->stack.count; i++)
		vec_push(&h->frames, h->stack.data[i]);
	return h->stack.count;
}

/* Its frames are set by place_frames, when no more are added. */
static struct heft_heap_block make_block(struct heft_heap *h, const struct heap_found *f)
{
	return (struct heft_heap_block){ .addr = f->addr,
					 .size = f->size,
					 .sequence = f->sequence,
					 .thread = f->thread,
					 .freed = f->flags & HEAP_FREED,
					 .frame_count = add_frames(h, f->stack) };
}

static void place_frames(const struct heft_heap *h, struct heft_heap_block *const *blocks,
			 size_t count)
{
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		blocks[i]->frames = blocks[i]->frame_count > 0 ? &h->frames.data[at] : NULL;
		at += blocks[i]->frame_count;
	}
}

/* ---- an address ----------------------------------------------------------------------------- */

static const struct heap_found *freed_at(const struct blocks_found *b, uint64_t addr)
{
	const size_t i = upper_bound(b->freed.data, b->freed.count, sizeof *b->freed.data, addr);
	if (i == 0)
		return NULL;
	const struct heap_found *f = &b->freed.data[i - 1];
	return addr - f->addr < max_u64(f->size, 1) ? f : NULL;
}

static void tell_thread(const struct dump *d, struct heft_heap_place *p)
{
	for (size_t i = 0; i < d->thread_count; i++) {
		const struct dump_thread *t = &d->threads[i];
		if (p->addr >= t->stack_start && p->addr < t->stack_end) {
			p->state = HEFT_HEAP_STACK;
			p->thread = t->id;
		}
	}
}

static void tell_mapping(struct heft_heap *h, struct heft_heap_place *p)
{
	const struct dump *d = &h->process.dump;
	const struct region *r = dump_region(d, p->addr);
	const struct process_module *m = process_module_at(&h->process, p->addr);
	if (!r && m) { /* code, which few dumps hold */
		p->state = HEFT_HEAP_MAPPED;
		p->map_start = m->start;
		p->map_size = m->end - m->start;
		p->file = m->path;
	}
	if (!r)
		return;
	p->state = HEFT_HEAP_MAPPED;
	p->map_start = r->addr;
	p->map_size = r->size;
	p->read = r->read;
	p->write = r->write;
	p->exec = r->exec;
	if (r->file > 0)
		p->file = d->files[r->file - 1].path;
	tell_thread(d, p);
}

static void tell_symbol(struct heft_heap *h, struct heft_heap_place *p)
{
	const struct process_place at = process_symbol(&h->process, p->addr);
	if (!at.symbol)
		return;
	p->symbol = at.symbol;
	p->symbol_offset = at.offset;
}

/* In which block or part of the heap it is; `live` is the block at it or before it. */
static const struct heap_found *tell_state(struct heft_heap *h, struct heft_heap_place *p,
					   size_t live)
{
	const struct blocks_found *b = &h->process.heap.blocks;
	if (live != SIZE_MAX) {
		const struct heap_found *f = &b->live.data[live];
		const bool inside = p->addr >= f->addr && p->addr - f->addr < max_u64(f->size, 1);
		if (inside || p->addr < f->addr) {
			p->state = inside ? HEFT_HEAP_IN_LIVE : HEFT_HEAP_IN_HEADER;
			return f;
		}
	}
	const struct heap_found *freed = freed_at(b, p->addr);
	if (freed) {
		p->state = HEFT_HEAP_IN_FREED;
		return freed;
	}
	const size_t i = upper_bound(h->process.heap.layout.parts.data,
				     h->process.heap.layout.parts.count,
				     sizeof *h->process.heap.layout.parts.data, p->addr);
	struct heap_part split[HEAP_SPLIT_MAX];
	const size_t count =
		i > 0 ? heap_part_split(&h->process.heap.layout.parts.data[i - 1], b, split) : 0;
	for (size_t k = 0; k < count; k++) {
		if (p->addr - split[k].addr >= split[k].size)
			continue;
		p->state = HEFT_HEAP_BETWEEN;
		p->part = heap_part_names[heap_part_of(split[k].kind)];
	}
	return NULL;
}

static void tell_bytes(struct heft_heap *h, struct heft_heap_place *p)
{
	enum { SHOWN = 64 };
	p->bytes_addr = p->block.addr && p->addr >= p->block.addr && p->addr - p->block.addr < SHOWN
				? p->block.addr
				: p->addr & ~UINT64_C(15);
	const uint64_t end = add_sat(p->block.addr, p->block.size);
	uint64_t size = SHOWN;
	if (p->block.addr && p->addr < end && end - p->bytes_addr < size)
		size = end - p->bytes_addr;
	const struct bytes b = dump_at(&h->process.dump, p->bytes_addr, size);
	p->bytes = b.size > 0 ? b.p : NULL;
	p->byte_count = b.size;
}

bool heft_heap_at(struct heft_heap *h, uint64_t addr, struct heft_heap_place *ret)
{
	*ret = (struct heft_heap_place){ .addr = addr, .part = "", .file = "", .symbol = "" };
	if (!h->open)
		return false;
	h->frames.count = 0;
	tell_mapping(h, ret);
	tell_symbol(h, ret);
	const struct blocks_found *b = &h->process.heap.blocks;
	const size_t live = heap_block_at(b, addr);
	const struct heap_found *f = tell_state(h, ret, live);
	if (f)
		ret->block = make_block(h, f);
	if (ret->state >= HEFT_HEAP_IN_LIVE) {
		const bool own = f && live != SIZE_MAX && f == &b->live.data[live];
		const size_t before = own ? live - 1 : live; /* SIZE_MAX + 1 of none is 0 */
		const size_t after = own ? live + 1 : live == SIZE_MAX ? 0 : live + 1;
		if (before < b->live.count)
			ret->before = make_block(h, &b->live.data[before]);
		if (after < b->live.count)
			ret->after = make_block(h, &b->live.data[after]);
	}
	place_frames(h, (struct heft_heap_block *[]){ &ret->block, &ret->before, &ret->after }, 3);
	tell_bytes(h, ret);
	return ret->state != HEFT_HEAP_NOWHERE;
}

bool heft_heap_place_write(const struct heft_heap_place *at, enum heft_heap_format format,
			   bool (*sink)(void *ctx, const void *data, size_t size), void *ctx)
{
	struct sink s;
	sink_start(&s, sink, ctx);
	out_heap_place(at, format == HEFT_HEAP_JSON, &s);
	return sink_flush(&s);
}

/* ---- damage --------------------------------------------------------------------------------- */

size_t heft_heap_damage_count(struct heft_heap *h)
{
	const struct process_heap *heap = &h->process.heap;
	if (h->open && !h->damages_known)
		heap_damage_find(&h->damages, &h->process.dump, &heap->records, &heap->calls,
				 &heap->blocks, &heap->layout);
	h->damages_known = true;
	return h->damages.list.count;
}

bool heft_heap_get_damage(struct heft_heap *h, size_t i, struct heft_heap_damage *ret)
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
	h->frames.count = 0;
	ret->has_block = d->block < b->live.count || d->freed < b->freed.count;
	ret->has_victim = d->victim < b->live.count;
	if (d->block < b->live.count)
		ret->block = make_block(h, &b->live.data[d->block]);
	else if (d->freed < b->freed.count)
		ret->block = make_block(h, &b->freed.data[d->freed]);
	if (ret->has_victim) {
		ret->victim = make_block(h, &b->live.data[d->victim]);
	} else if (d->was_stack > 0) {
		const struct heap_found was = { .addr = d->addr,
						.size = d->was_size,
						.stack = d->was_stack };
		ret->has_victim = true;
		ret->victim = make_block(h, &was);
	}
	place_frames(h, (struct heft_heap_block *[]){ &ret->block, &ret->victim }, 2);
	return true;
}
