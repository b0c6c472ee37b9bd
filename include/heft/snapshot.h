/* snapshot.h - part of heft.h: flat symbol lists: snapshots, differences, queries, budgets. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_SNAPSHOT_H)
#define HEFT_PART_SNAPSHOT_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- snapshots: flat lists of symbols --------------------------------------- */

/* Every symbol of a program, with its size, padding, source and object file and aliases, such that
 * they add up to each section and to the file: the model of Chromium's SuperSize, whose `.size`
 * files are read and written.
 *
 * A size of a symbol has one of three names everywhere: its own bytes, as its symbol table states
 * them; padded, which is own bytes and the padding in front; charged, which is all that the file
 * holds because of it, as profiles count (heft_snapshot_charge).
 *
 *     struct heft_snapshot *s = heft_snapshot_new(session);
 *     if (s && heft_snapshot_open(s, "a.out", &err))
 *             heft_snapshot_write(s, &sink, &err);
 *     heft_snapshot_free(s);
 *
 * One thread a handle. */
struct heft_snapshot;

/* NULL only where there is no memory.  Free with heft_snapshot_free; NULL is fine there. */
HEFT_API struct heft_snapshot *heft_snapshot_new(struct heft_session *s);
HEFT_API void heft_snapshot_free(struct heft_snapshot *s);

/* Settings, before heft_snapshot_open. */
/* Names a compile_commands.json or build.ninja, which tells what source an object was made from. */
HEFT_API void heft_snapshot_add_build(struct heft_snapshot *s, const char *path);
/* Says something of the build, which the file keeps: "git_revision", "title", "url" or a key of
 * one's own.  HEFT_EARG for an empty key, one that is there, and keys of what heft says itself
 * ("elf_...", "apk_...", "map_file_name").  Of files that are snapshots already it changes
 * nothing. */
HEFT_API bool heft_snapshot_add_metadata(struct heft_snapshot *s, const char *key,
					 const char *value, struct heft_err *err);
/* What an opened snapshot says of the build by "git_revision", or a key that was added here; NULL:
 * nothing, or no text.  It holds as long as the handle. */
HEFT_API const char *heft_snapshot_metadata(const struct heft_snapshot *s, const char *key);
/* Names a CODEOWNERS, or a table of patterns and components in its form (docs/snapshots.md), which
 * tells the components of sources; a folder, or a file DIR_METADATA, is a tree of sources whose
 * files of that name tell them.  Replaces the one before. */
HEFT_API void heft_snapshot_set_components(struct heft_snapshot *s, const char *path);
/* How the list is made. */
enum heft_snapshot_flag {
	/* Names are cut exactly as SuperSize cuts them, its weaknesses included. */
	HEFT_SNAPSHOT_EXACT_NAMES = 1 << 0,
	/* String literals are no symbols of their own. */
	HEFT_SNAPSHOT_NO_LITERALS = 1 << 1,
	/* Functions that several objects define (inline ones, templates), of which the linker kept
	 * one, are aliases with the path of each object; where more than 40 objects do, they are
	 * one symbol with what the paths share.  Needs a linker map. */
	HEFT_SNAPSHOT_PATH_ALIASES = 1 << 2,
	/* Symbols tell what they hold, for queries that ask for `contents`.  Takes the time to
	 * decode all code. */
	HEFT_SNAPSHOT_CONTENTS = 1 << 3,
	/* heft_snapshot_open_pair takes no directories off paths. */
	HEFT_SNAPSHOT_WHOLE_PATHS = 1 << 4,
	/* Functions of linked programs tell how much stack they take at most with all that they
	 * call (heft/stack.h), for queries, differences and budgets; `.size` files keep it.  Takes
	 * the time to decode all code. */
	HEFT_SNAPSHOT_STACKS = 1 << 5,
	/* No difference will be made of the list.  What pairs functions without names is left out,
	 * which takes the time to decode their code. */
	HEFT_SNAPSHOT_ALONE = 1 << 6,
	/* Nobody asks for charges (heft_snapshot_charge): there are none. */
	HEFT_SNAPSHOT_UNCHARGED = 1 << 7,
};
/* Replaces all flags (bits of enum heft_snapshot_flag; 0 at first). */
HEFT_API void heft_snapshot_set_flags(struct heft_snapshot *s, unsigned flags);
/* Once per handle: reads a `.size` or `.sizediff` file, or makes the list from a program, an
 * archive, a zip file (APK) or a data pack of Chromium. */
