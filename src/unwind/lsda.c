/* lsda.c - finds the size of one language-specific data area (.gcc_except_table).
 *
 *     header | call sites | actions | (padding) types | exception specifications
 *
 * Only the header and the call sites have size fields. The type table ends at TTBase, which the
 * header has. References show the ends of the actions and specifications. Source: Itanium C++ ABI,
 * "Exception Handling Tables". */
#include "unwind/lsda.h"

#include "unwind/unwind.h"

struct lsda {
	struct reader reader; /* Reads all given bytes */
	uint8_t address_size;
	enum lsda_specs specs;
	bool has_types;
	uint8_t type_encoding;
	uint64_t type_base; /* TTBase: end of the type table */
	uint8_t site_encoding;
	uint64_t sites_end;   /* Start of the action table */
	uint64_t last_action; /* Largest offset + 1 of a call site's first action. 0 if none */
	int64_t lowest_filter, highest_filter;
	uint64_t end; /* Largest end of the parts that were read up to now */
};

static bool lsda_read_header(struct lsda *l)
{
	struct reader *r = &l->reader;
	const uint8_t pad_encoding = read_u8(r);
	if (pad_encoding != EH_OMIT)
		(void)read_eh_value(r, pad_encoding, l->address_size);
	l->type_encoding = read_u8(r);
	l->has_types = l->type_encoding != EH_OMIT;
	if (l->has_types) {
		const uint64_t size = read_uleb(r);
		l->type_base = add_sat(r->pos, size);
	}
	l->site_encoding = read_u8(r);
	const uint64_t size = read_uleb(r);
	l->sites_end = add_sat(r->pos, size);
	l->end = max_u64(l->sites_end, l->type_base);
	return reader_ok(r) && l->end <= r->size;
}

/* Reads the call sites: start, size, landing pad, first action. Entries of setjmp/longjmp tables
 * have only pad and action, and nothing tells them apart. */
static bool lsda_read_sites(struct lsda *l)
{
	struct reader r = l->reader;
	r.size = l->sites_end;
	while (reader_left(&r) > 0) {
		(void)read_eh_value(&r, l->site_encoding, l->address_size);
		(void)read_eh_value(&r, l->site_encoding, l->address_size);
		(void)read_eh_value(&r, l->site_encoding, l->address_size);
		const uint64_t action = read_uleb(&r);
		l->last_action = max_u64(l->last_action, action);
	}
	return reader_ok(&r);
}

/* Reads the exception specification (list of types) that the filter `filter` < 0 selects. */
static bool read_specification(struct lsda *l, int64_t filter)
{
	struct reader r = l->reader;
	const uint64_t index = ~(uint64_t)filter;
	const uint64_t unit = l->specs == LSDA_SPECS_WORD ? 4 : 1;
	if (!l->has_types || index > r.size / unit)
		return false;
	reader_seek(&r, add_sat(l->type_base, index * unit));
	uint64_t type;
	do
		type = unit == 4 ? read_u32(&r) : read_uleb(&r);
	while (type != 0 && reader_ok(&r));
	if (!reader_ok(&r))
		return false;
	l->end = max_u64(l->end, r.pos);
	return true;
}

/* Reads one action record at r: a filter and a distance. The filter is a type index, 0 for a
 * cleanup, or negative for a specification. The distance is from itself to the next record, or is
 * 0. Raises *last to the next record's offset. False if that is outside. */
static bool read_action(struct lsda *l, struct reader *r, uint64_t *last)
{
	const int64_t filter = read_sleb(r);
	const uint64_t place = r->pos;
	const int64_t step = read_sleb(r);
	if (!reader_ok(r))
		return false;
	if (step > 0 ? (uint64_t)step >= r->size - place
		     : ~(uint64_t)step + 1 > place - l->sites_end)
		return false;
	if (filter < l->lowest_filter)
		l->lowest_filter = filter;
	if (filter > l->highest_filter)
		l->highest_filter = filter;
	if (step > 0)
		*last = max_u64(*last, place + (uint64_t)step);
	return true;
}

/* Reads the actions by ascending offset. Records follow one another, and *last is the highest
 * offset to which a record read so far refers. So each is read once, however many chains use it. */
static bool read_actions(struct lsda *l)
{
	struct reader *r = &l->reader;
	r->pos = l->sites_end;
	if (l->last_action == 0)
		return true;
	uint64_t last = add_sat(l->sites_end, l->last_action - 1);
	if (last >= r->size)
		return false;
	while (r->pos <= last)
		if (!read_action(l, r, &last))
			return false;
	l->end = max_u64(l->end, r->pos);
	/* Specifications are in index order, so the last one has the end. */
	return l->lowest_filter == 0 || read_specification(l, l->lowest_filter);
}

