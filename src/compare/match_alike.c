/* Scores how similar two nameless symbols are, by references, instructions and sizes. */
#include "compare/match_alike.h"

#include "base/map.h"
#include "base/sort.h"

enum { KNOWN_TEXT = 1, KNOWN_PAIR = 2, KNOWN_CONTENTS = 3, KNOWN_KIND = 3 };

static uint64_t ident_of(uint64_t number, unsigned kind)
{
	return number << 2 | kind;
}

/* Returns the ident of offset `off` in the target with `ident`. 0 if `ident` is 0, unknown. */
static uint64_t ident_at(uint64_t ident, uint32_t off)
{
	return ident == 0 ? 0 : ident + ((uint64_t)off << 32);
}

static uint64_t first_ident(struct matcher *m, struct match_side *side, const struct snap_symbol *y)
{
	const struct str name = snapshot_text(side->s, y->full_name);
	if (name.len == 0 || snap_is_star(name))
		return 0;
	if (!match_is_nameless(side, y))
		return ident_of(match_text(m, side, y->full_name), KNOWN_TEXT);
	if (side->s->sections.data[y->section].code || y->contents.shape == 0)
		return 0;
	return ident_of(y->contents.whole, KNOWN_CONTENTS);
}

struct match_alike_start {
	uint64_t addr;
	uint32_t symbol, container;
};

typedef VEC(struct match_alike_start) start_vec;

/* Returns the symbols of a container that have addresses, sorted by address. */
static start_vec starts_list(const struct snapshot *s, uint32_t container)
{
	start_vec starts = { 0 };
	for (uint32_t i = 0; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		const struct snap_section *sec = &s->sections.data[y->section];
		if (sec->container == container && sec->native && y->addr > 0 && y->size > 0 &&
		    y->alias_place == 0)
			vec_push(&starts, (struct match_alike_start){ y->addr, i, container });
	}
	sort_by_key(starts.data, starts.count, sizeof *starts.data);
	return starts;
}

static uint32_t match_alike_symbol_at(const struct snapshot *s, const start_vec *starts,
				      uint64_t addr)
{
	const size_t i = upper_bound(starts->data, starts->count, sizeof *starts->data, addr);
	if (i == 0)
		return DIFF_NONE;
	const struct snap_symbol *y = &s->symbols.data[starts->data[i - 1].symbol];
	return addr - y->addr < y->size ? starts->data[i - 1].symbol : DIFF_NONE;
}

enum {
	REFS_MOST = 512
}; /* Greatest number of references of a symbol to compare. Others are ignored */

static struct alike_ref ref_resolve(struct alike *a, const struct alike_side *as,
				    const start_vec *starts, uint64_t lowest, uint64_t ref)
{
	const struct snapshot *s = as->side->s;
	struct alike_ref to = { .target = DIFF_NONE };
	if (ref & CLUE_NAMED) {
		to.ident = ident_of(match_text(a->m, as->side, (uint32_t)ref), KNOWN_TEXT);
		return to;
	}
	to.target = match_alike_symbol_at(s, starts, lowest + ref);
	if (to.target != DIFF_NONE) {
		to.off = (uint32_t)(lowest + ref - s->symbols.data[to.target].addr);
		to.ident = ident_at(as->symbols[to.target].ident, to.off);
	}
	return to;
}

/* Finds what the references of a container's symbols lead to, and which symbols have clues. Appends
 * the references to as->refs. Leaves out the references of a paired symbol if all lead to targets
 * with an ident: they tell nothing new. */
static void container_resolve(struct alike *a, struct alike_side *as, uint32_t container)
{
	const struct snapshot *s = as->side->s;
	const struct clues *c = clues_of(s, container);
	start_vec starts = starts_list(s, container);
	for (size_t i = 0, k = 0; i < starts.count && k < c->list.count; i++) {
		while (k < c->list.count && c->list.data[k].addr < starts.data[i].addr)
			k++;
		if (k == c->list.count || c->list.data[k].addr != starts.data[i].addr)
			continue;
		const struct clue *clue = &c->list.data[k];
		struct alike_symbol *y = &as->symbols[starts.data[i].symbol];
		struct alike_ref *to = as->refs + as->ref_count;
		ASSERT(clue->first_ref + (uint64_t)clue->ref_count <= c->refs.count);
		y->clue = clue;
		y->sample = clue->sample ? &c->samples.data[clue->sample - 1] : NULL;
		y->settled = (y->ident & KNOWN_KIND) == KNOWN_PAIR;
		for (size_t r = 0; r < min_u64(clue->ref_count, REFS_MOST); r++) {
			to[r] = ref_resolve(a, as, &starts, c->lowest,
					    c->refs.data[clue->first_ref + r]);
			y->settled = y->settled && (to[r].ident != 0 || to[r].target == DIFF_NONE);
		}
		if (y->settled)
			continue;
		y->refs = to;
		y->ahead = as->ahead + as->ref_count;
		y->ref_count = (uint32_t)min_u64(clue->ref_count, REFS_MOST);
		as->ref_count += y->ref_count;
	}
	vec_release(&starts);
}

