#define _GNU_SOURCE /* memmem */
#include "names/supersize.h"

/* A name with the role of each of its characters: brackets that belong to an operator's name count as
 * ordinary letters. */
struct parse {
	struct str s;
	char *kind; /* s.p[i] where it is a bracket, else 0 */
	bool exact;
};

#define ANONYMOUS "(anonymous namespace)"

static bool at(struct str s, size_t i, const char *word)
{
	const size_t size = strlen(word);
	return i <= s.len && s.len - i >= size && memcmp(s.p + i, word, size) == 0;
}

/* Whether `word` ends right before i. */
static bool before(struct str s, size_t i, const char *word)
{
	const size_t size = strlen(word);
	return i >= size && memcmp(s.p + i - size, word, size) == 0;
}

static struct str cut(struct str s, size_t from, size_t to)
{
	return (struct str){ s.p ? s.p + from : NULL, to - from };
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* ---- brackets ---------------------------------------------------------------------------------- */

/* Characters behind "operator" that are its name. */
static size_t operator_size(const struct parse *p, size_t i)
{
	static const char *const all[] = { "()", "->*", "->", "<=>", "<<=", ">>=",
					   "<<", ">>",  "<=", ">=",  "<",   ">" };
	static const char *const exact[] = { "<<", ">>", "<", ">" };
	const char *const *list = p->exact ? exact : all;
	const size_t count = p->exact ? COUNT_OF(exact) : COUNT_OF(all);
	for (size_t k = 0; k < count; k++)
		if (at(p->s, i, list[k]))
			return strlen(list[k]);
	return 0;
}

static bool is_operator(struct str s, size_t i)
{
	return at(s, i, "operator") && (i == 0 || !is_word_char(s.p[i - 1]));
}

static void find_brackets(struct parse *p)
{
	for (size_t i = 0; i < p->s.len; i++) {
		const char c = p->s.p[i];
		p->kind[i] = c == '<' || c == '>' || c == '(' || c == ')' ? c : '\0';
		if (c == '>' && !p->exact && i > 0 && p->s.p[i - 1] == '-')
			p->kind[i] = '\0';
		if (c != 'o' || !is_operator(p->s, i))
			continue;
		const size_t end = i + 8 + operator_size(p, i + 8);
		memset(p->kind + i, 0, end - i);
		i = end - 1;
	}
}

/* The index behind the bracket that closes the one at i; s.len where none does. */
static size_t bracket_end(const struct parse *p, size_t i)
{
	size_t depth = 0;
	for (; i < p->s.len; i++) {
		depth += p->kind[i] == '(';
		if (p->kind[i] == ')' && --depth == 0)
			return i + 1;
	}
	return p->s.len;
}

/* ---- parameters -------------------------------------------------------------------------------- */

static bool is_parameter_paren(const struct parse *p, size_t i)
{
	if (at(p->s, i, ANONYMOUS) || before(p->s, i, " ") || before(p->s, i, "{lambda"))
		return false;
	return p->exact || !before(p->s, i, "decltype");
}

/* The first parenthesis at or behind `from` that opens parameters, outside of all brackets; s.len: none. */
static size_t parameter_paren(const struct parse *p, size_t from)
{
	long angle = 0, paren = 0;
	for (size_t i = from; i < p->s.len; i++) {
		const char k = p->kind[i];
		if (k == '(' && angle == 0 && paren == 0 && is_parameter_paren(p, i))
			return i;
		angle += (k == '<') - (k == '>');
		paren += (k == '(') - (k == ')');
	}
	return p->s.len;
}

/* Words after which a blank is part of the name. */
static bool blank_in_name(const struct parse *p, size_t blank)
{
	return before(p->s, blank, "operator") || before(p->s, blank, "operator<") ||
	       before(p->s, blank, "operator<<") ||
	       (!p->exact &&
		(before(p->s, blank, "operator\"\"") || before(p->s, blank, "operator>") ||
		 before(p->s, blank, "operator>>") || before(p->s, blank, "operator<=>")));
}

/* Where the name begins: behind the last blank in front of `end` that is outside of brackets. */
static size_t name_start(const struct parse *p, size_t end)
{
	long angle = 0, paren = 0;
	size_t i = end;
	if (before(p->s, end, " const"))
		i -= 6;
	for (; i > 0; i--) {
		const char k = p->kind[i - 1];
		angle += (k == '>') - (k == '<');
		paren += (k == ')') - (k == '(');
		if (p->s.p[i - 1] == ' ' && angle == 0 && paren == 0 && !blank_in_name(p, i - 1))
			return i;
	}
	return 0;
}

/* ---- template arguments ------------------------------------------------------------------------ */

enum { OPEN_MOST = 256 }; /* deeper brackets stay as they are */

/* Copies s without what stands between outermost pairs of < and >; a pair that begins the text (Rust's
 * <T as Trait>) keeps its words, but loses what is inside of them, unless `exact`. */
static void empty_arguments(struct text *out, struct str s, const char *kind, bool exact)
{
	size_t open[OPEN_MOST], depth = 0, from = 0; /* open: places in *out */
	out->len = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (kind[i] == '<' && depth < OPEN_MOST) {
			text_add(out, cut(s, from, i + 1));
			open[depth++] = out->len;
		} else if (kind[i] == '>' && depth > 0) {
			depth--;
			if (open[depth] == 1 && !exact)
				text_add(out, cut(s, from, i));
			else
				out->len = open[depth];
			text_add_char(out, '>');
		} else {
			continue;
		}
		from = i + 1;
	}
	text_add(out, cut(s, from, s.len));
}

