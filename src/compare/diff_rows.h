/* diff_rows.h - the rows of a diff: its pairs added up by a text of their symbols.
 *
 * What a symbol had before counts for the row it was in then.  So the changes of the rows of any
 * query add up to that of its total, and this without filters to the change of the snapshots, to
 * the byte.  By symbol, the total also has what did not change.  O(symbols), rows sorted.  One
 * thread. */
#ifndef HEFT_COMPARE_DIFF_ROWS_H
#define HEFT_COMPARE_DIFF_ROWS_H

#include "map/rows.h"
#include "compare/diff.h"

/* The counts of changes among the measures, by enum heft_change; all measures. */
enum {
	DIFF_COUNTS = HEFT_DIFF_COUNT_UNCHANGED,
	DIFF_MEASURES = HEFT_DIFF_COUNT_RENAMED + 1,
};

/* The texts of rows by symbol; `was` is the name before of what was renamed, the path before of
 * what was moved.  Those from DIFF_TEXTS on are in no table unless diff_rows_show_all is called. */
enum diff_text {
	DIFF_SECTION,
	DIFF_PATH,
	DIFF_COMPONENT,
	DIFF_CONTAINER,
	DIFF_WAS,
	DIFF_PAIRED_BY, /* what made both sides one, where it is not the name: "neighbours" */
	DIFF_TEXTS,
	DIFF_FLAGS = DIFF_TEXTS, /* "cold, clone" */
	DIFF_CODE,               /* the disassembly that a .sizediff file has of it */
	DIFF_ALL_TEXTS,
	/* Where both sides have stacks, in place of these two: bytes, now and before. */
	DIFF_STACK = DIFF_TEXTS,
	DIFF_STACK_WAS,
};

/* What rows have; the texts are those where both sides have stacks. */
extern const struct heft_measure diff_measures[DIFF_MEASURES];
extern const struct heft_text diff_texts_of_stacks[DIFF_ALL_TEXTS];

/* What the sizes of rows are. */
enum diff_counting {
	DIFF_CHARGED,  /* all that the file holds because of the row */
	DIFF_PADDED,   /* own bytes with padding */
	DIFF_SUPERSIZE /* as SuperSize counts: own bytes, padding apart */
};

/* What a node is beside its sums. */
struct diff_fact {
	const char *label;
	enum heft_row_kind kind;
	const char *const *texts; /* NULL where rows are not by symbol */
	enum heft_change change;
};

struct diff_rows {
	struct heft_table table;
	/* private */
	struct tree tree;
	VEC(struct diff_fact) facts; /* by node */
	const char *level;
	struct arena arena; /* rows, texts */
	enum diff_counting counting;
	/* By enum heft_change, of charges that are not hidden, whatever the rows are by. */
	uint64_t counts[HEFT_CHANGES];
	bool hides_debug; /* rows have nothing of debug sections, which both sides have */
};

void diff_rows_make(struct diff_rows *ret, const struct snapshot_diff *d,
		    const struct heft_diff_query *query);
/* Of rows by symbol. */
void diff_rows_show_all(struct diff_rows *r);
void diff_rows_release(struct diff_rows *r);

/* Own bytes: those of symbols shared by several names count in parts for each (PSS).  Padding in
 * front of symbols is apart, but for symbols that are nothing else. */
struct diff_sizes {
	double before, after;
	double padding_before, padding_after;
};

/* Sums by the name of the section, over all containers; the last is of all ("TOTAL"). */
struct diff_section {
	const char *name; /* of all containers */
	bool in_file;     /* false: .bss and its like */
	bool in_memory;   /* only where that is known */
	struct diff_sizes sizes;
	uint64_t counts[HEFT_CHANGES];
};

struct diff_sections {
	VEC(struct diff_section) sections;
	bool knows_memory; /* of both sides: what adds up to the VM image */
};
void diff_sections_make(struct diff_sections *ret, const struct snapshot_diff *d);
void diff_sections_release(struct diff_sections *s);

#endif
