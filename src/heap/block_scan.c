/* Finds live and freed blocks of a heap by their headers. Looks them up by number or address. */
#include "heap/block_scan.h"

#include "base/pool.h"
#include "base/sort.h"
#include "heap/glibc.h"
#include "heap/inline_stack.h"

enum {
	ALIGN_SHIFT = 4,      /* log2 of HEAP_ALIGN. */
	PIECES_A_THREAD = 16, /* Number of pieces (block_map.h) in a batch, per thread. A batch
			       * is scanned in parallel. Then one thread adds its blocks */
	SHIFT_MOST = 46,
};

struct block_scan {
	const struct dump *d;
	struct calls *c;
	struct notes *notes;
	struct blocks_found *to;
	size_t batch;         /* First piece of the current batch */
	uint64_t live_end;    /* End of the last live block. */
	uint64_t freed_end;   /* Highest address of a freed block. */
	uint16_t mask, magic; /* To find headers fast: the bits to compare in the two highest bytes
			       * of a mark, and their value. In the host's byte order */
};

struct block_scan_header {
	uint64_t at; /* Address of the header */
	uint64_t link, mark;
	struct heap_wide wide;
};

static uint8_t block_scan_flags_of(const struct block_scan_header *h)
{
	return (uint8_t)(h->mark >> HEAP_FLAG_SHIFT & 15);
}

/* Reads the words of a possible header at `off` of the region, unchecked. False if the dump lacks
 * bytes of it. */
static bool block_scan_read_header(const struct dump *d, const struct region *g, uint64_t off,
				   struct block_scan_header *ret)
{
	struct reader r = reader_at(g->bytes, d->big_endian, off);
	*ret = (struct block_scan_header){ .at = g->addr + off };
	ret->link = read_u64(&r);
	ret->mark = read_u64(&r);
	if ((block_scan_flags_of(ret) & (HEAP_WIDE | HEAP_FREED)) == HEAP_WIDE) {
		reader_seek(&r, off >= HEAP_HEADER_SIZE ? off - HEAP_HEADER_SIZE : r.size + 1);
		ret->wide.sequence = read_u64(&r);
		ret->wide.owner = read_u64(&r);
	}
	return reader_ok(&r);
}

static void block_scan_check_end(const struct dump *d, const struct region *g, struct heap_found *f)
{
	const uint64_t size = heap_found_end(f) - f->addr;
	const uint64_t off = f->addr - g->addr;
	const bool inside = off <= g->bytes.size && size <= g->bytes.size - off;
	uint8_t canary[HEAP_CANARY_SIZE];
	f->cut = !inside && !memory_present(d, f->addr, size);
	if ((f->flags & HEAP_CANARY) == 0 || f->cut)
		return;
	if (inside)
		memcpy(canary, g->bytes.p + off + f->size, sizeof canary);
	else
		memory_copy(d, f->addr + f->size, canary, sizeof canary);
	f->canary_damaged = load_u64(canary, d->big_endian) != heap_canary(f->addr);
}

/* Fills in the block at `p` from its header. Sets f->stack to the recorder's id of the stack or,
 * with HEAP_INLINE, to the distance of the inline stack from the block. */
static void block_of(const struct region *g, const struct block_scan_header *h, uint64_t p,
		     struct heap_found *f)
{
	f->addr = p;
	f->size = h->mark & HEAP_SIZE_MASK;
	f->stack = (uint32_t)h->link;
	f->thread = (uint32_t)(h->wide.owner >> 32);
	f->sequence = h->wide.sequence;
	f->flags = block_scan_flags_of(h);
	f->front = (f->flags & HEAP_WIDE) != 0 ? HEAP_WIDE_SIZE : HEAP_HEADER_SIZE;
	f->shift = (uint8_t)h->wide.owner <= SHIFT_MOST ? (uint8_t)h->wide.owner : 0;
	f->canary_damaged = f->cut = false;
	if ((f->flags & HEAP_INLINE) != 0) {
		/* Padding may lie between the inline stack and an aligned block. */
		if (f->stack % 8 == 0 && f->stack <= p - g->addr &&
		    f->stack >= f->front + sizeof(struct heap_inline))
			f->front = f->stack;
		else
			f->stack = 0;
	}
	if (f->shift != 0 && (p >> f->shift == 0 || (UINT64_C(1) << f->shift) < f->front))
		f->shift = 0;
}

/* Returns the address of the block whose header this is: the block right after it, or a freed block
 * that contains this copy. 0 if the header does not verify. */
