/* Splits a configuration file into tokens. */
#include "map/config_lex.h"

#include "base/utf8.h"

#include <stdio.h>

static bool config_lex_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool config_lex_is_word(int c)
{
	return config_lex_is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

unsigned digit_value(int c)
{
	if (config_lex_is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10) : 99;
}

/* Returns the next byte, 0 to 255, or -1 at the end. */
static int config_lex_peek(const struct lexer *lx)
{
	return lx->pos < lx->input.len ? (uint8_t)lx->input.p[lx->pos] : -1;
}

static bool fail_at(struct lexer *lx, size_t line, size_t column, size_t off, const char *text)
{
	/* Keeps only the first error, because TOKEN_BAD would report the same place again. */
	if (lx->kind != TOKEN_BAD)
		fail(lx->err, HEFT_EFORMAT, off, "%s:%zu:%zu: %s", lx->path, line, column, text);
	lx->kind = TOKEN_BAD;
	lx->pos = lx->input.len;
	return false;
}

bool lexer_fail(struct lexer *lx, const char *fmt, ...)
{
	char text[300];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return fail_at(lx, lx->token_line, lx->token_column, (size_t)(lx->text.p - lx->input.p),
		       text);
}

static bool fail_here(struct lexer *lx, const char *text)
{
	return fail_at(lx, lx->line, lx->pos - lx->line_start + 1, lx->pos, text);
}

static void config_lex_skip_space(struct lexer *lx)
{
	for (int c; (c = config_lex_peek(lx)) >= 0; lx->pos++) {
		if (c == '#') {
			while (lx->pos + 1 < lx->input.len && lx->input.p[lx->pos + 1] != '\n')
				lx->pos++;
		} else if (c == '\n') {
			lx->line++;
			lx->line_start = lx->pos + 1;
		} else if (c != ' ' && (c < '\t' || c > '\r')) {
			return;
		}
	}
}

/* Reads up to `most` digits of a base. False without a digit. */
static bool read_digits(struct lexer *lx, unsigned base, unsigned most, uint32_t *ret)
{
	unsigned n = 0;
	*ret = 0;
	for (; n < most && digit_value(config_lex_peek(lx)) < base; n++, lx->pos++)
		*ret = *ret * base + digit_value(config_lex_peek(lx));
	return n > 0;
}

static bool config_lex_add_byte(struct lexer *lx, uint32_t c)
{
	if (c > 0xff)
		return fail_here(lx, "an octal escape above \\377");
	if (c == 0)
		return fail_here(lx, "a string can't hold a NUL byte");
	vec_push(&lx->string, (char)(uint8_t)c);
	return true;
}

static bool add_char(struct lexer *lx, uint32_t c)
{
	char bytes[4];
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return fail_here(lx, "no such Unicode character");
	if (c == 0)
		return config_lex_add_byte(lx, 0);
	const unsigned n = utf8_encode(c, bytes);
	for (unsigned i = 0; i < n; i++)
		vec_push(&lx->string, bytes[i]);
	return true;
}

/* Reads the rest of an escape after its backslash. */
static bool config_lex_read_escape(struct lexer *lx)
{
	static const char simple[] = "a\ab\bf\fn\nr\rt\tv\v\\\\''\"\"??";
	const int c = config_lex_peek(lx);
	uint32_t v;
	for (size_t i = 0; i + 1 < sizeof simple; i += 2) {
		if (c == simple[i]) {
			lx->pos++;
			return config_lex_add_byte(lx, (uint8_t)simple[i + 1]);
		}
	}
	if (c >= '0' && c <= '7')
		return read_digits(lx, 8, 3, &v) && config_lex_add_byte(lx, v);
	if (c < 0 || !strchr("xXuU", c))
		return fail_here(lx, "unknown escape in a string");
	lx->pos++;
	if (!read_digits(lx, 16, c == 'u' ? 4 : c == 'U' ? 8 : 2, &v))
		return fail_here(lx, "an escape without hexadecimal digits");
	return c == 'u' || c == 'U' ? add_char(lx, v) : config_lex_add_byte(lx, v);
}

static void read_string(struct lexer *lx, int quote)
{
	lx->kind = TOKEN_STRING;
	lx->string.count = 0;
	lx->pos++;
	for (int c; (c = config_lex_peek(lx)) != quote;) {
		bool fine;
		if (c < 0 || c == '\n') {
			lexer_fail(lx, "a string without its closing quote");
			return;
		}
		lx->pos++;
		if (c == '\\')
			fine = config_lex_read_escape(lx);
		else
			fine = config_lex_add_byte(lx, (uint32_t)c);
		if (!fine)
			return;
	}
	lx->pos++;
}

void lexer_next(struct lexer *lx)
{
	if (lx->kind == TOKEN_BAD)
		return;
	config_lex_skip_space(lx);
	const size_t start = lx->pos;
	const int c = config_lex_peek(lx);
	lx->token_line = lx->line;
	lx->token_column = start - lx->line_start + 1;
	lx->text = (struct str){ lx->input.p + start, 0 };
	if (c < 0) {
		lx->kind = TOKEN_END;
	} else if (c == '"' || c == '\'') {
		read_string(lx, c);
	} else if (config_lex_is_word(c)) {
		lx->kind = config_lex_is_digit(c) ? TOKEN_NUMBER : TOKEN_NAME;
		while (config_lex_is_word(config_lex_peek(lx)))
			lx->pos++;
	} else {
		lx->kind = TOKEN_SIGN;
		lx->pos++;
	}
	lx->text.len = lx->pos - start;
}

bool lexer_take(struct lexer *lx, char sign)
{
	if (lx->kind != TOKEN_SIGN || lx->text.p[0] != sign)
		return false;
	lexer_next(lx);
	return true;
}

void lexer_init(struct lexer *lx, const char *path, struct str input, struct heft_err *err)
{
	*lx = (struct lexer){ .path = path, .input = input, .line = 1, .err = err };
	if (!input.p)
		lx->input.p = "";
	lexer_next(lx);
}

void lexer_release(struct lexer *lx)
{
	vec_release(&lx->string);
}
