/* profile.h - part of heft.h: a profile divides the bytes of files among labels of data sources,
 * such as symbols, sections or source files, and writes reports. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_PROFILE_H)
#define HEFT_PART_PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a profile: create, configure, run ------------------------------------ */

struct heft_profile;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_profile_free(), which
 * accepts NULL. */
HEFT_API struct heft_profile *heft_profile_new(struct heft_session *s);
HEFT_API void heft_profile_free(struct heft_profile *p);

/* Adds a level to the hierarchy of rows. `name` is a built-in source (heft_source()) or a source
 * that was defined before. HEFT_EARG for an unknown name. */
HEFT_API bool heft_profile_add_source(struct heft_profile *p, const char *name,
				      struct heft_err *err);

/* A rule that rewrites labels. If the pattern (PCRE2, unanchored) matches a label, the replacement
 * replaces the whole label. In the replacement, \0 is the match and \1..\9 are groups. */
struct heft_rewrite {
	const char *pattern, *replacement;
};
/* Defines a source that rewrites the labels of `base`. The first of the `count` rules that matches
 * a label is used. The texts are copied. */
HEFT_API bool heft_profile_define_source(struct heft_profile *p, const char *name, const char *base,
					 const struct heft_rewrite *rules, size_t count,
					 struct heft_err *err);

/* Adds a file to measure. heft_profile_run() opens it. Fails only if memory runs out. */
HEFT_API bool heft_profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
				    struct heft_err *err);

/* Sets an output file of perf record, with samples of a run of the inputs, for the data source
 * "hotness". Fails if the file cannot be read or has another format. */
HEFT_API bool heft_profile_set_samples(struct heft_profile *p, const char *path,
				       struct heft_err *err);

/* Settings of a configuration file that the caller must apply. The arrays belong to the profile and
 * are valid until the next heft_profile_config(). */
struct heft_config {
	size_t size; /* Set to sizeof(struct heft_config). */
	bool raw_map;
	uint32_t verbose;
	bool has_demangle, has_rows, has_sort; /* True if already applied. */
	const uint64_t *debug_vmaddrs, *debug_fileoffs;
	size_t debug_vmaddr_count, debug_fileoff_count;
	/* Value of disassemble_function. NULL if there is none. The profile ignores it;
	 * heft_blocks_disassemble() can write the function. Valid as long as the profile. */
	const char *disassemble;
	/* Data sources that the file defines. They were added to the profile. Valid until the next
	 * file is merged. */
	const char *const *data_sources;
	size_t data_source_count;
};

/* Merges a configuration file (Bloaty's text format, see heft(1)) and fills *ret. `ret` may be
 * NULL. HEFT_EFORMAT if the file has another format. */
HEFT_API bool heft_profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
				  struct heft_err *err);

/* Keep only ranges with at least one matching label (include), or without a matching label
 * (exclude). `regex` is a PCRE2 expression, unanchored; it replaces the previous one.
 * heft_profile_omitted() counts the omitted bytes. HEFT_EARG for a bad expression. */
HEFT_API bool heft_profile_include(struct heft_profile *p, const char *regex, struct heft_err *err);
HEFT_API bool heft_profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err);

/* How certain it is that a symbol owns a byte. */
enum heft_sure {
	/* A symbol table, debug info or another table of the file states it. */
	HEFT_SURE_STATED = 1 << 0,
	/* Several facts agree, hardly by chance. */
	HEFT_SURE_PROVED = 1 << 1,
	/* The code or data that refers to the byte suggests it. */
	HEFT_SURE_INFERRED = 1 << 2,
	HEFT_SURE_NONE = 1 << 3, /* No symbol owns the byte. */
};
/* Keep only bytes whose owner has one of these degrees of certainty: bits of enum heft_sure. 0
 * (default) keeps all bytes. heft_profile_omitted() counts the omitted bytes. */
HEFT_API void heft_profile_set_sure(struct heft_profile *p, unsigned which);

/* Splits each level of directories or stacks into `levels` levels, one per component of the path
 * from the root on. The names of the levels end with a number ("directories1"). 0 (default) = one
 * level, with the whole path. A run fails with HEFT_ELIMIT if this gives too many levels. */
HEFT_API void heft_profile_set_depth(struct heft_profile *p, unsigned levels);

