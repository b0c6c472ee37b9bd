/* browse.h - a table on a terminal, to be looked through like files in a file manager.
 *
 * Whoever calls says where tables come from; this folder draws them and takes the keys.  Labels are
 * shown as text whatever is in them (base/tame.h). */
#ifndef HEFT_BROWSE_BROWSE_H
#define HEFT_BROWSE_BROWSE_H

#include "heft.h"

#include <stdbool.h>
#include <stdio.h>

struct browse;

/* A table, as an input gives it. */
struct browse_table {
	const struct heft_table *table;
	bool only_now; /* the base of the table is nothing */
	char by[200];  /* what its rows are grouped by */
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
	/* Writes what is known of a row beyond the table, in lines. */
	void (*card)(void *ctx, size_t input, const struct heft_row *row, FILE *to);
	/* Writes what was odd in the input, a line each, unless `to` is NULL; how many there
	 * are. */
	size_t (*notes)(void *ctx, size_t input, FILE *to);
	/* Writes the page with all inputs (heft_page_write) to a file. */
	bool (*page)(void *ctx, const char *path, struct heft_err *err);
};

/* Takes the terminal until the user quits.  `first` is the table of input 0.
 * False where the terminal cannot do it. */
bool browse_run(const struct browse_ops *ops, const struct browse_table *first, bool color,
		struct heft_err *err);

/* A heft_progress_fn for calls made inside of browse_run; ctx is not used.  Esc cancels. */
bool browse_progress(void *ctx, const char *what, uint64_t done, uint64_t total);

#endif
