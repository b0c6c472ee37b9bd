/* Writes JSON piece by piece. */
#include "base/json.h"

#include "base/digits.h"
#include "base/utf8.h"

#include <stdio.h>

static void json_text_put(struct json *j, const char *text)
{
	j->put(j->ctx, text, strlen(text));
}

static void break_line(struct json *j)
{
	j->new_line = false;
	json_text_put(j, "\n");
	for (size_t i = 0; i < j->depth; i++)
		json_text_put(j, j->indented ? "  " : " ");
}

/* Writes the comma, line end and indentation before a value or key. */
static void json_begin(struct json *j)
{
	const bool line = j->new_line || (j->indented && j->depth > 0 && !j->keyed);
	if (j->comma)
		json_text_put(j, line ? "," : ", ");
	if (line)
		break_line(j);
	j->comma = true;
	j->keyed = false;
}

void json_open(struct json *j, char bracket)
{
	json_begin(j);
	j->put(j->ctx, &bracket, 1);
	j->depth++;
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	ASSERT(j->depth > 0);
	j->depth--;
	if (j->new_line || (j->indented && j->comma)) /* A comma means that the list is not empty */
		break_line(j);
	j->put(j->ctx, &bracket, 1);
	j->comma = true;
}

void json_line(struct json *j)
{
	j->new_line = true;
}

static void json_put_unit(struct json *j, uint32_t unit)
{
	char text[8];
	snprintf(text, sizeof text, "\\u%04x", unit & 0xffff);
	json_text_put(j, text);
}

/* Writes an escape. A character above U+FFFF takes two UTF-16 units. */
static void put_escape(struct json *j, uint32_t c)
{
	/* Characters with an escape of two characters (RFC 8259, section 7), and its letter. */
	static const char codes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char text[3] = { '\\' };
	for (size_t i = 0; i + 1 < sizeof codes; i += 2)
		if ((uint8_t)codes[i] == c)
			text[1] = codes[i + 1];
	if (text[1]) {
		json_text_put(j, text);
	} else if (c < 0x10000) {
		json_put_unit(j, c);
	} else {
		json_put_unit(j, 0xd7c0 + (c >> 10));
		json_put_unit(j, 0xdc00 + (c & 0x3ff));
	}
}

static bool json_is_plain(uint32_t c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

static bool is_plain_ascii(char c)
{
	return (uint8_t)c < 0x80 && json_is_plain((uint8_t)c);
}

static void json_put_string(struct json *j, struct str s)
{
	size_t done = 0; /* Number of bytes that are written */
	json_text_put(j, "\"");
	for (size_t pos = 0; pos < s.len;) {
		uint32_t c = 0xfffd;
		if (is_plain_ascii(s.p[pos])) {
			pos++;
			continue;
		}
		const unsigned n = utf8_decode(s, pos, &c);
		if (n > 0 && json_is_plain(c) && !j->indented) {
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
	json_text_put(j, "\"");
}

/* Writes a short key without special characters, as most are, in one piece. */
void json_key(struct json *j, const char *key)
{
	enum { MOST = 40 };
	char piece[MOST + 8];
	size_t len = 0, i = 0;
	if (j->comma && !j->new_line && !j->indented) {
		piece[len++] = ',';
		piece[len++] = ' ';
		j->comma = false;
	}
	json_begin(j);
	piece[len++] = '"';
	while (i < MOST && key[i] != '\0' && is_plain_ascii(key[i]))
		piece[len++] = key[i++];
	if (key[i] == '\0') {
		memcpy(piece + len, "\": ", 3);
		j->put(j->ctx, piece, len + 3);
	} else {
		if (len > i + 1)
			j->put(j->ctx, piece, len - i - 1);
		json_put_string(j, str_of(key));
		json_text_put(j, ": ");
	}
	j->comma = false;
	j->keyed = true;
}

void json_text(struct json *j, struct str text)
{
	json_begin(j);
	json_put_string(j, text);
}

void json_raw(struct json *j, struct str value)
{
	json_begin(j);
	j->put(j->ctx, value.p, value.len);
}

void json_uint(struct json *j, uint64_t v)
{
	char text[DECIMAL_MOST], *end = text + sizeof text, *start = decimal_before(end, v);
	json_raw(j, (struct str){ start, (size_t)(end - start) });
}

void json_int(struct json *j, int64_t v)
{
	char text[24];
	const int len = snprintf(text, sizeof text, "%" PRId64, v);
	json_raw(j, (struct str){ text, (size_t)len });
}

void json_bool(struct json *j, bool v)
{
	json_begin(j);
	json_text_put(j, v ? "true" : "false");
}

void json_null(struct json *j)
{
	json_begin(j);
	json_text_put(j, "null");
}

static void json_put_hex(struct json *j, struct str s)
{
	char digits[3];
	json_text_put(j, "\"");
	for (size_t i = 0; i < s.len; i++) {
		hex_text(digits, (const uint8_t *)s.p + i, 1);
		json_text_put(j, digits);
	}
	json_text_put(j, "\"");
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
	json_begin(j);
	json_put_hex(j, text);
}

void json_member_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_open(j, bracket);
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
