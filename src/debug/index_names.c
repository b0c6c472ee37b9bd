/* index_names.c - walks .debug_names (DWARF 5, 6.1.1).
 *
 * A name index has a header, unit lists, hash buckets, names, abbreviations, and entries. Names are
 * three columns: hash, string, first entry. A name's row in these columns is about the DIE of its
 * first entry. */
#include "debug/index_out.h"

#include "base/sort.h"
#include "base/vec.h"
#include "debug/form.h"

/* Limits of an entry: number of attributes, and bytes. Real entries have a handful of attributes
 * and a few dozen bytes. More count as damage, because they would make entries too slow to read. */
enum { ATTRS_MAX = 64, ENTRY_MAX = 2048 };

struct names_attr {
	uint16_t name, form;
};

/* Where an attribute is in an entry of fixed size. `width` is 0 if there is no such attribute */
struct names_field {
	uint16_t at;
	uint8_t width;
};

struct names_abbrev {
	uint64_t code;
	uint32_t first; /* Index of the first attribute in `attrs` */
	uint16_t count;
	bool fixed;    /* True if entries have `size` bytes after their code */
	bool absolute; /* True if offsets of DIEs may count from the section's start
		        * (DW_FORM_ref_addr) */
	uint16_t size;
	struct names_field unit, type, die;
};

struct names_unit {
	uint64_t off, size;
};

/* Offsets of the parts of an index in the section */
struct names_layout {
	uint64_t units, foreign, buckets, hashes, strings, entries, abbrevs, pool, end;
	uint64_t unit_count, local_count, foreign_count, name_count;
};

struct index_names {
	struct index_out *out;
	struct index_set *set;
	struct names_layout at;
	VEC(struct names_unit) units; /* Compile units, then local type units */
	VEC(struct names_abbrev) abbrevs;
	VEC(struct names_attr) attrs;
	bool dense; /* True if abbrevs[i] has code i + 1. Otherwise the list is sorted by code */
};

struct names_entry {
	bool has_unit, has_type, has_die;
	bool absolute;
	uint64_t unit, type, die;
};

/* Notes damage. `fmt` names the section by %s. It must be a literal, because notes with the same
 * literal are joined. */
static void note_names(const struct index_names *n, uint64_t off, uint64_t end, const char *fmt)
{
	const struct dwarf *d = n->out->dwarf;
	note(d->notes, d->path, off, end - off, fmt, dw_section_name(DW_NAMES));
}

/* Computes the offsets of all parts. Counts have 32 bits, so no sum overflows. False if a part
 * extends beyond the table. */
static bool read_layout(struct index_names *n)
{
	struct reader r = n->set->r;
	struct names_layout *at = &n->at;
	read_skip(&r, 2);
	at->unit_count = read_u32(&r);
	at->local_count = read_u32(&r);
	at->foreign_count = read_u32(&r);
	const uint64_t bucket_count = read_u32(&r);
	at->name_count = read_u32(&r);
	const uint64_t abbrev_size = read_u32(&r);
	const uint64_t augmentation = read_u32(&r);
	read_skip(&r, augmentation);
	if (!reader_ok(&r))
		return false;
	const uint64_t width = n->set->offset_size;
	at->units = r.pos;
	at->foreign = at->units + (at->unit_count + at->local_count) * width;
	at->buckets = at->foreign + at->foreign_count * 8;
	at->hashes = at->buckets + bucket_count * 4;
	at->strings = at->hashes + (bucket_count ? at->name_count * 4 : 0);
	at->entries = at->strings + at->name_count * width;
	at->abbrevs = at->entries + at->name_count * width;
	at->pool = at->abbrevs + abbrev_size;
	at->end = n->set->end;
	return at->pool <= at->end;
}

static uint64_t names_uint(const struct index_names *n, uint64_t off, unsigned width)
{
	ASSERT(width > 0 && width <= 8);
	struct reader r = n->set->r;
	reader_seek(&r, off);
	return read_uint(&r, width);
}

static struct form_sizes names_sizes(const struct index_names *n)
{
	return (struct form_sizes){ n->set->version, 8, n->set->offset_size };
}

/* Records where an attribute is in an entry. Needs the sizes of all attributes before it. */
static void place_attr(struct names_abbrev *a, uint64_t name, unsigned size)
{
	const struct names_field field = { a->size, (uint8_t)(size <= 8 ? size : 0) };
	if (name == DW_IDX_compile_unit)
		a->unit = field;
	else if (name == DW_IDX_type_unit)
		a->type = field;
	else if (name == DW_IDX_die_offset)
		a->die = field;
	a->size = (uint16_t)(a->size + size);
}

