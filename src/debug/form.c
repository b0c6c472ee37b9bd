/* Reads values by their form. */
#include "debug/form.h"

const struct form forms_standard[FORM_STANDARD] = {
	[0] = { FORM_UNKNOWN, VALUE_NONE },
	[0x02] = { FORM_UNKNOWN, VALUE_NONE },
	[DW_FORM_addr] = { FORM_ADDRESS, VALUE_ADDR },
	[DW_FORM_block2] = { FORM_BLOCK2, VALUE_BLOCK },
	[DW_FORM_block4] = { FORM_BLOCK4, VALUE_BLOCK },
	[DW_FORM_data2] = { 2, VALUE_UINT },
	[DW_FORM_data4] = { 4, VALUE_UINT },
	[DW_FORM_data8] = { 8, VALUE_UINT },
	[DW_FORM_string] = { FORM_CSTR, VALUE_CSTR },
	[DW_FORM_block] = { FORM_BLOCK, VALUE_BLOCK },
	[DW_FORM_block1] = { FORM_BLOCK1, VALUE_BLOCK },
	[DW_FORM_data1] = { 1, VALUE_UINT },
	[DW_FORM_flag] = { 1, VALUE_UINT },
	[DW_FORM_sdata] = { FORM_SLEB, VALUE_SINT },
	[DW_FORM_strp] = { FORM_OFFSET, VALUE_STRP },
	[DW_FORM_udata] = { FORM_ULEB, VALUE_UINT },
	[DW_FORM_ref_addr] = { FORM_REF_ADDR, VALUE_REF_INFO },
	[DW_FORM_ref1] = { 1, VALUE_REF },
	[DW_FORM_ref2] = { 2, VALUE_REF },
	[DW_FORM_ref4] = { 4, VALUE_REF },
	[DW_FORM_ref8] = { 8, VALUE_REF },
	[DW_FORM_ref_udata] = { FORM_ULEB, VALUE_REF },
	[DW_FORM_indirect] = { FORM_INDIRECT, VALUE_NONE },
	[DW_FORM_sec_offset] = { FORM_OFFSET, VALUE_OFFSET },
	[DW_FORM_exprloc] = { FORM_BLOCK, VALUE_BLOCK },
	[DW_FORM_flag_present] = { 0, VALUE_UINT },
	[DW_FORM_strx] = { FORM_ULEB, VALUE_STRX },
	[DW_FORM_addrx] = { FORM_ULEB, VALUE_ADDRX },
	[DW_FORM_ref_sup4] = { 4, VALUE_REF_SUP },
	[DW_FORM_strp_sup] = { FORM_OFFSET, VALUE_STRP_SUP },
	[DW_FORM_data16] = { FORM_FIXED, VALUE_NONE },
	[DW_FORM_line_strp] = { FORM_OFFSET, VALUE_LINE_STRP },
	[DW_FORM_ref_sig8] = { 8, VALUE_REF_TYPE },
	[DW_FORM_implicit_const] = { 0, VALUE_SINT },
	[DW_FORM_loclistx] = { FORM_ULEB, VALUE_LOCLISTX },
	[DW_FORM_rnglistx] = { FORM_ULEB, VALUE_RNGLISTX },
	[DW_FORM_ref_sup8] = { 8, VALUE_REF_SUP },
	[DW_FORM_strx1] = { 1, VALUE_STRX },
	[DW_FORM_strx2] = { 2, VALUE_STRX },
	[DW_FORM_strx3] = { 3, VALUE_STRX },
	[DW_FORM_strx4] = { 4, VALUE_STRX },
	[DW_FORM_addrx1] = { 1, VALUE_ADDRX },
	[DW_FORM_addrx2] = { 2, VALUE_ADDRX },
	[DW_FORM_addrx3] = { 3, VALUE_ADDRX },
	[DW_FORM_addrx4] = { 4, VALUE_ADDRX },
};

