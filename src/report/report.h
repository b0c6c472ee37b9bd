/* report.h - rows to bytes.  One function a format; all take the public table, with the columns
 * that its kind of report shows.
 *
 * out_* write through a struct sink, which remembers the first failure. */
#ifndef HEFT_REPORT_REPORT_H
#define HEFT_REPORT_REPORT_H

#include "base/arena.h"
#include "base/json.h"
#include "base/reader.h"
#include "base/text.h"
#include "heft.h"

struct report;

/* Collects what is written for a sink of the user's. */
struct sink {
	struct heft_sink to;
	bool failed;
	size_t used; /* bytes of buffer */
	char buffer[8192];
};

void sink_start(struct sink *s, const struct heft_sink *to);
/* Hands over a result that is whole already; empty is fine. */
bool sink_once(const struct heft_sink *to, const void *data, size_t size, struct heft_err *err);
void sink_text(struct sink *s, struct str text);
static inline void sink_char(struct sink *s, char c)
{
	if (s->used < sizeof s->buffer && !s->failed)
		s->buffer[s->used++] = c;
	else
		sink_text(s, (struct str){ &c, 1 });
}
/* Blanks in front of the text, so that both take `width` bytes at least. */
void sink_right(struct sink *s, struct str text, size_t width);
void sink_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same for people: all but a line end at the end of `fmt` is escaped as label_put does. */
void label_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Numbers, without the cost of sink_printf; hexadecimal ones with 0x in front. */
void sink_decimal(struct sink *s, uint64_t n);
void sink_hex(struct sink *s, uint64_t n);
/* JSON that goes to the sink. */
struct json sink_json(struct sink *s);
/* The same to a text. */
struct json text_json(struct text *t);
/* A row without labels: its texts are the members. */
void json_record(struct json *j, const struct report *r, const struct heft_row *row);
/* Hands over what is buffered; false if any write failed. */
bool sink_flush(struct sink *s);
/* The same at the end of a call: HEFT_EIO if any write failed. */
bool sink_end(struct sink *s, struct heft_err *err);

/* ---- tables ---------------------------------------------------------------------------------- */

/* What a column shows of a row. */
enum cell {
	CELL_NOW,
	CELL_BASE,
	CELL_CHANGE, /* from the base; of a table that is no diff, what is now */
	CELL_EXTRA,  /* the change; nothing where there is none */
	CELL_GROWTH, /* the change in percent of the base */
	CELL_SHARE,  /* of the row above, in percent */
	CELL_PART,   /* of the top row, in percent */
	CELL_TEXT,   /* of the row's texts */
	CELL_AMOUNT, /* that is a number of bytes */
	CELL_STATE,  /* the word for its change */
};

struct column {
	const char *title;
	enum cell cell;
	unsigned index; /* of the measure, or of the text */
	unsigned width; /* 0: that of the widest text */
	/* Blanks in front.  Where `tinted` is set, the column and those behind it with a gap of 0
	 * get the colour of their measure's change. */
	unsigned gap;
	bool tinted;
	/* columns with a larger number go first where the labels have no room; 0: never */
	unsigned spare;
	bool number; /* a text that is a number */
};

static inline bool column_is_left(const struct column *c)
{
	return (c->cell == CELL_TEXT || c->cell == CELL_STATE) && !c->number;
}

enum { COLUMNS_MAX = 32 };

struct report;
struct fields;

/* What one kind of report adds to the formats; members may be NULL. */
struct report_kind {
	/* In place of the line of titles. */
	void (*head)(const struct report *r, struct sink *s);
	/* Above a table; and below it. */
	void (*above)(const struct report *r, struct sink *s);
	void (*below)(const struct report *r, struct sink *s);
	/* Whether the table leaves the row out, with all below it; or only what is below it. */
	bool (*hides)(const struct report *r, const struct heft_row *row);
	bool (*hides_children)(const struct report *r, const struct heft_row *row);
	/* The label of a table, in place of the row's; and lines below it. */
	void (*label)(const struct report *r, const struct heft_row *row, struct text *out);
	void (*lines)(const struct report *r, const struct heft_row *row, size_t column,
		      struct sink *s);
	/* The path of a row whose label does not say it, with ";" between (CSV, folded stacks). */
	void (*path)(const struct report *r, const struct heft_row *row, struct text *out);
	/* Members of the document, of the ctx, and of a row that is no sum; both are in the
	 * report. */
	const struct fields *document, *row;
	/* In Markdown above and below the table. */
	void (*markdown_head)(const struct report *r, struct sink *s);
	void (*markdown_foot)(const struct report *r, struct sink *s);
	/* The last row of tables and Markdown, where "TOTAL" is something else; exact formats
	 * have the label of the row. */
	const char *total;
	bool no_total;       /* the rows of a table or Markdown have no sum */
	bool draws_records;  /* all at once, as record_rows.h says */
	bool no_empty_table; /* nothing but what stands above it where there are no rows */
};

struct rows_maker;

