/* Opens the DWARF of an image: finds, unpacks and loads its sections. */
#include "program/debuginfo_internal.h"
#include "program/dwarf_slot.h"

#include "base/sort.h"
#include "base/unpack.h"

static bool debuginfo_is_debug_section(const struct section *s, enum dw_section *ret, bool *ret_dwo)
{
	return !s->nobits && dw_section_of(s->name, ret, ret_dwo);
}

/* Tells whether the image has units in .dwo sections, and whether it has units elsewhere. */
static void find_units(const struct image *im, bool *ret_plain, bool *ret_dwo)
{
	*ret_plain = *ret_dwo = false;
	for (size_t i = 1; i < im->section_count; i++) {
		enum dw_section which;
		bool dwo;
		if (!debuginfo_is_debug_section(&im->sections[i], &which, &dwo))
			continue;
		if (which == DW_INFO || which == DW_TYPES)
			*(dwo ? ret_dwo : ret_plain) = true;
	}
}

bool debuginfo_present(const struct image *im)
{
	each_section(s, im) {
		enum dw_section which;
		bool dwo;
		if (debuginfo_is_debug_section(s, &which, &dwo) && s->file_size &&
		    (which == DW_INFO || which == DW_TYPES || which == DW_LINE))
			return true;
	}
	return false;
}

bool debuginfo_is_split(const struct image *im)
{
	bool plain, dwo;
	find_units(im, &plain, &dwo);
	return dwo || image_section_find(im, ".debug_cu_index");
}

struct debuginfo_collect {
	struct debuginfo *d;
	uint64_t packed, unpacked; /* Bytes so far: in the file, and of unpacked sections */
};

static void debuginfo_add_part(struct debuginfo_collect *c, enum dw_section which,
			       const struct section *s)
{
	struct debuginfo *d = c->d;
	const struct image *im = d->image;
	uint64_t size;
	if (!section_unpacked_size(im, s, &size)) {
		struct bytes none;
		void *owned;
		(void)section_unpack(im, s, &none, &owned); /* Called only for its note */
		mem_free(owned);
		return;
	}
	const bool packed = size != s->file_size;
	/* Limits the sum of sizes: in a small file, many large sections may overlap. */
	ASSERT(c->packed <= im->bytes.size);
	if (s->file_size > im->bytes.size - c->packed ||
	    (packed ? size : 0) > UNPACK_MAX - min_u64(c->unpacked, UNPACK_MAX)) {
		note(d->dwarf.notes, im->path, add_sat(im->file_off, s->off), s->file_size,
		     "debug sections overlap or are too large; section " STR_FMT " is left out",
		     STR_ARG(s->name));
		return;
	}
	c->packed += s->file_size;
	c->unpacked += packed ? size : 0;
	vec_push(&d->parts, (struct debuginfo_part){ which, d->dwarf.size[which], size, s });
	d->dwarf.size[which] += size;
}

COMPARISON(part_cmp, struct debuginfo_part, ORDER(a->which, b->which), ORDER(a->off, b->off),
	   ORDER(a->section->index, b->section->index))

/* Collects debug sections: those whose names end in .dwo if `dwo` is set, otherwise all others. */
static void collect_parts(struct debuginfo *d, bool dwo)
{
	struct debuginfo_collect c = { .d = d };
	const struct image *im = d->image;
	for (size_t i = 1; i < im->section_count; i++) {
		enum dw_section which;
		bool named;
		if (debuginfo_is_debug_section(&im->sections[i], &which, &named) &&
		    /* The index sections of a package have no suffix .dwo. */
		    (named == dwo || which == DW_CU_INDEX || which == DW_TU_INDEX))
			debuginfo_add_part(&c, which, &im->sections[i]);
	}
	vec_sort_by(&d->parts, part_cmp);
	struct debuginfo_files *f = d->files;
	f->parts = d->parts.data;
	size_t at = 0;
	for (size_t which = 0; which <= DW_SECTIONS; which++) {
		while (at < d->parts.count && d->parts.data[at].which < which)
			at++;
		f->first[which] = at;
	}
}

/* Loads one section. Borrows its bytes from the file if they need no change. */
static struct bytes load_part(const struct image *im, const struct debuginfo_part *p,
			      void **ret_owned)
{
	struct bytes b;
	const bool good = section_unpack(im, p->section, &b, ret_owned);
	if (*ret_owned)
		image_forget(im, section_bytes(im, p->section));
	return good && b.size == p->size ? b : (struct bytes){ NULL, 0 };
}

/* Loads a copy of several sections, or of one that needs changes. Sections that cannot be unpacked
 * become zeros. */
static struct bytes load_copy(const struct debuginfo_files *f, const struct image *im,
			      enum dw_section which)
{
	const size_t first = f->first[which], end = f->first[which + 1];
	const struct debuginfo_part *last = &f->parts[end - 1];
	const uint64_t size = last->off + last->size;
	ASSERT(first < end && last->which == which);
	uint8_t *copy = mem_zeroed((size_t)size + 1, 1);
	for (size_t i = first; i < end; i++) {
		void *owned;
		const struct bytes b = load_part(im, &f->parts[i], &owned);
		if (b.size)
			memcpy(copy + f->parts[i].off, b.p, (size_t)b.size);
		mem_free(owned);
	}
	return (struct bytes){ copy, size };
}

