/* Shortens C++ names as the demanglers of LLVM and libiberty write them.
 *
 * Reads the name once from left to right. A blank outside of brackets ends the return type or a
 * part of it, so that the text written so far is dropped. Other blanks occur only in operators, in
 * "(anonymous namespace)" and after a parameter list. */
#include "base/digits.h"
#include "names/cut.h"
#include "names/out.h"

enum { STOP_NAME = 1, STOP_ANGLE = 2, STOP_SIGN = 4 };

/* Bytes with a meaning in a name, in template arguments, or in "operator<=>". */
static const uint8_t stops[256] = {
	['<'] = STOP_NAME | STOP_ANGLE | STOP_SIGN,
	['='] = STOP_SIGN,
	['>'] = STOP_NAME | STOP_ANGLE | STOP_SIGN,
	['('] = STOP_NAME | STOP_ANGLE,
	[')'] = STOP_NAME,
	['{'] = STOP_NAME | STOP_ANGLE,
	['}'] = STOP_NAME,
	['['] = STOP_NAME,
	[' '] = STOP_NAME,
	['\''] = STOP_NAME,
	['*'] = STOP_NAME,
	['&'] = STOP_NAME,
	['^'] = STOP_NAME,
	[':'] = STOP_NAME,
};

/* Greatest depth of declarators in each other, as in "(*(*f())())()". Each level looks ahead, so a
 * limit keeps the time linear. Deeper names have no short form. */
#define MAX_DECLARATORS 16

#define ANONYMOUS "(anonymous namespace)"

static inline bool stops_at(char byte, unsigned mask)
{
	return (stops[(unsigned char)byte] & mask) != 0;
}

static inline char signature_cxx_byte_at(const struct cut *c, const char *p)
{
	return p < c->end ? *p : 0;
}

static bool signature_cxx_is_ident(char byte)
{
	return is_ident(byte) || byte == '$';
}

/* Returns the byte after the ")" that closes the "(" at p, or NULL. Ignores other brackets, because
 * LLVM puts parentheses around "a > b" in template arguments. */
static const char *match_paren(const struct cut *c, const char *p)
{
	size_t depth = 0;
	for (const char *const end = c->end; p < end; p++) {
		if (LIKELY((*p | 1) != ')')) /* '(' and ')' differ in the last bit */
			continue;
		if (*p == '(')
			depth++;
		else if (--depth == 0)
			return p + 1;
	}
	return NULL;
}

/* True if "<<" at p is a shift, and not operator< with arguments "<...>". After a shift come
 * parameters or arguments. An argument may begin with "(" too: "(E)1". */
static bool is_shift(const struct cut *c, const char *p)
{
	const char next = signature_cxx_byte_at(c, p + 2);
	if (next != '(')
		return next == 0 || strchr("<[ ,>:)", next) != NULL;
	if (CUT_AT(c, p + 2, ANONYMOUS))
		return false;
	const char *const close = match_paren(c, p + 2);
	return !close || !(signature_cxx_is_ident(signature_cxx_byte_at(c, close)) ||
			   signature_cxx_byte_at(c, close) == '-');
}

/* Returns the length of the operator at p, which follows the word "operator" and begins with < or
 * >. */
static size_t angle_sign(const struct cut *c, const char *p, bool inside)
{
	const char second = signature_cxx_byte_at(c, p + 1),
		   third = signature_cxx_byte_at(c, p + 2);
	if (second == '=')
		return *p == '<' && third == '>' ? 3 : 2;
	if (second != *p)
		return 1;
	if (third == '=')
		return 3;
	if (*p == '<')
		return is_shift(c, p) ? 2 : 1;
	/* In "A<&B::operator>>", the second ">" ends the arguments, unless more follows. */
	return inside && !(third == '>' || third == ',' || third == '(') ? 1 : 2;
}

