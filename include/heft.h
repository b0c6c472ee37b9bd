/* heft.h - the public interface of libheft.
 *
 * libheft tells where the bytes of a native program go.  A program's bytes live
 * in two spaces: the file, and the VM image it asks for.  A data source gives
 * ranges of a space to labels; every byte of a space has exactly one owner for
 * every source, so the rows of a profile always add up to the size of the space.
 *
 *     struct heft_err err;
 *     struct heft_profile *p = heft_profile_new();
 *     if (heft_profile_add_source(p, "sections", &err) &&
 *         heft_profile_add_file(p, "/bin/ls", HEFT_INPUT, &err) &&
 *         heft_profile_run(p, &err)) {
 *             const struct heft_row *top = heft_profile_rows(p);
 *             for (size_t i = 0; i < top->child_count; i++)
 *                     printf("%llu %s\n", (unsigned long long)top->children[i]->now.file,
 *                            top->children[i]->label);
 *     }
 *     heft_profile_free(p);
 *
 * Errors: a function that can fail returns false and fills the struct heft_err
 * given last (which may be NULL).  Oddities of the input are notes and never
 * fail a run.  The library never prints and never exits, but for two things: an
 * invariant of its own that broke (one line on stderr, status 3) and no memory
 * (one line, status 2).
 *
 * Threads: different profiles may be used by different threads at once; one
 * profile by one thread at a time.  heft_profile_run starts its own workers. */
#ifndef HEFT_H
#define HEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEFT_API __attribute__((visibility("default")))
#else
#define HEFT_API
#endif

/* ---- errors and notes ---------------------------------------------------- */

#define HEFT_NO_OFFSET UINT64_MAX

enum heft_code {
	HEFT_OK = 0,
	HEFT_EIO,          /* the operating system said no; sys_errno is set */
	HEFT_EFORMAT,      /* the bytes contradict their format */
	HEFT_EUNSUPPORTED, /* a format or version heft does not read */
	HEFT_EARG,         /* the caller's mistake: unknown source, bad expression ... */
	HEFT_ELIMIT,       /* over a limit of heft's own */
};

struct heft_err {
	enum heft_code code;
	int sys_errno;   /* 0 unless code is HEFT_EIO */
	uint64_t offset; /* byte in the file, HEFT_NO_OFFSET where there is no one place */
	char text[400];  /* one line without newline; names the file first */
};

/* Something odd in an input that did not stop the report.  Strings belong to the profile. */
struct heft_note {
	const char *path;
	const char *text; /* the first one of this kind, in words */
	const char *kind; /* same pointer = same kind */
	uint64_t offset;  /* of the first one; HEFT_NO_OFFSET where there is no one place */
	uint64_t count;   /* how many of this kind in this file */
	uint64_t bytes;   /* bytes concerned, all together */
};

/* ---- a profile: settings, inputs, run ------------------------------------ */

struct heft_profile;

enum heft_role {
	HEFT_INPUT, /* measured */
	HEFT_BASE,  /* what inputs are compared with; one is enough to make the profile a diff */
};

enum heft_demangle {
	HEFT_NAMES_RAW,   /* as the linker sees them */
	HEFT_NAMES_SHORT, /* without parameters, template arguments and clone suffixes */
	HEFT_NAMES_FULL,
};

enum heft_domain { HEFT_FILE = 1, HEFT_VM = 2, HEFT_BOTH = 3 };

/* How the rows of a level are ordered; ties always by label, bytewise.
 * HEFT_SORT_AUTO: by size, in a diff by the change.  HEFT_SORT_SIZE: larger first.
 * HEFT_SORT_DELTA: growth first, shrinkage last.  HEFT_SORT_NAME: by label. */
enum heft_sort { HEFT_SORT_AUTO, HEFT_SORT_SIZE, HEFT_SORT_DELTA, HEFT_SORT_NAME };

/* Never fails (memory apart).  Free with heft_profile_free; NULL is fine there. */
HEFT_API struct heft_profile *heft_profile_new(void);
HEFT_API void heft_profile_free(struct heft_profile *p);

