/* Units of an object, as if every section had been moved: what is written can be read, and nothing
 * stands where the object had it. */
#include "debug/scopes.h"
#include "debug/write/moved_unit.h"
#include "program/debuginfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEP = 1 << 24 }; /* what every piece is moved by; sections of small files are smaller */

typedef VEC(struct moved_piece) piece_vec;

static void write_units(struct moved_dwarf *m, struct debuginfo *d, piece_vec *pieces)
{
	struct abbrev_cache cache = { 0 };
	struct units units;
	struct unit u;
	for (size_t i = 0; i < d->windows.count; i++) {
		const struct debuginfo_window *w = &d->windows.data[i];
		if (w->addr < STEP && w->size < STEP - w->addr)
			vec_push(pieces, (struct moved_piece){ w->addr, w->size, w->addr + STEP });
	}
	m->pieces = pieces->data;
	m->piece_count = pieces->count;
	units_init(&units, &d->dwarf);
	for (size_t i = 0; i < units_count(&units, DW_INFO); i++)
		if (units_get(&units, DW_INFO, i, &u) && unit_open(&u, &cache, NULL))
			moved_unit_write(m, &units, &u);
	abbrev_cache_release(&cache);
	units_release(&units);
}

static void set(struct dwarf *d, enum dw_section which, const struct text *t)
{
	d->bytes[which] = (struct bytes){ (const uint8_t *)t->p, t->len };
	d->size[which] = t->len;
}

static void read_back(const struct moved_dwarf *m)
{
	struct notes notes;
	struct dwarf d = { .path = "written", .notes = &notes };
	struct units units;
	struct unit u;
	struct abbrev_cache cache = { 0 };
	notes_init(&notes);
	set(&d, DW_INFO, &m->made.info);
	set(&d, DW_ABBREV, &m->made.abbrev);
	set(&d, DW_LINE, &m->made.line);
	set(&d, DW_RANGES, &m->made.ranges);
	units_init(&units, &d);
	for (size_t i = 0; i < units_count(&units, DW_INFO); i++) {
		struct scopes scopes = { 0 };
		ASSERT(units_get(&units, DW_INFO, i, &u) && unit_open(&u, &cache, NULL));
		ASSERT(scopes_read(&scopes, &units, &u));
		for (size_t k = 0; k < scopes.code.spans.count; k++)
			ASSERT(scopes.code.spans.data[k].addr >= STEP);
		scopes_release(&scopes);
	}
	ASSERT(notes.count == 0);
	abbrev_cache_release(&cache);
	units_release(&units);
	notes_release(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct notes notes;
	notes_init(&notes);
	if (input_parse(&in, "fuzz", (struct bytes){ data, size }, &notes, NULL)) {
		for (size_t i = 0; i < in.image_count; i++) {
			const struct image *im = &in.images[i];
			struct debuginfo d;
			struct moved_dwarf m = { .budget = 0 };
			piece_vec pieces = { 0 };
			debuginfo_open(&d, im, NULL, &notes);
			dwarf_made_init(&m.made, &dwarf_form_64);
			m.budget = 16 * size;
			if (im->kind == IMAGE_OBJECT && im->bits == 64 && !im->big_endian)
				write_units(&m, &d, &pieces);
			read_back(&m);
			vec_release(&pieces);
			dwarf_made_release(&m.made);
			debuginfo_close(&d);
		}
		input_close(&in);
	}
	notes_release(&notes);
	return 0;
}