HEFT_API bool heft_snapshot_open(struct heft_snapshot *s, const char *path, struct heft_err *err);
/* Opens two for a diff, `.size` files side by side in two threads; what is found is the same as one
 * after the other.  Only the snapshot that is read on the thread of the call asks its progress
 * function meanwhile.  Where it fails, *err is of `after` if that failed.
 * Where most sources of both are the same but for the directory that they lie in, that directory is
 * taken off the paths, unless a finder says what is to be done with paths, or a side has
 * HEFT_SNAPSHOT_WHOLE_PATHS. */
HEFT_API bool heft_snapshot_open_pair(struct heft_snapshot *before, const char *before_path,
				      struct heft_snapshot *after, const char *after_path,
				      struct heft_err *err);
/* The same of the first input and the first base of a profile that has run, whose finder both have
 * as well.  A program is not read again where it was measured by symbols and compileunits and with
 * HEFT_PROFILE_RANGES, unless a linker map, memory regions or HEFT_SNAPSHOT_STACKS ask for more;
 * then the notes are what the profile has of the file.  Both may outlive the profile. */
HEFT_API bool heft_snapshot_open_measured(struct heft_snapshot *before, struct heft_snapshot *after,
					  struct heft_profile *profile, struct heft_err *err);
/* As heft_snapshot_open of several files, no `.size` files among them: a container each, named by
 * the files' last components. */
HEFT_API bool heft_snapshot_open_all(struct heft_snapshot *s, const char *const *paths,
				     size_t count, struct heft_err *err);
/* Writes the list as a `.size` file (docs/size-format.md).  HEFT_EARG where none is open. */
HEFT_API bool heft_snapshot_write(const struct heft_snapshot *s, const struct heft_sink *sink,
				  struct heft_err *err);

/* The same before it is packed by gzip: heft_snapshot_open takes such a text as well. */
HEFT_API bool heft_snapshot_write_text(const struct heft_snapshot *s, const struct heft_sink *sink,
				       struct heft_err *err);

/* Totals of a section of a container, in bytes.  Texts hold until heft_snapshot_free. */
struct heft_snapshot_section {
	size_t size;           /* sizeof(struct heft_snapshot_section) */
	const char *container; /* "" where there is one only */
	const char *name;
	bool in_file; /* takes room in the file */
	/* Takes room in the VM image; false in files of SuperSize, where that is not known. */
	bool in_memory;
	uint64_t stated_size; /* as the program states it */
	uint64_t symbols;     /* how many there are */
	uint64_t unique;      /* of these, with each list of aliases counted once */
	int64_t symbol_size;  /* own bytes of the unique ones */
	int64_t padding;      /* of the unique ones */
	uint64_t with_source; /* bytes of symbol_size whose symbols have a source path */
	uint64_t with_object; /* bytes of symbol_size whose symbols have an object path */
};
/* The sections of all containers; none before heft_snapshot_open. */
HEFT_API size_t heft_snapshot_section_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_section(const struct heft_snapshot *s, size_t i,
				    struct heft_snapshot_section *ret, struct heft_err *err);

/* What else is known of a symbol: bits of heft_snapshot_symbol.flags.  `.size` files keep the same
 * numbers (docs/size-format.md). */
