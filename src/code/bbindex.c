#include "code/bbindex.h"

#include "base/sort.h"

enum {
	WORDS = 8,       /* of bits that share a rank */
	GAP_MAX = 1024,  /* places; behind a longer gap a region begins */
	PAGE_SHIFT = 12, /* places are no farther apart than this */
};

#define TOGETHER  (UINT32_C(1) << 31)
#define COUNT_MAX (UINT64_C(0x7fffffff))

/* ---- the starts in order ------------------------------------------------------------------------ */

struct start {
	uint64_t addr;
	uint64_t place; /* in the array of blocks */
};

/* Goes through the starts of all blocks, either as the runs have them or as they were sorted. */
struct walk {
	const struct bbindex_run *runs;
	size_t run_count, run;
	uint64_t i; /* in the run; or in sorted */
	const struct bbmap_block *blocks;
	const struct start *sorted;
	uint64_t sorted_count;
};

static bool walk_next(struct walk *w, uint64_t *addr)
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

/* Whether the blocks stand in the array as they start, and all bits in which starts differ. */
static bool in_order(const struct bbindex_run *runs, size_t count, const struct bbmap_block *blocks,
		     uint64_t *ret_varies)
{
	uint64_t before = 0, next = 0, varies = 0;
	bool good = true;
	const uint64_t base = count > 0 ? runs[0].addr : 0;
	for (size_t i = 0; i < count; i++) {
		good = good && runs[i].first == next;
		next = runs[i].first + runs[i].count;
		for (uint64_t k = runs[i].first; k < next; k++) {
			const uint64_t addr = runs[i].addr + blocks[k].off;
			good = good && addr >= before;
			before = addr;
			varies |= addr ^ base;
		}
	}
	*ret_varies = varies;
	return good;
}

static struct start *sort_starts(const struct bbindex_run *runs, size_t run_count,
				 const struct bbmap_block *blocks, uint64_t count)
{
	struct start *list = xcalloc(count, sizeof *list);
	uint64_t n = 0;
	for (size_t i = 0; i < run_count; i++)
		for (uint64_t k = 0; k < runs[i].count && n < count; k++) {
			const uint64_t place = runs[i].first + k;
			list[n++] = (struct start){ runs[i].addr + blocks[place].off, place };
		}
	sort_by_key(list, n, sizeof *list);
	return list;
}

/* ---- building ----------------------------------------------------------------------------------- */

/* Regions, and how many words of bits they take. */
static void lay_regions(struct bbindex *x, struct walk w)
{
	uint64_t addr, left = x->count;
	struct bbindex_region *r = NULL;
	for (; left > 0 && walk_next(&w, &addr); left--) {
		if (r) {
			const uint64_t place = (addr - r->base) >> x->shift;
			if (place - r->last <= GAP_MAX) {
				r->last = place;
				continue;
			}
			x->word_count += r->last / 64 + 1;
		}
		vec_push(&x->regions, (struct bbindex_region){ addr, 0, x->word_count });
		r = &x->regions.data[x->regions.count - 1];
	}
	if (r)
		x->word_count += r->last / 64 + 1;
}

static void set_bits(struct bbindex *x, struct walk w)
{
	const struct bbindex_region *r = x->regions.data;
	size_t left = x->regions.count;
	uint64_t addr;
	for (uint64_t n = 0; n < x->count && walk_next(&w, &addr); n++) {
		for (; left > 1 && addr >= r[1].base; left--)
			r++;
		const uint64_t place = (addr - r->base) >> x->shift;
		const uint64_t bit = UINT64_C(1) << place % 64;
		uint64_t *word = &x->bits[r->word + place / 64];
		if (*word & bit)
			vec_push(&x->extra, (uint32_t)n);
		*word |= bit;
	}
}

static void count_bits(struct bbindex *x)
{
	uint64_t n = 0;
	size_t extra = 0;
	for (uint64_t i = 0; i < x->word_count; i += WORDS) {
		const size_t extra_before = extra;
		x->ranks[i / WORDS] = (uint32_t)n;
		for (uint64_t k = i; k < i + WORDS; k++)
			n += (uint64_t)__builtin_popcountll(x->bits[k]);
		/* Extra blocks stand right behind the one they start with. */
		while (extra < x->extra.count && x->extra.data[extra] <= n) {
			extra++;
			n++;
		}
		if (extra > extra_before)
			x->ranks[i / WORDS] |= TOGETHER;
	}
	ASSERT(n == x->count);
}

static bool has_popcnt(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("popcnt");
#else
	return false;
#endif
}

