/* report.h - writes rows as bytes. One function per format. Each function takes the public table,
 * with the columns of its kind of report.
 *
 * Functions out_* write through a struct sink. The sink remembers the first failure. */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "base/reader.h"
#include "base/text.h"
#include "heft.h"

struct report;

/* Collects output, and passes it to the user's sink. */
struct sink {
	struct heft_sink to;
	bool failed;
	size_t used; /* Number of bytes in the buffer */
	char buffer[8192];
};

static inline void sink_start(struct sink *s, const struct heft_sink *to)
{
	s->to = *to;
	ASSERT(to->write != NULL);
	s->failed = false;
	s->used = 0;
}

/* Passes a complete result to the sink. The result may be empty. */
bool sink_once(const struct heft_sink *to, const void *data, size_t size, struct heft_err *err);
void sink_text(struct sink *s, struct str text);
static inline void sink_char(struct sink *s, char c)
{
	if (s->used < sizeof s->buffer && !s->failed)
		s->buffer[s->used++] = c;
	else
		sink_text(s, (struct str){ &c, 1 });
}
/* Writes the text right-aligned in `width` bytes. */
void sink_right(struct sink *s, struct str text, size_t width);
void sink_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes text for people like sink_printf(). Escapes everything like label_put(), except a line end
 * at the end of `fmt`. */
void label_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Writes a number with 0x. Faster than sink_printf(). */
void sink_hex(struct sink *s, uint64_t n);
struct json sink_json(struct sink *s);
/* Returns a JSON writer that appends to a text. */
struct json text_json(struct text *t);
/* Writes a row without labels. Its texts are the members. */
void json_record(struct json *j, const struct report *r, const struct heft_row *row);
/* Passes the buffer to the user's sink. False if any write failed. */
bool sink_flush(struct sink *s);
/* Passes the buffer to the user's sink at the end of a call. HEFT_EIO if any write failed. */
bool sink_end(struct sink *s, struct heft_err *err);

/* What a column shows of a row. */
enum cell {
	CELL_NOW,
	CELL_BASE,
	CELL_CHANGE, /* In a diff, the value now minus the base. Otherwise the value now */
	CELL_EXTRA,  /* The value now minus the base. Empty if both are equal */
	CELL_GROWTH, /* The growth from the base to now, in percent */
	CELL_SHARE,  /* The value in percent of the parent row's */
	CELL_PART,   /* The value in percent of the top row's */
	CELL_TEXT,   /* A text of the row */
	CELL_AMOUNT, /* A text of the row that is a number of bytes */
	CELL_STATE,  /* Word for the change of the row */
};

struct column {
	const char *title;
	enum cell cell;
	unsigned index; /* Index of the measure or of the text */
	unsigned width; /* Width in characters. 0: width of the widest text */
	/* Blanks before the column. With `tinted`, the column and following ones with gap 0 have
	 * the colour of the change. */
	unsigned gap;
	bool tinted;
	/* If labels lack room, columns with higher numbers are removed first. 0: never. */
	unsigned spare;
	bool number; /* True if the text is a number */
};

static inline bool column_is_left(const struct column *c)
{
	return (c->cell == CELL_TEXT || c->cell == CELL_STATE) && !c->number;
}

enum { COLUMNS_MAX = 32 };

struct report;
struct fields;

/* Functions and settings of one kind of report. Members may be NULL. */
struct report_kind {
	/* Writes the line of titles, replacing the usual one. */
	void (*head)(const struct report *r, struct sink *s);
	/* Write lines above and below a table. */
	void (*above)(const struct report *r, struct sink *s);
	void (*below)(const struct report *r, struct sink *s);
	/* Returns true to leave the row and all its descendants out of the table. */
	bool (*hides)(const struct report *r, const struct heft_row *row);
	/* Returns true to show the row but not its descendants. */
	bool (*hides_children)(const struct report *r, const struct heft_row *row);
	/* Write the label in a table, replacing the row's own, and lines below it. */
	void (*label)(const struct report *r, const struct heft_row *row, struct text *out);
	void (*lines)(const struct report *r, const struct heft_row *row, size_t column,
		      struct sink *s);
	/* Writes the path of a row whose label lacks it, joined by ";" (CSV, folded stacks). */
	void (*path)(const struct report *r, const struct heft_row *row, struct text *out);
	/* JSON members of the document (from ctx), and of a row that does not sum up others.
	 * field_at.in is the report. */
	const struct fields *document, *row;
	/* Write Markdown above and below the table. */
	void (*markdown_head)(const struct report *r, struct sink *s);
	void (*markdown_foot)(const struct report *r, struct sink *s);
	/* Returns the label of the last row in tables and Markdown, instead of "TOTAL". Other
	 * formats use the row's own label. */
	const char *(*total)(const struct report *r);
	bool no_total;       /* True if rows do not add up: tables and Markdown have no total, and
			      * CSV has lines of rows with children too */
	bool draws_records;  /* True if pictures join rows without labels (record_rows.h) */
	bool no_empty_table; /* True if a table without rows is only the lines above it */
};

