#include "map/rows.h"

/* States of a node. SHOWN: its row is shown. KEPT: a row below it is shown. LEAF: no rows are below
 * its row. */
enum { SHOWN = 1, KEPT = 2, LEAF = 4 };

/* Bit of an element of `found` or `known`: the element was set, even if no pattern matches. */
#define ASKED (UINT32_C(1) << 31)

/* Opening a row makes only shown children if they are at most FEW, or 1/FEW_SHARE of all. */
enum { FEW = 4096, FEW_SHARE = 8 };

struct matching {
	struct rows_maker *maker;
	const struct heft_row_filter *filter;
	uint32_t *found;                 /* Per node with children: bits of the patterns that match
					  * its row or a row above */
	uint32_t *known[ROWS_DEPTH_MAX]; /* Per level and key: bits of patterns that match the
					  * label */
	size_t keys;
	uint64_t leaves; /* Number of shown rows without rows below */
};

/* Returns the filtered sums of a node with children: the inputs' sums, then the bases' sums. */
static uint64_t *row_filter_sums_of(const struct rows_maker *b, uint32_t node)
{
	return b->filter.sums + (size_t)b->filter.place[node] * b->tree->sides * b->tree->measures;
}

/* Returns `bits`, plus the bits of patterns that match one of the node's full names but not its
 * label. */
static uint32_t bits_in_full(const struct matching *g, uint32_t node, uint32_t level,
			     struct heft_row *row, uint32_t bits)
{
	const struct rows_opts *o = g->maker->opts;
	const uint32_t wanted = g->filter->in_full;
	for (size_t i = 0; o->full_name && (bits & wanted) != wanted; i++) {
		row->label = o->full_name(o->ctx, node, level, i);
		if (!row->label)
			break;
		bits |= g->filter->match(g->filter->ctx, row) & wanted;
	}
	return bits;
}

/* Returns the bits of the patterns that match a node's label. Tests a label once per level, because
 * a symbol may be below several sections. */
static uint32_t row_filter_bits_of(struct matching *g, uint32_t node, uint32_t level)
{
	uint32_t **const known = &g->known[level];
	if (!*known)
		*known = mem_zeroed(g->keys, sizeof **known);
	uint32_t *const bits = &(*known)[g->maker->tree->nodes.data[node].key];
	if (*bits == 0) {
		struct ref_row row;
		rows_describe(g->maker, node, rows_label(g->maker, node), level, &row.row);
		*bits = g->filter->match(g->filter->ctx, &row.row);
		*bits = ASKED | bits_in_full(g, node, level, &row.row, *bits);
	}
	return *bits & ~ASKED;
}

static void decide(struct matching *g, uint32_t node, uint32_t found)
{
	const struct heft_row_filter *f = g->filter;
	const bool shown = (found & f->wanted) == f->wanted && (found & f->unwanted) == 0;
	g->maker->filter.state[node] = LEAF | (shown ? SHOWN : 0);
	g->leaves += shown;
}

/* Sets the states of the children of `node` that have no rows below, or of `node` itself if no rows
 * are below it. Stores the matching patterns of the other children for their own call. */
static void match_below(struct matching *g, uint32_t node)
{
	const struct rows_maker *b = g->maker;
	const uint32_t level = rows_depth(b, node), above = g->found[b->filter.place[node]];
	uint32_t only;
	const size_t rows = rows_below(b, node, rows_label(b, node), &only);
	if (rows == 0) {
		decide(g, node, above);
		return;
	}
	/* A single child with its parent's label has no row, so it is not tested. */
	const struct tree *t = b->tree;
	const size_t size = (size_t)t->sides * t->measures * sizeof *t->sums.data;
	const bool again =
		rows == 1 && g->filter->repeats &&
		memcmp(tree_sums(t, node, HEFT_INPUT), tree_sums(t, only, HEFT_INPUT), size) == 0 &&
		g->filter->repeats(g->filter->ctx, rows_label(b, node), rows_label(b, only));
	for (uint32_t i = b->first[node]; i != 0; i = b->next[i]) {
		if (!rows_is_row(b, i))
			continue;
		const uint32_t found = above | (again ? 0 : row_filter_bits_of(g, i, level));
		if (b->first[i] == 0)
			decide(g, i, found);
		else
			g->found[b->filter.place[i]] = found | ASKED;
	}
}

