/* source.h - runs data sources. A data source claims bytes for labels.
 *
 * A source looks at one input and fills a layer: spans that cover the VM image and the file to the
 * byte. A source does not use other sources' results, with exceptions in README.md. source_at()
 * lists all sources. */
#ifndef HEFT_SOURCE_SOURCE_H
#define HEFT_SOURCE_SOURCE_H

#include "program/source_file.h"
#include "map/view.h"
#include "program/dwarf_slot.h"
#include "program/go_table.h"
#include "program/program.h"
#include "attr/panics.h"

/* Result of a source for one input. */
struct layer {
	struct spans vm, file;

	bool exact; /* True if short fallback ranges are not padding */
	/* Starts of symbols without an owner: no padding. layer_finish() releases them. */
	VEC(uint64_t) vm_starts;
	VEC(uint64_t) file_starts;
};

void layer_release(struct layer *l);

/* Completes the layer. VM claims get bytes without an owner. Claims of file bytes win over
 * translated VM spans. The fallback gets the rest, and padding goes to the owner before it. Checks
 * that every byte has an owner. Consumes the claims, which may be NULL. */
void layer_finish(const struct source_file *f, struct layer *l, struct claims *vm,
		  struct claims *file);

/* Labels "[section X]" whose texts are made after it is known which are needed. Most of an object's
 * sections have owners, and each section has its own name. A label without a name yet is
 * LABEL_LATER with the index in the list. */
#define LABEL_LATER (UINT32_C(1) << 31)
struct later_labels {
	VEC(struct later_label {
		const struct section *section;
		uint32_t image; /* Index of its image. */
		label_id label; /* LABEL_NONE: not named yet. */
	})
	list;
};
/* Names the labels of spans, and merges adjacent spans whose labels become equal. */
void later_labels_name(struct later_labels *l, const struct source_file *f, struct spans *s);

/* layer.c: makes the labels [section X], header tables, segments, [Unmapped], archive parts. If
 * `later` is not NULL, labels of sections get their names later. */
void fallback_claims(const struct source_file *f, struct claims *vm, struct claims *file,
		     struct later_labels *later);
/* A section in the order of claiming. If sections overlap, the one that begins last comes first, as
 * in image_section_at(). */
struct section_turn {
	uint64_t key;
	uint64_t index;
};
typedef VEC(struct section_turn) section_order_vec;
void section_order(const struct source_file *f, const struct image *im, section_order_vec *ret);
/* False if the addresses of a section are not all in the base map. For Bloaty, there is no such
 * section. */
bool section_is_based(const struct source_file *f, const struct image *im, const struct section *s);
/* Claims the VM and file bytes of a section. */
void claim_section(const struct image *im, const struct section *s, label_id label, enum why why,
		   struct claims *vm, struct claims *file);
/* Returns "NAME", or "#5" for a section without a name. The text belongs to the label table. */
struct str section_label_name(const struct source_file *f, const struct section *s);

/* How to show the labels of a source. */
enum source_text {
	TEXT_AS_IS,
	TEXT_CHOSEN, /* A symbol, in the style of option -C */
	TEXT_SHORT,
	TEXT_FULL,
	TEXT_PATH,      /* Path of a source file */
	TEXT_DIRECTORY, /* Directory of a source file */
	TEXT_STACK,     /* Symbols joined by ";", by the -C setting */
	TEXT_NAMESPACE, /* Namespace of a symbol */
	TEXT_GENERIC,   /* A symbol. All instances of a generic are one */
	TEXT_BLOCK,     /* A symbol, "#" and a number, in the style of option -C */
};

struct source {
	const char *name, *about;
	void (*run)(const struct source_file *f, struct layer *ret);
	enum source_text text;
	bool dwarf;   /* Reads debug info, perhaps from a separate file */
	bool core;    /* Reads cores itself. Other sources read the files that a core maps */
	bool units;   /* Needs compile units, perhaps from a debug file, and the linker map */
	bool regions; /* Needs a base map with memory regions, see basemap.h */
	bool symbols; /* Reads symbols, perhaps from a separate file */
	/* Needs only one image of an archive at a time, so that archives are read in portions. */
	bool portions;
};

/* Returns how to show the labels of a source, without rules. `chosen` is the -C setting. */
struct view source_view(const struct source *s, enum heft_demangle chosen);
/* Returns built-in source i. NULL after the last. */
const struct source *source_at(size_t i);
/* Finds a source by its name, or by the singular of its name. */
const struct source *source_find(struct str name);
/* True if each label of a source is one symbol, or one generic with all instances. */
bool source_names_symbols(const struct source *s);
/* Runs the source on the input. */
void source_run(const struct source *s, const struct source_file *f, struct layer *ret);

void source_inputfiles(const struct source_file *f, struct layer *ret);
void source_armembers(const struct source_file *f, struct layer *ret);
void source_segments(const struct source_file *f, struct layer *ret);
void source_sections(const struct source_file *f, struct layer *ret);
/* Label of bytes in no region, or of all bytes without regions. */
#define NO_REGION "[in no region]"
void source_objects(const struct source_file *f, struct layer *ret);
void source_libraries(const struct source_file *f, struct layer *ret);
void source_regions(const struct source_file *f, struct layer *ret);
void source_symbols(const struct source_file *f, struct layer *ret);
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

struct namespaces;
/* Adds C++ namespaces and classes from the debug info of the input. */
void source_namespaces(const struct source_file *f, struct namespaces *ret);

/* Prepares an input for sources: its base map, the DWARF that sources share, and their
 * struct source_file.
 *
 * One thread per struct. Sources in parallel need one struct each. */

/* A prepared input. All zero if nothing must be released. */
struct measure {
	struct basemap map;
	struct dwarf_slot dwarf;
	struct go_slot go;
	struct panics panics;
	struct source_file file;
};

/* Parts of a program that sources need beside its bytes. */
enum {
	NEED_SYMBOLS = 1 << 0,
	NEED_DWARF = 1 << 1,
	NEED_UNITS = 1 << 2, /* Compile units, also from a linker map */
	NEED_REGIONS = 1 << 3,
};
unsigned source_needs(const struct source *s);
/* Returns a program as input for its sources, with the parts that they need. `core` is the process
 * of a core, or NULL. The caller adds labels and notes. */
struct source_file measure_input(struct program *p, struct process *core, unsigned needs);
/* Prepares an input. `of` has the input, its labels and the user's options. Borrows `of` and the
 * options until measure_release(). Fills in the base map, the DWARF, and Go's table unless the
 * caller shares one. */
void measure_begin(struct measure *m, const struct source_file *of,
		   const struct program_wish *wish);
/* True if other sources borrow this source's layer: true for sources by symbol and by compile
 * unit. */
bool measure_lends(const struct source *s);
/* Runs a source on the input. A borrowed layer must stay in place until all sources have run. */
void measure_run(struct measure *m, const struct source *s, struct layer *ret);
/* Finds the input's code: spans over the whole file. Code has LABEL_NONE, other bytes have a
 * label. */
void measure_code(const struct measure *m, struct spans *ret);
void measure_release(struct measure *m);

#endif
