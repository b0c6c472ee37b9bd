/* browse.h - shows a table on a terminal and lets the user walk through it, like a file manager.
 *
 * The caller provides the tables; this folder draws them and handles the keys. Control characters
 * in labels are escaped (base/tame.h). */
#pragma once

#include "base/assert.h"
#include "heft.h"

#include <stdbool.h>
#include <stdio.h>

/* Functions for a table that makes rows on request. All functions are NULL if all rows exist. */
struct browse_rows {
	/* Makes the children of a row whose list of children is missing. False if out of memory. */
	bool (*open)(void *of, const struct heft_row *row);
	/* Work like heft_profile_filter_rows(), heft_profile_open_filtered() and
	 * heft_profile_filtered(). If all are NULL, all rows are made before they are filtered. */
	bool (*filter)(void *of, const struct heft_row_filter *f, uint64_t *ret_count);
	bool (*open_filtered)(void *of, const struct heft_row *row,
			      const struct heft_row *const **ret_list, size_t *ret_count);
	enum heft_filtered (*filtered)(void *of, const struct heft_row *row,
				       const uint64_t **ret_now, const uint64_t **ret_base);
	void *of;
};

/* A table that was made from an input. */
struct browse_table {
	const struct heft_table *table;
	bool only_now; /* True if the base of the table is empty */
	bool lives;    /* True if the data changes, so the table is made again from time to time */
	char by[200];  /* Names by which its rows are grouped */
	struct browse_rows rows;
};

/* Options for making a table. */
struct browse_wish {
	const char *by; /* Names by which rows are grouped. NULL means the default */
	heft_progress_fn progress;
	void *progress_ctx;
};

/* A row, and the labels of its path, from the level below the top row to the row itself. */
struct browse_row {
	const struct heft_row *row;
	const char *const *path;
	size_t depth; /* Number of labels. 0 for the top row */
};

struct browse_ops {
	void *ctx;
	size_t input_count;
	const char *(*title)(void *ctx, size_t input);
	/* Returns the groupings that the user may choose for an open input. NULL ends the list. */
	const char *const *(*groups)(void *ctx, size_t input);
	/* Makes the table of an input, with rows grouped by `by` (NULL: the default). The table is
	 * valid until the next table of this input. If it fails, the previous table stays. */
	bool (*open)(void *ctx, size_t input, const char *by, struct browse_table *ret,
		     struct heft_err *err);
	/* `make`: makes a table as `open` does, on any thread, but leaves the input's own table as
	 * it is. NULL on failure. `take` replaces the input's table by the result of `make`. `drop`
	 * frees that result instead. */
	void *(*make)(void *ctx, size_t input, const struct browse_wish *wish,
		      struct browse_table *ret, struct heft_err *err);
	void (*take)(void *ctx, size_t input, void *made);
	void (*drop)(void *ctx, void *made);
	/* Opens input 0 with a few rows that are quick to make, to show them until its table is
	 * made. False if there are none. */
	bool (*glance)(void *ctx, struct browse_table *ret);
	/* Writes more facts about a row, in lines. */
	void (*card)(void *ctx, size_t input, const struct browse_row *row, FILE *to);
	/* Writes the instructions of a row. False if there are none. */
	bool (*code)(void *ctx, size_t input, const struct browse_row *row, FILE *to,
		     struct heft_err *err);
	/* Writes the input's notes, one per line, unless `to` is NULL. Returns their number. */
	size_t (*notes)(void *ctx, size_t input, FILE *to);
	/* Writes the page with all inputs (heft_page_write()) to a file. */
	bool (*page)(void *ctx, const char *path, struct heft_err *err);
};

/* Uses the terminal until the user quits. Shows the table of input 0 first, grouped by `by` (NULL:
 * the default). `flags` are bits of enum browse_flag. False if the table cannot be made or the
 * terminal cannot show it. */
enum browse_flag { BROWSE_COLOR = 1, BROWSE_MOUSE = 2 };
bool browse_run(const struct browse_ops *ops, const char *by, unsigned flags, struct heft_err *err);

/* A heft_progress_fn for calls inside of browse_run(). `ctx` is not used. Esc cancels. */
bool browse_progress(void *ctx, const char *what, uint64_t done, uint64_t total);
