/* table.h - part of heft.h: the tables that reports return, and their output formats. */
#ifndef HEFT_H
#include "heft.h" /* heft.h includes this file. */
#elif !defined(HEFT_PART_TABLE_H)
#define HEFT_PART_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows of a table ------------------------------------------------------ */

/* Unit of a measure. */
enum heft_unit {
	HEFT_BYTES,
	HEFT_COUNT,
	/* Bytes with fractions: if bytes have n names, each name counts 1/n of them. heft_row.now
	 * has the rounded number, heft_row.now_exact the exact one. */
	HEFT_PARTS,
};

/* Role of a file in a profile, and side of a table. */
enum heft_role {
	HEFT_INPUT, /* File to measure; side "now" of a table. */
	HEFT_BASE,  /* File to compare the inputs with. One base makes a profile a diff. */
};

/* A measure: a number that every row of a table has. This struct never grows. */
struct heft_measure {
	const char *name;  /* Name in CSV and JSON: "file", "live_bytes". */
	const char *title; /* Column title in a table: "live". */
	enum heft_unit unit;
	/* True if several rows count the same things, so that the rows do not add up. Rows that sum
	 * up others have no value. The top row has no value if its number is 0. */
	bool shared;
	/* True if it counts events between base and now. heft_row.base then has no value. */
	bool of_change;
	const char *what; /* Description for people. NULL if the name suffices. */
};

/* A text that every row of a table has. This struct never grows. */
struct heft_text {
	const char *name; /* Name in CSV and JSON: "path", "line". */
	bool number;      /* The text is a decimal number, or "". */
	const char *what; /* Description for people. NULL if the name suffices. */
};

/* Change between the base and now. */
enum heft_change {
	HEFT_UNCHANGED,
	HEFT_CHANGED, /* Changed in size, or in the number of names that share the bytes. */
	HEFT_ADDED,
	HEFT_REMOVED,
	HEFT_MOVED,   /* Moved to another path. */
	HEFT_RENAMED, /* Renamed, and perhaps also moved. */
	HEFT_CHANGES,
};

/* What a row stands for. */
enum heft_row_kind {
	HEFT_ROW_NAME,     /* Named by the level: a symbol, a source, a call stack. */
	HEFT_ROW_SECTION,  /* Bytes of a section without an owner: "[section .dynamic]". */
	HEFT_ROW_HEADER,   /* Headers of the file format: "[ELF Section Headers]". */
	HEFT_ROW_FALLBACK, /* Other bytes without an owner: "[Unmapped]", padding. */
	HEFT_ROW_LITERAL,  /* Text of a string without a name. */
	HEFT_ROW_SUM,      /* Sum of other rows: the top row, "[12 Others]". */
};

/* A row. The library returns rows only by pointer. Rows, their labels and arrays belong to the
 * object that returned the table. The numbers of the children add up to those of the row, except
 * that a diff omits unchanged rows. */
struct heft_row {
	const char *label; /* Label. NUL-terminated; may contain any other byte. */
	/* Numbers, indexed by measure of the table. Numbers of HEFT_PARTS are rounded; they are 0
	 * if the row has no number or a negative one. */
	const uint64_t *now;
	const uint64_t *base; /* Numbers of the base, by measure. All 0 without a base. */
	/* Exact numbers of the measures with unit HEFT_PARTS, indexed by measure. NaN if the row
	 * has none. NULL if the table has no such measure. heft_row_number() returns them. */
	const double *now_exact;
	const double *base_exact;
	const struct heft_row *const *children; /* Rows below it, sorted, cut to the limit. */
	size_t child_count;
	uint64_t others;          /* Number of rows over the limit that this row sums up. 0 for
				   * an ordinary row. */
	const char *const *texts; /* Texts, indexed by text of the table. NULL if all are ""; a
				   * single text is never NULL. */
	/* Other names of the same bytes, each once, in bytewise order. Only if requested. */
	const char *const *aliases;
	size_t alias_count;
	enum heft_change change; /* Change of the row. Only in tables with `has_changes`. */
	enum heft_row_kind kind;
};

/* The result of a report. */
struct heft_table {
	size_t size;               /* sizeof(struct heft_table) of the library. */
	const char *const *levels; /* Kind of the rows per level: "sections", "symbols". */
	size_t level_count;        /* Number of levels. If a tree is deeper, the last level
				    * stands for all further ones. */
	const struct heft_measure *measures;
	size_t measure_count;
	const struct heft_text *texts;
	size_t text_count;
	size_t sorted_by;           /* Index of the first measure that sorts the rows. */
	bool diff;                  /* True if the table is a diff: heft_row.base is valid. */
	bool has_changes;           /* True if heft_row.change is valid. */
	const struct heft_row *top; /* Top row, with the label "TOTAL". */
};

/* Returns a number of a row, with its fraction if its unit is HEFT_PARTS. `role` selects the side:
 * HEFT_INPUT for now, HEFT_BASE for the base. NaN if the row or the table has no such number.
 * Numbers above 2^53 are rounded. */
HEFT_API double heft_row_number(const struct heft_table *t, const struct heft_row *row,
				size_t measure, enum heft_role role);
