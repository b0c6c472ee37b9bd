/* Walks over the spans of several data sources together and sums up bytes by label. */
#include "map/rollup.h"

#include "base/pool.h"
#include "base/sort.h"
#include "image/image.h"

enum { MATCH_KNOWN = 1, MATCH_INCLUDE = 2, MATCH_EXCLUDE = 4, MATCH_DEBUG = 8 };

void rollup_init(struct rollup *r, unsigned measures, bool diff)
{
	const bool count = measures & ROLLUP_COUNT, copies = measures & ROLLUP_COPIES;
	const unsigned sizes = HEFT_SIZE_COUNT + (unsigned)count + (unsigned)copies;
	const bool code = measures & ROLLUP_CODE, sure = measures & ROLLUP_SURE;
	memset(r, 0, sizeof *r);
	ASSERT(count || !copies);
	r->code = code ? sizes : 0;
	r->sure = sure ? sizes + (unsigned)code : 0;
	tree_init(&r->tree, sizes + (unsigned)code + (sure ? SURE_WORDS : 0), diff ? 2 : 1);
}

void rollup_release(struct rollup *r)
{
	tree_release(&r->tree);
	for (size_t i = 0; i < FILTER_KINDS; i++)
		mem_free(r->filter.known[i].bits);
	demangler_release(&r->filter.demangler);
	for (size_t role = 0; role < COUNT_OF(r->counted); role++) {
		vec_release_all(&r->counted[role].pairs, &r->counted[role].images,
				&r->counted[role].sizes);
		map_release(&r->counted[role].map);
	}
	memset(r, 0, sizeof *r);
}

/* A symbol of an image. Another image may have a copy of the same function */
struct counted_symbol {
	label_id symbol;
	uint32_t image;
};

/* Finds the image at an offset. Returns false if no image is there, as for the symbol index of an
 * archive, which precedes the first image. */
static bool image_at_start(const struct rollup_walk *w, uint64_t start, uint32_t *ret)
{
	const size_t i = upper_bound(w->image_starts, w->image_count, sizeof *w->image_starts,
				     start);
	*ret = w->first_image + (uint32_t)(i > 0 ? i - 1 : 0);
	return i > 0 || w->image_count == 0;
}

/* Counts a symbol of an image once per tree node. Adds `bytes` to its size in the node. */
static void count_symbol(struct rollup *r, enum heft_role role, uint32_t node,
			 struct counted_symbol s, uint64_t bytes)
{
	struct rollup_counted *c = &r->counted[role];
	const uint64_t pair = (uint64_t)node << 32 | s.symbol;
	uint32_t id;
	struct map_at at = map_at(&c->map, hash_u64(pair + s.image));
	while (map_next(&c->map, &at, &id))
		if (c->pairs.data[id] == pair && c->images.data[id] == s.image) {
			c->sizes.data[id] += bytes;
			return;
		}
	map_put(&c->map, &at, (uint32_t)c->pairs.count);
	vec_push(&c->pairs, pair);
	vec_push(&c->images, s.image);
	vec_push(&c->sizes, bytes);
	tree_sums(&r->tree, node, role)[HEFT_SIZE_COUNT]++;
}

/* Adds up HEFT_SIZE_COPIES: the sizes of each generic's instances except the largest. */
static void add_copies(struct rollup *r, enum heft_role role)
{
	const struct rollup_counted *c = &r->counted[role];
	const size_t nodes = r->tree.nodes.count;
	uint64_t *largest = mem_zeroed(nodes, sizeof *largest);
	uint64_t *sum = mem_zeroed(nodes, sizeof *sum);
	for (size_t i = 0; i < c->pairs.count; i++) {
		const uint32_t node = (uint32_t)(c->pairs.data[i] >> 32);
		largest[node] = max_u64(largest[node], c->sizes.data[i]);
		sum[node] += c->sizes.data[i];
	}
	for (uint32_t i = 1; i < nodes; i++) {
		const uint64_t copies = sum[i] - largest[i];
		for (uint32_t node = i; copies > 0; node = r->tree.nodes.data[node].parent) {
			tree_sums(&r->tree, node, role)[HEFT_SIZE_COPIES] += copies;
			if (node == 0)
				break;
		}
	}
	mem_free_all(largest, sum);
}

