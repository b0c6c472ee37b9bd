/* paint.h - writes text on the terminal with ncurses: cut to a width, with escaped control
 * characters, in a few colours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum paint_style {
	PAINT_PLAIN,
	PAINT_HEAD,  /* Bars at the top and bottom */
	PAINT_TITLE, /* Titles of columns */
	PAINT_QUIET,
	PAINT_MORE, /* Colour of growth */
	PAINT_LESS,
	PAINT_BAR,
	PAINT_MARK,
};

/* Takes the terminal, in the locale's character set. False if the type of the terminal is unknown.
 * `mouse`: report clicks and the wheel as the key KEY_MOUSE, if there is a mouse. */
bool paint_start(bool color, bool mouse);
void paint_end(void);

int paint_rows(void);
int paint_columns(void);

/* Writes text from a column on, at most `width` columns wide. Returns the number of columns used. A
 * mark ends cut text. `chosen`: the row is under the cursor. */
int paint_text(int row, int column, int width, const char *text, enum paint_style style,
	       bool chosen);
/* Writes text right-aligned in `width` columns. Longer text is cut. */
void paint_right(int row, int column, int width, const char *text, enum paint_style style,
		 bool chosen);
/* Writes blanks. */
void paint_fill(int row, int column, int width, enum paint_style style, bool chosen);

/* Places the cursor for typing. Row -1 hides it. */
void paint_cursor(int row, int column);

/* Returns how many bytes of `text` fit into `width` columns: at least those of one character. */
size_t paint_fit(const char *text, int width);
