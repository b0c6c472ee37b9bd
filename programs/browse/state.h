/* state.h - what somebody looks at, shared by the files of this folder. */
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
	char by[200];     /* how the rows are grouped */
	char filter[200]; /* as typed */
	uint32_t at;      /* the line under the cursor */
	uint32_t top;     /* the first line in sight */
	bool quits;
	char said[400]; /* what the last key led to; "": nothing to say */
	struct loader loader;
	bool first;            /* the loader makes the table that was asked for at first */
	uint32_t clicked;      /* the line that was clicked last */
	struct timespec click; /* when */
	bool ended;            /* what lived does no more: its last state is shown */
	struct timespec began; /* when the loader began */
	int64_t pause_ms;      /* until a table of what lives is made anew; -1: never */
};

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws it all; the cursor is in sight afterwards. */
void browse_draw(struct browse *b);
/* Lines of rows that are in sight. */
int browse_page_size(void);
/* The line of rows at a row of the screen; UINT32_MAX: none. */
uint32_t browse_line_at(const struct browse *b, int row);
/* A line at the foot; the columns it takes. */
int browse_foot(const char *text);

/* A measure as the columns have it: "12.3Ki", "" where there is none; a change with its sign. */
enum { NUMBER_TEXT_MAX = 48 };
void browse_now_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m);
void browse_change_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m);
void browse_number_text(char out[NUMBER_TEXT_MAX], enum heft_unit unit, double v, bool change);
/* The word for what became of a row; "" where nothing did. */
const char *browse_change_word(enum heft_change change);

/* The next measure that has a column of its own, behind m. */
size_t browse_next_measure(const struct browse *b, size_t m);

/* ---- over the table -------------------------------------------------------------------------- */

/* Shows lines of text until a key ends it. */
void browse_pager(struct browse *b, const char *title, const char *text);
void browse_card(struct browse *b, uint32_t node);
/* Its instructions. */
void browse_code(struct browse *b, uint32_t node);
void browse_help(struct browse *b);
void browse_notes(struct browse *b);

/* Lets somebody type a line.  Tab goes through `choices` (NULL: none), a list that ends with NULL;
 * `typed` is called after each change (NULL: not at all).  False: Esc was pressed. */
bool browse_prompt(struct browse *b, const char *label, char *text, size_t room,
		   const char *const *choices, void (*typed)(struct browse *b));

/* Milliseconds since then. */
int64_t browse_since(const struct timespec *from);

/* The next key; the screen is drawn again where its size changed.  KEY_NONE: none came in so many
 * milliseconds, -1: as long as it takes.  ERR: the terminal is gone. */
enum { KEY_NONE = -2 };
int browse_key(struct browse *b, int ms);

/* ---- tables that are made meanwhile (meanwhile.c) -------------------------------------------- */

/* Puts the table of a new tree in the place of the one before.  False where there is no memory;
 * nothing changes then. */
bool browse_take_table(struct browse *b, const struct browse_table *table, bool carried);
/* Filters the tree by b->filter; *node gets the number that it has then. */
void browse_filter(struct browse *b, uint32_t *node);
/* Finds the lines anew. */
void browse_list(struct browse *b);
/* Puts the cursor on a node, if it is in sight. */
void browse_go_to(struct browse *b, uint32_t node);
/* The node under the cursor; UINT32_MAX where there is no line. */
uint32_t browse_chosen(const struct browse *b);
void browse_say(struct browse *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Gets the first table; false where there is none, or somebody stopped it. */
bool browse_begin(struct browse *b, const char *by, unsigned flags, struct heft_err *err);
/* How long to wait for a key, in milliseconds; -1: nothing else is awaited. */
int browse_patience(const struct browse *b);
/* Takes what was made, begins to make what is to be made anew. */
void browse_catch_up(struct browse *b);
/* Ends what is being made; it comes to nothing. */
void browse_stop_waiting(struct browse *b);
/* What the head says of it: "" or a text in parentheses. */
enum { STATUS_MAX = 200 };
void browse_status(struct browse *b, char out[STATUS_MAX]);

#endif
