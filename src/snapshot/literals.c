/* Recognizes string literals in memory and makes their names. */
#include "snapshot/collect_internal.h"

#include "base/utf8.h"

enum { LITERAL_SHOWN = 30, LITERAL_CUT = 27 };

/* Returns the character at offset `at`, which must be inside the text. */
static uint32_t literals_unit_at(const struct literal *l, uint64_t at)
{
	uint32_t c = 0;
	for (unsigned i = 0; i < l->width; i++) {
		const unsigned shift = 8 * (l->big_endian ? l->width - 1 - i : i);
		c |= (uint32_t)l->bytes.p[at + i] << shift;
	}
	return c;
}

static bool plain_size(struct bytes b, uint64_t *ret)
{
	const struct str s = { (const char *)b.p, b.size };
	uint64_t i = 0;
	while (i < b.size && b.p[i] != 0) {
		uint32_t c;
		const unsigned n = b.p[i] < 0x80 ? literal_has_char(b.p[i]) : utf8_decode(s, i, &c);
		if (n == 0)
			break;
		i += n;
	}
	*ret = min_u64(i + 1, max_u64(b.size, 1));
	return i < b.size && b.p[i] == 0;
}

/* True for a printable ASCII character. In a wide text, the first character and half of all must be
 * printable. */
static bool is_printable(uint32_t c)
{
	return c >= 0x20 && c < 0x7f;
}

static bool is_wide_char(uint32_t c)
{
	return is_printable(c) || c == '\t' || c == '\n' || c == '\r' ||
	       (c >= 0xa0 && c <= 0x10ffff);
}

static bool wide_size(const struct literal *l, bool any, uint64_t *ret)
{
	uint64_t plain = 0, i = 0;
	bool found = false;
	for (; l->width <= l->bytes.size - i; i += l->width) {
		const uint32_t c = literals_unit_at(l, i);
		found = c == 0 && (any || 2 * plain * l->width >= i);
		if (c == 0 || (!any && !(i == 0 ? is_printable(c) : is_wide_char(c))))
			break;
		plain += is_printable(c);
	}
	*ret = max_u64(min_u64(i + l->width, l->bytes.size), 1);
	return found;
}

bool literal_size(const struct literal *l, bool any, uint64_t *ret)
{
	ASSERT(l->width == 1 || l->width == 2 || l->width == 4);
	return l->width == 1 && !any ? plain_size(l->bytes, ret) : wide_size(l, any, ret);
}

/* Appends a character of a wide text as UTF-8. Joins the two halves of a UTF-16 pair. Returns the
 * number of bytes read. */
static unsigned add_wide(struct text *out, const struct literal *l, uint64_t at)
{
	char utf8[4];
	uint32_t c = literals_unit_at(l, at);
	unsigned size = l->width;
	if (l->width == 2 && c >= 0xd800 && c < 0xdc00 && at + 4 <= l->bytes.size) {
		const uint32_t low = literals_unit_at(l, at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			size = 4;
		}
	}
	const bool fine = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
	text_add(out, (struct str){ utf8, utf8_encode(fine ? c : 0xfffd, utf8) });
	return size;
}

/* Appends the text in quotes. Shortens a long text. False if it cannot be printed. */
static bool add_quoted(struct text *out, struct str s)
{
	size_t shown = 0;
	text_add(out, STR("\""));
	const size_t from = out->len;
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.p[i];
		if (c == '\r' || c == '\n' || c == '\t')
			continue;
		if ((unsigned char)c < 0x20 || c == 0x7f)
			return false;
		text_add_char(out, c);
		shown++;
	}
	if (shown > LITERAL_SHOWN)
		out->len = from + LITERAL_CUT;
	text_add(out, shown > LITERAL_SHOWN ? STR("\"...") : STR("\""));
	return true;
}

void literal_name(struct text *out, const struct literal *l)
{
	struct text wide = { 0 };
	struct str s = { (const char *)l->bytes.p, l->bytes.size };
	if (l->width > 1) {
		for (uint64_t i = 0; l->width <= l->bytes.size - i;)
			i += add_wide(&wide, l, i);
		s = text_str(&wide);
	}
	while (s.len > 0 && s.p[s.len - 1] == '\0')
		s.len--;
	out->len = 0;
	if (!add_quoted(out, s))
		text_set(out, STR("string literal"));
	text_release(&wide);
}
