/* Pairs renamed symbols: symbols with the same size in the same place, or with similar names. */
#include "compare/match.h"

#include "base/sort.h"

enum {
	SMALL = 32,      /* Symbols of fewer bytes often have equal sizes by chance */
	CANDIDATES = 64, /* Greatest number of old symbols to compare with a new one */
	ALIKE = 60,      /* Percentage of the name that must agree if the path is the same */
	VERY_ALIKE = 75, /* Percentage of the name that must agree if the path differs */
};

struct match_rename_candidate {
	uint64_t size;
	uint32_t place, symbol;
	bool taken;
};

struct candidates {
	VEC(struct match_rename_candidate)
	all; /* Sorted by place (match_key), then by size, then in symbol order */
};

static bool has_name(const struct match_side *side, const struct snap_symbol *y)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	return name.len > 0 && name.p[0] != '*' && !snap_is_literal(name) &&
	       !snap_is_overhead(name) && !match_is_nameless(side, y) &&
	       side->s->sections.data[y->section].native;
}

COMPARISON(match_rename_compare, struct match_rename_candidate, ORDER(a->place, b->place),
	   ORDER(a->size, b->size), ORDER(a->symbol, b->symbol))

static void match_rename_collect(struct candidates *c, struct match_side *side)
{
	for (size_t i = 0; i < side->left.count; i++) {
		const struct snap_symbol *y = &side->s->symbols.data[side->left.data[i]];
		if (y->size > 0 && has_name(side, y))
			vec_push(&c->all,
				 (struct match_rename_candidate){ y->size, side->places[y->section],
								  side->left.data[i], false });
	}
	vec_sort_by(&c->all, match_rename_compare);
}

/* Returns how much of two names agrees at both ends, in percent of the longer name. */
static unsigned alike(struct str a, struct str b)
{
	const size_t shorter = a.len < b.len ? a.len : b.len, longer = a.len + b.len - shorter;
	size_t head = 0, tail = 0;
	while (head < shorter && a.p[head] == b.p[head])
		head++;
	while (tail < shorter - head && a.p[a.len - 1 - tail] == b.p[b.len - 1 - tail])
		tail++;
	return longer ? (unsigned)((head + tail) * 100 / longer) : 0;
}

static bool same_path(const struct matcher *m, const struct snap_symbol *old,
		      const struct snap_symbol *new_)
{
	const struct str a = snapshot_text(m->before.s, snap_path(old));
	return a.len > 0 && str_eq(a, snapshot_text(m->after.s, snap_path(new_)));
}

/* Symbols with one size, in one section: a range of candidates per snapshot */
struct bucket {
	size_t old_first, old_end, new_first, new_end;
};

/* Returns how many of `count` candidates from `from` on have no partner, and the path of `y`. */
static size_t match_rename_count(const struct matcher *m, const struct match_side *side,
				 const struct match_rename_candidate *from, size_t count,
				 const struct snap_symbol *y)
{
	const struct str path = snapshot_text(m->after.s, snap_path(y));
	size_t ret = 0;
	for (size_t i = 0; i < count; i++) {
		const struct snap_symbol *o = &side->s->symbols.data[from[i].symbol];
		ret += !from[i].taken && str_eq(path, snapshot_text(side->s, snap_path(o)));
	}
	return ret;
}

/* Sets the partner of `new_`: the symbol of `old` with the most similar name, if that is similar
 * enough. Names need not be similar if the path is the same, both snapshots have as many symbols of
 * this path and size, and these are code of at least SMALL bytes. Then their order pairs them. */
static void match_rename_find_partner(struct matcher *m, struct candidates *old,
				      const struct candidates *news, size_t at,
				      const struct bucket *b, bool in_path)
{
	struct match_rename_candidate *new_ = &news->all.data[at];
	const struct snap_symbol *y = &m->after.s->symbols.data[new_->symbol];
	const struct str name = snapshot_text(m->after.s, y->full_name);
	const size_t end = b->old_first + min_u64(b->old_end - b->old_first, CANDIDATES);
	const size_t olds = b->old_end - b->old_first, count = b->new_end - b->new_first;
	const bool paired =
		in_path && y->size >= SMALL && (new_->place & 0xff) == 't' && olds <= CANDIDATES &&
		count <= CANDIDATES &&
		match_rename_count(m, &m->before, &old->all.data[b->old_first], olds, y) ==
			match_rename_count(m, &m->after, &news->all.data[b->new_first], count, y);
	unsigned best = in_path ? ALIKE - 1 : VERY_ALIKE - 1;
	struct match_rename_candidate *found = NULL;
	for (size_t i = b->old_first; i < end; i++) {
		struct match_rename_candidate *c = &old->all.data[i];
		const struct snap_symbol *o = &m->before.s->symbols.data[c->symbol];
		if (c->taken || (in_path && !same_path(m, o, y)))
			continue;
		const unsigned score = alike(name, snapshot_text(m->before.s, o->full_name));
		if (score > best || (paired && !found)) {
			best = score > best ? score : best;
			found = c;
		}
	}
	if (!found)
		return;
	ASSERT(!new_->taken);
	match_pair(m, found->symbol, new_->symbol, in_path ? MATCH_RENAMED : MATCH_ALIKE);
	found->taken = new_->taken = true;
}

