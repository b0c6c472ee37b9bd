/* profile.h - part of heft.h: sizes: a profile of files by data sources, and its reports. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_PROFILE_H)
#define HEFT_PART_PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a profile: settings, inputs, run ------------------------------------ */

struct heft_profile;

/* What a file is in a profile. */
enum heft_role {
	HEFT_INPUT, /* measured */
	HEFT_BASE,  /* what inputs are compared with; one is enough to make the profile a diff */
};

/* NULL only where there is no memory.  Free with heft_profile_free; NULL is fine there. */
HEFT_API struct heft_profile *heft_profile_new(struct heft_session *s);
HEFT_API void heft_profile_free(struct heft_profile *p);

/* Adds a level to the hierarchy.  `name` is a built-in source (heft_source_at) or
 * one defined before.  HEFT_EARG for an unknown name. */
HEFT_API bool heft_profile_add_source(struct heft_profile *p, const char *name,
				      struct heft_err *err);

/* A rule that rewrites labels: one that the pattern (PCRE2, unanchored) matches is replaced whole
 * by the replacement, in which \0 is the match and \1..\9 are groups. */
struct heft_rewrite {
	const char *pattern, *replacement;
};
/* Defines a source that rewrites the labels of `base` by the first of the `count` rules that
 * matches.  The texts are copied. */
HEFT_API bool heft_profile_define_source(struct heft_profile *p, const char *name, const char *base,
					 const struct heft_rewrite *rules, size_t count,
					 struct heft_err *err);

/* Names a file to measure, which heft_profile_run opens.  Fails only where there is no memory. */
HEFT_API bool heft_profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
				    struct heft_err *err);

/* What perf record wrote while the inputs ran, for the source "hotness".  Fails where it cannot be
 * read or is something else. */
HEFT_API bool heft_profile_set_samples(struct heft_profile *p, const char *path,
				       struct heft_err *err);

/* What a configuration file says that is the caller's to do.  The arrays belong to the profile and
 * hold until the next heft_profile_config. */
struct heft_config {
	size_t size; /* sizeof(struct heft_config) */
	bool raw_map;
	uint32_t verbose;
	bool has_demangle, has_rows, has_sort; /* these were applied to the profile */
	const uint64_t *debug_vmaddrs, *debug_fileoffs;
	size_t debug_vmaddr_count, debug_fileoff_count;
	/* The function of disassemble_function, NULL: none.  A profile does nothing with it; its
	 * instructions are in heft_blocks.  Holds as long as the profile. */
	const char *disassemble;
	/* The data sources of the file, which were added.  Hold until the next file is merged. */
	const char *const *data_sources;
	size_t data_source_count;
};

/* Merges a configuration file (Bloaty's text format, see heft(1)) and fills *ret, which may be
 * NULL. HEFT_EFORMAT where the file is no such text. */
HEFT_API bool heft_profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
				  struct heft_err *err);

/* Keeps only ranges one of whose labels matches (include), or none of whose labels matches
 * (exclude).  `regex` is a PCRE2 expression, unanchored; a later one replaces the one before.
 * Bytes that are left out are counted by heft_profile_omitted.  HEFT_EARG for a bad expression. */
HEFT_API bool heft_profile_include(struct heft_profile *p, const char *regex, struct heft_err *err);
HEFT_API bool heft_profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err);

/* Makes each level of directories so many levels, one for each component of the path from the root
 * down; their names have the number behind ("directories1").  0 (default) = one level, with the
 * whole directory.  A run fails with HEFT_ELIMIT where that makes too many levels. */
HEFT_API void heft_profile_set_depth(struct heft_profile *p, unsigned levels);

