/* Draws rows as treemaps and flame graphs. */
#include "base/number.h"
#include "base/sort.h"
#include "map/rows.h"
#include "report/row_walk.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAP_HEIGHT = 540, MAP_GAP = 2, BAND = 18, TIP_LABEL = 300, TEXT_LABELS = 5 };
/* Smallest drawn or subdivided boxes, in pixels. Omitting smaller ones limits a large program's
 * picture to some hundred kilobytes. */
static const double least_inner = 500, least_side = 3, least_area = 30, least_band = 0.7;
static const double sign_width = 11;

static double out_svg_number_of(const struct report *r, const struct heft_row *row, bool base)
{
	const double v = row_number(&r->table, row, r->table.sorted_by, base);
	return isnan(v) ? 0 : v;
}

static double now_of(const struct report *r, const struct heft_row *row)
{
	return out_svg_number_of(r, row, false);
}

static double change_of_row(const struct report *r, const struct heft_row *row)
{
	return now_of(r, row) - out_svg_number_of(r, row, true);
}

/* Returns the drawn weight of a row: its size, or in a diff all growth and shrinkage below it. */
static double out_svg_weigh(const struct report *r, const struct heft_row *row)
{
	struct row_walk walk;
	double sum = 0;
	if (!r->table.diff)
		return now_of(r, row);
	if (row->child_count == 0)
		return fabs(change_of_row(r, row));
	row_walk_init(&walk, row);
	for (const struct heft_row *at; (at = row_next(&walk)) != NULL;)
		if (at->child_count == 0)
			sum += fabs(change_of_row(r, at));
	row_walk_release(&walk);
	return sum;
}

/* A row with its box in the picture. */
struct tile {
	const struct heft_row *row;
	double weight;
	struct svg_box box;
	unsigned depth, colour;
};

COMPARISON(compare_tiles, struct tile, ORDER(b->weight, a->weight),
	   strcmp(a->row->label, b->row->label))

struct tiles {
	VEC(struct tile) all; /* Tiles that are still to be drawn */
	size_t first;         /* Index of the first child in the current layout */
	size_t left_out;      /* Number of children too small to be drawn */
};

/* Adds the children that weigh at least `least`, heaviest first. */
static void out_svg_add_children(struct tiles *t, const struct report *r, const struct tile *of,
				 double least)
{
	t->first = t->all.count;
	t->left_out = 0;
	for (size_t i = 0; i < of->row->child_count; i++) {
		const struct heft_row *row = of->row->children[i];
		const struct tile tile = { .row = row,
					   .weight = out_svg_weigh(r, row),
					   .depth = of->depth + 1,
					   .colour = of->colour };
		if (tile.weight >= least && tile.weight > 0)
			vec_push(&t->all, tile);
		else
			t->left_out += tile.weight > 0;
	}
	if (t->all.count > t->first)
		qsort(t->all.data + t->first, t->all.count - t->first, sizeof *t->all.data,
		      compare_tiles);
	for (size_t i = t->first; of->depth == 0 && i < t->all.count; i++)
		t->all.data[i].colour = (unsigned)(i - t->first);
}

static void amount_text(char out[NUMBER_MAX], const struct report *r, const struct heft_row *row)
{
	const double v = r->table.diff ? change_of_row(r, row) : now_of(r, row);
	const double size = fabs(v);
	const char sign = !r->table.diff || size < 0.5 ? '\0' : v < 0 ? '-' : '+';
	const uint64_t whole = size < 0x1p63 ? (uint64_t)(size + 0.5) : INT64_MAX;
	if (r->table.measures[r->table.sorted_by].unit == HEFT_COUNT)
		snprintf(out, NUMBER_MAX, "%.*s%" PRIu64, sign != '\0', &sign, whole);
	else
		number_size(out, whole, sign);
}

static void tip_text(char *out, size_t room, const struct report *r, const struct tile *t)
{
	char amount[NUMBER_MAX];
	const struct heft_row *top = r->table.top;
	const double all = r->table.diff ? 0 : now_of(r, top);
	amount_text(amount, r, t->row);
	const int used = snprintf(out, room, "%.*s: %s", TIP_LABEL, t->row->label, amount);
	if (all > 0 && (size_t)used < room)
		snprintf(out + used, room - (size_t)used, " (%d.%d%%)",
			 (int)(100 * t->weight / all), (int)(1000 * t->weight / all) % 10);
}

