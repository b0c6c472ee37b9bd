/* profile.h - defines struct heft_profile, the state of a size profile. Private to measure/ and
 * api/. */
#pragma once

#include "heft.h"
#include "measure/keepers.h"
#include "measure/retained_column.h"
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

/* A data source that the user defined */
struct custom {
	const char *name;
	const struct source *base;
	struct rules *rules;
};

/* A level of the hierarchy: a data source, and how its labels are shown */
struct level {
	const char *name; /* As the user typed it */
	const struct source *source;
	const struct rules *rules; /* Rewrites of a custom source, borrowed. NULL for other
				    * sources */
	unsigned depth;            /* For directories and stacks: which component to show. 0: all */
	struct view view;
	struct view_names full;     /* Full names for filters of rows */
	struct alias_index aliases; /* Symbols: only if wanted */
	size_t layer;               /* Index in entry.layers */
};

struct entry {
	const char *path;
	enum heft_role role;
	struct program program;
	struct process process; /* Open if the program is a core */
	struct measure measure; /* Its base map lives as long as the layers */
	struct layer *layers;   /* Index: level.layer. Kept only for heft_profile_ranges() */
	size_t layer_count;
	/* Symbols and compile units, if something needs them but no level shows them. */
	struct layer more[2];
	struct layer sure;   /* Certainty of owners, if something needs it */
	struct graph *graph; /* References between symbols, if something needs them */
	struct layer *
		renamed; /* For a base: layers that rows are made of instead, see base_names_find().
			   * May be NULL. */
	uint64_t file_size, vm_size;
	struct places_mark places_begin, places_end; /* Range of its symbols in
						      * heft_profile.places */
	bool has_dwarf;                              /* True if it has DWARF that was read */
	const char *build_id;                        /* Build id in hexadecimal */
	const char *format, *debug_path;
};

struct heft_profile {
	struct memory *memory; /* All memory of the profile */
	struct arena arena;
	struct labels labels;
	struct context context;
	VEC(struct custom) customs;
	VEC(struct level) levels;
	VEC(struct entry) entries;
	config_strings configured_debug;       /* Debug files that the configuration file names */
	config_strings configured_source_maps; /* Source maps that the configuration file names, as
					        * ID=FILE */
	label_id padding;                      /* Label of rows that a diff lists last */
	uint32_t empty_from, empty_to;  /* Nodes [empty_from, empty_to) of the tree of sums are
					 * memory regions without bytes */
	struct program_wish configured; /* Memory regions in the configuration file */
	VEC(struct trace_addr) trace_addrs;
	VEC(const char *) trace_texts; /* Addresses to trace, as the user wrote them */
	struct trace trace;
	struct pattern *include, *exclude;
	const char *samples;  /* Path of a file of samples, or NULL */
	struct config config; /* The last configuration file */
	uint32_t shared; /* Bit per measure: rows count the same symbols, so they do not add up */
	bool has_config, keep_ranges, counting, code, listing_aliases, debug_owners, own_headers,
		no_debug, as_bloaty, pairing, by_regions, stacking, levelwise, how_sure, retaining,
		keeping, ran;
	bool one_by_one;         /* True if each input is closed before the next one is opened */
	bool has_core, has_wasm; /* True if an input is a core, or a WebAssembly module */
	bool *used;              /* Per debug file of the options: true if it belongs to an input */
	unsigned sure_kept;      /* Bits of enum heft_sure that filters keep. 0: all */
	enum heft_sort sort;
	enum heft_domain sort_domain;
	uint32_t rows;
	unsigned depth;
	struct rollup rollup;
	struct places places;
	struct region_sums regions,
		base_regions;       /* Memory regions of the inputs and of the bases */
	struct stack_column stacks; /* Stack sizes of functions in the inputs */
	struct retained_column retained;
	struct keepers keepers; /* Of the only input, if `keeping` */
	struct namespaces namespaces;
	uint64_t vm_total;       /* Bytes of all VM images so far */
	uint32_t image_total;    /* Number of images so far */
	struct intern comdats;   /* With `--count`: COMDAT groups of objects so far */
	struct heft_table table; /* `top` is NULL until rows are made */
	struct rows_opts row_opts;
	struct rows_maker maker; /* Makes the rows below a row when a caller opens that row */
	bool diff;
	const char *place[LEVELS_MAX];
};

