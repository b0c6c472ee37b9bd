#include "map/tree.h"

const uint64_t tree_nothing[MEASURES_MAX];

void tree_init(struct tree *t, uint32_t measures, uint32_t sides)
{
	ASSERT(measures > 0 && measures <= MEASURES_MAX && sides > 0 && sides <= 2);
	*t = (struct tree){ .measures = measures, .sides = sides };
	tree_add(t, 0, UINT32_MAX);
}

void tree_verify(const struct tree *t)
{
	ASSERT(t->nodes.count > 0 && t->nodes.data[0].parent == 0);
	ASSERT(t->sums.count == t->nodes.count * t->measures * t->sides);
	ASSERT(t->exact.count == (t->fractions ? t->sums.count : 0));
	for (size_t i = 1; i < t->nodes.count; i++)
		ASSERT(t->nodes.data[i].parent < i);
}

bool tree_adds_up(const struct tree *t, uint32_t measure)
{
	const size_t count = t->nodes.count * t->sides;
	uint64_t *below = mem_zeroed(count, sizeof *below);
	bool *inner = mem_zeroed(t->nodes.count, sizeof *inner);
	bool ret = true;
	ASSERT(measure < t->measures);
	for (size_t i = t->nodes.count; i-- > 0;) {
		const uint32_t parent = t->nodes.data[i].parent;
		for (uint32_t side = 0; side < t->sides; side++) {
			const uint64_t own =
				t->sums.data[(i * t->sides + side) * t->measures + measure];
			ret = ret && (!inner[i] || below[i * t->sides + side] == own);
			below[(size_t)parent * t->sides + side] += own;
		}
		inner[parent] = true;
	}
	mem_free_all(below, inner);
	return ret;
}

void tree_close(struct tree *t)
{
	vec_release_all(&t->top, &t->first);
	for (uint32_t i = 0; i < t->wide_count; i++)
		vec_release(&t->wide[i].slots);
	t->wide_count = 0;
	map_release(&t->below);
	t->closed = true;
}

void tree_release(struct tree *t)
{
	tree_close(t);
	vec_release_all(&t->nodes, &t->sums, &t->exact);
	*t = (struct tree){ .measures = t->measures, .sides = t->sides };
}

void tree_keep_fractions(struct tree *t)
{
	ASSERT(t->nodes.count == 1 && t->sides == 2);
	t->fractions = true;
	for (size_t i = 0; i < t->sums.count; i++)
		vec_push(&t->exact, 0);
}

void tree_round(struct tree *t, const struct heft_measure *measures)
{
	ASSERT(t->fractions && t->exact.count == t->sums.count);
	for (size_t i = 0; i < t->sums.count; i++)
		if (measures[i % t->measures].unit == HEFT_PARTS)
			t->sums.data[i] = whole_of(t->exact.data[i]);
}

uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t key)
{
	const size_t sums = (size_t)t->sides * t->measures;
	ASSERT(t->nodes.count < UINT32_MAX && !t->closed);
	vec_push(&t->nodes, (struct tree_node){ parent, key });
	vec_reserve(&t->sums, sums);
	memset(t->sums.data + t->sums.count, 0, sums * sizeof *t->sums.data);
	t->sums.count += sums;
	for (size_t i = 0; t->fractions && i < sums; i++)
		vec_push(&t->exact, 0);
	return (uint32_t)t->nodes.count - 1;
}

/* Returns the slot for the node of a key. Makes the list longer if needed: new slots are 0. */
static uint32_t *tree_slot_of(tree_slots *list, uint32_t key)
{
	if (key >= list->count) {
		const size_t least = (size_t)key + 1, more = list->count + list->count / 2;
		const size_t count = least > more ? least : more;
		list->data = mem_grow_zeroed(list->data, list->count * sizeof *list->data,
					     count * sizeof *list->data);
		list->count = list->cap = count;
	}
	return &list->data[key];
}

static uint32_t get_in(struct tree *t, tree_slots *list, uint32_t parent, uint32_t key)
{
	uint32_t *slot = tree_slot_of(list, key);
	if (*slot == 0)
		*slot = tree_add(t, parent, key);
	return *slot;
}

static bool is_node(const struct tree *t, uint32_t node, uint32_t parent, uint32_t key)
{
	return t->nodes.data[node].parent == parent && t->nodes.data[node].key == key;
}

/* Records an added node. Makes a struct tree_wide for a parent like .symtab, with many children. */
static void note_added(struct tree *t, uint32_t parent, uint32_t node)
{
	if (t->nodes.data[node - 1].parent != parent)
		t->run = node;
	if (node - t->run < TREE_WIDE_FROM || t->wide_count == TREE_WIDE_MOST)
		return;
	struct tree_wide *w = &t->wide[t->wide_count++];
	w->parent = parent;
	for (uint32_t i = parent + 1; i <= node; i++)
		if (t->nodes.data[i].parent == parent)
			*tree_slot_of(&w->slots, t->nodes.data[i].key) = i;
}

static uint32_t get_hashed(struct tree *t, uint32_t parent, uint32_t key)
{
	uint32_t node;
	struct map_at at = map_at(&t->below, tree_hash(parent, key));
	while (map_next(&t->below, &at, &node))
		if (is_node(t, node, parent, key))
			return node;
	node = tree_add(t, parent, key);
	map_put(&t->below, &at, node);
	note_added(t, parent, node);
	return node;
}

static uint32_t get_below(struct tree *t, uint32_t parent, uint32_t key)
{
	for (uint32_t i = 0; i < t->wide_count; i++)
		if (t->wide[i].parent == parent)
			return get_in(t, &t->wide[i].slots, parent, key);
	/* Most keys have one node, so looks it up by key: most symbols are below one package or
	 * file. */
	uint32_t *first = tree_slot_of(&t->first, key);
	if (*first != 0)
		return t->nodes.data[*first].parent == parent ? *first : get_hashed(t, parent, key);
	*first = tree_add(t, parent, key);
	note_added(t, parent, *first);
	return *first;
}

uint32_t tree_get(struct tree *t, uint32_t parent, uint32_t key)
{
	/* Nearly every key has a node on the first level, so an array by key serves. */
	if (parent == 0)
		return get_in(t, &t->top, 0, key);
	/* Tries the next node first: the file has the order of the VM image. */
	if (t->guess < t->nodes.count && is_node(t, t->guess, parent, key))
		return t->guess++;
	const uint32_t node = get_below(t, parent, key);
	t->guess = node + 1;
	return node;
}
