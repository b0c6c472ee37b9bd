#include "snapshot/collect_internal.h"

#include "base/utf8.h"

enum { LITERAL_SHOWN = 30, LITERAL_CUT = 27 };

/* What a text may hold beside printable characters. */
static bool is_text_byte(uint8_t c)
{
	return (c >= 0x20 && c < 0x7f) || (c >= '\a' && c <= '\r') || c == 0x1b;
}

bool literal_size(struct bytes b, uint64_t *ret)
{
	const struct str s = { (const char *)b.p, b.size };
	uint64_t i = 0;
	while (i < b.size && b.p[i] != 0) {
		uint32_t c;
		const unsigned n = b.p[i] < 0x80 ? is_text_byte(b.p[i]) : utf8_decode(s, i, &c);
		if (n == 0)
			break;
		i += n;
	}
	*ret = i + 1;
	return i < b.size && b.p[i] == 0;
}

void literal_name(struct text *out, struct bytes b)
{
	struct str s = { (const char *)b.p, b.size };
	size_t shown = 0;
	while (s.len > 0 && s.p[s.len - 1] == '\0')
		s.len--;
	text_set(out, STR("\""));
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.p[i];
		if (c == '\r' || c == '\n' || c == '\t')
			continue;
		if (c < 0x20 || c == 0x7f) {
			text_set(out, STR("string literal"));
			return;
		}
		text_add_char(out, c);
		shown++;
	}
	if (shown > LITERAL_SHOWN)
		out->len = 1 + LITERAL_CUT;
	text_add(out, shown > LITERAL_SHOWN ? STR("\"...") : STR("\""));
}
