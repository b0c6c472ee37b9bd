/* Reads JSON token by token. */
#include "base/json_read.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

void json_in_init(struct json_in *in, struct bytes bytes)
{
	memset(in, 0, sizeof *in);
	in->bytes = bytes;
}

void json_in_release(struct json_in *in)
{
	text_release(&in->text);
}

static enum json_token json_read_bad(struct json_in *in, const char *problem)
{
	if (!in->bad)
		in->problem = problem;
	in->bad = true;
	return JSON_END;
}

/* Returns the next byte, or -1 at the end. Does not move. */
static int json_read_peek(const struct json_in *in)
{
	return in->pos < in->bytes.size ? in->bytes.p[in->pos] : -1;
}

static void json_read_skip_blanks(struct json_in *in)
{
	for (int c = json_read_peek(in); c == ' ' || c == '\t' || c == '\n' || c == '\r';
	     c = json_read_peek(in))
		in->pos++;
}

static bool in_object(const struct json_in *in)
{
	const unsigned level = in->depth - 1;
	return in->depth > 0 && (in->object[level / 8] >> level % 8 & 1);
}

/* Reads the four digits after \u. -1 if they are invalid. */
static int32_t json_read_unit(struct json_in *in)
{
	int32_t v = 0;
	for (unsigned i = 0; i < 4; i++) {
		const int c = json_read_peek(in), lower = c | 0x20;
		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			v = v << 4 | (lower - 'a' + 10);
		else
			return -1;
		in->pos++;
	}
	return v;
}

/* Reads the digits after \u. For half of a surrogate pair, also reads the escape of the other half.
 * False if they are invalid. */
static bool read_escaped_unit(struct json_in *in)
{
	int32_t c = json_read_unit(in);
	if (c < 0)
		return false;
	if (c >= 0xd800 && c < 0xdc00 && in->bytes.size - in->pos >= 6 &&
	    json_read_peek(in) == '\\' && in->bytes.p[in->pos + 1] == 'u') {
		const uint64_t back = in->pos;
		in->pos += 2;
		const int32_t low = json_read_unit(in);
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			in->pos = back;
	}
	char out[4];
	const uint32_t code = c >= 0xd800 && c < 0xe000 ? 0xfffd : (uint32_t)c;
	ASSERT(code <= 0x10ffff);
	text_add(&in->text, (struct str){ out, utf8_encode(code, out) });
	return true;
}

/* Reads an escape sequence after its backslash. False if it is invalid. */
static bool json_read_escape(struct json_in *in)
{
	static const char codes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	const int c = json_read_peek(in);
	in->pos += c >= 0;
	if (c == 'u')
		return read_escaped_unit(in);
	for (size_t i = 0; i + 1 < sizeof codes - 1; i += 2)
		if (codes[i] == c) {
			text_add_char(&in->text, codes[i + 1]);
			return true;
		}
	return false;
}

/* Reads a string after its opening quote, up to the closing one. False if it is invalid. */
static bool json_read_text(struct json_in *in)
{
	in->text.len = 0;
	for (;;) {
		const uint64_t from = in->pos;
		while (json_read_peek(in) >= 0x20 && json_read_peek(in) != '"' &&
		       json_read_peek(in) != '\\')
			in->pos++;
		text_add(&in->text,
			 (struct str){ (const char *)in->bytes.p + from, in->pos - from });
		const int c = json_read_peek(in);
		in->pos += c >= 0;
		if (c == '"')
			return true;
		if (c != '\\' || !json_read_escape(in))
			return false;
	}
}

static bool is_number_char(int c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static enum json_token json_read_word(struct json_in *in)
{
	static const struct {
		struct str word;
		enum json_token token;
	} words[] = {
		{ { "true", 4 }, JSON_TRUE },
		{ { "false", 5 }, JSON_FALSE },
		{ { "null", 4 }, JSON_NULL },
	};
	const struct str rest = { (const char *)in->bytes.p + in->pos, in->bytes.size - in->pos };
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_starts(rest, words[i].word)) {
			in->pos += words[i].word.len;
			return words[i].token;
		}
	return json_read_bad(in, "not a JSON value");
}

