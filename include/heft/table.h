/* table.h - part of heft.h: the table that every report is, and the formats that write it. */
#ifndef HEFT_H
#include "heft.h" /* which includes this file in its turn */
#elif !defined(HEFT_PART_TABLE_H)
#define HEFT_PART_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows ------------------------------------------------------------------ */

/* What a measure counts in. */
enum heft_unit {
	HEFT_BYTES, /* heft_value.whole */
	HEFT_COUNT, /* heft_value.whole */
	/* heft_value.parts: bytes, those of n names for one thing count 1/n for each; NaN: the row
	 * has none */
	HEFT_PARTS,
};

/* A number of a row; the unit of its measure says which member holds it. */
union heft_value {
	uint64_t whole;
	double parts;
};

/* One of the numbers that every row of a table has.  Never grows. */
struct heft_measure {
	const char *name;  /* in CSV and JSON: "file", "live_bytes" */
	const char *title; /* above the column of a table: "live" */
	enum heft_unit unit;
	/* The rows share what they count.  They do not add up, and neither the top row nor a row
	 * that sums up others has a value. */
	bool shared;
	/* counts what happened from the base to now; heft_row.base has no such value */
	bool of_change;
	const char *what; /* what it counts, for people; NULL: its name says it */
};

/* One of the texts that every row of a table has.  Never grows. */
struct heft_text {
	const char *name; /* in CSV and JSON: "path", "line" */
	bool number;      /* the text is a number in decimal, or "" */
	const char *what; /* what it says, for people; NULL: its name says it */
};

/* What became of a thing from the base to now. */
enum heft_change {
	HEFT_UNCHANGED,
	HEFT_CHANGED, /* in size, or in how many names share its bytes */
	HEFT_ADDED,
	HEFT_REMOVED,
	HEFT_MOVED,   /* to another path */
	HEFT_RENAMED, /* and perhaps moved */
	HEFT_CHANGES,
};

/* What a row stands for. */
enum heft_row_kind {
	HEFT_ROW_NAME,     /* what the level says: a symbol, a source, a section, a call stack */
	HEFT_ROW_SECTION,  /* bytes of a section that have no owner: "[section .dynamic]" */
	HEFT_ROW_HEADER,   /* headers of the file format: "[ELF Section Headers]" */
	HEFT_ROW_FALLBACK, /* other bytes without an owner: "[Unmapped]", padding */
	HEFT_ROW_LITERAL,  /* the text of a string that has no name */
	HEFT_ROW_SUM,      /* sums up others: the top, "[12 Others]" */
};

/* One row.  Rows are only ever handed out by pointer; they, their labels and arrays belong to what
 * the table was asked from.  The numbers of the children of a row add up to its own, except that a
 * diff leaves out what did not change. */
struct heft_row {
	const char *label;            /* NUL-terminated; may hold any other byte */
	const union heft_value *now;  /* by measure of the table */
	const union heft_value *base; /* the same of the base; all 0 where the table is no diff */
	const struct heft_row *const *children; /* sorted, cut to the row limit */
	size_t child_count;
	uint64_t others; /* the row sums up so many rows over the limit; 0: it is one itself */
	const char *const *texts; /* by text of the table, never NULL inside; NULL: all are "" */
	/* Other names of the same bytes, each once, in bytewise order; empty unless asked for. */
	const char *const *aliases;
	size_t alias_count;
	enum heft_change change; /* only tables with `has_changes` */
	uint32_t ref;            /* what a report remembers of the row */
	enum heft_row_kind kind;
};

/* What a report found. */
struct heft_table {
	size_t size;               /* sizeof(struct heft_table) of the library */
	const char *const *levels; /* what the rows of each level are: "sections", "symbols" */
	size_t level_count;        /* a tree may be deeper: then the last counts for all below it */
	const struct heft_measure *measures;
	size_t measure_count;
	const struct heft_text *texts;
	size_t text_count;
	size_t sorted_by;           /* the first measure that decides the order of the rows */
	bool diff;                  /* heft_row.base counts */
	bool has_changes;           /* heft_row.change counts */
	const struct heft_row *top; /* labelled "TOTAL" */
};

/* A value as a number, whichever member of the union holds it: by the unit of measure `measure`,
 * which the table has.  NaN where it or the row has none.  Above 2^53 it is rounded. */
HEFT_API double heft_table_value(const struct heft_table *t, size_t measure, union heft_value v);
/* The number of the measure with this name; SIZE_MAX where the table has none. */
HEFT_API size_t heft_table_measure(const struct heft_table *t, const char *name);

