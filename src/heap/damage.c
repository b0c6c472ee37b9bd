#include "heap/damage.h"

#include "base/sort.h"
#include "heap/memory.h"

#include <signal.h>

enum {
	NEAR = 64 << 10,       /* bytes beside a heap in which a fault is laid to a block */
	STACK_MOST = 16 << 10, /* of the aborted thread's stack that is looked at */
};

struct finding {
	struct damages *to;
	const struct dump *d;
	const struct records *r;
	struct calls *c;
	const struct blocks_found *b;
	const struct heap_layout *l;
};

static struct damage *add(const struct finding *g, enum damage_kind kind, uint64_t addr)
{
	vec_push(&g->to->list, (struct damage){ .kind = kind,
						.addr = addr,
						.block = SIZE_MAX,
						.freed = SIZE_MAX,
						.victim = SIZE_MAX });
	return &g->to->list.data[g->to->list.count - 1];
}

/* ---- canaries and chains --------------------------------------------------------------------- */

static void canary(const struct finding *g, size_t block)
{
	const struct heap_found *f = &g->b->live.data[block];
	const uint64_t want = heap_canary(f->addr), at = f->addr + f->size;
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
	struct damage *found = add(g, DAMAGE_CANARY, at + first);
	found->block = block;
	found->count = count;
}

static struct damage *canary_of(const struct finding *g, size_t block)
{
	for (size_t i = 0; i < g->to->list.count; i++)
		if (g->to->list.data[i].block == block)
			return &g->to->list.data[i];
	return NULL;
}

static void breaks(const struct finding *g)
{
	for (size_t i = 0; i < g->l->breaks.count; i++) {
		const struct heap_break *k = &g->l->breaks.data[i];
		const bool known = g->b->live.data[k->before].canary_damaged;
		struct damage *found = known ? canary_of(g, k->before) : NULL;
		if (found == NULL)
			found = add(g, DAMAGE_CHUNK, k->addr);
		found->block = k->before;
		found->victim = k->after != UINT32_MAX ? k->after : SIZE_MAX;
	}
}

/* ---- headers --------------------------------------------------------------------------------- */

/* What blocks of this process look like. */
struct shape {
	uint64_t front, tail;
	uint64_t word;
	uint32_t flags;
};

static struct shape shape_of(const struct finding *g)
{
	const struct heap_process *p = &g->r->process;
	struct shape s = { HEAP_HEADER_SIZE, 0, memory_word_size(g->d), p->flags & 15 };
	if ((s.flags & HEAP_WIDE) != 0)
		s.front = HEAP_WIDE_SIZE;
	if ((s.flags & HEAP_INLINE) != 0)
		s.front += heap_inline_size(p->depth, (unsigned)s.word);
	if ((s.flags & HEAP_CANARY) != 0)
		s.tail = HEAP_CANARY_SIZE;
	return s;
}

/* The least and the most that may be asked for in a chunk of this size: the allocator rounds up,
 * and leaves what would be too small for a chunk. */
struct sizes {
	uint64_t least, most;
};

static bool sizes_of(const struct shape *s, uint64_t chunk, struct sizes *ret)
{
	const uint64_t added = s->front + s->tail + s->word, slack = 4 * s->word;
	if (chunk < added)
		return false;
	ret->most = chunk - added;
	ret->least = chunk - added > slack ? chunk - added - slack : 0;
	return true;
}

struct lost {
	uint64_t addr; /* of the first byte that is wrong, roughly */
	uint64_t size;
	uint32_t stack;
};

static bool lost_link(const struct shape *s, uint64_t p, uint64_t mark, const struct sizes *of,
		      struct lost *ret)
{
	const uint64_t size = mark & HEAP_SIZE_MASK;
	if ((mark & HEAP_MARK_MASK) != HEAP_MARK || size < of->least || size > of->most ||
	    (mark >> HEAP_FLAG_SHIFT & 15) != s->flags)
		return false;
	*ret = (struct lost){ p - s->front, size, 0 };
	return true;
}

static bool lost_mark(const struct finding *g, const struct shape *s, uint64_t p, uint64_t link,
		      const struct sizes *of, struct lost *ret)
{
	uint64_t wide = 0, owner = 0;
	if ((s->flags & HEAP_WIDE) != 0 && !(memory_uint(g->d, p - HEAP_WIDE_SIZE, 8, &wide) &&
					     memory_uint(g->d, p - HEAP_WIDE_SIZE + 8, 8, &owner)))
		return false;
	for (uint64_t size = of->least; size <= of->most; size++) {
		const uint64_t mark = HEAP_MARK | (uint64_t)s->flags << HEAP_FLAG_SHIFT | size;
		if (heap_check(p, mark, (uint32_t)link, wide ^ owner) != link >> 32)
			continue;
		*ret = (struct lost){ p - 8, size, calls_by_id(g->c, (uint32_t)link) };
		return true;
	}
	return false;
}

/* Is the mark that of a live block of the process whose size the chunk does not fit?  Then bytes of
 * the size were written over; of one that is freed, the flag says so. */
