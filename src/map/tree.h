/* tree.h - sums values by path of labels. The rows of every report come from a tree of sums.
 *
 * A node is a label below another node. Node 0 is the top. Each node has the same measures, at
 * first 0, now and in the base, or only now without a comparison. The caller adds to these sums, so
 * that children add up to their parent. A key is the number of a label, such as its id. It should
 * be small, because some arrays are as long as the largest key.
 *
 * Cost: O(1) per look-up. Memory: 8 bytes per node and 8 per measure and side. 4 bytes per key for
 * the first level, and 4 for all deeper levels. 11 to 22 bytes per node whose key has several
 * nodes. A few nodes with very many children take 4 bytes per key instead. Sums move while nodes
 * are added. One thread at a time. */
#pragma once

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"
#include "heft.h"

enum { MEASURES_MAX = 16 };

struct tree_node {
	uint32_t parent; /* The top is its own parent */
	uint32_t key;
};

typedef VEC(uint32_t) tree_slots; /* Per key: index of its node. 0 if it has none */

/* A node that gets TREE_WIDE_FROM children one after the other finds them by an array instead of a
 * hash. At most TREE_WIDE_MOST nodes do. */
enum { TREE_WIDE_FROM = 1 << 15, TREE_WIDE_MOST = 8 };

struct tree_wide {
	uint32_t parent;
	tree_slots slots;
};

struct tree {
	VEC(struct tree_node) nodes;
	VEC(uint64_t) sums; /* Sums of all nodes: see tree_sums() */
	/* Sums with fractions. Empty without tree_keep_fractions(). */
	VEC(double) exact;
	bool fractions, closed;
	uint32_t measures, sides;
	tree_slots top;   /* First level: per key, its node */
	tree_slots first; /* Deeper levels: a key's first node, unless that is in `wide` */
	struct map below; /* Deeper levels: the other nodes, by parent and key */
	struct tree_wide wide[TREE_WIDE_MOST];
	uint32_t wide_count;
	uint32_t run;   /* First node of the last series of nodes with the same parent */
	uint32_t guess; /* The node that tree_get() probably returns next */
};

void tree_init(struct tree *t, uint32_t measures, uint32_t sides);
void tree_release(struct tree *t);
/* Frees what only tree_get() needs. No nodes can be added or found afterwards. */
void tree_close(struct tree *t);
/* Adds sums with fractions to a new tree. The caller adds to these, and at last calls
 * tree_round(). */
void tree_keep_fractions(struct tree *t);
/* Rounds the sums with fractions of these measures, and stores them as the whole sums. */
void tree_round(struct tree *t, const struct heft_measure *measures);
/* Asserts that nodes come after their parents, and have sums. O(nodes): only if HEFT_CHECKS. */
void tree_verify(const struct tree *t);
/* True if the children's sums of a measure add up to their parent's everywhere. O(nodes). */
bool tree_adds_up(const struct tree *t, uint32_t measure);

/* Returns the node of a key below another node. Adds it if it is new. */
uint32_t tree_get(struct tree *t, uint32_t parent, uint32_t key);
/* Adds a node that must be new. The nodes of a tree are either all from tree_add(), or all from
 * tree_get(). */
uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t key);

/* Returns a node's sums, one per measure. `role` selects the sums of the inputs or of the bases. */
static inline uint64_t *tree_sums(const struct tree *t, uint32_t node, enum heft_role role)
{
	return t->sums.data + ((size_t)node * t->sides + role) * t->measures;
}

/* Returns the sums with fractions. NULL in a tree without them. */
static inline double *tree_exact(const struct tree *t, uint32_t node, enum heft_role role)
{
	return t->fractions ? t->exact.data + ((size_t)node * t->sides + role) * t->measures : NULL;
}

extern const uint64_t tree_nothing[MEASURES_MAX];

/* Returns a node's sums of the base. All 0 in a tree without a base. */
static inline const uint64_t *tree_base(const struct tree *t, uint32_t node)
{
	return t->sides > 1 ? tree_sums(t, node, HEFT_BASE) : tree_nothing;
}

static inline uint64_t tree_hash(uint32_t parent, uint32_t key)
{
	return hash_u64((uint64_t)parent << 32 | key);
}

/* Returns the node with this key on the first level. 0 if there is none. */
static inline uint32_t tree_top(const struct tree *t, uint32_t key)
{
	return key < t->top.count ? t->top.data[key] : 0;
}

/* Returns the list that tree_get() searches first. `deeper`: true below the first level. */
static inline const tree_slots *tree_slots_of(const struct tree *t, bool deeper)
{
	return deeper ? &t->first : &t->top;
}

/* Prefetches what tree_get() reads first for a key. */
static inline void tree_fetch_slot(const tree_slots *list, uint32_t key)
{
	if (key < list->count)
		__builtin_prefetch(&list->data[key]);
}

/* Prefetches the node that tree_get() probably returns, and its sums. */
static inline void tree_fetch_sums(const struct tree *t, const tree_slots *list, uint32_t key)
{
	const uint32_t node = key < list->count ? list->data[key] : 0;
	__builtin_prefetch(&t->nodes.data[node]);
	__builtin_prefetch(tree_sums(t, node, HEFT_INPUT));
}
