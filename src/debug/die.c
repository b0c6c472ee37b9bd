/* Reads debugging information entries and the values of their attributes. */
#include "debug/die.h"

struct reader unit_reader(const struct unit *u, uint64_t off)
{
	struct bytes b = dwarf_bytes(u->dwarf, u->in);
	b.size = min_u64(b.size, unit_end(u));
	struct reader r = reader_at(b, u->dwarf->big_endian, off);
	return r;
}

bool die_next(const struct unit *u, struct reader *r, struct die *ret)
{
	ASSERT(u->abbrevs);
	if (reader_left(r) == 0)
		return false;
	ret->off = r->pos;
	ret->abbrev = NULL;
	const uint64_t code = read_uleb(r);
	if (code == 0)
		return reader_ok(r);
	ret->abbrev = abbrevs_find(u->abbrevs, code);
	if (!ret->abbrev)
		reader_fail(r);
	return reader_ok(r);
}

void die_value(const struct unit *u, struct reader *r, const struct abbrev_attr *a,
	       struct value *ret)
{
	value_read(r, a->form, u->abbrevs->sizes, ret);
	if (ret->kind == VALUE_REF)
		ret->u = add_sat(ret->u, u->off);
	else if (a->form == DW_FORM_implicit_const)
		ret->u = (uint64_t)a->value;
}

bool value_string(const struct unit *u, const struct value *v, struct str *ret)
{
	return value_text(u->dwarf, u->str_offsets_base, u->offset_size, v, ret);
}

bool value_addr(const struct unit *u, const struct value *v, uint64_t *ret)
{
	ASSERT(u->address_size >= 1 && u->address_size <= 8);
	if (v->kind == VALUE_ADDRX)
		return unit_addrx(u, v->u, ret);
	*ret = v->u;
	return v->kind == VALUE_ADDR;
}

uint64_t value_number(const struct value *v)
{
	const bool number = v->kind == VALUE_UINT || v->kind == VALUE_SINT ||
			    v->kind == VALUE_OFFSET;
	return number ? v->u : 0;
}

void die_code_take(struct die_code *c, uint16_t name, const struct value *v)
{
	if (name == DW_AT_low_pc)
		c->low = *v;
	else if (name == DW_AT_high_pc)
		c->high = *v;
	else if (name == DW_AT_ranges)
		c->ranges = *v;
}