static void debuginfo_load(struct dwarf *d, enum dw_section which, struct notes *notes)
{
	struct debuginfo_files *f = d->load_ctx;
	struct image im = *f->image; /* A copy, to set the caller's notes */
	const size_t count = f->first[which + 1] - f->first[which];
	if (count == 0 || debuginfo_parts_load(d, which))
		return;
	im.notes = notes;
	const bool relocs = debuginfo_needs_relocs(f, which);
	struct bytes b = { NULL, 0 };
	if (count == 1)
		b = load_part(&im, &f->parts[f->first[which]], &f->owned[which]);
	if (count > 1 || (b.size && relocs && !f->owned[which])) {
		b = load_copy(f, &im, which);
		f->owned[which] = (void *)(uintptr_t)b.p;
	}
	if (b.size && relocs)
		debuginfo_relocate(f, which, f->owned[which], notes);
	d->bytes[which] = b;
}

void debuginfo_open_sections(struct debuginfo *d, const struct image *im, bool split,
			     struct notes *notes)
{
	bool plain, dwo;
	memset(d, 0, sizeof *d);
	d->image = im;
	d->files = mem_zeroed(1, sizeof *d->files);
	d->files->image = im;
	find_units(im, &plain, &dwo);
	d->dwarf.path = im->path;
	d->dwarf.big_endian = im->big_endian;
	dwo &= split || !plain;
	/* The sections of a split file may lack the suffix .dwo. */
	d->dwarf.split = dwo || split;
	for (size_t i = 1; im->kind != IMAGE_OBJECT && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		d->dwarf.zero_is_code |= s->alloc && s->exec && s->addr == 0 && s->size > 0;
	}
	d->dwarf.load = debuginfo_load;
	d->dwarf.pass_begin = debuginfo_pass_begin;
	d->dwarf.pass = debuginfo_pass;
	d->dwarf.pass_end = debuginfo_pass_end;
	d->dwarf.parts_begin = debuginfo_parts_begin;
	d->dwarf.part = debuginfo_part;
	d->dwarf.parts_end = debuginfo_parts_end;
	d->dwarf.load_ctx = d->files;
	d->dwarf.notes = notes;
	collect_parts(d, dwo);
	if (im->kind == IMAGE_OBJECT)
		debuginfo_relocs_open(d);
}

void debuginfo_open(struct debuginfo *d, const struct image *im, const struct debug_search *how,
		    struct notes *notes)
{
	debuginfo_open_sections(d, im, false, notes);
	debuginfo_open_sup(d, how);
}

void debuginfo_close(struct debuginfo *d)
{
	struct debuginfo_files *f = d->files;
	if (f) {
		for (unsigned i = 0; i < DW_SECTIONS; i++)
			dwarf_pass_end(&d->dwarf, i);
		debuginfo_parts_close(f);
		debuginfo_files_close(f);
		debuginfo_relocs_close(&f->relocs);
		for (size_t i = 0; i < DW_SECTIONS; i++)
			mem_free(f->owned[i]);
		mem_free(f);
	}
	vec_release_all(&d->parts, &d->windows);
	memset(d, 0, sizeof *d);
}

bool debuginfo_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret)
{
	if (!d->image || d->image->kind != IMAGE_OBJECT) {
		*ret = addr + (d->image ? d->image->vm_bias : 0);
		return true;
	}
	size_t lo;
	BISECT(lo, 0, d->windows.count, mid, d->windows.data[mid].addr <= addr);
	if (lo == 0)
		return false;
	const struct debuginfo_window *w = &d->windows.data[lo - 1];
	if (addr - w->addr > w->size) /* The end of a section counts as inside its window */
		return false;
	*ret = w->vm + (addr - w->addr);
	return true;
}

bool debuginfo_data_addr(const struct debuginfo *d, uint64_t addr, uint64_t *ret)
{
	return debuginfo_addr(d, d->image ? addr + d->image->data_bias : addr, ret);
}

static void program_dwarf_slot_release(struct dwarf_place *p)
{
	if (p->open)
		debuginfo_close(&p->info);
	p->open = false;
}

struct debuginfo *dwarf_slot_open(struct dwarf_slot *s, const struct image *im,
				  const struct image *debug, struct notes *notes)
{
	const bool prefer = debug && im->debug_name.len > 0 && debuginfo_present(debug);
	const struct image *holder = debuginfo_present(im) && !prefer ? im : debug;
	struct dwarf_place *p = holder == im ? &s->own : &s->debug;
	if (!holder || !debuginfo_present(holder))
		return NULL;
	if (p->open && p->info.image == holder)
		return &p->info;
	ASSERT(s->wish && holder);
	program_dwarf_slot_release(p);
	const struct debug_search how = wish_search(s->wish);
	debuginfo_open(&p->info, holder, &how, notes);
	p->open = true;
	return &p->info;
}

void dwarf_slot_release(struct dwarf_slot *s)
{
	program_dwarf_slot_release(&s->own);
	program_dwarf_slot_release(&s->debug);
}