enum heft_symbol_flag {
	HEFT_SYMBOL_ANONYMOUS = 1 << 0, /* its name had an anonymous namespace, which was cut */
	HEFT_SYMBOL_STARTUP = 1 << 1,   /* the compiler put it with what runs at the start */
	HEFT_SYMBOL_UNLIKELY = 1 << 2,  /* ... with what runs rarely */
	HEFT_SYMBOL_REL = 1 << 3,       /* relocated data */
	HEFT_SYMBOL_REL_LOCAL = 1 << 4,
	HEFT_SYMBOL_GENERATED = 1 << 5, /* its source was generated */
	HEFT_SYMBOL_CLONE = 1 << 6,     /* its name had the suffix of a clone, which was cut */
	HEFT_SYMBOL_HOT = 1 << 7,       /* the compiler put it with what runs often */
	HEFT_SYMBOL_COVERED = 1 << 8,   /* a test ran it */
	HEFT_SYMBOL_UNCOMPRESSED = 1 << 9,
	HEFT_SYMBOL_FEATURE = 1 << 10, /* it belongs to a feature module of an Android app */
};

/* A symbol of a snapshot.  Texts hold until heft_snapshot_free. */
struct heft_snapshot_symbol {
	size_t size;           /* sizeof(struct heft_snapshot_symbol) */
	const char *name;      /* the whole demangled name: "net::send(char const*)" */
	size_t section;        /* its number in the list of sections (heft_snapshot_section) */
	const char *source;    /* path of the source; "": not known */
	const char *object;    /* path of the object; "": not known */
	const char *component; /* who owns the source; "": not known */
	uint64_t address;      /* 0: it has none */
	uint64_t own;          /* bytes, without padding */
	int64_t padding;       /* bytes before the address; negative only in files of others */
	uint32_t aliases;      /* how many symbols have these same bytes, itself included */
	uint32_t alias;        /* its place among them, from 0: where 0, the bytes count */
	unsigned flags;        /* bits of enum heft_symbol_flag */
};
/* The symbols, by section and address; those that share their bytes stand together.  The sums of
 * `own` and `padding` over the symbols whose `alias` is 0 are `symbol_size` and `padding` of their
 * section.  Of a .sizediff file: the later half.  None before heft_snapshot_open.  O(1).
 *
 *     struct heft_snapshot_symbol y = { .size = sizeof y };
 *     for (size_t i = 0; heft_snapshot_symbol(s, i, &y, NULL); i++)
 *             if (strcmp(y.source, "src/net.c") == 0 && y.alias == 0)
 *                     printf("%" PRIu64 " %s\n", y.own, y.name); */
HEFT_API size_t heft_snapshot_symbol_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_symbol(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_symbol *ret, struct heft_err *err);

/* What the file and the VM image hold because of a symbol in one source and object, or bytes that
 * no symbol owns.  Sums over names are the rows of a profile by symbols, sums over sources those by
 * compileunits, over objects those by objects.  Texts hold until heft_snapshot_free. */
struct heft_snapshot_charge {
	size_t size;           /* sizeof(struct heft_snapshot_charge) */
	const char *name;      /* short: "net::send"; "[section .dynamic]" where nothing owns it */
	const char *space;     /* namespace, module or crate; "": none */
	const char *source;    /* compile unit; "[section .text]" and the like: not known */
	const char *object;    /* likewise */
	const char *component; /* "": not known */
	const char *container; /* "" where there is one only */
	enum heft_row_kind kind;
	size_t symbol;     /* the number of its symbol (heft_snapshot_symbol), or: */
#define HEFT_NO_SYMBOL  SIZE_MAX
	uint64_t file, vm; /* bytes */
	bool debug;        /* in sections of debug info */
};
/* All `file` add up to the file, all `vm` to the VM image.  None in a file of SuperSize.  Of a
 * .sizediff file: the later half.  O(1). */
HEFT_API size_t heft_snapshot_charge_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_charge(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_charge *ret, struct heft_err *err);

/* A memory region of the program, from linker scripts, linker maps and heft_finder_add_region. */
struct heft_snapshot_region {
	size_t size;      /* sizeof(struct heft_snapshot_region) */
	const char *name; /* holds until heft_snapshot_free */
	uint64_t length;  /* bytes that fit into it */
	uint64_t used;    /* bytes of these */
};
/* The regions of the first container; sums over all containers that have a region of the name. */
HEFT_API size_t heft_snapshot_region_count(const struct heft_snapshot *s);
HEFT_API bool heft_snapshot_region(const struct heft_snapshot *s, size_t i,
				   struct heft_snapshot_region *ret, struct heft_err *err);

