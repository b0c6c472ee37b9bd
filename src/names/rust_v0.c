/* Demangles RFC 2603, "Rust Symbol Mangling (v0)". Names of productions are the RFC's. */
#include "names/rust.h"
#include "names/out.h"

#include <stdio.h>

/* Greatest depth of paths, types and constants in each other. Deeper names stay mangled. Of 100,000
 * names of rustc, all but 3 need less than 64. */
#define MAX_DEPTH 200

struct v0 {
	struct str s; /* The name after "_R" */
	size_t pos;
	struct out o;
	uint32_t depth;
	uint32_t steps; /* Number of parts that may still be read. Limits the time, because
			 * references to earlier parts can expand a short name without end */
	uint64_t bound_lifetimes;
};

static void v0_path(struct v0 *v, bool in_value);
static void v0_type(struct v0 *v);
static void v0_const(struct v0 *v);

static bool v0_enter(struct v0 *v)
{
	if (v->depth >= MAX_DEPTH || v->steps == 0)
		v->o.failed = true;
	if (v->o.failed)
		return false;
	v->steps--;
	v->depth++;
	return true;
}

static char v0_peek(const struct v0 *v)
{
	return v->pos < v->s.len ? v->s.p[v->pos] : 0;
}

static char v0_next(struct v0 *v)
{
	if (v->pos < v->s.len)
		return v->s.p[v->pos++];
	v->o.failed = true;
	return 0;
}

static bool v0_eat(struct v0 *v, char c)
{
	if (v0_peek(v) != c || v->o.failed)
		return false;
	v->pos++;
	return true;
}

/* Reads a number in base 62: "_" is 0, "0_" is 1, and so on. */
static uint64_t v0_base62(struct v0 *v)
{
	uint64_t n = 0;
	if (v0_eat(v, '_'))
		return 0;
	while (!v->o.failed && !v0_eat(v, '_')) {
		const char c = v0_next(v);
		uint64_t digit = 62;
		if (is_digit(c))
			digit = (uint64_t)(c - '0');
		else if (is_lower(c))
			digit = (uint64_t)(c - 'a') + 10;
		else if (is_upper(c))
			digit = (uint64_t)(c - 'A') + 36;
		if (digit == 62 || n > (UINT64_MAX - 63) / 62)
			v->o.failed = true;
		else
			n = n * 62 + digit;
	}
	return n + 1;
}

/* Skips a number that is not shown, such as the hash of a crate. */
static void v0_skip_tagged(struct v0 *v, char tag)
{
	if (!v0_eat(v, tag))
		return;
	const char *const end = memchr(v->s.p + v->pos, '_', v->s.len - v->pos);
	if (end)
		v->pos = (size_t)(end - v->s.p) + 1;
	else
		v->o.failed = true;
}

/* Reads the number after `tag`, plus 1. 0 if `tag` does not come next. */
static uint64_t v0_tagged(struct v0 *v, char tag)
{
	return v0_eat(v, tag) ? v0_base62(v) + 1 : 0;
}

struct ident {
	struct str text;
	bool punycode;
};

static struct ident v0_ident(struct v0 *v)
{
	struct ident id = { { v->s.p, 0 }, v0_eat(v, 'u') };
	size_t size = 0;
	if (!is_digit(v0_peek(v)))
		v->o.failed = true;
	if (!v0_eat(v, '0'))
		while (is_digit(v0_peek(v)) && size <= v->s.len)
			size = size * 10 + (size_t)(v0_next(v) - '0');
	(void)v0_eat(v, '_');
	if (v->o.failed || size > v->s.len - v->pos) {
		v->o.failed = true;
		return id;
	}
	id.text = (struct str){ v->s.p + v->pos, size };
	v->pos += size;
	return id;
}

static void v0_put_ident(struct v0 *v, struct ident id)
{
	uint32_t chars[MAX_PUNYCODE];
	if (!id.punycode) {
		put_str(&v->o, id.text);
		return;
	}
	const size_t count = punycode(id.text, chars);
	for (size_t i = 0; i < count; i++)
		put_char(&v->o, chars[i]);
	if (count == 0) {
		put_text(&v->o, "punycode{");
		put_str(&v->o, id.text);
		put_text(&v->o, "}");
	}
}