/* "[abi:x]" go. */
static void drop_abi(struct text *out, struct str s)
{
	size_t from = 0;
	out->len = 0;
	const char *p = s.len > 0 ? s.p : "";
	for (; s.len > 0 && (p = memchr(p, '[', s.len - (size_t)(p - s.p))) != NULL; p++) {
		const size_t i = (size_t)(p - s.p);
		const char *end = at(s, i, "[abi:") ? memchr(p, ']', s.len - i) : NULL;
		if (end == NULL)
			continue;
		text_add(out, cut(s, from, i));
		from = (size_t)(end - s.p) + 1;
		p = end;
	}
	text_add(out, cut(s, from, s.len));
}

/* "(anonymous namespace)::" go; whether there was one. */
static bool drop_anonymous(struct text *t)
{
	const struct str s = text_str(t);
	const char *first = s.len > 0
				    ? memmem(s.p, s.len, ANONYMOUS "::", sizeof ANONYMOUS "::" - 1)
				    : NULL;
	size_t to = first ? (size_t)(first - s.p) : s.len;
	for (size_t i = to; i < s.len;) {
		if (at(s, i, ANONYMOUS "::")) {
			i += sizeof ANONYMOUS "::" - 1;
			continue;
		}
		t->p[to++] = t->p[i++];
	}
	t->len = to;
	return to != s.len;
}

/* ---- the template form ------------------------------------------------------------------------- */

/* As the original: up to the parameters, and what follows the last parenthesis. */
static void template_exact(struct text *out, const struct parse *p, size_t start, size_t paren)
{
	size_t last = p->s.len;
	while (last > paren && p->s.p[last - 1] != ')')
		last--;
	text_set(out, cut(p->s, start, paren));
	text_add(out, cut(p->s, last, p->s.len));
}

/* Without the parameters of the function and of those around it. */
static void template_mended(struct text *out, const struct parse *p, size_t start, size_t paren)
{
	size_t from = start;
	out->len = 0;
	while (paren < p->s.len) {
		text_add(out, cut(p->s, from, paren));
		from = bracket_end(p, paren);
		if (at(p->s, from, " const::"))
			from += 6;
		paren = parameter_paren(p, from);
	}
	text_add(out, cut(p->s, from, p->s.len));
}

/* "void (*f(int))(char)": the name stands inside; false where it is none of these. */
static bool inside_pointer(const struct parse *p, size_t paren, size_t *ret_start, size_t *ret_end)
{
	size_t i = paren;
	while (i > 0 && (p->kind[i] != '(' || (!at(p->s, i, "(*") && !at(p->s, i, "(&"))))
		i--;
	if (i == 0 || p->exact || !before(p->s, paren, ")") || !before(p->s, i, " "))
		return false;
	*ret_start = i + 2;
	*ret_end = parameter_paren(p, i + 2);
	return *ret_end < paren;
}

/* ---- lambdas at top level ---------------------------------------------------------------------- */

static size_t last_of(struct str s, char c)
{
	size_t i = s.len;
	while (i > 0 && s.p[i - 1] != c)
		i--;
	return i; /* behind it; 0: none */
}

/* "a::{lambda(int)#2}::_FUN" and "a::$_2::__invoke" become "a::$lambda#2"; the parts are those of `name`. */
static bool lambda_parts(struct str name, struct str *ret_front, struct str *ret_number)
{
	const bool gcc = str_ends(name, STR("}::_FUN")), clang = str_ends(name, STR("::__invoke"));
	const size_t end = name.len - (gcc ? 7 : clang ? 10 : 0);
	const struct str head = { name.p, end };
	const size_t front = last_of(head, gcc ? '{' : '$');
	const size_t number = gcc ? last_of(head, '#') : front + 1;
	if ((!gcc && !clang) || front == 0 || number < front || number > end)
		return false;
	if (clang && !at(head, front, "_"))
		return false;
	*ret_front = (struct str){ name.p, front - 1 };
	*ret_number = (struct str){ name.p + number, end - number };
	return true;
}

