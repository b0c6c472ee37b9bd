/* json.h - writes JSON (RFC 8259) piece by piece.
 *
 * The caller opens and closes lists and objects. Commas are added between values. Depth has no
 * limit, because only a few flags are kept. Output is valid even if text is invalid UTF-8: each
 * byte outside a valid character becomes U+FFFD. */
#pragma once

#include "base/base.h"

struct json {
	void (*put)(void *ctx, const char *p, size_t size); /* Receives the text, piece by piece */
	void *ctx;
	size_t depth;
	bool comma;    /* True if the next value or key needs a comma before it */
	bool new_line; /* True if the next value or key starts a new line */
	bool keyed;    /* True if a key was written, whose value comes next */
	/* True to write as Python's json.dumps(indent=2): in ASCII, each value and key on its own
	 * line, with two spaces per level. May be set while a list or object is open in one line,
	 * for what follows after it. */
	bool indented;
};

void json_open(struct json *j, char bracket);  /* '{' or '[' */
void json_close(struct json *j, char bracket); /* '}' or ']' */

/* Starts a new line before the next value, key or closing bracket, with one space per level. */
void json_line(struct json *j);

void json_key(struct json *j, const char *key);
void json_text(struct json *j, struct str text);
void json_uint(struct json *j, uint64_t v);
void json_int(struct json *j, int64_t v);
/* Writes a value that is already JSON. */
void json_raw(struct json *j, struct str value);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);

/* Writes "key": text. If the text is no valid UTF-8, also writes "key_hex" with its bytes in
 * lower-case hexadecimal. */
void json_member_text(struct json *j, const char *key, struct str text);
/* Writes "key": and opens the list or object that is its value. */
void json_member_open(struct json *j, const char *key, char bracket);
void json_member_uint(struct json *j, const char *key, uint64_t v);
void json_member_bool(struct json *j, const char *key, bool v);
