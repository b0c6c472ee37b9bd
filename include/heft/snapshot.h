/* snapshot.h - part of heft.h: lists of symbols (snapshots), differences, queries, budgets. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_SNAPSHOT_H)
#define HEFT_PART_SNAPSHOT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- snapshots: flat lists of symbols --------------------------------------- */

/* Lists all symbols of a program, with their sizes, padding, source files, object files and
 * aliases. The sizes add up to the sizes of the sections and of the file. The model is that of
 * Chromium's SuperSize; its `.size` files can be read and written.
 *
 * A symbol has three sizes. Own: the bytes that the symbol table states. If it states none, the
 * bytes up to the next symbol or to the end of the section. Padded: own bytes and the padding
 * before them. Charged: all bytes that the file has because of the symbol, as in profiles
 * (heft_snapshot_charge).
 *
 *     struct heft_snapshot *s = heft_snapshot_new(session);
 *     if (s && heft_snapshot_open(s, "a.out", &err))
 *             heft_snapshot_write(s, &sink, &err);
 *     heft_snapshot_free(s);
 *
 * One thread per handle. */
struct heft_snapshot;

/* Creates a handle. NULL only if memory runs out. Free the handle with heft_snapshot_free(), which
 * accepts NULL. */
HEFT_API struct heft_snapshot *heft_snapshot_new(struct heft_session *s);
HEFT_API void heft_snapshot_free(struct heft_snapshot *s);

/* Call the functions below before heft_snapshot_open(). */
/* Adds a compile_commands.json or build.ninja, which states the source file of each object. */
HEFT_API void heft_snapshot_add_build(struct heft_snapshot *s, const char *path);
/* Adds a fact about the build, which `.size` files store: "git_revision", "title", "url" or any
 * other key. HEFT_EARG for an empty key, an existing key, and keys that heft sets itself
 * ("elf_...", "apk_...", "map_file_name"). Has no effect on opened `.size` files. */
HEFT_API bool heft_snapshot_add_metadata(struct heft_snapshot *s, const char *key,
					 const char *value, struct heft_err *err);
/* Returns a fact about the build of an opened snapshot: "git_revision", or a key that was added.
 * NULL if the fact is absent or not a text. Valid as long as the handle. */
HEFT_API const char *heft_snapshot_metadata(const struct heft_snapshot *s, const char *key);
/* Sets the owners of source files (components). `path` is a CODEOWNERS file, or a table of patterns
 * and components in the same form (docs/snapshots.md). If it is a folder or a file DIR_METADATA,
 * the DIR_METADATA files of that source tree are used. Replaces the previous path. */
HEFT_API void heft_snapshot_set_components(struct heft_snapshot *s, const char *path);
/* Options for making the list. */
enum heft_snapshot_flag {
	/* Shorten names exactly as SuperSize does, including its mistakes. */
	HEFT_SNAPSHOT_EXACT_NAMES = 1 << 0,
	/* Do not list string literals as symbols. */
	HEFT_SNAPSHOT_NO_LITERALS = 1 << 1,
	/* If several objects define a function (inline functions, templates), list one alias per
	 * object, with its path; the linker kept one of the definitions. If more than 40 objects
	 * define it, list one symbol, with the common part of the paths. Needs a linker map. */
	HEFT_SNAPSHOT_PATH_ALIASES = 1 << 2,
	/* Record the contents of symbols, for queries of `contents`. Takes more time, because all
	 * code is decoded. */
	HEFT_SNAPSHOT_CONTENTS = 1 << 3,
	/* Make heft_snapshot_open_pair() keep the leading directories of paths. */
	HEFT_SNAPSHOT_WHOLE_PATHS = 1 << 4,
	/* Compute how much stack each function of a linked program may need with all its callees
	 * (heft/stack.h). Queries, differences and budgets use the result, and `.size` files store
	 * it. Takes more time, because all code is decoded. */
	HEFT_SNAPSHOT_STACKS = 1 << 5,
	/* Skip data that pairs nameless functions, for a list that will not be used in a
	 * difference. Saves decoding all code. */
	HEFT_SNAPSHOT_ALONE = 1 << 6,
	/* Do not compute charges (heft_snapshot_charge), to save time. */
	HEFT_SNAPSHOT_UNCHARGED = 1 << 7,
	/* Find how certain the owners of symbols' bytes are (enum heft_sure), for queries. `.size`
	 * files do not store it. */
	HEFT_SNAPSHOT_SURE = 1 << 8,
};
/* Replaces all flags (bits of enum heft_snapshot_flag). Default: 0. */
HEFT_API void heft_snapshot_set_flags(struct heft_snapshot *s, unsigned flags);
/* Opens a file, once per handle. Reads a `.size` or `.sizediff` file, or makes the list from a
 * program, an archive, a zip file (APK) or a data pack of Chromium. */
