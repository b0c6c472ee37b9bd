/* json_read.h - reads JSON (RFC 8259) token by token.
 *
 *     json_in_init(&in, bytes);
 *     if (json_next(&in) == JSON_OBJECT)
 *             while (json_next(&in) == JSON_KEY) { in.text is the key; read or json_skip() the
 *             value
 *             }
 *     if (in.bad) ... in.problem, in.pos
 *
 * Keeps only the last text and one bit per level, for at most JSON_DEPTH levels. Decodes texts to
 * UTF-8. A lone surrogate becomes U+FFFD. One thread at a time. */
#pragma once

#include "base/reader.h"
#include "base/text.h"

enum { JSON_DEPTH = 512 };

enum json_token {
	JSON_END, /* The end of the document, or an error */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,    /* in.text is the decoded key */
	JSON_STRING, /* in.text is the decoded text */
	JSON_NUMBER, /* in.text is the number as it is written */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_in {
	struct bytes bytes;
	uint64_t pos;        /* Offset of the end of the last token */
	uint64_t start;      /* Offset of the start of the last token */
	bool bad;            /* True if the document is invalid at `pos` */
	const char *problem; /* Why the document is invalid. A static text */
	struct text text;
	unsigned depth;
	uint8_t object[JSON_DEPTH / 8]; /* One bit per level: 1 for an object, 0 for an array */
	enum { JSON_WANT_VALUE, JSON_WANT_FIRST, JSON_WANT_COLON, JSON_WANT_COMMA } want;
};

void json_in_init(struct json_in *in, struct bytes bytes);
void json_in_release(struct json_in *in);
enum json_token json_next(struct json_in *in);
/* Reads the rest of a value, whose first token was `first`. Returns all its bytes. */
struct str json_rest(struct json_in *in, enum json_token first);
/* Skips the next value. */
static inline void json_skip(struct json_in *in)
{
	(void)json_rest(in, json_next(in));
}
/* Converts in->text to an integer. False if it is no integer, or does not fit. */
bool json_integer(const struct json_in *in, int64_t *ret);