static size_t bucket_end(const struct candidates *c, size_t first)
{
	size_t end = first;
	while (end < c->all.count && c->all.data[end].place == c->all.data[first].place &&
	       c->all.data[end].size == c->all.data[first].size)
		end++;
	return end;
}

/* Returns the number of functions from `first` on that have own names, lie in one section, and have
 * no partner yet. */
static uint32_t match_rename_run(const struct match_side *side, const uint32_t *partner,
				 uint32_t first)
{
	const struct snapshot *s = side->s;
	uint32_t count = 0;
	for (; first + count < s->symbols.count; count++) {
		const struct snap_symbol *y = &s->symbols.data[first + count];
		if (y->section != s->symbols.data[first].section || y->size == 0 ||
		    (side->places[y->section] & 0xff) != 't' ||
		    partner[first + count] != DIFF_NONE || !has_name(side, y))
			break;
	}
	return count;
}

/* Pairs runs of functions that lie between the same two neighbours, if their sizes are the same in
 * the same order: linkers keep the order of an object's functions. `after_of`: per symbol of the
 * base, its partner. */
static void match_rename_pair_run(struct matcher *m, const uint32_t *after_of, uint32_t first,
				  uint32_t count)
{
	const struct snap_symbol *now = m->after.s->symbols.data, *was = m->before.s->symbols.data;
	const uint32_t end = first + count;
	if (first == 0 || end == m->after.s->symbols.count || m->partner[first - 1] == DIFF_NONE ||
	    m->partner[end] == DIFF_NONE)
		return;
	const uint32_t old = m->partner[first - 1] + 1;
	uint64_t size = 0;
	bool same = m->partner[end] == (uint64_t)old + count &&
		    match_rename_run(&m->before, after_of, old) == count &&
		    m->before.places[was[old].section] == m->after.places[now[first].section];
	for (uint32_t i = 0; i < count && same; i++) {
		same = was[old + i].size == now[first + i].size;
		size += now[first + i].size;
	}
	for (uint32_t i = 0; i < count && same && size >= SMALL; i++)
		match_pair(m, old + i, first + i, MATCH_ALIKE);
}

static void match_rename_pair_runs(struct matcher *m)
{
	uint32_t *after_of = mem_alloc((m->before.s->symbols.count + 1) * sizeof *after_of);
	memset(after_of, 0xff, (m->before.s->symbols.count + 1) * sizeof *after_of);
	for (uint32_t i = 0; i < m->after.s->symbols.count; i++)
		if (m->partner[i] != DIFF_NONE)
			after_of[m->partner[i]] = i;
	for (size_t i = 0; i < m->after.left.count; i++) {
		const uint32_t first = m->after.left.data[i];
		const uint32_t count = match_rename_run(&m->after, m->partner, first);
		/* The list has every symbol of the run. */
		i += count > 0 ? count - 1 : 0;
		match_rename_pair_run(m, after_of, first, count);
	}
	mem_free(after_of);
}

void match_renamed(struct matcher *m)
{
	struct candidates old = { { 0 } }, new_ = { { 0 } };
	size_t o = 0, n = 0;
	match_rename_collect(&old, &m->before);
	match_rename_collect(&new_, &m->after);
	while (o < old.all.count && n < new_.all.count) {
		struct match_rename_candidate a = old.all.data[o], b = new_.all.data[n];
		a.symbol = b.symbol = 0;
		const int c = match_rename_compare(&a, &b);
		const size_t old_end = bucket_end(&old, o), new_end = bucket_end(&new_, n);
		ASSERT(o < old_end && n < new_end);
		const struct bucket bucket = { o, old_end, n, new_end };
		for (int in_path = 1; c == 0 && in_path >= 0; in_path--)
			for (size_t i = n; i < new_end; i++)
				if (!new_.all.data[i].taken && (in_path || b.size >= SMALL))
					match_rename_find_partner(m, &old, &new_, i, &bucket,
								  in_path);
		if (c <= 0)
			o = old_end;
		if (c >= 0)
			n = new_end;
	}
	vec_release_all(&old.all, &new_.all);
	match_drop(m);
	match_rename_pair_runs(m);
	match_drop(m);
}
