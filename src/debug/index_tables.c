/* index_tables.c - walks .debug_addr, .debug_str_offsets and .debug_frame. Defines the functions of
 * index_out.h. */
#include "debug/dwarf_const.h"
#include "debug/index_out.h"

#include "base/sort.h"
#include "base/vec.h"
#include "unwind/unwind.h"

/* Reads the length and version of the table at `at`. If the table exceeds the section, sets
 * *ret_fits to false, and the table ends with the section. False if no length can be read. */
static bool index_tables_read_set(const struct reader *section, uint64_t at, struct index_set *ret,
				  bool *ret_fits)
{
	struct reader r = *section;
	reader_seek(&r, at);
	const uint64_t length = read_initial_length(&r, &ret->offset_size);
	if (!reader_ok(&r))
		return false;
	*ret_fits = length <= reader_left(&r);
	ret->off = at;
	ret->end = r.pos + min_u64(length, reader_left(&r));
	r.size = ret->end;
	ret->version = read_u16(&r);
	ret->r = r;
	return true;
}

/* Returns the end of zeros that begin at `at` and end at a multiple of 4, or at the section's end.
 * Returns `at` if there are other bytes. */
static uint64_t skip_zeros(const struct reader *section, uint64_t at)
{
	const uint64_t end = min_u64(section->size, (at | 3) + 1);
	for (uint64_t i = at; i < end; i++)
		if (section->base[i] != 0)
			return at;
	return end;
}

/* Finds the next table. False at the end. Linkers may align sections of objects with zeros, so
 * zeros are padding unless a table begins there. */
bool index_set_next(struct index_out *o, uint64_t *at, uint16_t low, uint16_t high,
		    struct index_set *ret)
{
	const struct dwarf *d = o->dwarf;
	const struct reader section = dwarf_reader(o->dwarf, o->which);
	while (*at < section.size) {
		bool fits = false;
		const uint64_t off = *at;
		const bool head = index_tables_read_set(&section, off, ret, &fits);
		const bool known = head && reader_ok(&ret->r) && ret->version >= low &&
				   ret->version <= high;
		const uint64_t zeros = known ? off : skip_zeros(&section, off);
		*at = known || (head && fits) ? ret->end : section.size;
		if (zeros > off) {
			index_pad(o, off, zeros);
			*at = zeros;
			continue;
		}
		if (!head || !fits)
			note(d->notes, d->path, off, section.size - off,
			     "%s: the length of a table leaves the section",
			     dw_section_name(o->which));
		else if (!known)
			note(d->notes, d->path, ret->off, ret->end - ret->off,
			     "%s: a table has version %u, which is unknown",
			     dw_section_name(o->which), (unsigned)ret->version);
		ASSERT(*at > off && *at <= section.size);
		if (known)
			return true;
	}
	return false;
}

uint64_t index_unit_size(struct dwarf *d, uint64_t off)
{
	struct reader r = dwarf_reader(d, DW_INFO);
	uint8_t offset_size;
	reader_seek(&r, off);
	const uint64_t length = read_initial_length(&r, &offset_size);
	return reader_ok(&r) && length > 0 ? add_sat(r.pos - off, length) : UINT64_MAX;
}

/* Reports the remaining entries of r. An entry has `skip` unused bytes, then a value of `width`
 * bytes. */
static void put_entries(struct index_out *o, struct reader *r, unsigned skip, unsigned width,
			enum index_about about)
{
	const uint64_t size = skip + width;
	ASSERT(width > 0 && width <= 8);
	while (reader_left(r) >= size) {
		const uint64_t off = r->pos;
		r->pos += skip;
		index_put(o, off, size, about, read_uint(r, width));
	}
	index_pad(o, r->pos, r->size);
}

/* Reports a table of .debug_addr. Its header has the sizes of addresses and of segment selectors
 * (DWARF 5, 7.27). */
static void addr_set(struct index_out *o, struct index_set *s)
{
	const struct dwarf *d = o->dwarf;
	const uint8_t width = read_u8(&s->r);
	const uint8_t segment_size = read_u8(&s->r);
	if (!reader_ok(&s->r) || !index_width_ok(width)) {
		note(d->notes, d->path, s->off, s->end - s->off,
		     "%s: a table with addresses of %u bytes", dw_section_name(o->which),
		     (unsigned)width);
		return;
	}
	index_put(o, s->off, s->r.pos - s->off, ABOUT_NEXT, 0);
	put_entries(o, &s->r, segment_size, width, ABOUT_ADDR);
}

