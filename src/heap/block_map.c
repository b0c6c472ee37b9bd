/* Keeps a bit map of the addresses at which blocks begin, and numbers the blocks. */
#include "heap/block_map.h"

#include "base/sort.h"
#include "heap/memory.h"

enum { WORD = 64 }; /* Bits per word of a piece's bit map */

static uint32_t block_map_words_of(const struct block_piece *p)
{
	return (p->places + WORD - 1) / WORD;
}

static uint32_t ones(uint64_t v)
{
	return (uint32_t)__builtin_popcountll(v);
}

/* Divides the places of a region (block_map.h) into pieces. `from`: end of the places of earlier
 * regions. Returns the end of this region's places. */
static uint64_t block_map_add_region(struct block_map *m, const struct region *g, uint64_t room_end,
				     uint64_t from)
{
	const uint64_t step = UINT64_C(1) << m->shift, end = g->addr + g->bytes.size;
	uint64_t addr = max_u64(g->addr & ~(step - 1), from);
	while (addr < end) {
		const uint64_t places = (end - addr + step - 1) >> m->shift;
		const struct block_piece p = { .addr = addr,
					       .region = g,
					       .room_end = room_end,
					       .places = (uint32_t)min_u64(places, BLOCK_PLACES) };
		vec_push(&m->pieces, p);
		addr = add_sat(addr, (uint64_t)p.places << m->shift);
	}
	return addr;
}

void block_map_init(struct block_map *m, const struct dump *d, unsigned shift)
{
	size_t last = 0; /* Index of the last region before a hole in the addresses */
	uint64_t from = 0;
	*m = (struct block_map){ .shift = shift };
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *g = &d->regions[i];
		for (last = last < i ? i : last; last + 1 < d->region_count; last++)
			if (d->regions[last + 1].addr != region_end(&d->regions[last]))
				break;
		if (region_is_data(g) && g->bytes.size > 0)
			from = block_map_add_region(m, g, region_end(&d->regions[last]), from);
	}
	vec_fit(&m->pieces);
}

void block_map_release(struct block_map *m)
{
	for (size_t i = 0; i < m->pieces.count; i++)
		mem_free(m->pieces.data[i].bits);
	vec_release(&m->pieces);
	m->count = 0;
}

void block_piece_set(struct block_piece *p, uint32_t place)
{
	ASSERT(place < p->places);
	if (p->bits == NULL) {
		const size_t words = block_map_words_of(p), groups = words / BLOCK_GROUP + 1;
		p->bits = mem_zeroed(1, words * sizeof *p->bits + groups * sizeof *p->counts);
		p->counts = (uint16_t *)(p->bits + words);
	}
	p->bits[place / WORD] |= UINT64_C(1) << place % WORD;
}

static bool block_map_has_place(const struct block_map *m, const struct block_piece *p,
				uint64_t addr)
{
	const uint64_t off = addr - p->addr;
	return off >> m->shift < p->places && off >> m->shift << m->shift == off;
}

void block_map_set_near(struct block_map *m, uint64_t addr, size_t *piece)
{
	struct block_piece *p = m->pieces.data;
	if (*piece >= m->pieces.count || !block_map_has_place(m, &p[*piece], addr))
		*piece = upper_bound(p, m->pieces.count, sizeof *p, addr) - 1;
	ASSERT(*piece < m->pieces.count && block_map_has_place(m, &p[*piece], addr));
	p += *piece;
	block_piece_set(p, (uint32_t)((addr - p->addr) >> m->shift));
}

void block_map_set(struct block_map *m, uint64_t addr)
{
	size_t piece = SIZE_MAX;
	block_map_set_near(m, addr, &piece);
}

static const struct block_piece *piece_of(const struct block_map *m, uint64_t addr)
{
	const struct block_piece *p = vec_before(&m->pieces, addr);
	return p && block_map_has_place(m, p, addr) ? p : NULL;
}

bool block_map_covers(const struct block_map *m, uint64_t addr)
{
	return piece_of(m, addr) != NULL;
}