/* How the rows of a level are ordered; ties by label, bytewise. */
enum heft_sort {
	HEFT_SORT_AUTO,   /* as the command heft does: by size, in a diff by the change */
	HEFT_SORT_SIZE,   /* larger first */
	HEFT_SORT_BASE,   /* what was larger first */
	HEFT_SORT_DELTA,  /* larger changes first, whether growth or shrinkage */
	HEFT_SORT_GROWTH, /* growth first, shrinkage last */
	HEFT_SORT_NAME,   /* by label */
	HEFT_SORT_NONE,   /* classes of sizes and ages: by rising class */
};

/* ---- frames ----------------------------------------------------------------- */

/* A function around a place in code: of a look-up, of a call stack.  Numbers are 0 where nothing is
 * known, texts "". */
struct heft_frame {
	const char *function; /* in the style set */
	const char *linkage;  /* as the linker sees it */
	const char *file;     /* of the source: absolute, without "." and ".." */
	uint32_t line, column;
	/* Of a process: the path of the program or library that is mapped there; else "". */
	const char *module;
	uint64_t addr; /* as the headers of that count; of a call, an address inside of it */
	bool inlined;  /* into the frame after it */
};

/* ---- formats ---------------------------------------------------------------- */

/* What a table is written as.  A call that has no such format fails with HEFT_EARG. */
enum heft_format {
	HEFT_TABLE, /* for people */
	HEFT_CSV,
	HEFT_TSV,
	HEFT_JSON, /* docs/json.md */
	HEFT_MARKDOWN,
	HEFT_FOLDED, /* stacks for flame graphs: "label;label VALUE", in a diff "... BEFORE NOW" */
	HEFT_PPROF,  /* gzip'ed profile.proto; no diffs */
	HEFT_GITHUB, /* commands of GitHub's workflows; budgets alone */
	/* Profiles of basic blocks alone: */
	HEFT_PROPELLER,    /* for clang -fbasic-block-sections=list=FILE, version 17 and later */
	HEFT_SYMBOL_ORDER, /* for ld.lld --symbol-ordering-file, together with it */
	HEFT_AUTOFDO,      /* for create_gcov --profiler=text */
	/* A picture for documents: a treemap of the measure that decides the order, in a diff of
	 * what changed; of heaps by calls a flame graph; of HEFT_HEAP_TIMELINE a chart. */
	HEFT_SVG,
	/* Addresses alone: two lines a frame, function and file:line:column, then an empty line, as
	 * llvm-symbolizer writes by default. */
	HEFT_TERSE,
	/* Rows for stores, sizes alone: one a leaf, with the constants of heft_write_opts in
	 * front, the array "labels" and the measures.  Each piece that the sink is given ends with
	 * the end of a row. */
	HEFT_NDJSON, /* an object a line */
};

/* Writes the tables of docs/json.md: for each object of HEFT_JSON a line that names it, and its
 * members in Markdown. */
HEFT_API bool heft_fields_write(const struct heft_sink *sink, struct heft_err *err);

/* A column that has one text in all rows.  Never grows. */
struct heft_constant {
	const char *name, *value;
};

/* Which sizes of a profile count: of the file, of the VM image. */
enum heft_domain { HEFT_FILE = 1, HEFT_VM = 2, HEFT_BOTH = 3 };

/* How a table is written.  Zeroed but for `size`: the default. */
struct heft_write_opts {
	size_t size;             /* sizeof(struct heft_write_opts) */
	enum heft_format format; /* default HEFT_TABLE */
	unsigned width;          /* tables: labels are cut so that lines fit; 0 = never */
	bool color;              /* tables: ANSI colours */
	bool csv_safe; /* CSV, TSV: what a spreadsheet would take for a formula begins with "'" */
	enum heft_domain domain; /* sizes: columns of the table; 0 = both */
	bool old_new;            /* sizes: a diff shows old and new sizes beside the change */
	bool bloaty;             /* sizes: growth above 1000 % as Bloaty writes it, "+43e2%" */
	bool base_columns;       /* sizes: csv of a diff has original and current sizes */
	uint32_t frames;         /* heaps: the table shows so many of a stack; 0: all */
	bool full; /* heaps: paths, not file names alone; facts: all of a file, not its line */
	bool no_summary; /* heaps: nothing of the process above the table */
	bool live_only;  /* heaps: HEFT_PPROF has what is in use, not what was allocated */
	/* Rows for stores: so many columns in front.  Borrowed for the call. */
	const struct heft_constant *constants;
	size_t constant_count;
};

#ifdef __cplusplus
}
#endif
#endif
