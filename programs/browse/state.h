/* state.h - declares the state of the screen, for the files of this folder. */
#pragma once

#include "browse/browse.h"
#include "browse/browse_tree.h"
#include "browse/loader.h"

#include <time.h>

struct browse {
	const struct browse_ops *ops;
	size_t input;
	struct browse_table table;
	struct tree tree;
	char by[200];     /* Names of the data sources by which rows are grouped */
	char filter[200]; /* Filter as the user typed it */
	uint32_t at;      /* Index of the line under the cursor */
	uint32_t top;     /* Index of the first visible line */
	bool quits;
	char said[400]; /* Message after the last key. "" if there is none */
	struct loader loader;
	bool first;            /* True while the loader makes the first table */
	uint32_t clicked;      /* Line that was clicked last, to detect a double click */
	struct timespec click; /* Time of that click */
	bool ended;            /* True if the shown process has ended. Its last state stays on the
			        * screen */
	struct timespec began; /* Time when the loader began */
	int64_t pause_ms;      /* Milliseconds until changing data is read again. -1: never */
};

/* Draws the screen. Scrolls so that the line under the cursor is visible. */
void browse_draw(struct browse *b);
/* Returns the number of visible lines of rows. */
int browse_page_size(void);
/* Returns the index in tree.lines of the line at screen row `row`. UINT32_MAX if there is none. */
uint32_t browse_line_at(const struct browse *b, int row);
/* Draws a line at the bottom. Returns the number of columns used. */
int browse_foot(const char *text);

/* Writes the change of a measure as in its column: "+12.3Ki", or "" if there is none. */
enum { NUMBER_TEXT_MAX = 48 };
void browse_change_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m);
/* Returns a word for the change of a row. "" if the row did not change. */
const char *browse_change_word(enum heft_change change);

/* Returns the next measure after m that has a column of its own. */
size_t browse_next_measure(const struct browse *b, size_t m);

void browse_card(struct browse *b, uint32_t node);
/* Shows the instructions of a node. */
void browse_code(struct browse *b, uint32_t node);
void browse_help(struct browse *b);
void browse_notes(struct browse *b);

/* Returns the milliseconds since `from`. */
int64_t browse_since(const struct timespec *from);

/* Replaces the table by a new one. `carried`: keeps open rows, marks and cursor. False if there is
 * no memory; then nothing changes. */
bool browse_take_table(struct browse *b, const struct browse_table *table, bool carried);
void browse_say(struct browse *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Makes the first table. False if it fails, or if the user stopped it. */
bool browse_begin(struct browse *b, const char *by, unsigned flags, struct heft_err *err);
/* Returns the maximal time in milliseconds to wait for a key. -1 if nothing else is expected. */
int browse_patience(const struct browse *b);
/* Takes a finished table, and starts to make the next table when it is due. */
void browse_catch_up(struct browse *b);
/* Stops the current work and drops its result. */
void browse_stop_waiting(struct browse *b);
/* Writes the status for the top line: "" or a text in parentheses. */
enum { STATUS_MAX = 200 };
void browse_status(struct browse *b, char out[STATUS_MAX]);
