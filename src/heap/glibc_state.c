/* Finds arenas and parameters of malloc. Layouts: glibc's malloc/malloc.c, malloc/arena.c, 2.17 to
 * 2.42. */
#include "heap/glibc_state.h"

enum {
	LISTS = 127,      /* Number of lists of an arena (NBINS - 1) */
	LISTS_GOOD = 120, /* Number of lists that must be intact. An overflow may have damaged
			   * the others */
	MAP_BYTES = 16,   /* Bytes of the bit map that follows the lists */
	ARENAS_MOST = 1 << 16,
	ARENA_HEAD_MOST = 36, /* Greatest number of words before the lists. */
	PAGE = 4096,
	NEAR = 256 << 10, /* malloc's parameters (mp_) are at most this far from the first arena */
};

static uint64_t glibc_state_word_at(const struct dump *d, uint64_t addr)
{
	uint64_t v = 0;
	return memory_word(d, addr, &v) ? v : 0;
}

static uint64_t narrow_at(const struct dump *d, uint64_t addr)
{
	uint64_t v = UINT64_MAX;
	memory_uint(d, addr, 4, &v);
	return v;
}

/* True if an empty list is at `at`. Both links point to the address that makes the list itself look
 * like a chunk. */
static bool is_empty_list(const struct dump *d, uint64_t at)
{
	const uint64_t word = memory_word_size(d), self = at - 2 * word;
	return glibc_state_word_at(d, at) == self && glibc_state_word_at(d, at + word) == self;
}

/* True if the lists of an arena begin at `bins`. The last list is always empty, and no list follows
 * it. So an address that is too low does not match. */
static bool has_lists(const struct dump *d, uint64_t bins)
{
	const uint64_t word = memory_word_size(d), step = 2 * word;
	const uint64_t last = bins + (LISTS - 1) * step;
	unsigned good = 0;
	if (!is_empty_list(d, last))
		return false;
	for (unsigned i = 1; i <= LISTS - LISTS_GOOD + 1; i++)
		if (is_empty_list(d, last + i * step))
			return false;
	for (unsigned i = 0; i < LISTS; i++) {
		const uint64_t at = bins + i * step, self = at - step;
		const uint64_t from = glibc_state_word_at(d, at),
			       to = glibc_state_word_at(d, at + word);
		good += from != 0 && to != 0 && glibc_state_word_at(d, from + 3 * word) == self &&
			glibc_state_word_at(d, to + step) == self;
		if (i + 1 - good > LISTS - LISTS_GOOD)
			return false;
	}
	return true;
}

/* Returns the address of the fields after the lists and their bit map: next, next_free, the number
 * of threads (since 2.23), the current and the highest number of bytes from the system. */
static uint64_t tail_of(const struct dump *d, uint64_t bins)
{
	return bins + LISTS * 2 * memory_word_size(d) + MAP_BYTES;
}

static struct glibc_arena arena_of(const struct dump *d, uint64_t bins, uint64_t addr)
{
	const uint64_t word = memory_word_size(d), top = bins - 2 * word;
	const uint64_t sums = tail_of(d, bins) + 2 * word;
	struct glibc_arena a = { .bins = bins, .addr = addr };
	a.top = glibc_state_word_at(d, top);
	if (a.top == top) /* The arena has no memory yet: `top` points to its own list of
			   * unsorted chunks ("initial_top") */
		a.top = 0;
	const uint64_t now = glibc_state_word_at(d, sums + word),
		       most = glibc_state_word_at(d, sums + 2 * word);
	a.system = now <= most && now >= PAGE ? now : glibc_state_word_at(d, sums);
	a.end = tail_of(d, bins) + 5 * word;
	/* The fast bins are before `top` and `last_remainder`. There are 10, or 11 if 4-byte words
	 * are aligned to 16. Versions without fast bins have only a lock there. */
	const uint64_t head = addr != 0 ? top - addr : 0;
	a.fast_count = word == 4 && head >= 12 + 11 * word ? 11 : 10;
	if (addr != 0 && head < a.fast_count * word)
		a.fast_count = 0;
	a.fast = top - a.fast_count * word;
	const uint64_t page = addr & ~(uint64_t)(PAGE - 1);
	if (addr != page && glibc_state_word_at(d, page) == addr)
		a.heap = page;
	ASSERT(a.fast + a.fast_count * word == top);
	return a;
}