/* How the rows of a level are ordered.  HEFT_SORT_AUTO unless set. */
HEFT_API void heft_profile_set_sort(struct heft_profile *p, enum heft_sort sort);
/* Which sizes the order looks at; of both, at the larger.  HEFT_BOTH unless set. */
HEFT_API void heft_profile_set_sort_domain(struct heft_profile *p, enum heft_domain domain);
/* Rows a level before the rest is summed up as "[N Others]"; 0 = all.  Default 20. */
HEFT_API void heft_profile_set_rows(struct heft_profile *p, uint32_t rows);
/* What a run does unasked for nobody. */
enum heft_profile_flag {
	/* Counts symbols (HEFT_SIZE_COUNT), which costs a look at the symbols of every input. */
	HEFT_PROFILE_COUNT = 1 << 0,
	/* Lists aliases with the rows of symbols (heft_row.aliases). */
	HEFT_PROFILE_ALIASES = 1 << 1,
	/* Keeps the ranges themselves for heft_profile_ranges and heft_profile_lookup. */
	HEFT_PROFILE_RANGES = 1 << 2,
	/* Debug sections count to the symbols that they describe.  Without it sources of symbols
	 * (symbols, rawsymbols, shortsymbols, fullsymbols, namespaces, packages) leave them
	 * "[section NAME]".
	 * Sources of units and files own their debug info always. */
	HEFT_PROFILE_DEBUG_OWNERS = 1 << 3,
	/* What Bloaty does otherwise is done as Bloaty does it: names of units and files as the
	 * debug info has them, the first symbol of the table for several of the same bytes,
	 * section headers and what several functions share with their sections, padding of 16
	 * bytes at most (heft(1) has the list). */
	HEFT_PROFILE_BLOATY = 1 << 4,
	/* The source "sections" counts each header of an ELF file's section header table to the
	 * section that it describes.  Without it the table is a row of its own. */
	HEFT_PROFILE_SECTION_HEADERS = 1 << 5,
	/* Adds a last measure, named "code", that orders the rows: bytes in the file that are in
	 * executable sections. */
	HEFT_PROFILE_CODE = 1 << 6,
	/* Where somebody states the memory regions of the first input (its linker
	 * map, heft_finder_add_region), the sources "regions" and "libraries" come in front of the
	 * others, unless "regions" is one of them. */
	HEFT_PROFILE_REGIONS = 1 << 7,
	/* Rows of functions have the texts "stack", the bytes of stack that one takes at most with
	 * all that it calls, and "stack_besides", why it may be more; see heft/stack.h.  Takes the
	 * time to decode all code. */
	HEFT_PROFILE_STACKS = 1 << 8,
	/* Rows are made level by level, by heft_profile_open_row, and a run makes the first level
	 * alone.  They are in no order, none is cut off, and HEFT_NDJSON alone
	 * can be written, in the order that was set and without a limit.  Saves most of the
	 * time and memory that rows take where only some of a million are looked at, or each is
	 * written once. */
	HEFT_PROFILE_LEVELWISE = 1 << 9,
	/* Leaves out what lies in sections of debug info, as a filter does. */
	HEFT_PROFILE_NO_DEBUG = 1 << 10,
};
/* Replaces all flags (bits of enum heft_profile_flag; 0 at first). */
HEFT_API void heft_profile_set_flags(struct heft_profile *p, unsigned flags);

/* What a source claims for a label.  The texts hold for the call that is given them. */
struct heft_claim {
	size_t size;      /* sizeof(struct heft_claim) */
	const char *path; /* of the file */
	const char *source;
	enum heft_domain domain;
	uint64_t start; /* address or offset in the file, by the domain */
	uint64_t bytes; /* UINT64_MAX: unknown */
	const char *label;
	/* What made the claim, in a word or two: "symbol table", "relocation", "code reference". */
	const char *why;
};
/* Explains a run: during it, `fn` is called for every claim of every source that covers one of the
 * addresses named with heft_profile_trace_at, in the order of priority, or for every claim at all
 * if none was named.  It is called on the thread of the run, with the `ctx` given; it must not call
 * the library.  It returns false to be told of no further claim. */
typedef bool (*heft_trace_fn)(void *ctx, const struct heft_claim *claim);
HEFT_API void heft_profile_set_trace(struct heft_profile *p, heft_trace_fn fn, void *ctx);
HEFT_API void heft_profile_trace_at(struct heft_profile *p, enum heft_domain domain, uint64_t addr);
/* The same of a virtual address as heft_where_parse takes it.  heft_profile_run fails with
 * HEFT_EARG where no input has it. */
HEFT_API void heft_profile_trace_text(struct heft_profile *p, const char *text);

/* Reads the inputs and makes the rows.  Once per profile.  Without a source, the profile is by
 * sections.  HEFT_EARG without an input, and for a second run; HEFT_ELIMIT where the VM images add
 * up to more than 2^64 bytes; what opening an input fails with. */
HEFT_API bool heft_profile_run(struct heft_profile *p, struct heft_err *err);

/* ---- what a run found ---------------------------------------------------- */

/* The measures of a profile's rows. */
enum heft_size_measure {
	HEFT_SIZE_FILE, /* bytes in the file */
	HEFT_SIZE_VM,   /* bytes in the VM image */
	/* distinct symbols that own some of them; only where they were asked for, or by the
	 * source "generics" */
	HEFT_SIZE_COUNT,
	/* bytes in the file that one copy of each generic or template would save: all its instances
	 * but the largest; only by the source "generics" */
	HEFT_SIZE_COPIES,
	HEFT_SIZE_MEASURES,
};

/* Levels are the sources.  NULL before a successful run; belongs to the profile. */
HEFT_API const struct heft_table *heft_profile_table(const struct heft_profile *p);
/* Makes the rows below one of the profile's, unless they are there.  Until then `children` of a row
 * is NULL where its `child_count` is above 0.  Fails where there is no memory alone. */
HEFT_API bool heft_profile_open_row(struct heft_profile *p, const struct heft_row *row,
				    struct heft_err *err);
/* Which rows somebody looks for, of those that are made level by level.  Rows without others below
 * them are let through where the bits of what they have, with those of all rows above, are all of
 * `wanted` and none of `unwanted`; of the others what is let through below them. */
