/* Pairs symbols without a name by their neighbours and by the references to them.
 *
 * Linkers keep the order of their input. So pairs that have the same order in both snapshots serve
 * as anchors. The symbols between two anchors (a gap) are aligned by scores, as in a text diff.
 * Also, two symbols to which a pair refers at the same place are a pair. The surest pairs come
 * first. Each pair identifies more references, and the steps repeat until no pair is found. */
#include "compare/match_alike.h"

#include "base/sort.h"

enum {
	CELLS_MOST = 1 << 12, /* Greatest number of cells in the table of an alignment. Larger
			       * alignments are done in pieces */
	VOTE_WORTH = 15,      /* Points that each vote (struct vote) adds to a pair */
	VOTES_MOST = 3,       /* Greatest number of votes of a pair that count */
	STEPS_MOST = 12,      /* Greatest number of rounds with one threshold */
	FEW_OF = 500,
	CELLS_OF = 32, /* Cells of alignments per symbol, for order.budget */
};

/* Scores that a pair must have, one threshold after the other. Below FAINT, the symbols of a gap
 * are paired only if both snapshots have equally many there. */
static const unsigned thresholds[] = { 90, 75, 60, 45, 30, 14 };
enum { FAINT = 30, CLEAR = 60, MARGIN = 6, VOTED_LEAST = 50 };

/* A section that both snapshots have, with its symbols in order */
struct match_order_sequence {
	VEC(uint32_t) before, after;
};

/* A column of the table of scores, and the size of its symbol */
struct sized_column {
	uint64_t size, column;
};

/* A pair whose symbols have the same order in both snapshots */
struct anchor {
	uint32_t old, new_; /* Indexes in `before` and `after` of a sequence */
};

/* The most likely partner of a symbol, and the score of the second most likely one */
struct favourite {
	uint32_t other;
	unsigned points, next;
};

struct order {
	struct matcher *m;
	struct alike alike;
	VEC(struct match_order_sequence) list;
	uint32_t *after_of;  /* Per symbol of `before`: its partner, or DIFF_NONE */
	uint32_t *places;    /* Per symbol of `after`: its index in its sequence */
	uint32_t *sequences; /* Per symbol of `after`: 1 + index of its sequence, or 0 */
	struct favourite *old_favourites, *new_favourites; /* Per symbol that has votes */
	uint64_t *tried; /* Per symbol of `before`: hash of the last gap tried after it */
	size_t budget;   /* Number of cells that alignments may still fill. Bounds the time */
	size_t found;    /* Number of pairs found in this step */
	/* The current alignment. Rows are symbols of `before`, columns those of `after`. */
	VEC(uint32_t) old_open, new_open;
	VEC(uint64_t) sizes; /* Per column: size of its symbol */
	VEC(struct alike_column) columns;
	VEC(struct sized_column) by_size;
	VEC(uint32_t) near; /* Columns with about the size of the row */
	VEC(uint8_t) scores;
	VEC(uint32_t)
	filled, ends; /* `filled`: columns of the cells that have a score, row by row. `ends`: per
		       * row, the end of its range in `filled` */
	VEC(uint32_t) sums;
	VEC(struct anchor) anchors;
	VEC(uint32_t) tails, links; /* Scratch of anchors_keep() */
};

/* True if a symbol belongs to a sequence: it has address and size, no name that begins with "**",
 * and is the first of its aliases. */
static bool match_order_has_place(const struct snapshot *s, const struct snap_symbol *y)
{
	return y->addr > 0 && y->size > 0 && y->alias_place == 0 &&
	       !snap_is_star(snapshot_text(s, y->full_name));
}

static uint32_t match_order_section_key(struct matcher *m, struct match_side *side,
					const struct snap_section *sec, struct text *work)
{
	const uint32_t index = (uint32_t)(sec - side->s->sections.data);
	text_set(work, STR(""));
	text_add_number(work, side->places[index] >> 8);
	text_add_char(work, ' ');
	text_add(work, str_of(sec->name));
	return intern_add(&m->common, text_str(work));
}