/* Fills refs_to and first_to: lists the references to each symbol. */
static void refs_turn(struct alike_side *as)
{
	const size_t symbols = as->side->s->symbols.count, count = as->ref_count;
	as->first_to = mem_zeroed(symbols + 2, sizeof *as->first_to);
	as->refs_to = mem_alloc((count + 1) * sizeof *as->refs_to);
	for (size_t i = 0; i < count; i++)
		if (as->refs[i].target != DIFF_NONE)
			as->first_to[as->refs[i].target + 2]++;
	for (size_t i = 0; i < symbols; i++)
		as->first_to[i + 2] += as->first_to[i + 1];
	for (uint32_t i = 0; i < count; i++)
		if (as->refs[i].target != DIFF_NONE)
			as->refs_to[as->first_to[as->refs[i].target + 1]++] = i;
}

static void symbol_learn(struct alike_side *as, uint32_t symbol, uint64_t ident, uint32_t when)
{
	as->symbols[symbol].ident = ident;
	for (uint32_t i = as->first_to[symbol]; i < as->first_to[symbol + 1]; i++) {
		struct alike_ref *r = &as->refs[as->refs_to[i]];
		const uint64_t now = ident_at(ident, r->off);
		if (r->ident != now)
			as->changes[as->refs_to[i] / ALIKE_CHUNK] = when;
		r->ident = now;
	}
}

static void match_alike_side_init(struct alike *a, struct alike_side *as, struct match_side *side)
{
	const struct snapshot *s = side->s;
	*as = (struct alike_side){
		.side = side,
		.symbols = mem_zeroed(s->symbols.count + 1, sizeof *as->symbols),
	};
	for (uint32_t i = 0; i < s->symbols.count; i++) {
		const struct snap_symbol *y = &s->symbols.data[i];
		struct alike_symbol *z = &as->symbols[i];
		z->size = y->size;
		z->code = s->sections.data[y->section].code;
		z->owner = z->code ? DIFF_NONE : match_owner(side, y);
		z->ident = first_ident(a->m, side, y);
	}
}

static void refs_init(struct alike *a, struct alike_side *as)
{
	const struct snapshot *s = as->side->s;
	size_t refs = 0;
	for (uint32_t i = 0; i < s->containers.count; i++)
		refs += clues_of(s, i) ? clues_of(s, i)->refs.count : 0;
	ASSERT(refs < UINT32_MAX);
	/* Allocates room for all references. Pages of it that stay unused take no memory. */
	as->refs = mem_alloc((refs + 1) * sizeof *as->refs);
	as->ahead = mem_alloc((refs + 1) * sizeof *as->ahead);
	as->changes = mem_zeroed(refs / ALIKE_CHUNK + 1, sizeof *as->changes);
	for (uint32_t i = 0; i < s->containers.count; i++)
		if (clues_of(s, i))
			container_resolve(a, as, i);
	refs_turn(as);
	for (uint32_t i = 0; i < s->symbols.count; i++)
		as->symbols[i].print = match_print(as->side, &s->symbols.data[i],
						   as->symbols[i].clue);
}

void alike_init(struct alike *a, struct matcher *m)
{
	*a = (struct alike){ .m = m, .learned = 1 };
	match_alike_side_init(a, &a->before, &m->before);
	match_alike_side_init(a, &a->after, &m->after);
	for (uint32_t i = 0; i < m->after.s->symbols.count; i++)
		if (m->partner[i] != DIFF_NONE)
			a->before.symbols[m->partner[i]].ident = a->after.symbols[i].ident =
				ident_of(i, KNOWN_PAIR);
	refs_init(a, &a->before);
	refs_init(a, &a->after);
}

