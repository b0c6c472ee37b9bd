/* config_lex.h - the tokens of protobuf's text format.
 *
 * The lexer looks one token ahead: `token` is the next one.  The first error sticks in
 * *err; from then on the token is TOKEN_BAD. */
#ifndef HEFT_MAP_CONFIG_LEX_H
#define HEFT_MAP_CONFIG_LEX_H

#include "base/err.h"
#include "base/vec.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* letters, digits, _ */
	TOKEN_NUMBER, /* starts with a digit; not checked any further */
	TOKEN_STRING, /* `string` holds its value */
	TOKEN_SIGN,   /* any other single character */
	TOKEN_BAD,
};

struct lexer {
	const char *path; /* borrowed, for messages */
	struct str input; /* borrowed */
	size_t pos;       /* next byte of input */
	size_t line, line_start;
	struct heft_err *err;

	enum token_kind kind;
	struct str text; /* of the token, in the input */
	size_t token_line, token_column;
	VEC(char) string; /* value of a TOKEN_STRING */
};

/* Reads the first token. */
void lexer_init(struct lexer *lx, const char *path, struct str input, struct heft_err *err);
void lexer_release(struct lexer *lx);

/* Moves to the next token. */
void lexer_next(struct lexer *lx);

/* Whether the token is this sign; takes it if so. */
bool lexer_take(struct lexer *lx, char sign);

/* The value of a hexadecimal digit, 99 for any other character. */
unsigned digit_value(int c);

/* Fails with "path:line:column: what" of the token.  Returns false. */
bool lexer_fail(struct lexer *lx, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
