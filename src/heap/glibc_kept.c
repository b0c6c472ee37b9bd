/* Finds freed chunks in glibc's fast bins and thread caches. */
#include "heap/glibc_kept.h"

enum {
	LISTS_MOST = 76,
	FAST_MOST = 1 << 26, /* Greatest number of chunks of a list. Ends a cyclic list */
	FAST_SIZE = 22,      /* Words of the largest chunk in a fast bin, if a word has 8 bytes.
			      * 2 more if it has 4 */
};

/* Returns the chunk to which the link at `at` in a list points. 0 at the end of the list. */
static uint64_t link_at(const struct kept_lists *k, uint64_t at)
{
	struct chunk_view v = k->v;
	uint64_t x = 0;
	chunk_word(&v, at, &x);
	return k->plain ? x : x ^ at >> 12;
}

/* Returns the size of a chunk that is marked as in use. 0 if no such chunk is known at `chunk`. */
static uint64_t size_at(const struct kept_lists *k, uint64_t chunk)
{
	struct chunk_view v = k->v;
	uint64_t x = 0;
	const bool known = k->chunks != NULL ? block_map_has(k->chunks, chunk)
					     : block_map_covers(k->kept, chunk);
	return known && chunk_word(&v, chunk + v.word, &x) ? x & ~(uint64_t)CHUNK_FLAGS : 0;
}

static void glibc_kept_keep(struct kept_lists *k, uint64_t chunk, uint64_t size)
{
	block_map_set(k->kept, chunk);
	k->count++;
	k->bytes += size;
}

static void add_broken(struct kept_lists *k, uint64_t before)
{
	k->broken++;
	if (before != 0)
		vec_push(&k->written, before);
}

/* Adds the chunks of a fast bin. All chunks of a bin have the same size. */
static void take_fast_list(struct kept_lists *k, uint64_t at)
{
	const uint64_t word = k->v.word,
		       most = word == 8 ? FAST_SIZE * word : (FAST_SIZE + 2) * word;
	struct chunk_view v = k->v;
	uint64_t chunk = 0, size = 0, before = 0;
	chunk_word(&v, at, &chunk);
	for (unsigned n = 0; chunk != 0 && n < FAST_MOST; n++) {
		const uint64_t own = size_at(k, chunk);
		if (own == 0 || own > most || (size != 0 && own != size) ||
		    block_map_has(k->kept, chunk)) {
			add_broken(k, before);
			return;
		}
		glibc_kept_keep(k, chunk, own);
		size = own;
		before = chunk + 2 * word;
		chunk = link_at(k, before);
	}
}

void kept_take_fast(struct kept_lists *k, const struct glibc_arena *a)
{
	for (unsigned i = 0; i < a->fast_count; i++)
		take_fast_list(k, a->fast + i * k->v.word);
}

/* Forms of a thread's cache in glibc 2.30 to 2.41, 2.26 to 2.29, and since 2.42. In the last form,
 * lists after the first 64 have chunks of several sizes. */
static const struct cache_form {
	uint8_t lists, width; /* Number of lists, and bytes of the count that each list has */
	bool room;            /* True if the count is the number of chunks that the list can
			       * still accept */
} forms[] = { { 64, 2, false }, { 64, 1, false }, { 76, 2, true } };

enum { SMALL = 64 }; /* Number of lists with one size each. */

static bool is_size_of_form(const struct chunk_view *v, const struct cache_form *f, uint64_t size)
{
	const uint64_t need = (f->width + v->word) * f->lists + v->word;
	return size >= need && size - need < 16 + 4 * v->word;
}

bool kept_is_cache_size(const struct chunk_view *v, uint64_t size)
{
	enum { LEAST = 320, MOST = 1024 };
	if (size < LEAST || size > MOST)
		return false;
	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (is_size_of_form(v, &forms[i], size))
			return true;
	return false;
}

struct cache {
	uint64_t counts[LISTS_MOST], firsts[LISTS_MOST];
	unsigned lists;
};

