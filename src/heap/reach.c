/* Finds the blocks that pointers can reach: scans registers, stacks and data (the roots), then the
 * reached blocks. Divides the other blocks into lost and indirectly lost. */
#include "heap/reach.h"

#include "base/sort.h"
#include "heap/memory.h"

enum {
	RED_ZONE = 128, /* Bytes below sp that may be in use (x86-64 psABI 3.2.2). */
	POINTED = 4,    /* Bit: another lost block points to this block */
	WAITS = 8,      /* Bit: the block must be scanned, but the list was full */
	STATES = 7,
	TODO_MOST = 1 << 16,
	NEAR = 32, /* Greatest number of words in the ring. Their blocks' headers are fetched
		    * from memory in parallel */
};

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

enum mode {
	FROM_ROOTS, /* Marks each block to which a scanned word points as reached */
	FROM_LOST,  /* Sets POINTED in each lost block to which a lost block points */
	FLOOD,      /* Marks each block to which a scanned word points, if it is POINTED, as
		     * indirectly lost */
};

/* A scanned word that may point into the block at `at`. In mode FROM_LOST, `from` is the block that
 * contains the word */
struct reach_visit {
	uint64_t addr;
	struct block_at at;
	size_t from;
};

struct reaching {
	const struct dump *d;
	const struct blocks_found *b;
	uint8_t *state; /* Half a byte per block: enum reach or POINTED, and WAITS */
	/* Blocks to scan. If the list is full, blocks get the bit WAITS instead. */
	struct block_at *todo;
	size_t todo_count;
	/* Ring of words that point to blocks. A word is handled when the header of its block has
	 * been prefetched. Otherwise the scan would mostly wait for memory. */
	struct reach_visit near[NEAR];
	size_t near_first, near_count;
	size_t waiting; /* First block that may have the bit WAITS. SIZE_MAX if none */
	size_t piece;   /* Piece of the block map in which the last block was found */
	const struct region *region;
	uint64_t low, high; /* Range of the addresses of all blocks. */
	enum mode mode;
	size_t from; /* In mode FROM_LOST: the block that is being scanned */
	bool native; /* True if words have the host's size and byte order */
};

static void set_state(struct reaching *x, size_t i, unsigned state)
{
	ASSERT(i < x->b->live.count);
	uint8_t *both = &x->state[i / 2];
	const unsigned shift = 4 * (i % 2);
	*both = (uint8_t)((*both & ~(15U << shift)) | state << shift);
}

static unsigned state_of(const struct reaching *x, size_t i)
{
	return x->state[i / 2] >> 4 * (i % 2) & 15;
}

static void add_todo(struct reaching *x, size_t i, struct block_at at, unsigned state)
{
	const bool full = x->todo_count == TODO_MOST;
	set_state(x, i, full ? state | WAITS : state);
	if (full)
		x->waiting = i < x->waiting ? i : x->waiting;
	else
		x->todo[x->todo_count++] = at;
}

static void header_fetch(const struct reaching *x, struct block_at at)
{
	enum { LINE = 64 };
	const struct region *g = x->b->live.pieces.data[at.piece].region;
	const uint64_t off = block_map_addr(&x->b->live, at) - g->addr;
	if (off >= g->bytes.size)
		return;
	__builtin_prefetch(g->bytes.p + off);
	__builtin_prefetch(g->bytes.p + min_u64(off + LINE, g->bytes.size - 1));
}

/* Handles a word of the ring: updates the state of the block if the word points into it. */
static void visit_settle(struct reaching *x, const struct reach_visit *v)
{
	struct heap_found f;
	heap_live_at(x->b, v->at, &f);
	const bool inside = v->addr - f.addr < f.size || v->addr == f.addr;
	/* In glibc, the next chunk starts at the block's last word. Lists of freed chunks and the
	 * arena's `top` hold that address without using the block. If the arenas are known, these
	 * words are no roots. Otherwise all words with that address are ignored. */
	const unsigned word = memory_word_size(x->d);
	const uint64_t raw = heap_found_raw(&f), used = heap_found_end(&f) - raw;
	if (!inside || (x->b->arenas.count == 0 && v->addr != f.addr &&
			v->addr == raw - 2 * word + align_up(used + word, 2 * word)))
		return;
	const size_t i = block_map_number(&x->b->live, v->at);
	const unsigned whole = state_of(x, i), state = whole & STATES;
	if (x->mode == FROM_ROOTS) {
		const unsigned now = v->addr == f.addr ? REACH_YES : REACH_INSIDE;
		if (state == REACH_LOST)
			add_todo(x, i, v->at, now);
		else if (now > state)
			set_state(x, i, now | (whole & WAITS));
	} else if (x->mode == FROM_LOST) {
		if (state == REACH_LOST && i != v->from)
			set_state(x, i, POINTED);
	} else if (state == POINTED) {
		add_todo(x, i, v->at, REACH_INDIRECT);
	}
}