struct rows_maker;

/* A table, and all settings for writing it. */
struct report {
	struct heft_table table;
	/* Makes the rows during the walk (HEFT_NDJSON). NULL if all rows exist. */
	struct rows_maker *maker;
	struct heft_write_opts opts;
	const struct report_kind *kind;
	const void *ctx; /* Data that the functions of `kind` use */
	/* CSV: if true, one field has all levels joined by ";". Else each has a field. */
	bool joined;
	bool flame;         /* True if pictures draw levels as calls (flame graph) */
	uint32_t stacks;    /* Bit i: labels of level i are stacks, with frames separated by ";" */
	unsigned indent;    /* Blanks per level */
	bool blanks_chains; /* True if tables leave an only child with its parent's numbers blank */
	bool nan_shares;    /* True if a share of 0 is "NAN%", as in Bloaty, instead of "-" */
	bool indents_rows;  /* True to indent before the columns instead of before the label */
	unsigned label_gap; /* Blanks between columns and labels */
	const struct column *columns; /* Columns of tables and Markdown, before the label */
	const struct column *fields;  /* Columns of CSV, after the labels */
	size_t column_count, field_count;
	struct column room[2][COLUMNS_MAX]; /* Memory for report_column() and report_field() */
	/* CSV, Markdown and JSON of records may be written in pieces. goes_on: not the first piece.
	 * not_all: not the last piece. */
	bool goes_on, not_all;
};

/* False for records: rows that have only texts. In JSON, records are a plain array of objects, and
 * a text may be NULL. */
static inline bool has_labels(const struct report *r)
{
	return r->table.level_count > 0;
}

void report_column(struct report *r, struct column c);
void report_columns(struct report *r, const struct column *list, size_t count);
void report_fields(struct report *r, const struct column *list, size_t count);
void report_field(struct report *r, const char *title, enum cell cell, unsigned index);
/* Adds a field per text of the rows, then one per measure. In a diff, then adds a field "base_NAME"
 * per measure for its value in the base. */
void report_all_fields(struct report *r, struct arena *arena);

/* Room in bytes for the text of a number, which is rounded to whole bytes. */
enum { CELL_MAX = 40 };
/* True if a row has a value of a measure. Rows that sum up others have none if the rows of the
 * measure do not add up. */
bool cells_has_value(const struct heft_table *t, const struct heft_row *row, unsigned measure);
/* Return the text of a cell: the first for people, the second as exact as possible. The text lies
 * in `room` or belongs to the row. */
const char *cell_text(char room[CELL_MAX], const struct report *r, const struct column *c,
		      const struct heft_row *row, const struct heft_row *parent);
const char *cell_exact(char room[CELL_MAX], const struct report *r, const struct column *c,
		       const struct heft_row *row);

/* True for the formats of lists: HEFT_TABLE to HEFT_MARKDOWN, and `also`. HEFT_EARG otherwise. */
bool list_has_format(enum heft_format format, enum heft_format also, struct heft_err *err);
/* Writes the report in the format of its options. */
bool report_write(const struct report *r, struct sink *s, struct heft_err *err);

/* Writes the table for people. Each row is one line: control characters in labels are escaped. */
void out_table(const struct report *r, struct sink *s);
/* Writes one line per leaf row (with `joined` or `no_total`, per row), without a total. `separator`
 * ',' quotes fields as in RFC 4180. '\t' writes tabs, line ends and backslashes of a field as \t \n
 * \r \\. */
