/* Expressions of linker scripts: the ld manual, "Expressions in Linker Scripts". */
#include "image/script_internal.h"

/* Parentheses and operators inside each other. */
enum { DEPTH_MAX = 64 };

#define UNKNOWN ((struct script_value){ 0, false })

static struct script_value binary(struct script *s, int level);

static struct script_value known(uint64_t v)
{
	return (struct script_value){ v, true };
}

void script_set(struct script *s, struct str name, struct script_value v)
{
	const uint32_t id = intern_add(&s->names, name);
	if (id == s->values.count)
		vec_push(&s->values, v);
	else if (v.known)
		s->values.data[id] = v;
}

static struct script_value value_of(struct script *s, struct str name)
{
	const uint32_t id = intern_add(&s->names, name);
	if (id == s->values.count)
		vec_push(&s->values, UNKNOWN);
	return s->values.data[id];
}

static struct str without_alias(const struct script *s, struct str name)
{
	for (size_t i = 0; i < s->aliases.count; i++)
		if (str_eq(s->aliases.data[i].name, name))
			return s->aliases.data[i].of;
	return name;
}

static const struct memory_region *region_of(const struct script *s, struct str name)
{
	name = without_alias(s, name);
	for (size_t i = 0; i < s->regions->list.count; i++)
		if (str_eq(name, str_of(s->regions->list.data[i].name)))
			return &s->regions->list.data[i];
	return NULL;
}

/* Of the name in parentheses. */
static struct script_value name_function(struct script *s, struct str function)
{
	const struct memory_region *r = region_of(s, s->word);
	struct script_value v = UNKNOWN;
	if (str_eq(function, STR("DEFINED")))
		v = known(value_of(s, s->word).known);
	else if (r)
		v = known(str_eq(function, STR("LENGTH")) ? r->length : r->origin);
	script_next(s);
	return v;
}

static uint64_t log2_up(uint64_t v)
{
	uint64_t n = 0;
	while (n < 63 && UINT64_C(1) << n < v)
		n++;
	return n;
}

static struct script_value value_function(struct script *s, struct str function)
{
	struct script_value a = binary(s, 0);
	const bool two = script_take(s, ",");
	const struct script_value b = two ? binary(s, 0) : known(0);
	a.known &= b.known;
	if (str_eq(function, STR("MAX")))
		a.v = max_u64(a.v, b.v);
	else if (str_eq(function, STR("MIN")))
		a.v = min_u64(a.v, b.v);
	else if (str_eq(function, STR("LOG2CEIL")))
		a.v = log2_up(a.v);
	else if (!str_eq(function, STR("ABSOLUTE")))
		a.known = false;
	return a;
}

static struct script_value call(struct script *s, struct str function)
{
	struct script_value v;
	const bool by_name = str_eq(function, STR("ORIGIN")) || str_eq(function, STR("LENGTH")) ||
			     str_eq(function, STR("DEFINED"));
	script_next(s); /* ( */
	v = by_name ? name_function(s, function) : value_function(s, function);
	if (!script_take(s, ")"))
		script_note(s, "a ) is missing");
	return v;
}

static struct script_value primary(struct script *s)
{
	struct script_value v = UNKNOWN;
	if (s->token == TOKEN_NUMBER) {
		v = known(s->number);
		script_next(s);
	} else if (s->token == TOKEN_NAME || s->token == TOKEN_STRING) {
		const struct str name = s->word;
		script_next(s);
		v = script_is(s, "(") ? call(s, name) : value_of(s, name);
	} else if (script_take(s, "(")) {
		v = binary(s, 0);
		if (!script_take(s, ")"))
			script_note(s, "a ) is missing");
	} else {
		script_note(s, "an expression is missing");
	}
	return v;
}

