#include "map/rollup.h"

#include "base/pool.h"

enum { MATCH_KNOWN = 1, MATCH_INCLUDE = 2, MATCH_EXCLUDE = 4 };

void rollup_init(struct rollup *r)
{
	memset(r, 0, sizeof *r);
	vec_push(&r->rows, (struct row){ .label = LABEL_NONE });
}

void rollup_release(struct rollup *r)
{
	vec_release(&r->rows);
	map_release(&r->below);
	vec_release(&r->top);
	free(r->filter.known);
	for (size_t role = 0; role < COUNT_OF(r->counted); role++) {
		vec_release(&r->counted[role].pairs);
		map_release(&r->counted[role].map);
	}
	memset(r, 0, sizeof *r);
}

/* ---- rows by (parent, label) --------------------------------------------------- */

static inline uint64_t row_key(uint32_t parent, label_id label)
{
	return (uint64_t)parent << 32 | label;
}

static uint32_t row_add(struct rollup *r, uint32_t parent, label_id label)
{
	ASSERT(r->rows.count < UINT32_MAX);
	vec_push(&r->rows, (struct row){ .parent = parent, .label = label });
	return (uint32_t)r->rows.count - 1;
}

/* The first level has as many rows as there are labels: an array instead of a hash. */
static uint32_t top_row_get(struct rollup *r, label_id label)
{
	if (label >= r->top.count) {
		const size_t old = r->top.count;
		vec_reserve(&r->top, label + 1 - old);
		r->top.count = r->top.cap;
		memset(r->top.data + old, 0, (r->top.cap - old) * sizeof *r->top.data);
	}
	if (r->top.data[label] == 0)
		r->top.data[label] = row_add(r, 0, label);
	return r->top.data[label];
}

static uint32_t row_get(struct rollup *r, uint32_t parent, label_id label)
{
	if (parent == 0)
		return top_row_get(r, label);
	/* The file repeats what the VM image has, in the same order. */
	if (r->guess < r->rows.count && r->rows.data[r->guess].parent == parent &&
	    r->rows.data[r->guess].label == label)
		return r->guess++;
	uint32_t id;
	struct map_at at = map_at(&r->below, hash_u64(row_key(parent, label)));
	while (map_next(&r->below, &at, &id)) {
		const struct row *row = &r->rows.data[id];
		if (row->parent == parent && row->label == label) {
			r->guess = id + 1;
			return id;
		}
	}
	id = row_add(r, parent, label);
	map_put(&r->below, &at, id);
	return id;
}

/* ---- counting ------------------------------------------------------------------- */

/* Counts a symbol once for a row. */
static void count_symbol(struct rollup *r, enum heft_role role, uint32_t row, label_id symbol)
{
	struct rollup_counted *c = &r->counted[role];
	const uint64_t pair = (uint64_t)row << 32 | symbol;
	uint32_t id;
	struct map_at at = map_at(&c->map, hash_u64(pair));
	while (map_next(&c->map, &at, &id))
		if (c->pairs.data[id] == pair)
			return;
	map_put(&c->map, &at, (uint32_t)c->pairs.count);
	vec_push(&c->pairs, pair);
	r->rows.data[row].count[role]++;
}

/* ---- filter ---------------------------------------------------------------------- */

static unsigned label_matches(struct filter *f, const struct labels *labels, label_id id)
{
	if (id >= f->known_count) {
		const size_t n = labels->names.entries.count;
		f->known = xrealloc(f->known, n);
		memset(f->known + f->known_count, 0, n - f->known_count);
		f->known_count = n;
	}
	if (f->known[id])
		return f->known[id];
	const struct str text = label_text(labels, id);
	unsigned m = MATCH_KNOWN;
	if (f->include && pattern_matches(f->include, text, f->notes))
		m |= MATCH_INCLUDE;
	if (f->exclude && pattern_matches(f->exclude, text, f->notes))
		m |= MATCH_EXCLUDE;
	f->known[id] = (uint8_t)m;
	return m;
}