/* gcc leaves the records of removed call sites before the types. Skips them, and invalid
 * records. */
static void read_dead_actions(struct lsda *l)
{
	struct reader r = l->reader;
	const unsigned width = eh_width(l->type_encoding, l->address_size);
	uint64_t last = 0;
	if (l->type_base < r.pos)
		return;
	r.size = l->type_base;
	/* A record has at least 2 bytes. The filters' types lie between the records and TTBase. */
	while (reader_left(&r) >= 2 &&
	       (reader_left(&r) - 2) / max_u64(width, 1) >= (uint64_t)l->highest_filter)
		if (!read_action(l, &r, &last))
			return;
	if (l->lowest_filter < 0)
		(void)read_specification(l, l->lowest_filter);
}

bool lsda_size(struct bytes bytes, uint8_t address_size, bool big_endian, enum lsda_specs specs,
	       uint64_t *ret)
{
	ASSERT(address_size >= 1 && address_size <= 8);
	struct lsda l = { .reader = reader_of(bytes, big_endian),
			  .address_size = address_size,
			  .specs = specs };
	if (!lsda_read_header(&l) || !lsda_read_sites(&l) || !read_actions(&l))
		return false;
	if (l.has_types)
		read_dead_actions(&l);
	*ret = l.end;
	return true;
}

bool lsda_sites_open(struct lsda_sites *s, struct reader r, uint64_t addr, uint8_t address_size,
		     uint64_t func_addr, uint64_t func_size)
{
	*s = (struct lsda_sites){ .func_addr = func_addr,
				  .func_size = func_size,
				  .pad_base = func_addr,
				  .address_size = address_size };
	const uint8_t base_encoding = read_u8(&r);
	if (base_encoding != EH_OMIT) {
		const uint64_t place = addr + r.pos;
		s->pad_base = read_eh_value(&r, base_encoding, address_size);
		if ((base_encoding & EH_APPLY_MASK) == EH_PCREL)
			s->pad_base = eh_add(place, s->pad_base, address_size);
	}
	if (read_u8(&r) != EH_OMIT)
		(void)read_uleb(&r);
	s->encoding = read_u8(&r);
	const uint64_t size = read_uleb(&r);
	if (!reader_ok(&r) || size > reader_left(&r))
		return false;
	r.size = r.pos + size;
	s->reader = r;
	return true;
}

bool lsda_sites_next(struct lsda_sites *s, struct lsda_site *ret)
{
	struct reader *r = &s->reader;
	if (reader_left(r) == 0)
		return false;
	const uint64_t start = read_eh_value(r, s->encoding, s->address_size);
	const uint64_t size = read_eh_value(r, s->encoding, s->address_size);
	const uint64_t pad = read_eh_value(r, s->encoding, s->address_size);
	(void)read_uleb(r);
	if (!reader_ok(r) || start < s->end || start > s->func_size || size > s->func_size - start)
		return false;
	s->end = start + size;
	*ret = (struct lsda_site){ s->func_addr + start, size,
				   pad ? eh_add(s->pad_base, pad, s->address_size) : 0 };
	return true;
}

bool lsda_types_open(struct lsda_types *t, struct bytes bytes, uint64_t addr, uint8_t address_size,
		     bool big_endian)
{
	struct lsda l = { .reader = reader_of(bytes, big_endian), .address_size = address_size };
	if (!lsda_read_header(&l) || !lsda_read_sites(&l) || !read_actions(&l))
		return false;
	const unsigned width = eh_width(l.type_encoding, address_size);
	const uint64_t count = l.has_types && width > 0 ? (uint64_t)l.highest_filter : 0;
	*t = (struct lsda_types){ .reader = reader_of(bytes, big_endian),
				  .left = count,
				  .addr = addr,
				  .address_size = address_size,
				  .encoding = l.type_encoding };
	if (count == 0)
		return true;
	if (l.type_base < l.sites_end || (l.type_base - l.sites_end) / width < count)
		return false;
	reader_seek(&t->reader, l.type_base - count * width);
	return true;
}

bool lsda_types_next(struct lsda_types *t, uint64_t *ret)
{
	while (t->left > 0) {
		const uint64_t place = t->addr + t->reader.pos;
		const uint64_t value = read_eh_value(&t->reader, t->encoding, t->address_size);
		t->left--;
		if (!reader_ok(&t->reader) || value == 0)
			continue;
		const bool relative = (t->encoding & EH_APPLY_MASK) == EH_PCREL;
		*ret = relative ? eh_add(place, value, t->address_size) : value;
		return true;
	}
	return false;
}