HEFT_API bool heft_snapshot_open(struct heft_snapshot *s, const char *path, struct heft_err *err);
/* Opens two files for a diff. Two `.size` files are read on two threads; the result is the same.
 * Progress is reported for one of them. If both fail, *err is about `after`. If most source files
 * of both have equal paths except for one leading directory per snapshot, these two directories are
 * removed. They are kept if a finder changes paths, or with HEFT_SNAPSHOT_WHOLE_PATHS. */
HEFT_API bool heft_snapshot_open_pair(struct heft_snapshot *before, const char *before_path,
				      struct heft_snapshot *after, const char *after_path,
				      struct heft_err *err);
/* Opens the first input and the first base of a profile that has run, with the profile's finder.
 * Uses the measured data of a program if the profile had the sources symbols and compileunits and
 * HEFT_PROFILE_RANGES. Otherwise reads the program again. Also reads it again if a linker map,
 * memory regions or HEFT_SNAPSHOT_STACKS need that. If the program is not read again, the notes are
 * those of the profile. Both snapshots may outlive the profile. */
HEFT_API bool heft_snapshot_open_measured(struct heft_snapshot *before, struct heft_snapshot *after,
					  struct heft_profile *profile, struct heft_err *err);
/* Opens several files like heft_snapshot_open(). None of them may be a `.size` file. Each file
 * becomes a container, named by the last component of its path. */
HEFT_API bool heft_snapshot_open_all(struct heft_snapshot *s, const char *const *paths,
				     size_t count, struct heft_err *err);
/* Writes the list as a `.size` file (docs/size-format.md). HEFT_EARG if no file is open. */
HEFT_API bool heft_snapshot_write(const struct heft_snapshot *s, const struct heft_sink *sink,
				  struct heft_err *err);

/* Writes a `.size` file without gzip compression. heft_snapshot_open() reads it, too. */
HEFT_API bool heft_snapshot_write_text(const struct heft_snapshot *s, const struct heft_sink *sink,
				       struct heft_err *err);

/* Totals of a section of a container, in bytes. Texts are valid until heft_snapshot_free(). */
struct heft_snapshot_section {
	size_t size;           /* Set to sizeof(struct heft_snapshot_section). */
	const char *container; /* Name of the container. "" if there is only one. */
	const char *name;
	bool in_file; /* The section takes bytes in the file. */
	/* The section takes memory in the VM image. False in files of SuperSize. */
	bool in_memory;
	uint64_t stated_size; /* Size in bytes that the program states. */
	uint64_t symbols;     /* Number of symbols. */
	uint64_t unique;      /* Number of symbols, counting each list of aliases once. */
	int64_t symbol_size;  /* Own bytes of the unique symbols. */
	int64_t padding;      /* Padding of the unique symbols. */
	uint64_t with_source; /* Bytes of symbol_size whose symbols have a source path. */
	uint64_t with_object; /* Bytes of symbol_size whose symbols have an object path. */
};
/* Return the sections of all containers. There are none before heft_snapshot_open(). */
HEFT_API size_t heft_snapshot_section_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_section(const struct heft_snapshot *s, size_t i,
				    struct heft_snapshot_section *ret, struct heft_err *err);

