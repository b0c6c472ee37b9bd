/* Indexes units by offset, signature and address. Follows references between units. */
#include "debug/units.h"

#include "base/sort.h"

void units_init(struct units *s, struct dwarf *d)
{
	*s = (struct units){ .dwarf = d };
}

void units_release(struct units *s)
{
	if (s->sup) {
		units_release(s->sup);
		mem_free(s->sup);
	}
	vec_release_all(&s->info, &s->types, &s->by_signature, &s->silent, &s->ranges);
	flat_release(&s->addrs);
	for (size_t i = 0; i < UNITS_CACHES; i++)
		abbrev_cache_release(&s->caches[i]);
}

static bool units_open(struct units *s, struct unit *u)
{
	const uint64_t hash = u->abbrev_off * UINT64_C(0x9e3779b97f4a7c15);
	return unit_open(u, &s->caches[(hash >> 32) % UNITS_CACHES], NULL);
}

static void list_units(struct units *s)
{
	struct unit u;
	uint64_t off = 0;
	while (unit_next(s->dwarf, DW_INFO, &off, &u))
		vec_push(&s->info, u.off);
	off = 0;
	while (unit_next(s->dwarf, DW_TYPES, &off, &u))
		vec_push(&s->types, u.off);
	s->listed = true;
}

static const uint64_t *list_of(struct units *s, enum dw_section in, size_t *ret_count)
{
	if (!s->listed)
		list_units(s);
	*ret_count = in == DW_INFO ? s->info.count : s->types.count;
	return in == DW_INFO ? s->info.data : s->types.data;
}

size_t units_count(struct units *s, enum dw_section in)
{
	size_t count;
	list_of(s, in, &count);
	return count;
}

bool units_get(struct units *s, enum dw_section in, size_t i, struct unit *ret)
{
	ASSERT(in == DW_INFO || in == DW_TYPES);
	size_t count;
	const uint64_t *list = list_of(s, in, &count);
	if (i >= count)
		return false;
	uint64_t off = list[i];
	return unit_next(s->dwarf, in, &off, ret);
}

bool units_get_whole(struct units *s, enum dw_section in, size_t i, struct unit *ret)
{
	if (!units_get(s, in, i, ret))
		return false;
	dwarf_part(s->dwarf, in, ret->off, unit_end(ret));
	return true;
}

bool units_around(struct units *s, enum dw_section in, uint64_t off, size_t *ret_index)
{
	size_t low, count;
	const uint64_t *list = list_of(s, in, &count);
	BISECT(low, 0, count, mid, list[mid] <= off);
	struct unit u;
	if (low == 0 || !units_get(s, in, low - 1, &u) || off >= unit_end(&u))
		return false;
	*ret_index = low - 1;
	return true;
}

static void sign_up(struct units *s, enum dw_section in)
{
	struct unit u;
	for (size_t i = 0; units_get(s, in, i, &u); i++)
		if (u.signature != 0)
			vec_push(&s->by_signature,
				 (struct unit_key){ u.signature, u.off, (uint64_t)in });
}

bool units_by_signature(struct units *s, uint64_t signature, struct unit *ret)
{
	if (!s->signed_up) {
		sign_up(s, DW_INFO);
		sign_up(s, DW_TYPES);
		sort_by_key(s->by_signature.data, s->by_signature.count,
			    sizeof *s->by_signature.data);
		s->signed_up = true;
	}
	const size_t low = lower_bound(s->by_signature.data, s->by_signature.count,
				       sizeof *s->by_signature.data, signature);
	if (low == s->by_signature.count || s->by_signature.data[low].signature != signature)
		return false;
	uint64_t off = s->by_signature.data[low].off;
	return unit_next(s->dwarf, (enum dw_section)s->by_signature.data[low].in, &off, ret);
}

/* Returns the `who` of a unit in flat_range. The highest one wins: here that of the first unit. */
static uint32_t units_rank_of(size_t index)
{
	return UINT32_MAX - 1 - (uint32_t)index;
}

struct unit_code {
	struct units *units;
	uint32_t rank;
};

static void units_take_range(void *ctx, uint64_t addr, uint64_t size)
{
	const struct unit_code *c = ctx;
	vec_push(&c->units->ranges, (struct flat_range){ addr, add_sat(addr, size), c->rank });
}

static bool abbrev_has_code(const struct abbrevs *t, const struct abbrev *a)
{
	for (unsigned i = 0; i < a->count; i++) {
		const uint16_t name = t->attrs.data[a->first + i].name;
		if (name == DW_AT_low_pc || name == DW_AT_ranges)
			return true;
	}
	return false;
}

static bool unit_may_have_code(const struct unit *u)
{
	const struct abbrevs *t = u->abbrevs;
	for (size_t i = 0; i < t->list.count; i++)
		if (t->list.data[i].tag == DW_TAG_subprogram &&
		    abbrev_has_code(t, &t->list.data[i]))
			return true;
	return false;
}

static size_t die_code_ranges(struct units *s, const struct unit *u, const struct die *d,
			      struct reader *r, uint32_t rank)
{
	struct die_code code = { 0 };
	for (unsigned i = 0; i < d->abbrev->count; i++) {
		const struct abbrev_attr *a = die_attr(u, d, i);
		struct value v;
		die_value(u, r, a, &v);
		die_code_take(&code, a->name, &v);
	}
	return die_ranges_some(u, &code, units_take_range, &(struct unit_code){ s, rank },
			       &s->range_budget);
}