/* Returns the index of the measure with this name. SIZE_MAX if the table has none. */
HEFT_API size_t heft_table_measure(const struct heft_table *t, const char *name);

/* Order of the rows of a level. Rows with equal numbers are sorted by label, bytewise. */
enum heft_sort {
	HEFT_SORT_AUTO,   /* Largest first; in a diff, largest change first. */
	HEFT_SORT_SIZE,   /* Largest first. */
	HEFT_SORT_BASE,   /* Largest in the base first. */
	HEFT_SORT_DELTA,  /* Largest change first, growth or shrinkage. */
	HEFT_SORT_GROWTH, /* Growth first, shrinkage last. */
	HEFT_SORT_NAME,   /* By label. */
	HEFT_SORT_NONE,   /* Unsorted. Rows by size and age: smallest class first. */
};

/* ---- frames of a call stack ----------------------------------------------- */

/* A function at a place in code, from a look-up or a call stack. Unknown numbers are 0, unknown
 * texts "". */
struct heft_frame {
	const char *function; /* Name in the style that was set. */
	const char *linkage;  /* Linkage name. */
	const char *file;     /* Source file: absolute path, without "." and "..". */
	uint32_t line, column;
	/* In a process: path of the program or library that is mapped there. "" otherwise. */
	const char *module;
	uint64_t addr; /* Address in the module, as in its headers. For a call, an address inside
		        * of the call instruction. */
	bool inlined;  /* Inlined into the next frame. */
};

/* ---- output formats of tables --------------------------------------------- */

/* Format of a table. A call that does not support a format fails with HEFT_EARG. */
enum heft_format {
	HEFT_TABLE, /* Readable lines with columns. */
	HEFT_CSV,
	HEFT_TSV,
	HEFT_JSON, /* Described in docs/json.md. */
	HEFT_MARKDOWN,
	HEFT_FOLDED, /* Stacks for flame graphs: "label;label VALUE"; in a diff "... BEFORE NOW". */
	HEFT_PPROF,  /* gzip'ed profile.proto. Not for diffs. */
	HEFT_GITHUB, /* Commands of GitHub's workflows. Only for budgets. */
	/* Input of other tools. Only for samples (heft/blocks.h). */
	HEFT_PROPELLER,    /* For clang -fbasic-block-sections=list=FILE, version 17 and later. */
	HEFT_SYMBOL_ORDER, /* For ld.lld --symbol-ordering-file. Use it together with
			    * HEFT_PROPELLER. */
	HEFT_AUTOFDO,      /* For create_gcov --profiler=text. */
	/* A picture: a treemap of the sort measure, or of the changes in a diff. For heaps by
	 * calls, a flame graph. For HEFT_HEAP_TIMELINE, a chart. */
	HEFT_SVG,
	/* Only for addresses: two lines per frame, function and file:line:column, then an empty
	 * line, like llvm-symbolizer. */
	HEFT_TERSE,
	/* Only for sizes: a JSON object on a line per row without children, for databases. It has
	 * the members that heft_write_opts.constants names, the array "labels" and the measures.
	 * The sink receives only whole lines. */
	HEFT_NDJSON,
};

/* Writes the tables of docs/json.md in Markdown. Each object of HEFT_JSON has a line with its name,
 * and a table of its members. */
HEFT_API bool heft_fields_write(const struct heft_sink *sink, struct heft_err *err);

/* A column with the same text in all rows. This struct never grows. */
struct heft_constant {
	const char *name, *value;
};

/* Sizes of a profile to count: file, VM image, or both. */
enum heft_domain { HEFT_FILE = 1, HEFT_VM = 2, HEFT_BOTH = 3 };

/* Output options of a report. Set `size` and zero the rest for defaults. All reports take this
 * struct and ignore the members of other reports. */
struct heft_write_opts {
	size_t size;             /* Set to sizeof(struct heft_write_opts). */
	enum heft_format format; /* Format. Default: HEFT_TABLE. */
	/* For all reports as HEFT_TABLE: */
	unsigned width; /* Maximal width of lines, to which labels are cut. 0 = no limit. */
	bool color;     /* Use ANSI colours. */
	/* For all reports as HEFT_CSV and HEFT_TSV: */
	bool csv_safe; /* Write "'" before text that a spreadsheet would read as a formula. */
	/* For heft_profile_write(): */
	enum heft_domain domain; /* Columns of the table. 0 = both. */
	bool old_new;            /* Show old and new sizes of a diff beside the change. */
	bool bloaty;       /* Bloaty's forms: growth above 1000 % as "+43e2%", TSV unquoted. */
	bool base_columns; /* Write original and current sizes in CSV of a diff. */
	/* For heft_heap_report_write(): */
	uint32_t frames; /* Limit of frames per stack in the table. 0 for all. */
	bool full;       /* Write full paths instead of file names. heft_info_write() and
			  * heft_stack_write(): all facts instead of one line. */
	bool no_summary; /* Omit the summary of the process above the table. */
	bool live_only;  /* Write live memory instead of allocations in HEFT_PPROF. */
	/* For HEFT_NDJSON: constant columns before the others. Borrowed during the call. */
	const struct heft_constant *constants;
	size_t constant_count;
};

#ifdef __cplusplus
}
#endif
#endif