/* Returns the size of the operator at p in template arguments. 0 if p is a bracket. */
static size_t sign_size(const struct cut *c, const char *p)
{
	const char before = p > c->base ? p[-1] : 0;
	if (*p == '>' && before == '-')
		return p - c->base >= 10 && memcmp(p - 10, "operator--", 10) == 0 ? 0 : 1;
	if (before == 'r' && p - c->base >= 8 && memcmp(p - 8, "operator", 8) == 0)
		return angle_sign(c, p, true);
	/* " < " and " >= " are operators. "> >" is none: libiberty writes it after two lists of
	 * template arguments. */
	if (before != ' ' || (*p == '>' && p - c->base >= 2 && p[-2] == '>'))
		return 0;
	size_t n = 1;
	while (n < 3 && stops_at(signature_cxx_byte_at(c, p + n), STOP_SIGN))
		n++;
	return signature_cxx_byte_at(c, p + n) == ' ' ? n : 0;
}

static const char *match_angle(const struct cut *c, const char *p)
{
	size_t depth = 0;
	while (p && p < c->end) {
		if (!stops_at(*p, STOP_ANGLE)) {
			p++;
		} else if (*p == '(') {
			p = match_paren(c, p);
		} else if (*p == '{') {
			p = cut_match(c, p, '{', '}');
		} else if (sign_size(c, p) != 0) {
			p += sign_size(c, p);
		} else if (*p++ == '<') {
			depth++;
		} else if (--depth == 0) {
			return p;
		}
	}
	return NULL;
}

static bool signature_cxx_arguments(struct cut *c)
{
	const char *const close = match_angle(c, c->p);
	if (!close)
		return false;
	if (c->keep & SIG_ARGUMENTS)
		cut_copy(c, close);
	else
		cut_emit(c, "<>", 2);
	c->p = close;
	return true;
}

/* Copies libiberty's {lambda(int)#1} without what is in the parentheses. */
static bool braces(struct cut *c)
{
	const char *const to = cut_match(c, c->p, '{', '}');
	if (!to)
		return false;
	ASSERT(to > c->p && to <= c->end);
	const struct cut inside = { .end = to };
	const char *const close = CUT_AT(c, c->p, "{lambda(") ? match_paren(&inside, c->p + 7)
							      : NULL;
	if (close) {
		cut_copy(c, c->p + 7);
		cut_emit(c, "()", 2);
		c->p = close;
	}
	cut_copy(c, to);
	return true;
}

/* Skips what may follow 'lambda': <typename T>, a requires clause, and the parameters. */
static bool lambda_head(struct cut *c)
{
	if (signature_cxx_byte_at(c, c->p) == '<' && !(c->p = match_angle(c, c->p)))
		return false;
	if (CUT_AT(c, c->p, " requires ")) {
		const char *const open = memchr(c->p, '(', (size_t)(c->end - c->p));
		c->p = open ? open : c->end;
	}
	return signature_cxx_byte_at(c, c->p) != '(' || (c->p = match_paren(c, c->p));
}

static bool quoted(struct cut *c)
{
	const bool lambda = CUT_AT(c, c->p, "'lambda");
	if (!lambda && !CUT_AT(c, c->p, "'unnamed")) {
		const char *const to = memchr(c->p + 1, '\'', (size_t)(c->end - c->p - 1));
		cut_copy(c, to ? to + 1 : c->p + 1);
		return true;
	}
	c->p += lambda ? 7 : 8;
	/* Number that LLVM writes after 'lambda. None is the first lambda, 0 the second. */
	unsigned n = 0;
	const bool any = signature_cxx_byte_at(c, c->p) != '\'';
	while (signature_cxx_byte_at(c, c->p) >= '0' && signature_cxx_byte_at(c, c->p) <= '9' &&
	       n < 100000000)
		n = n * 10 + (unsigned)(*c->p++ - '0');
	n = any ? n + 2 : 1;
	c->p += signature_cxx_byte_at(c, c->p) == '\'';
	const char *text = lambda ? "{lambda()#" : "{unnamed type#";
	char digits[DECIMAL_MOST + 1], *end = digits + DECIMAL_MOST,
				       *start = decimal_before(end, n);
	*end++ = '}';
	cut_emit(c, text, strlen(text));
	cut_emit(c, start, (size_t)(end - start));
	return !lambda || lambda_head(c);
}