static bool filter_keeps(struct filter *f, const struct labels *labels, const label_id *ids,
			 size_t count)
{
	unsigned m = 0;
	for (size_t i = 0; i < count; i++)
		m |= label_matches(f, labels, ids[i]);
	return (!f->include || (m & MATCH_INCLUDE)) && !(m & MATCH_EXCLUDE);
}

/* ---- walking --------------------------------------------------------------------- */

struct adder {
	struct rollup *rollup;
	const struct rollup_walk *walk;
	size_t shown_count;            /* levels that make rows; filter and symbols follow */
	size_t next;                   /* span of the last of these levels, behind the piece */
	label_id last[LEVELS_MAX + 2]; /* labels of the piece before */
	uint32_t path[LEVELS_MAX + 1]; /* rows of the piece before; path[0] = TOTAL */
};

static void add_bytes(struct row *row, const struct rollup_walk *w, uint64_t size)
{
	uint64_t *sum = w->domain == HEFT_VM ? &row->vm[w->role] : &row->file[w->role];
	ASSERT(*sum <= UINT64_MAX - size);
	*sum += size;
}

/* How many spans ahead memory is fetched: about as many as are walked meanwhile. */
enum { AHEAD = 8 };

/* Fetches what row_get reads first. */
static void fetch_slot(const struct rollup *r, uint32_t parent, label_id label)
{
	if (parent != 0)
		map_prefetch(&r->below, hash_u64(row_key(parent, label)));
	else if (label < r->top.count)
		__builtin_prefetch(&r->top.data[label]);
}

/* Fetches the row where row_get will probably end. */
static void fetch_row(const struct rollup *r, uint32_t parent, label_id label)
{
	uint32_t row = parent == 0 && label < r->top.count ? r->top.data[label] : 0;
	if (parent != 0) {
		struct map_at at = map_at(&r->below, hash_u64(row_key(parent, label)));
		map_next(&r->below, &at, &row);
	}
	__builtin_prefetch(&r->rows.data[row]);
}

/* Labels of neighbours are far apart in the tables, and waiting for memory would be most of
 * the work: fetches the row of the span AHEAD of the piece, the slot of the one twice as far,
 * and what it is shown as of the one behind that, as if all had the parent of the last. */
static void fetch_ahead(struct adder *a, uint64_t start)
{
	const struct rollup *r = a->rollup;
	const struct rollup_level *level = &a->walk->levels[a->shown_count - 1];
	const struct span *list = level->spans->list.data;
	const size_t count = level->spans->list.count;
	const uint32_t parent = a->path[a->shown_count - 1];
	while (a->next < count && list[a->next].start <= start)
		a->next++;
	if (count - a->next <= 3 * AHEAD)
		return;
	const struct span *s = &list[a->next];
	const label_id *shown = level->shown;
	if (shown)
		__builtin_prefetch(&shown[s[3 * AHEAD].label]);
	fetch_slot(r, parent, shown ? shown[s[2 * AHEAD].label] : s[2 * AHEAD].label);
	fetch_row(r, parent, shown ? shown[s[AHEAD].label] : s[AHEAD].label);
}

static void add_piece(void *ctx, uint64_t start, uint64_t size, const label_id *ids)
{
	struct adder *a = ctx;
	struct rollup *r = a->rollup;
	const struct rollup_walk *w = a->walk;
	const size_t n = a->shown_count;
	fetch_ahead(a, start);
	if (w->base && !filter_keeps(&r->filter, w->labels, ids, n + 1)) {
		*(w->domain == HEFT_VM ? &r->omitted_vm : &r->omitted_file) += size;
		return;
	}
	bool same = true;
	add_bytes(&r->rows.data[0], w, size);
	for (size_t k = 0; k < n; k++) {
		same = same && a->last[k] == ids[k];
		if (!same) {
			a->last[k] = ids[k];
			a->path[k + 1] = row_get(r, a->path[k], ids[k]);
		}
		add_bytes(&r->rows.data[a->path[k + 1]], w, size);
	}
	if (!w->symbols)
		return;
	const label_id symbol = ids[n + (w->base ? 1 : 0)];
	for (size_t k = 0; k <= n && !label_is_fallback(w->labels, symbol); k++)
		count_symbol(r, w->role, a->path[k], symbol);
}

