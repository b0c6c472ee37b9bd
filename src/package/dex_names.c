/* Makes the names of items from the format's strings ("String syntax"), in Java's notation. */
#include "package/dex_internal.h"

/* State while one item is being named. */
struct dex_names_naming {
	struct dex *d;
	const struct dex_part *part;
	struct text *out;
	struct heft_err *err;
};

static bool odd(const struct dex_names_naming *n, uint64_t off)
{
	return fail(n->err, HEFT_EFORMAT, off, "%s: damaged: a name is not there, or too long",
		    n->d->path);
}

/* Returns a reader at an element of a table. It is empty if the table has no such element. */
static struct reader element(const struct dex_names_naming *n, const struct dex_ids *ids,
			     uint64_t index, uint64_t each)
{
	return index < ids->count ? dex_reader(n->d, ids->off + index * each)
				  : reader_make(NULL, 0, false);
}

/* Sets *ret to the string with this index. Fails if it is longer than dex.text_left. */
static bool dex_names_string(struct dex_names_naming *n, uint32_t index, struct str *ret)
{
	struct reader id = element(n, &n->part->strings, index, DEX_STRING_ID);
	const uint32_t off = read_u32(&id);
	struct reader r = dex_reader(n->d, off);
	(void)read_uleb(&r); /* Skips the number of UTF-16 units. */
	r.size = min_u64(r.size, add_sat(r.pos, n->d->text_left));
	*ret = read_cstr(&r);
	if (!reader_ok(&r) || !reader_ok(&id))
		return odd(n, off);
	n->d->text_left -= ret->len + 1;
	return true;
}

static bool descriptor(struct dex_names_naming *n, uint32_t type, struct str *ret)
{
	struct reader r = element(n, &n->part->types, type, DEX_TYPE_ID);
	const uint32_t index = read_u32(&r);
	return reader_ok(&r) ? dex_names_string(n, index, ret) : odd(n, HEFT_NO_OFFSET);
}

static struct str primitive(char c)
{
	switch (c) {
	case 'V': return STR("void");
	case 'Z': return STR("boolean");
	case 'B': return STR("byte");
	case 'S': return STR("short");
	case 'C': return STR("char");
	case 'I': return STR("int");
	case 'J': return STR("long");
	case 'F': return STR("float");
	case 'D': return STR("double");
	default: return STR("");
	}
}

/* Appends "Lorg/Class;" without the L and the ';', with `slash` in place of '/'. */
static void dex_names_add_class(struct text *out, struct str s, char slash)
{
	const size_t end = str_ends(s, STR(";")) ? s.len - 1 : s.len;
	for (size_t i = 1; i < end; i++)
		text_add_char(out, s.p[i] == '/' ? slash : s.p[i]);
}

static bool add_type(struct dex_names_naming *n, uint32_t type)
{
	struct str s;
	if (!descriptor(n, type, &s))
		return false;
	size_t arrays = 0;
	while (arrays < s.len && s.p[arrays] == '[')
		arrays++;
	s = (struct str){ s.p + arrays, s.len - arrays };
	if (s.len == 1 && primitive(s.p[0]).len > 0)
		text_add(n->out, primitive(s.p[0]));
	else if (str_starts(s, STR("L")))
		dex_names_add_class(n->out, s, '.');
	else
		text_add(n->out, s);
	for (; arrays > 0; arrays--)
		text_add(n->out, STR("[]"));
	return true;
}

static bool add_parameters(struct dex_names_naming *n, uint32_t off)
{
	struct reader r = dex_reader(n->d, off);
	const uint32_t count = off ? read_u32(&r) : 0;
	text_add_char(n->out, '(');
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			text_add_char(n->out, ',');
		const uint16_t type = read_u16(&r);
		if (!reader_ok(&r))
			return odd(n, off);
		if (!add_type(n, type))
			return false;
	}
	text_add_char(n->out, ')');
	return reader_ok(&r) || odd(n, off);
}

static bool add_field(struct dex_names_naming *n, uint32_t index)
{
	struct reader r = element(n, &n->part->fields, index, DEX_FIELD_ID);
	struct str name;
	const uint16_t owner = read_u16(&r), type = read_u16(&r);
	if (!add_type(n, owner) || !dex_names_string(n, read_u32(&r), &name))
		return false;
	text_adds(n->out, STR("#"), name, STR(": "));
	return add_type(n, type);
}

/* Appends the name of a method with its parameters. Constructors have no result type. */
static bool add_method(struct dex_names_naming *n, uint32_t index)
{
	struct reader r = element(n, &n->part->methods, index, DEX_METHOD_ID);
	struct str name;
	const uint16_t owner = read_u16(&r), type = read_u16(&r);
	struct reader proto = element(n, &n->part->protos, type, DEX_PROTO_ID);
	if (!add_type(n, owner) || !dex_names_string(n, read_u32(&r), &name))
		return false;
	text_adds(n->out, STR("#"), name);
	read_skip(&proto, 4);
	const uint32_t result = read_u32(&proto), parameters = read_u32(&proto);
	if (!reader_ok(&proto))
		return odd(n, HEFT_NO_OFFSET);
	if (!add_parameters(n, parameters))
		return false;
	if (str_starts(name, STR("<")))
		return true;
	text_add(n->out, STR(": "));
	return add_type(n, result);
}

static struct dex_names_naming naming_of(struct dex *d, const struct dex_item *i, struct text *out,
					 struct heft_err *err)
{
	ASSERT(i->part < d->parts.count);
	return (struct dex_names_naming){ d, &d->parts.data[i->part], out, err };
}

/* Returns a reader over the class definition (class_def) of an item. */
static struct reader class_def(const struct dex_names_naming *n, const struct dex_item *i)
{
	return dex_reader(n->d, n->part->classes.off + (uint64_t)i->index * DEX_CLASS_DEF);
}

bool dex_add_name(struct dex *d, const struct dex_item *i, struct text *out, struct heft_err *err)
{
	struct dex_names_naming n = naming_of(d, i, out, err);
	struct reader r;
	switch (i->kind) {
	case DEX_CLASS: r = class_def(&n, i); return add_type(&n, read_u32(&r));
	case DEX_FIELD: return add_field(&n, i->index);
	case DEX_METHOD: return add_method(&n, i->index);
	default: return true;
	}
}

bool dex_add_class_path(struct dex *d, const struct dex_item *i, struct text *out,
			struct heft_err *err)
{
	struct dex_names_naming n = naming_of(d, i, out, err);
	struct reader r = class_def(&n, i);
	struct str s;
	if (!descriptor(&n, read_u32(&r), &s))
		return false;
	dex_names_add_class(out, s, '/');
	return true;
}

bool dex_source_file(struct dex *d, const struct dex_item *i, struct str *ret, struct heft_err *err)
{
	struct dex_names_naming n = naming_of(d, i, NULL, err);
	struct reader r = class_def(&n, i);
	read_skip(&r, 16);
	const uint32_t index = read_u32(&r);
	if (index != DEX_NO_INDEX)
		return dex_names_string(&n, index, ret);
	*ret = STR("");
	return true;
}

bool dex_literal(struct dex *d, const struct dex_item *i, struct str *ret, struct heft_err *err)
{
	struct dex_names_naming n = naming_of(d, i, NULL, err);
	return dex_names_string(&n, i->index, ret);
}