/* ---- what changed between two snapshots ----------------------------------- */

/* Two snapshots with their symbols in pairs.
 *
 *     struct heft_diff *d = heft_diff_new(before, after, 0, &err);
 *     if (d && heft_diff_rows(d, NULL, &err))
 *             heft_diff_write(d, NULL, &sink, &err);
 *     heft_diff_free(d);
 *
 * Symbols are paired as SuperSize does: by section, name and path, then by less and less of these.
 * What is left is paired where it was moved (the same name in another path) or renamed (the same
 * size in the same path, or a name alike), unless only SuperSize's own passes are asked for
 * (HEFT_DIFF_SUPERSIZE): the counts are then its counts. */
struct heft_diff;

/* How symbols are paired. */
enum heft_diff_flag {
	HEFT_DIFF_SUPERSIZE = 1 << 0, /* SuperSize's own passes alone */
	/* There is nothing before: all symbols were added. */
	HEFT_DIFF_FROM_NOTHING = 1 << 1,
};

/* The snapshots are open and outlive the diff.  `before` is NULL where `after` is from a .sizediff
 * file, which holds both, and with HEFT_DIFF_FROM_NOTHING.  `flags` are bits of enum
 * heft_diff_flag.  NULL on failure. */
HEFT_API struct heft_diff *heft_diff_new(const struct heft_snapshot *before,
					 const struct heft_snapshot *after, unsigned flags,
					 struct heft_err *err);
HEFT_API void heft_diff_free(struct heft_diff *d);

/* What a row of a diff is. */
enum heft_diff_by {
	HEFT_DIFF_BY_SYMBOL, /* symbols of one name in one section and path; those that changed */
	HEFT_DIFF_BY_SOURCE, /* path of the source, else of the object */
	HEFT_DIFF_BY_DIRECTORY, /* of that */
	HEFT_DIFF_BY_OBJECT,
	HEFT_DIFF_BY_COMPONENT,
	HEFT_DIFF_BY_SECTION,
	HEFT_DIFF_BY_CONTAINER,
	/* What the name has before its last "::": a namespace or a class. */
	HEFT_DIFF_BY_NAMESPACE,
	HEFT_DIFF_BY_LIBRARY, /* of the object: an archive, a crate, a directory of objects */
};

/* What rows of a diff are wanted. */
struct heft_diff_query {
	size_t size; /* sizeof(struct heft_diff_query) */
	enum heft_diff_by by;
	enum heft_sort sort; /* of own bytes; HEFT_SORT_AUTO is HEFT_SORT_DELTA */
	uint32_t rows;       /* then the rest is summed up; 0: all */
	const char *section; /* only of this one, by name or letter; NULL: of all */
	uint64_t min;        /* rows that changed by fewer bytes are summed up as well */
	/* Rows of what is in debug sections too.  Else there are none where both sides have such
	 * sections; their change is one line of what is written. */
	bool debug;
};

/* The measures of the rows of a diff: heft_value.parts, bytes.  A table has those that its
 * heft_table.sorted_by says, and 0 in the others. */
enum heft_diff_measure {
	/* What the file, and what the VM image holds because of the row.  The sums are those of a
	 * profile of both sides.  Where both sides were made by heft, unless SuperSize's counting,
	 * one section or rows of sections are asked for. */
	HEFT_DIFF_CHARGED,
	HEFT_DIFF_VM,
	/* Else: own bytes with the padding in front. */
	HEFT_DIFF_PADDED,
	HEFT_DIFF_OWN,     /* own bytes: what decides with HEFT_DIFF_SUPERSIZE */
	HEFT_DIFF_PADDING, /* bytes in front, which are not in HEFT_DIFF_OWN */
	/* heft_value.whole: symbols of which that became, see enum heft_change */
	HEFT_DIFF_COUNT_UNCHANGED,
	HEFT_DIFF_COUNT_CHANGED,
	HEFT_DIFF_COUNT_ADDED,
	HEFT_DIFF_COUNT_REMOVED,
	HEFT_DIFF_COUNT_MOVED,
	HEFT_DIFF_COUNT_RENAMED,
};

