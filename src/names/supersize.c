/* Splits names into the three forms of SuperSize. */
#include "names/supersize.h"

#include "names/out.h"

/* A name, and the positions of its brackets and blanks outside of operators' names, ascending */
struct supersize_parse {
	struct str s;
	const struct supersize_mark *marks;
	size_t count;
	bool exact;
};

#define ANONYMOUS "(anonymous namespace)"

static bool at(struct str s, size_t i, const char *word)
{
	const size_t size = strlen(word);
	return i <= s.len && s.len - i >= size && memcmp(s.p + i, word, size) == 0;
}

/* True if `word` is directly before index i. */
static bool before(struct str s, size_t i, const char *word)
{
	const size_t size = strlen(word);
	return i >= size && memcmp(s.p + i - size, word, size) == 0;
}

static struct str supersize_cut(struct str s, size_t from, size_t to)
{
	return (struct str){ s.p ? s.p + from : NULL, to - from };
}

/* Returns the first index of c from `from` on, or s.len. */
static size_t find_char(struct str s, size_t from, char c)
{
	const char *found = from < s.len ? memchr(s.p + from, c, s.len - from) : NULL;
	return found ? (size_t)(found - s.p) : s.len;
}

/* Returns the first index of `word` from `from` on, or s.len. */
static size_t supersize_find_word(struct str s, size_t from, const char *word)
{
	size_t i = find_char(s, from, word[0]);
	while (i < s.len && !at(s, i, word))
		i = find_char(s, i + 1, word[0]);
	return i;
}

/* Returns the length of the operator sign at i, the index after "operator". 0 if the sign has no
 * angle bracket or parenthesis. */
static size_t operator_size(struct str s, size_t i, bool exact)
{
	static const char *const all[] = { "()", "->*", "->", "<=>", "<<=", ">>=",
					   "<<", ">>",  "<=", ">=",  "<",   ">" };
	static const char *const few[] = { "<<", ">>", "<", ">" };
	const char *const *list = exact ? few : all;
	const size_t count = exact ? COUNT_OF(few) : COUNT_OF(all);
	for (size_t k = 0; k < count; k++)
		if (at(s, i, list[k]))
			return strlen(list[k]);
	return 0;
}

#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (c))

/* Returns a number whose bytes have the high bit set where x has a byte 0. */
static uint64_t zero_bytes(uint64_t x)
{
	const uint64_t low = EACH_BYTE(0x7f);
	return ~(((x & low) + low) | x | low);
}

/* Reads eight characters, the first one into the lowest byte. After the end, bytes are 0. */
static uint64_t eight_at(struct str s, size_t i)
{
	uint64_t x = 0;
	if (s.len - i >= sizeof x)
		memcpy(&x, s.p + i, sizeof x);
	else
		memcpy(&x, s.p + i, s.len - i);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(x);
#else
	return x;
#endif
}

/* Returns a number with the high bit set in bytes that are a bracket or blank, or may begin
 * "operator". Checks eight characters at once, because few characters of a long name are such. */
static uint64_t special_bytes(uint64_t x)
{
	const uint64_t second = zero_bytes(x ^ EACH_BYTE('p')) >> 8 | UINT64_C(1) << 63;
	return zero_bytes((x | EACH_BYTE('<' ^ '>')) ^ EACH_BYTE('>')) |
	       zero_bytes((x | EACH_BYTE('(' ^ ')')) ^ EACH_BYTE(')')) |
	       zero_bytes(x ^ EACH_BYTE(' ')) | (zero_bytes(x ^ EACH_BYTE('o')) & second);
}

/* Returns a bit for each of the 64 characters from `i` on: 1 if the character is special. The
 * caller then loops over these bits. The processor predicts one such loop better than many short
 * ones. */
static uint64_t special_places(struct str s, size_t i)
{
	uint64_t places = 0;
	for (unsigned k = 0; k < 64 && i + k < s.len; k += 8) {
		const uint64_t ones = special_bytes(eight_at(s, i + k)) >> 7;
		/* The multiplication moves bit 0 of byte n to bit 56 + n. */
		places |= (ones * UINT64_C(0x0102040810204080)) >> 56 << k;
	}
	return places;
}

/* Records the bracket or blank at i. Returns the index after it, or after the name of the operator
 * that begins at i. */
static size_t add_mark(struct supersize_name *n, struct str s, size_t i, bool exact)
{
	const char c = s.p[i];
	if (c == 'o') {
		const bool is_word = at(s, i, "operator") &&
				     (i == 0 || !(is_ident(s.p[i - 1]) || s.p[i - 1] == '$'));
		return is_word ? i + 8 + operator_size(s, i + 8, exact) : i;
	}
	if (c != '>' || exact || i == 0 || s.p[i - 1] != '-')
		vec_push(&n->marks, (struct supersize_mark){ (uint32_t)i, c });
	return i + 1;
}

