/* source.h - data sources: who claims what.
 *
 * A source looks at one input and fills a layer: spans that cover the VM image and the file
 * to the byte.  Sources see no other source.  source_at lists them. */
#ifndef HEFT_SOURCE_SOURCE_H
#define HEFT_SOURCE_SOURCE_H

#include "image/input.h"
#include "map/alias.h"
#include "map/basemap.h"
#include "map/view.h"

/* Explains claims while they are made; see heft_profile_set_trace. */
struct trace {
	heft_trace_fn fn;
	void *ctx;
	struct trace_addr {
		enum heft_domain domain;
		uint64_t addr;
	} const *addrs;
	size_t addr_count; /* 0: every claim */
	bool stopped;      /* by fn */
};

/* Which claim each byte of the VM image has its owner from. */
struct origins {
	struct claims claims; /* as they were made */
	struct spans spans;   /* a label is the index of a claim */
};

void origins_release(struct origins *o);

struct dwarf_slot;
struct go_slot;
struct linkmap;
struct panics;
struct process;

/* One input while it is measured. */
struct source_file {
	const char *path; /* as typed */
	const struct input *input;
	const struct input *debug; /* its separate debug file, or NULL */
	const struct basemap *map;
	const struct linkmap *linkmap; /* what the linker says of the input, or NULL */
	const struct memory_regions
		*regions; /* makes the VM image that of these, see basemap.h; or NULL */
	struct labels *labels;
	struct notes *notes;
	unsigned threads;
	struct places *places;    /* to be filled by the symbols source, or NULL */
	const char *samples;      /* of perf record, for the source hotness, or NULL */
	struct trace *trace;      /* or NULL */
	struct origins *origins;  /* to be filled for one layer, or NULL */
	struct dwarf_slot *dwarf; /* shared by the sources of one input */
	struct go_slot *go;       /* likewise */
	struct panics *panics;    /* to be filled by the symbols source, or NULL */
	struct process *process;  /* of an input that is a core, else NULL */
	/* What the sources of these names made of the input before, or NULL. */
	const struct layer *symbols, *units;
	const char *source; /* name of the source at work, for the trace */
	bool vm_only;       /* nobody asks whose the debug sections are */
	bool debug_stays;   /* by symbol they stay with their sections */
	bool own_headers;   /* a section's header counts to it, by section */
	bool as_bloaty;     /* HEFT_PROFILE_BLOATY */
};

/* What a source makes of one input. */
struct layer {
	struct spans vm, file;

	bool exact; /* short fallback ranges are no padding */
};

void layer_release(struct layer *l);

/* Resolves the claims and puts them below what the layer has; the claims are consumed. */
void layer_add_vm(const struct source_file *f, struct layer *l, struct claims *vm);
/* Completes the layer: claims of file bytes (consumed; NULL: none) win over VM spans translated to
 * the file, the fallback takes the rest, padding goes to what precedes it; checks that every byte
 * is owned. */
void layer_finish(const struct source_file *f, struct layer *l, struct claims *file);

/* fallback.c: [section X], header tables, segments, [Unmapped], archive parts. */
void fallback_claims(const struct source_file *f, struct claims *vm, struct claims *file);
/* The sections of an image as they claim: of those that lie in one another the one that begins last
 * is first, as image_section_at has it. */
struct section_turn {
	uint64_t key;
	uint64_t index;
};
typedef VEC(struct section_turn) section_order_vec;
void section_order(const struct source_file *f, const struct image *im, section_order_vec *ret);
/* Adds both sides of a section. */
void claim_section(const struct image *im, const struct section *s, label_id label, enum why why,
		   struct claims *vm, struct claims *file);
/* "NAME", or "#5" for a section without a name; the text belongs to the label table. */
struct str section_label_name(const struct source_file *f, const struct section *s);

/* The DWARF of one of the input's images, or of its separate debug file; NULL where neither has
 * any. */
struct debuginfo *source_dwarf(const struct source_file *f, const struct image *im,
			       const struct image *debug);

/* The image's own DWARF beside `first`, what source_dwarf gave of its debug file; NULL: there is no
 * such second one. */
struct debuginfo *source_own_dwarf(const struct source_file *f, const struct image *im,
				   const struct debuginfo *first);

/* How a source's labels are shown. */
enum source_text {
	TEXT_AS_IS,
	TEXT_CHOSEN, /* by the -C setting */
	TEXT_SHORT,
	TEXT_FULL,
	TEXT_PATH,      /* of a source file */
	TEXT_DIRECTORY, /* of that */
	TEXT_STACK,     /* symbols joined by ";", by the -C setting */
	TEXT_NAMESPACE, /* of a symbol */
	TEXT_GENERIC,   /* a symbol, all instances of a generic as one */
	TEXT_BLOCK,     /* a symbol, "#" and a number, by the -C setting */
};

struct source {
	const char *name, *about;
	void (*run)(const struct source_file *f, struct layer *ret);
	enum source_text text;
	bool dwarf;   /* reads debug info, which may be in a separate file */
	bool core;    /* knows cores itself; the others are asked about the files mapped there */
	bool units;   /* asks a debug file, if there is one, and the linker map for compile units */
	bool regions; /* asks for the memory of a machine, see basemap.h */
};

/* How the labels of a source are shown, without rules; `chosen` is the -C setting. */
struct view source_view(const struct source *s, enum heft_demangle chosen);
/* The built-in sources; NULL past the last. */
const struct source *source_at(size_t i);
const struct source *source_find(struct str name);
/* What the source makes of the input. */
void source_run(const struct source *s, const struct source_file *f, struct layer *ret);

void source_inputfiles(const struct source_file *f, struct layer *ret);
void source_armembers(const struct source_file *f, struct layer *ret);
void source_segments(const struct source_file *f, struct layer *ret);
void source_sections(const struct source_file *f, struct layer *ret);
/* What is in none is NO_REGION; so is all where the base map has no regions. */
#define NO_REGION "[in no region]"
void source_objects(const struct source_file *f, struct layer *ret);
void source_libraries(const struct source_file *f, struct layer *ret);
void source_regions(const struct source_file *f, struct layer *ret);
void source_symbols(const struct source_file *f, struct layer *ret);
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
void source_threads(const struct source_file *f, struct layer *ret);
void source_allocations(const struct source_file *f, struct layer *ret);

struct namespaces;
/* Adds what the debug info of the input knows of C++ namespaces and classes. */
void source_namespaces(const struct source_file *f, struct namespaces *ret);

#endif