/* Sums of a section, of all containers.  Bytes that symbols of several names share count in parts
 * for each name (PSS).  Padding in front of symbols is apart, but for symbols that are nothing
 * else.  Texts hold until heft_diff_free. */
struct heft_diff_section {
	size_t size; /* sizeof(struct heft_diff_section) */
	const char *name;
	bool in_file;                         /* false: .bss and its like */
	double before, after;                 /* own bytes */
	double padding_before, padding_after; /* bytes */
	bool in_memory; /* in the VM image; false where a file of SuperSize does not tell it */
};

/* In place of the number of a section: all of them together, named "TOTAL". */
#define HEFT_DIFF_TOTAL SIZE_MAX

/* Sections by falling size.  With SuperSize's passes, the sums of padding count as symbols that
 * were added, one a container and section, as there. */
HEFT_API size_t heft_diff_section_count(const struct heft_diff *d);
HEFT_API bool heft_diff_section(const struct heft_diff *d, size_t i, struct heft_diff_section *ret,
				struct heft_err *err);
/* How many symbols of section i became so; 0 past the last. */
HEFT_API uint64_t heft_diff_section_changes(const struct heft_diff *d, size_t i,
					    enum heft_change what);

/* Makes the rows of a query; they hold until the next one.  `query` may be NULL: the default.  NULL
 * on failure.  Rows by symbol have changes and the texts "in_section", "path", "in_component",
 * "in_container" and "was" (the name before of what was renamed, the path before of what was
 * moved).  The top row holds the sums over all that `section` lets through. */
HEFT_API const struct heft_table *
heft_diff_rows(struct heft_diff *d, const struct heft_diff_query *query, struct heft_err *err);

/* The sections, then the rows of the last heft_diff_rows; `opts` may be NULL. */
HEFT_API bool heft_diff_write(const struct heft_diff *d, const struct heft_write_opts *opts,
			      const struct heft_sink *sink, struct heft_err *err);
/* Writes a .sizediff file, which SuperSize's viewer opens: what is not unchanged, of both sides;
 * where these were made of programs that are still there, also the code of the functions that
 * changed most. */
HEFT_API bool heft_diff_save(const struct heft_diff *d, const struct heft_sink *sink,
			     struct heft_err *err);

/* ---- queries over a snapshot ---------------------------------------------- */

/* SQL over the symbols of a snapshot (of both sides of a .sizediff file), by SQLite: docs/query.md
 * names the tables and columns.  The snapshot is open and outlives the query.  NULL on failure. */
struct heft_query;
HEFT_API struct heft_query *heft_query_new(const struct heft_snapshot *s, struct heft_err *err);
HEFT_API void heft_query_free(struct heft_query *q);

/* How the answer to a statement is written. */
struct heft_query_opts {
	size_t size; /* sizeof(struct heft_query_opts) */
	/* HEFT_TABLE, HEFT_CSV, HEFT_TSV (a line of names first), HEFT_JSON (an array of objects a
	 * statement), HEFT_MARKDOWN, or HEFT_SVG: a treemap of one statement, whose columns of text
	 * are the levels from left to right and whose first column of numbers is the size. */
	enum heft_format format;
	uint64_t rows;  /* of a statement, at most; 0: all */
	unsigned width; /* table: lines are cut to it; 0: never */
	bool csv_safe;  /* as in heft_write_opts */
};
/* Runs the statements of a text and writes what they give.  HEFT_EARG for a mistake in them, and
 * for statements that would change something.  `opts` may be NULL. */
HEFT_API bool heft_query_run(struct heft_query *q, const char *sql,
			     const struct heft_query_opts *opts, const struct heft_sink *sink,
			     struct heft_err *err);
/* Whether a text ends where a statement does, so that no further line is awaited. */
HEFT_API bool heft_query_is_complete(const char *sql);
/* The ready-made queries.  Texts are static. */
HEFT_API size_t heft_named_query_count(void);
HEFT_API bool heft_named_query(size_t i, const char **ret_name, const char **ret_text,
			       const char **ret_sql);