static void sequence_add(struct order *o, const struct snap_section *old,
			 const struct snap_section *new_)
{
	const struct snapshot *b = o->m->before.s, *n = o->m->after.s;
	struct match_order_sequence q = { { 0 }, { 0 } };
	ASSERT(old->first + old->count <= b->symbols.count);
	ASSERT(new_->first + new_->count <= n->symbols.count);
	for (uint64_t i = old->first; i < old->first + old->count; i++)
		if (match_order_has_place(b, &b->symbols.data[i]))
			vec_push(&q.before, (uint32_t)i);
	for (uint64_t i = new_->first; i < new_->first + new_->count; i++)
		if (match_order_has_place(n, &n->symbols.data[i])) {
			o->places[i] = (uint32_t)q.after.count;
			o->sequences[i] = (uint32_t)o->list.count + 1;
			vec_push(&q.after, (uint32_t)i);
		}
	vec_push(&o->list, q);
}

/* Makes the sequences. Sections of one name in a container form one sequence. */
static void sequences_make(struct order *o)
{
	const struct snapshot *b = o->m->before.s, *n = o->m->after.s;
	struct text work = { 0 };
	struct map by_key = { 0 };
	VEC(uint32_t) keys = { 0 };
	for (uint32_t i = 0; i < b->sections.count; i++) {
		const uint32_t key = match_order_section_key(o->m, &o->m->before,
							     &b->sections.data[i], &work);
		struct map_at at = map_at(&by_key, hash_u64(key));
		uint32_t other;
		while (map_next(&by_key, &at, &other))
			;
		map_put(&by_key, &at, i);
		vec_push(&keys, key);
	}
	for (uint32_t i = 0; i < n->sections.count; i++) {
		const struct snap_section *sec = &n->sections.data[i];
		const uint32_t key = match_order_section_key(o->m, &o->m->after, sec, &work);
		struct map_at at = map_at(&by_key, hash_u64(key));
		uint32_t old;
		while (map_next(&by_key, &at, &old))
			if (keys.data[old] == key) {
				sequence_add(o, &b->sections.data[old], sec);
				break;
			}
	}
	text_release(&work);
	map_release(&by_key);
	vec_release(&keys);
}

static void pair_found(struct order *o, uint32_t before, uint32_t after, enum match_pass pass)
{
	ASSERT(o->m->partner[after] == DIFF_NONE && o->after_of[before] == DIFF_NONE);
	match_pair(o->m, before, after, pass);
	o->after_of[before] = after;
	alike_learn(&o->alike, before, after);
	o->found++;
}

/* True if two symbols may be a pair: one or both are nameless. A build may have lost the name. */
static bool may_be_one(const struct order *o, uint32_t before, uint32_t after)
{
	return o->m->before.nameless[before] || o->m->after.nameless[after];
}

static bool match_order_is_text(const struct match_side *side, uint32_t symbol)
{
	return snap_is_literal(snapshot_text(side->s, side->s->symbols.data[symbol].full_name));
}

/* The symbols between two anchors (pairs in order) in each snapshot, as in old_open and new_open */
struct gap {
	const uint32_t *old, *new_;
	size_t old_count, new_count;
};

/* Sets o->near to the columns whose symbol has the size of a row. */
static void columns_equal(struct order *o, uint64_t size)
{
	const struct sized_column *list = o->by_size.data;
	const size_t first = lower_bound(list, o->by_size.count, sizeof *list, size);
	for (size_t i = first; i < o->by_size.count && list[i].size == size; i++)
		o->near.data[o->near.count++] = (uint32_t)list[i].column;
}

/* Sets o->near to the columns with about the size of a row: the smaller size is at least `percent`
 * of the larger one. May include a few more. */
static void columns_near(struct order *o, uint64_t size, unsigned percent)
{
	const bool huge = size > UINT64_MAX / 100;
	const uint64_t low = huge ? 0 : size * percent / 100;
	const uint64_t high = huge ? UINT64_MAX : size * 100 / percent + 1;
	const uint64_t *sizes = o->sizes.data;
	uint32_t *to = o->near.data;
	size_t found = 0;
	for (uint32_t k = 0; k < o->sizes.count; k++) {
		to[found] = k;
		found += sizes[k] - low <= high - low;
	}
	o->near.count = found;
}