static bool is_bent(const struct shape *s, uint64_t mark, const struct sizes *of)
{
	const uint64_t size = mark & HEAP_SIZE_MASK;
	return (mark & HEAP_MARK_MASK) != HEAP_MARK ||
	       ((mark >> HEAP_FLAG_SHIFT & 15) == s->flags &&
		(size < of->least || size > of->most));
}

/* A chunk in use without a header that verifies: is half of one left?  One that just becomes
 * "freed", or no longer, has that flag only in its mark. */
static bool lost_header(const struct finding *g, const struct shape *s, uint64_t chunk,
			uint64_t size, struct lost *ret)
{
	const uint64_t p = chunk + 2 * s->word + s->front;
	uint64_t link, mark;
	struct sizes of;
	return p % HEAP_ALIGN == 0 && sizes_of(s, size, &of) &&
	       memory_uint(g->d, p - 16, 8, &link) && memory_uint(g->d, p - 8, 8, &mark) &&
	       (lost_link(s, p, mark, &of, ret) ||
		(is_bent(s, mark, &of) && lost_mark(g, s, p, link, &of, ret)));
}

static void headers_in(const struct finding *g, const struct shape *s, const struct heap_part *part)
{
	uint64_t chunk = part->addr - s->word, left = part->size, v;
	while (left >= 4 * s->word && memory_word(g->d, chunk + s->word, &v)) {
		const uint64_t size = v & ~(uint64_t)7;
		struct lost lost;
		if (size < 2 * s->word || size > left)
			return;
		if (lost_header(g, s, chunk, size, &lost)) {
			struct damage *found = add(g, DAMAGE_HEADER, lost.addr);
			const size_t before = heap_block_at(g->b, part->addr);
			found->block = before;
			found->was_size = lost.size;
			found->was_stack = lost.stack;
		}
		chunk += size;
		left -= size;
	}
}

/* Where blocks are sampled, chunks without a header are no oddity. */
static void headers(const struct finding *g)
{
	const struct shape s = shape_of(g);
	if (!g->r->found || g->r->process.sample != 0)
		return;
	for (size_t i = 0; i < g->l->parts.count; i++)
		if (g->l->parts.data[i].kind == HEAP_PART_UNRECORDED)
			headers_in(g, &s, &g->l->parts.data[i]);
}

/* ---- threads at work ------------------------------------------------------------------------- */

static bool is_fatal(int signal)
{
	return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGILL;
}

static const struct dump_thread *thread_by_id(const struct dump *d, uint32_t id)
{
	for (size_t i = 0; i < d->thread_count; i++)
		if (d->threads[i].id == id)
			return &d->threads[i];
	return NULL;
}

/* Does a register of the thread, or its stack below `top`, hold an address in [start, end)? */
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

/* Is a thread in the recorder, or below it in the allocator, with what lies there?  Its slot begins
 * with the address of the frame that entered the recorder, or 0. */
static bool is_being_changed(const struct finding *g, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < g->r->threads.count; i++) {
		const struct heap_thread *slot = &g->r->threads.data[i];
		const struct dump_thread *t = thread_by_id(g->d, slot->thread);
		uint64_t busy = 0;
		if (slot->state == 0 || slot->own == 0 || t == NULL ||
		    (t == g->d->threads && is_fatal(g->d->signal)))
			continue;
		if (memory_word(g->d, slot->own, &busy) && busy != 0 &&
		    holds(g, t, busy, start, end))
			return true;
	}
	return false;
}

/* From the block in front of the place to the block behind it. */
static bool is_unsettled(const struct finding *g, const struct damage *f)
{
	const struct heap_found *live = g->b->live.data;
	const size_t count = g->b->live.count;
	if (f->kind != DAMAGE_CHUNK && f->kind != DAMAGE_HEADER)
		return false;
	const size_t next = upper_bound(live, count, sizeof *live, f->addr);
	const uint64_t start = f->block != SIZE_MAX ? heap_found_start(&live[f->block]) : f->addr;
	const uint64_t end = next < count && live[next].addr - f->addr < NEAR ? live[next].addr
									      : f->addr + NEAR;
	return is_being_changed(g, start - 2 * memory_word_size(g->d), end);
}

/* Threads may have been stopped between two writes to a header or to the allocator's own words. */
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

/* ---- freed blocks ---------------------------------------------------------------------------- */

static const struct dump_thread *first_thread(const struct finding *g)
{
	return g->d->thread_count > 0 ? &g->d->threads[0] : NULL;
}

/* The freed block that begins at an address, for the program, the recorder or the allocator. */
static size_t freed_from(const struct finding *g, uint64_t addr)
{
	const struct heap_found *freed = g->b->freed.data;
	const size_t i = lower_bound(freed, g->b->freed.count, sizeof *freed, addr);
	if (i == g->b->freed.count || heap_freed_at(g->b, freed[i].addr, false) == SIZE_MAX)
		return SIZE_MAX;
	const uint64_t off = freed[i].addr - addr, front = freed[i].front;
	const uint64_t chunk = 2 * memory_word_size(g->d);
	return off == 0 || off == front || off == front + chunk ? i : SIZE_MAX;
}