struct heft_row_filter {
	size_t size; /* sizeof(struct heft_row_filter) */
	/* What of that which is looked for a row has itself: bits 0 to 30.  It is asked once for
	 * rows of one level with one label, and must not look at numbers or children. */
	uint32_t (*match)(void *ctx, const struct heft_row *row);
	/* Whether a row that is alone below another, with the same numbers, only says again what
	 * that says: it is not asked about then.  NULL: none does. */
	bool (*repeats)(void *ctx, const char *above, const char *label);
	void *ctx;
	uint32_t wanted, unwanted;
	/* Rows that are listed all the same (heft_profile_open_filtered), with those above them. */
	const struct heft_row *const *kept;
	size_t kept_count;
	/* Bits that a row of short names has also where the full name of one of its symbols has
	 * them: `match` is asked about that name as about a label.  Costs 2 us a symbol. */
	uint32_t in_full;
};
/* Filters the rows of a profile that has run; NULL: not any more.  *ret_count, unless NULL, is how
 * many rows without others below them are let through.  Makes no rows: a million labels are asked
 * about in a tenth of a second. */
HEFT_API bool heft_profile_filter_rows(struct heft_profile *p, const struct heft_row_filter *f,
				       uint64_t *ret_count, struct heft_err *err);
/* The same as heft_profile_open_row for the rows that the filter lets through and those that are
 * kept; there may be others between them.  The list is as long-lived as the profile; it is not that
 * of heft_row.children, nor are its rows, but `now` is the same of rows that are the same. */
HEFT_API bool heft_profile_open_filtered(struct heft_profile *p, const struct heft_row *row,
					 const struct heft_row *const **ret_list, size_t *ret_count,
					 struct heft_err *err);
/* What a filter does to a row: it hides the row, or keeps it as somebody wished, or lets it or
 * something below it through. */
enum heft_filtered { HEFT_ROW_HIDDEN, HEFT_ROW_KEPT, HEFT_ROW_SHOWN };
/* Also gives the sums of what is let through, which hold until the next filter. */
HEFT_API enum heft_filtered heft_profile_filtered(const struct heft_profile *p,
						  const struct heft_row *row,
						  const union heft_value **ret_now,
						  const union heft_value **ret_base);
/* Whether a base was measured; false before a successful run. */
HEFT_API bool heft_profile_is_diff(const struct heft_profile *p);
/* Bytes that the filters left out: HEFT_SIZE_FILE of the files, HEFT_SIZE_VM of the images. */
HEFT_API uint64_t heft_profile_omitted(const struct heft_profile *p,
				       enum heft_size_measure measure);

/* An input.  Texts hold until heft_profile_free. */
struct heft_file_info {
	size_t size; /* sizeof(struct heft_file_info) */
	const char *path;
	const char *format;     /* "ELF 64-bit LSB shared object, x86-64" ... */
	const char *build_id;   /* hex, "" if none */
	const char *debug_path; /* separate debug file in use, "" if none */
	uint64_t file_size;     /* bytes of the file; of a thin archive with its members */
	uint64_t vm_size;       /* bytes of its VM image */
	enum heft_role role;
};
/* Inputs and bases in the order in which they were added. */
HEFT_API size_t heft_profile_file_count(const struct heft_profile *p);
HEFT_API bool heft_profile_file(const struct heft_profile *p, size_t i, struct heft_file_info *ret,
				struct heft_err *err);

/* Walks the ranges of file `i` in one domain (HEFT_FILE or HEFT_VM) in the order of their
 * addresses: [start, start + size), with one label for each level.  A range without labels
 * (`labels` NULL) is a hole.  The labels hold until heft_profile_free, their list for the call of
 * `fn`, which returns false to end the walk.  Returns false past the last file, and where the run
 * was without HEFT_PROFILE_RANGES. */
typedef bool (*heft_range_fn)(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			      size_t label_count);
HEFT_API bool heft_profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
				  heft_range_fn fn, void *ctx);

/* The range around an address: [start, start + bytes).  The list of labels holds until the next
 * look-up. */
struct heft_place {
	size_t size; /* sizeof(struct heft_place) */
	uint64_t start, bytes;
	const char *const *labels; /* one for each level */
	size_t label_count;
};
/* The range around an address (HEFT_VM) or an offset in the file (HEFT_FILE) of file `i`.
 * HEFT_ENOTFOUND where nothing is there, past the last file, and where the run was without
 * HEFT_PROFILE_RANGES. */
HEFT_API bool heft_profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain,
				  uint64_t addr, struct heft_place *ret, struct heft_err *err);

/* ---- reports -------------------------------------------------------------- */

/* Writes the rows as text.  `opts` may be NULL: a table.  HEFT_EARG before a run, for
 * a format that profiles of sizes do not have, and for most formats with HEFT_PROFILE_LEVELWISE. */
HEFT_API bool heft_profile_write(const struct heft_profile *p, const struct heft_write_opts *opts,
				 const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
