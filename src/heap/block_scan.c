#include "heap/block_scan.h"

#include "base/pool.h"
#include "base/sort.h"
#include "heap/inline_stack.h"
#include "heap/memory.h"

#include <stdlib.h>

enum {
	PIECE = 1 << 20,      /* bytes that one thread looks at in a row */
	PIECES_A_THREAD = 16, /* before what they found is put in order */
	SHIFT_MOST = 46,
};

struct piece {
	const struct region *region;
	uint64_t off;      /* of the first possible header in the region; its address is aligned */
	uint64_t count;    /* possible headers */
	uint64_t room_end; /* end of what is mapped without a hole from the region on */
};

struct found_list {
	struct heap_found *data;
	size_t count, cap;
};

struct scan {
	const struct dump *d;
	struct calls *c;
	struct notes *notes;
	VEC(struct piece) pieces;
	struct found_list *found; /* one a piece of the batch; `stack` is the recorder's id */
	size_t batch;             /* first piece of it */
	uint64_t live_end;        /* of the last live block */
	uint16_t mask, magic;     /* two bytes with the top of the mark, as the host reads them */
};

/* ---- one header ------------------------------------------------------------------------------ */

/* Distance from the inline stack to the block; 0: it is not there.  Of blocks with an alignment it
 * may be far away. */
static uint32_t inline_distance(uint32_t link, uint32_t front, uint64_t room)
{
	return link % 8 == 0 && link <= room && link >= front + sizeof(struct heap_inline) ? link
											   : 0;
}

static void check_end(const struct scan *s, const struct region *g, struct heap_found *f)
{
	const uint64_t size = heap_found_end(f) - f->addr;
	const uint64_t off = f->addr - g->addr;
	f->cut = (off > g->bytes.size || size > g->bytes.size - off) &&
		 !memory_present(s->d, f->addr, size);
	if ((f->flags & HEAP_CANARY) == 0 || f->cut)
		return;
	uint8_t canary[HEAP_CANARY_SIZE];
	memory_copy(s->d, f->addr + f->size, canary, sizeof canary);
	f->canary_damaged = load_u64(canary, s->d->big_endian) != heap_canary(f->addr);
}

/* Whose header stands at an address: the block's behind it, or what is left of a freed one in its
 * own bytes.  0: nobody's. */
static uint64_t whose_header(uint64_t at, uint64_t link, uint64_t mark,
			     const struct heap_wide *wide)
{
	const uint64_t p = at + HEAP_HEADER_SIZE;
	const uint64_t own = at - heap_rest_distance(mark & HEAP_SIZE_MASK);
	if (heap_check(p, mark, (uint32_t)link, wide->sequence ^ wide->owner) == link >> 32)
		return p;
	const bool freed = (mark >> HEAP_FLAG_SHIFT & HEAP_FREED) != 0;
	return freed && heap_check(own, mark, (uint32_t)link, 0) == link >> 32 ? own : 0;
}

/* The return address behind what is left of a freed block. */
static uint64_t freed_from(struct reader *r, uint64_t off)
{
	reader_seek(r, off + HEAP_HEADER_SIZE);
	const uint64_t by = read_u64(r);
	return reader_ok(r) ? by : 0;
}

