/* Escapes control characters in text of files. */
#include "base/tame.h"

#include "base/utf8.h"

#include <stdio.h>

/* True if a character controls the terminal or the order of text: C0, DEL, C1, separators of lines
 * and paragraphs, bidirectional controls, byte order mark (Unicode Cc, Zl, Zp, Bidi_Control). */
static bool is_control(uint32_t c)
{
	static const struct range {
		uint32_t first, last;
	} ranges[] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x061c, 0x061c }, { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
	};
	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static void tame_escape(struct tame *t, struct str s)
{
	static const char names[] = "\aa\bb\tt\nn\vv\ff\rr";
	for (size_t i = 0; s.len == 1 && i + 1 < sizeof names; i += 2) {
		if (names[i] == s.p[0]) {
			snprintf(t->escape, sizeof t->escape, "\\%c", names[i + 1]);
			t->escape_size = 2;
			return;
		}
	}
	t->escape_size = 4 * s.len;
	for (size_t i = 0; i < s.len; i++)
		snprintf(t->escape + 4 * i, sizeof t->escape - 4 * i, "\\x%02x", (uint8_t)s.p[i]);
}

void tame_get(struct tame *ret, struct str s, size_t pos)
{
	ASSERT(pos < s.len);
	const unsigned n = utf8_decode(s, pos, &ret->c);
	ret->size = n ? n : 1;
	ret->escape_size = 0;
	if (n == 0 || is_control(ret->c))
		tame_escape(ret, (struct str){ s.p + pos, ret->size });
}

void tame_copy(char *to, size_t room, struct str s)
{
	struct tame t;
	size_t n = 0;
	ASSERT(room > 0);
	for (size_t pos = 0; pos < s.len; pos += t.size) {
		tame_get(&t, s, pos);
		const size_t size = t.escape_size ? t.escape_size : t.size;
		if (size >= room - n)
			break;
		memcpy(to + n, t.escape_size ? t.escape : s.p + pos, size);
		n += size;
	}
	to[n] = '\0';
}
