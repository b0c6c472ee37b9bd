/* why.h - defines struct heft_graph, which finds why symbols are in a program. Private to measure/
 * and api/. All functions allocate memory that the struct owns (base/mem.h). */
#pragma once

#include "graph/graph.h"
#include "measure/text_places.h"
#include "program/locate.h"
#include "program/program.h"
#include "program/session.h"
#include "source/source.h"

struct heft_graph {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct arena arena;
	struct context context;
	struct program program;
	bool opened, is_read;
	struct labels labels;
	struct measure measure;
	struct layer layer;
	struct graph graph;
	struct locator locator;
	struct text_places places;
	node_vec asked; /* Nodes that the text of the last why_ask() names */
	const char *by; /* Name of the group, if `asked` is one group. Otherwise NULL */
	/* Parts of the last answer. */
	struct arena answer;
	VEC(struct heft_reference) chain, users;
	VEC(struct heft_kept) sections, parts;
};

/* Returns which references heft may not see in the program, as words. "" if it sees all. */
const char *why_unseen(struct heft_graph *g);
/* Returns the word for the kind of an edge; for a root, why it is one. */
const char *why_word(const struct graph *g, const struct graph_edge *e);
bool why_open(struct heft_graph *g, const char *path, struct heft_err *err);
/* Reads the references of the open program with the settings of a context, which may belong to
 * another handle. False if the program has no graph. */
bool why_read(struct heft_graph *g, const struct context *c, struct notes *notes);
bool why_ask(struct heft_graph *g, const char *text, size_t *ret_count, struct heft_err *err);
/* Asks for a group of symbols: those to which a data source gives the label `text`, or a label
 * below it. */
bool why_ask_by(struct heft_graph *g, const char *source, const char *text, struct heft_err *err);
bool why_answer(struct heft_graph *g, size_t i, struct heft_why *ret, struct heft_err *err);
/* Describes symbol i by its name, address, own and retained bytes. Valid until the next call. False
 * after the last. */
bool why_symbol(struct heft_graph *g, size_t i, struct heft_why *ret);
/* Describes edge i, without its source line. Valid until the next call. False after the last. */
bool why_reference(struct heft_graph *g, size_t i, struct heft_reference *ret);
