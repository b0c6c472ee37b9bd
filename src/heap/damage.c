/* Finds the damage of a heap: bad canaries, broken chains of chunks, double frees, faults. */
#include "heap/damage_internal.h"

#include "base/sort.h"
#include "heap/memory.h"

enum {
	NEAR = 64 << 10,       /* Distance from a heap, in bytes, within which a faulting address
			        * is assigned to a block */
	STACK_MOST = 16 << 10, /* Limit of the bytes of a thread's stack to search */
};

struct damage *damage_add(const struct finding *g, enum damage_kind kind, uint64_t addr)
{
	vec_push(&g->to->list, (struct damage){ .kind = kind,
						.addr = addr,
						.block = SIZE_MAX,
						.freed = SIZE_MAX,
						.victim = SIZE_MAX });
	return &g->to->list.data[g->to->list.count - 1];
}

static void canary(const struct finding *g, size_t block)
{
	const struct heap_found f = heap_live(g->b, block);
	const uint64_t want = heap_canary(f.addr), at = f.addr + f.size;
	uint8_t bytes[HEAP_CANARY_SIZE];
	uint64_t first = HEAP_CANARY_SIZE, count = 0;
	if (memory_copy(g->d, at, bytes, sizeof bytes) != sizeof bytes)
		return;
	for (unsigned i = 0; i < HEAP_CANARY_SIZE; i++) {
		const unsigned shift = 8 * (g->d->big_endian ? HEAP_CANARY_SIZE - 1 - i : i);
		if (bytes[i] == (uint8_t)(want >> shift))
			continue;
		first = min_u64(first, i);
		count++;
	}
	struct damage *found = damage_add(g, DAMAGE_CANARY, at + first);
	found->block = block;
	found->count = count;
}

static void canaries(const struct finding *g)
{
	uint64_t left = g->b->damaged_canaries;
	for (struct heap_walk w = heap_walk_from(g->b, 0); left > 0 && heap_walk_next(&w);) {
		struct heap_found f;
		heap_walk_found(&w, &f);
		if (!f.canary_damaged)
			continue;
		canary(g, w.index);
		left--;
	}
	ASSERT(left == 0);
}

/* Returns the freed block whose chunk ends where the list of chunks breaks. SIZE_MAX if none. */
static size_t freed_before(const struct finding *g, const struct heap_break *k)
{
	const size_t next = heap_freed_below(g->b, k->addr);
	if (next == 0)
		return SIZE_MAX;
	const struct heap_found freed = heap_freed(g->b, next - 1);
	const uint64_t end = heap_found_end(&freed);
	if (freed.addr < heap_live(g->b, k->before).addr)
		return SIZE_MAX;
	return end <= k->addr && k->addr - end < 4 * HEAP_ALIGN ? next - 1 : SIZE_MAX;
}

static void breaks(const struct finding *g)
{
	vec_each(const struct heap_break, k, &g->l->breaks) {
		const bool known = heap_live(g->b, k->before).canary_damaged;
		struct damage *found = NULL;
		for (size_t n = 0; known && n < g->to->list.count && found == NULL; n++)
			if (g->to->list.data[n].block == k->before)
				found = &g->to->list.data[n];
		if (found == NULL)
			found = damage_add(g, DAMAGE_CHUNK, k->addr);
		found->block = k->before;
		found->victim = k->after != UINT32_MAX ? k->after : SIZE_MAX;
		const size_t freed = known ? SIZE_MAX : freed_before(g, k);
		if (freed != SIZE_MAX) {
			found->block = SIZE_MAX;
			found->freed = freed;
		}
	}
}

/* Adds damage of freed blocks that were written to. All chunks must be known: a damaged list of
 * freed chunks may point to a chunk that only a later step finds. */
static void written(const struct finding *g)
{
	for (size_t i = 0; g->l->breaks.count == 0 && i < g->b->written.count; i++)
		damage_add(g, DAMAGE_FREED_WRITTEN, g->b->written.data[i]);
}

/* True if a register of the thread, or its stack below `top`, has an address in [start, end). */
static bool holds(const struct finding *g, const struct dump_thread *t, uint64_t top,
		  uint64_t start, uint64_t end)
{
	const unsigned word = memory_word_size(g->d);
	const uint64_t sp = t->sp & ~(uint64_t)(word - 1);
	uint64_t v;
	for (size_t i = 0; i < t->reg_count; i++)
		if (t->regs[i] - start < end - start)
			return true;
	for (uint64_t at = sp; at < top && at - sp < STACK_MOST; at += word)
		if (memory_word(g->d, at, &v) && v - start < end - start)
			return true;
	return false;
}

/* True if a thread in the recorder, or in the allocator called by it, works on [start, end). The
 * first word at heap_thread.own then tells the stack address up to which to search. */