/* Adds a level to the hierarchy.  `name` is a built-in source (heft_source_at) or
 * one defined before.  HEFT_EARG for an unknown name. */
HEFT_API bool heft_profile_add_source(struct heft_profile *p, const char *name,
				      struct heft_err *err);

/* Defines a source that rewrites the labels of `base`: the first of the `count`
 * patterns (PCRE2, unanchored) that matches a label replaces it whole by its
 * replacement, in which \0 is the match and \1..\9 are groups. */
HEFT_API bool heft_profile_define_source(struct heft_profile *p, const char *name, const char *base,
					 const char *const *patterns,
					 const char *const *replacements, size_t count,
					 struct heft_err *err);

/* Names a file to measure.  Opened by heft_profile_run.  The path is copied. */
HEFT_API bool heft_profile_add_file(struct heft_profile *p, const char *path, enum heft_role role,
				    struct heft_err *err);

/* Separate debug info for whichever input has the same build id.  heft_profile_run
 * fails with HEFT_EARG where no input has it, or the file has no build id. */
HEFT_API bool heft_profile_add_debug_file(struct heft_profile *p, const char *path,
					  struct heft_err *err);

/* A directory to look for separate debug files in, before the system's. */
HEFT_API void heft_profile_add_debug_dir(struct heft_profile *p, const char *dir);

/* Whether separate debug files are looked for unasked (default true). */
HEFT_API void heft_profile_set_find_debug(struct heft_profile *p, bool yes);

/* What a configuration file says that is the caller's to do. */
struct heft_config {
	bool raw_map;
	uint32_t verbose;
	bool has_demangle, has_rows, has_sort;          /* these were applied to the profile */
	const uint64_t *debug_vmaddrs, *debug_fileoffs; /* belong to the profile */
	size_t debug_vmaddr_count, debug_fileoff_count;
};

/* Merges a configuration file (Bloaty's text format, see heft(1)) and fills *ret (may be
 * NULL). */
HEFT_API bool heft_profile_config(struct heft_profile *p, const char *path, struct heft_config *ret,
				  struct heft_err *err);

/* Keep only ranges one of whose labels matches `include` (or does not match
 * `exclude`); PCRE2, unanchored.  Bytes left out are counted in heft_profile_omitted. */
HEFT_API bool heft_profile_include(struct heft_profile *p, const char *regex, struct heft_err *err);
HEFT_API bool heft_profile_exclude(struct heft_profile *p, const char *regex, struct heft_err *err);

/* Paths of source files, as levels show them: one that is `from` or lies below it gets `to` in its
 * place.  The first map that fits counts; then the first prefix to strip that the path lies
 * below is cut off.  Prefixes end where a component of the path ends.  HEFT_EARG where `from` or
 * `prefix` is empty. */
HEFT_API bool heft_profile_map_path(struct heft_profile *p, const char *from, const char *to,
				    struct heft_err *err);
HEFT_API bool heft_profile_strip_prefix(struct heft_profile *p, const char *prefix,
					struct heft_err *err);
/* Makes each level of directories so many levels, one for each component of the path from the
 * root down; their names have the number behind ("directories1").  0 (default) = one level, with the
 * whole directory.  A run fails with HEFT_ELIMIT where that makes too many levels. */
HEFT_API void heft_profile_set_depth(struct heft_profile *p, unsigned levels);

