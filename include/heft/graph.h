/* graph.h - part of heft.h: finds why something is in a program, and what would go with it. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_GRAPH_H)
#define HEFT_PART_GRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- who refers to whom, and who keeps whom ------------------------------- */

/* Reads the references between the symbols of a program. Symbols and their bytes are those of the
 * data source `symbols`. References are calls, jumps and operands of code, pointers in data, and
 * what unwind tables say about exceptions. Roots are what the program needs although nothing in it
 * refers to it: its entry, exports, constructors, interrupt vectors, kept sections.
 *
 *     struct heft_graph *g = heft_graph_new(session);
 *     struct heft_why why = { .size = sizeof why };
 *     size_t count;
 *     if (g && heft_graph_open(g, "/bin/ls", &err) &&
 *         heft_graph_ask(g, "main", &count, &err) && heft_graph_why(g, 0, &why, &err))
 *             printf("%s keeps %" PRIu64 " bytes\n", why.name, why.retained.vm);
 *     heft_graph_free(g);
 *
 * A jump through a computed number is no reference. One thread per handle. */
struct heft_graph;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_graph_free(), which
 * accepts NULL. */
HEFT_API struct heft_graph *heft_graph_new(struct heft_session *s);
HEFT_API void heft_graph_free(struct heft_graph *g);
/* Opens a program, library or object, once per handle, and reads its references. HEFT_EUNSUPPORTED
 * for other files. */
HEFT_API bool heft_graph_open(struct heft_graph *g, const char *path, struct heft_err *err);
/* Finds the symbols that a text means, as heft_where_ask() does, and sets their number.
 * heft_graph_why() describes them. If no symbol has this name, the text may be a pattern of
 * fnmatch(3): all symbols that match are one group, as in heft_graph_ask_by(). HEFT_EARG if no
 * symbol matches; the message names a symbol with a similar name. */
HEFT_API bool heft_graph_ask(struct heft_graph *g, const char *text, size_t *ret_count,
			     struct heft_err *err);
/* Asks for a group of symbols instead: those whose label of a data source, such as "packages", is
 * `text` or a label below it ("DIR/..", "NAME::..", a version of a package). heft_graph_why() with
 * number 0 describes what would go with all of them. HEFT_EARG if there is no such source or no
 * such group. */
HEFT_API bool heft_graph_ask_by(struct heft_graph *g, const char *source, const char *text,
				struct heft_err *err);

/* Bytes in the file and in the VM image. This struct never grows. */
struct heft_bytes {
	uint64_t file, vm;
};

/* References of one symbol to another. Unknown texts are "". This struct never grows. */
struct heft_reference {
	const char *from, *to; /* Names of the symbols. `from` is "" if `to` is a root */
	/* How it refers: "call", "jump", "address", "access", "relocation", "pointer", "word",
	 * "number", "personality", "type", "part" or "indirect call". For a root, why it is
	 * one. */
	const char *kind;
	uint64_t count;   /* Number of references */
	uint64_t place;   /* Address of the first reference of this kind */
	const char *file; /* Source file of the code at `place`, or of the variable around it */
	uint32_t line;    /* 0 if unknown */
};

/* A section or a symbol, and its bytes. This struct never grows. */
struct heft_kept {
	const char *name; /* "" for bytes outside of sections */
	uint64_t file, vm;
};

/* Why a symbol is in the program. Texts and lists are valid until the next call with the handle. */
struct heft_why {
	size_t size; /* Set to sizeof(struct heft_why). */
	const char *name;
	uint64_t addr;              /* HEFT_NO_ADDRESS for a symbol without bytes in memory. */
	struct heft_bytes own;      /* Bytes that the data source `symbols` assigns to it. */
	struct heft_bytes retained; /* Bytes that roots reach only through it, its own included. */
	/* The shortest chain of references from a root, which comes first. Ends with the symbol.
	 * Empty if no root reaches the symbol. */
	const struct heft_reference *chain;
	size_t chain_count;
	/* The first 64 of `all_users` references to the symbol; from reachable symbols first. */
	const struct heft_reference *users;
	size_t user_count;
	uint64_t all_users;
	/* Retained bytes by section, and by symbol: the 16 largest of `all_parts` symbols. */
	const struct heft_kept *sections;
	size_t section_count;
	const struct heft_kept *parts;
	size_t part_count;
	uint64_t all_parts;
	/* What was not looked at, if no root reaches the symbol: kinds of references that heft may
	 * not see in this program. Otherwise "". */
	const char *unseen;
};

/* Describes symbol i of heft_graph_ask(), or group 0 of heft_graph_ask_by(). HEFT_EARG if none. */
HEFT_API bool heft_graph_why(struct heft_graph *g, size_t i, struct heft_why *ret,
			     struct heft_err *err);
/* Writes a description: HEFT_TABLE for people, HEFT_JSON as one object on one line (docs/json.md),
 * HEFT_CSV, HEFT_TSV and HEFT_MARKDOWN as a line without lists. If `why` is NULL, writes the names
 * of the columns. `opts` may be NULL. */
HEFT_API bool heft_graph_write(const struct heft_graph *g, const struct heft_why *why,
			       const struct heft_write_opts *opts, const struct heft_sink *sink,
			       struct heft_err *err);
/* Writes all references, a line each. A root has a reference from "". */
HEFT_API bool heft_graph_write_references(struct heft_graph *g, const struct heft_write_opts *opts,
					  const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