static void match_alike_side_release(struct alike_side *as)
{
	mem_free_all(as->symbols, as->refs, as->ahead, as->changes, as->first_to, as->refs_to);
}

void alike_release(struct alike *a)
{
	match_alike_side_release(&a->before);
	match_alike_side_release(&a->after);
	vec_release_all(&a->votes, &a->features);
	map_release(&a->feature_of);
}

void alike_learn(struct alike *a, uint32_t before, uint32_t after)
{
	const uint64_t ident = ident_of(after, KNOWN_PAIR);
	ASSERT(before < a->before.side->s->symbols.count);
	ASSERT(after < a->after.side->s->symbols.count);
	symbol_learn(&a->before, before, ident, a->learned);
	symbol_learn(&a->after, after, ident, a->learned);
	a->learned++;
}

/* Comparison of two lists of references: how many agree, how many differ */
struct match_alike_agreement {
	size_t same, different;
};

/* True if two references to targets without an ident may agree: both lead to the same kind of
 * section. */
static bool may_pair(const struct alike *a, uint32_t before, uint32_t after)
{
	const struct snapshot *b = a->before.side->s, *n = a->after.side->s;
	return before != DIFF_NONE && after != DIFF_NONE &&
	       a->before.side->places[b->symbols.data[before].section] ==
		       a->after.side->places[n->symbols.data[after].section];
}

enum { AHEAD = 8 };

/* Returns a word with one bit, chosen by an ident (alike_ref.ident). 0 if `ident` is 0, unknown. */
static uint64_t bit_of(uint64_t ident)
{
	return ident != 0 ? UINT64_C(1) << (ident * HASH_ODD_1 >> 58) : 0;
}

/* True if no reference near a symbol's (in its chunks of ALIKE_CHUNK references) has changed since
 * alike.learned was `since`. */
static bool refs_kept(const struct alike_side *as, const struct alike_symbol *y, uint32_t since)
{
	uint32_t latest = 0;
	const size_t first = y->ref_count > 0 ? (size_t)(y->refs - as->refs) : 0;
	for (size_t i = first / ALIKE_CHUNK; i * ALIKE_CHUNK < first + y->ref_count; i++)
		latest = as->changes[i] > latest ? as->changes[i] : latest;
	return latest < since;
}

/* Computes `known`, `known_count` and `ahead` of a symbol, unless they are up to date. */
static void known_read(const struct alike *a, const struct alike_side *as, struct alike_symbol *y)
{
	uint64_t *ahead = y->ahead;
	const size_t count = y->ref_count;
	const bool fresh = y->read_at == a->learned || refs_kept(as, y, y->read_at);
	y->read_at = a->learned;
	if (fresh)
		return;
	y->known = y->known_count = 0;
	for (size_t i = 0; i < count; i++) {
		ahead[i] = bit_of(y->refs[i].ident);
		y->known |= ahead[i];
		y->known_count += ahead[i] != 0;
	}
	/* Each step doubles the references whose bits ahead[i] has. The last step adds one. */
	static const size_t steps[] = { 1, 2, 4, 1 };
	_Static_assert(1 + 1 + 2 + 4 + 1 == AHEAD + 1, "a reference and the next AHEAD");
	for (size_t s = 0; s < COUNT_OF(steps); s++)
		for (size_t i = 0; i + steps[s] < count; i++)
			ahead[i] |= ahead[i + steps[s]];
}

static void both_read(const struct alike *a, struct alike_symbol *b, struct alike_symbol *n)
{
	known_read(a, &a->before, b);
	known_read(a, &a->after, n);
}

/* Moves *i and *k to where both lists of references agree again, skipping as few as possible. False
 * if that is too far. */
static bool refs_resume(const struct alike_symbol *b, const struct alike_symbol *n, size_t *i,
			size_t *k)
{
	const size_t bi = *i, nk = *k;
	size_t fewest = AHEAD + 1;
	if ((b->ahead[bi] & n->ahead[nk]) == 0)
		return false;
	for (size_t x = 0; x < fewest && bi + x < b->ref_count; x++) {
		const uint64_t ident = b->refs[bi + x].ident;
		if ((bit_of(ident) & n->ahead[nk]) == 0)
			continue;
		size_t y = 0;
		while (x + y < fewest && nk + y < n->ref_count && n->refs[nk + y].ident != ident)
			y++;
		if (x + y >= fewest || nk + y == n->ref_count)
			continue;
		fewest = x + y;
		*i = bi + x;
		*k = nk + y;
	}
	return fewest <= AHEAD;
}

