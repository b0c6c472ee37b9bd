#include "map/tree.h"

const union heft_value tree_nothing[MEASURES_MAX];

void tree_init(struct tree *t, uint32_t measures, uint32_t sides)
{
	ASSERT(measures > 0 && measures <= MEASURES_MAX && sides > 0 && sides <= 2);
	*t = (struct tree){ .measures = measures, .sides = sides };
	tree_add(t, 0, UINT32_MAX);
}

void tree_release(struct tree *t)
{
	vec_release(&t->nodes);
	vec_release(&t->sums);
	vec_release(&t->top);
	map_release(&t->below);
	*t = (struct tree){ .measures = t->measures, .sides = t->sides };
}

uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t key)
{
	const size_t sums = (size_t)t->sides * t->measures;
	ASSERT(t->nodes.count < UINT32_MAX);
	vec_push(&t->nodes, (struct tree_node){ parent, key });
	vec_reserve(&t->sums, sums);
	memset(t->sums.data + t->sums.count, 0, sums * sizeof *t->sums.data);
	t->sums.count += sums;
	return (uint32_t)t->nodes.count - 1;
}

/* The first level has as many nodes as there are keys: an array instead of a hash. */
static uint32_t top_get(struct tree *t, uint32_t key)
{
	if (key >= t->top.count) {
		const size_t old = t->top.count;
		vec_reserve(&t->top, key + 1 - old);
		t->top.count = t->top.cap;
		memset(t->top.data + old, 0, (t->top.cap - old) * sizeof *t->top.data);
	}
	if (t->top.data[key] == 0)
		t->top.data[key] = tree_add(t, 0, key);
	return t->top.data[key];
}

static bool is_node(const struct tree *t, uint32_t node, uint32_t parent, uint32_t key)
{
	return t->nodes.data[node].parent == parent && t->nodes.data[node].key == key;
}

uint32_t tree_get(struct tree *t, uint32_t parent, uint32_t key)
{
	if (parent == 0)
		return top_get(t, key);
	/* The file repeats what the VM image has, in the same order. */
	if (t->guess < t->nodes.count && is_node(t, t->guess, parent, key))
		return t->guess++;
	uint32_t node;
	struct map_at at = map_at(&t->below, tree_hash(parent, key));
	while (map_next(&t->below, &at, &node)) {
		if (is_node(t, node, parent, key)) {
			t->guess = node + 1;
			return node;
		}
	}
	node = tree_add(t, parent, key);
	map_put(&t->below, &at, node);
	return node;
}
