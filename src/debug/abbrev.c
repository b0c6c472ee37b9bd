/* Parses abbreviation tables and turns them into steps for fast walking. */
#include "debug/abbrev.h"

#include "base/sort.h"

static enum walk_kind list_kind(uint16_t name)
{
	switch (name) {
	case DW_AT_ranges:
	case DW_AT_start_scope: return WALK_RANGES;
	case DW_AT_location:
	case DW_AT_string_length:
	case DW_AT_return_addr:
	case DW_AT_data_member_location:
	case DW_AT_frame_base:
	case DW_AT_segment:
	case DW_AT_static_link:
	case DW_AT_use_location:
	case DW_AT_vtable_elem_location:
	case DW_AT_GNU_locviews:
	case DW_AT_const_value: return WALK_LOC;
	default: return WALK_NOTHING;
	}
}

/* Returns the step for a reference to a string or a list, and for a location. */
static enum walk_kind reference_kind(const struct abbrev_attr *a, const struct form_sizes *s)
{
	switch (a->form) {
	case DW_FORM_strp: return WALK_STRP;
	case DW_FORM_line_strp: return WALK_LINE_STRP;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index: return WALK_STRX;
	case DW_FORM_strx1: return WALK_STRX1;
	case DW_FORM_strx2: return WALK_STRX2;
	case DW_FORM_strx3: return WALK_STRX3;
	case DW_FORM_strx4: return WALK_STRX4;
	case DW_FORM_loclistx: return WALK_LOCLISTX;
	case DW_FORM_rnglistx: return WALK_RNGLISTX;
	case DW_FORM_sec_offset: return list_kind(a->name);
	case DW_FORM_data4:
	case DW_FORM_data8:
		return s->version < 4 && (a->form == DW_FORM_data8) == (s->offset_size == 8)
			       ? list_kind(a->name)
			       : WALK_NOTHING;
	case DW_FORM_exprloc: return a->name == DW_AT_location ? WALK_LOCATION : WALK_NOTHING;
	case DW_FORM_block1: return a->name == DW_AT_location ? WALK_LOCATION1 : WALK_NOTHING;
	default: return WALK_NOTHING;
	}
}

/* Returns the step that skips a value whose data states its size. */
static enum walk_kind varying_kind(uint16_t form)
{
	switch (form_find(form).data) {
	case FORM_CSTR: return WALK_CSTR;
	case FORM_BLOCK1: return WALK_BLOCK1;
	case FORM_BLOCK2: return WALK_BLOCK2;
	case FORM_BLOCK4: return WALK_BLOCK4;
	case FORM_BLOCK: return WALK_BLOCK;
	case FORM_INDIRECT: return WALK_INDIRECT;
	default: return WALK_ULEB;
	}
}

static void add_step(struct abbrevs *t, enum walk_kind kind, uint64_t *skip)
{
	for (; *skip > UINT16_MAX; *skip -= UINT16_MAX)
		vec_push(&t->steps, (struct walk_step){ WALK_NOTHING, UINT16_MAX });
	vec_push(&t->steps, (struct walk_step){ (uint8_t)kind, (uint16_t)*skip });
	*skip = 0;
}

static void abbrev_make_steps(struct abbrevs *t, struct abbrev *a)
{
	uint64_t skip = 0;
	ASSERT((uint64_t)a->first + a->count <= t->attrs.count);
	a->step = (uint32_t)t->steps.count;
	for (unsigned i = 0; i < a->count; i++) {
		const struct abbrev_attr *attr = &t->attrs.data[a->first + i];
		const enum walk_kind kind = reference_kind(attr, &t->sizes);
		unsigned size;
		if (kind != WALK_NOTHING)
			add_step(t, kind, &skip);
		else if (form_size(form_find(attr->form), t->sizes, &size))
			skip += size;
		else
			add_step(t, varying_kind(attr->form), &skip);
	}
	if (skip > 0)
		add_step(t, WALK_NOTHING, &skip);
	a->steps = (uint32_t)t->steps.count - a->step;
}

/* Greatest number of attributes of a DIE. Real DIEs have some dozens. More count as damage. */
enum { ATTRS_MAX = 512 };
/* Greatest number of abbreviations of a table, and of attributes of all of them. Real tables have
 * thousands. More count as damage. */
enum { TABLE_MAX = 1 << 16, TABLE_ATTRS_MAX = 1 << 19 };
/* Tables may be parsed again and again: until the bytes parsed are SPENT_AGAIN times those of the
 * section, and at least SPENT_LEAST. Then the file counts as damaged. */