/* Sum of the compared parts (each 0 to 100, times its weight), and sum of the weights */
struct score {
	unsigned sum, weight;
};

static void score_add(struct score *s, unsigned part, unsigned weight)
{
	s->sum += part * weight;
	s->weight += weight;
}

/* Weights of the parts. OF_REFS is the highest that references can have. */
enum { OF_REFS = 3, OF_GRAMS = 2, OF_OWNERS = 3, OF_CODE_SIZE = 1 };

/* A score before references are compared, and the score that is wanted. `later`: weight of the
 * parts that come afterwards */
struct score_goal {
	struct score so_far;
	unsigned later, least;
};

/* True if a score can reach its goal with at most `same` equal references and at least `different`
 * different ones. */
static inline bool goal_in_reach(const struct score_goal *g, size_t same, size_t different)
{
	const size_t all = same + different, weight = min_u64(all, OF_REFS);
	const size_t have = g->so_far.sum + 100 * g->later;
	const size_t need = g->least * (g->so_far.weight + g->later + weight);
	/* Equal sizes without other similarity have a score of their own (SIZES_ALONE). */
	return g->so_far.weight + g->later + different <= 2 || need <= have ||
	       (need - have) * all <= 100 * same * weight;
}

static void vote_add(struct alike *a, uint32_t before, uint32_t after)
{
	vec_push(&a->votes,
		 (struct vote){ .pair = (uint64_t)before << 32 | after, .voter = a->voter });
}

/* Compares two lists of references. Returns how many agree and differ. With a goal, stops when it
 * cannot be reached. If `votes` is not NULL, adds votes: the targets of unknown references that lie
 * between equal references, or at both ends, may be a pair. */
static struct match_alike_agreement refs_compare(const struct alike_symbol *b,
						 const struct alike_symbol *n,
						 const struct score_goal *goal, struct alike *votes)
{
	struct match_alike_agreement ret = { 0, 0 };
	size_t i = 0, k = 0, sure = votes ? votes->votes.count : 0;
	while (i < b->ref_count && k < n->ref_count) {
		const struct alike_ref *was = &b->refs[i], *now = &n->refs[k];
		if (was->ident == now->ident) {
			if (was->ident == 0 && votes && may_pair(votes, was->target, now->target))
				vote_add(votes, was->target, now->target);
			if (was->ident != 0) {
				ret.same++;
				sure = votes ? votes->votes.count : 0;
			}
			i++, k++;
			continue;
		}
		const size_t bi = i, nk = k;
		if (!refs_resume(b, n, &i, &k))
			i++, k++;
		ret.different += max_u64(i - bi, k - nk);
		if (votes)
			votes->votes.count = sure;
		const size_t left = min_u64(b->ref_count - i, n->ref_count - k);
		if (goal && !goal_in_reach(goal, ret.same + left, ret.different))
			break;
	}
	ret.different += (b->ref_count - i) + (n->ref_count - k);
	if (votes && (i < b->ref_count || k < n->ref_count))
		votes->votes.count = sure;
	return ret;
}

/* True if a reference leads to a symbol without an ident. If none does, sets y->settled. */
static bool has_unknown(struct alike_symbol *y)
{
	for (size_t i = 0; i < y->ref_count && !y->settled; i++)
		if (y->refs[i].ident == 0 && y->refs[i].target != DIFF_NONE)
			return true;
	y->settled = true;
	return false;
}

/* Removes votes for symbols that have a partner now, and votes by pairs that will vote again. */
static void votes_keep(struct alike *a, const uint32_t *partner_before,
		       const uint32_t *partner_after)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->votes.count; i++) {
		const struct vote v = a->votes.data[i];
		a->votes.data[kept] = v;
		kept += partner_before[v.pair >> 32] == DIFF_NONE &&
			partner_after[(uint32_t)v.pair] == DIFF_NONE &&
			(v.voter == DIFF_NONE || a->after.symbols[v.voter].voted_at > 0);
	}
	a->votes.count = kept;
}