void rollup_add_copies(struct rollup *r)
{
	for (unsigned role = 0; role < r->tree.sides; role++)
		add_copies(r, role);
}

static unsigned text_match(const struct filter *f, struct str text)
{
	unsigned m = MATCH_KNOWN;
	if (f->include && pattern_matches(f->include, text, f->notes))
		m |= MATCH_INCLUDE;
	if (f->exclude && pattern_matches(f->exclude, text, f->notes))
		m |= MATCH_EXCLUDE;
	return m;
}

/* True if the section is debug info. "__DWARF,__debug_info" is section __debug_info. */
static bool is_debug_title(struct str title)
{
	const char *const comma = title.len > 0 ? memchr(title.p, ',', title.len) : NULL;
	const size_t from = comma ? (size_t)(comma + 1 - title.p) : 0;
	return section_name_is_debug((struct str){ title.p + from, title.len - from });
}

static unsigned label_matches(struct filter *f, const struct labels *labels, label_id id,
			      unsigned kind)
{
	const size_t all = labels->names.entries.count;
	if (id >= f->known[kind].count) {
		f->known[kind].bits = mem_resize(f->known[kind].bits, all);
		memset(f->known[kind].bits + f->known[kind].count, 0, all - f->known[kind].count);
		f->known[kind].count = all;
	}
	uint8_t *const known = &f->known[kind].bits[id];
	if (*known != 0)
		return *known;
	const struct str text = label_text(labels, id);
	unsigned m = MATCH_KNOWN;
	if (kind == FILTER_TEXTS) {
		m = text_match(f, text) | (is_debug_title(text) ? MATCH_DEBUG : 0u);
	} else {
		m |= text_match(f, demangle(&f->demangler, text, HEFT_NAMES_FULL));
		m |= text_match(f, demangle(&f->demangler, text, HEFT_NAMES_SHORT));
	}
	*known = (uint8_t)m;
	f->matched |= m;
	return m;
}

/* True if the filter keeps bytes with the labels `ids`: the levels' labels, then those to test. */
static bool filter_keeps(struct filter *f, const struct rollup_walk *w, const label_id *ids,
			 size_t places, size_t names)
{
	unsigned m = 0;
	const size_t texts = w->level_count + places;
	for (size_t i = 0; i < w->level_count; i++)
		m |= label_matches(f, w->labels, ids[i], FILTER_TEXTS) & ~(unsigned)MATCH_DEBUG;
	for (size_t i = w->level_count; i < texts; i++)
		m |= label_matches(f, w->labels, ids[i], FILTER_TEXTS);
	for (size_t i = texts; i < texts + names; i++)
		m |= label_matches(f, w->labels, ids[i], FILTER_NAMES);
	return (!f->include || (m & MATCH_INCLUDE)) && !(m & MATCH_EXCLUDE) &&
	       !(f->no_debug && (m & MATCH_DEBUG));
}

bool filter_excluded(const struct filter *f)
{
	ASSERT(f->exclude);
	return f->matched & MATCH_EXCLUDE;
}

/* Greatest number of labels that only filters and measures need: sections and segments, names,
 * certainty, code, symbols. */
enum { PLACES_MAX = 3, HIDDEN_MAX = PLACES_MAX + LEVELS_MAX + 3 };

struct adder {
	struct rollup *rollup;
	const struct rollup_walk *walk;
	enum heft_role role; /* Side whose sums grow: inputs or bases */
	unsigned measure;
	size_t shown_count;            /* Number of levels that have rows */
	size_t place_count;            /* Number of labels of sections and segments that the
				        * filter tests */
	size_t name_count;             /* Number of linkage names that the filter tests */
	size_t next;                   /* Deepest level: index of the first span after the current
					* piece (see piece_fn) */
	label_id last[LEVELS_MAX];     /* Labels of the previous piece */
	uint32_t path[LEVELS_MAX + 1]; /* Nodes of the previous piece. path[0] is the top */
};

static void rollup_add_bytes(const struct adder *a, uint32_t node, uint64_t size)
{
	uint64_t *sum = &tree_sums(&a->rollup->tree, node, a->role)[a->measure];
	ASSERT(*sum <= UINT64_MAX - size);
	*sum += size;
}

