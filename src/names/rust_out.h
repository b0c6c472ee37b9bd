/* rust_out.h - the bounded output the two schemes of Rust share.  Private to names/. */
#ifndef HEFT_NAMES_RUST_OUT_H
#define HEFT_NAMES_RUST_OUT_H

#include "base/base.h"

struct out {
	char *p;
	size_t len, room;
	bool failed; /* no room left, or not a name of this scheme */
	bool muted;  /* parse without writing: the path of an impl */
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

/* One character as UTF-8. */
void put_char(struct out *o, uint32_t c);

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of a small hexadecimal digit, else -1. */
static inline int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define MAX_PUNYCODE 128 /* characters of one identifier */

/* The characters of a punycode identifier (RFC 3492, section 6.2; the delimiter is "_") to
 * chars[MAX_PUNYCODE]; their count, 0 for damaged or too long. */
size_t punycode(struct str s, uint32_t *chars);

#endif
