/* json.h - writes JSON (RFC 8259) piece by piece.
 *
 * The caller opens and closes; commas come by themselves.  Nothing is kept but a few
 * flags, so the depth is not limited.  Text that is not valid UTF-8 still gives a valid
 * document: each byte that is no part of a valid character becomes U+FFFD. */
#ifndef HEFT_BASE_JSON_H
#define HEFT_BASE_JSON_H

#include "base/base.h"

struct json {
	void (*put)(void *ctx, const char *p, size_t size); /* takes each piece */
	void *ctx;
	size_t depth;
	bool comma;    /* the next value or key needs one before it */
	bool new_line; /* the next value or key goes on a line of its own */
	bool keyed;    /* the next value stands behind its key */
	/* The form of Python's json.dumps(indent=2): all values and keys go on lines of their own,
	 * two spaces a depth, and text is ASCII.  It may be set while a list or an object is open
	 * that stands on one line, once that is closed. */
	bool indented;
};

void json_open(struct json *j, char bracket);  /* '{' or '[' */
void json_close(struct json *j, char bracket); /* '}' or ']' */

/* The next value, key or closing bracket starts a new line, one space a depth. */
void json_line(struct json *j);

void json_key(struct json *j, const char *key);
void json_text(struct json *j, struct str text);
void json_uint(struct json *j, uint64_t v);
void json_int(struct json *j, int64_t v);
/* A value in the form of JSON already. */
void json_raw(struct json *j, struct str value);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* "key": text, and where the text is not valid UTF-8 also "key_hex": its bytes in
 * lower-case hexadecimal. */
void json_member_text(struct json *j, const char *key, struct str text);
void json_member_uint(struct json *j, const char *key, uint64_t v);
void json_member_bool(struct json *j, const char *key, bool v);

#endif