static struct supersize_parse parse_of(struct supersize_name *n, struct str s, bool exact)
{
	size_t done = 0;
	n->marks.count = 0;
	for (size_t i = 0; i < s.len; i += 64)
		for (uint64_t bits = special_places(s, i); bits; bits &= bits - 1) {
			const size_t place = i + (unsigned)__builtin_ctzll(bits);
			if (place >= done)
				done = add_mark(n, s, place, exact);
		}
	ASSERT(n->marks.count <= s.len);
	return (struct supersize_parse){ s, n->marks.data, n->marks.count, exact };
}

/* Returns the index of the first mark (recorded bracket or blank) at position `place` of the text
 * or after it. Searches from mark m on. */
static size_t mark_from(const struct supersize_parse *p, size_t m, size_t place)
{
	while (m < p->count && p->marks[m].place < place)
		m++;
	return m;
}

/* Returns the position of mark m (a recorded bracket or blank) in the text. After the last mark,
 * returns the end of the text. */
static size_t supersize_place_of(const struct supersize_parse *p, size_t m)
{
	return m < p->count ? p->marks[m].place : p->s.len;
}

/* Returns the mark that closes the parenthesis at mark m, or p->count. */
static size_t supersize_closing(const struct supersize_parse *p, size_t m)
{
	size_t depth = 0;
	for (; m < p->count; m++) {
		depth += p->marks[m].kind == '(';
		if (p->marks[m].kind == ')' && --depth == 0)
			break;
	}
	return m;
}

/* Returns the index in the text after the parenthesis that closes the one at mark m. */
static size_t bracket_end(const struct supersize_parse *p, size_t m)
{
	return min_u64(supersize_place_of(p, supersize_closing(p, m)) + 1, p->s.len);
}

/* Returns the first mark, from m on, whose "(" begins a parameter list and is in no other brackets.
 * p->count if there is none. */
static size_t parameter_paren(const struct supersize_parse *p, size_t m)
{
	long angle = 0, paren = 0;
	for (; m < p->count; m++) {
		const char k = p->marks[m].kind;
		const size_t i = p->marks[m].place;
		if (k == '(' && angle == 0 && paren == 0 && !at(p->s, i, ANONYMOUS) &&
		    !before(p->s, i, " ") && !before(p->s, i, "{lambda") &&
		    (p->exact || !before(p->s, i, "decltype")))
			break;
		angle += (k == '<') - (k == '>');
		paren += (k == '(') - (k == ')');
	}
	return m;
}

/* True if i is in Microsoft's quotes, as in "`vector deleting dtor'". */
static bool is_quoted(struct str s, size_t i)
{
	while (i > 0 && s.p[i - 1] != '`' && s.p[i - 1] != '\'')
		i--;
	return i > 0 && s.p[i - 1] == '`';
}

/* True if the blank is part of a name, as in "operator bool" or within Microsoft's quotes. */
static bool blank_in_name(const struct supersize_parse *p, size_t blank)
{
	return (!p->exact && is_quoted(p->s, blank)) || before(p->s, blank, "operator") ||
	       before(p->s, blank, "operator<") || before(p->s, blank, "operator<<") ||
	       (!p->exact &&
		(before(p->s, blank, "operator\"\"") || before(p->s, blank, "operator>") ||
		 before(p->s, blank, "operator>>") || before(p->s, blank, "operator<=>")));
}

/* Returns where the name begins: after the last blank before mark m that is outside of brackets. */
static size_t supersize_name_start(const struct supersize_parse *p, size_t m)
{
	ASSERT(m < p->count);
	const size_t end = p->marks[m].place;
	const size_t from = before(p->s, end, " const") ? end - 6 : end;
	long angle = 0, paren = 0;
	while (m-- > 0) {
		const char k = p->marks[m].kind;
		const size_t i = p->marks[m].place;
		if (i >= from)
			continue;
		angle += (k == '>') - (k == '<');
		paren += (k == ')') - (k == '(');
		if (k == ' ' && angle == 0 && paren == 0 && !blank_in_name(p, i))
			return i + 1;
	}
	return 0;
}

enum { OPEN_MOST = 256 }; /* Greatest depth of nested "<". Deeper brackets keep their text */

/* Empties the outermost < > in `s`, a part of p->s. If `s` begins with "<", as in Rust's <T as
 * Trait>, that pair keeps its words without their arguments. With `exact`, it is emptied too. */
