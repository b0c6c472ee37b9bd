#include "base/text.h"

#include "base/vec.h"

void text_add(struct text *t, struct str s)
{
	if (s.len > t->cap - t->len)
		t->p = vec_grow(t->p, &t->cap, t->len + s.len, 1);
	if (s.len)
		memcpy(t->p + t->len, s.p, s.len);
	t->len += s.len;
}

void text_add_strs(struct text *t, const struct str *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_add(t, texts[i]);
}

void text_add_list(struct text *t, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_add(t, str_of(texts[i]));
}

void text_set(struct text *t, struct str s)
{
	t->len = 0;
	text_add(t, s);
}

void text_add_char(struct text *t, char c)
{
	text_add(t, (struct str){ &c, 1 });
}

void text_add_part(struct text *t, struct str s)
{
	text_add(t, s);
	text_add_char(t, '\0');
}

void text_add_number(struct text *t, uint64_t n)
{
	char digits[DECIMAL_MOST], *end = digits + sizeof digits, *start = decimal_before(end, n);
	text_add(t, (struct str){ start, (size_t)(end - start) });
}

void text_add_varint(struct text *t, uint64_t v)
{
	enum { MOST = 10 };
	if (t->cap - t->len < MOST)
		t->p = vec_grow(t->p, &t->cap, t->len + MOST, 1);
	for (; v >= 0x80; v >>= 7)
		t->p[t->len++] = (char)(v | 0x80);
	t->p[t->len++] = (char)v;
}

struct str str_take(struct str *rest, char separator)
{
	const char *const end = rest->len > 0 ? memchr(rest->p, separator, rest->len) : NULL;
	const struct str ret = str_upto(*rest, end ? (size_t)(end - rest->p) : rest->len);
	*rest = str_from(*rest, ret.len + (end ? 1 : 0));
	return ret;
}