static bool is_being_changed(const struct finding *g, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < g->r->threads.count; i++) {
		const struct heap_thread *slot = &g->r->threads.data[i];
		const struct dump_thread *t = NULL;
		for (size_t k = 0; k < g->d->thread_count && t == NULL; k++)
			if (g->d->threads[k].id == slot->thread)
				t = &g->d->threads[k];
		uint64_t busy = 0;
		if (slot->state == 0 || slot->own == 0 || t == NULL ||
		    (t == g->d->threads && dump_is_fatal(g->d)))
			continue;
		if (memory_word(g->d, slot->own, &busy) && busy != 0 &&
		    holds(g, t, busy, start, end))
			return true;
	}
	return false;
}

/* Like is_being_changed(), but for a process without a recorder. A thread that writes to a chunk
 * has its address in a register or near the inner end of the stack. */
static bool may_be_changed(const struct finding *g, uint64_t start, uint64_t end)
{
	enum { FRAMES = 512 }; /* The allocator's own stack frames are smaller */
	for (size_t i = dump_is_fatal(g->d) ? 1 : 0; i < g->d->thread_count; i++) {
		const struct dump_thread *t = &g->d->threads[i];
		if (holds(g, t, add_sat(t->sp, FRAMES), start, end))
			return true;
	}
	return false;
}

/* True if a thread may be changing the damaged bytes. When the allocator joins freed chunks, it
 * changes the words after them while it holds the first one's address. So the tested range includes
 * the freed chunks before the damage, and the header of the block before them. */
static bool is_unsettled(const struct finding *g, const struct damage *f)
{
	if (f->kind != DAMAGE_CHUNK && f->kind != DAMAGE_HEADER)
		return false;
	const uint64_t word = memory_word_size(g->d);
	const size_t next = heap_live_below(g->b, add_sat(f->addr, 1));
	uint64_t start = f->addr - min_u64(f->addr, NEAR), end = f->addr + NEAR;
	if (next > 0) {
		const struct heap_found before = heap_live(g->b, next - 1);
		const uint64_t at = g->r->found ? heap_found_start(&before)
						: heap_found_end(&before);
		start = max_u64(start, min_u64(at, f->addr));
	}
	if (!g->r->found)
		return may_be_changed(g, start - word, f->addr + 4 * word);
	if (next < g->b->live.count)
		end = min_u64(end, heap_live(g->b, next).addr);
	return is_being_changed(g, start - 2 * word, end);
}

/* Removes damage that a stopped thread explains: the thread stopped between two writes to a header
 * or to the allocator's data. */
static void leave_out_unsettled(const struct finding *g)
{
	size_t kept = 0;
	for (size_t i = 0; i < g->to->list.count; i++) {
		if (is_unsettled(g, &g->to->list.data[i]))
			g->to->unsettled++;
		else
			g->to->list.data[kept++] = g->to->list.data[i];
	}
	g->to->list.count = kept;
}

/* Returns the freed block whose user's bytes, recorder's header or allocator's chunk begins at an
 * address. SIZE_MAX if there is none. */
static size_t damage_freed_from(const struct finding *g, uint64_t addr)
{
	const size_t i = heap_freed_below(g->b, addr);
	if (i == g->b->freed.count)
		return SIZE_MAX;
	const struct heap_found freed = heap_freed(g->b, i);
	if (heap_freed_at(g->b, freed.addr, false) == SIZE_MAX)
		return SIZE_MAX;
	const uint64_t off = freed.addr - addr, front = freed.front;
	const uint64_t chunk = 2 * memory_word_size(g->d);
	return off == 0 || off == front || off == front + chunk ? i : SIZE_MAX;
}

/* Returns the freed block whose address is on the aborted thread's stack. The address is there
 * while the thread frees the block a second time. SIZE_MAX if there is none. */
static size_t freed_on_stack(const struct finding *g)
{
	const struct dump_thread *t = dump_first_thread(g->d);
	const unsigned word = memory_word_size(g->d);
	uint64_t v;
	if (t == NULL || g->d->signal != SIGNAL_ABRT)
		return SIZE_MAX;
	for (uint64_t off = 0; off < STACK_MOST; off += word) {
		if (!memory_word(g->d, (t->sp & ~(uint64_t)(word - 1)) + off, &v))
			return SIZE_MAX;
		const size_t i = damage_freed_from(g, v);
		if (i != SIZE_MAX)
			return i;
	}
	return SIZE_MAX;
}

/* Returns the double free of the block at an address. Adds it to the list if missing. */
static struct damage *damage_double_free(const struct finding *g, uint64_t addr)
{
	for (size_t i = 0; i < g->to->list.count; i++)
		if (g->to->list.data[i].kind == DAMAGE_DOUBLE_FREE &&
		    g->to->list.data[i].addr == addr)
			return &g->to->list.data[i];
	struct damage *found = damage_add(g, DAMAGE_DOUBLE_FREE, addr);
	found->freed = heap_freed_find(g->b, addr);
	return found;
}

/* Adds the double frees that the recorder noted, one per block. False if there are none. */
static bool double_frees(const struct finding *g)
{
	bool any = false;
	vec_each(const struct heap_gone, e, &g->r->gone) {
		if (e->why != HEAP_GONE_AGAIN)
			continue;
		struct damage *found = damage_double_free(g, e->addr);
		found->count++;
		found->again_by = e->by != 0 ? calls_add(g->c, &e->by, 1) : 0;
		any = true;
	}
	return any;
}