/* Bits of heft_snapshot_symbol.flags. `.size` files use the same numbers (docs/size-format.md). */
enum heft_symbol_flag {
	HEFT_SYMBOL_ANONYMOUS = 1 << 0, /* An anonymous namespace was removed from the name. */
	HEFT_SYMBOL_STARTUP = 1 << 1,   /* The compiler put it in the section for code that runs
					 * at the start. */
	HEFT_SYMBOL_UNLIKELY = 1 << 2,  /* In the section for code that runs rarely. */
	HEFT_SYMBOL_REL = 1 << 3,       /* Relocated data. */
	HEFT_SYMBOL_REL_LOCAL = 1 << 4,
	HEFT_SYMBOL_GENERATED = 1 << 5, /* The symbol's source file was generated. */
	HEFT_SYMBOL_CLONE = 1 << 6,     /* The suffix of a clone was removed from the name. */
	HEFT_SYMBOL_HOT = 1 << 7,       /* In the section for code that runs often. */
	HEFT_SYMBOL_COVERED = 1 << 8,   /* A test ran it. */
	HEFT_SYMBOL_UNCOMPRESSED = 1 << 9,
	HEFT_SYMBOL_FEATURE = 1 << 10, /* It is in a feature module of an Android app. */
};

/* A symbol of a snapshot. Texts are valid until heft_snapshot_free(). */
struct heft_snapshot_symbol {
	size_t size;           /* Set to sizeof(struct heft_snapshot_symbol). */
	const char *name;      /* Full demangled name: "net::send(char const*)". */
	size_t section;        /* Number of its section (heft_snapshot_section()). */
	const char *source;    /* Path of the source. "" if unknown. */
	const char *object;    /* Path of the object. "" if unknown. */
	const char *component; /* Component that owns the source. "" if unknown. */
	uint64_t address;      /* Address. 0 if there is none. */
	/* Own bytes, without padding. If none is stated, the bytes up to the next symbol. */
	uint64_t own;
	int64_t padding;  /* Bytes of padding before it. Negative only in files of other tools. */
	uint32_t aliases; /* Number of symbols with the same bytes, this one included. */
	uint32_t alias;   /* Index of this symbol among its aliases, from 0. The bytes belong to
			   * the alias with index 0. */
	unsigned flags;   /* Bits of enum heft_symbol_flag. */
};
/* Return the number of symbols, and symbol `i`. Symbols are sorted by section and address; symbols
 * that share their bytes are adjacent. The sums of `own` and `padding` over the symbols with
 * `alias` 0 are `symbol_size` and `padding` of their section. For a .sizediff file, returns symbols
 * of the later snapshot. There are none before heft_snapshot_open(). O(1).
 *
 *     struct heft_snapshot_symbol y = { .size = sizeof y };
 *     for (size_t i = 0; heft_snapshot_symbol(s, i, &y, NULL); i++)
 *             if (strcmp(y.source, "src/net.c") == 0 && y.alias == 0)
 *                     printf("%" PRIu64 " %s\n", y.own, y.name); */
HEFT_API size_t heft_snapshot_symbol_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_symbol(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_symbol *ret, struct heft_err *err);

/* Bytes of the file and of the VM image that one symbol takes in one source file and object, or
 * bytes without a symbol. Added up by name, charges equal a profile by symbols; by source, one by
 * compileunits; by object, one by objects. Texts are valid until heft_snapshot_free(). */
struct heft_snapshot_charge {
	size_t size;           /* Set to sizeof(struct heft_snapshot_charge). */
	const char *name;      /* Short name: "net::send". "[section .dynamic]" for bytes without
			        * a symbol. */
	const char *space;     /* Namespace, module or crate. "" if there is none. */
	const char *source;    /* Compile unit. If unknown, text such as "[section .text]". */
	const char *object;    /* Object. If unknown, text such as "[section .text]". */
	const char *component; /* Component. "" if unknown. */
	const char *container; /* Name of the container. "" if there is only one. */
	enum heft_row_kind kind;
	size_t symbol;     /* Number of its symbol (heft_snapshot_symbol()), or HEFT_NO_SYMBOL. */
#define HEFT_NO_SYMBOL  SIZE_MAX
	uint64_t file, vm; /* Bytes of the file and of the VM image. */
	bool debug;        /* True if the bytes are in sections of debug info. */
};
/* Return the charges. Their `file` adds up to the file, their `vm` to the VM image. None for a file
 * of SuperSize. For a .sizediff file, those of the later snapshot. O(1). */
