/* Walks over all entries of a unit and reports their references. */
#include "debug/walk.h"

static bool walk_read_place(const struct unit *u, struct reader *r, uint64_t *ret, bool *constant)
{
	const uint8_t op = read_u8(r);
	*constant = op == DW_OP_const4u || op == DW_OP_const8u || op == DW_OP_constx ||
		    op == DW_OP_GNU_const_index;
	switch (op) {
	case DW_OP_addr: *ret = read_uint(r, u->address_size); return reader_ok(r);
	case DW_OP_const4u: *ret = read_u32(r); return reader_ok(r);
	case DW_OP_const8u: *ret = read_u64(r); return reader_ok(r);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index: return unit_addrx(u, read_uleb(r), ret);
	default: return false;
	}
}

bool expression_addr(const struct unit *u, struct bytes expr, uint64_t *ret, bool *ret_tls)
{
	struct reader r = reader_of(expr, u->dwarf->big_endian);
	uint64_t addr;
	bool constant;
	if (!walk_read_place(u, &r, &addr, &constant))
		return false;
	/* The optimizer split a structure, and the variable is a member of it. */
	if (reader_left(&r) > 1 && r.base[r.pos] == DW_OP_plus_uconst) {
		read_u8(&r);
		addr = add_sat(addr, read_uleb(&r));
	}
	const uint8_t next = reader_left(&r) > 0 ? read_u8(&r) : 0;
	*ret_tls = next == DW_OP_form_tls_address || next == DW_OP_GNU_push_tls_address;
	if (constant != *ret_tls || (!*ret_tls && next != 0))
		return false;
	*ret = addr;
	return reader_ok(&r);
}

struct unit_walk {
	const struct unit *u;
	const struct walker *w;
	struct reader r;
	uint64_t die_off;
	uint64_t depth;   /* Number of open lists of children */
	uint64_t entered; /* Depth of the DIE that enter() accepted, plus 1. 0 if none */
};

static void tell_string(struct unit_walk *k, enum dw_section table, uint64_t off)
{
	if (k->w->string)
		k->w->string(k->w->ctx, table, off);
}

static void tell_index(struct unit_walk *k, uint64_t index)
{
	uint64_t off;
	if (k->w->string && unit_strx(k->u, index, &off))
		k->w->string(k->w->ctx, DW_STR, off);
}

static void tell_list(struct unit_walk *k, enum value_kind kind, uint64_t n, bool ranges)
{
	const struct value v = { kind, n, { NULL, 0 } };
	enum dw_section in;
	uint64_t off;
	if (k->w->list &&
	    (ranges ? ranges_offset(k->u, &v, &in, &off) : locations_offset(k->u, &v, &in, &off)))
		k->w->list(k->w->ctx, in, off);
}

static void tell_location(struct unit_walk *k, uint64_t size)
{
	const uint8_t *p = read_take(&k->r, size);
	uint64_t addr;
	bool tls;
	/* Skips expressions that cannot be an address. Most are of variables on the stack. */
	if (!p || size < 2 || !k->w->variable || *p > DW_OP_GNU_const_index ||
	    (*p > DW_OP_constu && *p < DW_OP_addrx))
		return;
	if (expression_addr(k->u, (struct bytes){ p, size }, &addr, &tls) && !tls)
		k->w->variable(k->w->ctx, k->die_off, addr);
}

static void indirect(struct unit_walk *k)
{
	const struct abbrev_attr a = { .form = DW_FORM_indirect };
	struct value v;
	die_value(k->u, &k->r, &a, &v);
	if (v.kind == VALUE_STRP)
		tell_string(k, DW_STR, v.u);
	else if (v.kind == VALUE_LINE_STRP)
		tell_string(k, DW_LINE_STR, v.u);
	else if (v.kind == VALUE_STRX)
		tell_index(k, v.u);
}

