/* paint.h - text on the terminal, through ncurses: cut to a width, tame, in the few colours
 * there are. */
#ifndef HEFT_BROWSE_PAINT_H
#define HEFT_BROWSE_PAINT_H

#include <stdbool.h>
#include <stddef.h>

enum paint_style {
	PAINT_PLAIN,
	PAINT_HEAD,  /* bars above and below */
	PAINT_TITLE, /* of columns */
	PAINT_QUIET,
	PAINT_MORE, /* growth */
	PAINT_LESS,
	PAINT_BAR,
	PAINT_MARK,
};

/* Takes the terminal, in the character set of the locale; false where its type is not known.
 * `mouse`: clicks and the wheel are keys, KEY_MOUSE, if the terminal has one. */
bool paint_start(bool color, bool mouse);
void paint_end(void);

int paint_rows(void);
int paint_columns(void);

/* Writes text from a column on, at most `width` columns wide; returns the columns taken.  What is
 * cut ends with a mark.  `chosen`: the row under the cursor. */
int paint_text(int row, int column, int width, const char *text, enum paint_style style,
	       bool chosen);
/* The same at the right end of so many columns; longer text is cut. */
void paint_right(int row, int column, int width, const char *text, enum paint_style style,
		 bool chosen);
/* Blanks. */
void paint_fill(int row, int column, int width, enum paint_style style, bool chosen);

/* Shows where somebody types; row -1: nowhere. */
void paint_cursor(int row, int column);

/* Bytes of `text` that fit into so many columns, at least one character. */
size_t paint_fit(const char *text, int width);

#endif