/* Handles the oldest word of the ring. */
static void visit_next(struct reaching *x)
{
	const struct reach_visit v = x->near[x->near_first];
	x->near_first = (x->near_first + 1) % NEAR;
	x->near_count--;
	visit_settle(x, &v);
}

/* Puts a word into the ring. Handles the oldest word if the ring is full. At the end, the caller
 * handles the words that remain in the ring. */
static void visit(struct reaching *x, uint64_t addr)
{
	struct reach_visit v = { .addr = addr, .from = x->from };
	const uint64_t header = UINT64_C(1) << x->b->live.shift; /* Distance from a header to its
								  * block */
	if (addr < header || !block_map_last(&x->b->live, addr - header, &x->piece, &v.at))
		return;
	if (x->near_count == NEAR)
		visit_next(x);
	header_fetch(x, v.at);
	ASSERT(x->near_count < NEAR);
	x->near[(x->near_first + x->near_count++) % NEAR] = v;
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

/* Like dump_at(), but looks first into the region of the last call. */
static struct bytes bytes_at(struct reaching *x, uint64_t addr, uint64_t size)
{
	const struct region *g = x->region;
	if (g == NULL || addr - g->addr >= g->bytes.size)
		g = x->region = dump_region(x->d, addr);
	if (g == NULL || addr - g->addr >= g->bytes.size)
		return (struct bytes){ NULL, 0 };
	const uint64_t skip = addr - g->addr;
	return bytes_sub(g->bytes, skip, min_u64(size, g->bytes.size - skip));
}

static void scan_memory(struct reaching *x, uint64_t addr, uint64_t end)
{
	addr = align_up(addr, memory_word_size(x->d));
	while (addr < end) {
		const struct bytes b = bytes_at(x, addr, end - addr);
		if (b.size == 0)
			return;
		scan_bytes(x, b);
		addr += b.size;
	}
}

static void scan_block(struct reaching *x, struct block_at at)
{
	struct heap_found f;
	heap_live_at(x->b, at, &f);
	scan_memory(x, f.addr, f.addr + f.size);
}

static void scan_listed(struct reaching *x)
{
	while (x->todo_count > 0 || x->near_count > 0) {
		if (x->todo_count > 0)
			scan_block(x, x->todo[--x->todo_count]);
		else
			visit_next(x);
	}
}

static void scan_waiting(struct reaching *x)
{
	struct heap_walk w = heap_walk_from(x->b, x->waiting);
	x->waiting = SIZE_MAX;
	while (heap_walk_next(&w)) {
		const unsigned state = state_of(x, w.index);
		if ((state & WAITS) == 0)
			continue;
		set_state(x, w.index, state & STATES);
		scan_block(x, w.at.at);
		scan_listed(x);
	}
}

static void scan_todo(struct reaching *x)
{
	scan_listed(x);
	while (x->waiting != SIZE_MAX)
		scan_waiting(x);
}

/* Memory that is not scanned as a root. */
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

/* For a thread that ends the process: returns the stack address above which the program's values
 * are. Below it are leftovers of finished functions. 0 for other threads. */
static uint64_t ended_at(const struct dump_thread *t, const struct records *r)
{
	vec_each(const struct heap_thread, slot, &r->threads) {
		if (slot->ended_at != 0 && slot->thread == t->id && t->sp < slot->ended_at &&
		    slot->ended_at < t->stack_end)
			return slot->ended_at;
	}
	return 0;
}

/* Excludes the memory below the stack pointers from the scan. Several stacks may share a region. */
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
	vec_sort(&stacks);
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
	ASSERT(vec_sorted(&stacks));
	vec_release(&stacks);
}

/* Scans a region except the holes in it. *from is the first hole that may end in the region. */
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

/* A thread in glibc's malloc_consolidate works on this chunk and those linked after it: their list
 * is no longer in the fast bin. Marks them as reached. Since 2.32, links are stored ^ (their
 * address / 4096), so a scan does not recognize them as pointers. */
static void scan_list_at_hand(struct reaching *x, uint64_t chunk)
{
	enum { LIST_MOST = 1 << 16 };
	const unsigned word = memory_word_size(x->d);
	for (unsigned n = 0; n < LIST_MOST && block_map_has(&x->b->live, chunk); n++) {
		const uint64_t user = chunk + 2 * word;
		uint64_t link;
		visit(x, user);
		if (!memory_word(x->d, user, &link))
			return;
		chunk = link ^ user >> 12;
	}
}