/* ---- rows of one's own ------------------------------------------------------ */

/* Writes tables that a program makes itself, as heft_query_run writes the answer to a statement.
 *
 *     static const char *const names[] = { "name", "bytes" };
 *     struct heft_answer *a = heft_answer_new(NULL, &sink, &err);
 *     bool ok = a && heft_answer_columns(a, names, 2, &err);
 *     for (size_t i = 0; ok && i < count; i++)
 *             ok = heft_answer_row(a, rows[i], &err);
 *     ok = ok && heft_answer_end(a, &err);
 *     heft_answer_free(a);
 *
 * One thread a handle. */
struct heft_answer;

enum heft_cell_kind { HEFT_CELL_NULL, HEFT_CELL_INTEGER, HEFT_CELL_REAL, HEFT_CELL_TEXT };
/* A cell of a row; its kind says which member holds the value.  Never grows. */
struct heft_cell {
	enum heft_cell_kind kind;
	int64_t integer;
	double real; /* shown with three decimals at most */
	const char *text;
};

/* Takes HEFT_TABLE, HEFT_CSV, HEFT_TSV, HEFT_JSON (an array of objects a table), HEFT_MARKDOWN and
 * HEFT_NDJSON (an object a line).  `opts` may be NULL.  The context of the sink outlives the
 * handle.  NULL on failure. */
HEFT_API struct heft_answer *heft_answer_new(const struct heft_query_opts *opts,
					     const struct heft_sink *sink, struct heft_err *err);
/* Writes nothing more. */
HEFT_API void heft_answer_free(struct heft_answer *a);
/* Begins a table.  The names are copied. */
HEFT_API bool heft_answer_columns(struct heft_answer *a, const char *const *names, size_t count,
				  struct heft_err *err);
/* Adds a row: one cell for each column, which are copied. */
HEFT_API bool heft_answer_row(struct heft_answer *a, const struct heft_cell *cells,
			      struct heft_err *err);
/* Ends a table; another one may follow. */
HEFT_API bool heft_answer_table_end(struct heft_answer *a, struct heft_err *err);
/* Ends the last table, if it has no end, and all output.  HEFT_EIO where the sink takes no more. */
HEFT_API bool heft_answer_end(struct heft_answer *a, struct heft_err *err);

/* ---- budgets --------------------------------------------------------------- */

/* Limits on the sizes of a program, from a file (docs/budgets.md). */
struct heft_budget;
/* Reads the limits.  NULL on failure: HEFT_EFORMAT for a bad rule, whose text is
 * "PATH:LINE:COLUMN: what"; HEFT_EIO. */
HEFT_API struct heft_budget *heft_budget_new(struct heft_session *s, const char *path,
					     struct heft_err *err);
HEFT_API void heft_budget_free(struct heft_budget *b);

/* What became of a limit. */
enum heft_budget_state {
	HEFT_BUDGET_KEPT,
	HEFT_BUDGET_BROKEN,
	HEFT_BUDGET_SKIPPED,   /* a limit of growth, and there is no base */
	HEFT_BUDGET_UNMATCHED, /* nothing is what the rule speaks of, here or in the base */
	HEFT_BUDGET_UNKNOWN,   /* a snapshot does not tell what the rule speaks of */
};

/* A part of what a limit measured, in bytes.  Never grows. */
struct heft_budget_part {
	const char *label, *path;
	double now, base;
};

/* A limit and what was measured, in bytes.  Texts and parts hold until the next check. */
struct heft_budget_row {
	const char *rule; /* the limit as it is written */
	unsigned line;
	bool growth;
	enum heft_budget_state state;
	double now, base;    /* base: 0 without one */
	double limit;        /* that `now` or the growth must not exceed */
	const char *measure; /* of the sizes: "own", "padded", "charged" or "stack" */
	/* HEFT_BUDGET_UNMATCHED: the name that the rule may have meant, or NULL. */
	const char *nearest;
	/* Of a broken limit: the symbols that are largest, or grew most. */
	const struct heft_budget_part *parts;
	size_t part_count;
	/* "file", "vm", "section", "region", "symbol", "namespace", "source", "directory",
	 * "object", "library", "component" or "stack" */
	const char *subject;
	const char *pattern; /* what the rule names of it; "" where it names nothing */
	/* Of a stack: why it may be more than `now` ("recursion", "indirect calls", ... as in
	 * heft/stack.h); "": it is not */
	const char *besides;
	/* HEFT_BUDGET_UNKNOWN: what is not known and what tells it; else "". */
	const char *reason;
};

