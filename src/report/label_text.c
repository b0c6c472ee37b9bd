/* Writes labels so that a terminal can show them, cut to a width. */
#include "report/label_text.h"

#include "base/tame.h"

/* A unit of a shown label: a character or an escape. */
struct label_text_glyph {
	struct tame tame;
	size_t width; /* Columns: 0, 1, 2 or the length of the escape */
};

struct label_text_range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct label_text_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Returns the number of columns of a character, approximately as in Unicode Standard Annex 11.
 * Combining marks take no column; East Asian wide characters and pictographs take two. */
static size_t columns_of(uint32_t c)
{
	static const struct label_text_range zero[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x064b, 0x065f },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff },
		{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	};
	static const struct label_text_range two[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
		{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
		{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1faff }, { 0x20000, 0x3fffd },
	};
	if (c < 0x300)
		return 1;
	if (in_ranges(c, zero, COUNT_OF(zero)))
		return 0;
	return in_ranges(c, two, COUNT_OF(two)) ? 2 : 1;
}

/* Reads the glyph that starts at label.p[pos], pos < label.len. */
static void glyph_get(struct label_text_glyph *g, struct str label, size_t pos)
{
	tame_get(&g->tame, label, pos);
	g->width = g->tame.escape_size ? g->tame.escape_size : columns_of(g->tame.c);
}

size_t label_width(struct str label)
{
	struct label_text_glyph g;
	size_t width = 0;
	for (size_t pos = 0; pos < label.len; pos += g.tame.size) {
		glyph_get(&g, label, pos);
		width += g.width;
	}
	return width;
}

/* True if all 8 bytes are printable ASCII. A byte below 0x80 does not carry into the next byte. */
static bool plain_8(const char *p)
{
	static const uint64_t tops = UINT64_C(0x8080808080808080);
	uint64_t w;
	memcpy(&w, p, sizeof w);
	const uint64_t not_ascii = w | (w + UINT64_C(0x0101010101010101));
	return (not_ascii & tops) == 0 && ((w + UINT64_C(0x6060606060606060)) & tops) == tops;
}

/* Writes label[start, end) without splitting glyphs. */
static void put_glyphs(struct sink *s, struct str label, size_t start, size_t end)
{
	struct tame t;
	for (size_t pos = start; pos < end; pos += t.size) {
		t.size = 8;
		if (end - pos >= 8 && plain_8(label.p + pos))
			continue;
		t.size = 1;
		if (label.p[pos] >= ' ' && label.p[pos] < 0x7f)
			continue;
		tame_get(&t, label, pos);
		if (!t.escape_size)
			continue;
		sink_text(s, (struct str){ label.p + start, pos - start });
		sink_text(s, (struct str){ t.escape, t.escape_size });
		start = pos + t.size;
	}
	sink_text(s, (struct str){ label.p + start, end - start });
}

/* Returns the end of the first glyphs that fit into `width` columns. */
static size_t head_end(struct str label, size_t width)
{
	struct label_text_glyph g;
	size_t pos = 0;
	for (; pos < label.len; pos += g.tame.size) {
		glyph_get(&g, label, pos);
		if (g.width > width)
			break;
		width -= g.width;
	}
	return pos;
}

/* Returns the start of the last glyphs of a label of `total` columns that fit into `width`. */
static size_t tail_start(struct str label, size_t total, size_t width)
{
	struct label_text_glyph g;
	size_t pos = 0;
	for (; pos < label.len; pos += g.tame.size) {
		glyph_get(&g, label, pos);
		/* A combining mark must not directly follow the "...". */
		if (total <= width && g.width > 0)
			break;
		total -= g.width;
	}
	return pos;
}

void label_put(struct sink *s, struct str label, size_t width)
{
	static const size_t dots = 3;
	const size_t total = width ? label_width(label) : 0;
	if (total <= width || width <= dots) {
		put_glyphs(s, label, 0, label.len);
		return;
	}
	const size_t head = (width - dots + 1) / 2;
	put_glyphs(s, label, 0, head_end(label, head));
	sink_text(s, STR("..."));
	put_glyphs(s, label, tail_start(label, total, width - dots - head), label.len);
}

void label_list(struct sink *s, struct str list, struct str apart,
		bool (*ends)(struct str part, struct str behind), const char *first,
		const char *next)
{
	ASSERT(apart.len > 0);
	for (const char *before = first; list.len > 0; before = next) {
		size_t len = 0;
		for (; len < list.len; len++) {
			const struct str from = { list.p + len, list.len - len };
			if (str_starts(from, apart) &&
			    (!ends ||
			     ends((struct str){ list.p, len },
				  (struct str){ from.p + apart.len, from.len - apart.len })))
				break;
		}
		sink_text(s, str_of(before));
		label_put(s, (struct str){ list.p, len }, 0);
		sink_char(s, '\n');
		len = (size_t)min_u64(list.len, len + apart.len);
		list = (struct str){ list.p + len, list.len - len };
	}
}