/* ---- a name ------------------------------------------------------------------------------------ */

static void split(struct supersize_name *n, struct parse *p)
{
	struct str front, number;
	size_t paren = parameter_paren(p, 0), end;
	if (paren == p->s.len || paren == 0) {
		text_set(&n->full, p->s);
		text_set(&n->work, p->s);
		return;
	}
	size_t start = name_start(p, paren);
	text_set(&n->full, cut(p->s, start, p->s.len));
	if (inside_pointer(p, paren, &start, &end)) {
		text_set(&n->full, cut(p->s, start, bracket_end(p, end)));
		text_set(&n->work, cut(p->s, start, end));
	} else if (lambda_parts(cut(p->s, start, paren), &front, &number)) {
		text_set(&n->work, front);
		text_add(&n->work, STR("$lambda#"));
		text_add(&n->work, number);
		text_set(&n->full, text_str(&n->work));
		text_add(&n->full, cut(p->s, paren, p->s.len));
	} else if (p->exact) {
		template_exact(&n->work, p, start, paren);
	} else {
		template_mended(&n->work, p, start, paren);
	}
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

/* "f.constprop.0" and "f.11" in .text. */
static struct str drop_clone_number(struct str s, bool *ret_clone)
{
	static const char *const parts[] = { ".constprop", ".isra", ".part", ".lto_priv" };
	const size_t dot = last_of(s, '.');
	struct str base = cut(s, 0, dot > 0 ? dot - 1 : 0);
	if (base.len == 0 || !all_digits(cut(s, dot, s.len)) || str_eq(base, STR("__tcf_0")) ||
	    str_eq(base, STR("startup")))
		return s;
	*ret_clone = true;
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (str_ends(base, str_of(parts[i])) && base.len > strlen(parts[i]))
			return cut(base, 0, base.len - strlen(parts[i]));
	return base;
}

static struct str drop_clone(struct str s, unsigned how, bool *ret_clone)
{
	const char *clone = s.len > 0 ? memmem(s.p, s.len, " [clone ", 8) : NULL;
	if (clone) {
		*ret_clone = true;
		s = cut(s, 0, (size_t)(clone - s.p));
	}
	return how & SUPERSIZE_TEXT ? drop_clone_number(s, ret_clone) : s;
}

/* Where `word` stands in the first 30 characters, s.len where it does not.  What is special of a symbol is words: an
 * argument list in front says that the word is part of a name. */
static size_t find_early(struct str s, const char *word, bool exact)
{
	const size_t size = strlen(word);
	for (size_t i = 0; i + size <= s.len && i + size <= 30; i++) {
		if (!exact && (s.p[i] == '<' || s.p[i] == '(' || s.p[i] == ':'))
			break;
		if (at(s, i, word))
			return i;
	}
	return s.len;
}

/* "A for B" becomes "B [A]". */
static void turn(struct text *t, const char *word, bool exact)
{
	const struct str s = text_str(t);
	const size_t i = find_early(s, word, exact);
	if (i == s.len)
		return;
	struct text out = { 0 };
	text_add(&out, cut(s, i + strlen(word), s.len));
	text_add(&out, STR(" ["));
	text_add(&out, cut(s, 0, i));
	text_add_char(&out, ']');
	text_set(t, text_str(&out));
	text_release(&out);
}

static struct parse parse_of(struct supersize_name *n, struct str s, unsigned how)
{
	text_set(&n->kinds, s); /* as many bytes */
	struct parse p = { .s = s, .kind = n->kinds.p, .exact = how & SUPERSIZE_EXACT };
	if (s.len > 0)
		find_brackets(&p);
	return p;
}

void supersize_split(struct supersize_name *n, struct str demangled, unsigned how)
{
	bool clone = false;
	const bool exact = how & SUPERSIZE_EXACT;
	text_set(&n->plain, drop_clone(demangled, how, &clone));
	turn(&n->plain, " for ", exact);
	turn(&n->plain, " to ", exact);
	struct parse p = parse_of(n, text_str(&n->plain), how);
	split(n, &p);
	drop_abi(&n->template_name, text_str(&n->work));
	p = parse_of(n, text_str(&n->template_name), how);
	empty_arguments(&n->plain, p.s, p.kind, exact);
	(void)drop_anonymous(&n->full);
	(void)drop_anonymous(&n->template_name);
	n->flags = (drop_anonymous(&n->plain) ? SUPERSIZE_ANONYMOUS : 0u) |
		   (clone ? SUPERSIZE_CLONE : 0u);
}

void supersize_name_release(struct supersize_name *n)
{
	text_release(&n->full);
	text_release(&n->template_name);
	text_release(&n->plain);
	text_release(&n->work);
	text_release(&n->kinds);
}