HEFT_API void heft_profile_set_demangle(struct heft_profile *p, enum heft_demangle style);
HEFT_API void heft_profile_set_sort(struct heft_profile *p, enum heft_sort sort);
HEFT_API void heft_profile_set_sort_domain(struct heft_profile *p, enum heft_domain domain);
/* Rows a level before the rest is summed up as "[N Others]"; 0 = all.  Default 20. */
HEFT_API void heft_profile_set_rows(struct heft_profile *p, uint32_t rows);
/* Threads to use, 0 (default) = one a processor.  Never changes the result. */
HEFT_API void heft_profile_set_threads(struct heft_profile *p, unsigned threads);
/* Count symbols (heft_sizes.count); costs a look at the symbols of every input. */
HEFT_API void heft_profile_set_count(struct heft_profile *p, bool yes);
/* List aliases with the rows of symbols (heft_row.aliases). */
HEFT_API void heft_profile_set_aliases(struct heft_profile *p, bool yes);
/* Keep the ranges themselves for heft_profile_ranges and heft_profile_lookup. */
HEFT_API void heft_profile_keep_ranges(struct heft_profile *p, bool yes);
/* Explains: during a run, calls fn for every claim of every source that covers one of the
 * addresses named with heft_profile_trace_at, in the order of priority, or for every claim
 * at all if none was named.  `why` says in a word or two what made the claim ("symbol
 * table", "relocation", "code reference" ...).  Claims of unknown size have size UINT64_MAX. */
typedef void (*heft_trace_fn)(void *ctx, const char *path, const char *source,
			      enum heft_domain domain, uint64_t start, uint64_t size,
			      const char *label, const char *why);
HEFT_API void heft_profile_set_trace(struct heft_profile *p, heft_trace_fn fn, void *ctx);
HEFT_API void heft_profile_trace_at(struct heft_profile *p, enum heft_domain domain, uint64_t addr);

/* Called now and then from one thread during a run; done <= total, in bytes of
 * input; `what` is a word or two.  `ctx` is handed through. */
HEFT_API void heft_profile_set_progress(struct heft_profile *p,
					void (*progress)(void *ctx, const char *what, uint64_t done,
							 uint64_t total),
					void *ctx);

/* Reads the inputs and makes the rows.  Once per profile. */
HEFT_API bool heft_profile_run(struct heft_profile *p, struct heft_err *err);

/* ---- what a run found ---------------------------------------------------- */

struct heft_sizes {
	uint64_t vm, file; /* bytes */
	uint64_t count;    /* distinct symbols that own some of them; 0 unless asked for */
};

/* One row.  Rows, labels and arrays belong to the profile. */
struct heft_row {
	const char *label; /* NUL-terminated; may hold any other byte */
	struct heft_sizes now, base;
	const struct heft_row *const *children; /* sorted, cut to the row limit */
	size_t child_count;
	/* Other names of the same bytes: symbols with the address and size of one that owns bytes
	 * here.  Each once, in bytewise order; empty unless asked for. */
	const char *const *aliases;
	size_t alias_count;
	bool others; /* sums up `others_count` rows over the limit */
	size_t others_count;
};

/* "TOTAL"; its children are the first level.  NULL before a successful run. */
HEFT_API const struct heft_row *heft_profile_rows(const struct heft_profile *p);
HEFT_API bool heft_profile_is_diff(const struct heft_profile *p);
/* Bytes the filters left out (vm, file). */
HEFT_API struct heft_sizes heft_profile_omitted(const struct heft_profile *p);

HEFT_API size_t heft_profile_note_count(const struct heft_profile *p);
HEFT_API const struct heft_note *heft_profile_note(const struct heft_profile *p, size_t i);

/* Inputs in the order given, bases after them; a thin archive adds its members. */
HEFT_API size_t heft_profile_file_count(const struct heft_profile *p);
struct heft_file_info {
	const char *path;
	const char *format;     /* "ELF 64-bit LSB shared object, x86-64" ... */
	const char *build_id;   /* hex, "" if none */
	const char *debug_path; /* separate debug file in use, "" if none */
	uint64_t size;          /* bytes of the file */
	uint64_t vm_size;       /* bytes of its VM image */
	enum heft_role role;
};
HEFT_API bool heft_profile_file(const struct heft_profile *p, size_t i, struct heft_file_info *ret);

/* Walks the ranges of file `i` in one domain (HEFT_FILE or HEFT_VM) in address
 * order: [start, start+size) with one label per level.  A range without labels
 * (`labels` NULL) is a hole.  Needs heft_profile_keep_ranges. */