void out_csv(const struct report *r, struct sink *s, char separator);
/* Writes one document. docs/json.md describes its members. */
void out_json(const struct report *r, struct sink *s);
/* Writes a page of Markdown for comments on changes under review. */
void out_markdown(const struct report *r, struct sink *s);
/* Writes one line per leaf row, without a total, in the form of folded stacks. A line has the
 * labels from the first level on, joined by ";", a space, and the sort measure's value. A diff has
 * the values before and now. Skips rows without a value. */
void out_folded(const struct report *r, struct sink *s);
/* Writes a JSON object per leaf row, for databases: see HEFT_NDJSON. HEFT_EARG if the table has no
 * labels, is a diff, or has measures with fractions. */
bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err);
/* Writes a profile for pprof, gzip'ed: each leaf row is a stack with a value per measure. */
void out_pprof(const struct report *r, struct sink *s);

/* Writes a field in a line of separated values (RFC 4180 if the separator is ','). `safe`: puts "'"
 * before a text that a spreadsheet would run as a formula. */
void field_put(struct sink *s, const char *field, char separator, bool safe);

/* Words such as "changed" and "added". */
extern const char *const change_words[HEFT_CHANGES];
const char *change_word(enum heft_change change);

/* Data of a report about sizes: the report's ctx. */
struct size_report {
	bool filtered;
	uint64_t omitted_file, omitted_vm; /* Bytes that the filter excluded */
	const struct heft_file_info *files;
	size_t file_count;
	const struct heft_note *notes;
	size_t note_count;
};
/* Sets columns, fields and kind of a report whose ctx is a struct size_report. opts must be set. */
void size_report_init(struct report *r);

/* Write tables of facts about files (measure/info_rows.h), of stacks (stack/stack_rows.h) and of
 * advice (measure/advice_rows.h), and flush `s`. */
bool info_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
		       struct sink *s, struct heft_err *err);
bool stack_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			struct sink *s, struct heft_err *err);
bool advice_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
			 struct sink *s, struct heft_err *err);

/* Writes what is at an address. NULL: writes the lines before the first address. A record has, for
 * each kind of owner (a name of `sources`), a column with the owner. */
struct source_names {
	const char *const *names;
	size_t count;
};
void out_where(const struct heft_location *at, const struct heft_write_opts *opts,
	       struct source_names sources, struct sink *s);

/* Writes why a symbol is in a program. NULL: writes the lines before the first symbol. */
void out_why(const struct heft_why *why, const struct heft_write_opts *opts, struct sink *s);
/* Writes a reference as a line. NULL: writes the lines before the first one. */
void out_reference(const struct heft_reference *r, const struct heft_write_opts *opts,
		   struct sink *s);

/* Writes the names of enum heft_block_flag, with `glue` between them. */
void block_flags_put(struct sink *s, unsigned flags, const char *glue);

/* Writes a function with its basic blocks. If `f` is NULL, writes the lines before all
 * functions. */
void out_blocks(const struct heft_block_function *f, const struct heft_write_opts *opts,
		struct sink *s);
/* Write an error that a check of block maps found (NULL: the lines before all errors), and a
 * summary of the check. */
void out_finding(const struct heft_block_finding *f, const struct heft_write_opts *opts,
		 struct sink *s);
void out_check(const struct heft_block_check *c, enum heft_format format, struct sink *s);
void out_block_head(const struct heft_block_function *f, struct sink *s);
void out_block(const struct heft_block_function *f, const struct heft_block *b,
	       const struct heft_block_count *count, struct sink *s);
/* What to show of a function's code: a line per block, with the instructions below it. */
struct code_wish {
	bool whole; /* True to write a header, and the bytes of each instruction */
	/* The members below are ignored if `whole` is set. `counts`: per block, NULL if unknown. */
	const struct heft_block_count *counts;
	uint64_t most; /* Greatest number of bytes of code to show */
};
/* Writes the code of function `i`, which must exist. HEFT_EUNSUPPORTED if it cannot be
 * disassembled. */
bool out_code(struct heft_blocks *b, size_t i, const struct code_wish *w, struct sink *s,
	      struct heft_err *err);
