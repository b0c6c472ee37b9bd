/* page.h - tables on their way to be one html file, which a browser shows without a network.
 *
 * A table becomes a tab: one line a leaf row, in columns.  A column of labels has a dictionary of
 * its own, whose labels are numbers of texts of the page; a browser groups the lines by any of the
 * columns.  What an inner row has beyond its children (of a diff: what did not change) is a line
 * of its own, so the lines add up to the table's total.  docs/page.md says what the bytes are.
 *
 * Texts are kept once and hold no control characters: they are escaped as base/tame.h does.
 * A page keeps what it was given as bytes; the tables may go.  Ownership: page_release. */
#ifndef HEFT_REPORT_PAGE_H
#define HEFT_REPORT_PAGE_H

#include "base/intern.h"
#include "base/text.h"
#include "heap/heap_strip.h"
#include "heft.h"

/* A frame of a call stack: numbers of texts, and a line. */
struct page_frame {
	uint32_t function, file, module, line;
};
/* A frame and all that called it; [0] is the root, parents come first. */
struct page_step {
	uint32_t parent, frame;
};

struct page_stacks {
	VEC(struct page_frame) frames;
	VEC(struct page_step) steps;
	struct map frame_ids, step_ids;
};

struct page {
	struct intern texts; /* [0] is "" */
	struct text tabs;    /* JSON, an object a tab, commas between */
	struct text data;    /* the columns of all tabs */
};

struct page_point {
	uint64_t at, value, peak;
};

/* A memory region of the machine, bytes. */
struct page_region {
	const char *name;
	uint64_t origin, length, used, base_used;
};

/* Behind each text of a card but the last one. */
#define PAGE_TEXT_END '\x1f'

/* What is known of the symbols of a label beside their bytes: the first texts among their data, and
 * the names of the first that refer to them. */
struct page_card {
	struct str texts;
	const char *const *users;
	size_t user_count;
	uint64_t all_texts, all_users; /* with those that are not listed */
};

struct rows_maker;

/* What a tab is made of.  Members may be NULL and 0. */
struct page_tab {
	const char *title;
	const char *kind; /* "sizes", "symbols", "heap", "blocks", "history" */
	const struct heft_table *table;
	/* Makes the rows of the table, whose `ref` is then the number of their label; texts that
	 * are all empty are no column.  NULL: the rows are there. */
	struct rows_maker *maker;
	const struct heft_page_fact *facts;
	size_t fact_count;
	const struct heft_note *notes;
	size_t note_count;
	/* How much was live when; nanoseconds. */
	const struct page_point *points;
	size_t point_count;
	/* Of rows that are call stacks: the number of the step that a row is. */
	struct page_stacks *stacks;
	uint32_t (*step_of)(void *ctx, const struct heft_row *row);
	/* Of labels of the last level: what is known of the one of a row; what it returns holds
	 * until the next call. */
	const struct page_card *(*card_of)(void *ctx, const struct heft_row *row);
	/* Of labels of the last level: the code of the one of a row; empty: none.  May be NULL. */
	struct str (*code_of)(void *ctx, const struct heft_row *row);
	void *ctx;
	/* Those whose lengths are known. */
	const struct page_region *regions;
	size_t region_count;
	const struct heap_strip *strip;            /* memory by address */
	const char *damage;                        /* what is damaged, lines */
	const struct heft_page_timeline *timeline; /* only builds and series */
	bool only_now;                             /* a diff from nothing: it is shown as no diff */
};

void page_add(struct page *p, const struct page_tab *tab);
/* The number of a text of the page. */
uint32_t page_text(struct page *p, const char *text);
/* The step of a frame below another one; 0 is the root. */
uint32_t page_step(struct page_stacks *s, uint32_t parent, const struct page_frame *f);
void page_stacks_release(struct page_stacks *s);

/* Writes the html file. */
bool page_write(const struct page *p, const struct heft_sink *sink, struct heft_err *err);
void page_release(struct page *p);

#endif