typedef void (*heft_range_fn)(void *ctx, uint64_t start, uint64_t size, const char *const *labels,
			      size_t label_count);
HEFT_API bool heft_profile_ranges(const struct heft_profile *p, size_t i, enum heft_domain domain,
				  heft_range_fn fn, void *ctx);

/* The range around one address (or file offset) of file `i`.  The labels
 * hold until the next look-up.  False where nothing is mapped there.  Needs
 * heft_profile_keep_ranges. */
struct heft_place {
	uint64_t start, size;
	const char *const *labels; /* one per level */
	size_t label_count;
};
HEFT_API bool heft_profile_lookup(struct heft_profile *p, size_t i, enum heft_domain domain,
				  uint64_t addr, struct heft_place *ret);

/* ---- reports -------------------------------------------------------------- */

enum heft_format {
	HEFT_TABLE,
	HEFT_CSV,
	HEFT_TSV,
	HEFT_JSON,
	HEFT_FOLDED, /* stacks for flame graphs: "label;label BYTES", of the file or of `domain` */
};

struct heft_write_opts {
	size_t size;             /* sizeof(struct heft_write_opts) */
	enum heft_format format; /* default HEFT_TABLE */
	enum heft_domain domain; /* columns of the table; 0 = both */
	bool count;              /* a column with the number of labels */
	bool old_new;            /* a diff shows old and new sizes beside the change */
	bool base_columns;       /* csv of a diff: original and current sizes */
	bool color;              /* table: ANSI colours */
	unsigned width;          /* table: cut labels so that lines fit; 0 = never */
};

/* Writes the rows as text.  `sink` takes each piece of output and returns false to
 * stop; then the call returns false with HEFT_EIO.  `opts` may be NULL. */
HEFT_API bool heft_profile_write(const struct heft_profile *p, const struct heft_write_opts *opts,
				 bool (*sink)(void *ctx, const void *data, size_t size), void *ctx,
				 struct heft_err *err);

/* ---- what is at an address ------------------------------------------------ */

/* One program or object, for looking up addresses: segment, section, symbol, compile unit, source
 * lines with what was inlined there (from DWARF 2 to 5, wherever it is: in the file, in its
 * separate debug file, split).
 *
 *     struct heft_where *w = heft_where_new();
 *     struct heft_location at;
 *     uint64_t addr;
 *     if (heft_where_open(w, "/bin/ls", &err) && heft_where_parse(w, "main+4", &addr, &err) &&
 *         heft_where_find(w, addr, &at))
 *             for (size_t i = 0; i < at.frame_count; i++)
 *                     printf("%s at %s:%u\n", at.frames[i].function, at.frames[i].file,
 *                            at.frames[i].line);
 *     heft_where_free(w);
 *
 * What a unit says is read when its first address is asked for, and kept.  One thread a handle;
 * several handles may look at one file. */
struct heft_where;

/* Never fails (memory apart).  Free with heft_where_free; NULL is fine there. */
HEFT_API struct heft_where *heft_where_new(void);
HEFT_API void heft_where_free(struct heft_where *w);

/* Settings, before heft_where_open.  As those of a profile; the style of names is
 * HEFT_NAMES_FULL unless set.  heft_where_open fails where a debug file has another build id. */
HEFT_API void heft_where_add_debug_file(struct heft_where *w, const char *path);
HEFT_API void heft_where_add_debug_dir(struct heft_where *w, const char *dir);
HEFT_API void heft_where_set_find_debug(struct heft_where *w, bool yes);
HEFT_API void heft_where_set_demangle(struct heft_where *w, enum heft_demangle style);

/* Once per handle.  HEFT_EUNSUPPORTED for archives. */
HEFT_API bool heft_where_open(struct heft_where *w, const char *path, struct heft_err *err);

