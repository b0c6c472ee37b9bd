#include "heap/reach.h"

#include "base/sort.h"
#include "heap/memory.h"

#include <stdlib.h>

enum {
	RED_ZONE = 128,  /* bytes below sp in use (x86-64 psABI 3.2.2) */
	LEAST_SHIFT = 6, /* of the size of a bucket */
	POINTED = 4,     /* beside enum reach: a lost block points to this lost one */
};

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The blocks of a span, found by address: first[n] is the first that begins in bucket n or behind
 * it. */
struct shelf {
	uint64_t addr, size;
	uint32_t *first;
	unsigned shift;
};

enum mode {
	FROM_ROOTS, /* what is pointed at is reached */
	FROM_LOST,  /* ... is marked */
	FLOOD,      /* what is marked is indirectly lost */
};

struct reaching {
	const struct dump *d;
	const struct blocks_found *b;
	uint8_t *state;
	VEC(uint32_t) todo;
	struct shelf *shelves;
	size_t shelf_count, shelf; /* the last that was hit */
	uint64_t low, high;        /* of all blocks */
	uint32_t *firsts;          /* of all shelves */
	enum mode mode;
	uint32_t from; /* FROM_LOST: the block that is scanned */
	bool native;   /* words are the host's */
};

/* ---- blocks by address ----------------------------------------------------------------------- */

static size_t first_in(const struct reaching *x, uint64_t addr)
{
	return lower_bound(x->b->live.data, x->b->live.count, sizeof *x->b->live.data, addr);
}

/* About one bucket a block. */
static void fill_shelf(struct reaching *x, struct shelf *s, uint32_t **firsts)
{
	size_t block = first_in(x, s->addr);
	const size_t end = first_in(x, s->addr + s->size), count = end - block;
	s->shift = LEAST_SHIFT;
	while (s->size >> s->shift > count && s->shift < 63)
		s->shift++;
	s->first = *firsts;
	const size_t buckets = (size_t)(s->size >> s->shift) + 1;
	for (size_t i = 0; i < buckets; i++) {
		while (block < end && (x->b->live.data[block].addr - s->addr) >> s->shift < i)
			block++;
		s->first[i] = (uint32_t)block;
	}
	s->first[buckets] = (uint32_t)end;
	*firsts += buckets + 1;
}

static void fill_shelves(struct reaching *x, const struct heap_layout *l)
{
	const struct heap_found *live = x->b->live.data;
	const size_t count = x->b->live.count;
	x->shelf_count = l->spans.count;
	x->shelves = mem_zeroed(l->spans.count + 1, sizeof *x->shelves);
	/* Buckets, one more for the rest of a span and one for its end; spans of 2^63 have two. */
	x->firsts = mem_zeroed(count + 3 * l->spans.count + 1, sizeof *x->firsts);
	uint32_t *firsts = x->firsts;
	for (size_t i = 0; i < l->spans.count; i++) {
		x->shelves[i] = (struct shelf){ l->spans.data[i].addr, l->spans.data[i].size, NULL,
						0 };
		fill_shelf(x, &x->shelves[i], &firsts);
	}
	if (count > 0) {
		x->low = live[0].addr;
		x->high = live[count - 1].addr + live[count - 1].size;
	}
}

static const struct shelf *find_shelf(struct reaching *x, uint64_t addr)
{
	const struct shelf *s = &x->shelves[x->shelf];
	if (addr - s->addr < s->size)
		return s;
	const size_t i = upper_bound(x->shelves, x->shelf_count, sizeof *x->shelves, addr);
	if (i == 0 || addr - x->shelves[i - 1].addr >= x->shelves[i - 1].size)
		return NULL;
	x->shelf = i - 1;
	return &x->shelves[i - 1];
}

