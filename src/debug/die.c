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

static uint64_t read_fixed(struct reader *r, unsigned size)
{
	if (size == 3)
		return read_wide(r, 3);
	if (size == 16) {
		read_skip(r, 16);
		return 0;
	}
	return read_uint(r, size);
}

static enum value_kind die_kind_of(uint16_t form)
{
	switch (form) {
	case DW_FORM_addr: return VALUE_ADDR;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index: return VALUE_ADDRX;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc: return VALUE_BLOCK;
	case DW_FORM_string: return VALUE_CSTR;
	case DW_FORM_strp: return VALUE_STRP;
	case DW_FORM_line_strp: return VALUE_LINE_STRP;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index: return VALUE_STRX;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt: return VALUE_STRP_SUP;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata: return VALUE_REF;
	case DW_FORM_ref_addr: return VALUE_REF_INFO;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: return VALUE_REF_SUP;
	case DW_FORM_ref_sig8: return VALUE_REF_TYPE;
	case DW_FORM_sec_offset: return VALUE_OFFSET;
	case DW_FORM_loclistx: return VALUE_LOCLISTX;
	case DW_FORM_rnglistx: return VALUE_RNGLISTX;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const: return VALUE_SINT;
	case DW_FORM_data16: return VALUE_NONE;
	default: return VALUE_UINT;
	}
}

static struct bytes die_take(struct reader *r, uint64_t size)
{
	const uint8_t *p = read_take(r, size);
	return p ? (struct bytes){ p, size } : (struct bytes){ NULL, 0 };
}

/* Reads forms whose data states the size. */
static void die_read_varying(struct reader *r, uint16_t form, struct value *v)
{
	switch (form) {
	case DW_FORM_string: {
		const struct str s = read_cstr(r);
		v->block = (struct bytes){ (const uint8_t *)s.p, s.len };
		break;
	}
	case DW_FORM_block1: v->block = die_take(r, read_u8(r)); break;
	case DW_FORM_block2: v->block = die_take(r, read_u16(r)); break;
	case DW_FORM_block4: v->block = die_take(r, read_u32(r)); break;
	case DW_FORM_block:
	case DW_FORM_exprloc: v->block = die_take(r, read_uleb(r)); break;
	case DW_FORM_sdata: v->u = (uint64_t)read_sleb(r); break;
	default: v->u = read_uleb(r); break;
	}
}

void die_value(const struct unit *u, struct reader *r, const struct abbrev_attr *a,
	       struct value *ret)
{
	uint16_t form = a->form;
	unsigned size;
	*ret = (struct value){ VALUE_NONE, 0, { NULL, 0 } };
	/* A form in the data must not be another indirection, nor a constant of the table. */
	if (form == DW_FORM_indirect) {
		form = (uint16_t)read_uleb(r);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			reader_fail(r);
	}
	ret->kind = die_kind_of(form);
	if (form == DW_FORM_implicit_const)
		ret->u = (uint64_t)a->value;
	else if (form == DW_FORM_flag_present)
		ret->u = 1;
	else if (form_size(form, u->abbrevs->sizes, &size))
		ret->u = read_fixed(r, size);
	else
		die_read_varying(r, form, ret);
	if (ret->kind == VALUE_REF)
		ret->u = add_sat(ret->u, u->off);
	if (!reader_ok(r))
		*ret = (struct value){ VALUE_NONE, 0, { NULL, 0 } };
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

/* Returns a string. Strings may share their ends. A string that is longer than compilers write, and
 * begins inside another string, is not read: see reader.h. */
static bool die_string_at(struct dwarf *d, enum dw_section table, uint64_t off, struct str *ret)
{
	enum { MOST = 16 << 10 };
	const struct bytes all = d ? dwarf_bytes(d, table) : (struct bytes){ NULL, 0 };
	const bool inside = off > 0 && off < all.size && all.p[off - 1] != 0;
	uint64_t most = inside ? MOST : UINT64_MAX;
	return names_take(all, off, &most, ret);
}

bool value_string(const struct unit *u, const struct value *v, struct str *ret)
{
	uint64_t off;
	switch (v->kind) {
	case VALUE_CSTR:
		*ret = (struct str){ (const char *)v->block.p, v->block.size };
		return true;
	case VALUE_STRP: return die_string_at(u->dwarf, DW_STR, v->u, ret);
	case VALUE_LINE_STRP: return die_string_at(u->dwarf, DW_LINE_STR, v->u, ret);
	case VALUE_STRP_SUP: return die_string_at(u->dwarf->sup, DW_STR, v->u, ret);
	case VALUE_STRX:
		return unit_strx(u, v->u, &off) && die_string_at(u->dwarf, DW_STR, off, ret);
	default: return false;
	}
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