bool profile_add_source(struct heft_profile *p, const char *name, struct heft_err *err);
bool profile_define_source(struct heft_profile *p, const char *name, const char *base,
			   const struct heft_rewrite *rules, size_t count, struct heft_err *err);
void profile_add_file(struct heft_profile *p, const char *path, enum heft_role role);
/* Replaces the filter expression *slot. Fails, with *slot unchanged, if `regex` is bad. */
bool profile_set_pattern(struct pattern **slot, const char *regex, struct heft_err *err);
/* Reads a configuration file of Bloaty into p->config, and adds its data sources and files. */
bool profile_configure(struct heft_profile *p, const char *path, struct heft_err *err);
/* Returns what the data sources of all levels need (source_needs()). */
unsigned profile_needs(const struct heft_profile *p);
/* True if filters omit bytes. */
bool profile_is_filtered(const struct heft_profile *p);
/* Opens and measures the inputs, sums up, and makes the rows. Call once. */
bool profile_run(struct heft_profile *p, struct heft_err *err);
/* Measures: those of the API, bytes of code, and bytes by certainty of the owner. */
enum { SIZE_CODE = HEFT_SIZE_MEASURES, SIZE_SURE, SIZE_ALL = SIZE_SURE + SURE_WORDS };
extern const struct heft_measure size_measures[SIZE_ALL];
/* Returns the table of results, still without rows. Sets *ret_opts for making them. */
struct heft_table profile_begin_table(const struct heft_profile *p, struct rows_opts *ret_opts,
				      struct arena *arena);
const struct spans *entry_spans(const struct entry *e, const struct level *l,
				enum heft_domain domain);
/* Returns the base map's labels of the VM image. */
struct spans entry_base_vm(const struct entry *e);
/* Removes the VM image of a WebAssembly module, and returns its size. For output like Bloaty's,
 * because Bloaty has no VM image for such modules. */
uint64_t entry_forget_vm(struct entry *e);
/* Reports all ranges of input `i`. False if its layers were not kept. */
bool profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
		    heft_range_fn fn, void *ctx);
/* Finds the owners of an address of input `i`. False if it is in no range. */
bool profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain, uint64_t addr,
		    struct heft_place *ret);
struct entry *profile_first(const struct heft_profile *p, enum heft_role role);
struct heft_file_info entry_info(const struct entry *e);
typedef void source_fn(const struct source_file *f, struct layer *ret);
/* Returns the layer of symbols or compile units (`run`: the source's function). NULL if not
 * measured. */
const struct layer *entry_layer(const struct heft_profile *p, const struct entry *e,
				source_fn *run);
/* Runs a source, by unit or by symbol, that no level shows but that rows need. Does nothing if a
 * level has run the source. Call it before the input is closed. */
void entry_measure_more(struct heft_profile *p, struct entry *e, source_fn *run);
/* Measures a data source that no level shows, without notes and traces. */
void entry_measure_aside(struct entry *e, const char *source, struct layer *ret);
/* entry_forget_more() releases layers that only rows need, entry_forget_layers() all. */
void entry_forget_more(struct entry *e);
void entry_forget_layers(struct entry *e);
void entry_release(struct entry *e);

/* Opens the inputs. Decides whether they are measured one by one (p->one_by_one), and then opens
 * only the first. Also decides whether archives are read in portions. */
bool inputs_open(struct heft_profile *p, struct heft_err *err);
bool entry_open(struct heft_profile *p, struct entry *e, struct heft_err *err);
/* Fails if a program or debug file that the user named belongs to no input. For inputs that are
 * measured one by one: call it at the end. inputs_open() calls it for others. */
bool inputs_check(const struct heft_profile *p, struct heft_err *err);

/* Finds the names that labels of a profile's bases have in the inputs, so that they share a row.
 * Private to measure/ and api/.
 *
 * The matcher pairs functions and data (compare/diff.h). Paths of another build folder are aligned
 * as in `heft diff`. Does nothing if the inputs have all labels of the bases. */

/* True if rows of inputs and base may need pairing: both have programs, and a level shows symbols
 * or paths. Call it before measuring, which must keep the layers then. */
bool base_names_wanted(const struct heft_profile *p);
/* Makes the layers of the bases with the inputs' labels, e->renamed. Rows are made from these. Call
 * it after all inputs are measured. */
bool base_names_find(struct heft_profile *p, struct heft_err *err);
