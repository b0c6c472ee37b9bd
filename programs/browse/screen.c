/* Draws the table on the screen. */
#include "browse/paint.h"
#include "browse/state.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD_LINES = 3, FOOT_LINES = 1, COLUMNS = 8, NUMBER = 9, BAR = 10, LABEL_LEAST = 34 };

static void browse_number_text(char out[NUMBER_TEXT_MAX], enum heft_unit unit, double v,
			       bool change)
{
	const double size = fabs(v);
	const char sign = !change || size < 0.5 ? '\0' : v < 0 ? '-' : '+';
	out[0] = '\0';
	if (isnan(v))
		return;
	if (unit == HEFT_COUNT && size < 1e6)
		snprintf(out, NUMBER_TEXT_MAX, "%.*s%.0f", sign != '\0', &sign, size);
	else if (unit == HEFT_COUNT)
		snprintf(out, NUMBER_TEXT_MAX, "%.*s%.1fM", sign != '\0', &sign, size / 1e6);
	else
		number_size(out, size < 0x1p64 ? (uint64_t)(size + 0.5) : UINT64_MAX, sign);
}

/* True if a row has a number of measure `m`. If rows count the same things (`shared`), they do not
 * add up, so the top row (node 0) has none. */
static bool has_number(const struct browse *b, uint32_t node, size_t m)
{
	return !b->tree.table->measures[m].shared || node != 0;
}

static void browse_now_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node,
			    size_t m)
{
	const struct tree *t = &b->tree;
	out[0] = '\0';
	if (has_number(b, node, m))
		browse_number_text(out, t->table->measures[m].unit, tree_now(t, node, m), false);
}

void browse_change_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m)
{
	out[0] = '\0';
	if (has_number(b, node, m))
		browse_number_text(out, b->tree.table->measures[m].unit,
				   tree_change(&b->tree, node, m), true);
}

const char *browse_change_word(enum heft_change change)
{
	static const char *const words[] = {
		"", "changed", "added", "removed", "moved", "renamed"
	};
	ASSERT((size_t)change < sizeof words / sizeof *words);
	return (unsigned)change < HEFT_CHANGES ? words[change] : "";
}

enum what { NOW, CHANGE, GROWTH, SHARE, PICTURE, STATE, FREE, USED };

struct screen_cell {
	enum what what;
	size_t measure; /* Index of the measure. For FREE and USED: index of the row's text */
	int width;
};

struct cells {
	struct screen_cell cells[COLUMNS];
	unsigned count;
	int width; /* Width of all columns, with the mark before and the gap after them */
};

static void screen_add(struct cells *c, enum what what, size_t measure, int width)
{
	if (c->count < COLUMNS && c->width + width + LABEL_LEAST <= paint_columns()) {
		c->cells[c->count++] = (struct screen_cell){ what, measure, width };
		c->width += width;
	}
}

/* Returns the width of a column. Leaves a gap between titles. */
static int width_of(const struct browse *b, size_t m)
{
	ASSERT(m < b->tree.table->measure_count);
	const size_t title = strlen(b->tree.table->measures[m].title);
	return title >= NUMBER && title < 30 ? (int)title + 1 : NUMBER;
}

size_t browse_next_measure(const struct browse *b, size_t m)
{
	const size_t count = b->tree.table->measure_count;
	ASSERT(m < count);
	for (size_t i = 1; i <= count; i++)
		if (!b->tree.table->measures[(m + i) % count].of_change)
			return (m + i) % count;
	return m;
}

/* Adds the columns of free memory and of the share in use. False if rows are no memory regions. */
static bool add_headroom(struct cells *c, const struct heft_table *t)
{
	const unsigned before = c->count;
	for (size_t i = 0; i < t->text_count; i++) {
		if (strcmp(t->texts[i].name, "region_free") == 0)
			screen_add(c, FREE, i, NUMBER);
		else if (strcmp(t->texts[i].name, "region_percent") == 0)
			screen_add(c, USED, i, NUMBER);
	}
	return c->count > before;
}

static void choose_cells(const struct browse *b, struct cells *c)
{
	const struct tree *t = &b->tree;
	const int width = width_of(b, t->measure);
	ASSERT(t->root < t->count);
	*c = (struct cells){ .width = 2 };
	c->cells[c->count++] = (struct screen_cell){ t->diff ? CHANGE : NOW, t->measure, width };
	c->width += width;
	screen_add(c, t->diff ? GROWTH : SHARE, t->measure, 7);
	const bool regions = add_headroom(c, t->table);
	if (t->diff)
		screen_add(c, NOW, t->measure, width);
	else if (!regions)
		screen_add(c, PICTURE, t->measure, BAR + 1);
	if (t->diff && t->table->has_changes)
		screen_add(c, STATE, 0, 9);
	for (size_t m = browse_next_measure(b, t->measure), i = 0;
	     m != t->measure && i < t->table->measure_count; m = browse_next_measure(b, m), i++)
		screen_add(c, t->diff ? CHANGE : NOW, m, width_of(b, m));
	if (!t->diff && regions)
		screen_add(c, PICTURE, t->measure, BAR + 1);
}

