/* source.h - runs data sources. A data source claims bytes for labels.
 *
 * A data source looks at one input and fills a layer: spans that cover the VM image and the file to
 * the byte. It does not use layers of other data sources, with exceptions in README.md. source_at()
 * lists all. */
#pragma once

#include "program/source_file.h"
#include "map/view.h"
#include "program/dwarf_slot.h"
#include "program/go_table.h"
#include "program/program.h"
#include "attr/panics.h"

/* What a data source found in one input */
struct layer {
	struct spans vm, file;

	bool exact; /* True to keep short ranges without an owner, instead of giving them as padding
		     * to the owner before them */
	/* Where symbols without an owner begin, and padding ends. layer_finish() releases both. */
	VEC(uint64_t) vm_starts;
	VEC(uint64_t) file_starts;
};

void layer_release(struct layer *l);

/* Completes the layer. VM claims give labels to VM bytes without an owner. In the file, `file`
 * claims win over translated VM spans. Fallback labels get the rest, and padding goes to the owner
 * before it. Checks that every byte has an owner. Consumes the claims, which may be NULL. */
void layer_finish(const struct source_file *f, struct layer *l, struct claims *vm,
		  struct claims *file);

/* Labels "[section X]" whose texts are made last. Most sections of an object have owners, so that
 * few of these labels are needed. Until then, such a label is LABEL_LATER plus its index. */
#define LABEL_LATER (UINT32_C(1) << 31)
struct later_labels {
	VEC(struct later_label {
		const struct section *section;
		uint32_t image; /* Index of its image */
		label_id label; /* LABEL_NONE: no text yet */
	})
	list;
};
/* Makes the texts of labels in spans. Then merges adjacent spans whose labels are equal. */
void later_labels_name(struct later_labels *l, const struct source_file *f, struct spans *s);

/* layer.c: makes the labels [section X], header tables, segments, [Unmapped], archive parts. If
 * `later` is not NULL, labels of sections get their names later. */
void fallback_claims(const struct source_file *f, struct claims *vm, struct claims *file,
		     struct later_labels *later);
/* A section or segment, in a list sorted by `key`: the order in which they claim bytes. If they
 * overlap, the one that begins last claims first, as in image_section_at() */
struct section_turn {
	uint64_t key;
	uint64_t index;
};
typedef VEC(struct section_turn) section_order_vec;
void section_order(const struct source_file *f, const struct image *im, section_order_vec *ret);
/* False if some addresses of a section are not in the base map. Bloaty ignores such sections. */
bool section_is_based(const struct source_file *f, const struct image *im, const struct section *s);
void claim_section(const struct image *im, const struct section *s, label_id label, enum why why,
		   struct claims *vm, struct claims *file);
/* Returns "NAME", or "#5" for a nameless section. The label table owns the text. */
struct str section_label_name(const struct source_file *f, const struct section *s);

/* How to show the labels of a data source. */
enum source_text {
	TEXT_AS_IS,
	TEXT_CHOSEN, /* A symbol, in the style of the option -C */
	TEXT_SHORT,
	TEXT_FULL,
	TEXT_PATH,      /* Source file */
	TEXT_DIRECTORY, /* Directory of a source file */
	TEXT_STACK,     /* Symbols with ";" between, in the style of -C */
	TEXT_NAMESPACE, /* Namespace of a symbol */
	TEXT_GENERIC,   /* A symbol, whose generic stands for all instances */
	TEXT_BLOCK,     /* A symbol in the style of -C, "#" and a number */
};

struct source {
	const char *name, *about;
	void (*run)(const struct source_file *f, struct layer *ret);
	enum source_text text;
	bool dwarf;   /* True if it reads debug info, perhaps of a separate debug file */
	bool core;    /* True if it reads cores itself. Otherwise it reads the files that a core
		       * maps */
	bool units;   /* True if it needs compile units, perhaps of a debug file, and the linker
		       * map */
	bool regions; /* True if it needs a base map with memory regions (basemap.h) */
	bool symbols; /* True if it reads symbols, perhaps of a separate debug file */
	/* True if it needs only one image of an archive at a time. Then archives are read in
	 * portions. */
	bool portions;
};

