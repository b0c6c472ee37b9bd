/* Finds the size of a variable by its type (DWARF 5, chapter 5). */
#include "debug/die.h"

/* An entry on the way from a variable to the type that states its size */
struct type_size_type {
	uint16_t tag;
	bool children;
	struct value next; /* Next entry: the type, the specification or the abstract origin */
	struct value size, count, upper;
};

static bool type_size_read(const struct unit *u, uint64_t off, struct type_size_type *t,
			   struct reader *r)
{
	struct die d;
	memset(t, 0, sizeof *t);
	if (off < u->die_off || off >= unit_end(u))
		return false;
	*r = unit_reader(u, off);
	if (!die_next(u, r, &d) || !d.abbrev)
		return false;
	t->tag = d.abbrev->tag;
	t->children = d.abbrev->children;
	for (unsigned i = 0; i < d.abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(u, &d, i);
		struct value v;
		die_value(u, r, a, &v);
		switch (a->name) {
		case DW_AT_type: t->next = v; break;
		case DW_AT_specification:
		case DW_AT_abstract_origin:
			if (t->next.kind == VALUE_NONE)
				t->next = v;
			break;
		case DW_AT_byte_size: t->size = v; break;
		case DW_AT_count: t->count = v; break;
		case DW_AT_upper_bound: t->upper = v; break;
		default: break;
		}
	}
	return reader_ok(r);
}

enum { DIMENSIONS_MAX = 16, STEPS_MAX = 32 };

/* Returns the number of elements of an array, from its dimensions. 0 if one is unknown. */
static uint64_t array_count(const struct unit *u, struct reader *r)
{
	uint64_t count = 1;
	for (unsigned i = 0; i < DIMENSIONS_MAX; i++) {
		struct type_size_type t;
		const uint64_t off = r->pos;
		if (!type_size_read(u, off, &t, r) || t.tag != DW_TAG_subrange_type)
			return i > 0 ? count : 0;
		const uint64_t n = t.count.kind != VALUE_NONE   ? value_number(&t.count)
				   : t.upper.kind != VALUE_NONE ? value_number(&t.upper) + 1
								: 0;
		if (n == 0 || count > UINT32_MAX || n > UINT32_MAX)
			return 0;
		count *= n;
	}
	return count;
}

bool variable_size(const struct unit *u, uint64_t die_off, uint64_t *ret)
{
	ASSERT(die_off >= u->die_off);
	uint64_t count = 1, off = die_off;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		struct type_size_type t;
		struct reader r;
		if (!type_size_read(u, off, &t, &r))
			return false;
		const uint64_t size = value_number(&t.size);
		if (size > 0 || t.tag == DW_TAG_pointer_type || t.tag == DW_TAG_reference_type) {
			const uint64_t bytes = size > 0 ? size : u->address_size;
			*ret = count * bytes;
			return bytes <= UINT32_MAX && count <= UINT32_MAX;
		}
		if (t.tag == DW_TAG_array_type)
			count *= t.children ? array_count(u, &r) : 0;
		if (count == 0 || count > UINT32_MAX || t.next.kind != VALUE_REF)
			return false;
		off = t.next.u;
	}
	return false;
}
