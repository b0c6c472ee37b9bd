/* state.h - what somebody looks at, shared by the files of this folder. */
#ifndef HEFT_BROWSE_STATE_H
#define HEFT_BROWSE_STATE_H

#include "browse/browse.h"
#include "browse/browse_tree.h"

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
};

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws it all; the cursor is in sight afterwards. */
void browse_draw(struct browse *b);
/* Lines of rows that are in sight. */
int browse_page_size(void);
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
void browse_help(struct browse *b);
void browse_notes(struct browse *b);

/* Lets somebody type a line.  Tab goes through `choices` (NULL: none), a list that ends with NULL;
 * `typed` is called after each change (NULL: not at all).  False: Esc was pressed. */
bool browse_prompt(struct browse *b, const char *label, char *text, size_t room,
		   const char *const *choices, void (*typed)(struct browse *b));

/* The next key; the screen is drawn again where its size changed. */
int browse_key(struct browse *b);

#endif