static void draw_titles(const struct browse *b, const struct cells *c)
{
	static const char *const words[] = { "", "",       "growth", "share",
					     "", "became", "free",   "% used" };
	int x = 1;
	paint_fill(HEAD_LINES - 1, 0, paint_columns(), PAINT_TITLE, false);
	for (unsigned i = 0; i < c->count; i++) {
		const struct screen_cell *cell = &c->cells[i];
		const char *title = cell->what <= CHANGE
					    ? b->tree.table->measures[cell->measure].title
					    : words[cell->what];
		const char sign = b->tree.diff && cell->what == CHANGE ? '+' : '\0';
		char text[40];
		snprintf(text, sizeof text, "%.*s%.30s", sign != '\0', &sign, title);
		paint_right(HEAD_LINES - 1, x, cell->width, text, PAINT_TITLE, false);
		x += cell->width;
	}
	const char *level = b->tree.table->level_count > 0 ? b->tree.table->levels[0] : "";
	paint_text(HEAD_LINES - 1, c->width, paint_columns() - c->width, level, PAINT_TITLE, false);
}

static double share_of(const struct browse *b, uint32_t node)
{
	const struct tree *t = &b->tree;
	const size_t m = t->measure;
	const double part = tree_now(t, node, m);
	const double whole = tree_now(t, t->root, m);
	return whole > 0 && part >= 0 ? part / whole : 0;
}

static void growth_text(char out[NUMBER_TEXT_MAX], const struct browse *b, uint32_t node, size_t m)
{
	const struct tree *t = &b->tree;
	const double now = tree_now(t, node, m);
	const double base = tree_base(t, node, m);
	out[0] = '\0';
	if (now >= 0 && base >= 0 && now < 0x1p63 && base < 0x1p63)
		number_growth(out, (uint64_t)(now + 0.5), (uint64_t)(base + 0.5));
}

static enum paint_style style_of_change(const struct browse *b, uint32_t node, size_t m)
{
	const double change = tree_change(&b->tree, node, m);
	return change > 0.5 ? PAINT_MORE : change < -0.5 ? PAINT_LESS : PAINT_PLAIN;
}

static const char *screen_text_of(const struct browse *b, uint32_t node, size_t text)
{
	const struct heft_row *row = b->tree.nodes[node].row;
	return row->texts != NULL ? row->texts[text] : "";
}

static void draw_cell(const struct browse *b, uint32_t node, const struct screen_cell *cell, int y,
		      int x)
{
	const bool chosen = b->tree.line_count > b->at && b->tree.lines[b->at] == node &&
			    y >= HEAD_LINES;
	char text[NUMBER_TEXT_MAX] = "";
	enum paint_style style = PAINT_PLAIN;
	switch (cell->what) {
	case NOW: browse_now_text(text, b, node, cell->measure); break;
	case CHANGE:
		browse_change_text(text, b, node, cell->measure);
		style = style_of_change(b, node, cell->measure);
		break;
	case GROWTH:
		growth_text(text, b, node, cell->measure);
		style = style_of_change(b, node, cell->measure);
		break;
	case SHARE: snprintf(text, sizeof text, "%.1f%%", 100 * share_of(b, node)); break;
	case PICTURE:
		for (int i = 0, full = (int)(share_of(b, node) * (double)BAR + 0.5); i < BAR; i++)
			text[i] = i < full ? '#' : '.';
		text[BAR] = '\0';
		style = PAINT_BAR;
		break;
	case FREE: number_amount(text, screen_text_of(b, node, cell->measure)); break;
	case USED: snprintf(text, sizeof text, "%s", screen_text_of(b, node, cell->measure)); break;
	case STATE:
		snprintf(text, sizeof text, "%s",
			 browse_change_word(b->tree.nodes[node].row->change));
		break;
	}
	paint_right(y, x, cell->width, text, style, chosen);
}

static void draw_line(const struct browse *b, const struct cells *c, uint32_t line, int y)
{
	const uint32_t node = b->tree.lines[line];
	const bool chosen = line == b->at, marked = b->tree.nodes[node].marked;
	int x = 1;
	paint_fill(y, 0, c->width, PAINT_PLAIN, chosen);
	paint_text(y, 0, 1, marked ? "*" : " ", PAINT_MARK, chosen);
	for (unsigned i = 0; i < c->count; i++) {
		draw_cell(b, node, &c->cells[i], y, x);
		x += c->cells[i].width;
	}
	const struct tree_node *n = &b->tree.nodes[node];
	const unsigned depth = tree_depth(&b->tree, node);
	const int most = paint_columns() - c->width,
		  indent = depth * 2 < (unsigned)most / 2 ? (int)depth * 2 : most / 2;
	const char *sign = !tree_has_children(&b->tree, node) ? "  " : n->open ? "- " : "+ ";
	paint_fill(y, c->width, most, PAINT_PLAIN, chosen);
	paint_text(y, c->width + indent, 2, sign, PAINT_QUIET, chosen);
	paint_text(y, c->width + indent + 2, most - indent - 2,
		   n->row->label[0] != '\0' ? n->row->label : "[none]",
		   n->row->label[0] == '[' ? PAINT_QUIET : PAINT_PLAIN, chosen);
}