static struct str empty_arguments(struct text *out, const struct supersize_parse *p, struct str s)
{
	ASSERT(s.p >= p->s.p && s.len <= p->s.len);
	const size_t start = (size_t)(s.p - p->s.p);
	size_t open[OPEN_MOST], depth = 0, from = 0; /* open: per open "<", the position in *out
						      * after it */
	out->len = 0;
	for (size_t m = mark_from(p, 0, start); supersize_place_of(p, m) < start + s.len; m++) {
		const size_t i = p->marks[m].place - start;
		const char k = p->marks[m].kind;
		if (k == '<' && depth < OPEN_MOST) {
			text_add(out, supersize_cut(s, from, i + 1));
			open[depth++] = out->len;
		} else if (k == '>' && depth > 0) {
			depth--;
			if (open[depth] == 1 && !p->exact)
				text_add(out, supersize_cut(s, from, i));
			else
				out->len = open[depth];
			text_add_char(out, '>');
		} else {
			continue;
		}
		from = i + 1;
	}
	if (from == 0)
		return s;
	text_add(out, supersize_cut(s, from, s.len));
	return text_str(out);
}

/* Removes each "[abi:x]". */
static struct str drop_abi(struct text *out, struct str s)
{
	size_t from = 0;
	out->len = 0;
	for (size_t i = supersize_find_word(s, 0, "[abi:"); i < s.len;
	     i = supersize_find_word(s, from, "[abi:")) {
		const size_t end = find_char(s, i, ']');
		if (end == s.len)
			break;
		text_add(out, supersize_cut(s, from, i));
		from = end + 1;
	}
	if (from == 0)
		return s;
	text_add(out, supersize_cut(s, from, s.len));
	return text_str(out);
}

/* Removes each "(anonymous namespace)::". True if there was any. *s may be the start of `out`. */
static bool drop_anonymous(struct text *out, struct str *s)
{
	size_t to = supersize_find_word(*s, 0, ANONYMOUS "::");
	if (to == s->len)
		return false;
	if (s->p != out->p)
		text_set(out, *s);
	for (size_t i = to; i < s->len;) {
		const struct str all = { out->p, s->len };
		if (at(all, i, ANONYMOUS "::"))
			i += sizeof ANONYMOUS "::" - 1;
		else
			out->p[to++] = out->p[i++];
	}
	out->len = to;
	*s = text_str(out);
	ASSERT(to <= s->len);
	return true;
}

/* Index in the text at which the name begins, and index in `marks` of the "(" after the name */
struct supersize_head {
	size_t start, paren;
};

/* Writes the template form as SuperSize does: the text before the parameters, and the text after
 * the last parenthesis. */
static struct str template_exact(struct text *out, const struct supersize_parse *p,
				 struct supersize_head h)
{
	const size_t paren = supersize_place_of(p, h.paren);
	size_t last = p->s.len;
	while (last > paren && p->s.p[last - 1] != ')')
		last--;
	if (last == p->s.len)
		return supersize_cut(p->s, h.start, paren);
	text_set(out, supersize_cut(p->s, h.start, paren));
	text_add(out, supersize_cut(p->s, last, p->s.len));
	return text_str(out);
}

/* Writes the template form. Removes the parameters of the function and of functions around it. */
static struct str template_mended(struct text *out, const struct supersize_parse *p,
				  struct supersize_head h)
{
	size_t from = h.start, m = h.paren;
	out->len = 0;
	while (m < p->count) {
		const size_t to = p->marks[m].place;
		const size_t end = bracket_end(p, m);
		if (from == h.start && end == p->s.len)
			return supersize_cut(p->s, from, to);
		text_add(out, supersize_cut(p->s, from, to));
		from = end + (at(p->s, end, " const::") ? 6 : 0);
		m = parameter_paren(p, mark_from(p, m, from));
	}
	text_add(out, supersize_cut(p->s, from, p->s.len));
	return text_str(out);
}

/* Finds the name in "void (*f(int))(char)". False for other texts. */
static bool inside_pointer(const struct supersize_parse *p, struct supersize_head *h)
{
	const size_t end = supersize_place_of(p, h->paren);
	size_t m = h->paren;
	if (p->exact || !before(p->s, end, ")"))
		return false;
	while (m > 0 && (p->marks[m].kind != '(' || (!at(p->s, p->marks[m].place, "(*") &&
						     !at(p->s, p->marks[m].place, "(&"))))
		m--;
	const size_t open = p->marks[m].place;
	if (p->marks[m].kind != '(' || open == 0 || !before(p->s, open, " ") ||
	    (!at(p->s, open, "(*") && !at(p->s, open, "(&")))
		return false;
	const size_t inner = parameter_paren(p, mark_from(p, m, open + 2));
	if (supersize_place_of(p, inner) >= end)
		return false;
	*h = (struct supersize_head){ open + 2, inner };
	return true;
}

