/* report.h - writes rows as bytes. One function per format. All take the public table, with the
 * columns that its kind of report shows.
 *
 * Functions out_* write through a struct sink. The sink remembers the first failure. */
#ifndef HEFT_REPORT_REPORT_H
#define HEFT_REPORT_REPORT_H

#include "base/arena.h"
#include "base/json.h"
#include "base/reader.h"
#include "base/text.h"
#include "heft.h"

struct report;

/* Collects output for a sink of the user. */
struct sink {
	struct heft_sink to;
	bool failed;
	size_t used; /* Bytes of the buffer in use. */
	char buffer[8192];
};

void sink_start(struct sink *s, const struct heft_sink *to);
/* Hands over a result that is complete already. The result may be empty. */
bool sink_once(const struct heft_sink *to, const void *data, size_t size, struct heft_err *err);
void sink_text(struct sink *s, struct str text);
static inline void sink_char(struct sink *s, char c)
{
	if (s->used < sizeof s->buffer && !s->failed)
		s->buffer[s->used++] = c;
	else
		sink_text(s, (struct str){ &c, 1 });
}
/* Writes blanks before the text, so that both take at least `width` bytes. */
void sink_right(struct sink *s, struct str text, size_t width);
void sink_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes for people, as sink_printf() does. Everything is escaped as label_put() does, except a
 * line end at the end of `fmt`. */
void label_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes a number that begins with 0x, without the cost of sink_printf(). */
void sink_hex(struct sink *s, uint64_t n);
/* Returns a JSON writer that writes to the sink. */
struct json sink_json(struct sink *s);
/* Returns a JSON writer that appends to a text. */
struct json text_json(struct text *t);
/* Writes a row without labels. Its texts are the members. */
void json_record(struct json *j, const struct report *r, const struct heft_row *row);
/* Hands over the buffer. False if any write failed. */
bool sink_flush(struct sink *s);
/* Hands over the buffer at the end of a call. HEFT_EIO if any write failed. */
bool sink_end(struct sink *s, struct heft_err *err);

/* What a column shows of a row. */
enum cell {
	CELL_NOW,
	CELL_BASE,
	CELL_CHANGE, /* Change from the base. In a table that is no diff, the current value. */
	CELL_EXTRA,  /* The change. Empty if there is none. */
	CELL_GROWTH, /* The change in percent of the base. */
	CELL_SHARE,  /* Percent of the row above. */
	CELL_PART,   /* Percent of the top row. */
	CELL_TEXT,   /* A text of the row. */
	CELL_AMOUNT, /* A text of the row that is a number of bytes. */
	CELL_STATE,  /* The word for the row's change. */
};

struct column {
	const char *title;
	enum cell cell;
	unsigned index; /* Index of the measure or of the text. */
	unsigned width; /* 0 means the width of the widest text. */
	/* Number of blanks before the column. With `tinted`, the column and the following columns
	 * with gap 0 have the colour of their measure's change. */
	unsigned gap;
	bool tinted;
	/* If labels lack room, columns with larger numbers go first, 0 never. */
	unsigned spare;
	bool number; /* The text is a number. */
};

static inline bool column_is_left(const struct column *c)
{
	return (c->cell == CELL_TEXT || c->cell == CELL_STATE) && !c->number;
}

enum { COLUMNS_MAX = 32 };

struct report;
struct fields;

/* What one kind of report adds to the formats. Members may be NULL. */
struct report_kind {
	/* Writes the line of titles, instead of the usual one. */
	void (*head)(const struct report *r, struct sink *s);
	/* Write lines above and below a table. */
	void (*above)(const struct report *r, struct sink *s);
	void (*below)(const struct report *r, struct sink *s);
	/* True if the table leaves out the row with all rows below it, or only the rows below
	 * it. */
	bool (*hides)(const struct report *r, const struct heft_row *row);
	bool (*hides_children)(const struct report *r, const struct heft_row *row);
	/* Write the label in a table, instead of the row's own, and lines below it. */
	void (*label)(const struct report *r, const struct heft_row *row, struct text *out);
	void (*lines)(const struct report *r, const struct heft_row *row, size_t column,
		      struct sink *s);
	/* Writes the path of a row whose label lacks it, separated by ";" (CSV, folded stacks). */
	void (*path)(const struct report *r, const struct heft_row *row, struct text *out);
	/* Members of the document (of ctx) and of a row that is no sum. `in` is the report. */
	const struct fields *document, *row;
	/* Write Markdown above and below the table. */
	void (*markdown_head)(const struct report *r, struct sink *s);
	void (*markdown_foot)(const struct report *r, struct sink *s);
	/* Label of the last row in tables and Markdown, if it is not "TOTAL". Exact formats use the
	 * row's own label. */
	const char *total;
	bool no_total;       /* Rows of a table or Markdown have no sum. */
	bool draws_records;  /* Records are drawn all at once, see record_rows.h. */
	bool no_empty_table; /* Without rows, only the lines above the table are written. */
};

struct rows_maker;