static void row_filter_add_up(struct rows_maker *b)
{
	const struct tree *t = b->tree;
	uint8_t *state = b->filter.state;
	for (uint32_t i = (uint32_t)t->nodes.count; i-- > 1;) {
		if (!(state[i] & SHOWN))
			continue;
		const uint32_t above = t->nodes.data[i].parent;
		const uint64_t *sums = state[i] & LEAF ? tree_sums(t, i, HEFT_INPUT)
						       : row_filter_sums_of(b, i);
		state[above] |= SHOWN;
		for (uint32_t side = 0; side < t->sides; side++)
			rows_add_values(b, row_filter_sums_of(b, above) + side * t->measures,
					sums + side * t->measures);
	}
	state[0] |= SHOWN;
}

/* Numbers the nodes with children, which are few. The top is number 0. Returns their count. */
static size_t make_places(struct rows_maker *b)
{
	const size_t nodes = b->tree->nodes.count;
	uint32_t count = 1;
	b->filter.place = mem_zeroed(nodes, sizeof *b->filter.place);
	for (size_t i = 1; i < nodes; i++)
		if (b->first[i] != 0)
			b->filter.place[i] = count++;
	return count;
}

uint64_t rows_filter(struct rows_maker *b, const struct heft_row_filter *f)
{
	const struct tree *t = b->tree;
	struct matching g = { .maker = b, .filter = f };
	ASSERT(!f || !t->fractions); /* Filters add up whole numbers */
	mem_free_all(b->filter.state, b->filter.place, b->filter.sums);
	b->filter = (struct rows_filter){ 0 };
	if (!f)
		return 0;
	const size_t places = make_places(b);
	b->filter.state = mem_zeroed(t->nodes.count, sizeof *b->filter.state);
	b->filter.sums = mem_zeroed(places,
				    (size_t)t->sides * t->measures * sizeof *b->filter.sums);
	g.found = mem_zeroed(places, sizeof *g.found);
	for (size_t i = 1; i < t->nodes.count; i++)
		g.keys = t->nodes.data[i].key > g.keys ? t->nodes.data[i].key : g.keys;
	g.keys++;
	/* A node has a higher number than its parent. So an ascending pass can use results of
	 * parents, and a descending pass those of children. */
	g.found[b->filter.place[0]] = ASKED;
	for (uint32_t i = 0; i < t->nodes.count; i++)
		if (b->first[i] != 0 && g.found[b->filter.place[i]] != 0)
			match_below(&g, i);
	row_filter_add_up(b);
	for (size_t i = 0; i < f->kept_count; i++) {
		uint32_t node = rows_node(b, f->kept[i]);
		for (; node != 0; node = t->nodes.data[node].parent)
			b->filter.state[node] |= KEPT;
	}
	mem_free(g.found);
	for (size_t i = 0; i < COUNT_OF(g.known); i++)
		mem_free(g.known[i]);
	return g.leaves;
}

enum heft_filtered rows_filtered(const struct rows_maker *b, const struct heft_row *row,
				 const uint64_t **ret_now, const uint64_t **ret_base)
{
	const uint32_t node = rows_node(b, row);
	*ret_now = row->now;
	*ret_base = row->base;
	if (!b->filter.state)
		return HEFT_ROW_SHOWN;
	const uint8_t state = b->filter.state[node];
	if (!(state & LEAF) && (b->first[node] != 0 || node == 0)) {
		*ret_now = row_filter_sums_of(b, node);
		*ret_base = b->tree->sides > 1 ? *ret_now + b->tree->measures : tree_nothing;
	}
	return state & SHOWN ? HEFT_ROW_SHOWN : state & KEPT ? HEFT_ROW_KEPT : HEFT_ROW_HIDDEN;
}

static bool is_listed(const struct rows_maker *b, uint32_t node)
{
	return b->filter.state[node] & (SHOWN | KEPT);
}

const struct heft_row *const *rows_open_filtered(struct rows_maker *b, const struct heft_row *row,
						 size_t *ret_count)
{
	const uint32_t node = rows_node(b, row);
	size_t count = 0;
	for (uint32_t i = b->first[node]; b->filter.state && i != 0; i = b->next[i])
		count += is_listed(b, i);
	if (row->children || !b->filter.state ||
	    (count > FEW && count > row->child_count / FEW_SHARE)) {
		rows_open(b, row);
		*ret_count = row->child_count;
		return row->children;
	}
	*ret_count = count;
	return rows_make_some(b, node, count, is_listed);
}