/* What snapshots have to know for the limits: flags of enum heft_snapshot_flag. */
HEFT_API unsigned heft_budget_flags(const struct heft_budget *b);
/* Measures `now`, and its growth from `base`, which may be NULL.  HEFT_EARG where one of them is
 * not open. */
HEFT_API bool heft_budget_check(struct heft_budget *b, const struct heft_snapshot *now,
				const struct heft_snapshot *base, struct heft_err *err);
/* The limits that the last check measured. */
HEFT_API size_t heft_budget_row_count(const struct heft_budget *b);
HEFT_API const struct heft_budget_row *heft_budget_row(const struct heft_budget *b, size_t i);

/* HEFT_TABLE (lines for people), HEFT_GITHUB (commands of GitHub's workflows: ::error file=...::),
 * HEFT_MARKDOWN, HEFT_CSV, HEFT_TSV or HEFT_JSON (docs/json.md); `opts` may be NULL. */
HEFT_API bool heft_budget_write(const struct heft_budget *b, const struct heft_write_opts *opts,
				const struct heft_sink *sink, struct heft_err *err);

/* ---- comments on changes ---------------------------------------------------- */

/* Tells how a size came to be what it was: sizes in earlier builds, the oldest first, the latest
 * `count` at most.  `subject` is "file", "vm", "section" or "region", `name` that of the section
 * or region.  Returns how many there are; 0: it is not known. */
typedef size_t (*heft_course_fn)(void *ctx, const char *subject, const char *name, double *ret,
				 size_t count);

/* What is said of a change.  Zeroed but for `size`: the default. */
struct heft_comment_opts {
	size_t size;       /* sizeof(struct heft_comment_opts) */
	const char *title; /* what was measured: the name of the program; NULL: "" */
	/* Where the whole report is, http or https; else HEFT_EARG.  NULL: nowhere. */
	const char *page_url;
	/* Nothing is written where every section changed by fewer bytes, debug sections aside, and
	 * every limit is kept.  0: there is always a text. */
	uint64_t noise;
	/* Asked for each line of sizes, which shows the course.  NULL: none is shown. */
	heft_course_fn course;
	void *course_ctx;
};

/* Writes the one comment that a pull request needs, in Markdown: the sizes with their limits, which
 * limits are broken, who it was, the rest folded up.  Its first line is a comment of HTML with the
 * title, by which a later text finds the one to replace.  The limits were checked with the two
 * sides of the diff; `b` may be NULL: there are none.  `opts` may be NULL. */
HEFT_API bool heft_comment_write(const struct heft_diff *d, const struct heft_budget *b,
				 const struct heft_comment_opts *opts, const struct heft_sink *sink,
				 struct heft_err *err);

/* ---- the quality of a snapshot -------------------------------------------- */

/* What looks wrong in a snapshot: sums that are not the section's size (`error`), and shares of
 * padding, of symbols without a name or path and the like that are out of the ordinary. */
struct heft_quality_finding {
	const char *container, *section;
	const char *text; /* one line */
	bool error;
};
struct heft_quality;
/* Judges a snapshot; one that is not open has no findings.  NULL only where there is no memory, or
 * the snapshot is broken.  The findings hold until heft_quality_free; their texts as long as the
 * snapshot. */
HEFT_API struct heft_quality *heft_quality_new(const struct heft_snapshot *s, struct heft_err *err);
HEFT_API void heft_quality_free(struct heft_quality *q);
HEFT_API size_t heft_quality_finding_count(const struct heft_quality *q);
HEFT_API const struct heft_quality_finding *heft_quality_finding(const struct heft_quality *q,
								 size_t i);

#ifdef __cplusplus
}
#endif
#endif