/* Makes a column for each new symbol of the gap. Returns the bits of enum alike_has of all. */
static unsigned columns_read(struct order *o, const struct gap *g)
{
	const struct alike *a = &o->alike;
	unsigned has = 0;
	o->sizes.count = o->by_size.count = o->near.count = o->columns.count = 0;
	for (size_t k = 0; k < g->new_count; k++) {
		const struct alike_symbol *n = &a->after.symbols[g->new_[k]];
		has |= alike_has_of(a, n);
		vec_push(&o->sizes, n->size);
		vec_push(&o->columns, alike_column_read(&o->alike, g->new_[k]));
		vec_push(&o->by_size, (struct sized_column){ n->size, k });
	}
	vec_reserve(&o->near, g->new_count + 1);
	return has;
}

/* Scores the pairs of symbols that may_be_one() accepts. False if no score reaches `least`. */
static bool scores_fill(struct order *o, const struct gap *g, unsigned least)
{
	const unsigned has = columns_read(o, g);
	bool sorted = false;
	o->scores.count = o->filled.count = o->ends.count = 0;
	vec_reserve(&o->scores, g->old_count * g->new_count);
	memset(o->scores.data, 0, g->old_count * g->new_count);
	for (size_t i = 0; i < g->old_count; i++) {
		const struct alike_symbol *b = &o->alike.before.symbols[g->old[i]];
		const unsigned percent = alike_sizes_least(b, has, least);
		o->near.count = 0;
		if (percent > 100 && !sorted)
			sort_by_key(o->by_size.data, o->by_size.count, sizeof *o->by_size.data);
		sorted = sorted || percent > 100;
		if (percent > 100)
			columns_equal(o, b->size);
		else
			columns_near(o, b->size, percent);
		alike_keep_near(&o->alike, g->old[i], o->columns.data, o->near.data, &o->near.count,
				least);
		for (size_t x = 0; x < o->near.count; x++) {
			const uint32_t k = o->near.data[x];
			if (!may_be_one(o, g->old[i], g->new_[k]))
				continue;
			const unsigned score = alike_score(&o->alike, g->old[i], g->new_[k], least);
			if (score < least)
				continue;
			o->scores.data[i * g->new_count + k] = (uint8_t)score;
			vec_push(&o->filled, k);
		}
		vec_push(&o->ends, (uint32_t)o->filled.count);
	}
	return o->filled.count > 0;
}

/* True if no other symbol of the gap is nearly as similar to that of row i or column k. */
static bool is_clear(const struct order *o, const struct gap *g, size_t i, size_t k)
{
	const uint8_t *scores = o->scores.data;
	const unsigned score = scores[i * g->new_count + k];
	if (score >= CLEAR || g->old_count == g->new_count)
		return true;
	for (size_t x = 0; x < g->old_count; x++)
		if (x != i && (unsigned)scores[x * g->new_count + k] + MARGIN > score)
			return false;
	for (size_t y = 0; y < g->new_count; y++)
		if (y != k && (unsigned)scores[i * g->new_count + y] + MARGIN > score)
			return false;
	return true;
}

/* Raises cells of a row to `sum`, from right to left, until a cell is at least as large. Then
 * returns 0, because all cells left of it are as large too. Otherwise returns `sum`. */
static uint32_t row_raise(uint32_t *row, size_t first, size_t end, uint32_t sum)
{
	for (size_t k = end; k-- > first;) {
		if (row[k] >= sum)
			return 0;
		row[k] = sum;
	}
	return sum;
}

/* Fills o->sums. A cell's sum is the best total score of pairs, in order, from its row and column
 * on. A row equals the one below, except where its scores raise it. */
