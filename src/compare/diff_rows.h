/* diff_rows.h - makes the rows of a diff: adds up its pairs by a text of their symbols.
 *
 * The bytes before count for the row that the symbol was in before. So the changes of all rows add
 * up to the change of the total. Without filters, they add up to the change of the snapshots, to
 * the byte. If rows are by symbol, the total includes what did not change. O(symbols), plus sorting
 * the rows. One thread. */
#ifndef HEFT_COMPARE_DIFF_ROWS_H
#define HEFT_COMPARE_DIFF_ROWS_H

#include "map/rows.h"
#include "compare/diff.h"

/* DIFF_COUNTS: index of the first count of changes among the measures, in the order of enum
 * heft_change. DIFF_MEASURES: number of all measures. */
enum {
	DIFF_COUNTS = HEFT_DIFF_COUNT_UNCHANGED,
	DIFF_MEASURES = HEFT_DIFF_COUNT_RENAMED + 1,
};

/* Texts of rows, if rows are by symbol. DIFF_WAS is the name before for renamed symbols, and the
 * path before for moved symbols. Texts from DIFF_TEXTS on are in no table before
 * diff_rows_show_all() is called. */
enum diff_text {
	DIFF_SECTION,
	DIFF_PATH,
	DIFF_COMPONENT,
	DIFF_CONTAINER,
	DIFF_WAS,
	DIFF_PAIRED_BY, /* What paired both sides if it is not the name, such as "neighbours". */
	DIFF_TEXTS,
	DIFF_FLAGS = DIFF_TEXTS, /* Flags, such as "cold, clone". */
	DIFF_CODE,               /* Disassembly that a .sizediff file has of the symbol. */
	DIFF_ALL_TEXTS,
	/* Bytes of stack, now and before. These two columns replace the two texts above if both
	 * sides have stacks. */
	DIFF_STACK = DIFF_TEXTS,
	DIFF_STACK_WAS,
};

/* Measures of the rows, and the texts of the rows if both sides have stacks. */
extern const struct heft_measure diff_measures[DIFF_MEASURES];
extern const struct heft_text diff_texts_of_stacks[DIFF_ALL_TEXTS];

/* What the sizes of rows count. */
enum diff_counting {
	DIFF_CHARGED,  /* All bytes that the file holds because of the row. */
	DIFF_PADDED,   /* Own bytes, including padding. */
	DIFF_SUPERSIZE /* As SuperSize counts: own bytes, with padding listed apart. */
};

/* Facts of a node beside its sums. */
struct diff_fact {
	const char *label;
	enum heft_row_kind kind;
	const char *const *texts; /* NULL if rows are not by symbol. */
	enum heft_change change;
};

struct diff_rows {
	struct heft_table table;
	/* Private fields. */
	struct tree tree;
	VEC(struct diff_fact) facts; /* Per node. */
	const char *level;
	struct arena arena; /* Memory of rows and texts. */
	enum diff_counting counting;
	/* Number of charges per kind of change (enum heft_change), without hidden ones. Does not
	 * depend on what rows are by. */
	uint64_t counts[HEFT_CHANGES];
	bool hides_debug; /* True if both sides have debug sections and the rows leave them out. */
};

void diff_rows_make(struct diff_rows *ret, const struct snapshot_diff *d,
		    const struct heft_diff_query *query);
/* Makes the table of rows anew, sorted and cut as this query says. The query must group rows in the
 * same way as before. Not for rows by symbol. */
void diff_rows_cut(struct diff_rows *r, const struct heft_diff_query *query);
/* Shows all texts in the tables. Only for rows by symbol. */
void diff_rows_show_all(struct diff_rows *r);
void diff_rows_release(struct diff_rows *r);

/* Own bytes. The size of a symbol with several names is shared among the names (PSS). Padding
 * before symbols is apart, except for symbols that are only padding. */
struct diff_sizes {
	double before, after;
	double padding_before, padding_after;
};

/* Sums per section name, over all containers. The last element is the total ("TOTAL"). */
struct diff_section {
	const char *name; /* Name, the same in all containers. */
	bool in_file;     /* False for .bss and the like. */
	bool in_memory;   /* Meaningful only if knows_memory is set. */
	struct diff_sizes sizes;
	uint64_t counts[HEFT_CHANGES];
};

struct diff_sections {
	VEC(struct diff_section) sections;
	bool knows_memory; /* True if both sides know which sections add up to the VM image. */
};
void diff_sections_make(struct diff_sections *ret, const struct snapshot_diff *d);
void diff_sections_release(struct diff_sections *s);

#endif