/* Sets the order of the rows of a level. Default: HEFT_SORT_AUTO. */
HEFT_API void heft_profile_set_sort(struct heft_profile *p, enum heft_sort sort);
/* Sets the sizes by which rows are sorted. HEFT_BOTH (default) uses the larger of the two. */
HEFT_API void heft_profile_set_sort_domain(struct heft_profile *p, enum heft_domain domain);
/* Sets the limit of rows per level. "[N Others]" sums up the rows over the limit. 0 means all rows.
 * The default is 20. */
HEFT_API void heft_profile_set_rows(struct heft_profile *p, uint32_t rows);
/* Options of a run. */
enum heft_profile_flag {
	/* Count symbols (HEFT_SIZE_COUNT). Reads the symbols of every input. */
	HEFT_PROFILE_COUNT = 1 << 0,
	/* List aliases in the rows of symbols (heft_row.aliases). */
	HEFT_PROFILE_ALIASES = 1 << 1,
	/* Keep the ranges for heft_profile_ranges() and heft_profile_lookup(). */
	HEFT_PROFILE_RANGES = 1 << 2,
	/* Count debug sections as bytes of the symbols that they describe. Without this flag, data
	 * sources of symbols (symbols, rawsymbols, shortsymbols, fullsymbols, namespaces, packages)
	 * show them as "[section NAME]". Units and source files always own their debug info. */
	HEFT_PROFILE_DEBUG_OWNERS = 1 << 3,
	/* Do as Bloaty where heft differs; heft(1) lists the differences. Names of units and files
	 * stay as in the debug info. The first of several symbols with the same bytes gets them.
	 * Section headers, and bytes shared by functions, belong to their sections. Padding has at
	 * most 16 bytes. */
	HEFT_PROFILE_BLOATY = 1 << 4,
	/* The data source "sections" counts each section header of an ELF file as a part of its
	 * section. Without this flag, the section header table is a row of its own. */
	HEFT_PROFILE_SECTION_HEADERS = 1 << 5,
	/* Add the measure "code" as the last: bytes in the file in executable sections. Sort the
	 * rows by it. */
	HEFT_PROFILE_CODE = 1 << 6,
	/* Put the sources "regions" and "libraries" before the others, if the memory regions of the
	 * first input are known. They come from a linker map or heft_finder_add_region(). Otherwise
	 * put the source "armembers" before the others, if the first input is an archive. No effect
	 * if "regions" is already a source. */
	HEFT_PROFILE_REGIONS = 1 << 7,
	/* Add the texts "stack" and "stack_besides" to rows of functions. "stack" is the
	 * greatest number of bytes of stack that the function needs with all its callees.
	 * "stack_besides" says why it may be more; see heft/stack.h. Takes more time, because
	 * all code is decoded. */
	HEFT_PROFILE_STACKS = 1 << 8,
	/* Make rows on request, with heft_profile_open_row(); a run makes only the first level.
	 * Rows are unsorted and have no limit. The only output format is HEFT_NDJSON, sorted and
	 * without a limit. Saves time and memory if only some of a million rows are used, or if
	 * each is written once. */
	HEFT_PROFILE_LEVELWISE = 1 << 9,
	/* Omit all sections of debug info, like a filter. */
	HEFT_PROFILE_NO_DEBUG = 1 << 10,
	/* Add the measures "stated", "proved" and "inferred" as the last: bytes in the VM image by
	 * the certainty of their owners, see enum heft_sure. Takes more time, because bytes are
	 * assigned twice. */
	HEFT_PROFILE_HOW_SURE = 1 << 11,
	/* Add the text "retained" to rows: the bytes that would go with all symbols of the row. In
	 * the VM image if rows are sorted by HEFT_VM, otherwise in the file. Takes more time,
	 * because references are read; see heft/graph.h. */
	HEFT_PROFILE_RETAINED = 1 << 12,
	/* Keep who refers to whom for heft_page_add_profile(): pages then show what keeps each
	 * symbol. Needs HEFT_PROFILE_RANGES, one input and no base. */
	HEFT_PROFILE_KEEPERS = 1 << 13,
};
/* Replaces all flags (bits of enum heft_profile_flag). Default: 0. */
HEFT_API void heft_profile_set_flags(struct heft_profile *p, unsigned flags);