/* Writes a lifetime, by its De Bruijn index: 0 is erased, 1 is the innermost bound one. */
static void v0_lifetime(struct v0 *v, uint64_t n)
{
	if (n > v->bound_lifetimes) {
		v->o.failed = true;
		return;
	}
	put_text(&v->o, "'");
	if (n == 0) {
		put_text(&v->o, "_");
		return;
	}
	const uint64_t depth = v->bound_lifetimes - n;
	const char letter = (char)('a' + depth % 26);
	if (depth < 26) {
		put(&v->o, &letter, 1);
	} else {
		put_text(&v->o, "z");
		put_number(&v->o, depth - 26 + 1);
	}
}

/* Reads a binder, and writes "for<'a, 'b> ". Returns what the caller must restore in
 * bound_lifetimes. */
static uint64_t v0_binder(struct v0 *v)
{
	const uint64_t outer = v->bound_lifetimes;
	const uint64_t count = v0_tagged(v, 'G');
	if (count > 64)
		v->o.failed = true;
	if (count == 0 || v->o.failed)
		return outer;
	put_text(&v->o, "for<");
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0)
			put_text(&v->o, ", ");
		v->bound_lifetimes++;
		v0_lifetime(v, 1);
	}
	put_text(&v->o, "> ");
	return outer;
}

/* Reads a reference "B<n>_" after its B, and moves to its target, which must be before it.
 * *ret_back: position after the reference, to which the caller returns. False if there is nothing
 * to visit. */
static bool v0_backref(struct v0 *v, size_t *ret_back)
{
	const size_t start = v->pos - 1;
	const uint64_t target = v0_base62(v);
	*ret_back = v->pos;
	if (target >= start)
		v->o.failed = true;
	if (v->o.failed || v->o.muted)
		return false;
	v->pos = (size_t)target;
	ASSERT(v->pos <= v->s.len);
	return true;
}

static void v0_generic_arg(struct v0 *v)
{
	if (v0_eat(v, 'L'))
		v0_lifetime(v, v0_base62(v));
	else if (v0_eat(v, 'K'))
		v0_const(v);
	else
		v0_type(v);
}

/* Reads items until "E", and writes ", " between them. Returns their number. */
static size_t v0_list(struct v0 *v, void (*item)(struct v0 *))
{
	size_t n = 0;
	for (; !v->o.failed && !v0_eat(v, 'E'); n++) {
		if (n > 0)
			put_text(&v->o, ", ");
		item(v);
	}
	return n;
}

/* Reads <namespace><path><identifier> after the N. */
static void v0_nested(struct v0 *v, bool in_value)
{
	const char space = v0_next(v);
	const bool special = is_upper(space);
	if (!special && !is_lower(space))
		v->o.failed = true;
	v0_path(v, in_value);
	const uint64_t disambiguator = v0_tagged(v, 's');
	const struct ident id = v0_ident(v);
	if (!special) {
		if (id.text.len > 0) {
			put_text(&v->o, "::");
			v0_put_ident(v, id);
		}
		return;
	}
	put_text(&v->o, "::{");
	if (space == 'C')
		put_text(&v->o, "closure");
	else if (space == 'S')
		put_text(&v->o, "shim");
	else
		put(&v->o, &space, 1);
	if (id.text.len > 0) {
		put_text(&v->o, ":");
		v0_put_ident(v, id);
	}
	put_text(&v->o, "#");
	put_number(&v->o, disambiguator);
	put_text(&v->o, "}");
}

/* Reads an impl: "<type>" for M, "<type as trait>" for X and Y. M and X begin with the path of the
 * impl, which is not shown. */
static void v0_impl(struct v0 *v, char tag)
{
	if (tag != 'Y') {
		const bool was = v->o.muted;
		v0_skip_tagged(v, 's');
		v->o.muted = true;
		v0_path(v, false);
		v->o.muted = was;
	}
	put_text(&v->o, "<");
	v0_type(v);
	if (tag != 'M') {
		put_text(&v->o, " as ");
		v0_path(v, false);
	}
	put_text(&v->o, ">");
}

static void v0_path_tag(struct v0 *v, char tag, bool in_value)
{
	size_t back;
	switch (tag) {
	case 'C':
		v0_skip_tagged(v, 's');
		v0_put_ident(v, v0_ident(v));
		break;
	case 'N': v0_nested(v, in_value); break;
	case 'M':
	case 'X':
	case 'Y': v0_impl(v, tag); break;
	case 'I':
		v0_path(v, in_value);
		put_text(&v->o, in_value ? "::<" : "<");
		(void)v0_list(v, v0_generic_arg);
		put_text(&v->o, ">");
		break;
	case 'B':
		if (v0_backref(v, &back)) {
			v0_path(v, in_value);
			v->pos = back;
		}
		break;
	default: v->o.failed = true; break;
	}
}

