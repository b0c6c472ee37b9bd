/* Reads the headers of units, and their first entries. */
#include "debug/dwarf_const.h"
#include "debug/unit.h"

#include "debug/die.h"
#include "debug/line.h"
#include "debug/path.h"

static void read_header_5(struct reader *r, struct unit *u)
{
	u->type = read_u8(r);
	u->address_size = read_u8(r);
	u->abbrev_off = read_uint(r, u->offset_size);
	switch (u->type) {
	case DW_UT_skeleton:
	case DW_UT_split_compile: u->signature = read_u64(r); break;
	case DW_UT_type:
	case DW_UT_split_type:
		u->signature = read_u64(r);
		u->type_off = read_uint(r, u->offset_size);
		break;
	default: break;
	}
}

static void read_header_4(struct reader *r, struct unit *u)
{
	u->abbrev_off = read_uint(r, u->offset_size);
	u->address_size = read_u8(r);
	u->type = DW_UT_compile;
	if (u->in != DW_TYPES)
		return;
	u->type = DW_UT_type;
	u->signature = read_u64(r);
	u->type_off = read_uint(r, u->offset_size);
}

static bool unit_read_header(struct reader *r, struct unit *u)
{
	const uint64_t start = r->pos;
	uint64_t length = read_initial_length(r, &u->offset_size);
	if (!reader_ok(r) || length > reader_left(r))
		return false;
	u->size = r->pos - start + length;
	struct reader body = *r;
	body.size = r->pos + length;
	u->version = read_u16(&body);
	if (u->version >= 5)
		read_header_5(&body, u);
	else
		read_header_4(&body, u);
	u->die_off = body.pos;
	r->pos = start + u->size;
	return reader_ok(&body);
}

/* Number of bytes of a section to request at a time. */
enum { AHEAD = 2 * UNIT_HEAD };

/* Skips zeros, with which compilers and linkers align units. */
static void unit_skip_padding(struct dwarf *d, enum dw_section in, struct reader *r)
{
	for (uint64_t ready = 0; reader_left(r) >= 4;) {
		if (r->pos >= ready) {
			ready = r->pos + AHEAD / 2;
			dwarf_pass(d, in, r->pos, r->pos + AHEAD);
			dwarf_part(d, in, r->pos, r->pos + AHEAD);
		}
		struct reader peek = *r;
		if (read_u32(&peek) != 0)
			return;
		*r = peek;
	}
}

/* True if the unit is read for the first time. Several passes read a unit, but only the first adds
 * a note. */
static bool is_first_told(const struct unit *u)
{
	const struct dwarf *d = u->dwarf;
	return note_is_first(d->notes, d->path, (uint64_t)u->in << 56 ^ u->off);
}

bool unit_next(struct dwarf *d, enum dw_section in, uint64_t *off, struct unit *ret)
{
	if (dwarf_is_package(d))
		return false;
	struct reader r = dwarf_reader(d, in);
	struct notes *const notes = d->notes;
	reader_seek(&r, *off);
	for (;;) {
		unit_skip_padding(d, in, &r);
		if (!reader_ok(&r) || reader_left(&r) < 4)
			return false;
		memset(ret, 0, sizeof *ret);
		ret->dwarf = d;
		ret->in = in;
		ret->off = r.pos;
		if (!unit_read_header(&r, ret)) {
			*off = r.size;
			if (is_first_told(ret))
				note(notes, d->path, HEFT_NO_OFFSET, r.size - ret->off,
				     "a unit has a damaged header at %s+0x%" PRIx64
				     "; it and what follows is left out",
				     dw_section_name(in), ret->off);
			return false;
		}
		*off = r.pos;
		const bool sizes = ret->address_size >= 1 && ret->address_size <= 8;
		ASSERT(*off > ret->off && ret->off + ret->size == *off);
		/* Working drafts of version 6 have the headers of version 5. */
		if (ret->version == DW_VERSION_NEXT && sizes && is_first_told(ret))
			note(notes, d->path, HEFT_NO_OFFSET, ret->size,
			     "a unit of DWARF version %u is read as one of version 5",
			     ret->version);
		if (ret->version >= 2 && ret->version <= DW_VERSION_NEXT && sizes)
			return true;
		if (is_first_told(ret))
			note(notes, d->path, HEFT_NO_OFFSET, ret->size,
			     "a unit of DWARF version %u is left out", ret->version);
	}
}

struct top {
	struct value name, comp_dir, dwo_name, producer, low_pc;
};

static void take_top(struct unit *u, struct top *t, uint16_t name, const struct value *v)
{
	switch (name) {
	case DW_AT_name: t->name = *v; break;
	case DW_AT_comp_dir: t->comp_dir = *v; break;
	case DW_AT_producer: t->producer = *v; break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name: t->dwo_name = *v; break;
	case DW_AT_low_pc: t->low_pc = *v; break;
	case DW_AT_stmt_list: u->line_off = value_number(v); break;
	case DW_AT_str_offsets_base: u->str_offsets_base = value_number(v); break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base: u->addr_base = value_number(v); break;
	case DW_AT_rnglists_base: u->rnglists_base = value_number(v); break;
	case DW_AT_loclists_base: u->loclists_base = value_number(v); break;
	case DW_AT_GNU_ranges_base: u->ranges_base = value_number(v); break;
	case DW_AT_macros:
	case DW_AT_GNU_macros:
	case DW_AT_macro_info: u->macro_off = value_number(v); break;
	case DW_AT_GNU_dwo_id: u->signature = value_number(v); break;
	case DW_AT_language: u->language = value_number(v); break;
	default: break;
	}
}

