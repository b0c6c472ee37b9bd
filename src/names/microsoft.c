/* Parses names of Microsoft's scheme into a tree. */
#define _GNU_SOURCE /* memmem */
#include "names/microsoft.h"

#include "names/microsoft_node.h"

/* Greatest depth to which types and names are nested. Deeper names stay mangled. Compilers replace
 * names of more than 4,096 bytes by a hash. */
#define MAX_DEPTH 96
#define MAX_NODES (MICROSOFT_ROOM / sizeof(struct ms_node))

/* Targets of back references: ten names, and ten parameter types with codes of several letters */
struct refs {
	ms_id names[10], types[10];
	struct str raw[10]; /* Per element of `names`: its text in the mangled name */
	unsigned name_count, type_count;
};

struct ms {
	struct str s;
	size_t pos;
	struct ms_node *nodes;
	size_t count;
	unsigned depth;
	bool failed;
	bool counts_templates; /* True if digits also refer to instances of function templates */
	struct refs refs;
};

static ms_id microsoft_read_type(struct ms *m, bool qualified);
static ms_id microsoft_read_symbol(struct ms *m);
static ms_id read_qualified(struct ms *m, bool is_type);
static ms_id microsoft_read_function(struct ms *m, bool is_member);

static ms_id microsoft_fail(struct ms *m)
{
	m->failed = true;
	return 0;
}

static char microsoft_peek(const struct ms *m)
{
	return m->pos < m->s.len ? m->s.p[m->pos] : 0;
}

static char next(struct ms *m)
{
	if (m->pos < m->s.len && !m->failed)
		return m->s.p[m->pos++];
	m->failed = true;
	return 0;
}

static struct str rest(const struct ms *m)
{
	return str_from(m->s, m->pos);
}

static bool eat(struct ms *m, const char *text)
{
	const struct str word = str_of(text);
	if (m->failed || !str_starts(rest(m), word))
		return false;
	m->pos += word.len;
	return true;
}

static ms_id microsoft_add(struct ms *m, struct ms_node node)
{
	if (m->failed || m->count == MAX_NODES)
		return microsoft_fail(m);
	m->nodes[m->count] = node;
	ASSERT(m->count > 0 && m->count < MAX_NODES);
	return (ms_id)m->count++;
}

static void microsoft_append(struct ms *m, ms_id *first, ms_id *last, ms_id item)
{
	const ms_id id = microsoft_add(m, (struct ms_node){ .kind = MS_LIST, .a = item });
	if (*first)
		m->nodes[*last].b = id;
	else
		*first = id;
	*last = id;
	ASSERT(m->failed || *first != 0);
}

static bool microsoft_enter(struct ms *m)
{
	if (m->depth == MAX_DEPTH)
		m->failed = true;
	m->depth++;
	return !m->failed;
}

/* Reads a number: "3" is 4, "BA@" is 16. "?" before it makes it negative. */
static int64_t microsoft_number(struct ms *m)
{
	const bool negative = eat(m, "?");
	uint64_t n = 0;
	if (is_digit(microsoft_peek(m))) {
		n = (uint64_t)(next(m) - '0') + 1;
	} else {
		while (!m->failed && !eat(m, "@")) {
			const char c = next(m);
			if (c < 'A' || c > 'P' || n >> 60)
				m->failed = true;
			n = n << 4 | (uint64_t)(c - 'A');
		}
	}
	return (int64_t)(negative ? 0 - n : n);
}

static ms_id number_node(struct ms *m)
{
	return microsoft_add(m, (struct ms_node){ .kind = MS_NUMBER, .n = microsoft_number(m) });
}

/* Reads `count` displacements, which are numbers of 32 bits. Returns their list. */
static ms_id displacements(struct ms *m, unsigned count)
{
	ms_id first = 0, last = 0;
	while (count-- > 0) {
		const int64_t n = (int32_t)(uint32_t)microsoft_number(m);
		microsoft_append(m, &first, &last,
				 microsoft_add(m, (struct ms_node){ .kind = MS_NUMBER, .n = n }));
	}
	return first;
}