static void sums_fill(struct order *o, const struct gap *g)
{
	const size_t width = g->new_count + 1;
	o->sums.count = 0;
	vec_reserve(&o->sums, (g->old_count + 1) * width);
	memset(o->sums.data + g->old_count * width, 0, width * sizeof *o->sums.data);
	for (size_t i = g->old_count; i-- > 0;) {
		uint32_t *here = o->sums.data + i * width, *next = here + width, sum = 0;
		const size_t first = i > 0 ? o->ends.data[i - 1] : 0;
		size_t end = 0;
		memcpy(here, next, width * sizeof *here);
		for (size_t x = o->ends.data[i]; x-- > first; end = o->filled.data[x] + 1) {
			const size_t k = o->filled.data[x];
			const uint32_t score = o->scores.data[i * g->new_count + k];
			sum = row_raise(here, k + 1, end, sum);
			sum = sum > next[k + 1] + score ? sum : next[k + 1] + score;
		}
		(void)row_raise(here, 0, end, sum);
	}
}

/* True if nothing has changed since the gap was aligned with this `least` without success. */
static bool gap_was_tried(struct order *o, const struct gap *g, unsigned least)
{
	uint64_t state = hash_pair(least, g->old_count);
	for (size_t i = 0; i < g->old_count; i++)
		state = alike_state(&o->alike, &o->alike.before, g->old[i], state);
	for (size_t i = 0; i < g->new_count; i++)
		state = alike_state(&o->alike, &o->alike.after, g->new_[i], state);
	const bool same = o->tried[g->old[0]] == state;
	o->tried[g->old[0]] = state;
	return same;
}

static void gap_pair(struct order *o, const struct gap *g, unsigned least)
{
	const size_t width = g->new_count + 1;
	ASSERT(g->old_count * g->new_count <= o->budget);
	o->budget -= g->old_count * g->new_count;
	if (gap_was_tried(o, g, least) || !scores_fill(o, g, least))
		return;
	sums_fill(o, g);
	for (size_t i = 0, k = 0; i < g->old_count && k < g->new_count;) {
		const uint32_t *here = o->sums.data + i * width + k;
		const unsigned score = o->scores.data[i * g->new_count + k];
		if (score > 0 && *here == here[width + 1] + score) {
			if (is_clear(o, g, i, k))
				pair_found(o, g->old[i], g->new_[k], MATCH_NEIGHBOURS);
			i++, k++;
		} else if (*here == here[width])
			i++;
		else
			k++;
	}
}

/* Aligns a gap. A large gap is aligned in pieces along the diagonal. */
static void gap_align(struct order *o, unsigned least)
{
	const struct gap g = { o->old_open.data, o->new_open.data, o->old_open.count,
			       o->new_open.count };
	size_t pieces = 1;
	while (g.old_count / pieces * (g.new_count / pieces) > CELLS_MOST)
		pieces++;
	for (size_t i = 0; i < pieces; i++) {
		const size_t old = g.old_count * i / pieces, new_ = g.new_count * i / pieces;
		const struct gap piece = { g.old + old, g.new_ + new_,
					   g.old_count * (i + 1) / pieces - old,
					   g.new_count * (i + 1) / pieces - new_ };
		if (piece.old_count > 0 && piece.new_count > 0 &&
		    piece.old_count * piece.new_count <= o->budget)
			gap_pair(o, &piece, least);
	}
}

/* Keeps the largest set of anchors that have the same order in both snapshots. The list is in the
 * old snapshot's order. */
static void anchors_keep(struct order *o)
{
	struct anchor *list = o->anchors.data;
	size_t length = 0;
	o->tails.count = o->links.count = 0;
	vec_reserve(&o->tails, o->anchors.count + 1);
	vec_reserve(&o->links, o->anchors.count + 1);
	uint32_t *tails = o->tails.data, *before = o->links.data;
	for (uint32_t i = 0; i < o->anchors.count; i++) {
		size_t at = length;
		if (length > 0 && list[tails[length - 1]].new_ >= list[i].new_)
			BISECT(at, 0, length, x, list[tails[x]].new_ < list[i].new_);
		before[i] = at > 0 ? tails[at - 1] : UINT32_MAX;
		tails[at] = i;
		length = max_u64(length, at + 1);
	}
	uint32_t at = length > 0 ? tails[length - 1] : UINT32_MAX;
	for (size_t k = length; k-- > 0; at = before[at])
		tails[k] = at;
	for (size_t k = 0; k < length; k++)
		list[k] = list[tails[k]];
	o->anchors.count = length;
}

