/* profile.h - defines struct heft_profile, the state of a size profile. Private to measure/ and
 * api/. */
#ifndef HEFT_MEASURE_PROFILE_H
#define HEFT_MEASURE_PROFILE_H

#include "heft.h"
#include "measure/stack_column.h"
#include "base/arena.h"
#include "base/intern.h"
#include "map/config.h"
#include "map/rollup.h"
#include "map/rows.h"
#include "map/view.h"
#include "program/session.h"
#include "names/namespace.h"
#include "process/process.h"
#include "program/program.h"
#include "source/source.h"
#include "source/region_sums.h"

/* A source that the user defined. */
struct custom {
	const char *name;
	const struct source *base;
	struct rules *rules;
};

/* A level of the hierarchy. */
struct level {
	const char *name; /* As the user typed it */
	const struct source *source;
	const struct rules *rules; /* Borrowed from a custom source. NULL: none */
	unsigned depth;            /* For directories: number of the component. 0: the whole path */
	struct view view;
	struct view_names full;     /* Full names, for filters of rows */
	struct alias_index aliases; /* For symbols only, and only on request */
	size_t layer;               /* Index of the level's layer in an entry */
};

/* An input of the profile. */
struct entry {
	const char *path;
	enum heft_role role;
	struct program program;
	struct process process; /* Open if the program is a core */
	struct measure measure; /* Measurement of the input. Its base map lives as long as the
				 * layers. */
	struct layer *layers;   /* Layers, indexed by level.layer. Kept only for
				 * heft_profile_ranges() */
	size_t layer_count;
	/* Symbols and compile units, if needed although no level shows them. */
	struct layer more[2];
	struct layer sure; /* Certainty of owners. Set if something needs it and no level shows
			    * it */
	struct layer *
		renamed; /* For a base: layers that rows are made of instead, see base_names_find().
			   * May be NULL. */
	uint64_t file_size, vm_size;
	struct places_mark places_begin, places_end; /* Range of its symbols in
						      * heft_profile.places. */
	bool has_dwarf;                              /* True if DWARF of the input was read */
	const char *build_id;                        /* Hexadecimal */
	const char *format, *debug_path;
};

struct heft_profile {
	struct memory *memory; /* All memory of the profile */
	struct arena arena;    /* Strings, settings and rows */
	struct labels labels;
	struct context context;
	VEC(struct custom) customs;
	VEC(struct level) levels;
	VEC(struct entry) entries;
	config_strings configured_debug;       /* Debug files that the configuration file lists */
	config_strings configured_source_maps; /* In the form ID=FILE */
	label_id padding;                      /* Label of rows that come last in a diff */
	uint32_t empty_from, empty_to;         /* Nodes of empty regions: [empty_from, empty_to) */
	struct program_wish configured;        /* Memory regions of the configuration file */
	VEC(struct trace_addr) trace_addrs;
	VEC(const char *) trace_texts; /* VM addresses to trace, as the user wrote them */
	struct trace trace;
	struct pattern *include, *exclude;
	const char *samples;  /* May be NULL */
	struct config config; /* Contents of the last configuration file */
	bool has_config, keep_ranges, counting, code, listing_aliases, debug_owners, own_headers,
		no_debug, as_bloaty, pairing, by_regions, stacking, levelwise, how_sure, ran;
	bool one_by_one;         /* An input is closed before the next is opened */
	bool has_core, has_wasm; /* An input is a core, or a WebAssembly module */
	bool *used;              /* Per debug file of the options: true if it belongs to an input */
	unsigned sure_kept;      /* Bits of enum heft_sure. 0: all. */
	enum heft_sort sort;
	enum heft_domain sort_domain;
	uint32_t rows;
	unsigned depth;
	/* Results of the run. */
	struct rollup rollup;
	struct places places;
	struct region_sums regions,
		base_regions;       /* Regions of the inputs, and regions of the bases */
	struct stack_column stacks; /* Stack sizes of the inputs' functions, without bases */
	struct namespaces namespaces;
	uint64_t vm_total;       /* Bytes of the VM images so far. */
	uint32_t image_total;    /* Images that are summed up so far. */
	struct intern comdats;   /* With `--count`: COMDAT groups of the objects read so far */
	struct heft_table table; /* `top` is NULL before the rows are made. */
	struct rows_opts row_opts;
	struct rows_maker maker; /* Makes rows level by level */
	bool diff;
	const char *place[LEVELS_MAX];
};

/* Implement the public functions of these names. The functions use the memory domain of the
 * profile. */