/* The header at `off` of the region.  Of a freed block `sequence` is the address that freed it. */
static bool verify(const struct scan *s, const struct piece *piece, uint64_t off,
		   struct heap_found *ret)
{
	const struct region *g = piece->region;
	struct reader r = reader_of(g->bytes, s->d->big_endian);
	struct heap_wide wide = { 0 };
	reader_seek(&r, off);
	const uint64_t link = read_u64(&r), mark = read_u64(&r);
	struct heap_found f = { .size = mark & HEAP_SIZE_MASK, .stack = (uint32_t)link };
	f.flags = (uint8_t)(mark >> HEAP_FLAG_SHIFT & 15);
	uint32_t front = (f.flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	if (front == HEAP_WIDE_SIZE && (f.flags & HEAP_FREED) == 0) {
		reader_seek(&r, off >= HEAP_HEADER_SIZE ? off - HEAP_HEADER_SIZE : r.size + 1);
		wide.sequence = read_u64(&r);
		wide.owner = read_u64(&r);
	}
	f.addr = reader_ok(&r) ? whose_header(g->addr + off, link, mark, &wide) : 0;
	if (f.addr == 0)
		return false;
	const uint64_t tail = (f.flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
	if (f.addr - g->addr >= g->size || f.size + tail > piece->room_end - f.addr)
		return false;
	if ((f.flags & HEAP_FREED) == 0)
		f.sequence = wide.sequence;
	else
		f.sequence = f.addr <= g->addr + off ? freed_from(&r, off) : 0;
	f.thread = (uint32_t)(wide.owner >> 32);
	f.shift = (uint8_t)wide.owner <= SHIFT_MOST ? (uint8_t)wide.owner : 0;
	if ((f.flags & HEAP_INLINE) != 0) {
		f.stack = inline_distance(f.stack, front, f.addr - g->addr);
		front = f.stack != 0 ? f.stack : front;
	}
	if (f.addr - g->addr < front)
		return false;
	f.front = front;
	if (f.shift != 0 && (f.addr >> f.shift == 0 || (UINT64_C(1) << f.shift) < front))
		f.shift = 0;
	if ((f.flags & HEAP_FREED) == 0)
		check_end(s, g, &f);
	*ret = f;
	return true;
}

/* ---- many headers ---------------------------------------------------------------------------- */

/* The next of `count` places, from i on, with the magic: 12 bits of every 16 bytes. */
static uint64_t next_magic(const struct scan *s, const uint8_t *p, uint64_t i, uint64_t count)
{
	const uint16_t mask = s->mask, magic = s->magic;
	for (; i < count; i++) {
		uint16_t v;
		memcpy(&v, p + i * HEAP_ALIGN, sizeof v);
		if ((v & mask) == magic)
			break;
	}
	return i;
}

static void scan_piece(void *ctx, size_t index, unsigned worker)
{
	const struct scan *s = ctx;
	const struct piece *piece = &s->pieces.data[s->batch + index];
	struct found_list *list = &s->found[index];
	const uint8_t *top = piece->region->bytes.p + piece->off + (s->d->big_endian ? 8 : 14);
	(void)worker;
	for (uint64_t i = 0; (i = next_magic(s, top, i, piece->count)) < piece->count; i++) {
		struct heap_found f;
		if (verify(s, piece, piece->off + i * HEAP_ALIGN, &f))
			vec_push(list, f);
	}
}

static void set_magic(struct scan *s)
{
	const uint8_t mask[2][2] = { { 0xf0, 0xff }, { 0xff, 0xf0 } };
	const uint8_t magic[2][2] = { { 0x50, 0x9e }, { 0x9e, 0x50 } };
	memcpy(&s->mask, mask[s->d->big_endian], sizeof s->mask);
	memcpy(&s->magic, magic[s->d->big_endian], sizeof s->magic);
}

static void cut_to_pieces(struct scan *s, uint64_t *ret_bytes)
{
	const struct dump *d = s->d;
	size_t last = 0; /* of the regions that follow one another without a hole */
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		for (last = last < i ? i : last; last + 1 < d->region_count; last++)
			if (d->regions[last + 1].addr != region_end(&d->regions[last]))
				break;
		uint64_t off = (0 - g->addr) % HEAP_ALIGN;
		if (!region_is_data(g) || g->bytes.size < off)
			continue;
		*ret_bytes += g->bytes.size;
		for (uint64_t left = (g->bytes.size - off) / HEAP_ALIGN, n; left > 0; left -= n) {
			n = min_u64(left, PIECE / HEAP_ALIGN);
			vec_push(&s->pieces,
				 (struct piece){ g, off, n, region_end(&d->regions[last]) });
			off += n * HEAP_ALIGN;
		}
	}
}

/* ---- in order -------------------------------------------------------------------------------- */

static uint32_t stack_of(const struct scan *s, const struct heap_found *f)
{
	if ((f->flags & HEAP_INLINE) == 0)
		return calls_by_id(s->c, f->stack);
	const uint32_t stack = f->stack != 0 ? inline_stack(s->d, s->c, f) : CALLS_NONE;
	if (stack != CALLS_NONE)
		return stack;
	if ((f->flags & HEAP_FREED) == 0)
		note(s->notes, s->d->path, HEFT_NO_OFFSET, f->size,
		     "call stacks in front of blocks are damaged");
	return 0;
}

static void take(struct scan *s, struct blocks_found *b, struct heap_found f)
{
	const uint64_t start = heap_found_start(&f);
	/* What is inside a live block is the program's. */
	if (start < s->live_end)
		return;
	f.stack = stack_of(s, &f);
	if ((f.flags & HEAP_FREED) != 0) {
		const uint64_t by = f.sequence;
		f.freed_by = by != 0 ? calls_add(s->c, &by, 1) : 0;
		vec_push(&b->freed, f);
		return;
	}
	while (b->freed.count > 0 && b->freed.data[b->freed.count - 1].addr > start)
		b->freed.count--;
	vec_push(&b->live, f);
	s->live_end = heap_found_end(&f);
	struct call_stack *stack = &s->c->stacks.data[f.stack];
	stack->blocks++;
	stack->block_bytes = add_sat(stack->block_bytes, f.size);
}

/* ---- freed blocks ---------------------------------------------------------------------------- */

/* Of those with one address, the one that tells who freed it. */
static void settle_freed(struct blocks_found *b)
{
	struct heap_found *f = b->freed.data;
	size_t kept = 0;
	sort_by_key(f, b->freed.count, sizeof *f);
	for (size_t i = 0; i < b->freed.count; i++) {
		if (kept == 0 || f[kept - 1].addr != f[i].addr)
			f[kept++] = f[i];
		else if (f[kept - 1].freed_by == 0)
			f[kept - 1] = f[i];
	}
	b->freed.count = kept;
}

/* Does a block of a list begin in [start, end)? */
static bool begins_in(const struct heap_found *list, size_t count, uint64_t start, uint64_t end)
{
	const size_t i = lower_bound(list, count, sizeof *list, start);
	return i < count && list[i].addr < end;
}

/* Is the memory of a block gone, or still the heap's and in no live block? */
static bool is_left(const struct blocks_found *b, const struct dump *d, const struct heap_gone *g)
{
	const struct region *r = dump_region(d, g->addr);
	const uint64_t end = add_sat(g->addr, max_u64(g->size, 1));
	const size_t before = heap_block_at(b, g->addr);
	if (begins_in(b->live.data, b->live.count, g->addr, end) ||
	    (before != SIZE_MAX && heap_found_end(&b->live.data[before]) > g->addr))
		return false;
	return r == NULL || begins_in(b->live.data, b->live.count, r->addr, region_end(r)) ||
	       begins_in(b->freed.data, b->freed.count, r->addr, region_end(r));
}

/* What the recorder noted, the newest first, where nothing of it is found in memory. */
static void take_gone(struct scan *s, struct blocks_found *b, const struct records *r)
{
	VEC(struct heap_found) added = { 0 };
	for (size_t i = r->gone.count; i-- > 0;) {
		const struct heap_gone *g = &r->gone.data[i];
		const uint32_t by = g->by != 0 ? calls_add(s->c, &g->by, 1) : 0;
		if (!is_left(b, s->d, g) ||
		    begins_in(b->freed.data, b->freed.count, g->addr, g->addr + 1))
			continue;
		vec_push(&added,
			 (struct heap_found){ .addr = g->addr,
					      .size = g->size,
					      .stack = calls_by_id(s->c, g->stack),
					      .thread = g->thread,
					      .front = HEAP_HEADER_SIZE,
					      .freed_by = g->why != HEAP_GONE_AGAIN ? by : 0,
					      .flags = HEAP_FREED });
	}
	for (size_t i = 0; i < added.count; i++)
		vec_push(&b->freed, added.data[i]);
	vec_release(&added);
	settle_freed(b);
}

/* Of blocks that are too small to say who freed them, what the threads kept; 0: nobody did, or two
 * threads, of which one was before the other. */
static uint64_t small_free(const struct dump *d, const struct records *r, uint64_t addr)
{
	uint64_t found = 0;
	for (size_t i = 0; i < r->threads.count; i++) {
		const uint64_t table = r->threads.data[i].small_frees;
		const uint64_t at = table +
				    heap_small_free_index(addr) * sizeof(struct heap_small_free);
		uint64_t of, by;
		if (table == 0 || !memory_uint(d, at, 8, &of) || of != addr ||
		    !memory_uint(d, at + 8, 8, &by))
			continue;
		if (found != 0)
			return 0;
		found = by;
	}
	return found;
}

static void take_small(struct scan *s, struct blocks_found *b, const struct records *r)
{
	for (size_t i = 0; i < b->freed.count; i++) {
		struct heap_found *f = &b->freed.data[i];
		const uint64_t by = f->freed_by == 0 && f->size < HEAP_REST_PLAIN
					    ? small_free(s->d, r, f->addr)
					    : 0;
		if (by != 0)
			f->freed_by = calls_add(s->c, &by, 1);
	}
}

void heap_scan(struct blocks_found *ret, const struct dump *d, const struct records *r,
	       struct calls *c, unsigned threads, struct notes *notes)
{
	struct scan s = { .d = d, .c = c, .notes = notes };
	const size_t most = (size_t)pool_threads(threads) * PIECES_A_THREAD;
	*ret = (struct blocks_found){ 0 };
	s.found = mem_zeroed(most, sizeof *s.found);
	set_magic(&s);
	cut_to_pieces(&s, &ret->scanned);
	for (size_t n; s.batch < s.pieces.count; s.batch += n) {
		n = s.pieces.count - s.batch;
		n = n < most ? n : most;
		parallel_for(threads, n, scan_piece, &s);
		for (size_t i = 0; i < n; i++) {
			for (size_t j = 0; j < s.found[i].count; j++)
				take(&s, ret, s.found[i].data[j]);
			s.found[i].count = 0;
		}
	}
	for (size_t i = 0; i < most; i++)
		vec_release(&s.found[i]);
	mem_free(s.found);
	vec_release(&s.pieces);
	settle_freed(ret);
	take_gone(&s, ret, r);
	take_small(&s, ret, r);
	vec_fit(&ret->live);
	vec_fit(&ret->freed);
}

void heap_scan_release(struct blocks_found *b)
{
	vec_release(&b->live);
	vec_release(&b->freed);
	*b = (struct blocks_found){ 0 };
}

size_t heap_block_at(const struct blocks_found *b, uint64_t addr)
{
	const struct heap_found *live = b->live.data;
	const size_t next = upper_bound(live, b->live.count, sizeof *live, addr);
	if (next < b->live.count && addr >= heap_found_start(&live[next]))
		return next;
	return next > 0 ? next - 1 : SIZE_MAX;
}

size_t heap_freed_at(const struct blocks_found *b, uint64_t addr, bool header)
{
	enum { OVERLAPS = 64 }; /* freed blocks that may lie over one another */
	const struct heap_found *freed = b->freed.data;
	const size_t live = heap_block_at(b, addr);
	if (live != SIZE_MAX && addr < heap_found_end(&b->live.data[live]))
		return SIZE_MAX;
	const uint64_t beyond = header ? HEAP_HEADER_SIZE : 0;
	size_t i = upper_bound(freed, b->freed.count, sizeof *freed, add_sat(addr, beyond));
	for (unsigned n = 0; i > 0 && n < OVERLAPS; n++) {
		i--;
		if (addr + beyond - freed[i].addr < max_u64(freed[i].size, 1) + beyond)
			return i;
	}
	return SIZE_MAX;
}
