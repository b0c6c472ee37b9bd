/* Reads the indexes of .dwp packages and makes the dwarf of one of their units. */
#include "debug/dwarf_const.h"
#include "debug/package.h"

/* Returns the section of a column, by its number DW_SECT_* (DWARF 5, 7.3.5.3; GNU's version 2). */
static enum dw_section column_section(uint16_t version, uint32_t id)
{
	static const enum dw_section of5[] = {
		[1] = DW_INFO,     [2] = DW_SECTIONS,    [3] = DW_ABBREV, [4] = DW_LINE,
		[5] = DW_LOCLISTS, [6] = DW_STR_OFFSETS, [7] = DW_MACRO,  [8] = DW_RNGLISTS
	};
	static const enum dw_section of2[] = {
		[1] = DW_INFO, [2] = DW_TYPES,       [3] = DW_ABBREV,  [4] = DW_LINE,
		[5] = DW_LOC,  [6] = DW_STR_OFFSETS, [7] = DW_MACINFO, [8] = DW_MACRO
	};
	if (id == 0 || id >= COUNT_OF(of5))
		return DW_SECTIONS;
	return version >= 5 ? of5[id] : of2[id];
}

/* Reads the header. False if its counts do not fit the section. */
static bool package_read_header(struct package_index *p, struct reader *r)
{
	/* The version has 4 bytes in version 2. In version 5 it has 2 bytes, and 2 bytes of padding
	 * follow. */
	struct reader two = *r;
	p->version = read_u32(r) == 2 ? 2 : read_u16(&two);
	p->columns = read_u32(r);
	p->units = read_u32(r);
	p->slots = read_u32(r);
	if (!reader_ok(r) ||
	    (p->version != 2 && p->version != 5 && p->version != DW_VERSION_NEXT) ||
	    p->columns > PACKAGE_COLUMNS || p->units > p->slots || (p->slots & (p->slots - 1)) != 0)
		return false;
	const uint64_t row = (uint64_t)p->columns * 4;
	const uint64_t need = (uint64_t)p->slots * 12 + row + 2 * row * p->units;
	if (need > reader_left(r))
		return false;
	p->rows_off = r->pos + (uint64_t)p->slots * 8;
	p->offsets_off = p->rows_off + (uint64_t)p->slots * 4 + row;
	p->sizes_off = p->offsets_off + row * p->units;
	return true;
}

bool package_open(struct package_index *p, struct dwarf *d, enum dw_section which)
{
	ASSERT(which == DW_CU_INDEX || which == DW_TU_INDEX);
	memset(p, 0, sizeof *p);
	p->bytes = dwarf_bytes(d, which);
	p->big_endian = d->big_endian;
	if (p->bytes.size == 0)
		return false;
	struct reader r = reader_of(p->bytes, p->big_endian);
	if (!package_read_header(p, &r)) {
		note(d->notes, d->path, HEFT_NO_OFFSET, p->bytes.size,
		     "section %s is damaged at its start", dw_section_name(which));
		memset(p, 0, sizeof *p);
		return false;
	}
	reader_seek(&r, p->rows_off + (uint64_t)p->slots * 4);
	for (uint32_t i = 0; i < p->columns; i++)
		p->column_of[i] = column_section(p->version, read_u32(&r));
	return true;
}

/* Returns entry `i` of the table of numbers at `table`, which fits the section. */
static uint64_t entry(const struct package_index *p, uint64_t table, uint64_t i, unsigned width)
{
	struct reader r = reader_at(p->bytes, p->big_endian, table + i * width);
	return read_uint(&r, width);
}

static uint64_t slot_signature(const struct package_index *p, uint32_t i)
{
	return entry(p, p->rows_off - (uint64_t)p->slots * 8, i, 8);
}

/* Returns the row of a slot of the hash table, from 1. 0 if the slot is empty. */
static uint64_t slot_row(const struct package_index *p, uint32_t i)
{
	return entry(p, p->rows_off, i, 4);
}

static bool package_read_unit(const struct package_index *p, uint64_t row, struct package_unit *ret)
{
	if (row == 0 || row > p->units)
		return false;
	memset(ret, 0, sizeof *ret);
	ret->row = (uint32_t)row - 1;
	for (uint32_t i = 0; i < p->columns; i++) {
		const enum dw_section in = p->column_of[i];
		const uint64_t at = (uint64_t)ret->row * p->columns + i;
		if (in == DW_SECTIONS || ret->parts[in].present)
			continue;
		ret->parts[in].off = entry(p, p->offsets_off, at, 4);
		ret->parts[in].size = entry(p, p->sizes_off, at, 4);
		ret->parts[in].present = true;
	}
	return true;
}

bool package_slot(const struct package_index *p, uint32_t i, uint64_t *ret_signature,
		  struct package_unit *ret)
{
	ASSERT(i < p->slots);
	if (!package_read_unit(p, slot_row(p, i), ret))
		return false;
	*ret_signature = slot_signature(p, i);
	return true;
}

/* Greatest number of slots that a look-up in the hash table tests. The step between them is odd, so
 * all slots come in turn. A third of the slots is empty (7.3.5.3), so only a malicious package
 * needs more. */
enum { PROBES_MAX = 4096 };

bool package_find(const struct package_index *p, uint64_t signature, struct package_unit *ret)
{
	const uint32_t mask = p->slots - 1;
	const uint32_t step = ((uint32_t)(signature >> 32) & mask) | 1;
	uint32_t at = (uint32_t)signature & mask;
	for (uint64_t left = min_u64(p->slots, PROBES_MAX); left > 0; left--) {
		const uint64_t row = slot_row(p, at);
		if (row == 0)
			return false;
		if (slot_signature(p, at) == signature)
			return package_read_unit(p, row, ret);
		at = (at + step) & mask;
	}
	return false;
}

static bool package_is_shared(enum dw_section which)
{
	return which == DW_STR || which == DW_LINE_STR;
}

static void package_load(struct dwarf *d, enum dw_section which, struct notes *notes)
{
	struct package_dwarf *p = d->load_ctx;
	if (package_is_shared(which)) {
		d->bytes[which] = dwarf_bytes(p->whole, which);
	} else if (p->unit.parts[which].present) {
		const uint64_t off = p->unit.parts[which].off, size = p->unit.parts[which].size;
		d->bytes[which] = bytes_sub(dwarf_bytes(p->whole, which), off, size);
		if (d->bytes[which].size != size)
			note(notes, d->path, HEFT_NO_OFFSET, size,
			     "the index of the package names bytes outside of %s",
			     dw_section_name(which));
	}
}

void package_dwarf_init(struct package_dwarf *p, struct dwarf *whole,
			const struct package_unit *unit)
{
	memset(p, 0, sizeof *p);
	p->whole = whole;
	p->unit = *unit;
	p->dwarf = (struct dwarf){ .path = whole->path,
				   .big_endian = whole->big_endian,
				   .split = true,
				   .zero_is_code = whole->zero_is_code,
				   .load = package_load,
				   .load_ctx = p,
				   .notes = whole->notes };
	/* Sets the size of the unit's part of each section. 0 if the index exceeds the section.
	 * Some sections have no parts: all units use the whole. */
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		const uint64_t off = unit->parts[i].off, size = unit->parts[i].size;
		const uint64_t all = whole->size[i];
		if (package_is_shared((enum dw_section)i))
			p->dwarf.size[i] = all;
		else if (unit->parts[i].present && off <= all && size <= all - off)
			p->dwarf.size[i] = size;
	}
}
