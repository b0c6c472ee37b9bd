/* json.h - writes JSON (RFC 8259) piece by piece.
 *
 * The caller opens and closes lists and objects; commas are added automatically. Depth has no
 * limit, because only a few flags are kept. Output is valid even if text is invalid UTF-8: each
 * byte outside a valid character becomes U+FFFD. */
#ifndef HEFT_BASE_JSON_H
#define HEFT_BASE_JSON_H

#include "base/base.h"

struct json {
	void (*put)(void *ctx, const char *p, size_t size); /* Receives each piece */
	void *ctx;
	size_t depth;
	bool comma;    /* True if the next value or key needs a comma before it */
	bool new_line; /* True if the next value or key starts a new line */
	bool keyed;    /* True if a key was written and its value comes next */
	/* True for the form of Python's json.dumps(indent=2): ASCII text, each value and key on its
	 * own line, two spaces per level. May be set while a one-line list or object is open; it
	 * applies after that is closed. */
	bool indented;
};

void json_open(struct json *j, char bracket);  /* `bracket`: '{' or '[' */
void json_close(struct json *j, char bracket); /* `bracket`: '}' or ']' */

/* Starts a new line before the next value, key or closing bracket, with one space per level. */
void json_line(struct json *j);

void json_key(struct json *j, const char *key);
void json_text(struct json *j, struct str text);
void json_uint(struct json *j, uint64_t v);
void json_int(struct json *j, int64_t v);
/* Writes a value that is JSON text already. */
void json_raw(struct json *j, struct str value);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Writes "key": text. If the text is not valid UTF-8, also writes "key_hex": its bytes in
 * lower-case hexadecimal. */
void json_member_text(struct json *j, const char *key, struct str text);
void json_member_uint(struct json *j, const char *key, uint64_t v);
void json_member_bool(struct json *j, const char *key, bool v);

#endif