/* A table on its way to be text. */
struct report {
	struct heft_table table;
	/* Makes the rows as they are walked, which HEFT_NDJSON alone does; NULL:
	 * they are there. */
	struct rows_maker *maker;
	struct heft_write_opts opts;
	const struct report_kind *kind;
	const void *ctx; /* of kind */
	/* Rows in fields of their own up to the level_count-th level; false: levels are joined by
	 * ";". */
	bool joined;
	bool flame;         /* pictures: levels are calls */
	uint32_t stacks;    /* bit i: labels of level i are stacks, frames with ";" between */
	unsigned indent;    /* blanks a level */
	bool blanks_chains; /* in tables an only child with the numbers of its parent has none */
	bool nan_shares;    /* a share of nothing is "NAN%", as the reference has it, not "-" */
	bool indents_rows;  /* they stand in front of the columns, not of the label */
	unsigned label_gap; /* blanks between columns and labels */
	const struct column *columns; /* of tables and Markdown, the label is behind them */
	const struct column *fields;  /* of CSV, behind the labels */
	size_t column_count, field_count;
	struct column room[2][COLUMNS_MAX]; /* for report_column and report_field */
	/* CSV, Markdown and JSON of records may come in pieces: there were rows before, and there
	 * will be more. */
	bool goes_on, not_all;
};

/* Rows without labels are records, whose texts are all they have.  JSON has them as an array of
 * objects, in which a text may be NULL; there is no document around it. */
static inline bool has_labels(const struct report *r)
{
	return r->table.level_count > 0;
}

void report_column(struct report *r, struct column c);
void report_columns(struct report *r, const struct column *list, size_t count);
void report_fields(struct report *r, const struct column *list, size_t count);
void report_field(struct report *r, const char *title, enum cell cell, unsigned index);
/* One field a measure, in a diff one more of the base, "base_" in front; the texts before them. */
void report_all_fields(struct report *r, struct arena *arena);

/* The nearest whole number of bytes. */
uint64_t whole_value(enum heft_unit unit, union heft_value v);
enum { CELL_MAX = 40 };
/* The text of a cell: people's; exact.  It may be in `room` or belong to the row. */
const char *cell_text(char room[CELL_MAX], const struct report *r, const struct column *c,
		      const struct heft_row *row, const struct heft_row *parent);
const char *cell_exact(char room[CELL_MAX], const struct report *r, const struct column *c,
		       const struct heft_row *row);

/* Writes the report in the format of its options. */
bool report_write(const struct report *r, struct sink *s, struct heft_err *err);

/* The table people read.  Each row is one line: control characters in labels are shown as
 * escapes. */
void out_table(const struct report *r, struct sink *s);
/* One line a leaf row (of joined levels, one a row), no total.  `separator` ',' quotes fields as
 * RFC 4180 does; '\t' writes tabs, line ends and backslashes of a field as \t \n \r \\. */
void out_csv(const struct report *r, struct sink *s, char separator);
/* One document; docs/json.md says what its members mean. */
void out_json(const struct report *r, struct sink *s);
/* A page for comments on changes under review. */
void out_markdown(const struct report *r, struct sink *s);
/* One line a leaf row, no total, as flame graph tools read stacks: the labels from the first level
 * down with ";" between, a space, the value that decides the order; in a diff the values before and
 * now.  Rows without a value are left out. */
void out_folded(const struct report *r, struct sink *s);
/* A row a leaf for stores, as HEFT_NDJSON has it.  HEFT_EARG where the table
 * has no labels, is a difference, or has measures that are no whole numbers. */
bool out_store_rows(const struct report *r, struct sink *s, struct heft_err *err);
/* A profile for pprof, gzip'ed: each leaf row a stack, a value a measure. */
void out_pprof(const struct report *r, struct sink *s);

/* A field in a line of separated values (RFC 4180 where the separator is ','); `safe` marks what a
 * spreadsheet would take for a formula with a "'" in front. */
void field_put(struct sink *s, const char *field, char separator, bool safe);

/* A frame of a folded stack: what the format gives a meaning becomes something like it.  Labels of
 * stacks are several frames with ";" between, as the format has it. */
void folded_put(struct sink *s, const char *label, bool stack);

/* "changed", "added" ... */
const char *change_word(enum heft_change change);

/* What a report about sizes adds. */
struct size_report {
	bool filtered;
	uint64_t omitted_file, omitted_vm; /* bytes that the filter left out */
	const struct heft_file_info *files;
	size_t file_count;
	const struct heft_note *notes;
	size_t note_count;
};
/* Sets columns, fields and kind of a report whose ctx is a struct size_report; opts are set. */
void size_report_init(struct report *r);

/* What is at an address; NULL: what stands above all of them.  Records have a column for the owner
 * by each of the sources. */
struct source_names {
	const char *const *names;
	size_t count;
};
void out_where(const struct heft_location *at, const struct heft_write_opts *opts,
	       struct source_names sources, struct sink *s);

struct json;

/* Names of enum heft_block_flag, `glue` between them. */
void block_flags_put(struct sink *s, unsigned flags, const char *glue);

/* A function with its basic blocks; NULL: what stands above all of them. */
void out_blocks(const struct heft_block_function *f, const struct heft_write_opts *opts,
		struct sink *s);
/* A finding of a check of block maps, likewise; and what the check looked at. */
void out_finding(const struct heft_block_finding *f, const struct heft_write_opts *opts,
		 struct sink *s);
void out_check(const struct heft_block_check *c, enum heft_format format, struct sink *s);
/* Its first line; a block, with how often it ran where `count` is not NULL; an instruction,
 * indented, with the name of where it goes or NULL.  It has no column of bytes where those are
 * empty. */
void out_block_head(const struct heft_block_function *f, struct sink *s);
void out_block(const struct heft_block_function *f, const struct heft_block *b,
	       const struct heft_block_count *count, struct sink *s);
void out_insn(uint64_t addr, struct bytes bytes, const char *name, const char *operands,
	      const char *target, struct sink *s);

#endif