/* True if a declarator begins at p: "(*", "(&", "(A::*". The rest of the type follows the name. */
static bool is_declarator(const struct cut *c, const char *p)
{
	const char first = signature_cxx_byte_at(c, p + 1);
	if (first == '*' || first == '&' || first == '^')
		return true;
	for (const char *q = p + 1; q + 2 < c->end; q++) {
		if (*q == '(' || *q == ')')
			return false;
		if (*q == ':' && q[1] == ':' && q[2] == '*')
			return true;
	}
	return false;
}

static bool type_paren(struct cut *c)
{
	if (CUT_AT(c, c->p, ANONYMOUS)) {
		cut_copy(c, c->p + sizeof ANONYMOUS - 1);
		return true;
	}
	const char *close = match_paren(c, c->p);
	if (!close)
		return false;
	if (is_declarator(c, c->p)) {
		cut_copy(c, close);
		if (signature_cxx_byte_at(c, c->p) != '(')
			return true;
		if (!(close = match_paren(c, c->p)))
			return false;
	}
	cut_emit(c, "()", 2);
	c->p = close;
	return true;
}

/* Copies a type until the "()" of a conversion operator, or to the end. */
static bool type_until_call(struct cut *c, bool conversion)
{
	bool ok = true;
	while (ok && c->p < c->end) {
		if (*c->p == '(' && conversion && CUT_AT(c, c->p, "()"))
			return true;
		switch (*c->p) {
		case '<': ok = signature_cxx_arguments(c); break;
		case '\'': ok = quoted(c); break;
		case '{': ok = braces(c); break;
		case '(': ok = type_paren(c); break;
		default: cut_copy(c, c->p + 1); break;
		}
	}
	return ok;
}

bool cut_cxx_type(struct cut *c)
{
	return type_until_call(c, false);
}

/* Reads the words after "operator ". */
static bool operator_words(struct cut *c)
{
	static const char *const words[] = { "new", "delete", "co_await", "\"\" " };
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const size_t size = strlen(words[i]);
		if (!cut_at(c, c->p, words[i], size) ||
		    (i < 3 && signature_cxx_is_ident(signature_cxx_byte_at(c, c->p + size))))
			continue;
		cut_copy(c, c->p + size);
		if (CUT_AT(c, c->p, "[]"))
			cut_copy(c, c->p + 2);
		return true;
	}
	return type_until_call(c, true);
}

/* Reads the name of an operator. p is at "operator", the start of a component. */
static bool signature_cxx_operator_name(struct cut *c)
{
	cut_copy(c, c->p + 8);
	const char first = signature_cxx_byte_at(c, c->p);
	if (first == ' ') {
		cut_copy(c, c->p + 1);
		return operator_words(c);
	}
	if (CUT_AT(c, c->p, "()") || CUT_AT(c, c->p, "[]"))
		cut_copy(c, c->p + 2);
	else if (CUT_AT(c, c->p, "\"\" "))
		cut_copy(c, c->p + 3);
	else if (CUT_AT(c, c->p, "->"))
		cut_copy(c, c->p + (signature_cxx_byte_at(c, c->p + 2) == '*' ? 3 : 2));
	else if (first == '<' || first == '>')
		cut_copy(c, c->p + angle_sign(c, c->p, false));
	else
		while (c->p < c->end && strchr("+-*/%^&|~!=,", *c->p))
			cut_copy(c, c->p + 1);
	if (CUT_AT(c, c->p, " <")) /* libiberty writes "operator< <int>" */
		c->p++;
	return true;
}

/* Skips the qualifiers after a parameter list. */
static bool signature_cxx_qualifiers(struct cut *c)
{
	static const char *const words[] = { " const",    " volatile", " restrict",
					     " noexcept", " &&",       " &" };
	for (size_t i = 0; i < COUNT_OF(words);) {
		const size_t size = strlen(words[i]);
		if (!cut_at(c, c->p, words[i], size) ||
		    signature_cxx_is_ident(signature_cxx_byte_at(c, c->p + size))) {
			i++;
			continue;
		}
		c->p += size;
		if (signature_cxx_byte_at(c, c->p) == '(' && !(c->p = match_paren(c, c->p)))
			return false;
		i = 0;
	}
	if (CUT_AT(c, c->p, " requires ")) {
		/* A requires clause goes on to the end of the name, or to a component inside the
		 * constrained function. */
		while (c->p < c->end && !CUT_AT(c, c->p, "::'") && !CUT_AT(c, c->p, "::{") &&
		       !CUT_AT(c, c->p, "::operator"))
			c->p++;
	} else if (CUT_AT(c, c->p, " [")) /* [enable_if:...] */
		c->p = c->end;
	ASSERT(c->p <= c->end);
	return true;
}

