/* config_lex.h - splits protobuf's text format into tokens.
 *
 * The lexer always holds the next token. The first error stays in *err. After an error, the token
 * is TOKEN_BAD. */
#ifndef HEFT_MAP_CONFIG_LEX_H
#define HEFT_MAP_CONFIG_LEX_H

#include "base/err.h"
#include "base/vec.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* Letters, digits and _ */
	TOKEN_NUMBER, /* Begins with a digit. Its further characters are not checked */
	TOKEN_STRING, /* `string` holds its value */
	TOKEN_SIGN,   /* Any other single character */
	TOKEN_BAD,
};

struct lexer {
	const char *path; /* Borrowed, for messages */
	struct str input; /* Borrowed */
	size_t pos;       /* Next byte of the input */
	size_t line, line_start;
	struct heft_err *err;

	enum token_kind kind;
	struct str text; /* The token's text in the input */
	size_t token_line, token_column;
	VEC(char) string; /* Value of a TOKEN_STRING */
};

/* Reads the first token. */
void lexer_init(struct lexer *lx, const char *path, struct str input, struct heft_err *err);
void lexer_release(struct lexer *lx);

/* Moves to the next token. */
void lexer_next(struct lexer *lx);

/* True if the token is this sign. If true, moves to the next token. */
bool lexer_take(struct lexer *lx, char sign);

/* Returns the value of a hexadecimal digit. 99 for any other character. */
unsigned digit_value(int c);

/* Fails at the token with "path:line:column: what". Returns false. */
bool lexer_fail(struct lexer *lx, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