void addr_pieces(struct dwarf *d, uint16_t version, uint8_t address_size, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_ADDR, .fn = fn, .ctx = ctx };
	struct index_set s;
	uint64_t at = 0;
	if (version < 5) {
		struct reader r = dwarf_reader(d, DW_ADDR);
		if (index_width_ok(address_size))
			put_entries(&o, &r, 0, address_size, ABOUT_ADDR);
	} else {
		while (index_set_next(&o, &at, 5, DW_VERSION_NEXT, &s))
			addr_set(&o, &s);
	}
	index_finish(&o);
}

void str_offsets_pieces(struct dwarf *d, uint16_t version, uint8_t offset_size, index_fn fn,
			void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_STR_OFFSETS, .fn = fn, .ctx = ctx };
	struct index_set s;
	uint64_t at = 0;
	if (version < 5) {
		struct reader r = dwarf_reader(d, DW_STR_OFFSETS);
		put_entries(&o, &r, 0, offset_size == 8 ? 8 : 4, ABOUT_STR);
	} else {
		while (index_set_next(&o, &at, 5, DW_VERSION_NEXT, &s)) {
			/* Two bytes of padding end the header (DWARF 5, 7.26). */
			const uint64_t header = min_u64(s.end, s.r.pos + 2);
			index_put(&o, s.off, header - s.off, ABOUT_NEXT, 0);
			reader_seek(&s.r, header);
			put_entries(&o, &s.r, 0, s.offset_size, ABOUT_STR);
		}
	}
	index_finish(&o);
}

struct frame_cie {
	uint64_t off;
	uint64_t addr; /* Address of the first FDE that uses it */
	bool used;
};

struct frame_cies {
	VEC(struct frame_cie) v; /* CIEs, sorted by off */
	size_t last;             /* Index of the CIE found last */
	bool later;              /* True if an FDE came before its CIE */
};

static struct frame_cie *index_tables_cie_find(struct frame_cies *c, uint64_t off)
{
	if (c->last < c->v.count && c->v.data[c->last].off == off)
		return &c->v.data[c->last];
	const size_t low = lower_bound(c->v.data, c->v.count, sizeof *c->v.data, off);
	if (low == c->v.count || c->v.data[low].off != off)
		return NULL;
	c->last = low;
	return &c->v.data[low];
}

/* Collects the CIEs, with the address of the first FDE of each. `again`: reads the FDEs a second
 * time, because some came before their CIEs. */
static void collect_cies(const struct unwind_section *s, struct frame_cies *c, bool again)
{
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, s);
	while (unwind_next(&it, &e)) {
		if (!e.ok || e.terminator)
			continue;
		if (!e.cie) {
			struct frame_cie *cie = index_tables_cie_find(c, e.cie_off);
			if (!cie)
				c->later = true;
			else if (!cie->used)
				*cie = (struct frame_cie){ cie->off, e.func_addr, true };
		} else if (!again) {
			vec_push(&c->v, (struct frame_cie){ .off = e.off });
			c->last = c->v.count - 1;
		}
	}
	unwind_release(&it);
}

static void index_tables_put_frame(struct index_out *o, struct frame_cies *c,
				   const struct unwind_entry *e)
{
	if (e->terminator) {
		index_pad(o, e->off, e->off + e->size);
	} else if (!e->cie) {
		index_put(o, e->off, e->size, ABOUT_ADDR, e->func_addr);
	} else {
		const struct frame_cie *cie = index_tables_cie_find(c, e->off);
		const bool used = cie && cie->used;
		index_put(o, e->off, e->size, used ? ABOUT_ADDR : ABOUT_NEXT, used ? cie->addr : 0);
	}
}

void frame_pieces(struct dwarf *d, uint8_t address_size, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_FRAME, .fn = fn, .ctx = ctx };
	struct unwind_section s = { .bytes = dwarf_bytes(d, DW_FRAME),
				    .address_size = address_size,
				    .big_endian = d->big_endian,
				    .debug_frame = true,
				    .path = d->path };
	struct frame_cies cies = { .last = 0 };
	struct unwind_iter it;
	struct unwind_entry e;
	if (!eh_address_size_ok(address_size))
		return;
	collect_cies(&s, &cies, false);
	if (cies.later)
		collect_cies(&s, &cies, true);
	s.notes = d->notes; /* Set only now, so that each problem is noted once */
	unwind_init(&it, &s);
	while (unwind_next(&it, &e))
		if (e.ok)
			index_tables_put_frame(&o, &cies, &e);
	unwind_release(&it);
	index_finish(&o);
	vec_release(&cies.v);
}