static void microsoft_remember(struct ms *m, ms_id id, struct str raw)
{
	struct refs *r = &m->refs;
	for (unsigned i = 0; i < r->name_count; i++)
		if (str_eq(r->raw[i], raw))
			return;
	if (r->name_count == COUNT_OF(r->names))
		return;
	r->raw[r->name_count] = raw;
	r->names[r->name_count++] = id;
	ASSERT(r->name_count <= COUNT_OF(r->names));
}

static ms_id name_again(struct ms *m)
{
	const unsigned i = (unsigned)(next(m) - '0');
	return i < m->refs.name_count ? m->refs.names[i] : microsoft_fail(m);
}

/* Reads the text before the next "@", and the "@". */
static struct str simple_text(struct ms *m)
{
	const struct str all = rest(m);
	const char *const end = memchr(all.p, '@', all.len);
	const size_t len = end ? (size_t)(end - all.p) : 0;
	if (len == 0)
		m->failed = true;
	else
		m->pos += len + 1;
	return (struct str){ all.p, len };
}

static ms_id simple_name(struct ms *m)
{
	const struct str text = simple_text(m);
	const ms_id id = microsoft_add(m, (struct ms_node){ .kind = MS_NAME, .text = text });
	microsoft_remember(m, id, text);
	return id;
}

/* Reads `dynamic initializer for 'x''. x may be a complete symbol. */
static ms_id microsoft_dynamic(struct ms *m, const char *what)
{
	const bool is_symbol = microsoft_peek(m) == '?';
	const ms_id of = is_symbol ? microsoft_read_symbol(m) : read_qualified(m, false);
	if (is_symbol && (!eat(m, "@") || m->failed))
		return microsoft_fail(m);
	/* If there is no symbol, one "@" ends this name and the name around it. */
	if (!is_symbol)
		m->pos--;
	return microsoft_add(m,
			     (struct ms_node){ .kind = MS_DYNAMIC, .text = str_of(what), .a = of });
}

static ms_id microsoft_operator_name(struct ms *m)
{
	const char *text = NULL;
	if (eat(m, "0"))
		return microsoft_add(m, (struct ms_node){ .kind = MS_CTOR });
	if (eat(m, "1"))
		return microsoft_add(m, (struct ms_node){ .kind = MS_DTOR });
	if (eat(m, "B"))
		return microsoft_add(m, (struct ms_node){ .kind = MS_CONVERSION });
	if (eat(m, "__E"))
		return microsoft_dynamic(m, "dynamic initializer");
	if (eat(m, "__F"))
		return microsoft_dynamic(m, "dynamic atexit destructor");
	if (eat(m, "__K")) {
		const struct str digits = simple_text(m);
		return microsoft_add(m,
				     (struct ms_node){ .kind = MS_NAME, .text = digits, .n = 1 });
	}
	if (eat(m, "__"))
		text = ms_operator(2, next(m));
	else if (eat(m, "_"))
		text = ms_operator(1, next(m));
	else
		text = ms_operator(0, next(m));
	return text ? microsoft_add(m, (struct ms_node){ .kind = MS_NAME, .text = str_of(text) })
		    : microsoft_fail(m);
}

/* Reads the value of a pointer to a member: {symbol, 1, 2}. */
static ms_id member_tuple(struct ms *m, unsigned count)
{
	ms_id first = 0, last = 0;
	if (microsoft_peek(m) == '?')
		microsoft_append(m, &first, &last, microsoft_read_symbol(m));
	while (count-- > 0)
		microsoft_append(m, &first, &last, number_node(m));
	return microsoft_add(m, (struct ms_node){ .kind = MS_TUPLE, .a = first });
}

