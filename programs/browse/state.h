/* state.h - holds the state of the screen, shared by the files of this folder. */
#ifndef HEFT_BROWSE_STATE_H
#define HEFT_BROWSE_STATE_H

#include "browse/browse.h"
#include "browse/browse_tree.h"
#include "browse/loader.h"

#include <time.h>

struct browse {
	const struct browse_ops *ops;
	size_t input;
	struct browse_table table;
	struct tree tree;
	char by[200];     /* How the rows are grouped. */
	char filter[200]; /* As the user typed it. */
	uint32_t at;      /* Line under the cursor. */
	uint32_t top;     /* First visible line. */
	bool quits;
	char said[400]; /* Message after the last key. "" if there is none. */
	struct loader loader;
	bool first;            /* The loader makes the first table. */
	uint32_t clicked;      /* Line that was clicked last. */
	struct timespec click; /* when */
	bool ended;            /* The living source has ended: its last state is shown. */
	struct timespec began; /* When the loader began. */
	int64_t pause_ms;      /* Milliseconds until the table of a living source is made again.
			        * -1 means never. */
};

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws the screen. Afterwards the cursor is visible. */
void browse_draw(struct browse *b);
/* Returns the number of visible lines of rows. */
int browse_page_size(void);
/* Returns the line of rows at a row of the screen. UINT32_MAX if there is none. */
uint32_t browse_line_at(const struct browse *b, int row);
/* Draws a line at the bottom. Returns its columns. */
int browse_foot(const char *text);

/* Write a measure as in the columns: "12.3Ki", "" if there is none. A change has its sign. */
enum { NUMBER_TEXT_MAX = 48 };
void browse_now_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m);
void browse_change_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m);
void browse_number_text(char out[NUMBER_TEXT_MAX], enum heft_unit unit, double v, bool change);
/* Returns a word for the change of a row. "" if it did not change. */
const char *browse_change_word(enum heft_change change);

/* Returns the next measure after m that has a column of its own. */
size_t browse_next_measure(const struct browse *b, size_t m);

/* ---- text over the table --------------------------------------------------------------------- */

/* Shows lines of text until a key ends it. */
void browse_pager(struct browse *b, const char *title, const char *text);
void browse_card(struct browse *b, uint32_t node);
/* Shows the instructions of a node. */
void browse_code(struct browse *b, uint32_t node);
void browse_help(struct browse *b);
void browse_notes(struct browse *b);

/* Lets the user type a line. Tab cycles through `choices` (ended by NULL; NULL for none). `typed`
 * is called after each change, unless NULL. False if Esc was pressed. */
bool browse_prompt(struct browse *b, const char *label, char *text, size_t room,
		   const char *const *choices, void (*typed)(struct browse *b));

/* Returns the milliseconds since `from`. */
int64_t browse_since(const struct timespec *from);

/* Returns the next key; redraws the screen after a new size. KEY_NONE if no key came within `ms`
 * milliseconds; -1 waits without limit. ERR if the terminal is gone. */
enum { KEY_NONE = -2 };
int browse_key(struct browse *b, int ms);

/* ---- tables made in the background (meanwhile.c) --------------------------------------------- */

/* Replaces the table by a new one. False if there is no memory; then nothing changes. */
bool browse_take_table(struct browse *b, const struct browse_table *table, bool carried);
/* Filters the tree by b->filter. *node gets its new number. */
void browse_filter(struct browse *b, uint32_t *node);
/* Finds the lines again. */
void browse_list(struct browse *b);
/* Moves the cursor to a node, if it is visible. */
void browse_go_to(struct browse *b, uint32_t node);
/* Returns the node under the cursor. UINT32_MAX if there is no line. */
uint32_t browse_chosen(const struct browse *b);
void browse_say(struct browse *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Makes the first table. False if there is none, or if the user stopped it. */
bool browse_begin(struct browse *b, const char *by, unsigned flags, struct heft_err *err);
/* Returns how long to wait for a key, in milliseconds. -1 if nothing else is expected. */
int browse_patience(const struct browse *b);
/* Takes a finished table, and begins the tables that are due again. */
void browse_catch_up(struct browse *b);
/* Stops the current work. Its result is dropped. */
void browse_stop_waiting(struct browse *b);
/* Writes the status for the head: "" or a text in parentheses. */
enum { STATUS_MAX = 200 };
void browse_status(struct browse *b, char out[STATUS_MAX]);

#endif