HEFT_API size_t heft_snapshot_charge_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_charge(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_charge *ret, struct heft_err *err);

/* A memory region of the program, from linker scripts, linker maps and heft_finder_add_region(). */
struct heft_snapshot_region {
	size_t size;      /* Set to sizeof(struct heft_snapshot_region). */
	const char *name; /* Name. Valid until heft_snapshot_free(). */
	uint64_t length;  /* Size of the region in bytes. 0: unknown. */
	uint64_t used;    /* Used bytes of the region. */
};
/* Return the regions of the first container. The numbers of a region are sums over all containers
 * with a region of its name. */
HEFT_API size_t heft_snapshot_region_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_region(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_region *ret, struct heft_err *err);

/* ---- differences between two snapshots ------------------------------------ */

/* Compares two snapshots by pairing their symbols.
 *
 *     struct heft_diff *d = heft_diff_new(before, after, 0, &err);
 *     if (d && heft_diff_rows(d, NULL, &err))
 *             heft_diff_write(d, NULL, &sink, &err);
 *     heft_diff_free(d);
 *
 * Symbols are paired in passes, as in SuperSize: first by section, name and path, then by fewer of
 * these. Further passes pair symbols that were moved (same name in another path) or renamed (same
 * size in the same path, or a similar name). HEFT_DIFF_SUPERSIZE uses only SuperSize's passes, for
 * counts that equal SuperSize's. */
struct heft_diff;

/* Options for pairing symbols. */
enum heft_diff_flag {
	HEFT_DIFF_SUPERSIZE = 1 << 0, /* Use only SuperSize's own passes. */
	/* There is no earlier snapshot: all symbols were added. */
	HEFT_DIFF_FROM_NOTHING = 1 << 1,
};

/* Creates a difference. The snapshots must be open and outlive it. `before` must be NULL with
 * HEFT_DIFF_FROM_NOTHING. It must also be NULL if `after` is a .sizediff file, because that file
 * has both snapshots. `flags` are bits of enum heft_diff_flag. NULL on failure. */
HEFT_API struct heft_diff *heft_diff_new(const struct heft_snapshot *before,
					 const struct heft_snapshot *after, unsigned flags,
					 struct heft_err *err);
HEFT_API void heft_diff_free(struct heft_diff *d);

/* Selects what a row of a difference stands for. */
enum heft_diff_by {
	HEFT_DIFF_BY_SYMBOL, /* Changed symbols with the same name, section and path. */
	HEFT_DIFF_BY_SOURCE, /* Path of the source; path of the object if the source is unknown. */
	HEFT_DIFF_BY_DIRECTORY, /* Directory of the path of HEFT_DIFF_BY_SOURCE. */
	HEFT_DIFF_BY_OBJECT,
	HEFT_DIFF_BY_COMPONENT,
	HEFT_DIFF_BY_SECTION,
	HEFT_DIFF_BY_CONTAINER,
	/* Part of the name before the last "::": a namespace or a class. */
	HEFT_DIFF_BY_NAMESPACE,
	HEFT_DIFF_BY_LIBRARY, /* An archive, a crate, a directory of objects. */
	/* Package, as in the data source `packages`. In files of SuperSize: the outermost
	 * namespace, otherwise the library. */
	HEFT_DIFF_BY_PACKAGE,
};