void alike_vote(struct alike *a, const uint32_t *partner_before, const uint32_t *partner_after)
{
	VEC(uint32_t) voters = { 0 };
	for (uint32_t i = 0; i < a->after.side->s->symbols.count; i++) {
		struct alike_symbol *n = &a->after.symbols[i];
		if (partner_after[i] == DIFF_NONE || !n->clue)
			continue;
		struct alike_symbol *b = &a->before.symbols[partner_after[i]];
		if (refs_kept(&a->before, b, n->voted_at) && refs_kept(&a->after, n, n->voted_at))
			continue;
		n->voted_at = 0;
		if (has_unknown(b) && has_unknown(n))
			vec_push(&voters, i);
	}
	votes_keep(a, partner_before, partner_after);
	vec_each(const uint32_t, i, &voters) {
		struct alike_symbol *n = &a->after.symbols[*i];
		struct alike_symbol *b = &a->before.symbols[partner_after[*i]];
		n->voted_at = a->learned;
		a->voter = *i;
		both_read(a, b, n);
		(void)refs_compare(b, n, NULL, a);
	}
	vec_release(&voters);
}

/* Returns the feature with the number `ident`. If it is new, adds it (`add`) or returns NULL. */
static struct feature *feature_at(struct alike *a, uint64_t ident, bool add)
{
	uint32_t id;
	struct map_at at = map_at(&a->feature_of, hash_u64(ident));
	while (map_next(&a->feature_of, &at, &id))
		if (a->features.data[id].ident == ident)
			return &a->features.data[id];
	if (!add)
		return NULL;
	map_put(&a->feature_of, &at, (uint32_t)a->features.count);
	vec_push(&a->features, (struct feature){ .ident = ident });
	return &a->features.data[a->features.count - 1];
}

/* Records that a symbol has a feature. `side`: 0 for `before`, whose features must be recorded
 * first, 1 for `after`. */
static void feature_record(struct alike *a, uint64_t ident, uint32_t symbol, unsigned side)
{
	struct feature *f = feature_at(a, ident, side == 0);
	if (!f || f->counts[side] > ALIKE_FEW)
		return;
	if (f->counts[side] < ALIKE_FEW)
		f->symbols[side][f->counts[side]] = symbol;
	f->counts[side]++;
}

/* Records the features of a snapshot's symbols without a partner. */
static void features_add(struct alike *a, struct alike_side *as, const uint32_t *open,
			 unsigned side)
{
	for (uint32_t i = 0; i < as->side->s->symbols.count; i++) {
		struct alike_symbol *y = &as->symbols[i];
		const bool is_open = open[i] == DIFF_NONE;
		const uint64_t caller = hash_mix(y->ident ^ HASH_ODD_1, HASH_ODD_2);
		if (!is_open && (y->ident == 0 || !has_unknown(y)))
			continue;
		for (size_t k = 0; k < y->ref_count; k++) {
			const uint64_t ident = y->refs[k].ident;
			const uint32_t to = y->refs[k].target;
			if (is_open && ident != 0)
				feature_record(a, ident, i, side);
			if (!is_open && ident == 0 && to != DIFF_NONE && open[to] == DIFF_NONE)
				feature_record(a, caller, to, side);
		}
	}
}

void alike_vote_rare(struct alike *a, const uint32_t *partner_before, const uint32_t *partner_after)
{
	a->features.count = 0;
	map_clear(&a->feature_of);
	features_add(a, &a->before, partner_before, 0);
	features_add(a, &a->after, partner_after, 1);
	size_t kept = 0;
	vec_each(const struct vote, v, &a->votes)
		if (v->voter != DIFF_NONE)
			a->votes.data[kept++] = *v;
	a->votes.count = kept;
	a->voter = DIFF_NONE;
	for (size_t i = 0; i < a->features.count; i++) {
		const struct feature *f = &a->features.data[i];
		if (f->counts[0] > ALIKE_FEW || f->counts[1] > ALIKE_FEW)
			continue;
		for (size_t x = 0; x < f->counts[0]; x++)
			for (size_t y = 0; y < f->counts[1]; y++) {
				const uint32_t b = f->symbols[0][x], n = f->symbols[1][y];
				if (may_pair(a, b, n))
					vote_add(a, b, n);
			}
	}
}

/* Returns the percentage of instruction groups that two functions share, estimated by samples. */
static unsigned grams_shared(const struct alike_symbol *b, const struct alike_symbol *n)
{
	unsigned all = 0, both = 0;
	if (!b->sample || !n->sample)
		return 0;
	for (size_t i = 0; i < CLUE_GRAMS; i++) {
		const unsigned x = b->sample->grams[i], y = n->sample->grams[i];
		const unsigned any = (x & y) != CLUE_NO_GRAM;
		all += any;
		both += any & (x == y);
	}
	return all > 0 ? both * 100 / all : 0;
}

