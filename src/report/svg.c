/* Writes the elements of SVG pictures. */
#include "report/svg.h"

#include "base/tame.h"

enum { TEXT_MOST = 4 * SVG_WIDTH };

/* Style with the page's hues. The contrast of text is at least 7 : 1 on all of them. */
static const char style[] =
	"<style>"
	"text{font:11px system-ui,-apple-system,'DejaVu Sans',sans-serif;fill:#14181f}"
	".t text{font-weight:600;font-size:12px}.g{fill:#fff}.n{fill:#e3e6ea}"
	"rect{stroke:#fff;stroke-width:.6}.g{stroke:none}"
	".c0{fill:#b5cdf0}.c1{fill:#a9dcd3}.c2{fill:#b7dfb4}.c3{fill:#d9dc9f}"
	".c4{fill:#d3bdf0}.c5{fill:#f0c3ae}.c6{fill:#f0d79c}.c7{fill:#efb9d6}"
	".more{fill:#f5b98a}.less{fill:#9cc3f5}.i{fill-opacity:.45}"
	".line{fill:none;stroke:#1f6fd6;stroke-width:1.5}.area{fill:#b5cdf0}"
	".peak{fill:none;stroke:#a63d00;stroke-dasharray:3 3}.axis{stroke:#d9dfe7}"
	"@media(prefers-color-scheme:dark){"
	"text{fill:#eef1f5}.g{fill:#14181f}.n{fill:#3a4250}rect{stroke:#14181f}"
	".c0{fill:#2b4f86}.c1{fill:#1f5d55}.c2{fill:#2c6130}.c3{fill:#5c5e1d}"
	".c4{fill:#553a85}.c5{fill:#7d432a}.c6{fill:#6f5518}.c7{fill:#7c3259}"
	".more{fill:#8a4312}.less{fill:#1d4f8f}"
	".line{stroke:#6ea8fe}.area{fill:#2b4f86}.peak{stroke:#ffae70}.axis{stroke:#323b49}}"
	"</style>\n";

/* Writes text between tags or in an attribute. */
static void svg_escape(struct sink *s, const char *text)
{
	const struct str str = str_of(text);
	struct tame t;
	for (size_t pos = 0; pos < str.len; pos += t.size) {
		tame_get(&t, str, pos);
		if (t.escape_size > 0)
			sink_text(s, (struct str){ t.escape, t.escape_size });
		else if (t.c == '&')
			sink_text(s, STR("&amp;"));
		else if (t.c == '<')
			sink_text(s, STR("&lt;"));
		else if (t.c == '>')
			sink_text(s, STR("&gt;"));
		else if (t.c == '"')
			sink_text(s, STR("&quot;"));
		else if (t.c == 0xfffe || t.c == 0xffff) /* XML 1.0 forbids these characters */
			sink_text(s, STR("?"));
		else
			sink_text(s, (struct str){ str.p + pos, t.size });
	}
}

void svg_number(struct sink *s, double v)
{
	const int64_t tenths = (int64_t)(v < 0 ? v * 10 - 0.5 : v * 10 + 0.5);
	const int64_t size = tenths < 0 ? -tenths : tenths;
	sink_printf(s, "%s%" PRId64, tenths < 0 ? "-" : "", size / 10);
	if (size % 10 != 0)
		sink_printf(s, ".%" PRId64, size % 10);
}

void svg_begin(struct sink *s, unsigned height, const char *title, const char *text)
{
	sink_printf(s,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		    "viewBox=\"0 0 %d %u\" role=\"img\" aria-labelledby=\"heft-title heft-desc\">\n"
		    "<title id=\"heft-title\">",
		    SVG_WIDTH, height, SVG_WIDTH, height);
	svg_escape(s, title);
	sink_text(s, STR("</title>\n<desc id=\"heft-desc\">"));
	svg_escape(s, text);
	sink_text(s, STR("</desc>\n"));
	sink_text(s, str_of(style));
	sink_printf(s, "<rect class=\"g\" width=\"%d\" height=\"%u\"/>\n<g class=\"t\">", SVG_WIDTH,
		    height);
	svg_text(s, 2, 12, SVG_WIDTH, title);
	sink_text(s, STR("</g>\n"));
}