static void v0_path(struct v0 *v, bool in_value)
{
	if (!v0_enter(v))
		return;
	v0_path_tag(v, v0_next(v), in_value);
	v->depth--;
}

/* Reads an ABI after the K: C, or an identifier with _ for -. */
static void v0_abi(struct v0 *v)
{
	put_text(&v->o, "extern \"");
	if (v0_eat(v, 'C')) {
		put_text(&v->o, "C");
	} else {
		const struct ident id = v0_ident(v);
		for (size_t i = 0; i < id.text.len; i++)
			put(&v->o, id.text.p[i] == '_' ? "-" : id.text.p + i, 1);
	}
	put_text(&v->o, "\" ");
}

static void v0_function(struct v0 *v)
{
	const uint64_t outer = v0_binder(v);
	if (v0_eat(v, 'U'))
		put_text(&v->o, "unsafe ");
	if (v0_eat(v, 'K'))
		v0_abi(v);
	put_text(&v->o, "fn(");
	(void)v0_list(v, v0_type);
	put_text(&v->o, ")");
	if (!v0_eat(v, 'u')) {
		put_text(&v->o, " -> ");
		v0_type(v);
	}
	v->bound_lifetimes = outer;
}

/* Reads the path of a trait. True if its "<" is still open, for associated types. */
static bool v0_open_path(struct v0 *v)
{
	bool open = false;
	if (!v0_enter(v))
		return false;
	if (v0_eat(v, 'B')) {
		size_t back;
		if (v0_backref(v, &back)) {
			open = v0_open_path(v);
			v->pos = back;
		}
	} else if (v0_eat(v, 'I')) {
		v0_path(v, false);
		put_text(&v->o, "<");
		(void)v0_list(v, v0_generic_arg);
		open = true;
	} else {
		v0_path(v, false);
	}
	v->depth--;
	return open;
}

static void v0_dyn_trait(struct v0 *v)
{
	bool open = v0_open_path(v);
	while (v0_eat(v, 'p')) {
		put_text(&v->o, open ? ", " : "<");
		open = true;
		v0_put_ident(v, v0_ident(v));
		put_text(&v->o, " = ");
		v0_type(v);
	}
	if (open)
		put_text(&v->o, ">");
}

static void v0_dyn(struct v0 *v)
{
	put_text(&v->o, "dyn ");
	const uint64_t outer = v0_binder(v);
	for (size_t n = 0; !v->o.failed && !v0_eat(v, 'E'); n++) {
		if (n > 0)
			put_text(&v->o, " + ");
		v0_dyn_trait(v);
	}
	v->bound_lifetimes = outer;
	if (!v0_eat(v, 'L')) {
		v->o.failed = true;
		return;
	}
	const uint64_t lifetime = v0_base62(v);
	if (lifetime != 0) {
		put_text(&v->o, " + ");
		v0_lifetime(v, lifetime);
	}
}

static void v0_reference(struct v0 *v, bool mutable)
{
	put_text(&v->o, "&");
	if (v0_eat(v, 'L')) {
		const uint64_t lifetime = v0_base62(v);
		if (lifetime != 0) {
			v0_lifetime(v, lifetime);
			put_text(&v->o, " ");
		}
	}
	if (mutable)
		put_text(&v->o, "mut ");
	v0_type(v);
}

static void v0_array(struct v0 *v, bool sized)
{
	put_text(&v->o, "[");
	v0_type(v);
	if (sized) {
		put_text(&v->o, "; ");
		v0_const(v);
	}
	put_text(&v->o, "]");
}

static void v0_type_tag(struct v0 *v, char tag)
{
	size_t back;
	switch (tag) {
	case 'R':
	case 'Q': v0_reference(v, tag == 'Q'); break;
	case 'P':
	case 'O':
		put_text(&v->o, tag == 'P' ? "*const " : "*mut ");
		v0_type(v);
		break;
	case 'A':
	case 'S': v0_array(v, tag == 'A'); break;
	case 'T':
		put_text(&v->o, "(");
		put_text(&v->o, v0_list(v, v0_type) == 1 ? ",)" : ")");
		break;
	case 'F': v0_function(v); break;
	case 'D': v0_dyn(v); break;
	case 'B':
		if (v0_backref(v, &back)) {
			v0_type(v);
			v->pos = back;
		}
		break;
	default:
		v->pos--;
		v0_path(v, false);
		break;
	}
}

