/* index_aranges.c - walks .debug_aranges, .debug_pubnames and .debug_pubtypes. */
#include "debug/index_out.h"

static void damaged_set(const struct index_out *o, const struct index_set *s, uint64_t from)
{
	const struct dwarf *d = o->dwarf;
	note(d->notes, d->path, from, s->end - from, "%s: a table is damaged",
	     dw_section_name(o->which));
}

/* Reports the tuples of a set. A tuple of zeros ends the set (DWARF 5, 6.1.2). But linkers leave
 * such tuples in the middle too, so all are read. */
static void arange_tuples(struct index_out *o, struct index_set *s, uint64_t unit, uint8_t width,
			  uint8_t segment_size)
{
	ASSERT(index_width_ok(width));
	struct reader *r = &s->r;
	const uint64_t tuple = 2u * width + segment_size;
	while (reader_left(r) >= tuple) {
		const uint64_t off = r->pos;
		const uint64_t segment = segment_size ? read_uint(r, segment_size) : 0;
		const uint64_t addr = read_uint(r, width);
		const uint64_t size = read_uint(r, width);
		if ((addr | size | segment) == 0)
			index_put(o, off, tuple, ABOUT_INFO, unit);
		else
			index_put(o, off, tuple, ABOUT_ADDR, addr);
		o->last.length = size;
	}
	index_pad(o, r->pos, s->end);
}

static void arange_set(struct index_out *o, struct index_set *s)
{
	struct reader *r = &s->r;
	const uint64_t unit = read_uint(r, s->offset_size);
	const uint8_t width = read_u8(r);
	const uint8_t segment_size = read_u8(r);
	if (!reader_ok(r) || !index_width_ok(width) ||
	    (segment_size && !index_width_ok(segment_size))) {
		damaged_set(o, s, s->off);
		return;
	}
	/* Tuples begin at multiples of their size, counted from the start of the set. */
	const uint64_t tuple = 2u * width + segment_size;
	const uint64_t header = (r->pos - s->off + tuple - 1) / tuple * tuple;
	const uint64_t first = s->off + min_u64(header, s->end - s->off);
	index_put(o, s->off, first - s->off, ABOUT_INFO, unit);
	reader_seek(r, first);
	arange_tuples(o, s, unit, width, segment_size);
}

void aranges_pieces(struct dwarf *d, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_ARANGES, .fn = fn, .ctx = ctx };
	struct index_set s;
	uint64_t at = 0;
	while (index_set_next(&o, &at, 2, 2, &s))
		arange_set(&o, &s);
	index_finish(&o);
}

/* Reports the names of a set (DWARF 4, 6.1.1). In GNU's forms, flags precede the name. */
static void pub_names(struct index_out *o, struct index_set *s, uint64_t unit, bool flags)
{
	struct reader *r = &s->r;
	const uint64_t unit_size = index_unit_size(o->dwarf, unit);
	while (reader_left(r) > 0) {
		const uint64_t off = r->pos;
		const uint64_t die = read_uint(r, s->offset_size);
		if (die == 0 && reader_ok(r)) {
			index_put(o, off, r->pos - off, ABOUT_INFO, unit);
			index_pad(o, r->pos, s->end);
			return;
		}
		if (flags)
			read_skip(r, 1);
		(void)read_cstr(r);
		if (!reader_ok(r)) {
			damaged_set(o, s, off);
			return;
		}
		index_put(o, off, r->pos - off, ABOUT_INFO, index_die(unit, unit_size, die));
	}
}

static void pub_set(struct index_out *o, struct index_set *s)
{
	struct reader *r = &s->r;
	const uint64_t unit = read_uint(r, s->offset_size);
	read_skip(r, s->offset_size); /* Size of the unit. */
	if (!reader_ok(r)) {
		damaged_set(o, s, s->off);
		return;
	}
	index_put(o, s->off, r->pos - s->off, ABOUT_INFO, unit);
	pub_names(o, s, unit, o->which == DW_GNU_PUBNAMES || o->which == DW_GNU_PUBTYPES);
}

void pubnames_pieces(struct dwarf *d, enum dw_section which, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = which, .fn = fn, .ctx = ctx };
	struct index_set s;
	uint64_t at = 0;
	while (index_set_next(&o, &at, 2, 2, &s))
		pub_set(&o, &s);
	index_finish(&o);
}
