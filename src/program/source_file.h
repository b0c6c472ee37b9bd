/* source_file.h - describes one input while sources measure it, and turns claims into owners.
 *
 * The sources and the attribution passes share it. Only one thread at a time turns claims into
 * owners. */
#ifndef HEFT_PROGRAM_SOURCE_FILE_H
#define HEFT_PROGRAM_SOURCE_FILE_H

#include "image/input.h"
#include "map/alias.h"
#include "map/basemap.h"
#include "map/space.h"

/* Reports claims while they are made. See heft_profile_set_trace(). */
struct trace {
	heft_trace_fn fn;
	void *ctx;
	struct trace_addr {
		enum heft_domain domain;
		uint64_t addr;
	} const *addrs;
	size_t addr_count; /* 0: report every claim */
	bool stopped;      /* True after fn asked to stop */
};

/* For each byte of the VM image: the claim that determined its owner. */
struct origins {
	struct claims claims; /* Claims, in the order in which they were made */
	struct spans spans;   /* Spans. Their labels are indexes of claims */
};

void origins_release(struct origins *o);

/* The object of each compile unit, by the label of the unit: the object with most of its bytes. */
struct unit_objects {
	VEC(struct unit_vote {
		label_id object; /* LABEL_NONE if no object has a byte of the unit */
		uint64_t weight; /* Bytes of `object` that are not outvoted. */
	})
	votes;
};

struct debuginfo;
struct dwarf_slot;
struct go_slot;
struct layer;
struct linkmap;
struct panics;
struct process;

struct source_file {
	const char *path; /* As the user typed it */
	const struct input *input;
	const struct input *debug; /* The image's separate debug file, or NULL */
	const struct basemap *map;
	const struct linkmap *linkmap; /* Linker map of the input, or NULL */
	const struct memory_regions
		*regions; /* Memory regions of the VM image (basemap.h), or NULL */
	struct labels *labels;
	struct notes *notes;
	unsigned threads;
	struct places *places;    /* Filled by the source symbols, or NULL */
	const char *samples;      /* Path of a perf recording for the source hotness, or NULL */
	struct trace *trace;      /* Trace of claims, or NULL */
	struct origins *origins;  /* Filled for one layer, or NULL */
	struct dwarf_slot *dwarf; /* Shared by the sources of one input */
	struct go_slot *go;       /* Shared by the sources of one input */
	struct panics *panics;    /* Filled by the source symbols, or NULL */
	struct process *process;  /* Process of a core. NULL for other inputs */
	/* Set by the source objects, and filled while units are measured. If set, the pieces of the
	 * linker map belong to their objects, and units have the bytes that the map does not
	 * describe. */
	struct unit_objects *unit_objects;
	/* Layers of the sources symbols and compileunits, made earlier, or NULL. */
	const struct layer *symbols, *units;
	const char *source; /* Name of the current source, for the trace */
	bool vm_only;       /* True if owners of debug sections are not needed */
	bool debug_stays;   /* By symbol: true if debug sections keep the labels of sections */
	bool own_headers;   /* By section: true if a section's header belongs to the section */
	bool as_bloaty;     /* True if HEFT_PROFILE_BLOATY is set */
	/* Receives how sure owners are, from the source symbols, or NULL. Needs `origins`. */
	struct layer *sure;
};

/* Resolves the claims, and makes them the owners of VM bytes without an owner. Consumes the claims.
 * Reports them to the trace, and keeps them in `origins`, if they exist. */
void claims_own(const struct source_file *f, struct spans *vm, struct claims *claims);
/* Reports claims to the trace, unless NULL. */
void claims_trace(const struct source_file *f, enum heft_domain domain, const struct claims *c);
/* Keeps VM claims in the input's `origins`, unless NULL. */
void origins_keep(const struct source_file *f, const struct claims *vm);

/* Adds bytes of a unit that an object has. The object with most bytes wins (Boyer and Moore's
 * majority vote). */
void unit_objects_vote(struct unit_objects *u, label_id unit, label_id object, uint64_t size);
/* Returns the object of a unit. If the label is not a unit with an object, returns the label. */
label_id unit_object(const struct unit_objects *u, label_id label);

/* Returns the DWARF of one of the input's images, or of its separate debug file, or NULL. */
struct debuginfo *source_dwarf(const struct source_file *f, const struct image *im,
			       const struct image *debug);

/* Returns the image's own DWARF if `first` (from source_dwarf) is that of its debug file. NULL
 * without a second DWARF. */
struct debuginfo *source_own_dwarf(const struct source_file *f, const struct image *im,
				   const struct debuginfo *first);

#endif
