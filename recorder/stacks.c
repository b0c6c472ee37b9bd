/* stacks.c - maps a stack of return addresses to its id. Each slot has its own tree, which only the
 * slot's thread writes. So threads share neither tables nor counters.
 *
 * A known stack is found by the 64-bit hash of all its frames. With a million distinct stacks, one
 * in 30 million runs confuses two of them. A new stack is added to the tree frame by frame, from
 * the innermost frame whose node is known. */
#include "recorder.h"

#include <string.h>

enum {
	FIRST_LEAVES = 512,
	FIRST_CHILDREN = 1024,
};

static inline uint32_t child_hash(uint32_t parent, uint64_t frame)
{
	const uint64_t h = (frame + parent * UINT64_C(0xc2b2ae3d27d4eb4f)) *
			   UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

/* Returns the entry of a hash, or the free entry where it belongs. */
static inline struct leaf *leaf_at(struct leaf *leaves, uint32_t mask, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32) & mask;
	while (leaves[at].stack != 0 && leaves[at].hash != hash)
		at = (at + 1) & mask;
	return &leaves[at];
}

static bool leaves_grow(struct slot *s)
{
	const uint32_t size = s->leaves == NULL ? FIRST_LEAVES : 2 * (s->leaf_mask + 1);
	struct leaf *to = map_memory((size_t)size * sizeof *to);
	if (to == NULL)
		return false;
	for (uint32_t i = 0; s->leaves != NULL && i <= s->leaf_mask; i++)
		if (s->leaves[i].stack != 0)
			*leaf_at(to, size - 1, s->leaves[i].hash) = s->leaves[i];
	if (s->leaves != NULL)
		unmap_memory(s->leaves, ((size_t)s->leaf_mask + 1) * sizeof *to);
	s->leaves = to;
	s->leaf_mask = size - 1;
	return true;
}

static bool children_grow(struct slot *s)
{
	const uint32_t size = s->children == NULL ? FIRST_CHILDREN : 2 * (s->child_mask + 1);
	uint32_t *to = map_memory((size_t)size * sizeof *to);
	if (to == NULL)
		return false;
	for (uint32_t i = 0; s->children != NULL && i <= s->child_mask; i++) {
		const uint32_t id = s->children[i];
		if (id == 0)
			continue;
		const struct heap_node *n = node_get(id);
		uint32_t at = child_hash(n->parent, n->frame) & (size - 1);
		while (to[at] != 0)
			at = (at + 1) & (size - 1);
		to[at] = id;
	}
	if (s->children != NULL)
		unmap_memory(s->children, ((size_t)s->child_mask + 1) * sizeof *to);
	s->children = to;
	s->child_mask = size - 1;
	return true;
}

/* Empties the slot's tables, because addresses have a new meaning. New nodes go to new pages. Old
 * ids stay valid. */
static void forget(struct slot *s, uint32_t epoch)
{
	if (s->leaves != NULL)
		memset(s->leaves, 0, ((size_t)s->leaf_mask + 1) * sizeof *s->leaves);
	if (s->children != NULL)
		memset(s->children, 0, ((size_t)s->child_mask + 1) * sizeof *s->children);
	s->leaf_count = s->child_count = 0;
	s->nodes = NULL;
	s->node_epoch = epoch;
	for (uint32_t i = 0; i < s->frame_count; i++)
		s->frames[i].node = 0;
}

static uint32_t new_node(struct slot *s, uint32_t parent, uint64_t frame)
{
	struct heap_page *p = s->nodes;
	if (p == NULL || p->used == page_capacity(p)) {
		p = page_new(HEAP_PAGE_NODES, sizeof(struct heap_node), s->number);
		if (p == NULL)
			return 0;
		p->epoch = s->node_epoch;
		s->nodes = p;
	}
	struct heap_node *n = page_entry(p, p->used);
	*n = (struct heap_node){ frame, parent, 0 };
	atomic_signal_fence(memory_order_seq_cst);
	return p->number << HEAP_NODE_SHIFT | p->used++;
}

static uint32_t child(struct slot *s, uint32_t parent, uint64_t frame)
{
	if ((s->children == NULL || s->child_count > s->child_mask / 4 * 3) && !children_grow(s))
		return 0;
	uint32_t at = child_hash(parent, frame) & s->child_mask;
	for (uint32_t id; (id = s->children[at]) != 0; at = (at + 1) & s->child_mask) {
		const struct heap_node *n = node_get(id);
		if (n->frame == frame && n->parent == parent)
			return id;
	}
	const uint32_t id = new_node(s, parent, frame);
	if (id != 0) {
		s->children[at] = id;
		s->child_count++;
	}
	return id;
}

static uint32_t new_stack(struct slot *s, uint32_t node)
{
	struct heap_page *p = s->stacks;
	if (p == NULL || p->used == page_capacity(p)) {
		p = page_new(HEAP_PAGE_STACKS, sizeof(struct heap_stack), s->number);
		if (p == NULL)
			return 0;
		s->stacks = p;
	}
	struct heap_stack *stack = page_entry(p, p->used);
	stack->node = node;
	stack->peak_epoch = atomic_load_explicit(&recorder.peak_epoch, memory_order_relaxed);
	const uint32_t id = p->number << HEAP_STACK_SHIFT | p->used;
	atomic_signal_fence(memory_order_seq_cst);
	p->used++;
	node_get(node)->stack = id;
	return id;
}

/* Adds the stack frames[1..frame_count) to the tree. Returns its id. 0 if the tables are full. */
static COLD uint32_t insert(struct slot *s)
{
	uint32_t i = s->frame_count - 1;
	while (i > 0 && s->frames[i].node == 0)
		i--;
	uint32_t node = s->frames[i].node;
	if (i == 0)
		node = 0;
	for (i++; i < s->frame_count; i++) {
		node = child(s, node, s->frames[i].pc);
		if (node == 0)
			return 0;
		s->frames[i].node = node;
	}
	if (node == 0)
		return 0;
	const uint32_t known = node_get(node)->stack;
	return known != 0 ? known : new_stack(s, node);
}

/* True if the stack that the hash found is the walked stack. For the option `check`. */
static COLD bool is_same_stack(const struct slot *s, uint32_t id)
{
	uint32_t slot;
	uint32_t node = stack_get(id, &slot)->node;
	for (uint32_t i = s->frame_count; i-- > 1; node = node_get(node)->parent)
		if (node == 0 || node_get(node)->frame != s->frames[i].pc)
			return false;
	return node == 0;
}

HOT uint32_t stack_id(struct slot *s, uint64_t hash)
{
	const uint32_t epoch = atomic_load_explicit(&recorder.node_epoch, memory_order_relaxed);
	if (UNLIKELY(epoch != s->node_epoch))
		forget(s, epoch);
	if (LIKELY(s->leaves != NULL)) {
		const uint32_t known = leaf_at(s->leaves, s->leaf_mask, hash)->stack;
		if (UNLIKELY(known != 0 && recorder.opt.check) && !is_same_stack(s, known))
			__builtin_trap();
		if (LIKELY(known != 0))
			return known;
	}
	const uint32_t id = insert(s);
	if (id == 0)
		return 0;
	if ((s->leaves == NULL || s->leaf_count > s->leaf_mask / 4 * 3) && !leaves_grow(s))
		return id;
	*leaf_at(s->leaves, s->leaf_mask, hash) = (struct leaf){ hash, id };
	s->leaf_count++;
	return id;
}