/* Lists blocks whose canary was damaged when they were freed. Returns their number. */
static uint64_t overruns(const struct finding *g)
{
	uint64_t count = 0;
	vec_each(const struct heap_gone, e, &g->r->gone) {
		if (e->why != HEAP_GONE_OVERRUN)
			continue;
		const size_t at = heap_freed_find(g->b, e->addr);
		struct damage *found = NULL;
		for (size_t k = 0; at != SIZE_MAX && k < g->to->list.count && !found; k++)
			if (g->to->list.data[k].kind == DAMAGE_CHUNK &&
			    g->to->list.data[k].freed == at)
				found = &g->to->list.data[k];
		if (found == NULL)
			found = damage_add(g, DAMAGE_CANARY_FREED, e->addr);
		found->kind = DAMAGE_CANARY_FREED;
		found->addr = e->addr;
		found->freed = at;
		count++;
	}
	return count;
}

static void counted(const struct finding *g)
{
	const struct heap_process *p = &g->r->process;
	if (!double_frees(g) && p->double_frees != 0) {
		const size_t freed = freed_on_stack(g);
		struct damage *found = damage_add(g, DAMAGE_DOUBLE_FREE,
						  freed != SIZE_MAX ? heap_freed(g->b, freed).addr
								    : 0);
		found->count = p->double_frees;
		found->freed = freed;
	}
	const uint64_t noted = overruns(g);
	if (p->damaged > noted)
		damage_add(g, DAMAGE_CANARY_FREED, 0)->count = p->damaged - noted;
}

static bool near_heap(const struct finding *g, uint64_t addr)
{
	vec_each(const struct heap_span, s, &g->l->spans) {
		const uint64_t start = s->addr > NEAR ? s->addr - NEAR : 0;
		if (addr >= start && addr - start < add_sat(s->size, 2 * NEAR))
			return true;
	}
	return false;
}

static void beside_block(const struct finding *g, uint64_t addr)
{
	const size_t next = heap_live_below(g->b, add_sat(addr, 1));
	uint64_t behind = UINT64_MAX, before = UINT64_MAX;
	if (next > 0) {
		const struct heap_found f = heap_live(g->b, next - 1);
		behind = addr > f.addr + f.size ? addr - (f.addr + f.size) : 0;
	}
	if (next < g->b->live.count)
		before = heap_live(g->b, next).addr - addr;
	if (min_u64(behind, before) > INT64_MAX)
		return;
	struct damage *found = damage_add(g, DAMAGE_FAULT, addr);
	found->block = behind <= before ? next - 1 : next;
	found->distance = behind <= before ? (int64_t)behind : -(int64_t)before;
}

static void fault(const struct finding *g)
{
	const uint64_t addr = g->d->fault_addr;
	if (!g->d->has_fault)
		return;
	const size_t freed = heap_freed_at(g->b, addr, true);
	if (freed == SIZE_MAX && near_heap(g, addr))
		beside_block(g, addr);
	if (freed == SIZE_MAX)
		return;
	/* The block's memory is unmapped. Only free and realloc read the header of such a block. */
	const struct heap_found f = heap_freed(g->b, freed);
	if (addr < f.addr && dump_region(g->d, addr) == NULL)
		damage_double_free(g, f.addr)->count++;
	else
		damage_add(g, DAMAGE_FREED_USE, addr)->freed = freed;
}

/* Adds registers of the faulted thread that point into freed blocks. Other threads may have such
 * pointers. */
static void registers(const struct finding *g)
{
	const struct dump_thread *t = dump_first_thread(g->d);
	const int signal = g->d->signal;
	if (t == NULL || (signal != SIGNAL_SEGV && signal != SIGNAL_BUS))
		return;
	for (size_t i = 0; i < t->reg_count; i++) {
		const size_t freed = heap_freed_at(g->b, t->regs[i], false);
		bool known = freed == SIZE_MAX;
		for (size_t j = 0; j < g->to->list.count; j++)
			known = known || g->to->list.data[j].freed == freed;
		if (!known)
			damage_add(g, DAMAGE_FREED_POINTER, t->regs[i])->freed = freed;
	}
}

void heap_damage_find(struct damages *ret, const struct dump *d, const struct records *r,
		      struct calls *c, const struct blocks_found *b, const struct heap_layout *l)
{
	const struct finding g = { ret, d, r, c, b, l };
	*ret = (struct damages){ 0 };
	canaries(&g);
	breaks(&g);
	written(&g);
	damage_headers(&g);
	leave_out_unsettled(&g);
	counted(&g);
	if (!damage_abort(&g)) {
		fault(&g);
		registers(&g);
		damage_foreign(&g);
	}
	damage_said(&g);
	vec_sort(&ret->list);
}

void heap_damage_release(struct damages *damages)
{
	vec_release(&damages->list);
}
