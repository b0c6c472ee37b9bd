/* Reads a linker map line by line, and the words of a line. */
#include "linkmap/linkmap_internal.h"

#include "base/pages.h"

#define DROP_STEP (UINT64_C(16) << 20) /* Pages are released in steps of this many bytes */

bool map_next_line(struct map_maker *m)
{
	struct reader *r = &m->r;
	const uint64_t left = reader_left(r);
	if (left == 0)
		return false;
	if (m->mapped && r->pos - m->dropped >= DROP_STEP) {
		pages_drop(r->base + m->dropped, r->pos - m->dropped);
		m->dropped = r->pos;
	}
	const uint8_t *start = r->base + r->pos;
	const uint8_t *newline = memchr(start, '\n', (size_t)left);
	m->line = (struct str){ (const char *)start, newline ? (size_t)(newline - start) : left };
	read_skip(r, newline ? m->line.len + 1 : m->line.len);
	if (m->line.len > 0 && m->line.p[m->line.len - 1] == '\r')
		m->line.len--;
	m->line_number++;
	return true;
}

void map_odd_line(struct map_maker *m, const char *what)
{
	const uint64_t off = (uint64_t)((const uint8_t *)m->line.p - m->r.base);
	note(m->notes, m->path, off, m->line.len, "line %" PRIu64 " of the linker map: %s",
	     m->line_number, what);
}

struct str map_cut(struct str s, size_t skip)
{
	return (struct str){ s.p + skip, s.len - skip };
}

void map_skip_blanks(struct str *s)
{
	size_t n = 0;
	while (n < s->len && (s->p[n] == ' ' || s->p[n] == '\t'))
		n++;
	*s = map_cut(*s, n);
}

struct str map_trim_end(struct str s)
{
	while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

bool map_take(struct str *s, struct str word)
{
	if (!str_starts(*s, word))
		return false;
	*s = map_cut(*s, word.len);
	return true;
}

/* Takes a number of at most `most` digits after blanks and `front`. False if there is none. */
static bool take_number(struct str *s, struct str front, unsigned base, size_t most, uint64_t *ret)
{
	struct str rest = *s;
	uint64_t v = 0;
	size_t n = 0;
	map_skip_blanks(&rest);
	if (!map_take(&rest, front))
		return false;
	for (; n < rest.len && n < most; n++) {
		const unsigned c = (unsigned char)rest.p[n], letter = (c | 0x20) - 'a';
		const unsigned digit = c - '0' < 10 ? c - '0' : letter < 6 ? letter + 10 : base;
		if (digit >= base)
			break;
		v = v * base + digit;
	}
	if (n == 0 || (n < rest.len && rest.p[n] != ' ' && rest.p[n] != '\t'))
		return false;
	*ret = v;
	*s = map_cut(rest, n);
	return true;
}

bool map_take_hex(struct str *s, uint64_t *ret)
{
	return take_number(s, STR(""), 16, 16, ret);
}

bool map_take_decimal(struct str *s, uint64_t *ret)
{
	return take_number(s, STR(""), 10, 19, ret);
}

bool map_take_0x(struct str *s, uint64_t *ret)
{
	return take_number(s, STR("0x"), 16, 16, ret);
}

size_t map_find_last(struct str s, struct str word)
{
	for (size_t i = s.len < word.len ? 0 : s.len - word.len + 1; i-- > 0;)
		if (s.p[i] == word.p[0] && memcmp(s.p + i, word.p, word.len) == 0)
			return i;
	return s.len;
}
