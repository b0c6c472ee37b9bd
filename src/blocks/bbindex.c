#include "blocks/bbindex.h"

#include "base/sort.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	SHIFT_MAX = 12,     /* Block starts are multiples of at most 2^SHIFT_MAX bytes */
	PAGE_SHIFT_MAX = 7, /* Pages have at most 2^7 places, so a place fits a signed byte */
	PER_PAGE = 8,       /* Greatest mean number of blocks per page. */
	LANES = 16,         /* Number of blocks that one vector instruction compares */
	GAP_MAX = 4096,     /* Longest gap inside a region, in bytes */
};

struct bbindex_start {
	uint64_t addr;
	uint64_t place; /* Index in the array of blocks */
};

/* Visits the starts of all blocks, run by run or from a sorted array. */
struct bbindex_walk {
	const struct bbindex_run *runs;
	size_t run_count, run;
	uint64_t i; /* Index in the current run, or in `sorted` */
	const struct bbmap_block *blocks;
	const struct bbindex_start *sorted;
	uint64_t sorted_count;
};

static bool walk_next(struct bbindex_walk *w, uint64_t *addr)
{
	if (w->sorted) {
		if (w->i == w->sorted_count)
			return false;
		*addr = w->sorted[w->i++].addr;
		return true;
	}
	while (w->run < w->run_count && w->i == w->runs[w->run].count) {
		w->run++;
		w->i = 0;
	}
	if (w->run == w->run_count)
		return false;
	const struct bbindex_run *r = &w->runs[w->run];
	*addr = r->addr + w->blocks[r->first + w->i++].off;
	return true;
}

static struct bbindex_start *sort_starts(const struct bbindex_run *runs, size_t run_count,
					 const struct bbmap_block *blocks, uint64_t count)
{
	struct bbindex_start *list = mem_zeroed(count, sizeof *list);
	uint64_t n = 0;
	for (size_t i = 0; i < run_count; i++)
		for (uint64_t k = 0; k < runs[i].count && n < count; k++) {
			const uint64_t place = runs[i].first + k;
			list[n++] = (struct bbindex_start){ runs[i].addr + blocks[place].off,
							    place };
		}
	ASSERT(n == count);
	sort_by_key(list, n, sizeof *list);
	return list;
}

struct bbindex_spot {
	uint64_t page;
	unsigned place;
};

/* Finds page and place of an address. `off`: its offset in the region, at most r->last. */
static inline struct bbindex_spot spot_in(const struct bbindex *x, const struct bbindex_region *r,
					  uint64_t off)
{
	const unsigned mask = (1u << (x->page_shift - x->shift)) - 1;
	return (struct bbindex_spot){ r->page + (off >> x->page_shift),
				      (unsigned)(off >> x->shift) & mask };
}

/* Makes the regions. Returns a number with the bits in which starts of blocks differ. Sets
 * *ret_rising to false if a start is below the previous one. */
static uint64_t lay_regions(struct bbindex *x, struct bbindex_walk w, bool *ret_rising)
{
	struct bbindex_region r = { 0 };
	uint64_t addr, varies = 0, before = 0;
	bool rising = true;
	for (uint64_t n = 0; n < x->count && walk_next(&w, &addr); n++) {
		rising = rising && addr >= before;
		varies |= n > 0 ? addr ^ before : 0;
		if (n == 0 || addr - before > GAP_MAX) {
			if (n > 0)
				vec_push(&x->regions, r);
			r.base = addr;
		}
		r.last = addr - r.base;
		before = addr;
	}
	vec_push(&x->regions, r);
	*ret_rising = rising;
	return varies;
}

/* Chooses the size of pages by the density of blocks: sparse blocks get large pages. */
static void lay_pages(struct bbindex *x)
{
	uint64_t places = 0;
	for (size_t i = 0; i < x->regions.count; i++)
		places += (x->regions.data[i].last >> x->shift) + 1;
	unsigned shift = PAGE_SHIFT_MAX;
	while (shift > 0 && (x->count << shift) / PER_PAGE > places)
		shift--;
	x->page_shift = x->shift + shift;
	vec_each(struct bbindex_region, r, &x->regions) {
		r->page = x->page_count;
		x->page_count += (r->last >> x->page_shift) + 1;
	}
}

static void fill_pages(struct bbindex *x, struct bbindex_walk w)
{
	const struct bbindex_region *r = x->regions.data;
	size_t left = x->regions.count;
	uint64_t addr, page = 0;
	for (uint64_t n = 0; n < x->count && walk_next(&w, &addr); n++) {
		for (; left > 1 && addr >= r[1].base; left--)
			r++;
		const struct bbindex_spot at = spot_in(x, r, addr - r->base);
		while (page <= at.page)
			x->pages[page++] = (uint32_t)n;
		x->places[n] = (uint8_t)at.place;
	}
	ASSERT(page == x->page_count);
	x->pages[page] = (uint32_t)x->count;
}

void bbindex_build(struct bbindex *x, const struct bbindex_run *runs, size_t run_count,
		   const struct bbmap_block *blocks)
{
	struct bbindex_walk w = { .runs = runs, .run_count = run_count, .blocks = blocks };
	struct bbindex_start *sorted = NULL;
	bool rising, in_order = true; /* `in_order`: each run begins after the previous one */
	uint64_t next = 0;
	memset(x, 0, sizeof *x);
	for (size_t i = 0; i < run_count; i++) {
		in_order = in_order && runs[i].first == next;
		next = runs[i].first + runs[i].count;
		x->count += min_u64(runs[i].count, UINT32_MAX - x->count);
	}
	if (x->count == 0)
		return;
	uint64_t varies = lay_regions(x, w, &rising);
	if (!rising || !in_order) {
		w.sorted = sorted = sort_starts(runs, run_count, blocks, x->count);
		w.sorted_count = x->count;
		x->regions.count = 0;
		varies = lay_regions(x, w, &rising);
		x->order = mem_zeroed(x->count, sizeof *x->order);
		for (uint64_t i = 0; i < x->count; i++)
			x->order[i] = (uint32_t)sorted[i].place;
	}
	while (x->shift < SHIFT_MAX && !(varies >> x->shift & 1))
		x->shift++;
	lay_pages(x);
	x->pages = mem_zeroed(x->page_count + 1, sizeof *x->pages);
	x->places = mem_zeroed(x->count + LANES, sizeof *x->places);
	fill_pages(x, w);
	ASSERT(vec_sorted(&x->regions));
	mem_free(sorted);
}