void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx)
{
	size_t at[LEVELS_MAX + 2] = { 0 };
	label_id ids[LEVELS_MAX + 2];
	uint64_t pos = 0;
	ASSERT(level_count > 0 && level_count <= COUNT_OF(at));
	while (at[0] < levels[0].spans->list.count) {
		uint64_t end = UINT64_MAX;
		for (size_t k = 0; k < level_count; k++) {
			ASSERT(at[k] < levels[k].spans->list.count);
			const struct span *s = &levels[k].spans->list.data[at[k]];
			pos = max_u64(pos, s->start);
			end = min_u64(end, s->start + s->size);
			ids[k] = levels[k].shown ? levels[k].shown[s->label] : s->label;
		}
		ASSERT(pos < end);
		fn(ctx, pos, end - pos, ids);
		pos = end;
		for (size_t k = 0; k < level_count; k++) {
			const struct span *s = &levels[k].spans->list.data[at[k]];
			at[k] += s->start + s->size == end;
		}
	}
}

void rollup_add(struct rollup *r, const struct rollup_walk *w)
{
	struct rollup_level all[LEVELS_MAX + 2];
	struct adder a = { .rollup = r, .walk = w, .shown_count = w->level_count };
	size_t n = w->level_count;
	ASSERT(n > 0 && n <= LEVELS_MAX);
	memcpy(all, w->levels, n * sizeof *all);
	if (w->base)
		all[n++] = (struct rollup_level){ .spans = w->base };
	if (w->symbols)
		all[n++] = (struct rollup_level){ .spans = w->symbols };
	memset(a.last, 0xff, sizeof a.last);
	rollup_pieces(all, n, add_piece, &a);
}

/* ---- two domains at once ----------------------------------------------------------- */

struct both {
	struct rollup *to[2];
	const struct rollup_walk *walks[2];
};

static void add_one(void *ctx, size_t i, unsigned worker)
{
	const struct both *b = ctx;
	(void)worker;
	rollup_add(b->to[i], b->walks[i]);
}

static void row_merge(struct row *to, const struct row *from)
{
	for (size_t role = 0; role < 2; role++) {
		ASSERT(to->vm[role] <= UINT64_MAX - from->vm[role]);
		ASSERT(to->file[role] <= UINT64_MAX - from->file[role]);
		to->vm[role] += from->vm[role];
		to->file[role] += from->file[role];
	}
}

/* Rows come in the order in which the pieces of `from` would have made them. */
static void merge(struct rollup *r, const struct rollup *from)
{
	uint32_t *to = xcalloc(from->rows.count, sizeof *to);
	row_merge(&r->rows.data[0], &from->rows.data[0]);
	for (size_t i = 1; i < from->rows.count; i++) {
		const struct row *row = &from->rows.data[i];
		to[i] = row_get(r, to[row->parent], row->label);
		row_merge(&r->rows.data[to[i]], row);
	}
	free(to);
}

/* Fewer spans than this are not worth a thread. */
enum { PARALLEL_MIN = 20000 };

void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads)
{
	/* Filters and counting remember what they have seen. */
	const bool apart = pool_threads(threads) > 1 && !first->base && !first->symbols &&
			   second->levels[second->level_count - 1].spans->list.count >=
				   PARALLEL_MIN;
	struct rollup part;
	rollup_init(&part);
	struct both b = { { r, apart ? &part : r }, { first, second } };
	parallel_for(apart ? threads : 1, 2, add_one, &b);
	if (apart)
		merge(r, &part);
	rollup_release(&part);
}
