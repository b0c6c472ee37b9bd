/* Writes the text of a parsed Microsoft name. */
#include "names/microsoft_node.h"

#include <stdio.h>

/* MAX_DEPTH: greatest depth of nodes. MAX_STEPS: greatest number of visits to nodes. References can
 * make a small name deep and long. Names beyond these stay mangled. */
#define MAX_DEPTH 160
#define MAX_STEPS 65536

struct printer {
	const struct ms_node *nodes;
	struct out *o;
	bool brief;
	unsigned depth, steps;
};

static void symbol(struct printer *p, ms_id id);
static void type_before(struct printer *p, ms_id id, bool behind_pointer);
static void type_after(struct printer *p, ms_id id);

static const struct ms_node *node_of(const struct printer *p, ms_id id)
{
	return &p->nodes[id];
}

static bool microsoft_print_enter(struct printer *p)
{
	if (p->depth == MAX_DEPTH || p->steps == MAX_STEPS)
		p->o->failed = true;
	if (p->o->failed)
		return false;
	p->depth++;
	p->steps++;
	return true;
}

static void write(struct printer *p, const char *text)
{
	put_text(p->o, text);
}

static void write_number(struct printer *p, int64_t n)
{
	if (n < 0)
		write(p, "-");
	put_number(p->o, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Writes a blank if the text ends in a word. */
static void blank_behind_word(struct printer *p)
{
	const char c = p->o->len > 0 ? p->o->p[p->o->len - 1] : ' ';
	if (is_upper(c) || is_lower(c) || is_digit(c) || c == '_' || c == '>')
		write(p, " ");
}

static void microsoft_print_qualifiers(struct printer *p, unsigned quals, const char *blank)
{
	static const char *const words[] = { "const", "volatile", "", "__restrict" };
	for (unsigned i = 0; i < COUNT_OF(words); i++) {
		if (!(quals & 1u << i) || i == 2)
			continue;
		write(p, blank);
		write(p, words[i]);
		blank = " ";
	}
}

static void name(struct printer *p, ms_id id, ms_id class);

static void type(struct printer *p, ms_id id)
{
	type_before(p, id, false);
	type_after(p, id);
}

static void microsoft_print_list(struct printer *p, ms_id id);

static void item(struct printer *p, ms_id id)
{
	const struct ms_node *n = node_of(p, id);
	switch (n->kind) {
	case MS_NUMBER: write_number(p, n->n); break;
	case MS_TUPLE:
		write(p, "{");
		microsoft_print_list(p, n->a);
		write(p, "}");
		break;
	case MS_ADDRESS:
		write(p, "&");
		symbol(p, n->a);
		break;
	case MS_QUALIFIED: name(p, id, 0); break;
	case MS_CODE:
	case MS_DATA:
	case MS_TABLE:
	case MS_DESCRIBE:
	case MS_STRING: symbol(p, id); break;
	default: type(p, id); break;
	}
}

static void microsoft_print_list(struct printer *p, ms_id id)
{
	for (bool first = true; id && !p->o->failed; id = node_of(p, id)->b, first = false) {
		if (!first)
			write(p, ", ");
		item(p, node_of(p, id)->a);
	}
}

static void microsoft_print_arguments(struct printer *p, ms_id id)
{
	write(p, "<");
	if (!p->brief)
		microsoft_print_list(p, id);
	write(p, ">");
}

/* Writes a conversion operator: "operator int", "operator<int> int". */
static void conversion(struct printer *p, const struct ms_node *n, const struct ms_node *instance)
{
	write(p, "operator");
	if (instance)
		microsoft_print_arguments(p, instance->b);
	write(p, " ");
	type(p, n->a);
}

static void instance(struct printer *p, const struct ms_node *n, ms_id class)
{
	const struct ms_node *const of = node_of(p, n->a);
	if (of->kind == MS_CONVERSION) {
		conversion(p, of, n);
		return;
	}
	name(p, n->a, class);
	microsoft_print_arguments(p, n->b);
}

static void local(struct printer *p, const struct ms_node *n)
{
	if (!p->brief)
		write(p, "`");
	symbol(p, n->a);
	if (p->brief)
		return;
	write(p, "'::`");
	write_number(p, n->n);
	write(p, "'");
}

static void scopes(struct printer *p, ms_id id)
{
	if (id == 0 || !microsoft_print_enter(p))
		return;
	scopes(p, node_of(p, id)->b);
	name(p, node_of(p, id)->a, 0);
	write(p, "::");
	p->depth--;
}

/* Writes the name of the class, as constructors and destructors have it. */
static void microsoft_print_class_name(struct printer *p, ms_id class)
{
	const struct ms_node *const n = node_of(p, class);
	name(p, p->brief && n->kind == MS_TEMPLATE ? n->a : class, 0);
}

/* Writes a name. `class`: the class that it may be the constructor or destructor of. */
static void name(struct printer *p, ms_id id, ms_id class)
{
	const struct ms_node *n = node_of(p, id);
	if (!microsoft_print_enter(p))
		return;
	switch (n->kind) {
	case MS_NAME:
		if (n->n)
			write(p, "operator \"\"");
		put_str(p->o, n->text);
		break;
	case MS_ANONYMOUS: write(p, "(anonymous namespace)"); break;
	case MS_TEMPLATE: instance(p, n, class); break;
	case MS_LOCAL: local(p, n); break;
	case MS_DTOR:
		write(p, "~");
		microsoft_print_class_name(p, class);
		break;
	case MS_CTOR: microsoft_print_class_name(p, class); break;
	case MS_CONVERSION: conversion(p, n, NULL); break;
	case MS_DYNAMIC:
		write(p, "`");
		put_str(p->o, n->text);
		write(p, node_of(p, n->a)->kind == MS_QUALIFIED ? " for '" : " for `");
		item(p, n->a);
		write(p, "''");
		break;
	case MS_QUALIFIED:
		scopes(p, n->b);
		name(p, n->a, n->b ? node_of(p, n->b)->a : 0);
		break;
	default: p->o->failed = true; break;
	}
	p->depth--;
}

/* True if a type has text on both sides of the declared name. Then a pointer to it needs
 * parentheses. */
static bool is_around(const struct ms_node *n)
{
	return n->kind == MS_FUNCTION || n->kind == MS_ARRAY;
}

static void pointer_before(struct printer *p, const struct ms_node *n)
{
	const struct ms_node *const target = node_of(p, n->a);
	type_before(p, n->a, true);
	if (target->kind != MS_FUNCTION)
		blank_behind_word(p);
	if (n->quals & MS_UNALIGNED)
		write(p, "__unaligned ");
	if (target->kind == MS_FUNCTION) {
		write(p, "(");
		put_str(p->o, target->text);
		write(p, " ");
	} else if (is_around(target)) {
		write(p, "(");
	}
	if (n->b) {
		name(p, n->b, 0);
		write(p, "::");
	}
	put_str(p->o, n->text);
	microsoft_print_qualifiers(p, n->quals, "");
}

/* Writes what a type has before the declared name. A pointer to a function writes the calling
 * convention itself. */
static void type_before(struct printer *p, ms_id id, bool behind_pointer)
{
	const struct ms_node *n = node_of(p, id);
	if (id == 0 || !microsoft_print_enter(p))
		return;
	switch (n->kind) {
	case MS_PLAIN:
		put_str(p->o, n->text);
		microsoft_print_qualifiers(p, n->quals, " ");
		break;
	case MS_TAG:
		put_str(p->o, n->text);
		name(p, n->a, 0);
		microsoft_print_qualifiers(p, n->quals, " ");
		break;
	case MS_POINTER: pointer_before(p, n); break;
	case MS_ARRAY: type_before(p, n->a, false); break;
	case MS_FUNCTION:
		type_before(p, n->a, false);
		if (n->a)
			write(p, " ");
		if (!behind_pointer)
			put_str(p->o, n->text);
		break;
	default: p->o->failed = true; break;
	}
	p->depth--;
}

static void microsoft_print_parameters(struct printer *p, const struct ms_node *n)
{
	write(p, "(");
	microsoft_print_list(p, n->b);
	if (n->variadic)
		write(p, n->b ? ", ..." : "...");
	else if (!n->b)
		write(p, "void");
	write(p, ")");
	microsoft_print_qualifiers(p, n->quals, " ");
	write(p, n->quals & MS_LVALUE ? " &" : n->quals & MS_RVALUE ? " &&" : "");
	write(p, n->is_noexcept ? " noexcept" : "");
}

static void type_after(struct printer *p, ms_id id)
{
	const struct ms_node *n = node_of(p, id);
	if (id == 0 || !microsoft_print_enter(p))
		return;
	if (n->kind == MS_POINTER && is_around(node_of(p, n->a)))
		write(p, ")");
	if (n->kind == MS_ARRAY) {
		write(p, "[");
		if (n->n)
			write_number(p, n->n);
		write(p, "]");
	}
	if (n->kind == MS_FUNCTION)
		microsoft_print_parameters(p, n);
	if (n->kind == MS_POINTER || n->kind == MS_ARRAY || n->kind == MS_FUNCTION)
		type_after(p, n->a);
	p->depth--;
}

static void thunk(struct printer *p, const struct ms_node *n)
{
	ASSERT(n->n >= MS_NO_THUNK && n->n <= MS_VCALL);
	static const char *const words[] = {
		[MS_ADJUSTOR] = "`adjustor{",
		[MS_VTORDISP] = "`vtordisp{",
		[MS_VTORDISPEX] = "`vtordispex{",
		[MS_VCALL] = "::`vcall'{",
	};
	if (n->n == MS_NO_THUNK)
		return;
	write(p, words[n->n]);
	microsoft_print_list(p, n->c);
	write(p, n->n == MS_VCALL ? ", {flat}}" : "}'");
}

static void microsoft_print_code(struct printer *p, const struct ms_node *n)
{
	if (p->brief) {
		name(p, n->a, 0);
		write(p, n->n == MS_VCALL ? "::`vcall'()" : "()");
		return;
	}
	put_str(p->o, n->text);
	type_before(p, n->b, false);
	if (node_of(p, n->b)->text.len > 0)
		write(p, " ");
	name(p, n->a, 0);
	thunk(p, n);
	if (n->n != MS_VCALL)
		type_after(p, n->b);
}

static void data(struct printer *p, const struct ms_node *n)
{
	if (p->brief) {
		name(p, n->a, 0);
		return;
	}
	put_str(p->o, n->text);
	type_before(p, n->b, false);
	blank_behind_word(p);
	name(p, n->a, 0);
	type_after(p, n->b);
}

static void microsoft_print_table(struct printer *p, const struct ms_node *n)
{
	if (!p->brief && n->quals) {
		microsoft_print_qualifiers(p, n->quals, "");
		write(p, " ");
	}
	name(p, n->a, 0);
	if (p->brief)
		return;
	write(p, "::`");
	put_str(p->o, n->text);
	write(p, "'");
	for (ms_id id = n->b; id && !p->o->failed; id = node_of(p, id)->b) {
		write(p, id == n->b ? "{for `" : "s `");
		name(p, node_of(p, id)->a, 0);
		write(p, node_of(p, id)->b ? "'" : "'}");
	}
}

/* Writes the name of type information, like "A::`RTTI Base Class Array'". Also writes the name of
 * the guard of a static variable in a function, like "f::`local static guard'{2}". A guard has n =
 * 1, and its number in braces. */
static void microsoft_print_described(struct printer *p, const struct ms_node *n)
{
	const struct ms_node *const type_of = node_of(p, n->c);
	if (n->c && !(p->brief && type_of->kind == MS_TAG))
		type(p, n->c);
	else
		name(p, n->c ? type_of->a : n->a, 0);
	if (p->brief)
		return;
	write(p, n->c ? " `" : "::`");
	put_str(p->o, n->text);
	if (n->b && !n->n) {
		write(p, " (");
		microsoft_print_list(p, n->b);
		write(p, ")");
	}
	write(p, "'");
	if (n->b && n->n) {
		write(p, "{");
		microsoft_print_list(p, n->b);
		write(p, "}");
	}
}

enum {
	STRING_MOST = 64
}; /* Greatest number of bytes that are decoded. Compilers keep at most 32
			    * in a name */

/* Returns the next byte of a string, or -1. */
static int string_byte(struct str s, size_t *at)
{
	static const char signs[] = ",/\\:. \n\t'-";
	const char *const c = s.p + *at;
	const size_t left = s.len - *at;
	if (left == 0 || c[0] == '@')
		return -1;
	*at += 1;
	if (c[0] != '?' || left < 2)
		return (unsigned char)c[0];
	*at += 1;
	if (is_digit(c[1]))
		return (unsigned char)signs[c[1] - '0'];
	if (c[1] != '$')
		return (unsigned char)c[1] | 0x80;
	if (left < 4)
		return -1;
	*at += 2;
	return ((c[2] - 'A') << 4 | (c[3] - 'A')) & 0xff;
}

/* Guesses the number of bytes per character, by the zero bytes in the text and at its end. */
static size_t microsoft_print_string_width(const uint8_t *bytes, size_t count, int64_t size)
{
	size_t zeros = 0, last = 0;
	for (size_t i = 0; i < count; i++) {
		last = bytes[i] ? 0 : last + 1;
		zeros += !bytes[i];
	}
	if ((uint64_t)size > count)
		return zeros * 3 >= count * 2 ? 4 : zeros * 3 >= count ? 2 : 1;
	return last >= 4 && size % 4 == 0 ? 4 : last >= 2 && size % 2 == 0 ? 2 : 1;
}

static void string_unit(struct printer *p, uint32_t c, size_t width)
{
	static const char from[] = "\a\b\f\n\r\t\v'\"\\", to[] = "abfnrtv'\"\\";
	const char *const found = c && c < 128 ? strchr(from, (int)c) : NULL;
	char text[16];
	if (found)
		snprintf(text, sizeof text, "\\%c", to[found - from]);
	else if (c >= ' ' && c < 127)
		snprintf(text, sizeof text, "%c", (int)c);
	else if (c == 0)
		snprintf(text, sizeof text, "\\0");
	else
		snprintf(text, sizeof text, "\\x%0*" PRIX32, (int)width * 2, c);
	write(p, text);
}

/* Writes a string literal without its final zero, and "..." if bytes are missing. */
static void microsoft_print_string(struct printer *p, const struct ms_node *n)
{
	static const char *const leads[] = { "", "\"", "u\"", "", "U\"" };
	uint8_t bytes[STRING_MOST];
	size_t at = 0, count = 0;
	for (int c; count < STRING_MOST && (c = string_byte(n->text, &at)) >= 0;)
		bytes[count++] = (uint8_t)c;
	ASSERT(count <= STRING_MOST);
	const size_t width = n->wide ? 2 : microsoft_print_string_width(bytes, count, n->n);
	ASSERT(width == 1 || width == 2 || width == 4);
	const bool is_cut = n->n < 0 || (uint64_t)n->n > count;
	if (at + 1 != n->text.len || count % width != 0)
		p->o->failed = true;
	write(p, n->wide ? "L\"" : leads[width]);
	for (size_t i = 0; i + width <= count; i += width) {
		/* In a wide string (mangled with "_1"), the high byte comes first. */
		uint32_t unit = 0;
		for (size_t k = 0; k < width; k++)
			unit = unit << 8 | bytes[i + (n->wide ? k : width - 1 - k)];
		if (is_cut || unit != 0 || i + width < count)
			string_unit(p, unit, width);
	}
	write(p, is_cut ? "\"..." : "\"");
}

static void symbol(struct printer *p, ms_id id)
{
	const struct ms_node *n = node_of(p, id);
	if (!microsoft_print_enter(p))
		return;
	switch (n->kind) {
	case MS_CODE: microsoft_print_code(p, n); break;
	case MS_DATA: data(p, n); break;
	case MS_TABLE: microsoft_print_table(p, n); break;
	case MS_DESCRIBE: microsoft_print_described(p, n); break;
	case MS_STRING: microsoft_print_string(p, n); break;
	default: p->o->failed = true; break;
	}
	p->depth--;
}

void ms_print(const struct ms_node *nodes, ms_id id, bool brief, struct out *o)
{
	struct printer p = { nodes, o, brief, 0, 0 };
	symbol(&p, id);
}