static uint64_t whose_header(const struct block_scan_header *h)
{
	const uint64_t p = h->at + HEAP_HEADER_SIZE;
	const uint64_t own = h->at - heap_rest_distance(h->mark & HEAP_SIZE_MASK);
	const uint32_t link = (uint32_t)h->link;
	if (heap_check(p, h->mark, link, h->wide.sequence ^ h->wide.owner) == h->link >> 32)
		return p;
	const bool freed = (block_scan_flags_of(h) & HEAP_FREED) != 0;
	return freed && heap_check(own, h->mark, link, 0) == h->link >> 32 ? own : 0;
}

/* Verifies the header at `off` of the region, and reads its block. False if the header is invalid.
 * For a freed block, ret->sequence is the return address of the free, or 0. */
static bool verify(const struct dump *d, const struct block_piece *piece, uint64_t off,
		   struct heap_found *ret)
{
	const struct region *g = piece->region;
	struct block_scan_header h;
	const uint64_t p = block_scan_read_header(d, g, off, &h) ? whose_header(&h) : 0;
	if (p == 0)
		return false;
	block_of(g, &h, p, ret);
	const uint64_t tail = (ret->flags & HEAP_CANARY) != 0 ? HEAP_CANARY_SIZE : 0;
	if (p - g->addr >= g->size || ret->size + tail > piece->room_end - p ||
	    p - g->addr < ret->front)
		return false;
	if ((ret->flags & HEAP_FREED) == 0) {
		block_scan_check_end(d, g, ret);
		return true;
	}
	/* In a freed block, the return address of the free follows the copy of the header. */
	struct reader r = reader_at(g->bytes, d->big_endian, off + HEAP_HEADER_SIZE);
	const uint64_t by = read_u64(&r);
	ret->sequence = p <= h.at && reader_ok(&r) ? by : 0;
	return true;
}

void heap_live_at(const struct blocks_found *b, struct block_at at, struct heap_found *ret)
{
	ASSERT(at.piece < b->live.pieces.count);
	const struct region *g = b->live.pieces.data[at.piece].region;
	const uint64_t addr = block_map_addr(&b->live, at);
	struct block_scan_header h;
	if (b->chunks) {
		/* The block is a chunk of glibc_heaps_find() without a header of the recorder.
		 * Looks first into the region `g`, because most chunks are in it. */
		struct chunk_view v = { b->d, memory_word_size(b->d), g };
		uint64_t x = 0;
		chunk_word(&v, addr + v.word, &x);
		*ret = (struct heap_found){ 0 };
		ret->addr = addr + 2 * v.word;
		ret->size = x - (x & CHUNK_FLAGS) - v.word - ((x & CHUNK_MAPPED) != 0 ? v.word : 0);
		return;
	}
	block_scan_read_header(b->d, g, addr - g->addr, &h);
	block_of(g, &h, addr + HEAP_HEADER_SIZE, ret);
	block_scan_check_end(b->d, g, ret);
}

/* Returns the stack of a block. CALLS_NONE if its inline stack is damaged. */
static uint32_t recorded_stack(const struct dump *d, struct calls *c, const struct heap_found *f)
{
	if ((f->flags & HEAP_INLINE) == 0)
		return calls_by_id(c, f->stack);
	return f->stack != 0 ? inline_stack(d, c, f) : CALLS_NONE;
}

uint32_t heap_stack_of(const struct blocks_found *b, const struct heap_found *f)
{
	const uint32_t stack = b->chunks ? 0 : recorded_stack(b->d, b->c, f);
	return stack != CALLS_NONE ? stack : 0;
}

struct heap_found heap_live(const struct blocks_found *b, size_t i)
{
	struct heap_found f;
	heap_live_at(b, block_map_find(&b->live, i), &f);
	f.stack = heap_stack_of(b, &f);
	return f;
}

size_t heap_live_below(const struct blocks_found *b, uint64_t addr)
{
	const uint64_t header = UINT64_C(1) << b->live.shift; /* Distance from a header to its
							       * block */
	return addr >= header ? block_map_below(&b->live, addr - header) : 0;
}

/* Returns the first index from i on at which a header has the magic, or `count` if there is none.
 * Headers are 16 bytes apart. Compares only the bits in s->mask of each header. */