static void anchors_find(struct order *o, size_t sequence)
{
	const struct match_order_sequence *q = &o->list.data[sequence];
	o->anchors.count = 0;
	for (uint32_t i = 0; i < q->before.count; i++) {
		const uint32_t after = o->after_of[q->before.data[i]];
		if (after != DIFF_NONE && o->sequences[after] == sequence + 1)
			vec_push(&o->anchors, (struct anchor){ i, o->places[after] });
	}
	anchors_keep(o);
}

/* Aligns the symbols after anchor `from` and before anchor `end`. */
static void between_align(struct order *o, const struct match_order_sequence *q, struct anchor from,
			  struct anchor end, unsigned least)
{
	o->old_open.count = o->new_open.count = 0;
	for (uint32_t i = from.old; i < end.old; i++)
		if (o->after_of[q->before.data[i]] == DIFF_NONE &&
		    !match_order_is_text(&o->m->before, q->before.data[i]))
			vec_push(&o->old_open, q->before.data[i]);
	for (uint32_t i = from.new_; i < end.new_ && o->old_open.count > 0; i++)
		if (o->m->partner[q->after.data[i]] == DIFF_NONE &&
		    !match_order_is_text(&o->m->after, q->after.data[i]))
			vec_push(&o->new_open, q->after.data[i]);
	if (o->old_open.count > 0 && o->new_open.count > 0 &&
	    (least >= FAINT || o->old_open.count == o->new_open.count))
		gap_align(o, least);
}

static void sequence_align(struct order *o, size_t sequence, unsigned least)
{
	const struct match_order_sequence *q = &o->list.data[sequence];
	struct anchor from = { 0, 0 };
	anchors_find(o, sequence);
	vec_each(const struct anchor, next, &o->anchors) {
		ASSERT(from.old <= next->old && from.new_ <= next->new_);
		between_align(o, q, from, *next, least);
		from = (struct anchor){ next->old + 1, next->new_ + 1 };
	}
	const struct anchor end = { (uint32_t)q->before.count, (uint32_t)q->after.count };
	between_align(o, q, from, end, least);
}

static void favourite_see(struct favourite *f, uint32_t other, unsigned points)
{
	if (points > f->points)
		*f = (struct favourite){ other, points, f->points };
	else if (points > f->next)
		f->next = points;
}

/* A pair that other pairs suggest by votes. Points: its score, and VOTE_WORTH per vote */
struct candidate_pair {
	uint32_t before, after;
	unsigned points;
};

typedef VEC(struct candidate_pair) candidate_vec;

static bool match_order_is_open(const struct order *o, uint32_t before, uint32_t after)
{
	return o->after_of[before] == DIFF_NONE && o->m->partner[after] == DIFF_NONE;
}

/* Returns the pairs with votes (struct vote). `rare`: also with those of alike_vote_rare(). Omits
 * pairs below `least` - MARGIN points: too few to be taken, or to rival a pair that is. */
static candidate_vec votes_count(struct order *o, unsigned least, bool rare)
{
	candidate_vec list = { 0 };
	alike_vote(&o->alike, o->after_of, o->m->partner);
	if (rare)
		alike_vote_rare(&o->alike, o->after_of, o->m->partner);
	struct vote *votes = o->alike.votes.data;
	sort_by_key(votes, o->alike.votes.count, sizeof *votes);
	for (size_t i = 0, end; i < o->alike.votes.count; i = end) {
		const uint32_t before = (uint32_t)(votes[i].pair >> 32);
		const uint32_t after = (uint32_t)votes[i].pair;
		for (end = i; end < o->alike.votes.count && votes[end].pair == votes[i].pair;)
			end++;
		if (!may_be_one(o, before, after))
			continue;
		const unsigned worth = (unsigned)min_u64(end - i, VOTES_MOST) * VOTE_WORTH;
		const unsigned need = least > MARGIN + worth ? least - MARGIN - worth : 0;
		const unsigned score = alike_vote_score(&o->alike, &votes[i], need);
		if (score >= need)
			vec_push(&list, (struct candidate_pair){ before, after, score + worth });
	}
	return list;
}