struct form form_other(uint16_t form)
{
	switch (form) {
	case DW_FORM_GNU_addr_index: return forms_standard[DW_FORM_addrx];
	case DW_FORM_GNU_str_index: return forms_standard[DW_FORM_strx];
	case DW_FORM_GNU_ref_alt: return (struct form){ FORM_OFFSET, VALUE_REF_SUP };
	case DW_FORM_GNU_strp_alt: return forms_standard[DW_FORM_strp_sup];
	default: return (struct form){ FORM_UNKNOWN, VALUE_NONE };
	}
}

static void block_read(struct reader *r, uint64_t size, struct bytes *ret)
{
	const uint8_t *p = read_take(r, size);
	*ret = (struct bytes){ p, p ? size : 0 };
}

static void varying_read(struct reader *r, enum form_data data, struct value *v)
{
	switch (data) {
	case FORM_ULEB: v->u = read_uleb(r); break;
	case FORM_SLEB: v->u = (uint64_t)read_sleb(r); break;
	case FORM_CSTR: {
		const struct str s = read_cstr(r);
		v->block = (struct bytes){ (const uint8_t *)s.p, s.len };
		break;
	}
	case FORM_BLOCK1: block_read(r, read_u8(r), &v->block); break;
	case FORM_BLOCK2: block_read(r, read_u16(r), &v->block); break;
	case FORM_BLOCK4: block_read(r, read_u32(r), &v->block); break;
	case FORM_BLOCK: block_read(r, read_uleb(r), &v->block); break;
	default: reader_fail(r); break;
	}
}

void value_read(struct reader *r, uint16_t form, struct form_sizes s, struct value *ret)
{
	ASSERT(s.offset_size == 4 || s.offset_size == 8);
	struct form f = form_find(form);
	unsigned size;
	if (UNLIKELY(f.data == FORM_INDIRECT)) /* A second indirection is damage */
		f = form_find(read_form(r));
	*ret = (struct value){ (enum value_kind)f.kind, 0, { NULL, 0 } };
	if (!form_size(f, s, &size))
		varying_read(r, (enum form_data)f.data, ret);
	else if (size == 0)
		ret->u = 1; /* For DW_FORM_flag_present */
	else if (size == FORM_FIXED)
		read_skip(r, FORM_FIXED); /* heft does not use 16-byte numbers */
	else
		ret->u = size == 3 ? read_wide(r, 3) : read_uint(r, size);
	if (UNLIKELY(!reader_ok(r)))
		*ret = (struct value){ VALUE_NONE, 0, { NULL, 0 } };
}

/* Finds the string at `off`. Fails if an overlong one begins inside another (see reader.h). */
static bool string_at(struct dwarf *d, enum dw_section table, uint64_t off, struct str *ret)
{
	enum { MOST = 16 << 10 };
	const struct bytes all = d ? dwarf_bytes(d, table) : (struct bytes){ NULL, 0 };
	const bool inside = off > 0 && off < all.size && all.p[off - 1] != 0;
	uint64_t most = inside ? MOST : UINT64_MAX;
	return names_take(all, off, &most, ret);
}

bool value_text(struct dwarf *d, uint64_t base, unsigned offset_size, const struct value *v,
		struct str *ret)
{
	uint64_t off;
	switch (v->kind) {
	case VALUE_CSTR:
		*ret = (struct str){ (const char *)v->block.p, v->block.size };
		return true;
	case VALUE_STRP: return string_at(d, DW_STR, v->u, ret);
	case VALUE_LINE_STRP: return string_at(d, DW_LINE_STR, v->u, ret);
	case VALUE_STRP_SUP: return string_at(d->sup, DW_STR, v->u, ret);
	case VALUE_STRX:
		return dwarf_entry(d, DW_STR_OFFSETS, base, v->u, offset_size, &off) &&
		       string_at(d, DW_STR, off, ret);
	default: return false;
	}
}