/* Adds the address ranges of a unit's first DIE. If `whole` is false, only UNIT_HEAD bytes of the
 * unit are valid. Returns false if the DIE needs more. */
static bool index_first_die(struct units *s, size_t i, struct unit *u, bool whole)
{
	const size_t before = s->ranges.count;
	struct reader r;
	struct die d;
	if (!units_open(s, u))
		return whole;
	r = unit_reader(u, u->die_off);
	const bool good = die_next(u, &r, &d) && d.abbrev;
	const size_t found = good ? die_code_ranges(s, u, &d, &r, units_rank_of(i)) : 0;
	if (!whole && (!good || r.pos > u->off + UNIT_HEAD)) {
		s->ranges.count = before;
		return false;
	}
	if (good && found == 0 && unit_may_have_code(u))
		vec_push(&s->silent, (uint32_t)i);
	return true;
}

/* Adds the address ranges of functions, for units whose first DIE gives none. */
static void index_silent(struct units *s)
{
	struct unit u;
	for (size_t i = 0; i < s->silent.count; i++) {
		const uint32_t index = s->silent.data[i];
		if (!units_get_whole(s, DW_INFO, index, &u) || !units_open(s, &u))
			continue;
		struct reader r = unit_reader(&u, u.die_off);
		for (struct die d; die_next(&u, &r, &d);) {
			if (!d.abbrev)
				continue;
			if (d.abbrev->tag == DW_TAG_subprogram &&
			    abbrev_has_code(u.abbrevs, d.abbrev))
				die_code_ranges(s, &u, &d, &r, units_rank_of(index));
			else
				die_skip(&u, &r, d.abbrev);
		}
	}
}

static uint64_t loaded_size(struct dwarf *d, enum dw_section which)
{
	return dwarf_bytes(d, which).size;
}

static bool find_addr(struct units *s, uint64_t addr, size_t *ret_index)
{
	const struct flat_span *span = flat_find_near(&s->addrs, addr, &s->near);
	if (!span)
		return false;
	*ret_index = units_rank_of(span->who);
	return true;
}

bool units_at_addr(struct units *s, uint64_t addr, size_t *ret_index)
{
	if (!s->indexed) {
		s->indexed = true;
		s->reached.abbrevs = NULL;
		/* Limits the number of entries that are read. Valid files have fewer, because an
		 * entry takes at least a byte, and a list belongs to one DIE. */
		s->range_budget = loaded_size(s->dwarf, DW_RANGES) +
				  loaded_size(s->dwarf, DW_RNGLISTS) + 4096;
		struct unit u;
		for (size_t i = 0; i < FLAT_NONE - 1 && units_get(s, DW_INFO, i, &u); i++)
			if (!unit_is_type(&u) &&
			    !index_first_die(s, i, &u, !s->dwarf->parting[DW_INFO]) &&
			    units_get_whole(s, DW_INFO, i, &u))
				(void)index_first_die(s, i, &u, true);
		flat_lay(&s->addrs, s->ranges.data, s->ranges.count);
	}
	if (find_addr(s, addr, ret_index))
		return true;
	if (s->walked)
		return false;
	s->walked = true;
	s->reached.abbrevs = NULL;
	index_silent(s);
	if (s->silent.count > 0)
		flat_lay(&s->addrs, s->ranges.data, s->ranges.count);
	vec_release(&s->ranges);
	ASSERT(s->indexed);
	return find_addr(s, addr, ret_index);
}

static struct units *units_of_sup(struct units *s)
{
	if (!s->sup && s->dwarf->sup) {
		s->sup = mem_alloc(sizeof *s->sup);
		units_init(s->sup, s->dwarf->sup);
	}
	return s->sup;
}

/* Opens the unit that contains an offset. NULL if there is none, or if it is damaged. */
static const struct unit *reach(struct units *s, enum dw_section in, uint64_t off)
{
	const struct unit *u = &s->reached;
	size_t index;
	if (u->abbrevs && u->in == in && off >= u->off && off < unit_end(u))
		return u;
	s->reached.abbrevs = NULL;
	if (!units_around(s, in, off, &index) || !units_get_whole(s, in, index, &s->reached) ||
	    !units_open(s, &s->reached)) {
		s->reached.abbrevs = NULL;
		return NULL;
	}
	return u;
}

const struct unit *units_follow(struct units *s, const struct unit *from, const struct value *v,
				uint64_t *ret_off)
{
	struct units *home = from->dwarf == s->dwarf ? s : units_of_sup(s);
	*ret_off = v->u;
	if (v->kind == VALUE_REF)
		return v->u > from->off && v->u < unit_end(from) ? from : NULL;
	if (!home)
		return NULL;
	switch (v->kind) {
	case VALUE_REF_INFO:
		if (from->in == DW_INFO && v->u > from->off && v->u < unit_end(from))
			return from;
		return reach(home, DW_INFO, v->u);
	case VALUE_REF_SUP:
		home = units_of_sup(home);
		return home ? reach(home, DW_INFO, v->u) : NULL;
	case VALUE_REF_TYPE: {
		struct unit u;
		if (!units_by_signature(home, v->u, &u))
			return NULL;
		*ret_off = add_sat(u.off, u.type_off);
		return *ret_off < unit_end(&u) ? reach(home, u.in, *ret_off) : NULL;
	}
	default: return NULL;
	}
}
