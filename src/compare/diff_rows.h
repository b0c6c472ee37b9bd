/* diff_rows.h - makes the rows of a diff: adds up its pairs by a text of their symbols.
 *
 * The old bytes count in the symbol's old row, and the new bytes in its new row. So the changes of
 * all rows add up to the total's change. Without filters, that is the exact change of the
 * snapshots. If rows are by symbol, the total includes unchanged symbols. O(symbols), plus sorting
 * the rows. One thread. */
#ifndef HEFT_COMPARE_DIFF_ROWS_H
#define HEFT_COMPARE_DIFF_ROWS_H

#include "map/rows.h"
#include "compare/diff.h"

/* DIFF_COUNTS: index of the first measure that counts changes, in the order of enum heft_change.
 * DIFF_MEASURES: number of measures. */
enum {
	DIFF_COUNTS = HEFT_DIFF_COUNT_UNCHANGED,
	DIFF_MEASURES = HEFT_DIFF_COUNT_RENAMED + 1,
};

/* Texts of rows by symbol. DIFF_WAS: old name of a renamed symbol, old path of a moved one. Those
 * from DIFF_TEXTS on are shown only after diff_rows_show_all(). */
enum diff_text {
	DIFF_SECTION,
	DIFF_PATH,
	DIFF_COMPONENT,
	DIFF_CONTAINER,
	DIFF_WAS,
	DIFF_PAIRED_BY, /* How the pair was found, if not by name: "neighbours" */
	DIFF_TEXTS,
	DIFF_FLAGS = DIFF_TEXTS, /* Flags of the symbol: "cold, clone" */
	DIFF_CODE,               /* Change of the disassembly, in a .sizediff file */
	DIFF_ALL_TEXTS,
	/* Stack bytes, now and before. If both snapshots have stacks, these replace DIFF_FLAGS and
	 * DIFF_CODE. */
	DIFF_STACK = DIFF_TEXTS,
	DIFF_STACK_WAS,
};

/* Measures of the rows, and texts of rows with stacks. */
extern const struct heft_measure diff_measures[DIFF_MEASURES];
extern const struct heft_text diff_texts_of_stacks[DIFF_ALL_TEXTS];

/* Which bytes the sizes of rows count. */
enum diff_counting {
	DIFF_CHARGED,  /* All bytes that the file has because of the row */
	DIFF_PADDED,   /* Own bytes and padding */
	DIFF_SUPERSIZE /* Own bytes, as SuperSize counts. Padding has rows of its own */
};

/* What a row has besides its sums */
struct diff_fact {
	const char *label;
	enum heft_row_kind kind;
	const char *const *texts; /* NULL unless rows are by symbol */
	enum heft_change change;
};

struct diff_rows {
	struct heft_table table;
	struct tree tree;
	VEC(struct diff_fact) facts; /* Per node of `tree` */
	const char *level;
	struct arena arena; /* Owns rows and texts */
	enum diff_counting counting;
	/* Number of charges or symbols per kind of change (enum heft_change), without hidden ones.
	 * The same for any grouping. */
	uint64_t counts[HEFT_CHANGES];
	bool hides_debug; /* True if rows omit debug sections, which both snapshots have */
};

void diff_rows_make(struct diff_rows *ret, const struct snapshot_diff *d,
		    const struct heft_diff_query *query);
/* Makes the table again, with another order and limit. The grouping stays. Not for rows by
 * symbol. */
void diff_rows_cut(struct diff_rows *r, const struct heft_diff_query *query);
void diff_rows_show_all(struct diff_rows *r);
void diff_rows_release(struct diff_rows *r);

/* Makes the `most` largest rows of the owners that explain a change. Returns their kind. No rows if
 * no kind explains it. `symbols`: the table of changed symbols. */
enum heft_diff_by diff_owners_make(struct diff_rows *ret, const struct snapshot_diff *d,
				   const struct heft_table *symbols, unsigned most);
/* True if the label of a row is the name of an owner, neither "(no package)" nor ".". */
bool diff_names_owner(const struct heft_row *row);

/* Bytes of a section or of charges, before and after the change, including padding. */
struct padded {
	double before, after;
};

static inline double padded_delta(struct padded p)
{
	return p.after - p.before;
}

struct amount {
	double size, padding;
};

/* Returns the size and the padding of a symbol. The padding counts as size if `whole` is set, or if
 * the symbol is only padding. */
static inline struct amount diff_amount(const struct snap_symbol *y, bool whole)
{
	if (whole || y->size == 0)
		return (struct amount){ snap_pss(y), 0 };
	return (struct amount){ (double)y->size / y->alias_count,
				(double)y->padding / y->alias_count };
}

/* Own bytes: the names of a symbol share its size (PSS). Padding before symbols is separate, except
 * for symbols that are only padding */
struct diff_sizes {
	double before, after;
	double padding_before, padding_after;
};

/* The sum of all sections with one name. The last element of diff_sections.sections is "TOTAL" */
struct diff_section {
	const char *name;
	bool in_file;   /* False for sections such as .bss */
	bool in_memory; /* True if in the VM image. Valid if knows_memory */
	struct diff_sizes sizes;
	uint64_t counts[HEFT_CHANGES];
};

struct diff_sections {
	VEC(struct diff_section) sections;
	bool knows_memory; /* True if both snapshots tell which sections are in the VM image */
};
void diff_sections_make(struct diff_sections *ret, const struct snapshot_diff *d);
struct padded diff_padded(const struct diff_section *s);
bool diff_section_is_debug(const struct diff_section *s);
/* Returns what a section holds if its name does not say it: "headers, gaps". Otherwise "". */
const char *diff_section_note(const struct diff_section *s);
typedef bool (*diff_section_fn)(const void *ctx, const struct diff_section *s);
/* Sets `ret` to the sections that changed most, the greatest change first, out of those that
 * `wants` selects. Returns how many it set. */
size_t diff_most_changed(const struct diff_section *list, size_t list_count, const void *ctx,
			 diff_section_fn wants, const struct diff_section **ret, size_t most);

#endif