/* Reads a value after "$". */
static ms_id microsoft_read_value(struct ms *m)
{
	ASSERT(m->pos <= m->s.len);
	switch (next(m)) {
	case '0': return number_node(m);
	case '1':
		return microsoft_add(
			m, (struct ms_node){ .kind = MS_ADDRESS, .a = microsoft_read_symbol(m) });
	case 'E': return microsoft_read_symbol(m);
	case 'F': return member_tuple(m, 2);
	case 'G': return member_tuple(m, 3);
	case 'H': return member_tuple(m, 1);
	case 'I': return member_tuple(m, 2);
	case 'J': return member_tuple(m, 3);
	case 'M':
		(void)microsoft_read_type(m, false);
		return microsoft_read_value(m); /* The value of a parameter "auto" */
	default: return microsoft_fail(m);
	}
}

static ms_id read_argument(struct ms *m)
{
	if (eat(m, "$$Y"))
		return read_qualified(m, true);
	if (eat(m, "$$B"))
		return microsoft_read_type(m, false);
	if (eat(m, "$$C"))
		return microsoft_read_type(m, true);
	if (microsoft_peek(m) == '$' && m->pos + 1 < m->s.len && m->s.p[m->pos + 1] != '$') {
		m->pos++;
		return microsoft_read_value(m);
	}
	return microsoft_read_type(m, false);
}

/* Reads a template after "?$". References in it lead only to names and types in it. */
static ms_id template_name(struct ms *m)
{
	ms_id first = 0, last = 0;
	if (!microsoft_enter(m))
		return 0;
	const struct refs outer = m->refs;
	m->refs = (struct refs){ 0 };
	const ms_id name = eat(m, "?") ? microsoft_operator_name(m) : simple_name(m);
	while (!m->failed && !eat(m, "@"))
		if (!eat(m, "$$$V") && !eat(m, "$$V") && !eat(m, "$$Z") && !eat(m, "$S"))
			microsoft_append(m, &first, &last, read_argument(m));
	m->refs = outer;
	m->depth--;
	return microsoft_add(m, (struct ms_node){ .kind = MS_TEMPLATE, .a = name, .b = first });
}

static ms_id remembered_template(struct ms *m)
{
	const size_t start = m->pos;
	const ms_id id = template_name(m);
	microsoft_remember(m, id, (struct str){ m->s.p + start, m->pos - start });
	return id;
}

/* Reads an anonymous namespace, "?A0x12345678@". Digits may refer to it in names of Microsoft's
 * compiler. clang repeats it instead. */
static ms_id anonymous(struct ms *m)
{
	const struct str all = rest(m);
	const char *const end = memchr(all.p, '@', all.len);
	const size_t len = end ? (size_t)(end - all.p) : 0;
	if (!end)
		return microsoft_fail(m);
	m->pos += len + 1;
	const ms_id id = microsoft_add(m, (struct ms_node){ .kind = MS_ANONYMOUS });
	const char *const before = memmem(m->s.p, (size_t)(all.p - m->s.p), all.p - 2, len + 3);
	if (!before && !memmem(end, all.len - len, all.p - 2, len + 3))
		microsoft_remember(m, id, (struct str){ all.p - 2, len + 2 });
	return id;
}

/* Reads a scope. "?A" begins an anonymous namespace, because no number of a scope begins with
 * "A". */
static ms_id read_scope(struct ms *m)
{
	if (is_digit(microsoft_peek(m)))
		return name_again(m);
	if (eat(m, "?$"))
		return remembered_template(m);
	if (eat(m, "?A"))
		return anonymous(m);
	if (!eat(m, "?"))
		return simple_name(m);
	/* A local scope: "1?", and the symbol that contains the name. */
	const int64_t n = eat(m, "@") ? 0 : microsoft_number(m);
	if (!eat(m, "?"))
		return microsoft_fail(m);
	const ms_id symbol = microsoft_read_symbol(m);
	return microsoft_add(m, (struct ms_node){ .kind = MS_LOCAL, .a = symbol, .n = n });
}