/* Reads the attributes of an abbreviation. Two zeros end them. False if they are damaged. */
static bool index_names_read_attrs(struct index_names *n, struct reader *r, struct names_abbrev *a)
{
	a->first = (uint32_t)n->attrs.count;
	a->fixed = true;
	for (;;) {
		const uint64_t name = read_uleb(r);
		const uint16_t form = read_form(r);
		const struct form f = form_find(form);
		if (!reader_ok(r) || (name == 0 && form == 0))
			return reader_ok(r);
		unsigned size;
		if (f.data >= FORM_INDIRECT || a->count == ATTRS_MAX)
			return false;
		a->absolute |= name == DW_IDX_die_offset && form == DW_FORM_ref_addr;
		a->fixed = a->fixed && form_size(f, names_sizes(n), &size);
		if (a->fixed)
			place_attr(a, name, size);
		a->count++;
		vec_push(&n->attrs,
			 (struct names_attr){ (uint16_t)min_u64(name, UINT16_MAX), form });
	}
}

static void read_abbrevs(struct index_names *n)
{
	struct reader r = n->set->r;
	n->abbrevs.count = n->attrs.count = 0;
	n->dense = true;
	bool sorted = true;
	r.size = n->at.pool;
	r.pos = n->at.abbrevs;
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos;
		struct names_abbrev a = { .code = read_uleb(&r) };
		if (a.code == 0 && reader_ok(&r))
			break;
		(void)read_uleb(&r); /* Skip the tag */
		if (!reader_ok(&r) || !index_names_read_attrs(n, &r, &a)) {
			note_names(n, off, n->at.pool, "%s: abbreviations are damaged");
			break;
		}
		const size_t count = n->abbrevs.count;
		n->dense &= a.code == count + 1;
		sorted &= count == 0 || a.code > n->abbrevs.data[count - 1].code;
		vec_push(&n->abbrevs, a);
	}
	if (!sorted)
		sort_by_key(n->abbrevs.data, n->abbrevs.count, sizeof *n->abbrevs.data);
}

static const struct names_abbrev *abbrev_find(const struct index_names *n, uint64_t code)
{
	if (LIKELY(n->dense))
		return code - 1 < n->abbrevs.count ? &n->abbrevs.data[code - 1] : NULL;
	const size_t low = lower_bound(n->abbrevs.data, n->abbrevs.count, sizeof *n->abbrevs.data,
				       code);
	if (low == n->abbrevs.count || n->abbrevs.data[low].code != code)
		return NULL;
	return &n->abbrevs.data[low];
}

/* Reads a field at `p`, an entry's bytes after its code. False if entries lack the field. */
static inline bool index_names_read_field(const uint8_t *p, bool big_endian,
					  struct names_field field, uint64_t *ret)
{
	struct reader r = reader_make(p + field.at, field.width, big_endian);
	switch (field.width) {
	case 0: return false;
	case 1: *ret = read_u8(&r); return true;
	case 2: *ret = read_u16(&r); return true;
	case 4: *ret = read_u32(&r); return true;
	default: *ret = read_u64(&r); return true;
	}
}

static void index_names_read_varying(const struct index_names *n, struct reader *r,
				     const struct names_abbrev *a, struct names_entry *e)
{
	for (uint32_t i = 0; i < a->count; i++) {
		const struct names_attr *attr = &n->attrs.data[a->first + i];
		struct value v;
		value_read(r, attr->form, names_sizes(n), &v);
		switch (attr->name) {
		case DW_IDX_compile_unit: e->has_unit = true, e->unit = v.u; break;
		case DW_IDX_type_unit: e->has_type = true, e->type = v.u; break;
		case DW_IDX_die_offset: e->has_die = true, e->die = v.u; break;
		default: break;
		}
	}
}

/* Reads the entry at r's position. False at the 0 that ends a name's entries, or if damaged. */
static inline bool index_names_read_entry(const struct index_names *n, struct reader *r,
					  struct names_entry *e)
{
	const uint64_t code = read_uleb(r);
	const struct names_abbrev *a = abbrev_find(n, code);
	*e = (struct names_entry){ .has_unit = false };
	if (UNLIKELY(!a))
		return false;
	e->absolute = a->absolute;
	if (UNLIKELY(!a->fixed)) {
		index_names_read_varying(n, r, a, e);
		return reader_ok(r);
	}
	const uint8_t *p = read_take(r, a->size);
	if (UNLIKELY(!p))
		return false;
	e->has_unit = index_names_read_field(p, r->big_endian, a->unit, &e->unit);
	e->has_type = index_names_read_field(p, r->big_endian, a->type, &e->type);
	e->has_die = index_names_read_field(p, r->big_endian, a->die, &e->die);
	return true;
}

/* Returns the unit of an entry. For a unit in another file, returns its skeleton. NULL if entries
 * do not state a unit, because the index has only one. */
static const struct names_unit *entry_unit(const struct index_names *n, const struct names_entry *e)
{
	if (e->has_type && e->type < n->at.local_count)
		return &n->units.data[n->at.unit_count + e->type];
	if (e->has_unit)
		return e->unit < n->at.unit_count ? &n->units.data[e->unit] : NULL;
	const bool only = n->at.unit_count == 1 || (!e->has_type && n->units.count == 1);
	return only ? &n->units.data[0] : NULL;
}