bool block_map_has(const struct block_map *m, uint64_t addr)
{
	const struct block_piece *p = piece_of(m, addr);
	const uint64_t place = p != NULL ? (addr - p->addr) >> m->shift : 0;
	return p != NULL && p->bits != NULL && (p->bits[place / WORD] >> place % WORD & 1) != 0;
}

void block_map_clear(struct block_map *m, uint64_t start, uint64_t end)
{
	const uint64_t step = UINT64_C(1) << m->shift;
	struct block_piece *p = m->pieces.data;
	size_t i = upper_bound(p, m->pieces.count, sizeof *p, start);
	for (i = i > 0 ? i - 1 : 0; i < m->pieces.count && p[i].addr < end; i++) {
		if (p[i].bits == NULL)
			continue;
		const uint64_t from = start > p[i].addr ? start - p[i].addr : 0;
		const uint64_t to = min_u64((end - p[i].addr + step - 1) >> m->shift, p[i].places);
		for (uint64_t k = (from + step - 1) >> m->shift; k < to; k++)
			if (k % WORD == 0 && p[i].bits[k / WORD] == 0)
				k += WORD - 1;
			else
				p[i].bits[k / WORD] &= ~(UINT64_C(1) << k % WORD);
	}
}

/* Counts and returns the blocks of a piece. Frees its bits if there are none. */
static size_t count_piece(struct block_piece *p)
{
	size_t count = 0;
	for (uint32_t i = 0; p->bits != NULL && i < block_map_words_of(p); i++) {
		if (i % BLOCK_GROUP == 0)
			p->counts[i / BLOCK_GROUP] = (uint16_t)count;
		count += ones(p->bits[i]);
	}
	if (count == 0) {
		mem_free(p->bits);
		p->bits = NULL;
	}
	return count;
}

static void block_map_verify(const struct block_map *m)
{
	size_t count = 0;
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct block_piece *p = &m->pieces.data[i], *before = i > 0 ? p - 1 : NULL;
		ASSERT(p->places > 0 && p->places <= BLOCK_PLACES && p->before <= i);
		ASSERT(!before || (p->addr - before->addr) >> m->shift >= before->places);
		ASSERT(p->first == count);
		for (size_t k = 0; p->bits != NULL && k < block_map_words_of(p); k++)
			count += ones(p->bits[k]);
	}
	ASSERT(count == m->count);
}

void block_map_count(struct block_map *m)
{
	uint32_t before = 0;
	m->count = 0;
	for (size_t i = 0; i < m->pieces.count; i++) {
		struct block_piece *p = &m->pieces.data[i];
		const size_t count = count_piece(p);
		p->first = m->count;
		p->before = before;
		before = count > 0 ? (uint32_t)i + 1 : before;
		m->count += count;
	}
	if (HEFT_CHECKS)
		block_map_verify(m);
}

size_t block_map_number(const struct block_map *m, struct block_at at)
{
	ASSERT(at.piece < m->pieces.count);
	const struct block_piece *p = &m->pieces.data[at.piece];
	const uint32_t word = at.place / WORD, group = word / BLOCK_GROUP;
	size_t n = p->first + p->counts[group];
	for (uint32_t i = group * BLOCK_GROUP; i < word; i++)
		n += ones(p->bits[i]);
	return n + ones(p->bits[word] & ((UINT64_C(1) << at.place % WORD) - 1));
}

size_t block_map_below(const struct block_map *m, uint64_t addr)
{
	const struct block_piece *p = m->pieces.data;
	const size_t i = upper_bound(p, m->pieces.count, sizeof *p, addr);
	if (i == 0)
		return 0;
	const uint64_t step = UINT64_C(1) << m->shift;
	const uint64_t place = (addr - p[i - 1].addr + step - 1) >> m->shift;
	if (p[i - 1].bits == NULL)
		return p[i - 1].first;
	if (place >= p[i - 1].places)
		return i < m->pieces.count ? p[i].first : m->count;
	return block_map_number(m, (struct block_at){ (uint32_t)i - 1, (uint32_t)place });
}