/* A table with everything that decides how it is written. */
struct report {
	struct heft_table table;
	/* Makes the rows during the walk; only for HEFT_NDJSON. NULL if the rows exist already. */
	struct rows_maker *maker;
	struct heft_write_opts opts;
	const struct report_kind *kind;
	const void *ctx; /* Data of `kind`. */
	/* True: a row per row of the tree, levels joined by ";". False: a field per level. */
	bool joined;
	bool flame;         /* For pictures: levels are calls. */
	uint32_t stacks;    /* Bit i: labels of level i are stacks; ";" separates frames. */
	unsigned indent;    /* Blanks per level. */
	bool blanks_chains; /* In tables, an only child with its parent's numbers shows none. */
	bool nan_shares;    /* A share of nothing is "NAN%", as in Bloaty, not "-". */
	bool indents_rows;  /* The indent comes before the columns, not before the label. */
	unsigned label_gap; /* Blanks between columns and labels. */
	const struct column *columns; /* Columns of tables and Markdown. The label follows them. */
	const struct column *fields;  /* Columns of CSV. These columns follow the labels. */
	size_t column_count, field_count;
	struct column room[2][COLUMNS_MAX]; /* Memory for report_column() and report_field(). */
	/* CSV, Markdown and JSON of records may be written in pieces: goes_on if rows were written
	 * before, not_all if more will follow. */
	bool goes_on, not_all;
};

/* Rows without labels are records. Records have only texts. In JSON, records are an array of
 * objects without a document around it, and a text may be NULL. */
static inline bool has_labels(const struct report *r)
{
	return r->table.level_count > 0;
}

void report_column(struct report *r, struct column c);
void report_columns(struct report *r, const struct column *list, size_t count);
void report_fields(struct report *r, const struct column *list, size_t count);
void report_field(struct report *r, const char *title, enum cell cell, unsigned index);
/* Adds a field per measure, in a diff also one of the base ("base_" before its name). The texts
 * come before them. */
void report_all_fields(struct report *r, struct arena *arena);

/* Rounds to whole bytes. */
enum { CELL_MAX = 40 };
/* Return the text of a cell, for people and exact. The text lies in `room` or belongs to the
 * row. */
const char *cell_text(char room[CELL_MAX], const struct report *r, const struct column *c,
		      const struct heft_row *row, const struct heft_row *parent);
const char *cell_exact(char room[CELL_MAX], const struct report *r, const struct column *c,
		       const struct heft_row *row);

/* Writes the report in the format of its options. */
bool report_write(const struct report *r, struct sink *s, struct heft_err *err);

/* Writes the table for people. Each row is one line: control characters in labels are escaped. */
void out_table(const struct report *r, struct sink *s);
/* Writes one line per leaf row (with joined levels, per row), without a total. `separator` ','
 * quotes fields as in RFC 4180. '\t' writes tabs, line ends and backslashes of a field as \t \n \r
 * \\. */
void out_csv(const struct report *r, struct sink *s, char separator);
/* Writes one document. docs/json.md describes its members. */
void out_json(const struct report *r, struct sink *s);
/* Writes a page for comments on changes under review. */
void out_markdown(const struct report *r, struct sink *s);
/* Writes one line per leaf row, without a total, in the form of folded stacks. A line has the
 * labels from the first level on, separated by ";". Then come a space and the value that decides
 * the order. In a diff, the values before and now. Rows without a value are left out. */
void out_folded(const struct report *r, struct sink *s);
/* Writes a record per leaf row for stores, see HEFT_NDJSON. HEFT_EARG if the table has no labels,
 * is a difference, or has measures that are no whole numbers. */
bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err);
/* Writes a profile for pprof, gzip'ed: each leaf row is a stack with a value per measure. */
void out_pprof(const struct report *r, struct sink *s);

/* Writes a field in a line of separated values (RFC 4180 if the separator is ','). `safe` puts "'"
 * before a text that a spreadsheet would take for a formula. */
void field_put(struct sink *s, const char *field, char separator, bool safe);

/* Returns a word such as "changed" or "added". */
const char *change_word(enum heft_change change);

/* What a report about sizes adds. */
struct size_report {
	bool filtered;
	uint64_t omitted_file, omitted_vm; /* Bytes that the filter left out. */
	const struct heft_file_info *files;
	size_t file_count;
	const struct heft_note *notes;
	size_t note_count;
};
/* Sets columns, fields and kind of a report whose ctx is a struct size_report. opts must be set. */
void size_report_init(struct report *r);

/* Writes what is at an address. NULL writes what comes before the first address. Records have a
 * column per source for the owner. */
struct source_names {
	const char *const *names;
	size_t count;
};
void out_where(const struct heft_location *at, const struct heft_write_opts *opts,
	       struct source_names sources, struct sink *s);

/* Writes the names of enum heft_block_flag, with `glue` between them. */
void block_flags_put(struct sink *s, unsigned flags, const char *glue);

/* Writes a function with its basic blocks. NULL writes what comes before all functions. */
void out_blocks(const struct heft_block_function *f, const struct heft_write_opts *opts,
		struct sink *s);
/* Write a finding of a check of block maps (NULL: what comes before all), and what the check looked
 * at. */
void out_finding(const struct heft_block_finding *f, const struct heft_write_opts *opts,
		 struct sink *s);
void out_check(const struct heft_block_check *c, enum heft_format format, struct sink *s);
/* Write the first line of a function; a block, with how often it ran unless `count` is NULL. */
void out_block_head(const struct heft_block_function *f, struct sink *s);
void out_block(const struct heft_block_function *f, const struct heft_block *b,
	       const struct heft_block_count *count, struct sink *s);
/* What is shown of a function's code: a line per block, and below it the instructions. */
struct code_wish {
	bool whole; /* Writes a head, and the bytes of each instruction. */
	/* The members below have no effect if `whole` is set. */
	const struct heft_block_count *counts; /* Per block; NULL if unknown. */
	uint64_t most;                         /* Bytes of code that are shown at most. */
};
/* Writes the code of function `i`, which must exist. HEFT_EUNSUPPORTED if it cannot be
 * disassembled. */
bool out_code(struct heft_blocks *b, size_t i, const struct code_wish *w, struct sink *s,
	      struct heft_err *err);

#endif