/* Selects the rows of a difference. */
struct heft_diff_query {
	size_t size; /* Set to sizeof(struct heft_diff_query). */
	enum heft_diff_by by;
	enum heft_sort sort; /* Order by the measure heft_table.sorted_by. HEFT_SORT_AUTO means
			      * HEFT_SORT_DELTA. */
	uint32_t rows;       /* Limit of rows. One row sums up all further rows. 0 for all. */
	const char *section; /* Only this section, by name or letter. NULL for all. */
	uint64_t min;        /* One row sums up the rows that changed by fewer bytes. */
	/* Also make rows for debug sections. If false and both snapshots have debug sections, one
	 * line of the output has their change. */
	bool debug;
	/* Style of names: HEFT_NAMES_SHORT or HEFT_NAMES_FULL. With other values, names are short
	 * in rows of charged bytes and full in others. */
	enum heft_demangle names;
	/* Make no rows for debug sections, even if only one snapshot has them. Not with `debug`. */
	bool no_debug;
	/* Find by whom the added bytes of rows came in: heft_diff_came_in(). Reads the references
	 * of the later program again, if the later snapshot was made from one program. */
	bool came_in;
};

/* By whom the added bytes of a row came in. This struct never grows. */
struct heft_came_in {
	const char *what; /* Label of the row */
	uint64_t bytes;   /* Bytes of the row's added symbols in the file, or else in memory */
	/* Symbol without which nothing would refer to them: it refers to them, or to added symbols
	 * that do. Up to three symbols, in a struct each, refer to a part of them. */
	const char *by;
	/* What happened to this symbol. HEFT_ADDED: it is new. Never HEFT_UNCHANGED: it has a new
	 * reference, perhaps with the same size. */
	enum heft_change change;
	const char *file; /* Source file of the reference, or "" */
	uint32_t line;    /* 0 if unknown */
};

/* Measures of the rows of a difference, in bytes with fractions (HEFT_PARTS). A table has the
 * measures of the group of its heft_table.sorted_by. Other measures are 0, and NaN in
 * heft_row.now_exact. */
enum heft_diff_measure {
	/* Bytes of the file, and of the VM image, that are charged to the row. Their sums equal
	 * those of a profile of both programs. Used if heft made both snapshots, except with
	 * SuperSize's counting, one section, or rows by section. */
	HEFT_DIFF_CHARGED,
	HEFT_DIFF_VM,
	/* Bytes of the symbols themselves and of the padding before them. Used if HEFT_DIFF_CHARGED
	 * is not. */
	HEFT_DIFF_PADDED,
	HEFT_DIFF_OWN,     /* Own bytes. Sort key with HEFT_DIFF_SUPERSIZE. */
	HEFT_DIFF_PADDING, /* Padding before symbols. HEFT_DIFF_OWN does not include it. */
	/* Number of symbols with this change (HEFT_COUNT); see enum heft_change. */
	HEFT_DIFF_COUNT_UNCHANGED,
	HEFT_DIFF_COUNT_CHANGED,
	HEFT_DIFF_COUNT_ADDED,
	HEFT_DIFF_COUNT_REMOVED,
	HEFT_DIFF_COUNT_MOVED,
	HEFT_DIFF_COUNT_RENAMED,
};

/* Totals of a section over all containers. If a symbol has several names, each name counts an equal
 * share of its bytes (PSS). Padding before symbols is separate, except for symbols that are only
 * padding. Texts are valid until heft_diff_free(). */
struct heft_diff_section {
	size_t size; /* Set to sizeof(struct heft_diff_section). */
	const char *name;
	bool in_file;                         /* The section takes bytes in the file. False for
					       * .bss and similar. */
	double before, after;                 /* Own bytes. */
	double padding_before, padding_after; /* Bytes of padding. */
	bool in_memory; /* The section is in the VM image. False if a file of SuperSize does not
			 * state it. */
};

/* Number of the pseudo-section "TOTAL", the sum of all sections. */
#define HEFT_DIFF_TOTAL SIZE_MAX

/* Return the sections, largest first. With SuperSize's passes, the padding of each container and
 * section counts as an added symbol, as in SuperSize. */
HEFT_API size_t heft_diff_section_count(const struct heft_diff *d);
HEFT_API bool heft_diff_section(const struct heft_diff *d, size_t i, struct heft_diff_section *ret,
				struct heft_err *err);
