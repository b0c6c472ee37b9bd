/* profile.h - what is behind struct heft_profile.  Private to measure/ and api/. */
#ifndef HEFT_MEASURE_PROFILE_H
#define HEFT_MEASURE_PROFILE_H

#include "heft.h"
#include "measure/stack_column.h"
#include "base/arena.h"
#include "map/config.h"
#include "map/rollup.h"
#include "map/rows.h"
#include "map/view.h"
#include "measure/session.h"
#include "names/namespace.h"
#include "process/process.h"
#include "program/program.h"
#include "source/measure.h"
#include "source/region_sums.h"

/* A source that somebody defined. */
struct custom {
	const char *name;
	const struct source *base;
	struct rules *rules;
};

/* A level of the hierarchy. */
struct level {
	const char *name; /* as typed */
	const struct source *source;
	const struct rules *rules; /* borrowed from a custom source; NULL = none */
	unsigned depth;            /* directories: which component; 0 = the whole path */
	struct view view;
	struct view_names full;     /* for filters of rows */
	struct alias_index aliases; /* symbols only, when asked for */
	size_t layer;               /* which of a file's layers */
};

/* An input of the profile. */
struct entry {
	const char *path;
	enum heft_role role;
	struct program program;
	struct process process; /* open where the program is a core */
	struct measure measure; /* its map is kept with the layers */
	struct layer *layers;   /* by level.layer; kept only for heft_profile_ranges */
	size_t layer_count;
	/* Symbols and compile units where no level asks for them, but something else does. */
	struct layer more[2];
	struct layer
		*renamed; /* of a base: what rows are made of instead, see base_names.h; or NULL */
	uint64_t vm_size;
	struct places_mark places_begin, places_end; /* its symbols in heft_profile.places */
	bool has_dwarf;                              /* that was read */
	const char *build_id;                        /* hex */
	const char *format;
};

struct heft_profile {
	struct memory *memory; /* all that the profile allocates */
	struct arena arena;    /* strings, settings and rows */
	struct labels labels;
	struct context context;
	VEC(struct custom) customs;
	VEC(struct level) levels;
	VEC(struct entry) entries;
	VEC(const char *) configured_debug;       /* debug files that a configuration file names */
	VEC(const char *) configured_source_maps; /* ID=FILE */
	label_id padding;                         /* rows of a diff that come last */
	uint32_t empty_from, empty_to;            /* nodes of regions with nothing in them */
	struct program_wish configured;           /* memory regions of such a file */
	VEC(struct trace_addr) trace_addrs;
	VEC(const char *) trace_texts; /* addresses of the VM image as people write them */
	struct trace trace;
	struct pattern *include, *exclude;
	const char *samples;  /* or NULL */
	struct config config; /* of the last configuration file */
	bool has_config, keep_ranges, counting, code, listing_aliases, debug_owners, own_headers,
		no_debug, as_bloaty, pairing, by_regions, stacking, levelwise, ran;
	enum heft_sort sort;
	enum heft_domain sort_domain;
	uint32_t rows;
	unsigned depth;
	/* After a run. */
	struct rollup rollup;
	struct places places;
	struct region_sums regions,
		base_regions;       /* of the inputs that are no bases, and of these */
	struct stack_column stacks; /* of functions of the former */
	struct namespaces namespaces;
	uint64_t vm_total;       /* bytes of the VM images so far */
	struct heft_table table; /* top is NULL before the rows are made */
	struct rows_opts row_opts;
	struct rows_maker maker; /* of rows level by level */
	bool diff;
	const char *place[LEVELS_MAX];
};

/* As the public functions of these names, in the domain of the profile. */
bool profile_add_source(struct heft_profile *p, const char *name, struct heft_err *err);
bool profile_define_source(struct heft_profile *p, const char *name, const char *base,
			   const struct heft_rewrite *rules, size_t count, struct heft_err *err);
/* Opens the inputs, measures them, sums up and makes the rows: once. */
bool profile_run(struct heft_profile *p, struct heft_err *err);
/* Measures of sizes, the last is that of code. */
extern const struct heft_measure size_measures[HEFT_SIZE_MEASURES + 1];
/* A table of what a run found, without rows, and how these are made. */
struct heft_table profile_begin_table(const struct heft_profile *p, struct rows_opts *ret_opts,
				      struct arena *arena);
/* The spans of a level of an input in one domain. */
const struct spans *entry_spans(const struct entry *e, const struct level *l,
				enum heft_domain domain);
typedef void source_fn(const struct source_file *f, struct layer *ret);
/* What symbols or compile units are made of an input; NULL: nobody has asked. */
const struct layer *entry_layer(const struct heft_profile *p, const struct entry *e,
				source_fn *run);
/* Asks for symbols, with their places, or compile units, if nobody has.  While the input is
 * measured. */
void entry_measure_more(struct heft_profile *p, struct entry *e, source_fn *run);
/* Forgets what only rows needed, and all layers. */
void entry_forget_more(struct entry *e);
void entry_forget_layers(struct entry *e);
void entry_release(struct entry *e);

#endif