/* The live block that holds an address; SIZE_MAX: none. */
static size_t find_block(struct reaching *x, uint64_t addr)
{
	const struct shelf *s = find_shelf(x, addr);
	if (s == NULL)
		return SIZE_MAX;
	const struct heap_found *live = x->b->live.data;
	const uint64_t bucket = (addr - s->addr) >> s->shift;
	size_t low;
	BISECT(low, s->first[bucket], s->first[bucket + 1], mid, live[mid].addr <= addr);
	if (low == 0)
		return SIZE_MAX;
	const struct heap_found *f = &live[low - 1];
	return addr - f->addr < f->size || addr == f->addr ? low - 1 : SIZE_MAX;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Where glibc's next chunk begins, whose first word is the block's.  Lists of free chunks and the
 * arena's `top` lead there: these are the allocator's pointers and keep no block. */
static uint64_t chunk_behind(const struct heap_found *f, unsigned word)
{
	const uint64_t raw = heap_found_raw(f), used = heap_found_end(f) - raw;
	return raw - 2 * word + align_up(used + word, 2 * word);
}

static void visit(struct reaching *x, uint64_t addr)
{
	const size_t i = find_block(x, addr);
	if (i == SIZE_MAX)
		return;
	const struct heap_found *f = &x->b->live.data[i];
	if (addr != f->addr && addr == chunk_behind(f, memory_word_size(x->d)))
		return;
	uint8_t *state = &x->state[i];
	if (x->mode == FROM_ROOTS) {
		if (*state == REACH_LOST)
			vec_push(&x->todo, (uint32_t)i);
		const uint8_t now = addr == x->b->live.data[i].addr ? REACH_YES : REACH_INSIDE;
		*state = now > *state ? now : *state;
	} else if (x->mode == FROM_LOST) {
		if (*state == REACH_LOST && i != x->from)
			*state = POINTED;
	} else if (*state == POINTED) {
		*state = REACH_INDIRECT;
		vec_push(&x->todo, (uint32_t)i);
	}
}

static void scan_native(struct reaching *x, const uint8_t *p, uint64_t count)
{
	const uint64_t low = x->low, size = x->high - x->low;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t v;
		memcpy(&v, p + 8 * i, sizeof v);
		if (UNLIKELY(v - low <= size))
			visit(x, v);
	}
}

static void scan_bytes(struct reaching *x, struct bytes b)
{
	const unsigned word = memory_word_size(x->d);
	if (x->native) {
		scan_native(x, b.p, b.size / 8);
		return;
	}
	struct reader r = reader_of(b, x->d->big_endian);
	while (reader_left(&r) >= word) {
		const uint64_t v = read_wide(&r, word);
		if (v - x->low <= x->high - x->low)
			visit(x, v);
	}
}

static void scan_memory(struct reaching *x, uint64_t addr, uint64_t end)
{
	addr = align_up(addr, memory_word_size(x->d));
	while (addr < end) {
		const struct bytes b = dump_at(x->d, addr, end - addr);
		if (b.size == 0)
			return;
		scan_bytes(x, b);
		addr += b.size;
	}
}

static void scan_block(struct reaching *x, uint32_t i)
{
	const struct heap_found *f = &x->b->live.data[i];
	x->from = i;
	scan_memory(x, f->addr, f->addr + f->size);
}

static void scan_todo(struct reaching *x)
{
	while (x->todo.count > 0)
		scan_block(x, x->todo.data[--x->todo.count]);
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* Memory that is no root of itself. */
struct hole {
	uint64_t addr, end;
};

struct holes {
	struct hole *data;
	size_t count, cap;
};

static void add_hole(struct holes *h, uint64_t addr, uint64_t size)
{
	vec_push(h, (struct hole){ addr, add_sat(addr, size) });
}

/* Where the stack of a thread that ends the process begins to be the program's; 0: it does not.
 * Below are words that its functions left there, between what the C library does last. */
static uint64_t ended_at(const struct dump_thread *t, const struct records *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct heap_thread *slot = &r->threads.data[i];
		if (slot->ended_at != 0 && slot->thread == t->id && t->sp < slot->ended_at &&
		    slot->ended_at < t->stack_end)
			return slot->ended_at;
	}
	return 0;
}

/* What lies below the stack pointers; several stacks may share a region. */
static void stack_holes(struct holes *h, const struct dump *d, const struct records *r)
{
	struct holes stacks = { 0 };
	for (size_t i = 0; i < d->thread_count; i++) {
		const struct dump_thread *t = &d->threads[i];
		const uint64_t ended = ended_at(t, r);
		if (ended != 0)
			add_hole(h, t->sp, ended - t->sp);
		if (t->stack_start < t->stack_end && t->sp >= t->stack_start)
			vec_push(&stacks, (struct hole){ t->stack_start, t->sp });
	}
	sort_by_key(stacks.data, stacks.count, sizeof *stacks.data);
	for (size_t i = 0, next; i < stacks.count; i = next) {
		uint64_t sp = stacks.data[i].end;
		for (next = i + 1; next < stacks.count; next++) {
			if (stacks.data[next].addr != stacks.data[i].addr)
				break;
			sp = min_u64(sp, stacks.data[next].end);
		}
		if (sp - stacks.data[i].addr > RED_ZONE)
			add_hole(h, stacks.data[i].addr, sp - stacks.data[i].addr - RED_ZONE);
	}
	vec_release(&stacks);
}

/* Memory of the recorder that is in no page: it keeps addresses of the program's. */
static void recorder_holes(struct holes *h, const struct records *r)
{
	for (size_t i = 0; i < r->places.count; i++)
		add_hole(h, r->places.data[i].addr, r->places.data[i].size);
	for (size_t i = 0; i < r->threads.count; i++)
		if (r->threads.data[i].own != 0)
			add_hole(h, r->threads.data[i].own, r->threads.data[i].own_size);
}

