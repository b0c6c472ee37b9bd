#include "report/svg.h"

#include "base/tame.h"

/* Text of 11 pixels has about so many pixels a character. */
static const double char_width = 6.3;

/* The hues of the page; contrast of text at least 7 : 1 on all of them. */
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

void svg_escape(struct sink *s, const char *text)
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
		else if (t.c == 0xfffe || t.c == 0xffff) /* XML 1.0 has no such characters */
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

static void put_number(struct sink *s, const char *name, double v)
{
	sink_printf(s, " %s=\"", name);
	svg_number(s, v);
	sink_text(s, STR("\""));
}

void svg_box(struct sink *s, const struct svg_box *b, const char *class, const char *tip)
{
	sink_printf(s, "<rect class=\"%s\"", class);
	put_number(s, "x", b->x);
	put_number(s, "y", b->y);
	put_number(s, "width", b->w);
	put_number(s, "height", b->h);
	sink_text(s, STR("><title>"));
	svg_escape(s, tip);
	sink_text(s, STR("</title></rect>\n"));
}

void svg_text(struct sink *s, double x, double y, double width, const char *text)
{
	const size_t most = width > 0 ? (size_t)(width / char_width) : 0;
	const struct str str = str_of(text);
	char cut[4 * SVG_WIDTH + 8];
	size_t used = 0, count = 0, pos = 0;
	struct tame t;
	if (most < 3)
		return;
	for (; pos < str.len && count < most; pos += t.size) {
		tame_get(&t, str, pos);
		const size_t size = t.escape_size ? t.escape_size : t.size;
		if (used + size + 4 > sizeof cut)
			break;
		memcpy(cut + used, t.escape_size ? t.escape : str.p + pos, size);
		used += size;
		count += t.escape_size ? t.escape_size : 1;
	}
	memcpy(cut + used, pos < str.len ? "…" : "", pos < str.len ? sizeof "…" : 1);
	sink_text(s, STR("<text"));
	put_number(s, "x", x);
	put_number(s, "y", y);
	sink_text(s, STR(">"));
	svg_escape(s, cut);
	sink_text(s, STR("</text>\n"));
}

unsigned svg_colour(const char *label)
{
	uint32_t h = 2166136261;
	for (size_t i = 0; i < 200 && label[i] != '\0'; i++)
		h = (h ^ (unsigned char)label[i]) * 16777619;
	return (h ^ h >> 15) % SVG_COLOURS;
}
