/* graph.h - the graph of references between the owners of an image, and what each owner keeps.
 *
 * A node is an owner of bytes as the data source `symbols` has it, or a part of it: each further
 * range of data of an owner is a part, because others may refer to this range alone. Examples are
 * constants that several functions share. The bytes of all nodes add up to the image.
 *
 * Node 0 is the program. Its edges lead to the roots: what the program needs although nothing in it
 * refers to it. A node retains the bytes of all nodes that it dominates (dominators.h): what would
 * go if it went.
 *
 * One thread makes a graph, with workers of its own. Then any number of threads may read it. */
#ifndef HEFT_GRAPH_GRAPH_H
#define HEFT_GRAPH_GRAPH_H

#include "graph/dominators.h"
#include "graph/edges.h"
#include "map/label.h"
#include "program/source_file.h"

/* Why a node is a root. */
enum root_why {
	ROOT_NONE,
	ROOT_ENTRY,       /* Start of the program */
	ROOT_EXPORT,      /* Other modules may use it by its name */
	ROOT_CONSTRUCTOR, /* The loader calls it at start */
	ROOT_DESTRUCTOR,  /* The loader calls it at exit */
	ROOT_VECTOR,      /* The processor finds it: the table of interrupt vectors, its handlers */
	ROOT_KEPT,        /* Linkers keep the section, because code finds it by its bounds */
	ROOT_UNREAD,      /* Code of a machine without a decoder: its references are unknown */
	ROOT_FORMAT,      /* Tables of the file format */
	ROOT_TABLES,      /* Only tables of symbols, unwinding or debug info have bytes of it */
	ROOT_REASONS,
};

/* Bytes in the file and in the VM image. */
struct graph_sum {
	uint64_t file, vm;
};

struct graph_node {
	label_id label;
	uint8_t root;                   /* Why it is a root (enum root_why) */
	bool placed;                    /* True if `addr` is that of the owner's main range */
	bool part;                      /* True for a further range of an owner, see the top */
	bool constant;                  /* True for a part without a name of its own */
	uint64_t addr;                  /* Address of the first byte. UINT64_MAX without VM bytes */
	struct graph_sum own, retained; /* `retained`: of the node and all that it dominates */
};

struct graph {
	/* Private. */
	struct spans spans; /* VM spans of owners. Each text among constants has a span */
	VEC(struct graph_node) nodes;
	uint32_t *owner;   /* Per span: its node */
	uint8_t *flags;    /* Per span: bits of enum span_flag */
	uint32_t *node_of; /* Per label: its node, or NODE_NONE */
	size_t label_count;
	edge_vec edges; /* Sorted by edge_key() */
	size_t *out_first, *in_first;
	uint32_t *out, *in; /* `out`: targets of edges, by source node. `in`: sources, by target */
	uint32_t *dominators, *order;
	uint32_t reached; /* Number of reachable nodes: those in `order` */
};

/* What a graph is made from. Borrowed while it is made. */
struct graph_of {
	const struct image *im;
	const struct spans *vm;
	const struct spans *file; /* NULL: no node has bytes in the file */
	const struct labels *labels;
	/* References that the data source `symbols` found in code (source_file.refs). graph_read()
	 * empties it. NULL: code is decoded again, and each further range of data is a part of its
	 * owner. */
	struct ref_store *refs;
	const struct image *debug; /* Has symbols that `im` lacks, or NULL */
	struct go_slot *go;        /* NULL: tables of Go's runtime are not read */
	unsigned threads;          /* Number of threads. 0: one per processor */
};

/* Returns the image of an input whose references can be read. NULL for cores and archives. */
static inline const struct image *graph_image(const struct input *in)
{
	return input_is_one_image(in) && in->images[0].kind != IMAGE_CORE ? &in->images[0] : NULL;
}

/* Returns the image whose symbols an input lacks, or NULL. */
static inline const struct image *graph_debug(const struct source_file *f)
{
	return f->debug ? &f->debug->images[0] : NULL;
}

/* Finds nodes and edges. */
void graph_read(struct graph *g, const struct graph_of *of);
/* roots.c: adds the edges of node 0. */
void graph_find_roots(struct graph *g, const struct graph_of *of);
/* Computes dominators and retained bytes. After this, edges do not change. */
void graph_finish(struct graph *g);
void graph_release(struct graph *g);

/* Returns the node that owns an address. NODE_NONE if nothing is there. O(log spans). */
static inline uint32_t graph_at(const struct graph *g, uint64_t addr)
{
	const struct span *at = spans_find(&g->spans, addr);
	return at ? g->owner[at - g->spans.list.data] : NODE_NONE;
}

/* Returns the bytes of a span that the file has. `in`: its section, or NULL. */
uint64_t graph_file_bytes(const struct span *s, const struct section *in);
/* Returns the edge from a node to another. NULL if there is none. O(log edges). */
const struct graph_edge *graph_edge_between(const struct graph *g, uint32_t from, uint32_t to);
/* Finds the shortest path from node 0 to one of the nodes `to`. Appends its nodes to *ret, without
 * node 0. Empty if no path exists. */
typedef VEC(uint32_t) node_vec;
void graph_path(const struct graph *g, const node_vec *to, node_vec *ret);

/* groups.c: computes what each group of nodes retains: the own bytes of all nodes that would go
 * with the whole group. `group`: per node, the number of its group, less than `count`. NODE_NONE
 * for nodes of no group, such as constants, which go when nothing refers to them. Time: O(nodes +
 * edges), mostly per 256 groups, at worst per group. */
void groups_retain(const struct graph *g, const uint32_t *group, uint32_t count, unsigned threads,
		   struct graph_sum *ret);
/* Fills ret[nodes] with true for each node that would go with group 0. */
void group_gone(const struct graph *g, const uint32_t *group, bool *ret);

static inline bool graph_reaches(const struct graph *g, uint32_t node)
{
	return node == 0 || g->dominators[node] != NODE_NONE;
}

#endif