/* Sets the bases that a split unit does not state. Its tables start after the header of the first
 * contribution (7.3.2.2). GNU's version 4 has no headers. */
static void default_bases(struct unit *u)
{
	const uint64_t header = u->offset_size == 8 ? 16 : 8;
	const bool five = u->version >= 5;
	if (u->dwarf->split && u->str_offsets_base == DW_NO_OFFSET)
		u->str_offsets_base = five ? header : 0;
	if (u->dwarf->split && five && u->rnglists_base == DW_NO_OFFSET)
		u->rnglists_base = header + 4;
	if (u->dwarf->split && five && u->loclists_base == DW_NO_OFFSET)
		u->loclists_base = header + 4;
}

bool unit_open(struct unit *u, struct abbrev_cache *cache, const struct unit *skeleton)
{
	ASSERT(u->dwarf && u->version >= 2 && u->address_size >= 1 && u->address_size <= 8);
	struct top t = { 0 };
	struct die top = { 0 };
	u->line_off = u->str_offsets_base = u->addr_base = u->rnglists_base = DW_NO_OFFSET;
	u->loclists_base = u->ranges_base = u->macro_off = DW_NO_OFFSET;
	u->name = u->comp_dir = u->dwo_name = u->producer = STR("");
	u->has_low_pc = false;
	u->tag = 0;
	u->skeleton = skeleton;
	u->abbrevs = abbrevs_get(
		cache, u->dwarf, u->abbrev_off,
		(struct form_sizes){ u->version, u->address_size, u->offset_size });
	struct reader r = unit_reader(u, u->die_off);
	if (!u->abbrevs || !die_next(u, &r, &top) || !top.abbrev) {
		note(u->dwarf->notes, u->dwarf->path, HEFT_NO_OFFSET, u->size,
		     "a unit cannot be read (%s+0x%" PRIx64 "): its abbreviations are missing",
		     dw_section_name(u->in), u->off);
		return false;
	}
	u->tag = top.abbrev->tag;
	for (unsigned i = 0; i < top.abbrev->count; i++) {
		struct value v;
		const struct abbrev_attr *a = die_attr(u, &top, i);
		die_value(u, &r, a, &v);
		take_top(u, &t, a->name, &v);
	}
	default_bases(u);
	value_string(u, &t.name, &u->name);
	value_string(u, &t.comp_dir, &u->comp_dir);
	value_string(u, &t.dwo_name, &u->dwo_name);
	value_string(u, &t.producer, &u->producer);
	u->has_low_pc = value_addr(u, &t.low_pc, &u->low_pc);
	if (u->version < 5 && u->type == DW_UT_compile && u->tag == DW_TAG_partial_unit)
		u->type = DW_UT_partial;
	ASSERT(u->abbrevs && u->die_off < unit_end(u));
	return true;
}

bool unit_addrx(const struct unit *u, uint64_t index, uint64_t *ret)
{
	const struct unit *holder = u->skeleton ? u->skeleton : u;
	return dwarf_entry(holder->dwarf, DW_ADDR, holder->addr_base, index, u->address_size, ret);
}

bool unit_strx(const struct unit *u, uint64_t index, uint64_t *ret_off)
{
	return dwarf_entry(u->dwarf, DW_STR_OFFSETS, u->str_offsets_base, index, u->offset_size,
			   ret_off);
}

/* Adds the path of file 0 of the line program. Since version 5, that is the unit's source. False
 * for earlier versions, where file 1 may be a header. */
static bool primary_file(const struct unit *u, struct text *out)
{
	struct line_program p;
	if (u->line_off == DW_NO_OFFSET || !line_open(&p, u->dwarf, u->line_off, u->address_size,
						      u->comp_dir, u->str_offsets_base))
		return false;
	const bool ok = p.version >= 5 && line_path(&p, 0, out) && out->len > 0;
	line_release(&p);
	return ok;
}

bool unit_name(const struct unit *u, struct text *out)
{
	const struct unit *skeleton = u->skeleton ? u->skeleton : u;
	const struct str dir = u->comp_dir.len > 0 ? u->comp_dir : skeleton->comp_dir;
	if (u->name.len > 0) {
		path_join(out, dir, STR(""), u->name);
		return true;
	}
	if ((u->tag == DW_TAG_compile_unit || u->tag == DW_TAG_skeleton_unit) &&
	    primary_file(u, out))
		return true;
	if (u->dwo_name.len > 0)
		path_join(out, dir, STR(""), u->dwo_name);
	return u->dwo_name.len > 0;
}
