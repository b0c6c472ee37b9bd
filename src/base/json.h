/* json.h - writes JSON (RFC 8259) piece by piece.
 *
 * The caller opens and closes lists and objects. Commas are added. Only a few flags are kept, so
 * that the depth is not limited. Invalid UTF-8 still gives a valid document: each byte that is not
 * part of a valid character becomes U+FFFD. */
#ifndef HEFT_BASE_JSON_H
#define HEFT_BASE_JSON_H

#include "base/base.h"

struct json {
	void (*put)(void *ctx, const char *p, size_t size); /* Takes each piece */
	void *ctx;
	size_t depth;
	bool comma;    /* The next value or key needs a comma before it. */
	bool new_line; /* The next value or key starts a new line. */
	bool keyed;    /* The next value follows its key. */
	/* Form of Python's json.dumps(indent=2): each value and key is on a line of its own, with
	 * two spaces per depth, and text is ASCII. May be set while a list or object on one line is
	 * open, once that is closed. */
	bool indented;
};

void json_open(struct json *j, char bracket);  /* '{' or '[' */
void json_close(struct json *j, char bracket); /* '}' or ']' */

/* Makes the next value, key or closing bracket start a new line, with one space per depth. */
void json_line(struct json *j);

void json_key(struct json *j, const char *key);
void json_text(struct json *j, struct str text);
void json_uint(struct json *j, uint64_t v);
void json_int(struct json *j, int64_t v);
/* Writes a value that is already JSON. */
void json_raw(struct json *j, struct str value);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Writes "key": text. If the text is not valid UTF-8, also writes "key_hex": its bytes in
 * lower-case hexadecimal. */
void json_member_text(struct json *j, const char *key, struct str text);
void json_member_uint(struct json *j, const char *key, uint64_t v);
void json_member_bool(struct json *j, const char *key, bool v);

#endif