static bool glibc_state_is_known(const struct glibc_state *st, uint64_t bins)
{
	for (size_t i = 0; i < st->arenas.count; i++)
		if (st->arenas.data[i].bins == bins)
			return true;
	return false;
}

/* Returns the bytes from an arena's start to its lists. 0 if no arena begins at `addr`. */
static uint64_t distance_of(const struct dump *d, uint64_t addr)
{
	const uint64_t word = memory_word_size(d);
	for (uint64_t off = 2 * word; off <= ARENA_HEAD_MOST * word; off += word)
		if (has_lists(d, addr + off))
			return off;
	return 0;
}

/* Adds all arenas of the ring, beginning with the one whose lists are at `bins`. Only the previous
 * arena in the ring tells the start of an arena. */
static void follow_ring(struct glibc_state *st, const struct dump *d, uint64_t bins)
{
	uint64_t at = glibc_state_word_at(d, tail_of(d, bins)), off = 0;
	const size_t first = st->arenas.count;
	bool closed = false;
	for (unsigned n = 0; n < ARENAS_MOST && at != 0; n++) {
		off = off != 0 && has_lists(d, at + off) ? off : distance_of(d, at);
		if (off == 0 || glibc_state_is_known(st, at + off))
			break;
		vec_push(&st->arenas, arena_of(d, at + off, at));
		closed = closed || at + off == bins;
		at = glibc_state_word_at(d, tail_of(d, at + off));
	}
	st->ring = closed && (first == 0 || st->ring);
	if (!glibc_state_is_known(st, bins))
		vec_push(&st->arenas, arena_of(d, bins, 0));
	ASSERT(st->arenas.count > first);
}

/* Searches a region for words that point two words below themselves, as the links of an empty list
 * do. True if an arena was found. */
static bool scan_region(struct glibc_state *st, const struct dump *d, const struct region *g)
{
	const unsigned word = memory_word_size(d);
	const uint64_t skip = (0 - g->addr) & (word - 1);
	struct reader r = reader_of(g->bytes, d->big_endian);
	bool found = false;
	reader_seek(&r, skip);
	for (uint64_t at = g->addr + skip; reader_left(&r) >= word; at += word) {
		if (LIKELY(read_wide(&r, word) != at - 2 * word))
			continue;
		const uint64_t bins = at - (LISTS - 1) * 2 * word; /* If this is an arena's last
								    * list: start of all lists */
		if (glibc_state_is_known(st, bins) || !has_lists(d, bins))
			continue;
		follow_ring(st, d, bins);
		found = true;
	}
	return found;
}

/* True if the words before `sbrk_base` look like malloc's counts. From `at` on, they are: number,
 * limit and peak of mapped chunks, whether the program set the limit, current and highest sum of
 * bytes. */
static bool are_counts(const struct dump *d, uint64_t base, uint64_t at)
{
	const uint64_t word = memory_word_size(d);
	const uint64_t bytes = glibc_state_word_at(d, base - 2 * word),
		       bytes_most = glibc_state_word_at(d, base - word);
	const uint64_t count = narrow_at(d, at), limit = narrow_at(d, at + 4);
	const uint64_t most = narrow_at(d, at + 8), set = narrow_at(d, at + 12);
	return count <= most && most <= limit + (set == 1 ? INT32_MAX : 0) && limit <= INT32_MAX &&
	       set <= 1 && (limit != 0 || set == 1) && bytes <= bytes_most && bytes % PAGE == 0 &&
	       bytes_most % PAGE == 0 && (count == 0) == (bytes == 0) &&
	       (most == 0) == (bytes_most == 0);
}

/* True if the words look like the start of the parameters: thresholds for trimming, padding,
 * mapping, then two limits of the number of arenas. */