/* Who frees a block for the second time holds its address. */
static size_t freed_on_stack(const struct finding *g)
{
	const struct dump_thread *t = first_thread(g);
	const unsigned word = memory_word_size(g->d);
	uint64_t v;
	if (t == NULL || g->d->signal != SIGABRT)
		return SIZE_MAX;
	for (uint64_t off = 0; off < STACK_MOST; off += word) {
		if (!memory_word(g->d, (t->sp & ~(uint64_t)(word - 1)) + off, &v))
			return SIZE_MAX;
		const size_t i = freed_from(g, v);
		if (i != SIZE_MAX)
			return i;
	}
	return SIZE_MAX;
}

static struct damage *double_free(const struct finding *g, uint64_t addr)
{
	const struct heap_found *freed = g->b->freed.data;
	for (size_t i = 0; i < g->to->list.count; i++)
		if (g->to->list.data[i].kind == DAMAGE_DOUBLE_FREE &&
		    g->to->list.data[i].addr == addr)
			return &g->to->list.data[i];
	struct damage *found = add(g, DAMAGE_DOUBLE_FREE, addr);
	const size_t i = lower_bound(freed, g->b->freed.count, sizeof *freed, addr);
	found->freed = i < g->b->freed.count && freed[i].addr == addr ? i : SIZE_MAX;
	return found;
}

/* Those that the recorder noted, by block; the caller that it saw last. */
static bool double_frees(const struct finding *g)
{
	bool any = false;
	for (size_t i = 0; i < g->r->gone.count; i++) {
		const struct heap_gone *e = &g->r->gone.data[i];
		if (e->again == 0)
			continue;
		struct damage *found = double_free(g, e->addr);
		found->count++;
		found->again_by = e->by != 0 ? calls_add(g->c, &e->by, 1) : 0;
		any = true;
	}
	return any;
}

static void counted(const struct finding *g)
{
	const struct heap_process *p = &g->r->process;
	if (!double_frees(g) && p->double_frees != 0) {
		const size_t freed = freed_on_stack(g);
		struct damage *found = add(g, DAMAGE_DOUBLE_FREE,
					   freed != SIZE_MAX ? g->b->freed.data[freed].addr : 0);
		found->count = p->double_frees;
		found->freed = freed;
	}
	if (p->damaged != 0)
		add(g, DAMAGE_CANARY_FREED, 0)->count = p->damaged;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static bool near_heap(const struct finding *g, uint64_t addr)
{
	for (size_t i = 0; i < g->l->spans.count; i++) {
		const struct heap_span *s = &g->l->spans.data[i];
		const uint64_t start = s->addr > NEAR ? s->addr - NEAR : 0;
		if (addr >= start && addr - start < add_sat(s->size, 2 * NEAR))
			return true;
	}
	return false;
}

static void beside_block(const struct finding *g, uint64_t addr)
{
	const struct heap_found *live = g->b->live.data;
	const size_t next = upper_bound(live, g->b->live.count, sizeof *live, addr);
	const uint64_t end = next > 0 ? live[next - 1].addr + live[next - 1].size : 0;
	const uint64_t behind = next == 0 ? UINT64_MAX : addr > end ? addr - end : 0;
	const uint64_t before = next < g->b->live.count ? live[next].addr - addr : UINT64_MAX;
	if (min_u64(behind, before) > INT64_MAX)
		return;
	struct damage *found = add(g, DAMAGE_FAULT, addr);
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
	/* Who reads the header of a block whose memory is gone is free or realloc. */
	const struct heap_found *f = &g->b->freed.data[freed];
	if (addr < f->addr && dump_region(g->d, addr) == NULL)
		double_free(g, f->addr)->count++;
	else
		add(g, DAMAGE_FREED_USE, addr)->freed = freed;
}

/* Only of a thread that went wrong: else pointers to freed blocks are everyday things. */
static void registers(const struct finding *g)
{
	const struct dump_thread *t = first_thread(g);
	const int signal = g->d->signal;
	if (t == NULL || (signal != SIGSEGV && signal != SIGBUS))
		return;
	for (size_t i = 0; i < t->reg_count; i++) {
		const size_t freed = heap_freed_at(g->b, t->regs[i], false);
		bool known = freed == SIZE_MAX;
		for (size_t j = 0; j < g->to->list.count; j++)
			known = known || g->to->list.data[j].freed == freed;
		if (!known)
			add(g, DAMAGE_FREED_POINTER, t->regs[i])->freed = freed;
	}
}

void heap_damage_find(struct damages *ret, const struct dump *d, const struct records *r,
		      struct calls *c, const struct blocks_found *b, const struct heap_layout *l)
{
	const struct finding g = { ret, d, r, c, b, l };
	*ret = (struct damages){ 0 };
	for (size_t i = 0; i < b->live.count; i++)
		if (b->live.data[i].canary_damaged)
			canary(&g, i);
	breaks(&g);
	headers(&g);
	leave_out_unsettled(&g);
	counted(&g);
	fault(&g);
	registers(&g);
	sort_by_key(ret->list.data, ret->list.count, sizeof *ret->list.data);
}

void heap_damage_release(struct damages *damages)
{
	vec_release(&damages->list);
}