static ms_id microsoft_innermost(struct ms *m, bool is_type)
{
	if (is_digit(microsoft_peek(m)))
		return name_again(m);
	if (eat(m, "?$"))
		return is_type || m->counts_templates ? remembered_template(m) : template_name(m);
	if (!is_type && eat(m, "?"))
		return microsoft_operator_name(m);
	return simple_name(m);
}

/* Reads a name and its scopes, until the "@" after them. */
static ms_id read_qualified(struct ms *m, bool is_type)
{
	ms_id first = 0, last = 0;
	if (!microsoft_enter(m))
		return 0;
	const ms_id name = microsoft_innermost(m, is_type);
	while (!m->failed && !eat(m, "@"))
		microsoft_append(m, &first, &last, read_scope(m));
	m->depth--;
	return microsoft_add(m, (struct ms_node){ .kind = MS_QUALIFIED, .a = name, .b = first });
}

static unsigned microsoft_qualifiers(struct ms *m)
{
	const char c = next(m);
	if (c >= 'A' && c <= 'D')
		return (unsigned)(c - 'A');
	if (c >= 'Q' && c <= 'T') /* The letters of a pointer to a member */
		return (unsigned)(c - 'Q');
	m->failed = true;
	return 0;
}

/* Reads the qualifiers of a pointer. Skips "E", which marks a 64-bit pointer. */
static unsigned pointer_qualifiers(struct ms *m)
{
	unsigned quals = 0;
	for (;;) {
		if (eat(m, "I"))
			quals |= MS_RESTRICT;
		else if (eat(m, "F"))
			quals |= MS_UNALIGNED;
		else if (!eat(m, "E"))
			return quals;
	}
}

static ms_id with_qualifiers(struct ms *m, ms_id id, unsigned quals)
{
	if (id == 0 || quals == 0 || m->failed)
		return id;
	struct ms_node node = m->nodes[id];
	/* A constant array is an array of constants. */
	if (node.kind == MS_ARRAY)
		node.a = with_qualifiers(m, node.a, quals);
	else
		node.quals = (uint8_t)(node.quals | quals);
	return microsoft_add(m, node);
}

static ms_id tagged(struct ms *m, const char *tag)
{
	const ms_id name = read_qualified(m, true);
	return microsoft_add(m, (struct ms_node){ .kind = MS_TAG, .text = str_of(tag), .a = name });
}

/* Reads what a pointer points to. For a pointer to a member, also reads the class. */
static void read_target(struct ms *m, struct ms_node *pointer)
{
	if (eat(m, "6")) {
		pointer->a = microsoft_read_function(m, false);
		return;
	}
	pointer->quals = (uint8_t)(pointer->quals | pointer_qualifiers(m));
	if (eat(m, "8")) {
		pointer->b = read_qualified(m, true);
		pointer->a = microsoft_read_function(m, true);
		return;
	}
	const bool of_member = microsoft_peek(m) >= 'Q' && microsoft_peek(m) <= 'T';
	const unsigned quals = microsoft_qualifiers(m);
	if (of_member)
		pointer->b = read_qualified(m, true);
	pointer->a = with_qualifiers(m, microsoft_read_type(m, false), quals);
}

static ms_id pointer(struct ms *m, const char *text, unsigned quals)
{
	struct ms_node node = { .kind = MS_POINTER, .text = str_of(text), .quals = (uint8_t)quals };
	read_target(m, &node);
	return microsoft_add(m, node);
}

/* Reads an array type. Its code, "Y", was read before. Numbers of elements per dimension follow. */
static ms_id array(struct ms *m)
{
	int64_t sizes[16];
	const int64_t count = microsoft_number(m);
	if (count < 1 || count > (int64_t)COUNT_OF(sizes))
		return microsoft_fail(m);
	for (int64_t i = 0; i < count; i++)
		sizes[i] = microsoft_number(m);
	ASSERT(count <= (int64_t)COUNT_OF(sizes));
	const unsigned quals = eat(m, "$$C") ? microsoft_qualifiers(m) : 0;
	ms_id id = with_qualifiers(m, microsoft_read_type(m, false), quals);
	for (int64_t i = count; i-- > 0;)
		id = microsoft_add(m, (struct ms_node){ .kind = MS_ARRAY, .a = id, .n = sizes[i] });
	return id;
}