static bool are_thresholds(const struct dump *d, uint64_t at)
{
	enum { ARENAS_LIMIT = 1 << 20 };
	const uint64_t word = memory_word_size(d);
	const uint64_t map = glibc_state_word_at(d, at + 2 * word),
		       test = glibc_state_word_at(d, at + 3 * word);
	return map != 0 && map <= UINT64_C(1) << 46 && test != 0 && test <= ARENAS_LIMIT &&
	       glibc_state_word_at(d, at + 4 * word) <= ARENAS_LIMIT;
}

/* Returns the address of malloc's counts of mapped chunks (see are_counts()), or 0. `base`: address
 * of the parameter `sbrk_base`. Since 2.35, two page sizes and a 4-byte number lie between
 * thresholds and counts. With 8-byte words, padding follows the counts. */
static uint64_t find_counts(const struct dump *d, uint64_t base)
{
	const uint64_t word = memory_word_size(d), early = base - 2 * word - 16;
	const uint64_t late = word == 8 ? early - 4 : early;
	if (are_counts(d, base, early) && are_thresholds(d, early - 5 * word))
		return early;
	return are_counts(d, base, late) && are_thresholds(d, late - 4 - 7 * word) ? late : 0;
}

static void find_parameters(struct glibc_arena *a, const struct dump *d)
{
	const uint64_t word = memory_word_size(d),
		       from = a->bins > NEAR ? a->bins - NEAR : 4 * word;
	for (uint64_t at = align_up(from, word); at < a->bins + NEAR; at += word) {
		const struct region *g = dump_region(d, at);
		if (g == NULL || at - g->addr >= g->bytes.size) {
			at = align_up(at + 1, PAGE) - word;
			continue;
		}
		/* True if `base` may be the start of the arena's heap. It must be in writable
		 * memory, or 0 for an arena without chunks. */
		const uint64_t base = glibc_state_word_at(d, at);
		const struct region *in = base != 0 ? dump_region(d, base) : NULL;
		const bool fits = a->top != 0 ? in != NULL && region_is_data(in) : base == 0;
		const uint64_t counts = fits ? find_counts(d, at) : 0;
		if (counts != 0) {
			a->known = true;
			a->base = base;
			a->mapped = narrow_at(d, counts);
			a->mapped_bytes = glibc_state_word_at(d, at - 2 * word);
			return;
		}
	}
}

static bool is_writable(const struct region *g, bool of_file)
{
	return g->write && (g->file != 0) == of_file;
}

void glibc_state_find(struct glibc_state *ret, const struct dump *d)
{
	*ret = (struct glibc_state){ 0 };
	for (size_t i = 0; i < d->region_count; i++)
		if (is_writable(&d->regions[i], true))
			scan_region(ret, d, &d->regions[i]);
	bool found = ret->arenas.count > 0;
	for (size_t i = 0; i < d->region_count && !found; i++)
		if (is_writable(&d->regions[i], false) || d->kind == DUMP_RAW)
			found = scan_region(ret, d, &d->regions[i]);
	for (size_t i = 0; i < ret->arenas.count; i++)
		if (ret->arenas.data[i].heap == 0)
			find_parameters(&ret->arenas.data[i], d);
	ASSERT(ret->arenas.count <= ARENAS_MOST + d->region_count);
}

void glibc_state_release(struct glibc_state *st)
{
	vec_release(&st->arenas);
	*st = (struct glibc_state){ 0 };
}

/* Tries all maximal heap sizes: a heap begins at a multiple of that size, which is usually 64 MiB,
 * or 1 MiB for 4-byte words. Huge pages make it four times as large. */
uint64_t glibc_heap_of(const struct dump *d, const struct glibc_arena *a, uint64_t addr)
{
	enum { LEAST = 18, MOST = 33 };
	const uint64_t word = memory_word_size(d);
	for (unsigned shift = LEAST; shift <= MOST && a->addr != 0; shift++) {
		const uint64_t at = addr & ~((UINT64_C(1) << shift) - 1);
		const uint64_t size = glibc_state_word_at(d, at + 2 * word);
		if (at != 0 && glibc_state_word_at(d, at) == a->addr && size > addr - at &&
		    size <= UINT64_C(1) << shift && size % PAGE == 0)
			return at;
	}
	return 0;
}