/* A claim of a source: an address range for a label. Texts are valid during the call. */
struct heft_claim {
	size_t size;      /* Set to sizeof(struct heft_claim). */
	const char *path; /* Path of the file. */
	const char *source;
	enum heft_domain domain;
	uint64_t start; /* Address, or offset in the file, depending on the domain. */
	uint64_t bytes; /* Number of bytes. UINT64_MAX if unknown. */
	const char *label;
	/* Origin of the claim, in a word or two: "symbol table", "relocation", "code reference". */
	const char *why;
};
/* Sets a function that receives the claims of a run. `fn` is called for each claim of each source
 * that covers an address of heft_profile_trace_at(), in the order of priority. Without such
 * addresses, it receives all claims. It is called on the thread of the run, with the given `ctx`,
 * and must not call the library. It returns false to get no further claims. */
typedef bool (*heft_trace_fn)(void *ctx, const struct heft_claim *claim);
HEFT_API void heft_profile_set_trace(struct heft_profile *p, heft_trace_fn fn, void *ctx);
HEFT_API void heft_profile_trace_at(struct heft_profile *p, enum heft_domain domain, uint64_t addr);
/* Adds a virtual address as text, in the forms of heft_where_parse(). heft_profile_run() fails with
 * HEFT_EARG if no input has the address. */
HEFT_API void heft_profile_trace_text(struct heft_profile *p, const char *text);

/* Reads the inputs and makes the rows, once per profile. The default source is sections. HEFT_EARG
 * without an input, and for a second run. HEFT_ELIMIT if the VM images add up to more than 2^64
 * bytes. Also fails with the errors of opening an input. */
HEFT_API bool heft_profile_run(struct heft_profile *p, struct heft_err *err);

/* ---- results of a run of a profile ---------------------------------------- */

/* Measures of a profile's rows. */
enum heft_size_measure {
	HEFT_SIZE_FILE, /* Bytes in the file. */
	HEFT_SIZE_VM,   /* Bytes in the VM image. */
	/* Number of distinct symbols that own some of the bytes. Only with HEFT_PROFILE_COUNT, or
	 * for the source "generics". */
	HEFT_SIZE_COUNT,
	/* Bytes in the file that would be saved if each generic or template had only its largest
	 * instance. Only for the source "generics". */
	HEFT_SIZE_COPIES,
	HEFT_SIZE_MEASURES,
};

/* Returns the rows, a level per data source. NULL before a successful run. Belongs to `p`. */
HEFT_API const struct heft_table *heft_profile_table(const struct heft_profile *p);
/* Makes the rows below a row of the profile, unless they exist. Before that, `children` of a row is
 * NULL although its `child_count` is above 0. Fails only if memory runs out. */
HEFT_API bool heft_profile_open_row(struct heft_profile *p, const struct heft_row *row,
				    struct heft_err *err);
/* Filter of rows that are made on request. The bits of a row are those that `match` returns for it
 * and for all rows above it. A row without children passes if it has all bits of `wanted` and none
 * of `unwanted`. A row with children passes if a row below it passes. */
struct heft_row_filter {
	size_t size; /* Set to sizeof(struct heft_row_filter). */
	/* Returns the bits of a row itself, bits 0 to 30. It is called once for all rows of a level
	 * that have the same label, so it must not use numbers or children. */
	uint32_t (*match)(void *ctx, const struct heft_row *row);
	/* True if a row only repeats the row above it: it is the only child and has the same
	 * numbers. `match` is not called for such a row. NULL: no row repeats another. */
	bool (*repeats)(void *ctx, const char *above, const char *label);
	void *ctx;
	uint32_t wanted, unwanted;
	/* Rows that heft_profile_open_filtered() always lists, with the rows above them. */
	const struct heft_row *const *kept;
	size_t kept_count;
	/* Bits for which `match` is also called with full names. A row with a short name then also
	 * has the bits that it returns for the full names of its symbols. Costs 2 us per symbol. */
	uint32_t in_full;
};
/* Filters the rows of a profile that has run. NULL removes the filter. *ret_count (may be NULL) is
 * the number of rows without children that pass. Does not make rows: testing a million labels takes
 * a tenth of a second. */