static inline __attribute__((always_inline)) void debug_walk_step(struct unit_walk *k,
								  enum walk_kind kind)
{
	struct reader *r = &k->r;
	const unsigned width = k->u->offset_size;
	switch (kind) {
	case WALK_NOTHING: break;
	case WALK_ULEB: skip_leb(r); break;
	case WALK_CSTR: read_cstr(r); break;
	case WALK_BLOCK1: read_skip(r, read_u8(r)); break;
	case WALK_BLOCK2: read_skip(r, read_u16(r)); break;
	case WALK_BLOCK4: read_skip(r, read_u32(r)); break;
	case WALK_BLOCK: read_skip(r, read_uleb(r)); break;
	case WALK_INDIRECT: indirect(k); break;
	case WALK_STRP: tell_string(k, DW_STR, read_uint(r, width)); break;
	case WALK_LINE_STRP: tell_string(k, DW_LINE_STR, read_uint(r, width)); break;
	case WALK_STRX: tell_index(k, read_uleb(r)); break;
	case WALK_STRX1: tell_index(k, read_u8(r)); break;
	case WALK_STRX2: tell_index(k, read_u16(r)); break;
	case WALK_STRX3: tell_index(k, read_wide(r, 3)); break;
	case WALK_STRX4: tell_index(k, read_u32(r)); break;
	case WALK_LOC: tell_list(k, VALUE_OFFSET, read_uint(r, width), false); break;
	case WALK_LOCLISTX: tell_list(k, VALUE_LOCLISTX, read_uleb(r), false); break;
	case WALK_RANGES: tell_list(k, VALUE_OFFSET, read_uint(r, width), true); break;
	case WALK_RNGLISTX: tell_list(k, VALUE_RNGLISTX, read_uleb(r), true); break;
	case WALK_LOCATION: tell_location(k, read_uleb(r)); break;
	case WALK_LOCATION1: tell_location(k, read_u8(r)); break;
	}
}

static inline __attribute__((always_inline)) void walk_attributes(struct unit_walk *k,
								  const struct abbrev *a)
{
	const struct walk_step *s = a->steps > 0 ? &k->u->abbrevs->steps.data[a->step] : NULL;
	for (uint32_t left = a->steps; left > 0; left--, s++) {
		read_skip(&k->r, s->skip);
		debug_walk_step(k, s->kind);
	}
}

void die_skip(const struct unit *u, struct reader *r, const struct abbrev *a)
{
	static const struct walker none = { 0 };
	struct unit_walk k = { .u = u, .w = &none, .r = *r };
	walk_attributes(&k, a);
	*r = k.r;
}

static void walk_leave(struct unit_walk *k)
{
	k->entered = 0;
	if (k->w->leave)
		k->w->leave(k->w->ctx, k->r.pos);
}

/* Visits the attributes of one DIE. */
static inline void walk_one_die(struct unit_walk *k, const struct abbrev *a)
{
	if (k->w->enter && k->entered == 0 &&
	    (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_variable || k->w->all)) {
		const struct die d = { k->die_off, a };
		if (k->w->enter(k->w->ctx, &d, &k->r))
			k->entered = k->depth + 1;
	}
	walk_attributes(k, a);
	k->depth += a->children;
	if (!a->children && k->entered == k->depth + 1)
		walk_leave(k);
}

static bool walk_all_dies(struct unit_walk *k)
{
	while (k->r.pos < k->r.size) {
		k->die_off = k->r.pos;
		const uint64_t code = read_uleb(&k->r);
		if (code == 0) {
			/* This null entry ends the first DIE. The bytes after it are padding. */
			if (k->depth > 0)
				k->depth--;
			if (k->entered == k->depth + 1)
				walk_leave(k);
			continue;
		}
		const struct abbrev *a = abbrevs_find(k->u->abbrevs, code);
		if (!a)
			return false;
		walk_one_die(k, a);
		if (UNLIKELY(!reader_ok(&k->r)))
			return false;
	}
	return true;
}

bool unit_walk(const struct unit *u, const struct walker *w)
{
	ASSERT(u->abbrevs);
	struct unit_walk k = { .u = u, .w = w, .r = unit_reader(u, u->die_off) };
	const bool ok = walk_all_dies(&k);
	ASSERT(!ok || k.r.pos == k.r.size);
	if (k.entered)
		walk_leave(&k);
	if (!ok)
		note(u->dwarf->notes, u->dwarf->path, HEFT_NO_OFFSET, unit_end(u) - k.die_off,
		     "a unit is damaged at %s+0x%" PRIx64 "; its other bytes stay counted as the "
		     "unit's",
		     dw_section_name(u->in), k.die_off);
	return ok;
}