static inline void entry_put(struct index_names *n, uint64_t off, uint64_t size,
			     const struct names_entry *e)
{
	const bool foreign = e->has_type && e->type >= n->at.local_count;
	const struct names_unit *u = entry_unit(n, e);
	if (foreign && u) { /* The DIE is in a split file, whose skeleton is this unit */
		index_put(n->out, off, size, ABOUT_INFO, u->off);
	} else if (foreign && e->type - n->at.local_count < n->at.foreign_count) {
		const uint64_t at = n->at.foreign + (e->type - n->at.local_count) * 8;
		index_put(n->out, off, size, ABOUT_TYPE_ID, names_uint(n, at, 8));
	} else if (!u) {
		index_put(n->out, off, size, ABOUT_ALL, 0);
	} else if (!e->has_die) {
		index_put(n->out, off, size, ABOUT_INFO, u->off);
	} else {
		const bool inside = e->absolute && e->die >= u->off && e->die - u->off < u->size;
		const uint64_t die = inside ? e->die - u->off : e->die;
		index_put(n->out, off, size, ABOUT_INFO, index_die(u->off, u->size, die));
	}
}

/* Reports a column of the names: elements of `width` bytes from `column` on. */
static void index_names_put_column(struct index_names *n, uint64_t column, unsigned width)
{
	ASSERT(width == 4 || width == 8);
	const unsigned offset_size = n->set->offset_size;
	struct reader offsets = n->set->r;
	struct reader r = n->set->r;
	struct names_entry e;
	offsets.pos = n->at.entries;
	for (uint64_t i = 0; i < n->at.name_count; i++) {
		const uint64_t entry = offset_size == 4 ? read_u32(&offsets) : read_u64(&offsets);
		const uint64_t off = column + i * width;
		r.bad = READER_GOOD;
		r.pos = n->at.pool + min_u64(entry, n->at.end - n->at.pool);
		r.size = min_u64(r.pos + ENTRY_MAX, n->at.end);
		if (LIKELY(index_names_read_entry(n, &r, &e))) {
			entry_put(n, off, width, &e);
			continue;
		}
		index_put(n->out, off, width, ABOUT_ALL, 0);
		note_names(n, off, off + width, "%s: a name has no entry");
	}
}

/* Reports the entries of all names. The 0 after a name's entries belongs to the last one. */
static void index_names_put_pool(struct index_names *n)
{
	struct reader r = n->set->r;
	struct names_entry e;
	r.pos = n->at.pool;
	while (reader_left(&r) > 0) {
		const uint64_t off = r.pos;
		if (r.base[off] == 0) {
			r.pos++;
			index_pad(n->out, off, off + 1);
		} else if (index_names_read_entry(n, &r, &e)) {
			entry_put(n, off, r.pos - off, &e);
		} else {
			note_names(n, off, n->at.end, "%s: an entry is damaged");
			return;
		}
	}
}

static void names_table(struct index_names *n)
{
	struct index_out *o = n->out;
	if (!read_layout(n)) {
		note_names(n, n->set->off, n->set->end, "%s: a table's parts do not fit into it");
		return;
	}
	index_put(o, n->set->off, n->at.units - n->set->off, ABOUT_ALL, 0);
	ASSERT(n->at.units <= n->at.buckets && n->at.pool <= n->set->end);
	const uint64_t width = n->set->offset_size;
	n->units.count = 0;
	for (uint64_t off = n->at.units; off < n->at.foreign; off += width) {
		const uint64_t unit = names_uint(n, off, (unsigned)width);
		vec_push(&n->units,
			 (struct names_unit){ unit, index_unit_size(n->out->dwarf, unit) });
		index_put(n->out, off, width, ABOUT_INFO, unit);
	}
	for (uint64_t off = n->at.foreign; off < n->at.buckets; off += 8)
		index_put(n->out, off, 8, ABOUT_TYPE_ID, names_uint(n, off, 8));
	read_abbrevs(n);
	index_put(o, n->at.buckets, n->at.hashes - n->at.buckets, ABOUT_ALL, 0);
	if (n->at.strings > n->at.hashes)
		index_names_put_column(n, n->at.hashes, 4);
	index_names_put_column(n, n->at.strings, n->set->offset_size);
	index_names_put_column(n, n->at.entries, n->set->offset_size);
	index_put(o, n->at.abbrevs, n->at.pool - n->at.abbrevs, ABOUT_ALL, 0);
	index_names_put_pool(n);
}

void names_pieces(struct dwarf *d, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_NAMES, .fn = fn, .ctx = ctx };
	struct index_set s;
	struct index_names n = { .out = &o, .set = &s };
	uint64_t at = 0;
	while (index_set_next(&o, &at, 5, DW_VERSION_NEXT, &s))
		names_table(&n);
	index_finish(&o);
	vec_release_all(&n.units, &n.abbrevs, &n.attrs);
}