static void draw_head(struct browse *b)
{
	char text[800], inputs[60] = "", status[STATUS_MAX];
	browse_status(b, status);
	if (b->ops->input_count > 1)
		snprintf(inputs, sizeof inputs, "  [%zu of %zu]", b->input + 1,
			 b->ops->input_count);
	snprintf(text, sizeof text, " %.200s  by %s%s%s%s", b->ops->title(b->ops->ctx, b->input),
		 b->by, inputs, b->tree.diff ? "  (what changed)" : "", status);
	paint_fill(0, 0, paint_columns(), PAINT_HEAD, false);
	paint_text(0, 0, paint_columns(), text, PAINT_HEAD, false);
}

/* Draws the path of the root row, with the sum of the shown rows. */
static void draw_path(const struct browse *b)
{
	const struct tree *t = &b->tree;
	const struct heft_row *root = t->nodes[t->root].row;
	char text[700], number[NUMBER_TEXT_MAX], filter[260] = "";
	if (t->diff)
		browse_change_text(number, b, t->root, t->measure);
	else
		browse_now_text(number, b, t->root, t->measure);
	if (b->filter[0] != '\0')
		snprintf(filter, sizeof filter, "  filter: %s", b->filter);
	snprintf(text, sizeof text, " %.120s: %s %s, %u row%s%s", root->label,
		 number[0] ? number : "0", t->table->measures[t->measure].title,
		 (unsigned)t->line_count, t->line_count == 1 ? "" : "s", filter);
	paint_fill(1, 0, paint_columns(), PAINT_PLAIN, false);
	paint_text(1, 0, paint_columns(), text, b->filter[0] != '\0' ? PAINT_MARK : PAINT_PLAIN,
		   false);
}

int browse_foot(const char *text)
{
	paint_fill(paint_rows() - 1, 0, paint_columns(), PAINT_HEAD, false);
	return paint_text(paint_rows() - 1, 0, paint_columns(), text, PAINT_HEAD, false);
}

static void draw_foot(const struct browse *b)
{
	const struct tree *t = &b->tree;
	/* Shows the list of keys. A narrow screen shows fewer keys. */
	static const char keys[] =
		" / filter  d group  s sort  m measure  i card  x code  o page  ? help  q quit";
	const bool wide = paint_columns() >= (int)sizeof keys - 1;
	char text[500];
	snprintf(text, sizeof text, "%s", wide ? keys : " ? help  / filter  d group  q quit");
	if (b->said[0] != '\0') {
		snprintf(text, sizeof text, " %s", b->said);
	} else if (t->marked > 0) {
		double now, base;
		char number[NUMBER_TEXT_MAX];
		const enum heft_unit unit = t->table->measures[t->measure].unit;
		tree_marked(t, t->measure, &now, &base);
		browse_number_text(number, unit, t->diff ? now - base : now, t->diff);
		snprintf(text, sizeof text,
			 t->diff ? " %u marked: %s (%+.0f) %s    u unmarks"
				 : " %u marked: %s (%.0f) %s    u unmarks",
			 (unsigned)t->marked, number, t->diff ? now - base : now,
			 t->table->measures[t->measure].title);
	}
	browse_foot(text);
}

int browse_page_size(void)
{
	const int size = paint_rows() - HEAD_LINES - FOOT_LINES;
	return size > 1 ? size : 1;
}

uint32_t browse_line_at(const struct browse *b, int row)
{
	const uint32_t line = b->top + (uint32_t)(row - HEAD_LINES);
	return row >= HEAD_LINES && row < HEAD_LINES + browse_page_size() &&
			       line < b->tree.line_count
		       ? line
		       : UINT32_MAX;
}

static void keep_in_sight(struct browse *b)
{
	const uint32_t size = (uint32_t)browse_page_size(), count = b->tree.line_count;
	if (b->at >= count)
		b->at = count > 0 ? count - 1 : 0;
	if (b->at < b->top)
		b->top = b->at;
	if (b->at >= b->top + size)
		b->top = b->at - size + 1;
	if (b->top > 0 && b->top + size > count)
		b->top = count > size ? count - size : 0;
}

void browse_draw(struct browse *b)
{
	struct cells c;
	keep_in_sight(b);
	choose_cells(b, &c);
	draw_head(b);
	draw_path(b);
	draw_titles(b, &c);
	for (int i = 0; i < browse_page_size(); i++) {
		const uint32_t line = b->top + (uint32_t)i;
		if (line < b->tree.line_count)
			draw_line(b, &c, line, HEAD_LINES + i);
		else
			paint_fill(HEAD_LINES + i, 0, paint_columns(), PAINT_PLAIN, false);
	}
	if (b->tree.line_count == 0)
		paint_text(HEAD_LINES, 0, paint_columns(),
			   b->filter[0] != '\0' ? "  nothing matches; Esc takes the filter away"
						: "  no rows",
			   PAINT_PLAIN, false);
	draw_foot(b);
}