static unsigned ratio(uint64_t a, uint64_t b)
{
	const uint64_t small = min_u64(a, b), large = max_u64(a, b);
	return large == 0 ? 100 : (unsigned)((double)small * 100 / (double)large);
}

static inline unsigned bits_count(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

static struct alike_column alike_column_of(const struct alike_symbol *n)
{
	return (struct alike_column){ .size = n->size,
				      .known = n->known,
				      .known_count = n->known_count,
				      .ref_count = n->ref_count,
				      .clue = n->clue != NULL };
}

struct alike_column alike_column_read(struct alike *a, uint32_t after)
{
	struct alike_symbol *n = &a->after.symbols[after];
	known_read(a, &a->after, n);
	return alike_column_of(n);
}

/* True if the references of two symbols may agree enough for a goal. */
static inline bool refs_in_reach(const struct score_goal *goal, const struct alike_column *b,
				 const struct alike_column *n)
{
	/* Each bit that only one symbol has stands for a reference that differs. */
	const unsigned only_b = bits_count(b->known & ~n->known);
	const unsigned only_n = bits_count(n->known & ~b->known);
	const size_t same = min_u64(b->known_count - only_b, n->known_count - only_n);
	const size_t paired = min_u64(b->ref_count - only_b, n->ref_count - only_n);
	return goal_in_reach(goal, same, max_u64(b->ref_count, n->ref_count) - paired);
}

void alike_keep_near(struct alike *a, uint32_t before, const struct alike_column *columns,
		     uint32_t *near, size_t *count, unsigned least)
{
	struct alike_symbol *y = &a->before.symbols[before];
	size_t kept = 0;
	if (!y->code)
		return;
	known_read(a, &a->before, y);
	const struct alike_column b = alike_column_of(y);
	const struct score_goal goals[2] = {
		{ .so_far = { 100 * OF_CODE_SIZE, OF_CODE_SIZE }, .least = least },
		{ .so_far = { 100 * OF_CODE_SIZE, OF_CODE_SIZE },
		  .later = OF_GRAMS,
		  .least = least },
	};
	for (size_t i = 0; i < *count; i++) {
		const struct alike_column *n = &columns[near[i]];
		const struct score_goal *goal = &goals[b.clue & n->clue];
		/* Refuses most pairs by their numbers of references alone, which is faster. */
		const uint64_t fewer = min_u64(b.ref_count, n->ref_count);
		const uint64_t apart = max_u64(b.ref_count, n->ref_count) - fewer;
		const uint64_t known = min_u64(b.known_count, n->known_count);
		near[kept] = near[i];
		kept += b.size == n->size || b.ref_count + n->ref_count == 0 ||
			(goal_in_reach(goal, known, apart) && refs_in_reach(goal, &b, n));
	}
	*count = kept;
}

/* Adds to the score of two symbols how well their references agree. False if the score must stay
 * below goal->least. */
static bool score_refs(const struct alike *a, struct score_goal *goal, struct alike_symbol *b,
		       struct alike_symbol *n)
{
	if (b->ref_count == 0 && n->ref_count == 0)
		return true;
	both_read(a, b, n);
	const struct alike_column x = alike_column_of(b), y = alike_column_of(n);
	if (!refs_in_reach(goal, &x, &y))
		return false;
	const struct match_alike_agreement g = refs_compare(b, n, goal, NULL);
	const size_t all = g.same + g.different;
	if (!goal_in_reach(goal, g.same, g.different))
		return false;
	if (all > 0)
		score_add(&goal->so_far, (unsigned)(g.same * 100 / all),
			  (unsigned)min_u64(all, OF_REFS));
	return true;
}

enum { OF_CONTENTS = 6, OF_DATA_SIZE = 2 }; /* Weights of equal bytes, and of sizes of data */

enum { SIZES_LEAST = 12, DATA_LEAST = 50, SIZES_ALONE_APART = 12 };

static uint32_t partner_of_owner(const struct alike *a, const struct alike_symbol *after)
{
	return after->owner == DIFF_NONE ? DIFF_NONE : a->m->partner[after->owner];
}

unsigned alike_has_of(const struct alike *a, const struct alike_symbol *after)
{
	return (after->ref_count > 0 ? ALIKE_HAS_REFS : 0u) | (after->clue ? ALIKE_HAS_CLUE : 0u) |
	       (partner_of_owner(a, after) != DIFF_NONE ? ALIKE_HAS_OWNER : 0u);
}

unsigned alike_sizes_least(const struct alike_symbol *before, unsigned has, unsigned least)
{
	const bool refs = before->ref_count > 0 || has & ALIKE_HAS_REFS;
	const bool grams = before->code && before->clue && has & ALIKE_HAS_CLUE;
	const bool owners = !before->code && before->owner != DIFF_NONE && has & ALIKE_HAS_OWNER;
	const unsigned weight = before->code ? OF_CODE_SIZE : OF_DATA_SIZE;
	const unsigned known = before->code ? SIZES_LEAST : DATA_LEAST;
	const unsigned later = (refs ? OF_REFS : 0u) + (grams ? OF_GRAMS : 0u) +
			       (owners ? OF_OWNERS : 0u);
	if (later == 0)
		return 101;
	/* Score that the sizes need if all parts compared later get the full score, 100. */
	const unsigned all = least * (weight + later), rest = 100 * later;
	const unsigned need = all > rest ? (all - rest + weight - 1) / weight : 0;
	return need > known ? need : known;
}

uint64_t alike_state(const struct alike *a, const struct alike_side *as, uint32_t symbol,
		     uint64_t hash)
{
	const struct alike_symbol *y = &as->symbols[symbol];
	hash = hash_mix(hash ^ symbol, HASH_ODD_1);
	if (y->ref_count > 0) {
		const size_t first = (size_t)(y->refs - as->refs);
		for (size_t i = first / ALIKE_CHUNK; i <= (first + y->ref_count - 1) / ALIKE_CHUNK;
		     i++)
			hash = hash_mix(hash ^ as->changes[i], HASH_ODD_2);
	}
	if (as == &a->after && y->owner != DIFF_NONE)
		hash = hash_mix(hash ^ partner_of_owner(a, y), HASH_ODD_1);
	return hash;
}

unsigned alike_score(struct alike *a, uint32_t before, uint32_t after, unsigned least)
{
	struct alike_symbol *b = &a->before.symbols[before], *n = &a->after.symbols[after];
	const unsigned sizes = ratio(b->size, n->size);
	if (sizes < (b->code ? SIZES_LEAST : DATA_LEAST))
		return 0;
	const bool same = b->size == n->size && b->print != 0 && b->print == n->print;
	const bool sampled = !same && b->code && b->clue && n->clue;
	struct score_goal goal = { .later = sampled ? OF_GRAMS : 0, .least = least };
	struct score *s = &goal.so_far;
	score_add(s, same ? 100 : sizes,
		  same      ? OF_CONTENTS
		  : b->code ? OF_CODE_SIZE
			    : OF_DATA_SIZE);
	if (!b->code) {
		const uint32_t was = b->owner, now = partner_of_owner(a, n);
		if (was != DIFF_NONE && now != DIFF_NONE)
			score_add(s, was == now ? 100 : 0, OF_OWNERS);
	}
	if (!score_refs(a, &goal, b, n))
		return 0;
	if (sampled) {
		/* Comparing samples takes longest. Not done if equal samples would not suffice. */
		const unsigned all = least * (s->weight + OF_GRAMS);
		if (s->sum + 100 * OF_GRAMS < all)
			return 0;
		score_add(s, grams_shared(b, n), OF_GRAMS);
	}
	/* Equal sizes alone prove little, so they have a fixed score. */
	if (s->weight <= 2)
		return sizes == 100 ? SIZES_ALONE : SIZES_ALONE_APART;
	return s->sum / s->weight;
}

unsigned alike_vote_score(struct alike *a, struct vote *v, unsigned least)
{
	const uint32_t before = (uint32_t)(v->pair >> 32), after = (uint32_t)v->pair;
	const struct alike_symbol *b = &a->before.symbols[before], *n = &a->after.symbols[after];
	const bool enough = v->score >= v->least || v->least <= least;
	/* Scores data always, because its score depends on the partners of its owners too. */
	if (!b->code || !enough || !refs_kept(&a->before, b, v->scored_at) ||
	    !refs_kept(&a->after, n, v->scored_at)) {
		v->score = (uint8_t)alike_score(a, before, after, least);
		v->least = (uint8_t)least;
		v->scored_at = a->learned;
	}
	return v->score;
}