enum { SPENT_AGAIN = 1024, SPENT_LEAST = 1 << 28 };

/* Reads one abbreviation. False at the end of the table, or if damaged: r is then bad. */
static bool read_abbrev(struct reader *r, struct abbrevs *t)
{
	struct abbrev a = { .code = read_uleb(r), .first = (uint32_t)t->attrs.count };
	if (a.code == 0)
		return false;
	if (t->list.count == TABLE_MAX)
		reader_fail(r);
	a.tag = (uint16_t)read_uleb(r);
	a.children = read_u8(r) != 0;
	for (;;) {
		struct abbrev_attr attr = { .name = (uint16_t)read_uleb(r) };
		attr.form = (uint16_t)read_uleb(r);
		if (attr.form == DW_FORM_implicit_const)
			attr.value = read_sleb(r);
		if (!reader_ok(r) || (attr.name == 0 && attr.form == 0))
			break;
		if (form_find(attr.form).data == FORM_UNKNOWN || a.count == ATTRS_MAX ||
		    t->attrs.count >= TABLE_ATTRS_MAX)
			reader_fail(r);
		vec_push(&t->attrs, attr);
		a.count++;
	}
	if (!reader_ok(r))
		return false;
	abbrev_make_steps(t, &a);
	t->dense = t->dense && a.code == t->list.count + 1;
	vec_push(&t->list, a);
	return true;
}

static bool abbrev_parse(struct abbrevs *t, struct dwarf *d)
{
	struct reader r = dwarf_reader(d, DW_ABBREV);
	uint64_t good = t->off;
	t->dense = true;
	t->list.count = t->attrs.count = t->steps.count = 0;
	reader_seek(&r, t->off);
	while (reader_ok(&r) && read_abbrev(&r, t))
		good = r.pos;
	t->end = reader_ok(&r) ? r.pos : good;
	if (!reader_ok(&r))
		note(d->notes, d->path, HEFT_NO_OFFSET, 0,
		     "an abbreviation table is damaged at .debug_abbrev+0x%" PRIx64
		     "; units that use it may be cut short",
		     good);
	if (!t->dense)
		sort_by_key(t->list.data, t->list.count, sizeof *t->list.data);
	ASSERT(t->end >= t->off && t->list.count <= TABLE_MAX);
	return t->list.count > 0;
}

const struct abbrevs *abbrevs_get(struct abbrev_cache *c, struct dwarf *d, uint64_t off,
				  struct form_sizes sizes)
{
	struct abbrev_slot *oldest = &c->slots[0];
	ASSERT(sizes.offset_size == 4 || sizes.offset_size == 8);
	c->clock++;
	for (size_t i = 0; i < ABBREV_CACHE; i++) {
		struct abbrev_slot *s = &c->slots[i];
		if (s->dwarf == d && s->table.off == off &&
		    s->table.sizes.version == sizes.version &&
		    s->table.sizes.address_size == sizes.address_size &&
		    s->table.sizes.offset_size == sizes.offset_size) {
			s->used = c->clock;
			return s->table.list.count > 0 ? &s->table : NULL;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	/* The units of a damaged file may all start inside one long table, so that parsing it would
	 * take too long. */
	if (c->spent > SPENT_LEAST && c->spent / SPENT_AGAIN > dwarf_bytes(d, DW_ABBREV).size) {
		note(d->notes, d->path, HEFT_NO_OFFSET, 0,
		     "units use parts of each other's abbreviation tables; some are left out");
		return NULL;
	}
	oldest->dwarf = d;
	oldest->used = c->clock;
	oldest->table.off = off;
	oldest->table.sizes = sizes;
	const bool good = abbrev_parse(&oldest->table, d);
	c->spent += oldest->table.end > off ? oldest->table.end - off : 0;
	return good ? &oldest->table : NULL;
}

const struct abbrev *abbrevs_find_slow(const struct abbrevs *a, uint64_t code)
{
	const size_t low = lower_bound(a->list.data, a->list.count, sizeof *a->list.data, code);
	return low < a->list.count && a->list.data[low].code == code ? &a->list.data[low] : NULL;
}

void abbrev_cache_release(struct abbrev_cache *c)
{
	for (size_t i = 0; i < ABBREV_CACHE; i++) {
		vec_release_all(&c->slots[i].table.list, &c->slots[i].table.attrs,
				&c->slots[i].table.steps);
	}
}