static uint64_t next_magic(const struct block_scan *s, const uint8_t *p, uint64_t i, uint64_t count)
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
	const struct block_scan *s = ctx;
	struct block_piece *piece = &s->to->live.pieces.data[s->batch + index];
	const struct region *g = piece->region;
	ASSERT(g && piece->places > 0);
	const uint32_t skip = piece->addr < g->addr; /* 1 if the first place's header begins
						      * before the region */
	const uint64_t off = piece->addr + skip * HEAP_ALIGN - g->addr;
	const uint64_t left = off < g->bytes.size ? (g->bytes.size - off) / HEAP_ALIGN : 0;
	const uint64_t count = min_u64(left, piece->places - skip);
	(void)worker;
	if (count == 0)
		return;
	const uint8_t *top = g->bytes.p + off + (s->d->big_endian ? 8 : 14);
	for (uint64_t i = 0; (i = next_magic(s, top, i, count)) < count; i++) {
		struct heap_found f;
		if (verify(s->d, piece, off + i * HEAP_ALIGN, &f))
			block_piece_set(piece, (uint32_t)i + skip);
	}
}

static uint32_t stack_of(const struct block_scan *s, const struct heap_found *f)
{
	const uint32_t stack = recorded_stack(s->d, s->c, f);
	if (stack != CALLS_NONE)
		return stack;
	if ((f->flags & HEAP_FREED) == 0)
		note(s->notes, s->d->path, HEFT_NO_OFFSET, f->size,
		     "call stacks in front of blocks are damaged");
	return 0;
}

static void take_live(struct block_scan *s, const struct heap_found *f)
{
	struct blocks_found *b = s->to;
	const uint32_t at = stack_of(s, f);
	struct call_stack *stack = &s->c->stacks.data[at];
	/* Freed blocks inside this live block: their memory was reused. */
	const uint64_t start = heap_found_start(f);
	const uint64_t from = start >= HEAP_HEADER_SIZE ? start - HEAP_HEADER_SIZE + 1 : 0;
	if (s->freed_end > start)
		block_map_clear(&s->to->freed.map, from, f->addr);
	s->live_end = heap_found_end(f);
	stack->blocks++;
	stack->block_bytes = add_sat(stack->block_bytes, f->size);
	b->live_bytes += f->size;
	b->newest = max_u64(b->newest, f->sequence);
	b->live_flags |= f->flags;
	b->damaged_canaries += f->canary_damaged;
}

/* Verifies the header at a place of a piece and records its block. True if the block is live. */
static bool block_scan_take(struct block_scan *s, const struct block_piece *p, uint32_t place)
{
	const uint64_t off = p->addr + (uint64_t)place * HEAP_ALIGN - p->region->addr;
	struct heap_found f;
	/* Bytes inside a live block are the program's data, not a header. */
	if (!verify(s->d, p, off, &f) || heap_found_start(&f) < s->live_end)
		return false;
	if ((f.flags & HEAP_FREED) != 0) {
		/* Adds the block's call stacks to the calls now, because stacks are numbered in
		 * order of addresses. */
		stack_of(s, &f);
		if (f.sequence != 0)
			calls_add(s->c, &f.sequence, 1);
		block_map_set(&s->to->freed.map, f.addr - HEAP_HEADER_SIZE);
		s->freed_end = max_u64(s->freed_end, f.addr);
	} else {
		take_live(s, &f);
	}
	return (f.flags & HEAP_FREED) == 0;
}

static void block_scan_all(struct block_scan *s, unsigned threads)
{
	const size_t most = (size_t)pool_threads(threads) * PIECES_A_THREAD;
	struct block_map *m = &s->to->live;
	for (size_t n; s->batch < m->pieces.count; s->batch += n) {
		n = m->pieces.count - s->batch;
		n = n < most ? n : most;
		parallel_for(threads, n, scan_piece, s);
		/* Keeps only the bits of live blocks. */
		for (size_t i = 0; i < n; i++) {
			struct block_piece *p = &m->pieces.data[s->batch + i];
			const uint32_t words = p->bits != NULL ? (p->places + 63) / 64 : 0;
			for (uint32_t w = 0; w < words; w++)
				for (uint64_t left = p->bits[w]; left != 0; left &= left - 1)
					if (!block_scan_take(
						    s, p, w * 64 + (uint32_t)__builtin_ctzll(left)))
						p->bits[w] &= ~(left & -left);
		}
	}
	block_map_count(m);
	block_map_count(&s->to->freed.map);
	s->to->freed.count = s->to->freed.map.count;
}

/* Returns the return address of the call that freed a small block, from the threads' tables of
 * small frees. 0 if no table has the block, or if two have it: then the later free is unknown. */
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