void bbindex_build(struct bbindex *x, const struct bbindex_run *runs, size_t run_count,
		   const struct bbmap_block *blocks)
{
	struct walk w = { .runs = runs, .run_count = run_count, .blocks = blocks };
	uint64_t varies;
	memset(x, 0, sizeof *x);
	x->popcnt = has_popcnt();
	for (size_t i = 0; i < run_count; i++)
		x->count += min_u64(runs[i].count, COUNT_MAX - x->count);
	struct start *sorted = NULL;
	if (!in_order(runs, run_count, blocks, &varies)) {
		w.sorted = sorted = sort_starts(runs, run_count, blocks, x->count);
		w.sorted_count = x->count;
		x->order = xcalloc(x->count, sizeof *x->order);
		for (uint64_t i = 0; i < x->count; i++)
			x->order[i] = (uint32_t)sorted[i].place;
	}
	while (x->shift < PAGE_SHIFT && !(varies >> x->shift & 1))
		x->shift++;
	lay_regions(x, w);
	const uint64_t groups = (x->word_count + WORDS - 1) / WORDS;
	x->bits = xcalloc(groups * WORDS, sizeof *x->bits);
	x->ranks = xcalloc(groups, sizeof *x->ranks);
	set_bits(x, w);
	count_bits(x);
	free(sorted);
}

void bbindex_release(struct bbindex *x)
{
	vec_release(&x->regions);
	vec_release(&x->extra);
	free(x->bits);
	free(x->ranks);
	free(x->order);
	memset(x, 0, sizeof *x);
}

uint64_t bbindex_size(const struct bbindex *x)
{
	const uint64_t groups = (x->word_count + WORDS - 1) / WORDS;
	return x->regions.count * sizeof *x->regions.data + groups * WORDS * sizeof *x->bits +
	       groups * sizeof *x->ranks + x->extra.count * sizeof *x->extra.data +
	       (x->order ? x->count * sizeof *x->order : 0);
}

/* ---- looking up --------------------------------------------------------------------------------- */

static const struct bbindex_region *region_of(const struct bbindex *x, uint64_t addr)
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

/* Block number n of a group some of whose blocks start together, where n counts starts: with those
 * that do not count. */
static uint32_t with_extras(const struct bbindex *x, uint32_t n, uint32_t before)
{
	size_t lo = 0, hi = x->extra.count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (x->extra.data[mid] < before)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->extra.count && x->extra.data[lo] <= n + 1; lo++)
		n++;
	return n;
}

static inline __attribute__((always_inline)) uint32_t find_one(const struct bbindex *x,
							       uint64_t addr)
{
	if (UNLIKELY(x->count == 0 || addr < x->regions.data[0].base))
		return BBINDEX_NONE;
	const struct bbindex_region *r = region_of(x, addr);
	const uint64_t place = min_u64((addr - r->base) >> x->shift, r->last);
	const uint64_t word = r->word + place / 64, group = word / WORDS;
	const uint64_t *bits = &x->bits[group * WORDS];
	const uint32_t rank = x->ranks[group];
	uint64_t n = (uint64_t)__builtin_popcountll(bits[word % WORDS] << (63 - place % 64));
	/* All eight are counted: which of them matter is hard to predict. */
	for (uint64_t i = 0; i < WORDS - 1; i++)
		n += (uint64_t)__builtin_popcountll(bits[i] & (i < word % WORDS ? UINT64_MAX : 0));
	uint32_t at = (uint32_t)((rank & ~TOGETHER) + n - 1);
	if (UNLIKELY(rank & TOGETHER))
		at = with_extras(x, at, rank & ~TOGETHER);
	return x->order ? x->order[at] : at;
}

static void find_all(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = find_one(x, addrs[i]);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void
find_all_popcnt(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = find_one(x, addrs[i]);
}
#endif

void bbindex_find_all(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
#if defined(__x86_64__)
	if (x->popcnt) {
		find_all_popcnt(x, addrs, count, ret);
		return;
	}
#endif
	find_all(x, addrs, count, ret);
}

uint32_t bbindex_find(const struct bbindex *x, uint64_t addr)
{
	uint32_t ret;
	bbindex_find_all(x, &addr, 1, &ret);
	return ret;
}

/* ---- looking up very many ----------------------------------------------------------------------- */

/* A batch is dealt out to bins of the index, each of which fits the first cache with counts of the
 * bits before each word.  Numbers then stand by bin, each bin in the order of the addresses: the same
 * walk that dealt them out collects them. */
enum {
	BATCH = 1 << 19,
	BIN_SHIFT = 17, /* bits a bin */
	BIN_WORDS = 1 << (BIN_SHIFT - 6),
};

struct batch {
	uint32_t *dealt; /* by bin: places among all bits, then numbers of blocks */
	uint32_t *next;  /* by bin: the next one of dealt; one more than bins */
	size_t bins;
	uint32_t ranks
		[BIN_WORDS]; /* of words of a bin: as ranks of groups, of which they keep TOGETHER */
};

static inline __attribute__((always_inline)) void rank_words(const struct bbindex *x,
							     uint64_t first, uint32_t *ranks)
{
	const uint64_t groups = (x->word_count + WORDS - 1) / WORDS;
	const uint64_t count = min_u64(BIN_WORDS / WORDS, groups - first / WORDS);
	const uint64_t *bits = x->bits + first;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t n = x->ranks[first / WORDS + i];
		for (size_t k = 0; k < WORDS; k++) {
			*ranks++ = n;
			n += (uint32_t)__builtin_popcountll(*bits++);
		}
	}
}