static void v0_type(struct v0 *v)
{
	static const char *const types[26] = { "i8",  "bool", "char",  "f64",   "str", "f32",
					       NULL,  "u8",   "isize", "usize", NULL,  "i32",
					       "u32", "i128", "u128",  "_",     NULL,  NULL,
					       "i16", "u16",  "()",    "...",   NULL,  "i64",
					       "u64", "!" };
	if (!v0_enter(v))
		return;
	const char tag = v0_next(v);
	const char *const basic = is_lower(tag) ? types[tag - 'a'] : NULL;
	if (basic)
		put_text(&v->o, basic);
	else if (!v->o.failed)
		v0_type_tag(v, tag);
	v->depth--;
}

/* Reads hexadecimal digits until "_". */
static struct str v0_hex(struct v0 *v)
{
	const size_t start = v->pos;
	while (hex_value(v0_peek(v)) >= 0)
		v->pos++;
	const struct str digits = { v->s.p + start, v->pos - start };
	if (!v0_eat(v, '_') || digits.len == 0)
		v->o.failed = true;
	return digits;
}

static uint64_t hex_number(struct str digits)
{
	uint64_t n = 0;
	for (size_t i = 0; i < digits.len; i++)
		n = n << 4 | (uint64_t)hex_value(digits.p[i]);
	return n;
}

static void v0_integer(struct v0 *v)
{
	const struct str digits = v0_hex(v);
	if (digits.len <= 16) {
		put_number(&v->o, hex_number(digits));
	} else {
		put_text(&v->o, "0x");
		put_str(&v->o, digits);
	}
}

static void v0_character(struct v0 *v)
{
	const struct str digits = v0_hex(v);
	const uint64_t c = digits.len <= 8 ? hex_number(digits) : UINT64_MAX;
	char escape[16];
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		v->o.failed = true;
	if (v->o.failed)
		return;
	put_text(&v->o, "'");
	if (c == '\t' || c == '\r' || c == '\n')
		put_text(&v->o, c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\n");
	else if (c < 0x20 || c >= 0x7f)
		put(&v->o, escape, (size_t)snprintf(escape, sizeof escape, "\\u{%" PRIx64 "}", c));
	else {
		if (c == '\'' || c == '\\')
			put_text(&v->o, "\\");
		put_char(&v->o, (uint32_t)c);
	}
	put_text(&v->o, "'");
}

static void v0_const_tag(struct v0 *v, char tag)
{
	size_t back;
	switch (tag) {
	case 'B':
		if (v0_backref(v, &back)) {
			v0_const(v);
			v->pos = back;
		}
		break;
	case 'p': put_text(&v->o, "_"); break;
	case 'b': {
		const struct str digits = v0_hex(v);
		if (!str_eq(digits, STR("0")) && !str_eq(digits, STR("1")))
			v->o.failed = true;
		else
			put_text(&v->o, digits.p[0] == '1' ? "true" : "false");
		break;
	}
	case 'c': v0_character(v); break;
	case 'a':
	case 's':
	case 'l':
	case 'x':
	case 'n':
	case 'i':
		if (v0_eat(v, 'n'))
			put_text(&v->o, "-");
		v0_integer(v);
		break;
	case 'h':
	case 't':
	case 'm':
	case 'y':
	case 'o':
	case 'j': v0_integer(v); break;
	default: v->o.failed = true; break;
	}
}

static void v0_const(struct v0 *v)
{
	if (!v0_enter(v))
		return;
	v0_const_tag(v, v0_next(v));
	v->depth--;
}

size_t rust_v0(struct str raw, char *out, size_t room)
{
	struct v0 v = { .s = { raw.p + 2, raw.len - 2 },
			.o = { .p = out, .room = room },
			.steps = (uint32_t)1 << 16 };
	if (raw.len < 3 || !is_upper(v.s.p[0]))
		return 0;
	v0_path(&v, true);
	if (!v.o.failed && v.pos < v.s.len) { /* Skips the crate that made the instance */
		v.o.muted = true;
		v0_path(&v, false);
	}
	ASSERT(v.pos <= v.s.len && v.o.len <= room);
	return v.o.failed || v.pos != v.s.len ? 0 : v.o.len;
}