static struct script_value unary(struct script *s)
{
	struct script_value v = UNKNOWN;
	if (s->depth >= DEPTH_MAX) {
		script_note(s, "an expression is too deep");
		script_next(s);
		return v;
	}
	s->depth++;
	if (script_take(s, "-")) {
		v = unary(s);
		v.v = 0 - v.v;
	} else if (script_take(s, "~")) {
		v = unary(s);
		v.v = ~v.v;
	} else if (script_take(s, "!")) {
		v = unary(s);
		v.v = !v.v;
	} else if (script_take(s, "+")) {
		v = unary(s);
	} else {
		v = primary(s);
	}
	s->depth--;
	return v;
}

enum script_operator {
	OP_OR,
	OP_AND,
	OP_BIT_OR,
	OP_BIT_AND,
	OP_EQ,
	OP_NE,
	OP_LE,
	OP_GE,
	OP_LT,
	OP_GT,
	OP_SHL,
	OP_SHR,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_XOR
};

static const struct {
	const char *word;
	int level;
	enum script_operator op;
} operators[] = {
	{ "||", 1, OP_OR },     { "&&", 2, OP_AND }, { "|", 3, OP_BIT_OR }, { "^", 4, OP_XOR },
	{ "&", 5, OP_BIT_AND }, { "==", 6, OP_EQ },  { "!=", 6, OP_NE },    { "<=", 7, OP_LE },
	{ ">=", 7, OP_GE },     { "<", 7, OP_LT },   { ">", 7, OP_GT },     { "<<", 8, OP_SHL },
	{ ">>", 8, OP_SHR },    { "+", 9, OP_ADD },  { "-", 9, OP_SUB },    { "*", 10, OP_MUL },
	{ "/", 10, OP_DIV },    { "%", 10, OP_MOD },
};

static struct script_value compute(enum script_operator op, struct script_value a,
				   struct script_value b)
{
	uint64_t v = 0;
	if ((op == OP_DIV || op == OP_MOD) && b.v == 0)
		return UNKNOWN;
	switch (op) {
	case OP_OR: v = a.v || b.v; break;
	case OP_AND: v = a.v && b.v; break;
	case OP_BIT_OR: v = a.v | b.v; break;
	case OP_XOR: v = a.v ^ b.v; break;
	case OP_BIT_AND: v = a.v & b.v; break;
	case OP_EQ: v = a.v == b.v; break;
	case OP_NE: v = a.v != b.v; break;
	case OP_LE: v = a.v <= b.v; break;
	case OP_GE: v = a.v >= b.v; break;
	case OP_LT: v = a.v < b.v; break;
	case OP_GT: v = a.v > b.v; break;
	case OP_SHL: v = b.v < 64 ? a.v << b.v : 0; break;
	case OP_SHR: v = b.v < 64 ? a.v >> b.v : 0; break;
	case OP_ADD: v = a.v + b.v; break;
	case OP_SUB: v = a.v - b.v; break;
	case OP_MUL: v = a.v * b.v; break;
	case OP_DIV: v = a.v / b.v; break;
	case OP_MOD: v = a.v % b.v; break;
	}
	return (struct script_value){ v, a.known && b.known };
}

static int operator_at(const struct script *s)
{
	for (size_t i = 0; i < COUNT_OF(operators); i++)
		if (script_is(s, operators[i].word))
			return (int)i;
	return -1;
}

static struct script_value choice(struct script *s, struct script_value condition)
{
	if (s->depth >= DEPTH_MAX) {
		script_note(s, "an expression is too deep");
		return UNKNOWN;
	}
	s->depth++;
	const struct script_value yes = binary(s, 0);
	if (!script_take(s, ":"))
		script_note(s, "a : is missing");
	const struct script_value no = binary(s, 0);
	s->depth--;
	return !condition.known ? UNKNOWN : condition.v ? yes : no;
}

/* Operators of a higher level than `level`. */
static struct script_value binary(struct script *s, int level)
{
	struct script_value a = unary(s);
	for (int i; (i = operator_at(s)) >= 0 && operators[i].level > level;) {
		script_next(s);
		a = compute(operators[i].op, a, binary(s, operators[i].level));
	}
	if (level == 0 && script_take(s, "?"))
		a = choice(s, a);
	return a;
}

struct script_value script_expression(struct script *s)
{
	s->depth = 0;
	return binary(s, 0);
}
