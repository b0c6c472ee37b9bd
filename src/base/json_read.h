/* json_read.h - reads JSON (RFC 8259) token by token.
 *
 *     json_in_init(&in, bytes);
 *     if (json_next(&in) == JSON_OBJECT)
 *             while (json_next(&in) == JSON_KEY) { in.text is the key; read or json_skip the value
 *             }
 *     if (in.bad) ... in.problem, in.pos
 *
 * Nothing is kept but the last text and one bit a level of depth (at most JSON_DEPTH).  Texts are
 * decoded to UTF-8; a lone surrogate becomes U+FFFD.  One thread. */
#ifndef HEFT_BASE_JSON_READ_H
#define HEFT_BASE_JSON_READ_H

#include "base/reader.h"
#include "base/text.h"

enum { JSON_DEPTH = 512 };

enum json_token {
	JSON_END, /* of the document, once its value is whole; or after damage */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY,    /* in.text */
	JSON_STRING, /* in.text */
	JSON_NUMBER, /* in.text: as written */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_in {
	struct bytes bytes;
	uint64_t pos;        /* behind the last token */
	uint64_t start;      /* where it began */
	bool bad;            /* damaged: `problem` says how, at `pos` */
	const char *problem; /* static */
	struct text text;
	/* private */
	unsigned depth;
	uint8_t object[JSON_DEPTH / 8]; /* bit: level is an object */
	enum { JSON_WANT_VALUE, JSON_WANT_FIRST, JSON_WANT_COLON, JSON_WANT_COMMA } want;
};

void json_in_init(struct json_in *in, struct bytes bytes);
void json_in_release(struct json_in *in);
enum json_token json_next(struct json_in *in);
/* Reads to the end of the value whose first token was `first`; returns its bytes as they stand. */
struct str json_rest(struct json_in *in, enum json_token first);
/* The next value, whatever it is. */
static inline void json_skip(struct json_in *in)
{
	(void)json_rest(in, json_next(in));
}
/* in->text as an integer; false where it is none or does not fit. */
bool json_integer(const struct json_in *in, int64_t *ret);

#endif