/* Reads the cache at `user` in form `f`. False if all of its lists are empty. */
static bool read_cache(const struct kept_lists *k, uint64_t user, const struct cache_form *f,
		       struct cache *ret)
{
	uint8_t bytes[LISTS_MOST * (sizeof(uint16_t) + sizeof(uint64_t))];
	const uint64_t size = (uint64_t)f->lists * (f->width + k->v.word);
	uint64_t most = 0, any = 0;
	ASSERT(size <= sizeof bytes);
	if (memory_copy(k->v.d, user, bytes, size) < size)
		return false;
	struct reader r = reader_of((struct bytes){ bytes, size }, k->v.d->big_endian);
	ret->lists = f->lists;
	for (unsigned i = 0; i < f->lists; i++) {
		ret->counts[i] = read_wide(&r, f->width);
		most = max_u64(most, ret->counts[i]);
	}
	for (unsigned i = 0; i < f->lists; i++) {
		ret->firsts[i] = read_wide(&r, (unsigned)k->v.word);
		any |= ret->firsts[i];
	}
	for (unsigned i = 0; f->room && i < f->lists; i++)
		ret->counts[i] = most - ret->counts[i];
	return any != 0;
}

/* True if a chunk's size is one of list i. Sizes of lists are MALLOC_ALIGNMENT apart. */
static bool is_in_list(const struct kept_lists *k, unsigned i, uint64_t user)
{
	const uint64_t word = k->v.word, least = 4 * word;
	const uint64_t size = size_at(k, user - 2 * word);
	if (size < least)
		return false;
	if (i >= SMALL)
		return size > least + (SMALL - 1) * 2 * word;
	return size == least + 16 * (uint64_t)i || size == least + 2 * word * i;
}

/* True if a chunk is a thread's cache. Tolerates one wrong count, because a thread may have stopped
 * between two writes. Tolerates one wrong start of a list, because a write into a freed block can
 * cause it. */
static bool glibc_kept_is_cache(const struct kept_lists *k, const struct cache *c)
{
	unsigned odd = 0, good = 0, bad = 0;
	for (unsigned i = 0; i < c->lists; i++) {
		const bool first = c->firsts[i] != 0, any = c->counts[i] != 0;
		const bool fits = first && is_in_list(k, i, c->firsts[i]);
		good += fits;
		bad += first && !fits;
		odd += first != any;
		if ((first != any && c->counts[i] > 1) || odd > 1 || bad > 1)
			return false;
	}
	return good > 0;
}

static void take_cache_list(struct kept_lists *k, const struct cache *c, unsigned i)
{
	const uint64_t word = k->v.word;
	uint64_t user = c->firsts[i], before = 0;
	for (uint64_t n = 0; n <= c->counts[i] && user != 0; n++) {
		if (!is_in_list(k, i, user) || block_map_has(k->kept, user - 2 * word)) {
			add_broken(k, before);
			return;
		}
		glibc_kept_keep(k, user - 2 * word, size_at(k, user - 2 * word));
		before = user;
		user = link_at(k, user);
	}
	if (user != 0)
		add_broken(k, before);
}

static bool find_cache(const struct kept_lists *k, uint64_t at, uint64_t size, struct cache *ret)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (is_size_of_form(&k->v, &forms[i], size) &&
		    read_cache(k, at + 2 * k->v.word, &forms[i], ret) &&
		    glibc_kept_is_cache(k, ret))
			return true;
	return false;
}

bool kept_is_cache(const struct kept_lists *k, uint64_t at, uint64_t size)
{
	struct cache c;
	return find_cache(k, at, size, &c);
}

bool kept_take_cache(struct kept_lists *k, uint64_t at, uint64_t size)
{
	struct cache c;
	if (!find_cache(k, at, size, &c))
		return false;
	for (unsigned list = 0; list < c.lists; list++)
		take_cache_list(k, &c, list);
	return true;
}
