/* Demangles Rust's legacy names. */
#include "names/rust.h"
#include "names/out.h"

#define HASH_SIZE 20 /* "17h", 16 hexadecimal digits and "E" */

size_t rust_legacy_size(struct str raw)
{
	size_t end = raw.len;
	uint32_t seen = 0;
	while (end > 0 && raw.p[end - 1] != 'E')
		end--;
	if (end < HASH_SIZE + 4 || memcmp(raw.p + end - HASH_SIZE, "17h", 3) != 0)
		return 0;
	for (size_t i = end - HASH_SIZE + 3; i < end - 1; i++) {
		if (hex_value(raw.p[i]) < 0)
			return 0;
		seen |= 1U << hex_value(raw.p[i]);
	}
	/* A hash has many different digits. A C++ name such as h0000.. has few. */
	for (size_t bits = 0; seen != 0; seen &= seen - 1) {
		if (++bits >= 5)
			return end;
	}
	return 0;
}

/* Reads an escape such as "$LT$" at the start of s. Sets *c to its character. Returns its size. */
static size_t legacy_escape(struct str s, uint32_t *c)
{
	static const struct {
		char name[4];
		char c;
	} names[] = { { "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' },
		      { "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' } };
	const char *const end = s.len > 1 ? memchr(s.p + 1, '$', s.len - 1) : NULL;
	if (!end)
		return 0;
	const struct str word = { s.p + 1, (size_t)(end - s.p) - 1 };
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (str_eq(word, str_of(names[i].name))) {
			*c = (uint32_t)names[i].c;
			return word.len + 2;
		}
	}
	if (word.len < 2 || word.len > 7 || word.p[0] != 'u')
		return 0;
	*c = 0;
	for (size_t i = 1; i < word.len; i++) {
		if (hex_value(word.p[i]) < 0)
			return 0;
		*c = *c << 4 | (uint32_t)hex_value(word.p[i]);
	}
	return *c >= 0x20 && *c != 0x7f && *c < 0x110000 ? word.len + 2 : 0;
}

static void legacy_element(struct out *o, struct str s)
{
	size_t i = s.len > 1 && s.p[0] == '_' && s.p[1] == '$';
	while (i < s.len) {
		uint32_t c = 0;
		const struct str rest = str_from(s, i);
		const size_t escape = s.p[i] == '$' ? legacy_escape(rest, &c) : 0;
		if (escape != 0) {
			put_char(o, c);
			i += escape;
		} else if (str_starts(rest, STR(".."))) {
			put(o, "::", 2);
			i += 2;
		} else {
			put(o, s.p + i++, 1);
		}
	}
}

size_t rust_legacy(struct str raw, char *out, size_t room)
{
	struct out o = { .p = out, .room = room };
	const size_t end = raw.len < HASH_SIZE ? 0 : raw.len - HASH_SIZE;
	size_t i = 3;
	while (i < end && !o.failed) {
		size_t size = 0;
		if (!is_digit(raw.p[i]) || raw.p[i] == '0')
			return 0;
		while (i < end && is_digit(raw.p[i]) && size < end)
			size = size * 10 + (size_t)(raw.p[i++] - '0');
		if (size > end - i)
			return 0;
		if (o.len > 0)
			put(&o, "::", 2);
		legacy_element(&o, (struct str){ raw.p + i, size });
		i += size;
	}
	ASSERT(o.len <= room);
	return o.failed || i != end ? 0 : o.len;
}