static bool signature_cxx_parameters(struct cut *c)
{
	const char *const close = match_paren(c, c->p);
	if (!close)
		return false;
	const bool type = c->len >= 8 && memcmp(c->out + c->len - 8, "decltype", 8) == 0;
	if (type || (c->keep & SIG_PARENS))
		cut_emit(c, "()", 2);
	c->p = close;
	return signature_cxx_qualifiers(c);
}

/* Reads a "(" at the start of a component. */
static bool opening(struct cut *c)
{
	if (CUT_AT(c, c->p, ANONYMOUS)) {
		cut_copy(c, c->p + sizeof ANONYMOUS - 1);
		return true;
	}
	if (!is_declarator(c, c->p))
		return signature_cxx_parameters(c);
	c->p++;
	c->at_start = true;
	return ++c->closers <= MAX_DECLARATORS;
}

/* Skips the ")" of a declarator, and the rest of the return type: "(char)", " [3]". */
static bool signature_cxx_closing(struct cut *c)
{
	if (c->closers == 0)
		return false;
	c->closers--;
	c->p++;
	while (c->p && (signature_cxx_byte_at(c, c->p) == '(' || CUT_AT(c, c->p, " ["))) {
		const bool paren = *c->p == '(';
		c->p = paren ? match_paren(c, c->p) : cut_match(c, c->p, '[', ']');
	}
	return c->p && signature_cxx_qualifiers(c);
}

static bool written_ends(const struct cut *c, struct str with)
{
	return str_ends((struct str){ c->out, c->len }, with);
}

static void blank(struct cut *c)
{
	if (CUT_AT(c, c->p, " literal") && written_ends(c, STR("::string"))) {
		cut_copy(c, c->p + 8);
	} else if (written_ends(c, STR("::friend"))) {
		c->p++;
		c->len -= 6;
		c->at_start = true;
	} else if (written_ends(c, STR("decltype")) && CUT_AT(c, c->p, " (")) {
		c->p++; /* libiberty writes "decltype (x)" */
	} else {
		c->p++;
		c->len = 0;
		c->at_start = true;
	}
}

/* Reads a byte that is marked STOP_NAME. */
static bool signature_cxx_step(struct cut *c)
{
	switch (*c->p) {
	case '<': return signature_cxx_arguments(c);
	case '(': return signature_cxx_parameters(c);
	case ')': return signature_cxx_closing(c);
	case '[': { /* Brackets that belong to the name: [abi:cxx11], "[a, b]" */
		const char *const to = cut_match(c, c->p, '[', ']');
		if (to)
			cut_copy(c, to);
		return to;
	}
	case '{': return braces(c);
	case '\'': return quoted(c);
	case ' ': blank(c); return true;
	case ':':
		c->at_start = CUT_AT(c, c->p, "::");
		cut_copy(c, c->p + (c->at_start ? 2 : 1));
		return true;
	case '*':
	case '&':
	case '^':
		c->p++;
		c->len = 0;
		c->at_start = true;
		return true;
	default: return false;
	}
}

bool cut_cxx(struct cut *c)
{
	bool ok = true;
	while (ok && c->p < c->end) {
		const bool start = c->at_start;
		c->at_start = false;
		if (start && *c->p == '(') {
			ok = opening(c);
		} else if (start && *c->p == 'o' && CUT_AT(c, c->p, "operator") &&
			   !signature_cxx_is_ident(signature_cxx_byte_at(c, c->p + 8))) {
			ok = signature_cxx_operator_name(c);
		} else if (stops_at(*c->p, STOP_NAME)) {
			ok = signature_cxx_step(c);
		} else {
			const char *to = c->p + 1;
			while (to < c->end && !stops_at(*to, STOP_NAME))
				to++;
			cut_copy(c, to);
		}
	}
	ASSERT(c->p <= c->end);
	return ok;
}
