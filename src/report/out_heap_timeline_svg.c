/* Draws the history of a heap's size. */
#include "report/heap_report.h"
#include "base/number.h"
#include "report/svg.h"

#include <stdio.h>

enum { HEIGHT = 260, TOP = 26, BOTTOM = 24, LEFT = 60, RIGHT = 10, TICKS = 4 };

struct scale {
	double x, y; /* Pixels per nanosecond, and per byte */
	uint64_t end, most;
};

static double x_of(const struct scale *c, uint64_t at)
{
	return (double)LEFT + (double)at * c->x;
}

static double y_of(const struct scale *c, uint64_t bytes)
{
	return (double)(HEIGHT - BOTTOM) - (double)bytes * c->y;
}

static void put_point(struct sink *s, double x, double y)
{
	svg_number(s, x);
	sink_text(s, STR(","));
	svg_number(s, y);
	sink_text(s, STR(" "));
}

static void put_axes(const struct scale *c, struct sink *s)
{
	char text[NUMBER_MAX];
	for (unsigned i = 0; i <= TICKS; i++) {
		const uint64_t bytes = c->most / TICKS * i;
		const double y = y_of(c, bytes), x = x_of(c, c->end / TICKS * i);
		const uint64_t ns = c->end / TICKS * i;
		sink_printf(s, "<path class=\"axis\" d=\"M%d ", LEFT);
		svg_number(s, y);
		sink_printf(s, "H%d\"/>\n", SVG_WIDTH - RIGHT);
		number_size(text, bytes, '\0');
		svg_text(s, 4, y + 4, LEFT, text);
		snprintf(text, sizeof text, "%" PRIu64 ".%02" PRIu64 " s", ns / 1000000000,
			 ns / 10000000 % 100);
		svg_text(s, i == TICKS ? x - 40 : x, HEIGHT - 6, LEFT, text);
	}
}

/* Draws live bytes as an area with a line; as a second line, the maximum since the previous
 * moment. */
static void out_heap_timeline_svg_put_lines(const struct scale *c, const struct heft_heap_moment *m,
					    size_t count, struct sink *s)
{
	sink_text(s, STR("<polygon class=\"area\" points=\""));
	put_point(s, x_of(c, m[0].at), HEIGHT - BOTTOM);
	for (size_t i = 0; i < count; i++)
		put_point(s, x_of(c, m[i].at), y_of(c, m[i].live_bytes));
	put_point(s, x_of(c, m[count - 1].at), HEIGHT - BOTTOM);
	sink_text(s, STR("\"/>\n<polyline class=\"line\" points=\""));
	for (size_t i = 0; i < count; i++)
		put_point(s, x_of(c, m[i].at), y_of(c, m[i].live_bytes));
	sink_text(s, STR("\"/>\n<polyline class=\"peak\" points=\""));
	for (size_t i = 0; i < count; i++)
		put_point(s, x_of(c, m[i].at), y_of(c, max_u64(m[i].peak_bytes, m[i].live_bytes)));
	sink_text(s, STR("\"/>\n"));
}

void out_heap_timeline_svg(const struct heap_info *info, const struct heft_heap_moment *m,
			   size_t count, struct sink *s)
{
	char title[300], text[300], live[NUMBER_MAX], peak[NUMBER_MAX];
	struct scale c = { .end = 1, .most = 1 };
	for (size_t i = 0; i < count; i++) {
		c.most = max_u64(c.most, max_u64(m[i].peak_bytes, m[i].live_bytes));
		c.end = max_u64(c.end, m[i].at);
	}
	ASSERT(c.end > 0 && c.most > 0);
	c.x = (double)(SVG_WIDTH - LEFT - RIGHT) / (double)c.end;
	c.y = (double)(HEIGHT - TOP - BOTTOM) / (double)c.most;
	number_size(live, info->of.live_bytes, '\0');
	number_size(peak, c.most, '\0');
	snprintf(title, sizeof title, "live bytes (line) and peaks (dashed) over time: %.160s",
		 *info->of.command ? info->of.command : info->of.path);
	snprintf(text, sizeof text, "%zu moments; %s live at the end, %s at most", count, live,
		 peak);
	svg_begin(s, HEIGHT, title, text);
	put_axes(&c, s);
	if (count > 0)
		out_heap_timeline_svg_put_lines(&c, m, count, s);
	svg_end(s);
}
