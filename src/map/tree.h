/* tree.h - sums by path of labels: what the rows of every report are made of.
 *
 * A node is a label below another node; node 0 is the top.  Every node has the same measures, all 0
 * at first, on two sides (now and base), or on one where there is nothing to compare with.  The
 * caller adds to them, and sees to it that the nodes below a node add up to it.  Keys say which
 * label it is; they are small numbers, such as ids of a label table, for some arrays are as long as
 * the largest.
 *
 * Cost: O(1) a look-up.  Memory: 8 bytes a node and 8 a measure of a side; 4 bytes a key for the
 * first level and 4 for all below it; 11 to 22 bytes a node whose key stands below several nodes,
 * or 4 a key below each of the few nodes that have very many below them.  Sums move while nodes
 * are added.
 * One thread at a time. */
#ifndef HEFT_MAP_TREE_H
#define HEFT_MAP_TREE_H

#include "base/map.h"
#include "base/vec.h"
#include "heft.h"

enum { MEASURES_MAX = 16 };

struct tree_node {
	uint32_t parent; /* the top is its own parent */
	uint32_t key;
};

typedef VEC(uint32_t) tree_slots; /* key -> node, 0 = none */

/* So many nodes that are made in a row below one node get an array there instead of a hash. */
enum { TREE_WIDE_FROM = 1 << 15, TREE_WIDE_MOST = 8 };

struct tree_wide {
	uint32_t parent;
	tree_slots slots;
};

struct tree {
	VEC(struct tree_node) nodes;
	VEC(union heft_value) sums; /* see tree_sums */
	uint32_t measures, sides;
	tree_slots top;   /* nodes of the first level */
	tree_slots first; /* of deeper ones the first of each key, but those of `wide` made since */
	struct map below; /* the others by parent and key, but the same */
	struct tree_wide wide[TREE_WIDE_MOST];
	uint32_t wide_count;
	uint32_t run;   /* all nodes from here on have one parent */
	uint32_t guess; /* a deeper node that may well be asked for next */
};

void tree_init(struct tree *t, uint32_t measures, uint32_t sides);
void tree_release(struct tree *t);
/* Asserts that nodes come after those above them and have sums.  O(nodes): where HEFT_CHECKS. */
void tree_verify(const struct tree *t);

/* The node of a key below another node, made where there is none yet. */
uint32_t tree_get(struct tree *t, uint32_t parent, uint32_t key);
/* A new node, whatever others are there.  A tree has only such ones, or none. */
uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t key);

/* The sums of a node on one side that the tree has, by measure. */
static inline union heft_value *tree_sums(const struct tree *t, uint32_t node, enum heft_role role)
{
	return t->sums.data + ((size_t)node * t->sides + role) * t->measures;
}

extern const union heft_value tree_nothing[MEASURES_MAX];

/* The sums of a node on the side of the base: all 0 in a tree of one side. */
static inline const union heft_value *tree_base(const struct tree *t, uint32_t node)
{
	return t->sides > 1 ? tree_sums(t, node, HEFT_BASE) : tree_nothing;
}

static inline uint64_t tree_hash(uint32_t parent, uint32_t key)
{
	return hash_u64((uint64_t)parent << 32 | key);
}

/* The node of a key on the first level, 0 where there is none. */
static inline uint32_t tree_top(const struct tree *t, uint32_t key)
{
	return key < t->top.count ? t->top.data[key] : 0;
}

/* Where tree_get looks for a key on the first level, or first below it. */
static inline const tree_slots *tree_slots_of(const struct tree *t, bool deeper)
{
	return deeper ? &t->first : &t->top;
}

/* Fetches what tree_get reads first of a key. */
static inline void tree_fetch_slot(const tree_slots *list, uint32_t key)
{
	if (key < list->count)
		__builtin_prefetch(&list->data[key]);
}

/* Fetches the node where tree_get most likely ends for it, and its sums. */
static inline void tree_fetch_sums(const struct tree *t, const tree_slots *list, uint32_t key)
{
	const uint32_t node = key < list->count ? list->data[key] : 0;
	__builtin_prefetch(&t->nodes.data[node]);
	__builtin_prefetch(tree_sums(t, node, HEFT_INPUT));
}

#endif