/* Returns how to show a source's labels if no rules change them. `chosen`: style of -C. */
struct view source_view(const struct source *s, enum heft_demangle chosen);
const struct source *source_at(size_t i);
/* Finds a data source by its name, or by the singular of its name. NULL if there is none. */
const struct source *source_find(struct str name);
/* True if a label is one symbol, or one generic with all its instances. */
bool source_names_symbols(const struct source *s);
void source_run(const struct source *s, const struct source_file *f, struct layer *ret);

void source_inputfiles(const struct source_file *f, struct layer *ret);
void source_armembers(const struct source_file *f, struct layer *ret);
void source_segments(const struct source_file *f, struct layer *ret);
void source_sections(const struct source_file *f, struct layer *ret);
/* Label of bytes in no region, or of all bytes if there are no regions. */
#define NO_REGION "[in no region]"
void source_objects(const struct source_file *f, struct layer *ret);
void source_libraries(const struct source_file *f, struct layer *ret);
void source_regions(const struct source_file *f, struct layer *ret);
void source_symbols(const struct source_file *f, struct layer *ret);
void source_dominators(const struct source_file *f, struct layer *ret);
void source_sure(const struct source_file *f, struct layer *ret);
void source_blocks(const struct source_file *f, struct layer *ret);
void source_functions(const struct source_file *f, struct layer *ret);
void source_blockkinds(const struct source_file *f, struct layer *ret);
void source_compileunits(const struct source_file *f, struct layer *ret);
void source_packages(const struct source_file *f, struct layer *ret);
void source_sourcefiles(const struct source_file *f, struct layer *ret);
void source_inlines(const struct source_file *f, struct layer *ret);
void source_inlinestacks(const struct source_file *f, struct layer *ret);
void source_hotness(const struct source_file *f, struct layer *ret);
void source_mappings(const struct source_file *f, struct layer *ret);
void source_modules(const struct source_file *f, struct layer *ret);
void source_targets(const struct source_file *f, struct layer *ret);
void source_threads(const struct source_file *f, struct layer *ret);
void source_allocations(const struct source_file *f, struct layer *ret);

struct graph;
/* Makes the graph of the owners in the input's layer by symbol, from references that the data
 * source `symbols` kept (source_file.refs). */
void source_graph_make(const struct source_file *f, const struct layer *symbols,
		       struct ref_store *refs, struct graph *g);
/* Runs the data source `symbols`, and makes the graph of its owners (graph/graph.h). False if the
 * input has no graph: it is a core or an archive. Then does nothing. */
bool source_graph(const struct source_file *f, struct layer *ret, struct graph *g);

struct namespaces;
/* Adds C++ namespaces and classes in the debug info of the input. */
void source_namespaces(const struct source_file *f, struct namespaces *ret);

/* Prepares an input for data sources: its base map, the DWARF that they share, and their struct
 * source_file.
 *
 * One thread per struct. Data sources that run in parallel need one each. */

/* An input prepared for data sources. All zero: nothing to release */
struct measure {
	struct basemap map;
	struct dwarf_slot dwarf;
	struct go_slot go;
	struct panics panics;
	struct source_file file;
};

/* What data sources need of a program beside its bytes. */
enum {
	NEED_SYMBOLS = 1 << 0,
	NEED_DWARF = 1 << 1,
	NEED_UNITS = 1 << 2, /* Compile units, also by a linker map */
	NEED_REGIONS = 1 << 3,
};
unsigned source_needs(const struct source *s);
/* Describes a program for data sources that need `needs` (bits NEED_*). `core`: process of a core,
 * or NULL. The caller sets labels and notes. */
struct source_file measure_input(struct program *p, struct process *core, unsigned needs);
/* Prepares an input. `of` has the input and its labels. Borrows `of` and `wish` until
 * measure_release(). Sets base map, DWARF and, unless the caller shares one, Go's table. */
void measure_begin(struct measure *m, const struct source_file *of,
		   const struct program_wish *wish);
/* True if other data sources use this one's layer: `symbols` and `compileunits`. */
bool measure_lends(const struct source *s);
/* Runs a data source on the input. A layer that others use must stay until all have run. */
void measure_run(struct measure *m, const struct source *s, struct layer *ret);
/* Finds the code of the input: spans over the whole file, LABEL_NONE for code, a label for other
 * bytes. */
void measure_code(const struct measure *m, struct spans *ret);
void measure_release(struct measure *m);