/* Pairs two symbols if each is clearly the most likely partner of the other. */
static void votes_take(struct order *o, unsigned least, bool rare)
{
	const unsigned points = (unsigned)max_u64(least, VOTED_LEAST);
	candidate_vec list = votes_count(o, points, rare);
	struct favourite *old = o->old_favourites, *new_ = o->new_favourites;
	vec_each(const struct candidate_pair, c, &list)
		old[c->before] = new_[c->after] = (struct favourite){ 0 };
	vec_each(const struct candidate_pair, c, &list) {
		favourite_see(&old[c->before], c->after, c->points);
		favourite_see(&new_[c->after], c->before, c->points);
	}
	vec_each(const struct candidate_pair, c, &list) {
		const struct favourite *a = &old[c->before], *b = &new_[c->after];
		if (a->other == c->after && b->other == c->before &&
		    c->points >= max_u64(a->next, b->next) + MARGIN && c->points >= points &&
		    match_order_is_open(o, c->before, c->after))
			pair_found(o, c->before, c->after, MATCH_REFERENCES);
	}
	vec_release(&list);
}

static bool match_order_lacks_names(const struct match_side *side)
{
	for (size_t i = 0; i < side->left.count; i++)
		if (side->nameless[side->left.data[i]])
			return true;
	return false;
}

static void order_init(struct order *o, struct matcher *m)
{
	const size_t old = m->before.s->symbols.count, new_ = m->after.s->symbols.count;
	*o = (struct order){ .m = m, .budget = ((size_t)1 << 21) + CELLS_OF * (old + new_) };
	o->after_of = mem_alloc((old + 1) * sizeof *o->after_of);
	memset(o->after_of, 0xff, (old + 1) * sizeof *o->after_of);
	o->places = mem_zeroed(new_ + 1, sizeof *o->places);
	o->sequences = mem_zeroed(new_ + 1, sizeof *o->sequences);
	o->tried = mem_zeroed(old + 1, sizeof *o->tried);
	o->old_favourites = mem_alloc((old + 1) * sizeof *o->old_favourites);
	o->new_favourites = mem_alloc((new_ + 1) * sizeof *o->new_favourites);
	for (uint32_t i = 0; i < new_; i++)
		if (m->partner[i] != DIFF_NONE)
			o->after_of[m->partner[i]] = i;
	sequences_make(o);
	alike_init(&o->alike, m);
}

static void order_release(struct order *o)
{
	for (size_t i = 0; i < o->list.count; i++) {
		vec_release_all(&o->list.data[i].before, &o->list.data[i].after);
	}
	vec_release(&o->list);
	mem_free_all(o->after_of, o->places, o->sequences, o->tried, o->old_favourites,
		     o->new_favourites);
	vec_release_all(&o->old_open, &o->new_open, &o->sizes, &o->by_size, &o->columns, &o->near,
			&o->scores, &o->filled);
	vec_release_all(&o->ends, &o->sums, &o->anchors, &o->tails, &o->links);
	alike_release(&o->alike);
}

void match_nameless(struct matcher *m)
{
	struct order o;
	if (!match_order_lacks_names(&m->before) || !match_order_lacks_names(&m->after))
		return;
	order_init(&o, m);
	/* Another step that pairs only a few of very many symbols is not worth its time. */
	const size_t few = (m->before.left.count + m->after.left.count) / FEW_OF;
	for (size_t t = 0; t < COUNT_OF(thresholds); t++) {
		/* Without clues about the contents (clues.h), pairs of code cannot score more than
		 * SIZES_ALONE. */
		o.found = m->before.has_clues || thresholds[t] <= SIZES_ALONE ? few + 1 : 0;
		for (unsigned step = 0; step < STEPS_MOST && o.found > few; step++) {
			o.found = 0;
			votes_take(&o, thresholds[t], step == 0);
			for (size_t i = 0; i < o.list.count; i++)
				sequence_align(&o, i, thresholds[t]);
		}
	}
	order_release(&o);
	match_drop(m);
}