struct block_at block_map_find(const struct block_map *m, size_t i)
{
	ASSERT(i < m->count);
	size_t piece, group;
	BISECT(piece, 0, m->pieces.count, k, m->pieces.data[k].first <= i);
	const struct block_piece *p = &m->pieces.data[--piece];
	size_t left = i - p->first;
	BISECT(group, 0, (block_map_words_of(p) + BLOCK_GROUP - 1) / BLOCK_GROUP, k,
	       p->counts[k] <= left);
	uint32_t word = (uint32_t)(group - 1) * BLOCK_GROUP;
	for (left -= p->counts[group - 1]; left >= ones(p->bits[word]); word++)
		left -= ones(p->bits[word]);
	uint64_t v = p->bits[word];
	for (; left > 0; left--)
		v &= v - 1;
	return (struct block_at){ (uint32_t)piece, word * WORD + (uint32_t)__builtin_ctzll(v) };
}

/* Finds the last block of a piece that begins at or before `place`. False if there is none. */
static bool last_in(const struct block_piece *p, uint32_t place, uint32_t *ret)
{
	uint32_t word = place / WORD;
	uint64_t v = p->bits[word] & UINT64_MAX >> (WORD - 1 - place % WORD);
	while (v == 0) {
		const uint32_t group = word / BLOCK_GROUP;
		if (word == 0 || (word % BLOCK_GROUP == 0 && p->counts[group] == 0))
			return false;
		const bool empty = word % BLOCK_GROUP == 0 &&
				   p->counts[group] == p->counts[group - 1];
		word -= empty ? BLOCK_GROUP : 1;
		v = p->bits[word];
	}
	*ret = word * WORD + (WORD - 1 - (uint32_t)__builtin_clzll(v));
	return true;
}

bool block_map_last(const struct block_map *m, uint64_t addr, size_t *piece, struct block_at *ret)
{
	const struct block_piece *p = m->pieces.data;
	size_t i = *piece;
	if (i >= m->pieces.count || (addr - p[i].addr) >> m->shift >= p[i].places) {
		i = upper_bound(p, m->pieces.count, sizeof *p, addr);
		if (i == 0)
			return false;
		*piece = --i;
	}
	const uint64_t place = min_u64((addr - p[i].addr) >> m->shift, p[i].places - 1);
	if (p[i].bits == NULL || !last_in(&p[i], (uint32_t)place, &ret->place)) {
		if (p[i].before == 0)
			return false;
		i = p[i].before - 1;
		last_in(&p[i], p[i].places - 1, &ret->place);
	}
	ret->piece = (uint32_t)i;
	return true;
}

struct block_walk block_walk_from(const struct block_map *m, size_t i)
{
	struct block_walk w = { .m = m, .at = { (uint32_t)m->pieces.count, 0 } };
	if (i >= m->count)
		return w;
	w.at = block_map_find(m, i);
	w.left = m->pieces.data[w.at.piece].bits[w.at.place / WORD] & UINT64_MAX
									      << w.at.place % WORD;
	return w;
}

bool block_walk_next(struct block_walk *w)
{
	const struct block_piece *p = w->m->pieces.data;
	uint32_t piece = w->at.piece, word = w->at.place / WORD;
	while (w->left == 0) {
		if (piece >= w->m->pieces.count)
			return false;
		if (p[piece].bits != NULL && word + 1 < block_map_words_of(&p[piece])) {
			w->left = p[piece].bits[++word];
			continue;
		}
		word = 0;
		if (++piece < w->m->pieces.count && p[piece].bits != NULL)
			w->left = p[piece].bits[0];
		w->at = (struct block_at){ piece, 0 };
	}
	w->at = (struct block_at){ piece, word * WORD + (uint32_t)__builtin_ctzll(w->left) };
	w->left &= w->left - 1;
	return true;
}