static size_t supersize_last_of(struct str s, char c)
{
	size_t i = s.len;
	while (i > 0 && s.p[i - 1] != c)
		i--;
	return i; /* The index after c, or 0 */
}

/* Finds the parts of "a::$lambda#2" in "a::{lambda(int)#2}::_FUN" or "a::$_2::__invoke": *ret_front
 * is "a", *ret_number is "2". False for other names. */
static bool lambda_parts(struct str name, struct str *ret_front, struct str *ret_number)
{
	const bool gcc = str_ends(name, STR("}::_FUN")), clang = str_ends(name, STR("::__invoke"));
	if (!gcc && !clang)
		return false;
	const size_t end = name.len - (gcc ? 7 : 10);
	const struct str head = { name.p, end };
	const size_t front = supersize_last_of(head, gcc ? '{' : '$');
	const size_t number = gcc ? supersize_last_of(head, '#') : front + 1;
	if (front == 0 || number < front || number > end)
		return false;
	if (clang && !at(head, front, "_"))
		return false;
	*ret_front = (struct str){ name.p, front - 1 };
	*ret_number = (struct str){ name.p + number, end - number };
	ASSERT(number >= front && end >= number);
	return true;
}

static struct str template_form(struct supersize_name *n, const struct supersize_parse *p,
				struct supersize_head h)
{
	return p->exact ? template_exact(&n->buffers[2], p, h)
			: template_mended(&n->buffers[2], p, h);
}

/* True if the "(" at index `paren` follows "(*)" or "(&)", as in "bool (*)(int) [typeinfo]". */
static bool is_pointer_type(const struct supersize_parse *p, size_t paren)
{
	return !p->exact && (before(p->s, paren, "(*)") || before(p->s, paren, "(&)"));
}

/* Sets the full form and returns the template form. supersize_finish() completes both. */
static struct str names_supersize_split(struct supersize_name *n, const struct supersize_parse *p)
{
	struct str front, number;
	struct supersize_head h = { 0, parameter_paren(p, 0) };
	const size_t paren = supersize_place_of(p, h.paren);
	n->full = p->s;
	if (paren == p->s.len || paren == 0 || is_pointer_type(p, paren))
		return p->s;
	h.start = supersize_name_start(p, h.paren);
	n->full = supersize_cut(p->s, h.start, p->s.len);
	if (inside_pointer(p, &h)) {
		n->full = supersize_cut(p->s, h.start, bracket_end(p, h.paren));
		return supersize_cut(p->s, h.start, supersize_place_of(p, h.paren));
	}
	if (lambda_parts(supersize_cut(p->s, h.start, paren), &front, &number)) {
		text_set(&n->buffers[2], front);
		text_add(&n->buffers[2], STR("$lambda#"));
		text_add(&n->buffers[2], number);
		text_set(&n->buffers[3], text_str(&n->buffers[2]));
		text_add(&n->buffers[3], supersize_cut(p->s, paren, p->s.len));
		n->full = text_str(&n->buffers[3]);
		return text_str(&n->buffers[2]);
	}
	return template_form(n, p, h);
}

/* Removes the end of a clone's name in .text: "f.constprop.0" and "f.11" become "f". */
static struct str drop_clone_number(struct str s, bool *ret_clone)
{
	static const char *const parts[] = { ".constprop", ".isra", ".part", ".lto_priv" };
	size_t dot = s.len;
	while (dot > 0 && s.p[dot - 1] >= '0' && s.p[dot - 1] <= '9')
		dot--;
	if (dot == s.len || dot < 2 || s.p[dot - 1] != '.')
		return s;
	const struct str base = supersize_cut(s, 0, dot - 1);
	if (str_eq(base, STR("__tcf_0")) || str_eq(base, STR("startup")))
		return s;
	*ret_clone = true;
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (str_ends(base, str_of(parts[i])) && base.len > strlen(parts[i]))
			return supersize_cut(base, 0, base.len - strlen(parts[i]));
	return base;
}

