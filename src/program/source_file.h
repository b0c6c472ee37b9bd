/* source_file.h - describes one input while data sources measure it, and turns claims into owners.
 *
 * The data sources and the passes of attr/ share it. Only one thread at a time turns claims into
 * owners. */
#pragma once

#include "image/input.h"
#include "map/alias.h"
#include "map/basemap.h"
#include "map/space.h"

/* Reports claims while they are made: heft_profile_set_trace() */
struct trace {
	heft_trace_fn fn;
	void *ctx;
	struct trace_addr {
		enum heft_domain domain;
		uint64_t addr;
	} const *addrs;
	size_t addr_count; /* 0: all addresses */
	bool stopped;      /* True after `fn` has asked to stop */
};

/* For each byte of the VM image, the claim that gave it its owner */
struct origins {
	struct claims claims; /* In the order in which they were made */
	struct spans spans;   /* The label of a span is the index of its claim */
};

void origins_release(struct origins *o);

/* Per label of a compile unit: the object that has most of the unit's bytes */
struct unit_objects {
	VEC(struct unit_vote {
		label_id object; /* LABEL_NONE if no object has bytes of the unit */
		uint64_t weight; /* Bytes of `object` minus those of other objects */
	})
	votes;
};

struct debuginfo;
struct dwarf_slot;
struct go_slot;
struct graph;
struct layer;
struct linkmap;
struct panics;
struct process;
struct ref_store;

struct source_file {
	const char *path; /* The input's path as the user typed it */
	const struct input *input;
	const struct input *debug;
	const struct basemap *map;
	const struct linkmap *linkmap;
	const struct memory_regions *regions; /* Memory regions of the machine (basemap.h), or
					       * NULL */
	struct labels *labels;
	struct notes *notes;
	unsigned threads;
	struct places *places; /* Receives the symbols' addresses that the data source `symbols`
				* finds, or NULL */
	const char *samples;   /* Path of a perf recording for the data source `hotness`, or NULL */
	struct trace *trace;
	struct origins *origins; /* Receives all claims of a data source, or NULL */
	struct dwarf_slot *dwarf;
	struct go_slot *go;
	struct panics *panics; /* Receives the source positions of Rust panics that `symbols` finds,
				* or NULL */
	struct ref_store *refs;  /* Receives the references of code (code/ref_store.h), or NULL */
	struct process *process; /* NULL unless the input is a core */
	/* Receives the object of each compile unit. NULL unless the data source `objects` uses a
	 * linker map: its pieces belong to objects, other bytes to units. */
	struct unit_objects *unit_objects;
	/* Layers of the data sources `symbols` and `compileunits`, if already made. */
	const struct layer *symbols, *units;
	/* References between the owners of that layer `symbols`, if they are read, or NULL. */
	const struct graph *graph;
	const char *source; /* Name of the running data source, for the trace */
	bool finds_panics;  /* True if a data source may need the places where Rust code panics */
	bool vm_only;       /* True if nobody asks for the owners of debug sections */
	bool debug_stays;   /* If symbols own bytes: true if bytes of debug sections get their
			     * section's label */
	bool own_headers;   /* If sections own bytes: true to count a section's header as part of
			     * the section */
	bool as_bloaty;
	/* Receives from the data source `symbols` how sure each owner is, or NULL. Needs
	 * `origins`. */
	struct layer *sure;
};

/* Gives VM bytes without an owner to the labels of the claims. Empties `claims`. Also reports the
 * claims to the trace, and keeps them in `origins`, if these exist. */
void claims_own(const struct source_file *f, struct spans *vm, struct claims *claims);
/* Reports claims to the trace, if there is one. */
void claims_trace(const struct source_file *f, enum heft_domain domain, const struct claims *c);
/* Keeps VM claims in `origins`, if it exists. */
void origins_keep(const struct source_file *f, const struct claims *vm);

/* Records that an object has bytes of a unit. The object with most bytes wins (Boyer and Moore's
 * majority vote). */
void unit_objects_vote(struct unit_objects *u, label_id unit, label_id object, uint64_t size);
/* Returns the object of a unit, or the label itself if it is no unit with an object. */
label_id unit_object(const struct unit_objects *u, label_id label);

/* Returns the DWARF of `im`, else of its debug file `debug`, which may be NULL. If `im` states the
 * name of that file (PE), the file comes first. NULL if neither has DWARF. */
struct debuginfo *source_dwarf(const struct source_file *f, const struct image *im,
			       const struct image *debug);

/* Returns the image's own DWARF if `first` (from source_dwarf) is that of its debug file. NULL
 * without a second DWARF. */
struct debuginfo *source_own_dwarf(const struct source_file *f, const struct image *im,
				   const struct debuginfo *first);
