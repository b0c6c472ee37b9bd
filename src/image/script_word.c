/* Words of linker scripts. */
#include "image/script_internal.h"

static int peek(const struct script *s, size_t ahead)
{
	return s->pos + ahead < s->text.len ? (unsigned char)s->text.p[s->pos + ahead] : -1;
}

static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

static void step(struct script *s)
{
	s->line += peek(s, 0) == '\n';
	s->pos++;
}

static void skip_line(struct script *s)
{
	while (peek(s, 0) >= 0 && peek(s, 0) != '\n')
		step(s);
}

static void skip_comment(struct script *s)
{
	s->pos += 2;
	while (peek(s, 0) >= 0 && (peek(s, 0) != '*' || peek(s, 1) != '/'))
		step(s);
	s->pos = min_u64(s->pos + 2, s->text.len);
}

/* Lines of the C preprocessor, as it leaves them or before it ran, say nothing here. */
static void skip_blanks(struct script *s)
{
	for (;;) {
		if (is_space(peek(s, 0)))
			step(s);
		else if (peek(s, 0) == '/' && peek(s, 1) == '*')
			skip_comment(s);
		else if (peek(s, 0) == '/' && peek(s, 1) == '/')
			skip_line(s);
		else if (peek(s, 0) == '#')
			skip_line(s);
		else
			return;
	}
}

static unsigned digit(char c)
{
	const unsigned letter = ((unsigned)(unsigned char)c | 0x20) - 'a';
	return is_digit(c) ? (unsigned)c - '0' : letter < 26 ? letter + 10 : 99;
}

static bool digits(struct str s, unsigned base, uint64_t *ret)
{
	uint64_t v = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (digit(s.p[i]) >= base || v > (UINT64_MAX - base) / base)
			return false;
		v = v * base + digit(s.p[i]);
	}
	*ret = v;
	return s.len > 0;
}

static struct str without(struct str s, size_t front, size_t back)
{
	return (struct str){ s.p + front, s.len - front - back };
}

/* "0x1f", "017", "12", "4K", "2M", "$1f", "1fh": the ld manual, "Constants". */
static bool read_number(struct str w, uint64_t *ret)
{
	const unsigned last = w.len > 1 ? digit(w.p[w.len - 1]) : 99;
	const bool hex = w.len > 2 && w.p[0] == '0' && (w.p[1] | 0x20) == 'x';
	uint64_t unit = 1;
	if (last == digit('k') || last == digit('m')) {
		unit = last == digit('k') ? 1u << 10 : 1u << 20;
		w = without(w, 0, 1);
	}
	const bool octal = w.len > 1 && w.p[0] == '0';
	const bool good = hex                  ? digits(without(w, 2, 0), 16, ret)
			  : w.p[0] == '$'      ? digits(without(w, 1, 0), 16, ret)
			  : last == digit('h') ? digits(without(w, 0, 1), 16, ret)
					       : digits(w, octal ? 8 : 10, ret);
	if (!good || *ret > UINT64_MAX / unit)
		return false;
	*ret *= unit;
	return true;
}

static void read_string(struct script *s)
{
	const size_t start = ++s->pos;
	while (peek(s, 0) >= 0 && peek(s, 0) != '"')
		step(s);
	s->word = (struct str){ s->text.p + start, s->pos - start };
	s->pos = min_u64(s->pos + 1, s->text.len);
	s->token = TOKEN_STRING;
}

/* "<<=", ">=", "&&": as long as an operator is. */
static size_t operator_length(const struct script *s)
{
	static const char *const operators[] = { "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=",
						 "&&",  "||",  "+=", "-=", "*=", "/=", "&=", "|=" };
	for (size_t i = 0; i < COUNT_OF(operators); i++)
		if (str_starts((struct str){ s->text.p + s->pos, s->text.len - s->pos },
			       str_of(operators[i])))
			return strlen(operators[i]);
	return 1;
}

void script_next(struct script *s)
{
	skip_blanks(s);
	const size_t start = s->pos;
	const int c = peek(s, 0);
	if (c < 0) {
		s->token = TOKEN_END;
		s->word = STR("");
		return;
	}
	if (c == '"') {
		read_string(s);
		return;
	}
	if (!is_letter(c) && !is_digit(c)) {
		s->pos += operator_length(s);
		s->token = TOKEN_OTHER;
	} else {
		while (is_letter(peek(s, 0)) || is_digit(peek(s, 0)))
			s->pos++;
		s->token = TOKEN_NAME;
	}
	s->word = (struct str){ s->text.p + start, s->pos - start };
	const bool numeric = is_digit(c) || (c == '$' && s->word.len > 1);
	if (s->token == TOKEN_NAME && numeric && read_number(s->word, &s->number))
		s->token = TOKEN_NUMBER;
}

bool script_is(const struct script *s, const char *word)
{
	return (s->token == TOKEN_NAME || s->token == TOKEN_OTHER) && str_eq(s->word, str_of(word));
}

bool script_take(struct script *s, const char *word)
{
	if (!script_is(s, word))
		return false;
	script_next(s);
	return true;
}

void script_note_at(struct script *s, const char *fmt, struct str word)
{
	const struct str file = s->file.len > 0 ? s->file : STR("the linker script");
	word.len = min_u64(word.len, 64);
	if (s->notes)
		note(s->notes, s->path, HEFT_NO_OFFSET, 0, fmt, s->line, STR_ARG(file),
		     STR_ARG(word));
}