void svg_end(struct sink *s)
{
	sink_text(s, STR("</svg>\n"));
}

static void svg_put_number(struct sink *s, const char *name, double v)
{
	sink_printf(s, " %s=\"", name);
	svg_number(s, v);
	sink_text(s, STR("\""));
}

void svg_box(struct sink *s, const struct svg_box *b, const char *class, const char *tip)
{
	sink_printf(s, "<rect class=\"%s\"", class);
	svg_put_number(s, "x", b->x);
	svg_put_number(s, "y", b->y);
	svg_put_number(s, "width", b->w);
	svg_put_number(s, "height", b->h);
	sink_text(s, STR("><title>"));
	svg_escape(s, tip);
	sink_text(s, STR("</title></rect>\n"));
}

/* Returns the width of a character in DejaVu Sans at 11 pixels. Other fonts are narrower. */
static double char_width(uint32_t c)
{
	if (c >= 0x80)
		return 11;
	if (c != 0 && strchr("ijl.,:;'|!/\\ ft()[]{}r-", (int)c))
		return 4.6;
	if (c != 0 && strchr("mwMW@%<>=+#~&", (int)c))
		return 10;
	return c >= 'A' && c <= 'Z' ? 7.7 : 7;
}

/* Returns the width of the character at `pos`, and its number of bytes. */
static double width_at(struct str str, size_t pos, size_t *ret_size)
{
	struct tame t;
	tame_get(&t, str, pos);
	*ret_size = t.size;
	return t.escape_size == 0 ? char_width(t.c) : char_width('x') * (double)t.escape_size;
}

static double text_width(struct str str)
{
	double width = 0;
	for (size_t pos = 0, size; pos < str.len; pos += size)
		width += width_at(str, pos, &size);
	return width;
}

static struct str svg_behind(struct str str, size_t size)
{
	return (struct str){ str.p + size, str.len - size };
}

/* Returns the first characters of a text that fit into `room` pixels. */
static struct str cut_behind(struct str str, double room)
{
	for (size_t pos = 0, size; pos < str.len; pos += size) {
		room -= width_at(str, pos, &size);
		if (room < 0)
			return (struct str){ str.p, pos };
	}
	return str;
}

/* Returns the last characters of a text that fit into `room` pixels. */
static struct str cut_in_front(struct str str, double room)
{
	size_t size;
	for (double width = text_width(str); width > room && str.len > 0;
	     str = svg_behind(str, size))
		width -= width_at(str, 0, &size);
	return str;
}

/* Cuts a text to the greatest visible length, so that long texts cost no time. */
static struct str shorten(struct str str, bool front)
{
	if (str.len <= TEXT_MOST)
		return str;
	if (!front)
		return (struct str){ str.p, TEXT_MOST };
	str = svg_behind(str, str.len - TEXT_MOST);
	while (str.len > 0 && ((unsigned char)str.p[0] & 0xc0) == 0x80)
		str = svg_behind(str, 1);
	return str;
}

void svg_text(struct sink *s, double x, double y, double width, const char *text)
{
	const struct str all = str_of(text);
	const bool front = text[0] == '/';
	struct str str = shorten(all, front);
	const bool fits = str.len == all.len && text_width(str) <= width;
	if (!fits)
		str = (front ? cut_in_front : cut_behind)(str, width - char_width(0x2026));
	if (str.len == 0 || (!fits && str.len < 2))
		return;
	sink_text(s, STR("<text"));
	svg_put_number(s, "x", x);
	svg_put_number(s, "y", y);
	sink_text(s, fits || !front ? STR(">") : STR(">…"));
	char cut[TEXT_MOST + 1];
	ASSERT(str.len <= TEXT_MOST);
	memcpy(cut, str.p, str.len);
	cut[str.len] = '\0';
	svg_escape(s, cut);
	sink_text(s, fits || front ? STR("</text>\n") : STR("…</text>\n"));
}

unsigned svg_colour(const char *label)
{
	uint32_t h = 2166136261;
	for (size_t i = 0; i < 200 && label[i] != '\0'; i++)
		h = (h ^ (unsigned char)label[i]) * 16777619;
	return (h ^ h >> 15) % SVG_COLOURS;
}