/* Reads the freed block at `addr` from the header at `at`, which is before or in the block. False
 * if the header does not verify, or if it lies in a live block. */
static bool freed_by_header(const struct blocks_found *b, const struct block_piece *p,
			    uint64_t addr, uint64_t at, struct heap_found *ret)
{
	size_t piece = 0;
	struct block_at before;
	struct heap_found live;
	if (at < p->region->addr || !verify(b->d, p, at - p->region->addr, ret) ||
	    (ret->flags & HEAP_FREED) == 0 || ret->addr != addr)
		return false;
	if (!block_map_last(&b->live, at, &piece, &before))
		return true;
	heap_live_at(b, before, &live);
	return heap_found_start(ret) >= heap_found_end(&live);
}

/* Reads a freed block from one of its two headers, which lie before the block and inside it.
 * Prefers a header with the return address of the free. */
static struct heap_found freed_in_memory(const struct blocks_found *b, struct block_at at)
{
	const struct block_piece *p = &b->freed.map.pieces.data[at.piece];
	const uint64_t header = block_map_addr(&b->freed.map, at);
	struct heap_found found = { .addr = header + HEAP_HEADER_SIZE }, f;
	bool any = false;
	for (unsigned i = 0; i < 3; i++) {
		if (!freed_by_header(b, p, found.addr, header + i * HEAP_HEADER_SIZE, &f))
			continue;
		if (!any || found.sequence == 0)
			found = f;
		any = true;
	}
	const uint64_t by = found.sequence;
	found.stack = heap_stack_of(b, &found);
	found.freed_by = by != 0 ? calls_add(b->c, &by, 1) : 0;
	return found;
}

/* Returns the index, among all freed blocks, of entry i of `noted` (blocks that only the recorder's
 * pages list). */
static size_t place_of_noted(const struct blocks_found *b, size_t i)
{
	const uint64_t addr = b->freed.noted.data[i].addr;
	return i + (addr >= HEAP_HEADER_SIZE
			    ? block_map_below(&b->freed.map, addr - HEAP_HEADER_SIZE)
			    : 0);
}

struct heap_found heap_freed(const struct blocks_found *b, size_t i)
{
	ASSERT(i < b->freed.count);
	struct heap_found f;
	size_t noted;
	BISECT(noted, 0, b->freed.noted.count, k, place_of_noted(b, k) < i);
	if (noted < b->freed.noted.count && place_of_noted(b, noted) == i)
		f = b->freed.noted.data[noted];
	else
		f = freed_in_memory(b, block_map_find(&b->freed.map, i - noted));
	if (f.freed_by != 0 || f.size >= HEAP_REST_PLAIN)
		return f;
	const uint64_t by = small_free(b->d, b->r, f.addr);
	f.freed_by = by != 0 ? calls_add(b->c, &by, 1) : 0;
	return f;
}

size_t heap_freed_below(const struct blocks_found *b, uint64_t addr)
{
	const struct heap_found *noted = b->freed.noted.data;
	const size_t n = lower_bound(noted, b->freed.noted.count, sizeof *noted, addr);
	return addr >= HEAP_HEADER_SIZE
		       ? n + block_map_below(&b->freed.map, addr - HEAP_HEADER_SIZE)
		       : n;
}

size_t heap_freed_find(const struct blocks_found *b, uint64_t addr)
{
	const size_t i = heap_freed_below(b, addr);
	return heap_freed_below(b, add_sat(addr, 1)) > i ? i : SIZE_MAX;
}

/* Sorts the blocks that only the recorder's pages list. If several have the same address, keeps one
 * whose freeing call is known. */
static void settle_noted(struct blocks_found *b)
{
	struct heap_found *f = b->freed.noted.data;
	size_t kept = 0;
	sort_by_key(f, b->freed.noted.count, sizeof *f);
	for (size_t i = 0; i < b->freed.noted.count; i++) {
		if (kept == 0 || f[kept - 1].addr != f[i].addr)
			f[kept++] = f[i];
		else if (f[kept - 1].freed_by == 0)
			f[kept - 1] = f[i];
	}
	b->freed.noted.count = kept;
	b->freed.count += kept;
	ASSERT(kept <= b->freed.count);
}

static bool live_begins_in(const struct blocks_found *b, uint64_t start, uint64_t end)
{
	return heap_live_below(b, end) > heap_live_below(b, start);
}