/* Reads a type after "$$". */
static ms_id newer_type(struct ms *m)
{
	if (eat(m, "Q"))
		return pointer(m, "&&", 0);
	if (eat(m, "R"))
		return pointer(m, "&&", MS_VOLATILE);
	if (eat(m, "A6"))
		return microsoft_read_function(m, false);
	if (eat(m, "A8@@"))
		return microsoft_read_function(m, true);
	if (eat(m, "B"))
		return microsoft_read_type(m, false);
	if (eat(m, "C"))
		return microsoft_read_type(m, true);
	return eat(m, "T") ? microsoft_add(m, (struct ms_node){ .kind = MS_PLAIN,
								.text = STR("std::nullptr_t") })
			   : microsoft_fail(m);
}

static ms_id bare_type(struct ms *m)
{
	static const char letters[] = "ABPQRS";
	static const char *const pointers[] = { "&", "&", "*", "*", "*", "*" };
	static const uint8_t quals[] = { 0,        MS_VOLATILE, 0,
					 MS_CONST, MS_VOLATILE, MS_CONST | MS_VOLATILE };
	if (eat(m, "$$"))
		return newer_type(m);
	if (eat(m, "T"))
		return tagged(m, "union ");
	if (eat(m, "U"))
		return tagged(m, "struct ");
	if (eat(m, "V"))
		return tagged(m, "class ");
	if (eat(m, "W4"))
		return tagged(m, "enum ");
	if (eat(m, "Y"))
		return array(m);
	if (eat(m, "?")) { /* "?<auto>@@" */
		const struct ms_node node = { .kind = MS_TAG,
					      .text = STR(""),
					      .a = microsoft_innermost(m, true) };
		return eat(m, "@") ? microsoft_add(m, node) : microsoft_fail(m);
	}
	const char *const kind = microsoft_peek(m) ? strchr(letters, microsoft_peek(m)) : NULL;
	if (!kind) {
		const bool line = eat(m, "_");
		const char *const text = ms_type(line, next(m));
		if (!text)
			return microsoft_fail(m);
		return microsoft_add(m, (struct ms_node){ .kind = MS_PLAIN, .text = str_of(text) });
	}
	const size_t i = (size_t)(kind - letters);
	m->pos++;
	return pointer(m, pointers[i], quals[i]);
}

/* Reads a type. `qualified`: true if codes for const and volatile precede the type. */
static ms_id microsoft_read_type(struct ms *m, bool qualified)
{
	if (!microsoft_enter(m))
		return 0;
	const unsigned quals = qualified ? microsoft_qualifiers(m) : 0;
	const ms_id id = with_qualifiers(m, bare_type(m), quals);
	m->depth--;
	return id;
}

static struct str convention(struct ms *m)
{
	static const char *const names[] = { "__cdecl",   "__pascal",   "__thiscall",
					     "__stdcall", "__fastcall", "",
					     "__clrcall", "__eabi",     "__vectorcall" };
	const char c = next(m);
	if (c == 'S')
		return STR("__attribute__((__swiftcall__))");
	if (c == 'W')
		return STR("__attribute__((__swiftasynccall__))");
	if (c == 'w')
		return STR("__regcall");
	if (c < 'A' || c > 'Q')
		m->failed = true;
	else
		return str_of(names[(c - 'A') / 2]);
	return STR("");
}

static ms_id parameter(struct ms *m)
{
	if (is_digit(microsoft_peek(m))) {
		const unsigned i = (unsigned)(next(m) - '0');
		return i < m->refs.type_count ? m->refs.types[i] : microsoft_fail(m);
	}
	const size_t start = m->pos;
	const ms_id id = microsoft_read_type(m, false);
	if (m->pos > start + 1 && m->refs.type_count < COUNT_OF(m->refs.types))
		m->refs.types[m->refs.type_count++] = id;
	return id;
}

