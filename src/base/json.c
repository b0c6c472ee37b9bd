#include "base/json.h"

#include "base/utf8.h"

#include <stdio.h>

static void put(struct json *j, const char *text)
{
	j->put(j->ctx, text, strlen(text));
}

static void break_line(struct json *j)
{
	if (!j->new_line)
		return;
	j->new_line = false;
	put(j, "\n");
	for (size_t i = 0; i < j->depth; i++)
		put(j, " ");
}

/* What goes before a value or key. */
static void begin(struct json *j)
{
	if (j->comma)
		put(j, j->new_line ? "," : ", ");
	break_line(j);
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	begin(j);
	j->put(j->ctx, &bracket, 1);
	j->depth++;
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	ASSERT(j->depth > 0);
	j->depth--;
	break_line(j);
	j->put(j->ctx, &bracket, 1);
	j->comma = true;
}

void json_line(struct json *j)
{
	j->new_line = true;
}

/* The two-character escape of RFC 8259 section 7, 0 where there is none. */
static char short_escape(uint32_t c)
{
	static const char codes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	for (size_t i = 0; i + 1 < sizeof codes; i += 2)
		if ((uint8_t)codes[i] == c)
			return codes[i + 1];
	return 0;
}

static void put_escape(struct json *j, uint32_t c)
{
	char text[8] = { '\\', short_escape(c) };
	if (!text[1])
		snprintf(text, sizeof text, "\\u%04x", c & 0xffff);
	put(j, text);
}

static bool is_plain(uint32_t c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

static bool is_plain_ascii(char c)
{
	return (uint8_t)c < 0x80 && is_plain((uint8_t)c);
}

static void put_string(struct json *j, struct str s)
{
	size_t done = 0; /* bytes handed over so far */
	put(j, "\"");
	for (size_t pos = 0; pos < s.len;) {
		uint32_t c = 0xfffd;
		if (is_plain_ascii(s.p[pos])) {
			pos++;
			continue;
		}
		const unsigned n = utf8_decode(s, pos, &c);
		if (n > 0 && is_plain(c)) {
			pos += n;
			continue;
		}
		if (pos > done)
			j->put(j->ctx, s.p + done, pos - done);
		put_escape(j, c);
		pos += n ? n : 1;
		done = pos;
	}
	if (s.len > done)
		j->put(j->ctx, s.p + done, s.len - done);
	put(j, "\"");
}

void json_key(struct json *j, const char *key)
{
	begin(j);
	put_string(j, str_of(key));
	put(j, ": ");
	j->comma = false;
}

void json_text(struct json *j, struct str text)
{
	begin(j);
	put_string(j, text);
}

void json_number(struct json *j, struct str digits)
{
	begin(j);
	j->put(j->ctx, digits.p, digits.len);
}

void json_uint(struct json *j, uint64_t v)
{
	char text[20]; /* 2^64 - 1 has 20 digits */
	size_t start = sizeof text;
	do {
		text[--start] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	json_number(j, (struct str){ text + start, sizeof text - start });
}

void json_bool(struct json *j, bool v)
{
	begin(j);
	put(j, v ? "true" : "false");
}

void json_null(struct json *j)
{
	begin(j);
	put(j, "null");
}

static void put_hex(struct json *j, struct str s)
{
	static const char digits[] = "0123456789abcdef";
	put(j, "\"");
	for (size_t i = 0; i < s.len; i++) {
		const uint8_t b = (uint8_t)s.p[i];
		j->put(j->ctx, &digits[b >> 4], 1);
		j->put(j->ctx, &digits[b & 15], 1);
	}
	put(j, "\"");
}

void json_member_text(struct json *j, const char *key, struct str text)
{
	char hex_key[64];
	json_key(j, key);
	json_text(j, text);
	if (utf8_valid(text))
		return;
	snprintf(hex_key, sizeof hex_key, "%s_hex", key);
	json_key(j, hex_key);
	begin(j);
	put_hex(j, text);
}

void json_member_uint(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_uint(j, v);
}

void json_member_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}
