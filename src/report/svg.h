/* svg.h - pictures for documents: one SVG 1.1 element that needs nothing else.
 *
 * Colours are classes, light or dark as the reader's settings say (CSS media queries).  Texts of
 * strangers are escaped, and control characters in them shown as escapes (base/tame.h). */
#ifndef HEFT_REPORT_SVG_H
#define HEFT_REPORT_SVG_H

#include "report/report.h"

enum { SVG_WIDTH = 960, SVG_LINE = 16, SVG_COLOURS = 8 };

struct svg_box {
	double x, y, w, h; /* pixels */
};

/* Begins a picture SVG_WIDTH wide, with room for a line of text at the top; it shows the title, a
 * screen reader reads both. */
void svg_begin(struct sink *s, unsigned height, const char *title, const char *text);
void svg_end(struct sink *s);

/* A number with one decimal, whatever the locale. */
void svg_number(struct sink *s, double v);
/* Text between tags, or in an attribute. */
void svg_escape(struct sink *s, const char *text);

/* A rectangle of a class, with a text that is shown where it is pointed at. */
void svg_box(struct sink *s, const struct svg_box *b, const char *class, const char *tip);
/* Text from x on, cut to a width; y is its base line.  Paths are cut in front, for their ends tell
 * them apart.  Nothing where there is hardly room. */
void svg_text(struct sink *s, double x, double y, double width, const char *text);
/* A colour of those that tell owners apart: 0 .. SVG_COLOURS - 1. */
unsigned svg_colour(const char *label);

/* The rows of a report by the measure that decides their order: a treemap; a flame graph. */
void out_svg_map(const struct report *r, struct sink *s);
void out_svg_flame(const struct report *r, struct sink *s);

#endif