/* Returns the number of symbols of section i with this change. 0 past the last section. */
HEFT_API uint64_t heft_diff_section_changes(const struct heft_diff *d, size_t i,
					    enum heft_change what);

/* Makes the rows of a query, valid until the next query. `query` may be NULL for defaults. NULL on
 * failure. Rows by symbol have changes and the texts "in_section", "path", "in_component",
 * "in_container" and "was". "was" is the old name of a renamed symbol, the old path of a moved one.
 * The top row has the sums of all symbols that `section` selects. */
HEFT_API const struct heft_table *
heft_diff_rows(struct heft_diff *d, const struct heft_diff_query *query, struct heft_err *err);

/* Returns by whom the added bytes of the last query's rows came in, and their number. Has only what
 * is sure. Rows without added symbols have none. Valid until the next query. NULL if there are none
 * or heft_diff_query.came_in was not set. */
HEFT_API const struct heft_came_in *heft_diff_came_in(const struct heft_diff *d, size_t *ret_count);

/* Writes the sections, then the rows of the last heft_diff_rows(). `opts` may be NULL. */
HEFT_API bool heft_diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
			      const struct heft_sink *sink, struct heft_err *err);
/* Writes a .sizediff file for SuperSize's viewer: all changed symbols of both snapshots. Adds code
 * of the most changed functions if both programs still exist. */
HEFT_API bool heft_diff_save(const struct heft_diff *d, const struct heft_sink *sink,
			     struct heft_err *err);

/* ---- queries over a snapshot ---------------------------------------------- */

/* Runs SQL over the symbols of a snapshot (of both snapshots, for a .sizediff file) with SQLite.
 * docs/query.md lists the tables and columns. The snapshot must be open and outlive the query. NULL
 * on failure. */
struct heft_query;
HEFT_API struct heft_query *heft_query_new(const struct heft_snapshot *s, struct heft_err *err);
HEFT_API void heft_query_free(struct heft_query *q);
/* Adds the tables "refs" and "kept" with copies of the references of a program. Call it once. */
struct heft_graph;
HEFT_API bool heft_query_add_graph(struct heft_query *q, struct heft_graph *g,
				   struct heft_err *err);

/* Output options of statements. */
struct heft_query_opts {
	size_t size; /* Set to sizeof(struct heft_query_opts). */
	/* HEFT_TABLE, HEFT_CSV, HEFT_TSV (names in the first line), HEFT_JSON (an array of objects
	 * per statement), HEFT_MARKDOWN or HEFT_SVG. HEFT_SVG is a treemap of one statement: text
	 * columns are the levels from left to right, the first number column is the size. */
	enum heft_format format;
	uint64_t rows;  /* Limit of rows per statement. 0 for all. */
	unsigned width; /* Maximal width of a table's lines, which are cut. 0 for no limit. */
	bool csv_safe;  /* Write "'" before formulas (heft_write_opts.csv_safe). */
};
/* Runs the statements of a text and writes their results. HEFT_EARG for a mistake in them, and for
 * statements that would change data. `opts` may be NULL. */
HEFT_API bool heft_query_run(struct heft_query *q, const char *sql,
			     const struct heft_query_opts *opts, const struct heft_sink *sink,
			     struct heft_err *err);
/* True if a text ends with a complete statement, so that it can be run. */
HEFT_API bool heft_query_is_complete(const char *sql);
/* Return the number of predefined queries, and query `i`. Texts are static. */
HEFT_API size_t heft_named_query_count(void);
HEFT_API bool heft_named_query(size_t i, const char **ret_name, const char **ret_text,
			       const char **ret_sql);

/* ---- tables of the caller, written in heft's formats ---------------------- */

/* Writes tables of the caller in the formats of heft_query_run().
 *
 *     static const char *const names[] = { "name", "bytes" };
 *     struct heft_answer *a = heft_answer_new(NULL, &sink, &err);
 *     bool ok = a && heft_answer_columns(a, names, 2, &err);
 *     for (size_t i = 0; ok && i < count; i++)
 *             ok = heft_answer_row(a, rows[i], &err);
 *     ok = ok && heft_answer_end(a, &err);
 *     heft_answer_free(a);
 *
 * One thread at a time per handle. */