/* *from: holes before it end below the region. */
static void scan_around(struct reaching *x, const struct region *g, const struct holes *h,
			size_t *from)
{
	uint64_t at = g->addr;
	const uint64_t end = g->addr + g->bytes.size;
	while (*from < h->count && h->data[*from].end <= at)
		++*from;
	for (size_t i = *from; i < h->count && at < end; i++) {
		const struct hole *hole = &h->data[i];
		if (hole->end <= at)
			continue;
		if (hole->addr >= end)
			break;
		if (hole->addr > at)
			scan_memory(x, at, hole->addr);
		at = hole->end;
	}
	if (at < end)
		scan_memory(x, at, end);
}

/* A thread that ends the process keeps what its functions need in its stack. */
static void scan_registers(struct reaching *x, const struct records *r)
{
	for (size_t i = 0; i < x->d->thread_count; i++) {
		const struct dump_thread *t = &x->d->threads[i];
		for (size_t j = 0; ended_at(t, r) == 0 && j < t->reg_count; j++)
			visit(x, t->regs[j]);
	}
}

/* What is in use, or may be, is a root. */
static void scan_part(void *ctx, const struct heap_part *p, const struct heap_found *block)
{
	(void)block;
	if (p->kind == HEAP_PART_UNRECORDED || p->kind == HEAP_PART_OTHER)
		scan_memory(ctx, p->addr, p->addr + p->size);
}

static void scan_roots(struct reaching *x, const struct records *r, const struct heap_layout *l)
{
	const struct dump *d = x->d;
	struct holes holes = { 0 };
	for (size_t i = 0; i < l->spans.count; i++)
		add_hole(&holes, l->spans.data[i].addr, l->spans.data[i].size);
	recorder_holes(&holes, r);
	stack_holes(&holes, d, r);
	sort_by_key(holes.data, holes.count, sizeof *holes.data);
	for (size_t i = 0, from = 0; i < d->region_count; i++)
		if (region_is_data(&d->regions[i]))
			scan_around(x, &d->regions[i], &holes, &from);
	vec_release(&holes);
	scan_registers(x, r);
	if (l->bytes[HEAP_PART_UNRECORDED] != 0 || l->bytes[HEAP_PART_OTHER] != 0)
		heap_parts_each(l, scan_part, x);
}

/* ---- who is lost ----------------------------------------------------------------------------- */

/* Blocks that no lost block points to are lost of themselves, what hangs on them is indirectly. */
static void sort_out_lost(struct reaching *x)
{
	const size_t count = x->b->live.count;
	x->mode = FROM_LOST;
	for (size_t i = 0; i < count; i++)
		if (x->state[i] == REACH_LOST || x->state[i] == POINTED)
			scan_block(x, (uint32_t)i);
	x->mode = FLOOD;
	for (size_t i = 0; i < count; i++)
		if (x->state[i] == REACH_LOST) {
			scan_block(x, (uint32_t)i);
			scan_todo(x);
		}
	for (size_t i = 0; i < count; i++)
		if (x->state[i] == POINTED) { /* a ring */
			x->state[i] = REACH_LOST;
			scan_block(x, (uint32_t)i);
			scan_todo(x);
		}
}

/* Pages of mapped files that are in no dump were never written to. */
static bool is_missing(const struct region *g)
{
	return g->write && g->bytes.size < g->size && (g->file == 0 || g->bytes.size != 0);
}

static const char *why_not(const struct dump *d)
{
	if (d->thread_count == 0)
		return "the dump has no threads";
	for (size_t i = 0; i < d->region_count && !d->compact; i++)
		if (is_missing(&d->regions[i]))
			return "memory that the program wrote is missing";
	return NULL;
}

bool heap_reach(uint8_t **ret, const char **ret_why, const struct dump *d, const struct records *r,
		const struct blocks_found *b, const struct heap_layout *l)
{
	const char *why = why_not(d);
	if (why != NULL) {
		*ret_why = why;
		return false;
	}
	struct reaching x = { .d = d, .b = b };
	x.native = memory_word_size(d) == 8 && d->big_endian == HOST_IS_BIG;
	x.state = mem_zeroed(b->live.count + 1, 1);
	fill_shelves(&x, l);
	if (b->live.count > 0) {
		scan_roots(&x, r, l);
		scan_todo(&x);
		sort_out_lost(&x);
	}
	vec_release(&x.todo);
	mem_free(x.shelves);
	mem_free(x.firsts);
	*ret = x.state;
	return true;
}
