/* Reads debugging information entries and the values of their attributes. */
#include "debug/die.h"

struct reader unit_reader(const struct unit *u, uint64_t off)
{
	struct bytes b = dwarf_bytes(u->dwarf, u->in);
	b.size = min_u64(b.size, unit_end(u));
	struct reader r = reader_of(b, u->dwarf->big_endian);
	reader_seek(&r, off);
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

/* ---- values -------------------------------------------------------------------------------- */

void die_value(const struct unit *u, struct reader *r, const struct abbrev_attr *a,
	       struct value *ret)
{
	value_read(r, a->form, u->abbrevs->sizes, ret);
	if (ret->kind == VALUE_REF)
		ret->u = add_sat(ret->u, u->off);
	else if (a->form == DW_FORM_implicit_const)
		ret->u = (uint64_t)a->value;
}

/* ---- walking steps --------------------------------------------------------------------------- */

static void skip_step(const struct unit *u, struct reader *r, enum walk_kind kind)
{
	switch (kind) {
	case WALK_NOTHING: break;
	case WALK_ULEB:
	case WALK_STRX:
	case WALK_LOCLISTX:
	case WALK_RNGLISTX: skip_leb(r); break;
	case WALK_CSTR: read_cstr(r); break;
	case WALK_BLOCK1:
	case WALK_LOCATION1: read_skip(r, read_u8(r)); break;
	case WALK_BLOCK2: read_skip(r, read_u16(r)); break;
	case WALK_BLOCK4: read_skip(r, read_u32(r)); break;
	case WALK_BLOCK:
	case WALK_LOCATION: read_skip(r, read_uleb(r)); break;
	case WALK_INDIRECT: {
		const struct abbrev_attr any = { .form = DW_FORM_indirect };
		struct value v;
		die_value(u, r, &any, &v);
		break;
	}
	case WALK_STRP:
	case WALK_LINE_STRP:
	case WALK_LOC:
	case WALK_RANGES: read_skip(r, u->offset_size); break;
	case WALK_STRX1: read_skip(r, 1); break;
	case WALK_STRX2: read_skip(r, 2); break;
	case WALK_STRX3: read_skip(r, 3); break;
	case WALK_STRX4: read_skip(r, 4); break;
	}
}

void die_skip(const struct unit *u, struct reader *r, const struct abbrev *a)
{
	for (uint32_t i = 0; i < a->steps; i++) {
		const struct walk_step *s = &u->abbrevs->steps.data[a->step + i];
		read_skip(r, s->skip);
		skip_step(u, r, s->kind);
	}
}

/* ---- what values mean ------------------------------------------------------------------------ */

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
