/* Needed for wcwidth(). */
#define _XOPEN_SOURCE 700

#include "browse/paint.h"

#include "base/tame.h"

#include <curses.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static const struct {
	short pair, color;
	attr_t attributes;
} styles[] = {
	[PAINT_PLAIN] = { 0, 0, A_NORMAL },        [PAINT_HEAD] = { 0, 0, A_REVERSE },
	[PAINT_TITLE] = { 0, 0, A_BOLD },          [PAINT_QUIET] = { 5, COLOR_BLUE, A_NORMAL },
	[PAINT_MORE] = { 1, COLOR_RED, A_NORMAL }, [PAINT_LESS] = { 2, COLOR_GREEN, A_NORMAL },
	[PAINT_BAR] = { 3, COLOR_CYAN, A_NORMAL }, [PAINT_MARK] = { 4, COLOR_YELLOW, A_BOLD },
};

bool paint_start(bool color, bool mouse)
{
	if (newterm(NULL, stdout, stdin) == NULL)
		return false;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	mouseinterval(0); /* Report a click immediately. */
	if (mouse)
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	if (!color || !has_colors() || start_color() == ERR)
		return true;
	use_default_colors();
	for (size_t i = 0; i < COUNT_OF(styles); i++)
		if (styles[i].pair != 0)
			init_pair(styles[i].pair, styles[i].color, -1);
	return true;
}

void paint_end(void)
{
	erase();
	refresh();
	endwin();
}

int paint_rows(void)
{
	return LINES;
}

int paint_columns(void)
{
	return COLS;
}

/* Sets the style. Without colours, only attributes change. */
static void set_style(enum paint_style style, bool chosen)
{
	attrset((int)(styles[style].attributes | (chosen ? A_REVERSE : 0)));
	if (styles[style].pair != 0 && COLOR_PAIRS > 0 && !chosen)
		attron((int)COLOR_PAIR(styles[style].pair));
}

static bool is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* A character as the terminal can show it. */
struct paint_glyph {
	const char *p;
	size_t size;
	int width;
	size_t taken; /* Bytes of the original character */
	struct tame tame;
	char room[20];
};

static void get_glyph(struct paint_glyph *g, const char *text, size_t size)
{
	const struct str s = { text, size };
	tame_get(&g->tame, s, 0);
	g->taken = g->tame.size;
	g->p = text;
	g->size = g->tame.size;
	g->width = 1;
	if (g->tame.escape_size > 0) {
		g->p = g->tame.escape;
		g->size = g->tame.escape_size;
		g->width = (int)g->tame.escape_size;
		return;
	}
	if (g->size == 1)
		return;
	g->width = is_utf8() ? wcwidth((wchar_t)g->tame.c) : -1;
	if (g->width >= 0)
		return;
	g->width = snprintf(g->room, sizeof g->room, "\\u{%x}", (unsigned)g->tame.c);
	g->p = g->room;
	g->size = (size_t)g->width;
}

/* Returns how many bytes to read for `width` columns: at most 16 per column, and 16 more. */
static size_t near_size(const char *text, int width)
{
	return strnlen(text, (size_t)width * 16 + 16);
}

size_t paint_fit(const char *text, int width)
{
	const size_t size = near_size(text, width);
	struct paint_glyph g;
	size_t at = 0;
	for (int used = 0; at < size; at += g.taken) {
		get_glyph(&g, text + at, size - at);
		if (used + g.width > width)
			return at > 0 ? at : g.taken;
		used += g.width;
	}
	return at;
}

int paint_text(int row, int column, int width, const char *text, enum paint_style style,
	       bool chosen)
{
	if (width <= 0 || row < 0 || row >= LINES || column < 0 || column + width > COLS)
		return 0;
	const size_t size = near_size(text, width), fits = paint_fit(text, width);
	const bool cut = fits < size;
	struct paint_glyph g;
	int used = 0;
	set_style(style, chosen);
	move(row, column);
	for (size_t at = 0; at < size; at += g.taken) {
		get_glyph(&g, text + at, size - at);
		if (used + g.width > width - cut)
			break;
		addnstr(g.p, (int)g.size);
		used += g.width;
	}
	if (cut && used < width) {
		addstr(is_utf8() ? "…" : "~");
		used++;
	}
	return used;
}

void paint_fill(int row, int column, int width, enum paint_style style, bool chosen)
{
	if (row < 0 || row >= LINES || column < 0 || column >= COLS)
		return;
	set_style(style, chosen);
	mvhline(row, column, ' ', width < COLS - column ? width : COLS - column);
}

void paint_right(int row, int column, int width, const char *text, enum paint_style style,
		 bool chosen)
{
	const int size = (int)strnlen(text, (size_t)(width > 0 ? width : 0));
	paint_fill(row, column, width - size, style, chosen);
	paint_text(row, column + width - size, size, text, style, chosen);
}

void paint_cursor(int row, int column)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row, column);
}
