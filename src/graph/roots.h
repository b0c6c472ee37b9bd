/* roots.h - what the files that find roots share. Private to graph/. */
#pragma once

#include "graph/graph.h"

struct graph_roots {
	struct graph *g;
	const struct graph_of *of;
};

/* Makes a node a root. The first reason in enum root_why counts. */
void roots_add(struct graph_roots *r, uint32_t node, enum root_why why);
/* Makes the owner of code at an address a root. */
void roots_add_code(struct graph_roots *r, uint64_t addr, enum root_why why);
/* kernel_roots.c: adds the roots of a kernel of Linux. Nothing happens for other programs. */
void roots_add_kernel(struct graph_roots *r);
