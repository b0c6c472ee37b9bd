/* tree.h - sums values by path of labels. The rows of every report come from a tree of sums.
 *
 * A node is a label below another node. Node 0 is the top. Each node has the same measures,
 * initially 0, on two sides (now and base), or on one side without a comparison. The caller adds to
 * these sums, and keeps the children's sums equal to their parent's. A key is the small number of a
 * label, such as its id. Some arrays are as long as the largest key.
 *
 * Cost: O(1) per look-up. Memory: 8 bytes per node and 8 per measure and side. 4 bytes per key for
 * the first level, and 4 for all deeper levels. 11 to 22 bytes per node whose key has several
 * nodes. A few nodes with very many children take 4 bytes per key instead. Sums move while nodes
 * are added. One thread at a time. */
#ifndef HEFT_MAP_TREE_H
#define HEFT_MAP_TREE_H

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"
#include "heft.h"

enum { MEASURES_MAX = 16 };

struct tree_node {
	uint32_t parent; /* Parent node. The top is its own parent */
	uint32_t key;
};

typedef VEC(uint32_t) tree_slots; /* Per key: node, or 0 for none */

/* A node to which TREE_WIDE_FROM children are added in a row uses an array instead of a hash. At
 * most TREE_WIDE_MOST nodes do. */
enum { TREE_WIDE_FROM = 1 << 15, TREE_WIDE_MOST = 8 };

struct tree_wide {
	uint32_t parent;
	tree_slots slots;
};

struct tree {
	VEC(struct tree_node) nodes;
	VEC(uint64_t) sums; /* Sums. See tree_sums() */
	/* The sums with fractions. Empty unless tree_keep_fractions() was called. */
	VEC(double) exact;
	bool fractions, closed;
	uint32_t measures, sides;
	tree_slots top;   /* Nodes of the first level */
	tree_slots first; /* Deeper levels: first node of each key that is not in `wide` */
	struct map below; /* Deeper levels: further nodes, by parent and key */
	struct tree_wide wide[TREE_WIDE_MOST];
	uint32_t wide_count;
	uint32_t run;   /* All nodes from this one on have the same parent */
	uint32_t guess; /* Deeper node that tree_get() probably returns next */
};

void tree_init(struct tree *t, uint32_t measures, uint32_t sides);
void tree_release(struct tree *t);
/* Frees what only tree_get() needs. Afterwards, nodes cannot be added or searched. */
void tree_close(struct tree *t);
/* Adds sums with fractions to a new tree. The caller adds to them, and calls tree_round() at the
 * end. */
void tree_keep_fractions(struct tree *t);
/* Sets each integer sum of these measures to the rounded sum with fractions. */
void tree_round(struct tree *t, const struct heft_measure *measures);
/* Asserts that nodes come after their parents and have sums. O(nodes): only if HEFT_CHECKS. */
void tree_verify(const struct tree *t);

/* Returns the node of a key below another node. Makes it if it does not exist. */
uint32_t tree_get(struct tree *t, uint32_t parent, uint32_t key);
/* Adds a new node without searching for an existing one. A tree must add either all nodes so, or
 * none. */
uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t key);

/* Returns the sums of a node on one side of the tree, by measure. */
static inline uint64_t *tree_sums(const struct tree *t, uint32_t node, enum heft_role role)
{
	return t->sums.data + ((size_t)node * t->sides + role) * t->measures;
}

/* Returns the sums of a node with their fractions. NULL in a tree without fractions. */
static inline double *tree_exact(const struct tree *t, uint32_t node, enum heft_role role)
{
	return t->fractions ? t->exact.data + ((size_t)node * t->sides + role) * t->measures : NULL;
}

extern const uint64_t tree_nothing[MEASURES_MAX];

/* Returns the sums of a node on the side of the base. All 0 in a tree of one side. */
static inline const uint64_t *tree_base(const struct tree *t, uint32_t node)
{
	return t->sides > 1 ? tree_sums(t, node, HEFT_BASE) : tree_nothing;
}

static inline uint64_t tree_hash(uint32_t parent, uint32_t key)
{
	return hash_u64((uint64_t)parent << 32 | key);
}

/* Returns the node of a key on the first level. 0: none */
static inline uint32_t tree_top(const struct tree *t, uint32_t key)
{
	return key < t->top.count ? t->top.data[key] : 0;
}

/* Returns the slots that tree_get() searches first, on the first or a deeper level. */
static inline const tree_slots *tree_slots_of(const struct tree *t, bool deeper)
{
	return deeper ? &t->first : &t->top;
}

/* Prefetches the memory that tree_get() reads first for a key. */
static inline void tree_fetch_slot(const tree_slots *list, uint32_t key)
{
	if (key < list->count)
		__builtin_prefetch(&list->data[key]);
}

/* Prefetches the node that tree_get() will probably find, and its sums. */
static inline void tree_fetch_sums(const struct tree *t, const tree_slots *list, uint32_t key)
{
	const uint32_t node = key < list->count ? list->data[key] : 0;
	__builtin_prefetch(&t->nodes.data[node]);
	__builtin_prefetch(tree_sums(t, node, HEFT_INPUT));
}

#endif
