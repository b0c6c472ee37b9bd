/* dominators.h - finds for each node of a graph the node that keeps it reachable.
 *
 * Node 0 is the root. Node d dominates node v if every path from the root to v passes through d.
 * The closest such node is the immediate dominator of v. Removing d cuts off exactly the nodes that
 * d dominates. Algorithm: Semi-NCA (Georgiadis, Linear-Time Algorithms for Dominators and Related
 * Problems, 2005, section 2.3). No recursion, so chains may be as long as the graph.
 *
 * About O(edges), O(nodes * edges) at worst only in theory. 20 bytes per node while it runs. */
#ifndef HEFT_GRAPH_DOMINATORS_H
#define HEFT_GRAPH_DOMINATORS_H

#include "base/vec.h"

/* Stands for no node: the dominator of the root and of unreachable nodes. */
#define NODE_NONE UINT32_MAX

/* Edges of a graph by their first node. The edges of node i lead to to[first[i]] up to
 * to[first[i + 1] - 1]. */
struct links {
	uint32_t count; /* Number of nodes, at least 1 */
	const size_t *first;
	const uint32_t *to;
};

/* Computes dominators[count]. Fills order[count] with the reachable nodes in depth-first order, so
 * that each node comes after its dominator. Returns their number. `out` has the edges of the graph,
 * `in` the same edges reversed. */
uint32_t dominators_find(const struct links *out, const struct links *in, uint32_t *dominators,
			 uint32_t *order);

#endif