static void microsoft_parameters(struct ms *m, struct ms_node *f)
{
	ms_id last = 0;
	if (eat(m, "X"))
		return;
	while (!m->failed && !eat(m, "@")) {
		f->variadic = eat(m, "Z");
		if (f->variadic)
			return;
		microsoft_append(m, &f->b, &last, parameter(m));
	}
}

/* Reads a function type after its type code. */
static ms_id microsoft_read_function(struct ms *m, bool is_member)
{
	struct ms_node f = { .kind = MS_FUNCTION };
	if (!microsoft_enter(m))
		return 0;
	if (is_member) {
		f.quals = (uint8_t)pointer_qualifiers(m);
		f.quals |= eat(m, "G") ? MS_LVALUE : eat(m, "H") ? MS_RVALUE : 0;
		f.quals |= (uint8_t)pointer_qualifiers(m);
		f.quals |= (uint8_t)microsoft_qualifiers(m);
	}
	f.text = convention(m);
	if (!eat(m, "@"))
		f.a = microsoft_read_type(m, eat(m, "?"));
	microsoft_parameters(m, &f);
	f.is_noexcept = eat(m, "_E");
	if (!f.is_noexcept && !eat(m, "Z"))
		m->failed = true;
	m->depth--;
	return microsoft_add(m, f);
}

static ms_id variable(struct ms *m, ms_id name, char access)
{
	ASSERT(access >= '0' && access <= '4');
	static const char *const leads[] = { "private: static ", "protected: static ",
					     "public: static ", "", "" };
	struct ms_node node = { .kind = MS_DATA, .a = name, .text = str_of(leads[access - '0']) };
	const ms_id type = microsoft_read_type(m, false);
	const unsigned ext = pointer_qualifiers(m);
	unsigned quals = microsoft_qualifiers(m);
	/* Qualifiers of the variable. A pointer's code has its own. */
	if (!m->failed && m->nodes[type].kind == MS_POINTER) {
		if (m->nodes[type].b)
			(void)read_qualified(m, true);
		m->nodes[type].a = with_qualifiers(m, m->nodes[type].a, quals);
		m->nodes[type].quals = (uint8_t)(m->nodes[type].quals | ext);
		quals = 0;
	}
	node.b = with_qualifiers(m, type, quals);
	return microsoft_add(m, node);
}

/* Beginnings of texts by access: private, protected, public. Each: normal, static, virtual,
 * thunk. */
static const char *const accesses[] = {
	"private: ",   "private: static ",   "private: virtual ",   "[thunk]: private: virtual ",
	"protected: ", "protected: static ", "protected: virtual ", "[thunk]: protected: virtual ",
	"public: ",    "public: static ",    "public: virtual ",    "[thunk]: public: virtual ",
};

/* Reads a thunk that adds a stored displacement to `this`: "$4". "$R4" adds two. */
static void microsoft_displaced(struct ms *m, struct ms_node *code)
{
	const bool twice = eat(m, "R");
	const char access = next(m);
	if (access < '0' || access > '5') {
		m->failed = true;
		return;
	}
	code->text = str_of(accesses[(access - '0') / 2 * 4 + 3]);
	code->n = twice ? MS_VTORDISPEX : MS_VTORDISP;
	code->c = displacements(m, twice ? 4 : 2);
}

static bool leads_to_member(struct ms *m, struct ms_node *code)
{
	if (eat(m, "$$J0")) {
		code->text = STR("extern \"C\" ");
		(void)next(m);
		return false;
	}
	if (eat(m, "$")) {
		microsoft_displaced(m, code);
		return true;
	}
	const char c = next(m);
	if (c < 'A' || c > 'Z')
		m->failed = true;
	if (c < 'A' || c >= 'Y')
		return false;
	const unsigned access = (unsigned)(c - 'A') / 2;
	code->text = str_of(accesses[access]);
	if (access % 4 == 3) {
		code->n = MS_ADJUSTOR;
		code->c = displacements(m, 1);
	}
	return access % 4 != 1;
}

