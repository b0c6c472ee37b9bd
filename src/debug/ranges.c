/* Reads range lists: .debug_ranges (DWARF 4, 2.17.3), .debug_rnglists (DWARF 5, 2.17.3, 7.25). */
#include "debug/die.h"

/* State of reading a list. */
struct ranges {
	const struct unit *unit;
	struct reader r;
	uint64_t base;
	range_fn fn;
	void *ctx;
	size_t count;
	uint64_t *budget; /* Number of entries that may still be read */
};

static bool ranges_is_tombstone(const struct ranges *s, uint64_t addr)
{
	return dwarf_is_tombstone(s->unit->dwarf, addr, s->unit->address_size);
}

static void ranges_emit(struct ranges *s, uint64_t start, uint64_t end)
{
	ASSERT(s->unit);
	if (end <= start || ranges_is_tombstone(s, start))
		return;
	s->count++;
	s->fn(s->ctx, start, end - start);
}

/* Reports a range whose addresses count from the base, unless the base marks removed code. */
static void emit_pair(struct ranges *s, uint64_t start, uint64_t end)
{
	if (s->base != 0 && ranges_is_tombstone(s, s->base))
		return;
	ranges_emit(s, add_sat(s->base, start), add_sat(s->base, end));
}

static void read_list_4(struct ranges *s)
{
	const unsigned size = s->unit->address_size;
	const uint64_t select = size >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
	for (; *s->budget > 0; --*s->budget) {
		const uint64_t start = read_uint(&s->r, size), end = read_uint(&s->r, size);
		if (!reader_ok(&s->r) || (start == 0 && end == 0))
			return;
		if (start == select)
			s->base = end;
		else
			emit_pair(s, start, end);
	}
}

static uint64_t indexed(struct ranges *s)
{
	uint64_t addr = 0;
	if (!unit_addrx(s->unit, read_uleb(&s->r), &addr))
		return 0;
	return addr;
}

static void read_list_5(struct ranges *s)
{
	const unsigned size = s->unit->address_size;
	uint64_t start;
	for (; reader_ok(&s->r) && *s->budget > 0; --*s->budget) {
		switch (read_u8(&s->r)) {
		case DW_RLE_end_of_list: return;
		case DW_RLE_base_addressx: s->base = indexed(s); break;
		case DW_RLE_base_address: s->base = read_uint(&s->r, size); break;
		case DW_RLE_startx_endx:
			start = indexed(s);
			ranges_emit(s, start, indexed(s));
			break;
		case DW_RLE_startx_length:
			start = indexed(s);
			ranges_emit(s, start, add_sat(start, read_uleb(&s->r)));
			break;
		case DW_RLE_offset_pair:
			start = read_uleb(&s->r);
			emit_pair(s, start, read_uleb(&s->r));
			break;
		case DW_RLE_start_end:
			start = read_uint(&s->r, size);
			ranges_emit(s, start, read_uint(&s->r, size));
			break;
		case DW_RLE_start_length:
			start = read_uint(&s->r, size);
			ranges_emit(s, start, add_sat(start, read_uleb(&s->r)));
			break;
		default: reader_fail(&s->r);
		}
	}
}

/* Finds a list by its index. The table at `base` has the offset of each list, counted from `base`.
 * False if the table is too short. */
static bool list_of_index(const struct unit *u, enum dw_section in, uint64_t base, uint64_t index,
			  uint64_t *ret)
{
	uint64_t off;
	if (!dwarf_entry(u->dwarf, in, base, index, u->offset_size, &off))
		return false;
	*ret = add_sat(base, off);
	return true;
}

bool ranges_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		   uint64_t *ret_off)
{
	*ret_in = u->version >= 5 ? DW_RNGLISTS : DW_RANGES;
	if (v->kind == VALUE_RNGLISTX)
		return list_of_index(u, *ret_in, u->rnglists_base, v->u, ret_off);
	if (v->kind != VALUE_OFFSET && v->kind != VALUE_UINT)
		return false;
	*ret_off = v->u;
	/* In a split unit of GNU's version 4, the lists are in the skeleton's file. */
	if (u->version < 5 && u->dwarf->split && !u->skeleton)
		return false;
	if (u->version < 5 && u->skeleton && u->skeleton->ranges_base != DW_NO_OFFSET)
		*ret_off = add_sat(v->u, u->skeleton->ranges_base);
	return true;
}

bool locations_offset(const struct unit *u, const struct value *v, enum dw_section *ret_in,
		      uint64_t *ret_off)
{
	*ret_in = u->version >= 5 ? DW_LOCLISTS : DW_LOC;
	if (v->kind == VALUE_LOCLISTX)
		return list_of_index(u, *ret_in, u->loclists_base, v->u, ret_off);
	*ret_off = v->u;
	return v->kind == VALUE_OFFSET || v->kind == VALUE_UINT;
}

static void ranges_read_list(struct ranges *s, const struct value *v)
{
	enum dw_section in;
	uint64_t off;
	struct dwarf *d = s->unit->dwarf;
	if (!ranges_offset(s->unit, v, &in, &off))
		return;
	if (in == DW_RANGES && s->unit->skeleton)
		d = s->unit->skeleton->dwarf;
	s->r = dwarf_reader(d, in);
	reader_seek(&s->r, off);
	if (in == DW_RANGES)
		read_list_4(s);
	else
		read_list_5(s);
	if (!reader_ok(&s->r))
		note(d->notes, d->path, HEFT_NO_OFFSET, 0,
		     "a range list is damaged at %s+0x%" PRIx64, dw_section_name(in), off);
}

size_t die_ranges_some(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx,
		       uint64_t *budget)
{
	ASSERT(u->dwarf && fn && budget);
	const struct unit *holder = u->skeleton && !u->has_low_pc ? u->skeleton : u;
	struct ranges s = { .unit = u, .fn = fn, .ctx = ctx, .budget = budget };
	uint64_t low, high;
	s.base = holder->has_low_pc ? holder->low_pc : 0;
	if (c->ranges.kind != VALUE_NONE) {
		ranges_read_list(&s, &c->ranges);
	} else if (value_addr(u, &c->low, &low) && c->high.kind != VALUE_NONE) {
		if (!value_addr(u, &c->high, &high))
			high = add_sat(low, value_number(&c->high));
		ranges_emit(&s, low, high);
	}
	return s.count;
}

size_t die_ranges(const struct unit *u, const struct die_code *c, range_fn fn, void *ctx)
{
	uint64_t budget = UINT64_MAX;
	return die_ranges_some(u, c, fn, ctx, &budget);
}
