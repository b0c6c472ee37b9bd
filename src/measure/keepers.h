/* keepers.h - finds what keeps the symbols of each row in a program: the label without which
 * nothing would reach them, and the last step of the shortest chain of references to them. For
 * pages, which join the steps of all labels to a tree and to chains.
 *
 * A label may stand for several symbols: then its keeper is the nearest one that all of them have.
 * Constants without a name count for the symbol that owns them. */
#pragma once

#include "base/vec.h"
#include "map/label.h"

struct graph;
struct symbolizer;

struct keeper {
	const char *kind;    /* How `by` refers to the label. NULL: the label has no symbols */
	const char *file;    /* Source file of the reference. "" if unknown */
	label_id keeper, by; /* LABEL_NONE: the program as a whole */
	uint32_t line;
	bool reached; /* False: no root reaches the symbols, and nothing else is known */
};

/* Upper half: a label that rows show. Lower half: a label that refers to it. */
typedef VEC(uint64_t) label_users;

struct keepers {
	struct keeper *of; /* By the label that rows show. NULL: nothing is known */
	size_t count;
	label_users users; /* Sorted, each pair once */
};

/* Finds the keepers. `shown`: per label of the graph, the label that rows show. NULL: the same.
 * `count`: number of all labels. `lines`: finds source lines, or NULL. O(nodes + edges), and a
 * look-up per label. */
void keepers_find(struct keepers *k, const struct graph *g, const label_id *shown, size_t count,
		  struct symbolizer *lines);
/* Appends who refers to whom. Constants of a function are no part of it here: code that reads them
 * does not refer to the function. users_sort() sorts the pairs, and removes repeated ones. */
void users_add(label_users *users, const struct graph *g, const label_id *shown);
void users_sort(label_users *users);
/* Returns the keeper of a label, or NULL. */
static inline const struct keeper *keeper_of(const struct keepers *k, label_id label)
{
	return label < k->count && k->of[label].kind ? &k->of[label] : NULL;
}