static enum json_token json_read_begin(struct json_in *in, bool object)
{
	if (in->depth == JSON_DEPTH)
		return json_read_bad(in, "JSON nested too deep");
	const uint8_t bit = (uint8_t)(1u << in->depth % 8);
	uint8_t *byte = &in->object[in->depth / 8];
	*byte = object ? *byte | bit : *byte & (uint8_t)~bit;
	in->depth++;
	in->pos++;
	in->want = JSON_WANT_FIRST;
	return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token read_key(struct json_in *in)
{
	if (json_read_peek(in) != '"')
		return json_read_bad(in, "a JSON object has something else than a key");
	in->pos++;
	if (!json_read_text(in))
		return json_read_bad(in, "damaged JSON text");
	in->want = JSON_WANT_COLON;
	return JSON_KEY;
}

static enum json_token json_read_value(struct json_in *in)
{
	int c = json_read_peek(in);
	in->want = JSON_WANT_COMMA;
	if (c == '{' || c == '[')
		return json_read_begin(in, c == '{');
	if (c == '"') {
		in->pos++;
		return json_read_text(in) ? JSON_STRING : json_read_bad(in, "damaged JSON text");
	}
	if (!is_number_char(c))
		return json_read_word(in);
	in->text.len = 0;
	for (; is_number_char(c); c = json_read_peek(in)) {
		text_add_char(&in->text, (char)c);
		in->pos++;
	}
	return JSON_NUMBER;
}

enum json_token json_next(struct json_in *in)
{
	json_read_skip_blanks(in);
	in->start = in->pos;
	if (in->bad || (in->depth == 0 && in->want == JSON_WANT_COMMA))
		return JSON_END;
	const int c = json_read_peek(in);
	const bool may_end = in->want == JSON_WANT_COMMA || in->want == JSON_WANT_FIRST;
	ASSERT(in->pos <= in->bytes.size);
	if (may_end && in->depth > 0 && c == (in_object(in) ? '}' : ']')) {
		in->pos++;
		in->depth--;
		in->want = JSON_WANT_COMMA;
		return c == '}' ? JSON_OBJECT_END : JSON_ARRAY_END;
	}
	if (in->want == JSON_WANT_COMMA || in->want == JSON_WANT_COLON) {
		if (c != (in->want == JSON_WANT_COMMA ? ',' : ':'))
			return json_read_bad(in, in->want == JSON_WANT_COMMA
							 ? "a comma is missing in JSON"
							 : "a colon is missing in JSON");
		in->pos++;
		json_read_skip_blanks(in);
		in->start = in->pos;
		return in->want == JSON_WANT_COMMA && in_object(in) ? read_key(in)
								    : json_read_value(in);
	}
	return in->want == JSON_WANT_FIRST && in_object(in) ? read_key(in) : json_read_value(in);
}

struct str json_rest(struct json_in *in, enum json_token first)
{
	const uint64_t start = in->start;
	const unsigned depth = in->depth - (first == JSON_OBJECT || first == JSON_ARRAY);
	ASSERT(in->depth >= depth && start <= in->pos);
	while (!in->bad && in->depth > depth)
		(void)json_next(in);
	return (struct str){ (const char *)in->bytes.p + start, in->pos - start };
}

bool json_integer(const struct json_in *in, int64_t *ret)
{
	char digits[24], *end;
	if (in->text.len == 0 || in->text.len >= sizeof digits)
		return false;
	memcpy(digits, in->text.p, in->text.len);
	digits[in->text.len] = '\0';
	errno = 0;
	*ret = strtoll(digits, &end, 10);
	return *end == '\0' && errno == 0;
}