bool profile_add_source(struct heft_profile *p, const char *name, struct heft_err *err);
bool profile_define_source(struct heft_profile *p, const char *name, const char *base,
			   const struct heft_rewrite *rules, size_t count, struct heft_err *err);
void profile_add_file(struct heft_profile *p, const char *path, enum heft_role role);
/* Replaces a filter expression. */
bool profile_set_pattern(struct pattern **slot, const char *regex, struct heft_err *err);
/* Reads a configuration file of Bloaty into p->config. Adds its sources and files. */
bool profile_configure(struct heft_profile *p, const char *path, struct heft_err *err);
void profile_close(void *handle);
/* Returns the needs of the sources of all levels (source_needs()). */
unsigned profile_needs(const struct heft_profile *p);
/* True if rows omit bytes. */
bool profile_is_filtered(const struct heft_profile *p);
/* Opens and measures the inputs, sums up their bytes, and makes the rows. Call once. */
bool profile_run(struct heft_profile *p, struct heft_err *err);
/* Measures of sizes: those of the API, the size of code, and bytes by the certainty of owners. */
enum { SIZE_CODE = HEFT_SIZE_MEASURES, SIZE_SURE, SIZE_ALL = SIZE_SURE + SURE_WORDS };
extern const struct heft_measure size_measures[SIZE_ALL];
/* Returns a table of the results without rows. Sets *ret_opts for making the rows. */
struct heft_table profile_begin_table(const struct heft_profile *p, struct rows_opts *ret_opts,
				      struct arena *arena);
/* Returns the spans of an input's level in one domain. */
const struct spans *entry_spans(const struct entry *e, const struct level *l,
				enum heft_domain domain);
/* Returns the labels of the base map over the VM image. */
struct spans entry_base_vm(const struct entry *e);
/* Removes the VM image of a file that has none for Bloaty, a WebAssembly module. Returns the size
 * of the image. */
uint64_t entry_forget_vm(struct entry *e);
/* Calls fn for all ranges of input `i`. False if its layers were not kept. */
bool profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
		    heft_range_fn fn, void *ctx);
/* Finds the owners of an address of input `i`. False if no range has the address. */
bool profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain, uint64_t addr,
		    struct heft_place *ret);
/* Returns the first input of a role. NULL if there is none. */
struct entry *profile_first(const struct heft_profile *p, enum heft_role role);
/* Returns facts about the file of an input. */
struct heft_file_info entry_info(const struct entry *e);
typedef void source_fn(const struct source_file *f, struct layer *ret);
/* Returns the layer of symbols or compile units of an input. NULL if not measured. */
const struct layer *entry_layer(const struct heft_profile *p, const struct entry *e,
				source_fn *run);
/* Measures compile units, or symbols with their places, unless a level has done so. Call while the
 * input is measured. */
void entry_measure_more(struct heft_profile *p, struct entry *e, source_fn *run);
/* Measures a source that no level shows. Makes no notes or traces. */
void entry_measure_aside(struct entry *e, const char *source, struct layer *ret);
/* entry_forget_more() releases layers that only rows needed. entry_forget_layers() releases all. */
void entry_forget_more(struct entry *e);
void entry_forget_layers(struct entry *e);
void entry_release(struct entry *e);

/* Opens the inputs. If they are measured one by one (p->one_by_one), opens only the first. Decides
 * whether they are, and whether archives are read in portions. */
bool inputs_open(struct heft_profile *p, struct heft_err *err);
bool entry_open(struct heft_profile *p, struct entry *e, struct heft_err *err);
/* Fails if a program or debug file that the user named belongs to no input. Call it after all
 * inputs were opened. inputs_open() does so if it opens all. */
bool inputs_check(const struct heft_profile *p, struct heft_err *err);

/* Finds the names that labels of a profile's bases have in the inputs, so that both
 * sides share a row. Private to measure/ and api/.
 *
 * The matcher pairs functions and data (compare/diff.h). Paths of another build folder are aligned
 * as in `heft diff`. Does nothing if the inputs have all labels of the bases. */

/* True if the rows of a profile may need pairing: both sides have programs, and a level shows
 * symbols or paths. Call before measuring, because pairing needs the layers. */
bool base_names_wanted(const struct heft_profile *p);
/* Makes the renamed layers of the bases, e->renamed, after all inputs are measured. Rows are made
 * from these layers. */
bool base_names_find(struct heft_profile *p, struct heft_err *err);

#endif
