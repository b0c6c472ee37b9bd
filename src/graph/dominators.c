/* Finds the immediate dominators of a graph's nodes. */
#include "graph/dominators.h"

/* Arrays by depth-first number, unless said otherwise. */
struct dominators_search {
	const struct links *out, *in;
	uint32_t *number; /* Per node: its depth-first number. NODE_NONE if unreached */
	uint32_t *node;   /* Per depth-first number, like the next four fields: its node */
	uint32_t *parent; /* Its parent in the depth-first tree. Paths are compressed later */
	uint32_t *semi;   /* Its semidominator */
	uint32_t *label;  /* Number with the least semidominator on the compressed path to it */
	uint32_t *idom;   /* Its immediate dominator */
	uint32_t count;   /* Number of reached nodes */
};

struct dominators_visit {
	uint32_t number;
	size_t edge; /* The next edge to follow */
};

static uint32_t dominators_number(struct dominators_search *s, uint32_t node, uint32_t parent)
{
	const uint32_t n = s->count++;
	s->number[node] = n;
	s->node[n] = node;
	s->parent[n] = s->idom[n] = parent;
	s->semi[n] = s->label[n] = n;
	return n;
}

static void dominators_walk(struct dominators_search *s)
{
	VEC(struct dominators_visit) way = { 0 };
	vec_push(&way, (struct dominators_visit){ dominators_number(s, 0, 0), s->out->first[0] });
	while (way.count > 0) {
		struct dominators_visit *v = &way.data[way.count - 1];
		if (v->edge == s->out->first[s->node[v->number] + 1]) {
			way.count--;
			continue;
		}
		const uint32_t to = s->out->to[v->edge++];
		ASSERT(to < s->out->count);
		if (s->number[to] == NODE_NONE) {
			const uint32_t n = dominators_number(s, to, v->number);
			vec_push(&way, (struct dominators_visit){ n, s->out->first[to] });
		}
	}
	vec_release(&way);
}

/* Returns the number with the least semidominator on the tree path from `n` up, without numbers up
 * to `last`, which are not linked yet. Shortens the path. `path` is scratch memory. */
static uint32_t dominators_least(struct dominators_search *s, uint32_t n, uint32_t last,
				 uint32_t *path)
{
	uint32_t depth = 0, above = n;
	if (n <= last)
		return n;
	while (s->parent[above] > last) {
		path[depth++] = above;
		above = s->parent[above];
	}
	while (depth-- > 0) {
		const uint32_t at = path[depth];
		if (s->semi[s->label[above]] < s->semi[s->label[at]])
			s->label[at] = s->label[above];
		s->parent[at] = s->parent[above];
		above = at;
	}
	return s->label[n];
}

/* Computes semidominators, last number first. */
static void dominators_semi(struct dominators_search *s)
{
	uint32_t *path = mem_zeroed(s->count, sizeof *path);
	for (uint32_t n = s->count; n-- > 1;) {
		const uint32_t node = s->node[n];
		for (size_t i = s->in->first[node]; i < s->in->first[node + 1]; i++) {
			const uint32_t from = s->number[s->in->to[i]];
			if (from == NODE_NONE)
				continue;
			const uint32_t least = dominators_least(s, from, n, path);
			if (s->semi[least] < s->semi[n])
				s->semi[n] = s->semi[least];
		}
		s->label[n] = n;
	}
	mem_free(path);
}

uint32_t dominators_find(const struct links *out, const struct links *in, uint32_t *dominators,
			 uint32_t *order)
{
	ASSERT(out->count > 0 && out->count == in->count);
	const size_t count = out->count;
	uint32_t *work = mem_zeroed(5 * count, sizeof *work);
	struct dominators_search s = { .out = out,
				       .in = in,
				       .number = work,
				       .node = order,
				       .parent = work + count,
				       .semi = work + 2 * count,
				       .label = work + 3 * count,
				       .idom = work + 4 * count };
	memset(s.number, 0xff, count * sizeof *s.number);
	memset(dominators, 0xff, count * sizeof *dominators);
	dominators_walk(&s);
	dominators_semi(&s);
	for (uint32_t n = 1; n < s.count; n++) {
		while (s.idom[n] > s.semi[n])
			s.idom[n] = s.idom[s.idom[n]];
		ASSERT(s.idom[n] < n);
		dominators[order[n]] = order[s.idom[n]];
	}
	const uint32_t reached = s.count;
	mem_free(work);
	return reached;
}