/* Marks chunks as reached whose addresses are in a register, or near the inner end of the stack. */
static void scan_chunks_at_hand(struct reaching *x, const struct dump_thread *t)
{
	enum { FRAMES = 1024 };
	const unsigned word = memory_word_size(x->d);
	const uint64_t sp = align_up(t->sp, word);
	uint64_t v;
	for (size_t i = 0; i < t->reg_count; i++)
		scan_list_at_hand(x, t->regs[i]);
	for (uint64_t at = sp; at - sp < FRAMES && memory_word(x->d, at, &v); at += word)
		scan_list_at_hand(x, v);
}

/* Scans the registers of all threads. Skips a thread that ends the process: all values of its
 * functions are on its stack. */
static void scan_registers(struct reaching *x, const struct records *r)
{
	for (size_t i = 0; i < x->d->thread_count; i++) {
		const struct dump_thread *t = &x->d->threads[i];
		for (size_t j = 0; ended_at(t, r) == 0 && j < t->reg_count; j++)
			visit(x, t->regs[j]);
		if (x->b->chunks)
			scan_chunks_at_hand(x, t);
	}
}

/* Scans a part of the heap for pointers. The part is no recorded block, but may be in use. */
static void scan_part(void *ctx, const struct heap_part *p, const struct heap_found *block)
{
	(void)block;
	scan_memory(ctx, p->addr, p->addr + p->size);
}

static void scan_roots(struct reaching *x, const struct records *r, const struct heap_layout *l)
{
	const struct dump *d = x->d;
	struct holes holes = { 0 };
	for (size_t i = 0; i < l->spans.count; i++)
		add_hole(&holes, l->spans.data[i].addr, l->spans.data[i].size);
	for (size_t i = 0; i < x->b->arenas.count; i++)
		add_hole(&holes, x->b->arenas.data[i].addr, x->b->arenas.data[i].size);
	/* The recorder's memory is no root: it contains addresses of all blocks. */
	for (size_t i = 0; i < r->places.count; i++)
		add_hole(&holes, r->places.data[i].addr, r->places.data[i].size);
	for (size_t i = 0; i < r->threads.count; i++)
		if (r->threads.data[i].own != 0)
			add_hole(&holes, r->threads.data[i].own, r->threads.data[i].own_size);
	stack_holes(&holes, d, r);
	vec_sort(&holes);
	for (size_t i = 0, from = 0; i < d->region_count; i++) {
		/* Memory of PT_GNU_RELRO is a root too, although it is read-only: the module wrote
		 * it at start. */
		const struct region *g = &d->regions[i];
		if (region_is_data(g) || (g->read && !g->exec))
			scan_around(x, g, &holes, &from);
	}
	vec_release(&holes);
	scan_registers(x, r);
	heap_loose_each(l, scan_part, x);
}

/* Marks each block in state `state` as lost, and scans it and all blocks that it reaches. */
static void reach_scan_all(struct reaching *x, unsigned state)
{
	for (struct heap_walk w = heap_walk_from(x->b, 0); heap_walk_next(&w);) {
		if (state_of(x, w.index) != state)
			continue;
		set_state(x, w.index, REACH_LOST);
		x->from = w.index;
		scan_block(x, w.at.at);
		scan_todo(x);
	}
}

/* A lost block stays lost if no other lost block points to it. Blocks that lost blocks reach become
 * indirectly lost. */
static void sort_out_lost(struct reaching *x)
{
	x->mode = FROM_LOST;
	for (struct heap_walk w = heap_walk_from(x->b, 0); heap_walk_next(&w);) {
		const unsigned state = state_of(x, w.index);
		x->from = w.index;
		if (state == REACH_LOST || state == POINTED)
			scan_block(x, w.at.at);
	}
	while (x->near_count > 0)
		visit_next(x);
	x->mode = FLOOD;
	reach_scan_all(x, REACH_LOST);
	reach_scan_all(x, POINTED); /* Blocks that only point to each other */
}

bool heap_reach(uint8_t **ret, const char **ret_why, const struct dump *d, const struct records *r,
		const struct blocks_found *b, const struct heap_layout *l)
{
	const char *why = b->doubt != NULL ? b->doubt : d->lacks;
	if (why == NULL && d->thread_count == 0)
		why = "the dump has no threads";
	if (why != NULL) {
		*ret_why = why;
		return false;
	}
	struct reaching x = { .d = d, .b = b, .waiting = SIZE_MAX };
	x.native = memory_word_size(d) == 8 && d->big_endian == HOST_IS_BIG;
	x.state = mem_zeroed(b->live.count / 2 + 1, 1);
	x.todo = mem_alloc(TODO_MOST * sizeof *x.todo);
	if (b->live.count > 0) {
		const struct heap_found last = heap_live(b, b->live.count - 1);
		x.low = heap_live(b, 0).addr;
		x.high = last.addr + last.size;
		scan_roots(&x, r, l);
		scan_todo(&x);
		sort_out_lost(&x);
	}
	ASSERT(x.todo_count == 0 && x.near_count == 0);
	mem_free(x.todo);
	*ret = x.state;
	return true;
}