struct heft_answer;

enum heft_cell_kind { HEFT_CELL_NULL, HEFT_CELL_INTEGER, HEFT_CELL_REAL, HEFT_CELL_TEXT };
/* A cell of a row. `kind` selects the member with the value. This struct never grows. */
struct heft_cell {
	enum heft_cell_kind kind;
	int64_t integer;
	double real; /* Shown with at most three decimals. */
	const char *text;
};

/* Starts an output. Formats: HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON (an array of objects per
 * table), HEFT_MARKDOWN and HEFT_NDJSON (an object per line). `opts` may be NULL. The context of
 * the sink must outlive the handle. NULL on failure. */
HEFT_API struct heft_answer *heft_answer_new(const struct heft_query_opts *opts,
					     const struct heft_sink *sink, struct heft_err *err);
/* Frees the handle without writing. */
HEFT_API void heft_answer_free(struct heft_answer *a);
/* Begins a table. The names are copied. */
HEFT_API bool heft_answer_columns(struct heft_answer *a, const char *const *names, size_t count,
				  struct heft_err *err);
/* Adds a row with one cell per column. The cells are copied. */
HEFT_API bool heft_answer_row(struct heft_answer *a, const struct heft_cell *cells,
			      struct heft_err *err);
/* Ends a table. Another table may follow. */
HEFT_API bool heft_answer_table_end(struct heft_answer *a, struct heft_err *err);
/* Ends the last table, if it has not ended, and the output. HEFT_EIO if the sink fails. */
HEFT_API bool heft_answer_end(struct heft_answer *a, struct heft_err *err);

/* ---- budgets: size limits for parts of a program -------------------------- */

/* Checks limits for the sizes of a program, from a file (docs/budgets.md). */
struct heft_budget;
/* Reads the limits. NULL on failure. HEFT_EFORMAT for a bad rule, with the text "PATH:LINE:COLUMN:
 * what"; or HEFT_EIO. */
HEFT_API struct heft_budget *heft_budget_new(struct heft_session *s, const char *path,
					     struct heft_err *err);
HEFT_API void heft_budget_free(struct heft_budget *b);

/* Result of a limit. */
enum heft_budget_state {
	HEFT_BUDGET_KEPT,
	HEFT_BUDGET_BROKEN,
	HEFT_BUDGET_SKIPPED,   /* Limit of growth, but there is no base. */
	HEFT_BUDGET_UNMATCHED, /* The rule matches nothing, neither now nor in the base. */
	HEFT_BUDGET_UNKNOWN,   /* A snapshot lacks data that the rule needs. */
};

/* A part of a measured size, in bytes. This struct never grows. */
struct heft_budget_part {
	const char *label, *path;
	double now, base;
};

/* A limit and its measured size, in bytes. Texts and parts are valid until the next check. */
struct heft_budget_row {
	const char *rule; /* Text of the limit. */
	unsigned line;
	bool growth;
	enum heft_budget_state state;
	double now, base;    /* Measured sizes. base is 0 if there is no base. */
	double limit;        /* Limit in bytes, for `now` or for the growth. */
	const char *measure; /* Kind of the sizes: "own", "padded", "charged" or "stack". */
	/* HEFT_BUDGET_UNMATCHED: a name similar to the one in the rule. NULL if there is none. */
	const char *nearest;
	/* For broken limits: the largest symbols, or those that grew most. */
	const struct heft_budget_part *parts;
	size_t part_count;
	/* Kind of the subject: "file", "vm", "section", "region", "symbol", "namespace", "source",
	 * "directory", "object", "library", "component" or "stack". */
	const char *subject;
	const char *pattern; /* Name or pattern of the subject in the rule. "" if there is none. */
	/* For stacks: reasons why the stack may be larger than `now` ("recursion", "indirect
	 * calls", ... as in heft/stack.h). "" if there are none. */
	const char *besides;
	/* HEFT_BUDGET_UNKNOWN: which data is missing, and how to get it. "" otherwise. */
	const char *reason;
};

