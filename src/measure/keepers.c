/* Finds what keeps the symbols of each row in a program. */
#include "measure/keepers.h"

#include "base/sort.h"
#include "graph/graph.h"
#include "measure/why.h"
#include "program/source_line.h"

/* Most steps up to a common dominator. Beyond, the program as a whole counts as the keeper. */
enum { KEEPER_STEPS = 1000 };

/* A reference whose source line is looked up. */
struct keeper_place {
	uint64_t addr;
	label_id label;
};

struct keepers_search {
	struct keepers *k;
	const struct graph *g;
	const label_id *shown;
	uint32_t *from;   /* Per node: the node before it on the shortest path. NODE_NONE: none */
	uint32_t *turn;   /* Per node: its index in graph.order */
	uint32_t *common; /* Per label: the nearest common dominator of its nodes, or one of them */
	VEC(struct keeper_place) places;
};

static label_id shown_label(const struct graph *g, const label_id *shown, uint32_t node)
{
	const label_id raw = g->nodes.data[node].label;
	return shown && shown[raw] != LABEL_NONE ? shown[raw] : raw;
}

static label_id keepers_label(const struct keepers_search *s, uint32_t node)
{
	return shown_label(s->g, s->shown, node);
}

void users_add(label_users *users, const struct graph *g, const label_id *shown)
{
	for (size_t i = 0; i < g->edges.count; i++) {
		const struct graph_edge *e = &g->edges.data[i];
		if (e->kind == EDGE_ROOT || e->kind == EDGE_PART ||
		    g->nodes.data[edge_to(e)].constant)
			continue;
		const label_id of = shown_label(g, shown, edge_to(e));
		const label_id user = shown_label(g, shown, edge_from(e));
		if (of != user)
			vec_push(users, (uint64_t)of << 32 | user);
	}
}

void users_sort(label_users *users)
{
	size_t kept = 0;
	vec_sort(users);
	for (size_t i = 0; i < users->count; i++)
		if (kept == 0 || users->data[kept - 1] != users->data[i])
			users->data[kept++] = users->data[i];
	users->count = kept;
}

/* Returns the label of a node, or of the nearest one before it in `before` that is no constant.
 * LABEL_NONE at node 0. `other`: a label that does not count. */
static label_id keepers_label_from(const struct keepers_search *s, const uint32_t *before,
				   uint32_t node, label_id other)
{
	while (node != 0 && (s->g->nodes.data[node].constant || keepers_label(s, node) == other))
		node = before[node];
	return node == 0 ? LABEL_NONE : keepers_label(s, node);
}

/* Notes the last step of the shortest path to a node, if it is the first one of its label. */
static void keepers_reach(struct keepers_search *s, uint32_t node)
{
	const label_id label = keepers_label(s, node);
	struct keeper *of = &s->k->of[label];
	const struct graph_edge *e = graph_edge_between(s->g, s->from[node], node);
	if (of->reached)
		return;
	*of = (struct keeper){ .kind = why_word(s->g, e),
			       .file = "",
			       .keeper = LABEL_NONE,
			       .by = keepers_label_from(s, s->from, s->from[node], label),
			       .reached = true };
	if (e->kind != EDGE_ROOT)
		vec_push(&s->places, (struct keeper_place){ e->place, label });
}

/* Searches in breadth, from node 0. */
static void keepers_walk(struct keepers_search *s)
{
	const struct graph *g = s->g;
	uint32_t *line = mem_alloc(g->nodes.count * sizeof *line);
	size_t count = 1;
	memset(s->from, 0xff, g->nodes.count * sizeof *s->from);
	line[0] = s->from[0] = 0;
	for (size_t at = 0; at < count; at++) {
		const uint32_t node = line[at];
		if (node != 0 && !g->nodes.data[node].constant)
			keepers_reach(s, node);
		for (size_t i = g->out_first[node]; i < g->out_first[node + 1]; i++) {
			if (s->from[g->out[i]] != NODE_NONE)
				continue;
			s->from[g->out[i]] = node;
			line[count++] = g->out[i];
		}
	}
	ASSERT(count == g->reached);
	mem_free(line);
}

/* Returns the nearest node that dominates two nodes, or is one of them. */
static uint32_t keepers_common(const struct keepers_search *s, uint32_t a, uint32_t b)
{
	for (unsigned steps = 0; a != b; steps++) {
		if (steps == KEEPER_STEPS)
			return 0;
		if (s->turn[a] > s->turn[b])
			a = s->g->dominators[a];
		else
			b = s->g->dominators[b];
	}
	return a;
}

static void keepers_dominate(struct keepers_search *s)
{
	const struct graph *g = s->g;
	memset(s->common, 0xff, s->k->count * sizeof *s->common);
	for (uint32_t i = 0; i < g->reached; i++)
		s->turn[g->order[i]] = i;
	for (uint32_t i = 1; i < g->reached; i++) {
		const uint32_t node = g->order[i];
		uint32_t *common = &s->common[keepers_label(s, node)];
		if (!g->nodes.data[node].constant)
			*common = *common == NODE_NONE ? node : keepers_common(s, *common, node);
	}
	for (size_t i = 0; i < s->k->count; i++)
		if (s->common[i] != NODE_NONE)
			s->k->of[i].keeper = keepers_label_from(s, g->dominators, s->common[i],
								(label_id)i);
}

/* Finds the source lines of the references, by rising address. */
static void keepers_locate(struct keepers_search *s, struct symbolizer *lines)
{
	struct source_line found = { 0 };
	sort_by_key(s->places.data, s->places.count, sizeof *s->places.data);
	vec_each(const struct keeper_place, p, &s->places) {
		if (!symbolizer_line(lines, p->addr, &found))
			continue;
		s->k->of[p->label].file = found.file;
		s->k->of[p->label].line = found.line;
	}
}

void keepers_find(struct keepers *k, const struct graph *g, const label_id *shown, size_t count,
		  struct symbolizer *lines)
{
	struct keepers_search s = { .k = k, .g = g, .shown = shown };
	ASSERT(!k->of && g->order && count >= g->label_count);
	*k = (struct keepers){ .of = mem_zeroed(count, sizeof *k->of), .count = count };
	users_add(&k->users, g, shown);
	users_sort(&k->users);
	for (uint32_t i = 1; i < g->nodes.count; i++)
		k->of[keepers_label(&s, i)] = (struct keeper){ "",         "", LABEL_NONE,
							       LABEL_NONE, 0,  false };
	s.from = mem_alloc(g->nodes.count * sizeof *s.from);
	s.turn = mem_alloc(g->nodes.count * sizeof *s.turn);
	s.common = mem_alloc(count * sizeof *s.common);
	keepers_walk(&s);
	keepers_dominate(&s);
	if (lines)
		keepers_locate(&s, lines);
	vec_release(&s.places);
	mem_free_all(s.from, s.turn, s.common);
}