/* Number of spans to prefetch ahead. An access to memory takes as long as about 8 spans. */
enum { AHEAD = 8 };

/* Prefetches memory for later spans, whose labels are far apart in the tables. Otherwise the walk
 * mostly waits. Fetches the sums for the span AHEAD, the slot for the span 2 * AHEAD, and the shown
 * label for the span 3 * AHEAD. Only for the deepest level, because it has most nodes. */
static void fetch_ahead(struct adder *a, uint64_t start)
{
	const struct tree *t = &a->rollup->tree;
	const struct rollup_level *level = &a->walk->levels[a->shown_count - 1];
	const tree_slots *const nodes = tree_slots_of(t, a->shown_count > 1);
	const struct span *list = level->spans->list.data;
	const size_t count = level->spans->list.count;
	while (a->next < count && list[a->next].start <= start)
		a->next++;
	if (count - a->next <= 3 * AHEAD)
		return;
	const struct span *s = &list[a->next];
	const label_id *shown = level->shown;
	if (shown)
		__builtin_prefetch(&shown[s[3 * AHEAD].label]);
	tree_fetch_slot(nodes, shown ? shown[s[2 * AHEAD].label] : s[2 * AHEAD].label);
	tree_fetch_sums(t, nodes, shown ? shown[s[AHEAD].label] : s[AHEAD].label);
}

/* Returns the certainty of a piece's owner: an index of sure_words. SURE_WORDS without an owner. */
static unsigned sure_index(const struct rollup_walk *w, label_id sure)
{
	unsigned i = 0;
	while (i < SURE_WORDS && w->sure_labels[i] != sure)
		i++;
	return i;
}

static void rollup_add_piece(void *ctx, uint64_t start, uint64_t size, const label_id *ids)
{
	struct adder *a = ctx;
	struct rollup *r = a->rollup;
	const struct rollup_walk *w = a->walk;
	const size_t n = a->shown_count;
	fetch_ahead(a, start);
	const label_id *hidden = ids + n + a->place_count + a->name_count;
	const unsigned sure = w->sure ? sure_index(w, *hidden++) : SURE_WORDS;
	const bool sure_enough = r->filter.sure == 0 || r->filter.sure >> sure & 1;
	if (w->base &&
	    !(sure_enough && filter_keeps(&r->filter, w, ids, a->place_count, a->name_count))) {
		*(w->domain == HEFT_VM ? &r->omitted_vm : &r->omitted_file) += size;
		return;
	}
	bool same = true;
	rollup_add_bytes(a, 0, size);
	for (size_t k = 0; k < n; k++) {
		same = same && a->last[k] == ids[k];
		if (!same) {
			a->last[k] = ids[k];
			a->path[k + 1] = tree_get(&r->tree, a->path[k], ids[k]);
		}
		rollup_add_bytes(a, a->path[k + 1], size);
	}
	for (size_t k = 0; r->sure && w->domain == HEFT_VM && sure < SURE_WORDS && k <= n; k++)
		tree_sums(&r->tree, a->path[k], a->role)[r->sure + sure] += size;
	const bool is_code = w->code && *hidden++ != LABEL_NONE;
	for (size_t k = 0; is_code && k <= n; k++)
		tree_sums(&r->tree, a->path[k], a->role)[r->code] += size;
	struct counted_symbol symbol = { 0 };
	if (!w->symbols || label_is_fallback(w->labels, *hidden) ||
	    !image_at_start(w, start, &symbol.image))
		return;
	symbol.symbol = *hidden;
	for (size_t k = 0; k <= n; k++)
		count_symbol(r, w->role, a->path[k], symbol,
			     k > 0 && k == w->generics && w->domain == HEFT_FILE ? size : 0);
}