/* Reads an address as people write it: hexadecimal digits, with or without 0x in front;
 * 10#DIGITS for a decimal number; NAME or NAME+OFFSET with the name of a section or symbol as
 * the file has it (a name that looks like a number needs +0).  In objects, which have no
 * addresses, a number below 2^40 counts from the start of the first section of code.  HEFT_EARG
 * for anything else. */
HEFT_API bool heft_where_parse(const struct heft_where *w, const char *text, uint64_t *ret_addr,
			       struct heft_err *err);

/* A function around an address.  Texts are never NULL: "" where nothing is known; numbers 0. */
struct heft_frame {
	const char *function; /* in the style set */
	const char *linkage;  /* as the linker sees it; "" where the DWARF has no such name */
	const char *file;     /* made absolute, without "." and ".." */
	uint32_t line, column;
};

/* What is known of an address.  Texts are NULL where nothing is known, hold until
 * heft_where_free and are NUL-terminated; frames hold until the next look-up. */
struct heft_location {
	uint64_t addr;
	const char *segment; /* "LOAD #2 [RX]" */
	const char *section;
	uint64_t section_offset;
	bool in_file;               /* has bytes in the file ... */
	uint64_t file_offset;       /* ... here */
	const char *symbol;         /* in the style set */
	const char *symbol_linkage; /* as the linker sees it */
	uint64_t symbol_offset;     /* from its start */
	uint64_t symbol_size;       /* 0 where the symbol states none */
	/* Name of the compile unit; where no DWARF covers a local symbol, of the source file its
	 * table says it is from. */
	const char *unit;
	/* Innermost first: frame 0 is where the address comes from, each further one where the
	 * frame before was inlined; the last is the function itself. */
	const struct heft_frame *frames;
	size_t frame_count;
};

/* Fills *ret.  False where the image has nothing at this address. */
HEFT_API bool heft_where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret);

/* HEFT_WHERE_TEXT: a block for people.  HEFT_WHERE_JSON: one object on one line (docs/json.md).
 * HEFT_WHERE_TERSE: two lines a frame, function and file:line:column, then an empty line, as
 * llvm-symbolizer writes by default; "??" for what is unknown; the last function is named by its
 * symbol. */
enum heft_where_format { HEFT_WHERE_TEXT, HEFT_WHERE_JSON, HEFT_WHERE_TERSE };

/* Writes a location as text.  `sink` takes each piece of output and returns false to stop; then
 * the call returns false. */
HEFT_API bool heft_location_write(const struct heft_location *at, enum heft_where_format format,
				  bool (*sink)(void *ctx, const void *data, size_t size),
				  void *ctx);

/* Path of the separate debug file in use, "" if none. */
HEFT_API const char *heft_where_debug_path(const struct heft_where *w);
HEFT_API size_t heft_where_note_count(const struct heft_where *w);
HEFT_API const struct heft_note *heft_where_note(const struct heft_where *w, size_t i);

/* ---- machine basic blocks ------------------------------------------------- */

/* The machine basic blocks of a program, object or archive, as its compiler wrote them down: maps
 * of every form (sections .llvm_bb_addr_map, .bb_addr_map, .bb_info), block symbols of LLVM up to 11.
 *
 *     struct heft_blocks *b = heft_blocks_new();
 *     struct heft_block_function f;
 *     if (heft_blocks_open(b, "a.out", &err))
 *             for (size_t i = 0; heft_blocks_function(b, i, &f); i++)
 *                     printf("%s: %zu blocks\n", f.name, f.block_count);
 *     heft_blocks_free(b);
 *
 * One thread a handle; several handles may look at one file. */
struct heft_blocks;

/* Never fails (memory apart).  Free with heft_blocks_free; NULL is fine there. */
HEFT_API struct heft_blocks *heft_blocks_new(void);
HEFT_API void heft_blocks_free(struct heft_blocks *b);

/* Settings, before heft_blocks_open, as those of heft_where. */
HEFT_API void heft_blocks_add_debug_file(struct heft_blocks *b, const char *path);
HEFT_API void heft_blocks_add_debug_dir(struct heft_blocks *b, const char *dir);
HEFT_API void heft_blocks_set_find_debug(struct heft_blocks *b, bool yes);
HEFT_API void heft_blocks_set_demangle(struct heft_blocks *b, enum heft_demangle style);

