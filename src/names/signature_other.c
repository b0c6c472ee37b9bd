/* Shortens Rust and D names (see signature.h). */
#include "names/cut.h"
#include "names/out.h"

/* Bytes that open or close a bracket or a literal. */
static const bool stops[256] = {
	['<'] = true, ['>'] = true, ['('] = true, [')'] = true, ['\''] = true, ['"'] = true,
};

static const char *run_end(const struct cut *c, const char *p)
{
	const char *const end = c->end;
	while (p < end && !stops[(unsigned char)*p])
		p++;
	return p;
}

/* Returns the byte after the character or string literal at p. p itself if the quote begins a
 * lifetime ('a), which has no second quote. */
static const char *skip_literal(const struct cut *c, const char *p)
{
	const char quote = *p;
	const char *q = p + 1;
	if (quote == '\'' && q < c->end && *q != '\\') {
		do /* One character of UTF-8 */
			q++;
		while (q < c->end && ((unsigned char)*q & 0xc0) == 0x80);
		return q < c->end && *q == '\'' ? q + 1 : p;
	}
	for (; q < c->end && *q != quote; q++)
		q += *q == '\\';
	return q < c->end ? q + 1 : p;
}

/* Returns the byte after the bracket that closes the one at p, or NULL. Skips brackets in literals,
 * and the ">" of "->". */
static const char *signature_other_match(const struct cut *c, const char *p, char open, char close)
{
	size_t depth = 0;
	while ((p = run_end(c, p)) < c->end) {
		const char *const literal = *p == '\'' || *p == '"' ? skip_literal(c, p) : p;
		if (literal != p) {
			p = literal;
			continue;
		}
		if (*p == open)
			depth++;
		else if (*p == close && !(close == '>' && p[-1] == '-') && --depth == 0)
			return p + 1;
		p++;
	}
	return NULL;
}

/* True if "<" begins generic arguments: in "Vec<" and "f::<", but not in "<T as", "<impl Trait for"
 * and "for<'a>". */
static bool is_generic(const struct cut *c)
{
	const char *const p = c->p;
	if (p == c->base || CUT_AT(c, p, "<impl "))
		return false;
	if (p - c->base >= 3 && memcmp(p - 3, "for", 3) == 0 &&
	    (p - c->base == 3 || !is_ident(p[-4])))
		return false;
	return is_ident(p[-1]) || p[-1] == ':' || p[-1] == '}';
}

bool cut_rust(struct cut *c)
{
	size_t depth = 0;
	if (c->keep & SIG_ARGUMENTS)
		cut_copy(c, c->end);
	while (c->p < c->end) {
		if (*c->p == '<' && is_generic(c)) {
			c->p = signature_other_match(c, c->p, '<', '>');
			if (!c->p)
				return false;
			cut_emit(c, "<>", 2);
			continue;
		}
		if (*c->p == '<')
			depth++;
		else if (*c->p == '>' && (c->p == c->base || c->p[-1] != '-') && depth-- == 0)
			return false;
		cut_copy(c, run_end(c, c->p + 1));
	}
	ASSERT(c->p <= c->end);
	return depth == 0;
}

/* Skips the storage classes of "this" after a D function's parameters. */
static void d_qualifiers(struct cut *c)
{
	static const char *const words[] = { " const", " immutable", " shared",
					     " inout", " return",    " scope" };
	for (size_t i = 0; i < COUNT_OF(words);) {
		const size_t size = strlen(words[i]);
		if (cut_at(c, c->p, words[i], size)) {
			c->p += size;
			i = 0;
		} else {
			i++;
		}
	}
}

bool cut_d(struct cut *c)
{
	while (c->p < c->end) {
		const bool arguments = CUT_AT(c, c->p, "!(");
		if (*c->p != '(' && !arguments) {
			cut_copy(c, c->p + 1);
			continue;
		}
		const char *const close = signature_other_match(c, c->p + arguments, '(', ')');
		if (!close)
			return false;
		if (arguments && (c->keep & SIG_ARGUMENTS))
			cut_copy(c, close);
		else if (arguments)
			cut_emit(c, "!()", 3);
		else if (c->keep & SIG_PARENS)
			cut_emit(c, "()", 2);
		c->p = close;
		if (!arguments)
			d_qualifiers(c);
	}
	ASSERT(c->p <= c->end);
	return true;
}