void rollup_pieces(const struct rollup_level *levels, size_t level_count, piece_fn fn, void *ctx)
{
	size_t at[LEVELS_MAX + HIDDEN_MAX] = { 0 };
	label_id ids[LEVELS_MAX + HIDDEN_MAX];
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

static enum heft_size_measure measure_of(const struct rollup_walk *w)
{
	return w->domain == HEFT_VM ? HEFT_SIZE_VM : HEFT_SIZE_FILE;
}

static void add_walk(struct rollup *r, const struct rollup_walk *w, enum heft_role role,
		     unsigned measure)
{
	struct rollup_level all[LEVELS_MAX + HIDDEN_MAX];
	struct adder a = { .rollup = r,
			   .walk = w,
			   .role = role,
			   .measure = measure,
			   .shown_count = w->level_count };
	size_t n = w->level_count;
	ASSERT(n > 0 && n <= LEVELS_MAX);
	memcpy(all, w->levels, n * sizeof *all);
	const struct spans *const places[PLACES_MAX] = { w->base, w->sections, w->segments };
	for (size_t i = 0; i < PLACES_MAX; i++)
		if (places[i])
			all[n++] = (struct rollup_level){ .spans = places[i] };
	a.place_count = n - w->level_count;
	for (size_t i = 0; i < w->level_count && w->base; i++)
		if (w->levels[i].named)
			all[n++] = (struct rollup_level){ .spans = w->levels[i].spans };
	a.name_count = n - w->level_count - a.place_count;
	if (w->sure)
		all[n++] = (struct rollup_level){ .spans = w->sure };
	if (w->code)
		all[n++] = (struct rollup_level){ .spans = w->code };
	if (w->symbols)
		all[n++] = (struct rollup_level){ .spans = w->symbols };
	memset(a.last, 0xff, sizeof a.last);
	rollup_pieces(all, n, rollup_add_piece, &a);
}

void rollup_add(struct rollup *r, const struct rollup_walk *w)
{
	ASSERT((unsigned)w->role < r->tree.sides);
	add_walk(r, w, w->role, measure_of(w));
}

/* VM image and file of an input, added in parallel. `to` gets the first, `part` the second. Then
 * `part` is added to `to` */
struct both {
	struct rollup *to, *part;
	const struct rollup_walk *first, *second;
};

static void rollup_add_one(void *ctx, size_t i, unsigned worker)
{
	const struct both *b = ctx;
	(void)worker;
	if (i == 0)
		rollup_add(b->to, b->first);
	else
		add_walk(b->part, b->second, HEFT_INPUT, 0);
}

/* Limits for the number of spans. Only between them, two threads are faster than one. Below,
 * starting the thread costs more than it saves. Above, merging the second tree does. */
enum { PARALLEL_MIN = 20000, PARALLEL_MAX = 2000000 };

void rollup_add_both(struct rollup *r, const struct rollup_walk *first,
		     const struct rollup_walk *second, unsigned threads)
{
	/* Filters and counts depend on what was added before, so they need one thread. */
	const size_t spans = second->levels[second->level_count - 1].spans->list.count;
	const bool apart = pool_threads(threads) > 1 && !first->base && !first->symbols &&
			   r->code == 0 && r->sure == 0 && spans >= PARALLEL_MIN &&
			   spans <= PARALLEL_MAX;
	struct rollup part;
	if (!apart) {
		rollup_add(r, first);
		rollup_add(r, second);
		return;
	}
	memset(&part, 0, sizeof part);
	tree_init(&part.tree, 1, 1);
	struct both b = { r, &part, first, second };
	parallel_for(threads, 2, rollup_add_one, &b);
	/* Adds the sizes of all nodes of part.tree to r->tree. Creates nodes that r->tree lacks. A
	 * parent precedes its children in the list, so to[parent] is set before they need it. */
	const struct tree *from = &b.part->tree;
	const enum heft_role role = b.second->role;
	uint32_t *to = mem_zeroed(from->nodes.count, sizeof *to);
	for (uint32_t i = 0; i < from->nodes.count; i++) {
		const struct tree_node *node = &from->nodes.data[i];
		to[i] = i == 0 ? 0 : tree_get(&b.to->tree, to[node->parent], node->key);
		uint64_t *sum = &tree_sums(&b.to->tree, to[i], role)[measure_of(b.second)];
		const uint64_t more = *tree_sums(from, i, HEFT_INPUT);
		ASSERT(*sum <= UINT64_MAX - more);
		*sum += more;
	}
	mem_free(to);
	rollup_release(&part);
}