/* Sets the type in the name of a conversion operator to the result type of its function. */
static void set_conversion(struct ms *m, ms_id name, ms_id function)
{
	if (m->failed)
		return;
	ms_id id = m->nodes[name].a;
	if (m->nodes[id].kind == MS_TEMPLATE)
		id = m->nodes[id].a;
	if (m->nodes[id].kind == MS_CONVERSION)
		m->nodes[id].a = m->nodes[function].a;
}

static ms_id microsoft_code(struct ms *m, ms_id name)
{
	struct ms_node node = { .kind = MS_CODE, .a = name };
	if (eat(m, "9")) {
		node.text = STR("extern \"C\" ");
		return microsoft_add(m, node);
	}
	const bool is_member = leads_to_member(m, &node);
	node.b = microsoft_read_function(m, is_member);
	set_conversion(m, name, node.b);
	return microsoft_add(m, node);
}

static ms_id microsoft_table(struct ms *m, const char *what)
{
	struct ms_node node = { .kind = MS_TABLE, .text = str_of(what) };
	ms_id last = 0;
	node.a = read_qualified(m, true);
	if (!eat(m, "6") && !eat(m, "7"))
		return microsoft_fail(m);
	node.quals = (uint8_t)microsoft_qualifiers(m);
	while (m->pos < m->s.len && !m->failed && !eat(m, "@"))
		microsoft_append(m, &node.b, &last, read_qualified(m, true));
	return microsoft_add(m, node);
}

/* Reads a symbol of type information such as "??_R1": `count` numbers, then the name. */
static ms_id microsoft_described(struct ms *m, const char *what, unsigned count)
{
	struct ms_node node = { .kind = MS_DESCRIBE, .text = str_of(what) };
	node.b = displacements(m, count);
	node.a = read_qualified(m, true);
	return eat(m, "8") ? microsoft_add(m, node) : microsoft_fail(m);
}

static ms_id guard(struct ms *m, const char *what)
{
	ms_id first = 0, last = 0;
	struct ms_node node = { .kind = MS_DESCRIBE, .text = str_of(what) };
	microsoft_append(m, &first, &last, microsoft_add(m, (struct ms_node){ .kind = MS_NAME }));
	while (!m->failed && !eat(m, "@"))
		microsoft_append(m, &first, &last, read_scope(m));
	/* A guard has no name of its own. Its first scope serves as one. */
	if (m->failed || !m->nodes[first].b)
		return microsoft_fail(m);
	const ms_id scopes = m->nodes[first].b;
	node.a = microsoft_add(m, (struct ms_node){ .kind = MS_QUALIFIED,
						    .a = m->nodes[scopes].a,
						    .b = m->nodes[scopes].b });
	node.n = 1;
	if (eat(m, "5"))
		node.b = m->pos < m->s.len ? displacements(m, 1) : 0;
	else if (!eat(m, "4IA"))
		return microsoft_fail(m);
	return microsoft_add(m, node);
}

static ms_id vcall(struct ms *m)
{
	struct ms_node node = { .kind = MS_CODE, .text = STR("[thunk]: "), .n = MS_VCALL };
	node.a = read_qualified(m, true);
	if (!eat(m, "$B"))
		return microsoft_fail(m);
	node.c = displacements(m, 1);
	if (!eat(m, "A"))
		return microsoft_fail(m);
	const struct str how = convention(m);
	node.b = microsoft_add(m, (struct ms_node){ .kind = MS_FUNCTION, .text = how });
	return microsoft_add(m, node);
}

