/* svg.h - writes pictures for documents: one SVG 1.1 element without external files.
 *
 * Colours are CSS classes, light or dark by the reader's settings (media queries). Foreign texts
 * are escaped, and control characters become visible escapes (base/tame.h). */
#pragma once

#include "report/report.h"

enum { SVG_WIDTH = 960, SVG_LINE = 16, SVG_COLOURS = 8 };

struct svg_box {
	double x, y, w, h; /* Position and size in pixels */
};

/* Begins a picture of width SVG_WIDTH, with room for a line of text at the top. Shows the title.
 * Screen readers read title and text. */
void svg_begin(struct sink *s, unsigned height, const char *title, const char *text);
void svg_end(struct sink *s);

/* Writes a number with one decimal, independent of the locale. */
void svg_number(struct sink *s, double v);

/* Writes a rectangle with a CSS class. `tip` appears when the reader points at it. */
void svg_box(struct sink *s, const struct svg_box *b, const char *class, const char *tip);
/* Writes text from x on, cut to a width; y is its base line. Cuts the beginning of paths, because
 * their ends differ. Writes nothing if the width is too small. */
void svg_text(struct sink *s, double x, double y, double width, const char *text);
/* Returns a colour for an owner: 0 to SVG_COLOURS - 1. */
unsigned svg_colour(const char *label);

/* Draw rows by the sort measure: as a treemap, as a flame graph. */
void out_svg_map(const struct report *r, struct sink *s);
void out_svg_flame(const struct report *r, struct sink *s);