static inline __attribute__((always_inline)) void find_in_bin(const struct bbindex *x, size_t bin,
							      const uint32_t *ranks,
							      uint32_t *places, size_t count)
{
	const uint64_t *bits = x->bits + bin * BIN_WORDS;
	for (size_t i = 0; i < count; i++) {
		const uint32_t place = places[i] & ((1 << BIN_SHIFT) - 1);
		const uint32_t rank = ranks[place / 64];
		const uint64_t below = bits[place / 64] << (63 - place % 64);
		uint32_t at = (rank & ~TOGETHER) + (uint32_t)__builtin_popcountll(below) - 1;
		if (UNLIKELY(rank & TOGETHER))
			at = with_extras(x, at, x->ranks[places[i] / (64 * WORDS)] & ~TOGETHER);
		places[i] = at;
	}
}

/* The place of an address among all bits; those before all blocks have one, too. */
static inline uint32_t place_of(const struct bbindex *x, const struct bbindex_region *r,
				uint64_t addr)
{
	return (uint32_t)(r->word * 64 + min_u64((addr - r->base) >> x->shift, r->last));
}

/* Returns whether some of them are before all blocks. */
static bool find_places(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	const struct bbindex_region first = x->regions.data[0];
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		const uint64_t addr = addrs[i];
		lowest = min_u64(lowest, addr);
		ret[i] = x->regions.count == 1 ? place_of(x, &first, addr)
					       : place_of(x, region_of(x, addr), addr);
	}
	return lowest < first.base;
}

static void deal(const uint32_t *places, size_t count, struct batch *b)
{
	uint32_t start = 0, *const next = b->next, *const dealt = b->dealt;
	memset(next, 0, (b->bins + 1) * sizeof *next);
	for (size_t i = 0; i < count; i++)
		next[places[i] >> BIN_SHIFT]++;
	for (size_t i = 0; i <= b->bins; i++) {
		const uint32_t size = next[i];
		next[i] = start;
		start += size;
	}
	for (size_t i = 0; i < count; i++)
		dealt[next[places[i] >> BIN_SHIFT]++] = places[i];
	memmove(next + 1, next, b->bins * sizeof *next);
	next[0] = 0;
}

static void collect(uint32_t *places, size_t count, struct batch *b)
{
	uint32_t *const next = b->next;
	const uint32_t *const dealt = b->dealt;
	for (size_t i = 0; i < count; i++)
		places[i] = dealt[next[places[i] >> BIN_SHIFT]++];
}

static inline __attribute__((always_inline)) void find_bins(const struct bbindex *x,
							    struct batch *b)
{
	for (size_t i = 0; i < b->bins; i++) {
		const size_t count = b->next[i + 1] - b->next[i];
		if (count == 0)
			continue;
		rank_words(x, (uint64_t)i * BIN_WORDS, b->ranks);
		find_in_bin(x, i, b->ranks, b->dealt + b->next[i], count);
	}
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void find_bins_popcnt(const struct bbindex *x,
							       struct batch *b)
{
	find_bins(x, b);
}
#endif

static void find_bins_any(const struct bbindex *x, struct batch *b)
{
#if defined(__x86_64__)
	if (x->popcnt) {
		find_bins_popcnt(x, b);
		return;
	}
#endif
	find_bins(x, b);
}

void bbindex_find_batch(const struct bbindex *x, const uint64_t *addrs, size_t count, uint32_t *ret)
{
	/* All words are counted once a batch. */
	if (count < x->word_count / 2 || x->count == 0 || x->word_count > UINT32_MAX / 64) {
		bbindex_find_all(x, addrs, count, ret);
		return;
	}
	struct batch *b = xcalloc(1, sizeof *b);
	b->bins = x->word_count / BIN_WORDS + 1;
	b->next = xcalloc(b->bins + 1, sizeof *b->next);
	b->dealt = xcalloc(min_u64(count, BATCH), sizeof *b->dealt);
	while (count > 0) {
		const size_t n = min_u64(count, BATCH);
		const bool some_before = find_places(x, addrs, n, ret);
		deal(ret, n, b);
		find_bins_any(x, b);
		collect(ret, n, b);
		for (size_t i = 0; x->order && i < n; i++)
			ret[i] = x->order[ret[i]];
		for (size_t i = 0; some_before && i < n; i++)
			ret[i] = addrs[i] < x->regions.data[0].base ? BBINDEX_NONE : ret[i];
		addrs += n;
		ret += n;
		count -= n;
	}
	free(b->dealt);
	free(b->next);
	free(b);
}