/* Reads a string literal: "_0" or "_1", its size, its hash and its first bytes. */
static ms_id microsoft_string(struct ms *m)
{
	struct ms_node node = { .kind = MS_STRING };
	node.wide = eat(m, "_1");
	if (!node.wide && !eat(m, "_0"))
		return microsoft_fail(m);
	node.n = microsoft_number(m);
	(void)simple_text(m);
	node.text = rest(m);
	m->pos = m->s.len;
	return microsoft_add(m, node);
}

static ms_id microsoft_special(struct ms *m, bool *ret_is)
{
	static const struct {
		const char *code, *what;
		ms_id (*read)(struct ms *m, const char *what);
	} all[] = {
		{ "_7", "vftable", microsoft_table },
		{ "_8", "vbtable", microsoft_table },
		{ "_S", "local vftable", microsoft_table },
		{ "_R4", "RTTI Complete Object Locator", microsoft_table },
		{ "_B", "local static guard", guard },
		{ "__J", "local static thread guard", guard },
	};
	*ret_is = true;
	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (eat(m, all[i].code))
			return all[i].read(m, all[i].what);
	if (eat(m, "_9"))
		return vcall(m);
	if (eat(m, "_C@"))
		return microsoft_string(m);
	if (eat(m, "_R0")) {
		const struct ms_node node = { .kind = MS_DESCRIBE,
					      .c = microsoft_read_type(m, eat(m, "?")),
					      .text = STR("RTTI Type Descriptor") };
		return eat(m, "@8") || eat(m, "8") ? microsoft_add(m, node) : microsoft_fail(m);
	}
	if (eat(m, "_R1"))
		return microsoft_described(m, "RTTI Base Class Descriptor at", 4);
	if (eat(m, "_R2"))
		return microsoft_described(m, "RTTI Base Class Array", 0);
	if (eat(m, "_R3"))
		return microsoft_described(m, "RTTI Class Hierarchy Descriptor", 0);
	*ret_is = false;
	return 0;
}

/* Reads a symbol, from its "?" on. */
static ms_id microsoft_read_symbol(struct ms *m)
{
	bool is_special = false;
	if (!microsoft_enter(m) || !eat(m, "?") || str_starts(rest(m), STR("?@")))
		return microsoft_fail(m);
	ms_id id = 0;
	if (eat(m, "?")) {
		id = microsoft_special(m, &is_special);
		if (!is_special)
			m->pos--;
	}
	if (!is_special) {
		const ms_id name = read_qualified(m, false);
		const char c = m->failed ? 0 : microsoft_peek(m);
		id = c >= '0' && c <= '4' ? variable(m, name, next(m)) : microsoft_code(m, name);
	}
	m->depth--;
	return m->failed ? 0 : id;
}

static ms_id microsoft_read_all(struct ms *m)
{
	ASSERT(m->count == 1 && m->depth == 0);
	m->nodes[0] = (struct ms_node){ 0 };
	const ms_id id = microsoft_read_symbol(m);
	return m->pos == m->s.len ? id : 0;
}

size_t microsoft_name(struct str raw, bool brief, void *scratch, char *out, size_t room)
{
	struct ms m = { .s = raw, .nodes = scratch, .count = 1 };
	struct out o = { .p = out, .room = room };
	if (!microsoft_likely(raw))
		return 0;
	ms_id id = microsoft_read_all(&m);
	if (id == 0) {
		/* Tries the rules of Microsoft's compiler, whose digits refer to more names than
		 * clang's. */
		m = (struct ms){ .s = raw, .nodes = scratch, .count = 1, .counts_templates = true };
		id = microsoft_read_all(&m);
	}
	if (id == 0)
		return 0;
	ms_print(m.nodes, id, brief, &o);
	ASSERT(m.pos <= raw.len && m.count <= MAX_NODES && o.len <= room);
	return o.failed ? 0 : o.len;
}

bool microsoft_is_member(struct str full)
{
	static const char *const leads[] = { "[thunk]: ", "private: ", "protected: ", "public: ",
					     "const " };
	return STARTS_WITH(full, leads) > 0;
}