static struct str drop_clone(struct str s, unsigned how, bool *ret_clone)
{
	/* Searches without the blank before "[", because names have more blanks than brackets. */
	for (size_t i = supersize_find_word(s, 0, "[clone "); i < s.len;
	     i = supersize_find_word(s, i + 1, "[clone ")) {
		if (!before(s, i, " "))
			continue;
		*ret_clone = true;
		s = supersize_cut(s, 0, i - 1);
		break;
	}
	/* In "f@GLIBC_2.16", the number at the end belongs to the version. */
	const bool version = !(how & SUPERSIZE_EXACT) && find_char(s, 0, '@') < s.len;
	return (how & SUPERSIZE_TEXT) && !version ? drop_clone_number(s, ret_clone) : s;
}

/* Changes "A for B" to "B [A]" in *out, where `word` is " for " or a similar word. Returns the
 * result, or `s` itself if there is nothing to change. */
static struct str turn(struct text *out, struct str s, const char *word, bool exact)
{
	/* The kind of a special symbol, such as "vtable", is at the start. If '<', '(' or ':' comes
	 * before the word, the word is part of a name. */
	const struct str early = supersize_cut(s, 0, min_u64(s.len, 30));
	const size_t i = supersize_find_word(early, 0, word);
	if (i == early.len || (!exact && is_quoted(s, i)))
		return s;
	for (size_t k = 0; k < i && !exact; k++)
		if (s.p[k] == '<' || s.p[k] == '(' || s.p[k] == ':')
			return s;
	text_set(out, supersize_cut(s, i + strlen(word), s.len));
	text_adds(out, STR(" ["), supersize_cut(s, 0, i), STR("]"));
	return text_str(out);
}

/* Sets template_name and plain from `template_form`, which may lie in the parsed text. Drops
 * anonymous namespaces from the plain form first, because both forms may share memory. */
static void supersize_finish(struct supersize_name *n, struct supersize_parse *p,
			     struct str template_form)
{
	n->template_name = drop_abi(&n->buffers[4], template_form);
	const uintptr_t from = (uintptr_t)p->s.p, first = (uintptr_t)n->template_name.p;
	if (first < from || first - from > p->s.len ||
	    n->template_name.len > p->s.len - (first - from))
		*p = parse_of(n, n->template_name, p->exact);
	n->plain = empty_arguments(&n->buffers[5], p, n->template_name);
	n->flags = drop_anonymous(&n->buffers[5], &n->plain) ? SUPERSIZE_ANONYMOUS : 0u;
	(void)drop_anonymous(&n->buffers[4], &n->template_name);
	ASSERT(n->plain.len <= n->template_name.len);
}

/* True for names that only Go's compiler makes, with blanks and parentheses in types and no
 * parameter list, as of instances of generics: "f[go.shape.int].func1". */
static bool is_of_go(struct supersize_name *n, struct str s, unsigned how)
{
	/* In Go, "go:itab.*x,interface { F() }" and "type:.eq.x" are such names. "go::f" is C++. */
	const size_t front = str_starts(s, STR("go:")) ? 3 : str_starts(s, STR("type:")) ? 5 : 0;
	const bool made = front > 0 && front < s.len && s.p[front] != ':';
	if (how & SUPERSIZE_EXACT || (!made && supersize_find_word(s, 0, "[go.shape.") == s.len))
		return false;
	n->full = n->template_name = n->plain = s;
	n->flags = 0;
	return true;
}

void supersize_derive(struct supersize_name *n, struct str full, unsigned how)
{
	if (is_of_go(n, full, how))
		return;
	struct supersize_parse p = parse_of(n, full, how & SUPERSIZE_EXACT);
	const struct supersize_head h = { 0, parameter_paren(&p, 0) };
	const size_t paren = supersize_place_of(&p, h.paren);
	const bool whole = paren == full.len || paren == 0 || is_pointer_type(&p, paren);
	n->full = full;
	supersize_finish(n, &p, whole ? full : template_form(n, &p, h));
}

void supersize_split(struct supersize_name *n, struct str demangled, unsigned how)
{
	bool clone = false;
	const bool exact = how & SUPERSIZE_EXACT;
	if (is_of_go(n, demangled, how))
		return;
	struct str s = drop_clone(demangled, how, &clone);
	s = turn(&n->buffers[0], s, " for ", exact);
	s = turn(&n->buffers[1], s, " to ", exact);
	struct supersize_parse p = parse_of(n, s, exact);
	supersize_finish(n, &p, names_supersize_split(n, &p));
	n->flags |= clone ? SUPERSIZE_CLONE : 0u;
	(void)drop_anonymous(&n->buffers[3], &n->full);
}

void supersize_name_release(struct supersize_name *n)
{
	for (size_t i = 0; i < COUNT_OF(n->buffers); i++)
		text_release(&n->buffers[i]);
	vec_release(&n->marks);
}