/* Once per handle.  A file without any blocks is no error: then it has no functions. */
HEFT_API bool heft_blocks_open(struct heft_blocks *b, const char *path, struct heft_err *err);

enum heft_block_flag {
	HEFT_BLOCK_RETURN = 1 << 0, /* ends in a return or a tail call */
	HEFT_BLOCK_TAIL_CALL = 1 << 1,
	HEFT_BLOCK_LANDING_PAD = 1 << 2,  /* of an exception */
	HEFT_BLOCK_FALL_THROUGH = 1 << 3, /* may go on to the block behind it */
	HEFT_BLOCK_INDIRECT_JUMP = 1 << 4,
};

struct heft_block_successor {
	uint32_t id;
	uint32_t probability; /* in units of 2^-31 */
	uint32_t frequency;   /* after linking, 0 if not known */
};

struct heft_block {
	uint64_t addr, size;
	uint32_t id;    /* the compiler's number, unique in the function */
	unsigned flags; /* enum heft_block_flag */
	bool has_hash, has_frequency;
	uint64_t hash;                /* of its code, as the compiler reckons it */
	uint64_t frequency;           /* relative to that of block 0 */
	uint32_t post_link_frequency; /* 0 if not known */
	const uint64_t *calls;        /* addresses where its calls end */
	size_t call_count;
	const struct heft_block_successor *successors;
	size_t successor_count;
};

/* A function.  Texts hold until heft_blocks_free, blocks until the next call. */
struct heft_block_function {
	uint64_t addr;
	const char *name;    /* in the style set; "sub_ADDRESS" where no symbol is */
	const char *linkage; /* as the linker sees it; "" where no symbol is */
	const char *section; /* that holds its first block */
	uint64_t section_offset;
	const char *member; /* of the archive; "" elsewhere */
	const char *origin; /* "map" or "symbols" */
	unsigned version;   /* of its map; 0 where that states none */
	bool omitted;       /* its map says that there are blocks, but not which */
	bool has_entry_count;
	uint64_t entry_count; /* how often it was entered */
	size_t range_count;   /* parts that lie apart */
	const struct heft_block
		*blocks; /* those of a part side by side, the entry first as a rule */
	size_t block_count;
};

HEFT_API size_t heft_blocks_function_count(const struct heft_blocks *b);
/* Function i, by rising address; false past the last. */
HEFT_API bool heft_blocks_function(struct heft_blocks *b, size_t i,
				   struct heft_block_function *ret);
/* The function, and the number of its block, that holds an address; false where no block does. */
HEFT_API bool heft_blocks_find(struct heft_blocks *b, uint64_t addr,
			       struct heft_block_function *ret_function, size_t *ret_block);

enum heft_blocks_format { HEFT_BLOCKS_TEXT, HEFT_BLOCKS_CSV, HEFT_BLOCKS_JSON };

/* Writes a function with its blocks: for people; one line a block; or one object on one line
 * (docs/json.md).  NULL for a function writes what stands above all of them: the names of the csv columns.
 * `sink` takes each piece of output and returns false to stop; then the call returns false. */
HEFT_API bool heft_block_function_write(const struct heft_block_function *f,
					enum heft_blocks_format format,
					bool (*sink)(void *ctx, const void *data, size_t size),
					void *ctx);

HEFT_API size_t heft_blocks_note_count(const struct heft_blocks *b);
HEFT_API const struct heft_note *heft_blocks_note(const struct heft_blocks *b, size_t i);

/* ---- what there is -------------------------------------------------------- */

/* The i-th built-in data source; false past the last.  Strings are static. */
HEFT_API bool heft_source_at(size_t i, const char **ret_name, const char **ret_text);

/* "0.1.0" */
HEFT_API const char *heft_version(void);

#ifdef __cplusplus
}
#endif
#endif