static bool freed_begins_in(const struct blocks_found *b, uint64_t start, uint64_t end)
{
	return heap_freed_below(b, end) > heap_freed_below(b, start);
}

/* True if the memory of a freed block is unmapped, or belongs to the heap and to no live block. */
static bool block_scan_is_left(const struct blocks_found *b, const struct dump *d,
			       const struct heap_gone *g)
{
	const struct region *r = dump_region(d, g->addr);
	const uint64_t end = add_sat(g->addr, max_u64(g->size, 1));
	const size_t before = heap_block_at(b, g->addr);
	if (live_begins_in(b, g->addr, end))
		return false;
	if (before != SIZE_MAX) {
		const struct heap_found f = heap_live(b, before);
		if (heap_found_end(&f) > g->addr)
			return false;
	}
	return r == NULL || live_begins_in(b, r->addr, region_end(r)) ||
	       freed_begins_in(b, r->addr, region_end(r));
}

/* Adds the freed blocks that are in the recorder's pages only, from newest to oldest. */
static void take_gone(struct block_scan *s, struct blocks_found *b, const struct records *r)
{
	VEC(struct heap_found) added = { 0 };
	for (size_t i = r->gone.count; i-- > 0;) {
		const struct heap_gone *g = &r->gone.data[i];
		const uint32_t by = g->by != 0 ? calls_add(s->c, &g->by, 1) : 0;
		if (!block_scan_is_left(b, s->d, g) || freed_begins_in(b, g->addr, g->addr + 1))
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
	vec_append(&b->freed.noted, &added);
	settle_noted(b);
}

static uint64_t bytes_scanned(const struct dump *d)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		if (region_is_data(g) && g->bytes.size >= (0 - g->addr) % HEAP_ALIGN)
			bytes += g->bytes.size;
	}
	return bytes;
}

void heap_scan(struct blocks_found *ret, const struct dump *d, const struct records *r,
	       struct calls *c, unsigned threads, struct notes *notes)
{
	struct block_scan s = { .d = d, .c = c, .notes = notes, .to = ret };
	*ret = (struct blocks_found){ .d = d, .r = r, .c = c, .scanned = bytes_scanned(d) };
	const uint8_t mask[2][2] = { { 0xf0, 0xff }, { 0xff, 0xf0 } };
	const uint8_t magic[2][2] = { { 0x50, 0x9e }, { 0x9e, 0x50 } };
	memcpy(&s.mask, mask[s.d->big_endian], sizeof s.mask);
	memcpy(&s.magic, magic[s.d->big_endian], sizeof s.magic);
	block_map_init(&ret->live, d, ALIGN_SHIFT);
	block_map_init(&ret->freed.map, d, ALIGN_SHIFT);
	block_scan_all(&s, threads);
	take_gone(&s, ret, r);
	/* Reads each freed block once, by address. This numbers the call stacks of the frees. */
	for (size_t i = 0; i < ret->freed.count; i++)
		heap_freed(ret, i);
}

void heap_scan_release(struct blocks_found *b)
{
	block_map_release(&b->live);
	block_map_release(&b->freed.map);
	vec_release(&b->freed.noted);
	block_map_release(&b->kept);
	vec_release_all(&b->caches, &b->written, &b->arenas);
	*b = (struct blocks_found){ 0 };
}

size_t heap_block_at(const struct blocks_found *b, uint64_t addr)
{
	const size_t next = addr == UINT64_MAX ? b->live.count : heap_live_below(b, addr + 1);
	if (heap_live_below(b, addr) < next)
		return next - 1;
	if (next < b->live.count) {
		const struct heap_found f = heap_live(b, next);
		if (addr >= heap_found_start(&f))
			return next;
	}
	return next > 0 ? next - 1 : SIZE_MAX;
}

size_t heap_freed_at(const struct blocks_found *b, uint64_t addr, bool header)
{
	enum { OVERLAPS = 64 };
	const size_t live = heap_block_at(b, addr);
	if (live != SIZE_MAX) {
		const struct heap_found f = heap_live(b, live);
		if (addr < heap_found_end(&f))
			return SIZE_MAX;
	}
	const uint64_t beyond = header ? HEAP_HEADER_SIZE : 0;
	size_t i = heap_freed_below(b, add_sat(addr, beyond + 1));
	for (unsigned n = 0; i > 0 && n < OVERLAPS; n++) {
		const struct heap_found f = heap_freed(b, --i);
		if (addr + beyond - f.addr < max_u64(f.size, 1) + beyond)
			return i;
	}
	return SIZE_MAX;
}
