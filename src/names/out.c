/* Writes numbers and characters, and decodes punycode, for demanglers. */
#include "names/out.h"

#include "base/digits.h"

void put_number(struct out *o, uint64_t n)
{
	char digits[DECIMAL_MOST], *const end = digits + sizeof digits;
	const char *const start = decimal_before(end, n);
	put(o, start, (size_t)(end - start));
}

size_t starts_with(struct str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_starts(s, str_of(words[i])))
			return strlen(words[i]);
	return 0;
}

void put_char(struct out *o, uint32_t c)
{
	char b[4];
	size_t n = 0;
	if (c < 0x80)
		b[n++] = (char)c;
	else if (c < 0x800)
		b[n++] = (char)(0xc0 | c >> 6);
	else if (c < 0x10000)
		b[n++] = (char)(0xe0 | c >> 12);
	else
		b[n++] = (char)(0xf0 | c >> 18);
	for (unsigned shift = c < 0x80 ? 0 : c < 0x800 ? 6 : c < 0x10000 ? 12 : 18; shift > 0;) {
		shift -= 6;
		b[n++] = (char)(0x80 | (c >> shift & 0x3f));
	}
	put(o, b, n);
}

struct rust_text_decoder {
	struct str s;
	size_t pos;
	uint64_t bias;
};

/* Reads a variable-length integer. False if it is damaged. */
static bool punycode_delta(struct rust_text_decoder *d, uint64_t *delta)
{
	uint64_t weight = 1;
	*delta = 0;
	for (uint64_t k = 36;; k += 36) {
		const char c = d->pos < d->s.len ? d->s.p[d->pos++] : 0;
		uint64_t t = 1, digit = 0;
		if (is_digit(c))
			digit = (uint64_t)(c - '0') + 26;
		else if (is_lower(c))
			digit = (uint64_t)(c - 'a');
		else
			return false;
		if (k > d->bias)
			t = k >= d->bias + 26 ? 26 : k - d->bias;
		*delta += digit * weight;
		if (digit < t)
			return true;
		weight *= 36 - t;
		if (weight > UINT32_MAX)
			return false;
	}
}

size_t punycode(struct str s, uint32_t *chars)
{
	struct rust_text_decoder d = { .s = s, .pos = s.len, .bias = 72 };
	size_t count = 0;
	uint64_t n = 128, at = 0;
	while (d.pos > 0 && s.p[d.pos - 1] != '_')
		d.pos--;
	if (d.pos > MAX_PUNYCODE)
		return 0;
	for (; count + 1 < d.pos; count++)
		chars[count] = (unsigned char)s.p[count];
	for (bool first = true; d.pos < s.len; first = false) {
		uint64_t delta = 0;
		if (count == MAX_PUNYCODE || !punycode_delta(&d, &delta))
			return 0;
		count++;
		at += delta;
		/* Adapts the bias (RFC 3492, section 6.1). */
		delta /= first ? 700 : 2;
		delta += delta / count;
		for (d.bias = 0; delta > 455; d.bias += 36)
			delta /= 35;
		d.bias += 36 * delta / (delta + 38);
		n += at / count;
		at %= count;
		if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000))
			return 0;
		memmove(chars + at + 1, chars + at, (count - 1 - (size_t)at) * sizeof *chars);
		chars[at++] = (uint32_t)n;
	}
	ASSERT(d.pos <= s.len && count <= MAX_PUNYCODE);
	return count;
}