/* Returns the flags (enum heft_snapshot_flag) that snapshots need for these limits. */
HEFT_API unsigned heft_budget_flags(const struct heft_budget *b);
/* Checks the limits of `now`, and of the growth from `base` to `now`. `base` may be NULL. HEFT_EARG
 * if one of the snapshots is not open. */
HEFT_API bool heft_budget_check(struct heft_budget *b, const struct heft_snapshot *now,
				const struct heft_snapshot *base, struct heft_err *err);
/* Return the limits, with the results of the last check. */
HEFT_API size_t heft_budget_row_count(const struct heft_budget *b);
HEFT_API const struct heft_budget_row *heft_budget_row(const struct heft_budget *b, size_t i);

/* Writes the results: HEFT_TABLE (readable lines), HEFT_GITHUB (commands of GitHub's workflows:
 * ::error file=...::), HEFT_MARKDOWN, HEFT_CSV, HEFT_TSV or HEFT_JSON (docs/json.md). `opts` may be
 * NULL. */
HEFT_API bool heft_budget_write(const struct heft_budget *b, const struct heft_write_opts *opts,
				const struct heft_sink *sink, struct heft_err *err);

/* ---- comments for a pull request on size changes -------------------------- */

/* Sets `ret` to the values of a size in earlier builds: at most the latest `count` values, oldest
 * first. `subject` is "file", "vm", "section" or "region"; `name` is the name of the section or
 * region. Returns the number of values; 0 if unknown. */
typedef size_t (*heft_course_fn)(void *ctx, const char *subject, const char *name, double *ret,
				 size_t count);

/* Options of a comment. Set `size` and zero the rest for defaults. */
struct heft_comment_opts {
	size_t size; /* Set to sizeof(struct heft_comment_opts). */
	/* Name of the program that was measured. NULL: the name of the file after the change, or,
	 * if that tells only a side, such as "new.elf", what the snapshots call the program. */
	const char *title;
	/* URL of the full report, http or https; HEFT_EARG for others. NULL if there is none. */
	const char *page_url;
	/* Write nothing if all limits are kept and each section (except debug sections) changed by
	 * fewer bytes than this. 0: always write a text. */
	uint64_t noise;
	/* Called for each line of sizes, to show the trend. NULL to show none. */
	heft_course_fn course;
	void *course_ctx;
	/* File with the text of the comment, in which placeholders such as {why} stand for its
	 * parts (docs/budgets.md). NULL for the usual text. */
	const char *template_path;
};

/* Writes a comment for a pull request in Markdown: sizes with limits, broken limits, the symbols
 * that caused them, and a folded part with all changes. The first line is an HTML comment with the
 * title, so that a later run can find the comment and replace it. `b` must have been checked with
 * both snapshots of the diff; NULL if there are no limits. `opts` may be NULL. */
HEFT_API bool heft_comment_write(const struct heft_diff *d, const struct heft_budget *b,
				 const struct heft_comment_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err);

/* ---- the quality of a snapshot -------------------------------------------- */

/* Something odd in a snapshot. `error`: the sums differ from the section's size. Otherwise an
 * unusual share of padding, of symbols without a name or path, and similar. */
struct heft_quality_finding {
	const char *container, *section;
	const char *text; /* One line. */
	bool error;
};
struct heft_quality;
/* Checks a snapshot for odd facts. A snapshot that is not open has none. NULL only if memory runs
 * out or if the snapshot is broken. What was found is valid until heft_quality_free(), its texts as
 * long as the snapshot. */
HEFT_API struct heft_quality *heft_quality_new(const struct heft_snapshot *s, struct heft_err *err);
HEFT_API void heft_quality_free(struct heft_quality *q);
HEFT_API size_t heft_quality_finding_count(const struct heft_quality *q);
HEFT_API const struct heft_quality_finding *heft_quality_finding(const struct heft_quality *q,
								 size_t i);

#ifdef __cplusplus
}
#endif
#endif