/* Writes the title: "sections, symbols: 7.75Mi file". */
static void title_text(char *out, size_t room, const struct report *r)
{
	char amount[NUMBER_MAX];
	size_t used = 0;
	amount_text(amount, r, r->table.top);
	for (size_t i = 0; i < r->table.level_count && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%s", i > 0 ? ", " : "",
					 r->table.levels[i]);
	if (used < room)
		snprintf(out + used, room - used, ": %s %s%s", amount,
			 r->table.measures[r->table.sorted_by].title,
			 r->table.diff ? " (change; + orange grew, - blue shrank)" : "");
}

static void out_svg_begin(const struct report *r, unsigned height, const struct tile *top,
			  struct sink *s)
{
	char title[600];
	struct text about = { 0 };
	title_text(title, sizeof title, r);
	/* Describes the picture for screen readers by its largest rows. */
	struct tiles t = { 0 };
	out_svg_add_children(&t, r, top, 0);
	for (size_t i = 0; i < t.all.count && i < TEXT_LABELS; i++) {
		char tip[TIP_LABEL + 100];
		tip_text(tip, sizeof tip, r, &t.all.data[i]);
		text_adds(&about, i > 0 ? STR("; ") : STR("Largest: "), str_of(tip));
	}
	text_add_char(&about, '\0');
	vec_release(&t.all);
	svg_begin(s, height, title, about.p);
	text_release(&about);
}

/* True if a tile has room for its label above its children. */
static bool out_svg_has_header(const struct tile *t)
{
	return t->box.h > 3 * SVG_LINE && t->box.w > 40;
}

/* Writes the label, with the size if both fit. Without the size, only the colour shows growth. */
static void out_svg_put_label(const struct report *r, const struct tile *t, const char *tip,
			      struct sink *s)
{
	const double change = r->table.diff ? change_of_row(r, t->row) : 0, y = t->box.y + 12;
	const bool both = 7.0 * (double)strlen(tip) < t->box.w;
	double x = t->box.x + 3, width = t->box.w - 6;
	if (!both && change != 0 && width > sign_width) {
		svg_text(s, x, y, sign_width, change > 0 ? "+" : "-");
		x += sign_width;
		width -= sign_width;
	}
	svg_text(s, x, y, width, both ? tip : t->row->label);
}

static void draw_tile(const struct report *r, const struct tile *t, bool inner, struct sink *s)
{
	char class[16], tip[TIP_LABEL + 100];
	const double change = r->table.diff ? change_of_row(r, t->row) : 0;
	const char *extra = inner ? " i" : "";
	if (t->row->others > 0)
		snprintf(class, 16, "n%s", extra);
	else if (r->table.diff)
		snprintf(class, 16, "%s%s", change > 0 ? "more" : change < 0 ? "less" : "n", extra);
	else
		snprintf(class, 16, "c%u%s", t->colour % SVG_COLOURS, extra);
	tip_text(tip, sizeof tip, r, t);
	svg_box(s, &t->box, class, tip);
	if (t->box.h >= 13 && (!inner || out_svg_has_header(t)))
		out_svg_put_label(r, t, tip, s);
}

/* Returns how many of the next tiles to put side by side, and their area. Source: Bruls, Huizing
 * and van Wijk, "Squarified Treemaps" (2000). */
static size_t next_row(const struct tile *t, size_t count, double scale, double side, double *ret)
{
	double sum = 0, best = HUGE_VAL; /* `best`: worst ratio of a tile's sides in the best
					  * choice up to now */
	size_t n = 0;
	for (; n < count; n++) {
		const double area = t[n].weight * scale;
		const double largest = t[0].weight * scale;
		const double square = (sum + area) * (sum + area), sides = side * side;
		const double ratio = fmax(sides * largest / square, square / (sides * area));
		if (ratio > best)
			break;
		best = ratio;
		sum += area;
	}
	*ret = sum;
	return n;
}

/* Gives boxes to tiles of falling weight. `whole` is the weight of the whole area, which includes
 * omitted tiles. Returns the unused area. */
static struct svg_box squarify(struct tile *t, size_t count, double whole, struct svg_box room)
{
	for (size_t i = 0; i < count && room.w > 0 && room.h > 0 && whole > 0;) {
		const bool upright = room.w >= room.h;
		const double side = upright ? room.h : room.w;
		double sum, at = 0;
		const size_t n = next_row(t + i, count - i, room.w * room.h / whole, side, &sum);
		const double thick = sum / side, scale = room.w * room.h / whole;
		for (size_t end = i + n; i < end; i++) {
			const double length = t[i].weight * scale / thick;
			t[i].box = upright ? (struct svg_box){ room.x, room.y + at, thick, length }
					   : (struct svg_box){ room.x + at, room.y, length, thick };
			at += length;
			whole -= t[i].weight;
		}
		*(upright ? &room.x : &room.y) += thick;
		*(upright ? &room.w : &room.h) -= thick;
	}
	return room;
}

