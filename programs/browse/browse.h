/* browse.h - a table on a terminal, to be looked through like files in a file manager.
 *
 * Whoever calls says where tables come from; this folder draws them and takes the keys.  Labels are
 * shown as text whatever is in them (base/tame.h). */
#ifndef HEFT_BROWSE_BROWSE_H
#define HEFT_BROWSE_BROWSE_H

#include "base/assert.h"
#include "heft.h"

#include <stdbool.h>
#include <stdio.h>

struct browse;

/* Where the rows of a table come from that are not all there; all NULL: they are. */
struct browse_rows {
	/* Makes the children of a row that has a number of them but no list yet; false where there
	 * is no memory. */
	bool (*open)(void *of, const struct heft_row *row);
	/* As heft_profile_filter_rows, heft_profile_open_filtered and heft_profile_filtered; all
	 * NULL: rows are filtered when all of them are there. */
	bool (*filter)(void *of, const struct heft_row_filter *f, uint64_t *ret_count);
	bool (*open_filtered)(void *of, const struct heft_row *row,
			      const struct heft_row *const **ret_list, size_t *ret_count);
	enum heft_filtered (*filtered)(void *of, const struct heft_row *row,
				       const union heft_value **ret_now,
				       const union heft_value **ret_base);
	void *of;
};

/* A table, as an input gives it. */
struct browse_table {
	const struct heft_table *table;
	bool only_now; /* the base of the table is nothing */
	bool lives;    /* what it shows goes on: it is made anew now and then */
	char by[200];  /* what its rows are grouped by */
	struct browse_rows rows;
};

/* How a table is made. */
struct browse_wish {
	const char *by; /* what rows are grouped by; NULL: as is usual */
	heft_progress_fn progress;
	void *progress_ctx;
};

/* A row, with the labels from the one below the top down to its own. */
struct browse_row {
	const struct heft_row *row;
	const char *const *path;
	size_t depth; /* labels; 0 of the top row */
};

struct browse_ops {
	void *ctx;
	size_t input_count;
	const char *(*title)(void *ctx, size_t input);
	/* What rows of an input that is open may be grouped by: ready-made choices, a list that
	 * ends with NULL. */
	const char *const *(*groups)(void *ctx, size_t input);
	/* Makes the table of an input, with rows grouped by `by`, NULL: as is usual.  It holds
	 * until the next one of this input; where the call fails, the one before still holds. */
	bool (*open)(void *ctx, size_t input, const char *by, struct browse_table *ret,
		     struct heft_err *err);
	/* Makes what `open` makes of an input that is not open, in any thread, while the other
	 * calls go on in theirs: NULL where it fails.  `take` puts it in the place of what that
	 * input had, which goes; `drop` throws it away. */
	void *(*make)(void *ctx, size_t input, const struct browse_wish *wish,
		      struct browse_table *ret, struct heft_err *err);
	void (*take)(void *ctx, size_t input, void *made);
	void (*drop)(void *ctx, void *made);
	/* Opens input 0 with rows that take no time, to be looked at until others are made; false
	 * where there are none. */
	bool (*glance)(void *ctx, struct browse_table *ret);
	/* Writes what is known of a row beyond the table, in lines. */
	void (*card)(void *ctx, size_t input, const struct browse_row *row, FILE *to);
	/* Writes the instructions of a row; false where there are none. */
	bool (*code)(void *ctx, size_t input, const struct browse_row *row, FILE *to,
		     struct heft_err *err);
	/* Writes what was odd in the input, a line each, unless `to` is NULL; how many there
	 * are. */
	size_t (*notes)(void *ctx, size_t input, FILE *to);
	/* Writes the page with all inputs (heft_page_write) to a file. */
	bool (*page)(void *ctx, const char *path, struct heft_err *err);
};

/* Takes the terminal until the user quits.  First the table of input 0 is shown, with rows grouped
 * by `by`, NULL: as is usual.  `flags` are bits of enum browse_flag.  False where it cannot be
 * made, or the terminal cannot do it. */
enum browse_flag { BROWSE_COLOR = 1, BROWSE_MOUSE = 2 };
bool browse_run(const struct browse_ops *ops, const char *by, unsigned flags, struct heft_err *err);

/* A heft_progress_fn for calls made inside of browse_run; ctx is not used.  Esc cancels. */
bool browse_progress(void *ctx, const char *what, uint64_t done, uint64_t total);

#endif
