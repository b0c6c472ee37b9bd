/* out.h - declares the output of demanglers, of limited size, and small helpers. Private to
 * names/. */
#pragma once

#include "base/base.h"

struct out {
	char *p;
	size_t len, room;
	bool failed; /* True if there is no room, or the name is not of this scheme */
	bool muted;  /* True to parse without writing, as for the path of an impl */
};

static inline void put(struct out *o, const char *text, size_t len)
{
	if (o->muted)
		return;
	if (len > o->room - o->len) {
		o->failed = true;
		return;
	}
	memcpy(o->p + o->len, text, len);
	o->len += len;
}

static inline void put_text(struct out *o, const char *text)
{
	put(o, text, strlen(text));
}

static inline void put_str(struct out *o, struct str s)
{
	if (s.len > 0)
		put(o, s.p, s.len);
}

void put_number(struct out *o, uint64_t n);
/* Writes one character as UTF-8. */
void put_char(struct out *o, uint32_t c);

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* True if a byte may be in an identifier: letter, digit, "_", or part of a character in UTF-8. */
static inline bool is_ident(char c)
{
	return is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the length of the first word that s begins with, or 0. */
size_t starts_with(struct str s, const char *const *words, size_t count);
#define STARTS_WITH(s, words) starts_with((s), (words), COUNT_OF(words))

/* Returns the value of a lower-case hexadecimal digit. -1 for others. */
static inline int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define MAX_PUNYCODE 128 /* Greatest number of characters of an identifier */

/* Decodes a punycode identifier (RFC 3492, section 6.2; the delimiter is "_") to
 * chars[MAX_PUNYCODE]. Returns the number of characters. 0 if it is damaged or too long. */
size_t punycode(struct str s, uint32_t *chars);
