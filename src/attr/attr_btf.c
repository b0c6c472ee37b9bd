/* Claims BTF: what describes a function or variable for that, types and names with a row per kind.
 *
 * Linux, Documentation/bpf/btf.rst. */
#include "attr/attr.h"

enum { BTF_MAGIC = 0xeb9f, HEADER_MIN = 24, TYPE_SIZE = 12 };

enum kind {
	KIND_INT = 1,
	KIND_ARRAY = 3,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FUNC = 12,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_DECL_TAG = 17,
	KIND_ENUM64 = 19
};

struct btf {
	struct attr *attr;
	const struct section *in;
	struct bytes strings;
};

/* Returns the number of bytes after the three words of a type with `count` members. */
static uint64_t more_of(enum kind kind, uint64_t count)
{
	switch (kind) {
	case KIND_INT:
	case KIND_VAR:
	case KIND_DECL_TAG: return 4;
	case KIND_ARRAY: return 12;
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_DATASEC:
	case KIND_ENUM64: return 12 * count;
	case KIND_ENUM:
	case KIND_FUNC_PROTO: return 8 * count;
	case KIND_FUNC: break;
	}
	return 0;
}

static struct str attr_btf_row_of(enum kind kind)
{
	switch (kind) {
	case KIND_STRUCT:
	case KIND_UNION: return STR("(BTF structs)");
	case KIND_ENUM:
	case KIND_ENUM64: return STR("(BTF enums)");
	case KIND_FUNC_PROTO: return STR("(BTF function types)");
	case KIND_INT:
	case KIND_ARRAY:
	case KIND_FUNC:
	case KIND_VAR:
	case KIND_DATASEC:
	case KIND_DECL_TAG: break;
	}
	return STR("(BTF other types)");
}

static void attr_btf_put(const struct btf *b, uint64_t off, uint64_t size, struct str row)
{
	attr_put(b->attr, b->in, off, size, label_borrow(b->attr->f->labels, row), WHY_DEBUG);
}

static void put_types(const struct btf *b, struct bytes types, uint64_t at)
{
	struct reader r = reader_of(types, b->attr->im->big_endian);
	while (reader_left(&r) >= TYPE_SIZE) {
		const uint64_t start = r.pos;
		const uint32_t name_off = read_u32(&r), info = read_u32(&r);
		const enum kind kind = info >> 24 & 31;
		struct str name = STR("");
		read_skip(&r, 4 + more_of(kind, info & 0xffff));
		if (!reader_ok(&r))
			return;
		if (kind == KIND_FUNC || kind == KIND_VAR)
			(void)bytes_cstr(b->strings, name_off, &name);
		attr_btf_put(b, at + start, r.pos - start,
			     name.len > 0 ? name : attr_btf_row_of(kind));
	}
}

void attr_btf(struct attr *a)
{
	const struct section *s = image_section_find(a->im, ".BTF");
	ASSERT(a->owner == BY_SYMBOL);
	if (!s || s->nobits)
		return;
	const struct bytes all = section_bytes(a->im, s);
	struct reader r = reader_of(all, a->im->big_endian);
	const bool known = read_u16(&r) == BTF_MAGIC;
	read_skip(&r, 2);
	const uint64_t header = read_u32(&r), types = read_u32(&r), types_size = read_u32(&r);
	const uint64_t strings = read_u32(&r), strings_size = read_u32(&r);
	if (!reader_ok(&r) || !known || header < HEADER_MIN)
		return;
	const struct btf b = { a, s, bytes_sub(all, header + strings, strings_size) };
	attr_btf_put(&b, 0, header, STR("(BTF other types)"));
	put_types(&b, bytes_sub(all, header + types, types_size), header + types);
	attr_btf_put(&b, header + strings, strings_size, STR("(BTF strings)"));
}