/* Lays out the rows below a tile. A text gives the number of omitted rows. */
static void lay_children(struct tiles *t, const struct report *r, const struct tile *of,
			 const struct svg_box *room, struct sink *s)
{
	char text[60];
	out_svg_add_children(t, r, of, least_area * of->weight / (room->w * room->h));
	const struct svg_box rest = squarify(t->all.data + t->first, t->all.count - t->first,
					     of->weight, *room);
	snprintf(text, sizeof text, "%zu smaller", t->left_out);
	if (t->left_out > 0 && rest.h >= 13)
		svg_text(s, rest.x + 3, rest.y + 12, rest.w - 6, text);
}

void out_svg_map(const struct report *r, struct sink *s)
{
	struct tiles t = { 0 };
	const struct tile top = { .row = r->table.top,
				  .weight = out_svg_weigh(r, r->table.top),
				  .box = { 0, SVG_LINE + 2, SVG_WIDTH,
					   MAP_HEIGHT - SVG_LINE - 2 } };
	ASSERT(has_labels(r) && r->table.sorted_by < r->table.measure_count);
	out_svg_begin(r, MAP_HEIGHT, &top, s);
	vec_push(&t.all, top);
	while (t.all.count > 0 && !s->failed) {
		const struct tile tile = t.all.data[--t.all.count];
		/* The box for the rows below a tile, under its label. */
		const double gap = tile.depth > 0 ? MAP_GAP : 0;
		const double label = tile.depth > 0 && out_svg_has_header(&tile) ? (double)SVG_LINE
										 : gap;
		const struct svg_box room = { tile.box.x + gap, tile.box.y + label,
					      tile.box.w - 2 * gap, tile.box.h - label - gap };
		const bool inner = tile.row->child_count > 0 && room.w >= least_side &&
				   room.h >= least_side && room.w * room.h >= least_inner &&
				   (tile.depth == 0 || !r->kind->hides_children ||
				    !r->kind->hides_children(r, tile.row));
		if (tile.depth > 0)
			draw_tile(r, &tile, inner, s);
		if (inner)
			lay_children(&t, r, &tile, &room, s);
	}
	vec_release(&t.all);
	svg_end(s);
}

/* Lays out the rows that are wide enough to see, a band per level. Returns the deepest level. */
static unsigned lay_flame(struct tiles *drawn, const struct report *r, const struct tile *top)
{
	struct tiles t = { 0 };
	unsigned deepest = 0;
	vec_push(&t.all, *top);
	while (t.all.count > 0) {
		const struct tile tile = t.all.data[--t.all.count];
		vec_push(&drawn->all, tile);
		deepest = tile.depth > deepest ? tile.depth : deepest;
		out_svg_add_children(&t, r, &tile, least_band * tile.weight / tile.box.w);
		double x = tile.box.x;
		for (size_t i = t.first; i < t.all.count; i++) {
			struct tile *child = &t.all.data[i];
			child->colour = svg_colour(child->row->label);
			child->box = (struct svg_box){ x, 0,
						       tile.box.w * child->weight / tile.weight,
						       BAND };
			x += child->box.w;
		}
	}
	vec_release(&t.all);
	return deepest;
}

/* Draws a flame graph, upside down: callers are above the functions that they call. */
void out_svg_flame(const struct report *r, struct sink *s)
{
	struct tiles drawn = { 0 };
	const struct tile top = { .row = r->table.top,
				  .weight = out_svg_weigh(r, r->table.top),
				  .box = { 0, 0, SVG_WIDTH, BAND } };
	const unsigned deepest = top.weight > 0 ? lay_flame(&drawn, r, &top) : 0;
	const unsigned height = (deepest + 1) * BAND + SVG_LINE + 2;
	ASSERT(has_labels(r) && height >= BAND);
	out_svg_begin(r, height, &top, s);
	for (size_t i = 0; i < drawn.all.count && !s->failed; i++) {
		struct tile *tile = &drawn.all.data[i];
		tile->box.y = height - (tile->depth + 1.0) * (double)BAND;
		draw_tile(r, tile, false, s);
	}
	vec_release(&drawn.all);
	svg_end(s);
}
