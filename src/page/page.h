/* page.h - collects tables for one html file. A browser shows the file without a network.
 *
 * A table becomes a tab: one line per leaf row, in columns. Each column of labels has a dictionary
 * of text numbers. A browser groups the lines by any column. If an inner row has more than its
 * children (in a diff: unchanged bytes), the excess is a line, so lines add up to the total.
 * docs/page.md describes the bytes.
 *
 * Each text is stored once, with control characters escaped as in base/tame.h. A page copies its
 * input, so the tables may be released. */
#pragma once

#include "base/intern.h"
#include "base/text.h"
#include "heap/heap_strip.h"
#include "heft.h"

/* A frame of a call stack: text numbers, and a line number. */
struct page_frame {
	uint32_t function, file, module, line;
};
/* A call of `frame` in step `parent`, which has a lower index. Step 0 is the root. */
struct page_step {
	uint32_t parent, frame;
};

struct page_stacks {
	VEC(struct page_frame) frames;
	VEC(struct page_step) steps;
	struct map frame_ids, step_ids;
};

struct page {
	struct intern texts; /* Texts of the page. [0] is "" */
	struct text tabs;    /* JSON: an object per tab, separated by commas */
	struct text data;    /* Columns of all tabs */
};

struct page_point {
	uint64_t at, value, peak;
};

/* A memory region of the machine, in bytes. */
struct page_region {
	const char *name;
	uint64_t origin, length, used, base_used;
};

struct symbol_card;
struct rows_maker;

/* Contents of a tab. Pointers may be NULL, and numbers 0. */
struct page_tab {
	const char *title;
	const char *kind; /* "sizes", "symbols", "heap", "blocks" or "history" */
	const struct heft_table *table;
	/* Makes the rows of the table; row_ref() is then the number of its label. Texts that are
	 * empty in all rows get no column. NULL if the rows exist. */
	struct rows_maker *maker;
	const struct heft_page_fact *facts;
	size_t fact_count;
	const struct heft_note *notes;
	size_t note_count;
	/* Live bytes over time. Times are in nanoseconds. */
	const struct page_point *points;
	size_t point_count;
	/* For rows that are call stacks: returns the number of a row's step (struct page_step). */
	struct page_stacks *stacks;
	uint32_t (*step_of)(void *ctx, const struct heft_row *row);
	/* For labels of the last level: returns facts about its symbols. Valid until the next
	 * call. */
	const struct symbol_card *(*card_of)(void *ctx, const struct heft_row *row);
	/* For labels of the last level: returns the code of its functions, or "". May be NULL. */
	struct str (*code_of)(void *ctx, const struct heft_row *row);
	void *ctx;
	/* Memory regions with a known length. */
	const struct page_region *regions;
	size_t region_count;
	const struct heap_strip *strip; /* Sizes of live and free blocks by address, or NULL */
	const char *damage;             /* Damage, one line each */
	const struct heft_page_timeline *timeline; /* Only builds and series are used */
	bool only_now;                             /* True for a diff whose base is empty, which
						    * is shown without a base */
};

void page_add(struct page *p, const struct page_tab *tab);
/* Returns the number of a text. Adds the text if it is new. */
uint32_t page_text(struct page *p, const char *text);
/* Returns the step for a frame whose caller is step `parent`. 0 is the root. */
uint32_t page_step(struct page_stacks *s, uint32_t parent, const struct page_frame *f);
void page_stacks_release(struct page_stacks *s);

/* Writes the html file. */
bool page_write(const struct page *p, const struct heft_sink *sink, struct heft_err *err);