HEFT_API bool heft_profile_filter_rows(struct heft_profile *p, const struct heft_row_filter *f,
				       uint64_t *ret_count, struct heft_err *err);
/* Makes the list of rows below a row that pass the filter or are kept. The list may also contain
 * rows that the filter hides. It is valid as long as the profile. Its rows are not those of
 * heft_row.children, but equal rows have the same `now`. */
HEFT_API bool heft_profile_open_filtered(struct heft_profile *p, const struct heft_row *row,
					 const struct heft_row *const **ret_list, size_t *ret_count,
					 struct heft_err *err);
/* State of a row under a filter. HEFT_ROW_SHOWN means that the row, or a row below it, passes.
 * HEFT_ROW_KEPT means that the caller asked to keep the row, although neither passes. */
enum heft_filtered { HEFT_ROW_HIDDEN, HEFT_ROW_KEPT, HEFT_ROW_SHOWN };
/* Tells whether the filter hides or shows a row. Sets *ret_now and *ret_base to the sizes of the
 * row without the rows that the filter removes. They are valid until the next filter. */
HEFT_API enum heft_filtered heft_profile_filtered(const struct heft_profile *p,
						  const struct heft_row *row,
						  const uint64_t **ret_now,
						  const uint64_t **ret_base);
/* True if a base was measured. False before a successful run. */
HEFT_API bool heft_profile_is_diff(const struct heft_profile *p);
/* Returns the bytes that the filters omitted: HEFT_SIZE_FILE for files, HEFT_SIZE_VM for images. */
HEFT_API uint64_t heft_profile_omitted(const struct heft_profile *p,
				       enum heft_size_measure measure);

/* Facts about an input. Texts are valid until heft_profile_free(). */
struct heft_file_info {
	size_t size; /* Set to sizeof(struct heft_file_info). */
	const char *path;
	const char *format;     /* Description: "ELF 64-bit LSB shared object, x86-64" ... */
	const char *build_id;   /* Build id in hexadecimal. "" if there is none. */
	const char *debug_path; /* Path of the separate debug file in use. "" if there is none. */
	uint64_t file_size;     /* Bytes of the file. A thin archive includes its members. */
	uint64_t vm_size;       /* Bytes of its VM image. */
	enum heft_role role;
};
/* Return inputs and bases in the order of heft_profile_add_file(). */
HEFT_API size_t heft_profile_file_count(const struct heft_profile *p);
HEFT_API bool heft_profile_file(const struct heft_profile *p, size_t i, struct heft_file_info *ret,
				struct heft_err *err);

/* Calls `fn` for each range of file `i` in one domain (HEFT_FILE or HEFT_VM), in the order of
 * addresses: [start, start + size), with one label per level. A range without labels (`labels`
 * NULL) is a hole. The labels are valid until heft_profile_free(), their list only during `fn`.
 * `fn` returns false to end the walk. Returns false past the last file, or if the run was without
 * HEFT_PROFILE_RANGES. */
typedef bool (*heft_range_fn)(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			      size_t label_count);
HEFT_API bool heft_profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
				  heft_range_fn fn, void *ctx);

/* The range that contains an address: [start, start + bytes). The list of labels is valid until the
 * next look-up. */
struct heft_place {
	size_t size; /* Set to sizeof(struct heft_place). */
	uint64_t start, bytes;
	const char *const *labels; /* One label per level. */
	size_t label_count;
};
/* Finds the range that contains an address (HEFT_VM) or file offset (HEFT_FILE) of file `i`.
 * HEFT_ENOTFOUND if there is no range, past the last file, or if the run was without
 * HEFT_PROFILE_RANGES. */
HEFT_API bool heft_profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain,
				  uint64_t addr, struct heft_place *ret, struct heft_err *err);

/* ---- reports of a profile ------------------------------------------------- */

/* Writes the rows as text. `opts` may be NULL: a table. HEFT_EARG before a run, for a format that
 * sizes do not have, and for most formats with HEFT_PROFILE_LEVELWISE. */
HEFT_API bool heft_profile_write(const struct heft_profile *p, const struct heft_write_opts *opts,
				 const struct heft_sink *sink, struct heft_err *err);

#ifdef __cplusplus
}
#endif
#endif