void bbindex_release(struct bbindex *x)
{
	vec_release(&x->regions);
	mem_free_all(x->pages, x->places, x->order);
	memset(x, 0, sizeof *x);
}

uint64_t bbindex_size(const struct bbindex *x)
{
	if (x->count == 0)
		return 0;
	return x->regions.count * sizeof *x->regions.data + (x->page_count + 1) * sizeof *x->pages +
	       x->count + LANES + (x->order ? x->count * sizeof *x->order : 0);
}

static inline const struct bbindex_region *region_of(const struct bbindex *x, uint64_t addr)
{
	const struct bbindex_region *r = x->regions.data;
	size_t count = x->regions.count;
	while (count > 1) {
		const size_t half = count / 2;
		r = r[half].base <= addr ? r + half : r;
		count -= half;
	}
	return r;
}

/* Returns how many of the `count` sorted places are at most `place`. */
static uint32_t search_page(const uint8_t *places, uint32_t count, unsigned place)
{
	uint32_t lo = 0;
	while (count > 0) {
		const uint32_t half = count / 2;
		lo += places[lo + half] <= place ? count - half : 0;
		count = half;
	}
	return lo;
}

static inline uint32_t count_in_page(const uint8_t *places, uint32_t count, unsigned place)
{
#if defined(__SSE2__)
	if (LIKELY(count <= LANES)) {
		__m128i some;
		memcpy(&some, places, sizeof some);
		const __m128i above = _mm_cmpgt_epi8(some, _mm_set1_epi8((char)place));
		return (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(above) | 1u << count);
	}
#endif
	return search_page(places, count, place);
}

static inline uint32_t bbindex_find_at(const struct bbindex *x, struct bbindex_spot spot)
{
	const uint32_t first = x->pages[spot.page], count = x->pages[spot.page + 1] - first;
	const uint32_t n = first + count_in_page(x->places + first, count, spot.place) - 1;
	return x->order ? x->order[n] : n;
}

uint32_t bbindex_find(const struct bbindex *x, uint64_t addr)
{
	if (UNLIKELY(x->count == 0 || addr < x->regions.data[0].base))
		return BBINDEX_NONE;
	const struct bbindex_region *r = region_of(x, addr);
	return bbindex_find_at(x, spot_in(x, r, min_u64(addr - r->base, r->last)));
}

enum {
	CHUNK = 64,
	CACHE = 1 << 20, /* An index with at most this many bytes stays in the second-level cache */
	NEAR = 1 << 16,  /* Addresses closer than this use parts of the index that stay in the
			  * first-level cache */
};

static void bbindex_find_near(const struct bbindex *x, const uint64_t *addrs, size_t count,
			      uint32_t *ret)
{
	struct bbindex_region r = *region_of(x, addrs[0]);
	for (size_t i = 0; i < count; i++) {
		const uint64_t off = addrs[i] - r.base;
		if (LIKELY(off <= r.last)) {
			ret[i] = bbindex_find_at(x, spot_in(x, &r, off));
			continue;
		}
		ret[i] = bbindex_find(x, addrs[i]);
		r = *region_of(x, addrs[i]);
	}
}

/* Looks up CHUNK addresses together, in steps. Each step prefetches what the next one reads, so all
 * addresses wait for memory at the same time. */
static void bbindex_find_chunk(const struct bbindex *x, const uint64_t *addrs, uint32_t *ret)
{
	struct bbindex_region r = x->regions.data[0];
	const uint64_t lowest = r.base;
	struct bbindex_spot spots[CHUNK];
	for (size_t i = 0; i < CHUNK; i++) {
		if (UNLIKELY(addrs[i] - r.base > r.last))
			r = *region_of(x, addrs[i]);
		spots[i] = spot_in(x, &r, min_u64(addrs[i] - r.base, r.last));
		__builtin_prefetch(&x->pages[spots[i].page]);
	}
	for (size_t i = 0; i < CHUNK; i++)
		__builtin_prefetch(&x->places[x->pages[spots[i].page]]);
	for (size_t i = 0; i < CHUNK; i++) {
		const uint32_t found = bbindex_find_at(x, spots[i]);
		ret[i] = addrs[i] < lowest ? BBINDEX_NONE : found;
	}
}

void bbindex_find_batch(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	const struct bbindex own = *x; /* A copy, which stays in registers: writes to `ret`
				        * cannot change it */
	const bool large = bbindex_size(x) > CACHE;
	for (size_t n; count > 0; addrs += n, ret += n, count -= n) {
		n = min_u64(count, CHUNK);
		const uint64_t a = addrs[0], b = addrs[n - 1];
		if (x->count == 0)
			memset(ret, 0xff, n * sizeof *ret);
		else if (!large || n < CHUNK || max_u64(a, b) - min_u64(a, b) < NEAR)
			bbindex_find_near(&own, addrs, n, ret);
		else
			bbindex_find_chunk(&own, addrs, ret);
	}
}
