/* Describes what is at an address of a process. */
#include "process/process_internal.h"

enum heft_heap_part process_part(enum heap_part_kind kind)
{
	static const uint8_t parts[] = {
		[HEAP_PART_BLOCK] = HEFT_HEAP_BLOCKS,
		[HEAP_PART_HEADER] = HEFT_HEAP_HEADERS,
		[HEAP_PART_OVERHEAD] = HEFT_HEAP_OVERHEAD,
		[HEAP_PART_FREE] = HEFT_HEAP_FREE,
		[HEAP_PART_UNRECORDED] = HEFT_HEAP_UNRECORDED,
		[HEAP_PART_RECORDER] = HEFT_HEAP_RECORDER,
		[HEAP_PART_OTHER] = HEFT_HEAP_OTHER,
	};
	ASSERT(kind < COUNT_OF(parts));
	return (enum heft_heap_part)parts[kind];
}

const struct heft_frame *const *process_kept_stack(struct process *p, uint32_t stack,
						   struct arena *a, size_t *ret_count)
{
	process_frame_vec *frames = &p->modules->found;
	process_name_calls(p);
	process_stack(p, stack, frames);
	struct heft_frame *kept = arena_new(a, struct heft_frame, frames->count + 1);
	const struct heft_frame **list = arena_new(a, const struct heft_frame *, frames->count + 1);
	for (size_t i = 0; i < frames->count; i++) {
		kept[i] = frames->data[i];
		list[i] = &kept[i];
	}
	*ret_count = frames->count;
	return list;
}

const struct heft_heap_block *process_block(struct process *p, const struct heap_found *f,
					    struct arena *a)
{
	const bool freed = f->flags & HEAP_FREED;
	struct heft_heap_block *ret = arena_new(a, struct heft_heap_block, 1);
	*ret = (struct heft_heap_block){ .addr = f->addr,
					 .size = f->size,
					 .sequence = freed ? 0 : f->sequence,
					 .thread = freed ? 0 : f->thread,
					 .freed = freed };
	ret->frames = process_kept_stack(p, f->stack, a, &ret->frame_count);
	if (freed && f->freed_by != 0)
		ret->freed_by = process_kept_stack(p, f->freed_by, a, &ret->freed_by_count);
	return ret;
}

static void tell_mapping(struct process *p, struct heft_heap_place *at)
{
	const struct region *r = dump_region(&p->dump, at->addr);
	const struct process_mapping *map = process_mapping_at(p, at->addr);
	const struct process_module *m = process_module_at(p, at->addr);
	if (m) {
		at->module = m->path;
		at->module_addr = at->addr - m->bias;
	}
	if (!r && m) { /* Only the module covers the address: most dumps lack the code. */
		at->state = HEFT_HEAP_MAPPED;
		at->map_start = m->start;
		at->map_size = m->end - m->start;
		at->map_name = m->path;
	}
	if (!r)
		return;
	at->state = map->thread > 0 ? HEFT_HEAP_STACK : HEFT_HEAP_MAPPED;
	at->thread = map->thread;
	at->map_start = r->addr;
	at->map_size = r->size;
	at->map_name = map->label;
	at->read = r->read;
	at->write = r->write;
	at->exec = r->exec;
}

static void process_at_tell_symbol(struct process *p, struct heft_heap_place *at)
{
	const struct process_place place = process_locate(p, at->addr);
	const struct symbol_place *s = place.locator ? locator_symbol(place.locator, place.addr)
						     : NULL;
	if (!s)
		return;
	at->symbol = s->memo;
	at->symbol_offset = place.addr - s->addr;
}

static void tell_part(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	struct heft_heap_place *at = ctx;
	struct heap_part split[HEAP_SPLIT_MAX];
	const size_t count = heap_part_split(part, block, split);
	for (size_t k = 0; k < count; k++) {
		if (at->addr - split[k].addr >= split[k].size)
			continue;
		at->state = HEFT_HEAP_BETWEEN;
		at->part = process_part(split[k].kind);
	}
}

/* Finds what at->addr is in: a live block, its header, a freed block, or another part of the heap.
 * `live` is the index of the live block at or before the address. Stores the block in *ret. False
 * if the address is in no block. */
static bool tell_state(const struct process_heap *h, size_t live, struct heft_heap_place *at,
		       struct heap_found *ret)
{
	if (live != SIZE_MAX) {
		const struct heap_found f = heap_live(&h->blocks, live);
		const bool inside = at->addr >= f.addr && at->addr - f.addr < max_u64(f.size, 1);
		if (inside || at->addr < f.addr) {
			at->state = inside ? HEFT_HEAP_IN_LIVE : HEFT_HEAP_IN_HEADER;
			*ret = f;
			return true;
		}
	}
	const size_t freed = heap_freed_at(&h->blocks, at->addr, false);
	if (freed == SIZE_MAX) {
		heap_parts_near(&h->layout, at->addr, tell_part, at);
		return false;
	}
	at->state = HEFT_HEAP_IN_FREED;
	*ret = heap_freed(&h->blocks, freed);
	return true;
}

static const struct heft_heap_block *live_block(struct process *p, size_t i, struct arena *a)
{
	const struct blocks_found *b = &p->heap.blocks;
	if (i >= b->live.count)
		return NULL;
	const struct heap_found f = heap_live(b, i);
	return process_block(p, &f, a);
}

struct heft_heap_place process_no_place(uint64_t addr)
{
	return (struct heft_heap_place){ .size = sizeof(struct heft_heap_place),
					 .addr = addr,
					 .map_name = "",
					 .module = "",
					 .symbol = "" };
}

bool process_at(struct process *p, uint64_t addr, struct arena *a, struct heft_heap_place *ret)
{
	const struct process_heap *h = process_read_heap(p);
	const size_t live = heap_block_at(&h->blocks, addr);
	ASSERT(live == SIZE_MAX || live < h->blocks.live.count);
	*ret = process_no_place(addr);
	tell_mapping(p, ret);
	process_at_tell_symbol(p, ret);
	struct heap_found f;
	ret->lacking = dump_is_lacking(&p->dump, addr);
	if (ret->lacking)
		return true;
	if (tell_state(h, live, ret, &f))
		ret->block = process_block(p, &f, a);
	if (ret->state >= HEFT_HEAP_IN_LIVE) {
		const bool own = ret->state == HEFT_HEAP_IN_LIVE ||
				 ret->state == HEFT_HEAP_IN_HEADER;
		ret->before = live_block(p, own ? live - 1 : live, a);
		ret->after = live_block(p, live + 1, a); /* Without a block before it, `live` is
							  * SIZE_MAX, and `live` + 1 is 0 */
	}
	enum { SHOWN = 64 };
	const struct heft_heap_block *b = ret->block;
	ret->bytes_addr = b && ret->addr >= b->addr && ret->addr - b->addr < SHOWN
				  ? b->addr
				  : ret->addr & ~UINT64_C(15);
	const uint64_t end = b ? add_sat(b->addr, b->size) : 0;
	uint64_t size = SHOWN;
	if (b && ret->addr < end && end - ret->bytes_addr < size)
		size = end - ret->bytes_addr;
	const struct bytes bytes = dump_at(&p->dump, ret->bytes_addr, size);
	ret->bytes = bytes.size > 0 ? bytes.p : NULL;
	ret->byte_count = bytes.size;
	return ret->state != HEFT_HEAP_NOWHERE;
}
