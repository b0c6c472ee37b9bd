/* Applies the relocations of debug sections of objects. All sections of an object start at address
 * 0. So each gets a window (debuginfo.h), and relocated addresses lie in it. Offsets in debug
 * sections count in the joined bytes of all sections with one name. */
#include "program/debuginfo_internal.h"

enum { WINDOW_GAP = 16, ULEB_MAX = 16 };

/* Returns the address size in the first unit's header (DWARF 5, 7.5.1; versions 2 to 5). 0 if
 * unknown. */
static uint8_t address_size(const struct debuginfo *d)
{
	const size_t info = d->files->first[DW_INFO];
	if (info == d->files->first[DW_INFO + 1] || d->parts.data[info].section->compressed)
		return 0;
	struct reader r = reader_of(section_bytes(d->image, d->parts.data[info].section),
				    d->image->big_endian);
	const bool wide = read_u32(&r) == UINT32_MAX;
	if (wide)
		read_skip(&r, 8);
	if (read_u16(&r) >= 5)
		read_skip(&r, 1);
	else
		read_skip(&r, wide ? 8 : 4);
	return read_u8(&r);
}

static void open_windows(struct debuginfo *d)
{
	const struct image *im = d->image;
	struct debuginfo_base *bases = d->files->relocs.bases;
	const bool narrow = address_size(d) == 2;
	const uint64_t limit = narrow ? 0xfff0 : im->bits == 64 ? UINT64_MAX / 2 : UINT32_MAX;
	uint64_t next = narrow ? DEBUGINFO_FIRST_OF_16 : DEBUGINFO_FIRST;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		bases[i].kind = s->alloc ? BASE_NONE : BASE_PLAIN;
		if (!s->alloc)
			continue;
		if (add_sat(add_sat(next, s->size), 2 * WINDOW_GAP) > limit) {
			note(d->dwarf.notes, im->path, HEFT_NO_OFFSET, s->size,
			     "section " STR_FMT " is too large for debug information to refer to",
			     STR_ARG(s->name));
			continue;
		}
		bases[i] = (struct debuginfo_base){ .kind = BASE_WINDOW, .value = next };
		vec_push(&d->windows, (struct debuginfo_window){ next, s->size, s->addr });
		next = align_up(next + s->size + WINDOW_GAP, WINDOW_GAP);
	}
}

static void find_tables(struct debuginfo *d)
{
	const struct image *im = d->image;
	struct debuginfo_relocs *rel = &d->files->relocs;
	uint64_t left = im->bytes.size;
	each_section(s, im) {
		if (!section_is_reloc(s) || s->info >= im->section_count ||
		    rel->bases[s->info].kind != BASE_PART)
			continue;
		if (s->file_size > left) { /* Overlapping tables are damaged */
			note(d->dwarf.notes, im->path, add_sat(im->file_off, s->off), s->file_size,
			     "relocation sections overlap; section %" PRIu32 " is left out",
			     s->index);
			continue;
		}
		left -= s->file_size;
		vec_push(&rel->tables, (struct debuginfo_table){ s, rel->bases[s->info].part });
	}
}

void debuginfo_relocs_open(struct debuginfo *d)
{
	struct debuginfo_relocs *rel = &d->files->relocs;
	ASSERT(d->image->kind == IMAGE_OBJECT && !rel->bases);
	if (d->image->section_count == 0)
		return;
	rel->bases = mem_zeroed(d->image->section_count, sizeof *rel->bases);
	open_windows(d);
	for (size_t i = 0; i < d->parts.count; i++) {
		const struct debuginfo_part *p = &d->parts.data[i];
		rel->bases[p->section->index] =
			(struct debuginfo_base){ .kind = BASE_PART, .value = p->off, .part = i };
	}
	find_tables(d);
}

void debuginfo_relocs_close(struct debuginfo_relocs *r)
{
	mem_free_all(r->bases, r->symbols);
	vec_release(&r->tables);
	memset(r, 0, sizeof *r);
}

bool debuginfo_needs_relocs(const struct debuginfo_files *f, enum dw_section which)
{
	for (size_t i = 0; i < f->relocs.tables.count; i++)
		if (f->parts[f->relocs.tables.data[i].part].which == which)
			return true;
	return false;
}

static bool symbol_value(const struct debuginfo_relocs *rel, const struct symtab *t, uint32_t index,
			 uint64_t *ret)
{
	const struct symbol s = symtab_get(t, index);
	if (s.section == SYM_ABSOLUTE) {
		*ret = s.value;
		return true;
	}
	if (s.section == SYM_NO_SECTION || s.section >= t->image->section_count)
		return false;
	const struct debuginfo_base *b = &rel->bases[s.section];
	uint64_t value = s.value;
	if (b->kind == BASE_NONE)
		return false;
	if (b->kind == BASE_WINDOW) {
		if (!symbol_addr(t->image, &s, &value)) /* symbol_addr() clears Thumb's bit */
			return false;
		value -= t->image->sections[s.section].addr;
	}
	*ret = b->value + value;
	return true;
}

/* Finds a symbol's value. False if undefined, or if open_windows() left out its section. */
static bool debuginfo_reloc_find_symbol(struct debuginfo_relocs *rel, const struct symtab *t,
					uint32_t index, uint64_t *ret)
{
	*ret = 0;
	if (index == 0)
		return true;
	if (index >= t->count)
		return false;
	if (!rel->symtab) {
		rel->symtab = t->section;
		rel->symbols = mem_zeroed(t->count, sizeof *rel->symbols);
	}
	if (rel->symtab != t->section)
		return symbol_value(rel, t, index, ret);
	struct debuginfo_symbol *known = &rel->symbols[index];
	if (known->state == SYMBOL_UNSEEN) {
		const bool found = symbol_value(rel, t, index, &known->value);
		known->state = found ? SYMBOL_KNOWN : SYMBOL_NONE;
	}
	*ret = known->value;
	return known->state == SYMBOL_KNOWN;
}

/* A field to patch, in the copied bytes of a debug section. */
struct debuginfo_reloc_field {
	uint8_t *p;
	unsigned width;
	bool uleb, big_endian;
};

static uint64_t get_field(const struct debuginfo_reloc_field *f)
{
	uint64_t v = 0;
	if (f->uleb) {
		for (unsigned i = 0; i < f->width && i < 10; i++)
			v |= (uint64_t)(f->p[i] & 0x7f) << (7 * i);
		return v;
	}
	for (unsigned i = 0; i < f->width; i++)
		v = v << 8 | f->p[f->big_endian ? i : f->width - 1 - i];
	return v;
}

static void debuginfo_reloc_put_field(const struct debuginfo_reloc_field *f, uint64_t v)
{
	if (f->uleb) {
		for (unsigned i = 0; i < f->width; i++, v >>= 7)
			f->p[i] = (uint8_t)((v & 0x7f) | (i + 1 < f->width ? 0x80 : 0));
		return;
	}
	for (unsigned i = 0; i < f->width; i++, v >>= 8)
		f->p[f->big_endian ? f->width - 1 - i : i] = (uint8_t)v;
}

/* Finds the field at offset `off` of a part. False if it is not entirely inside the part. */
static bool find_field(const struct image *im, const struct reloc_field *kind, uint8_t *bytes,
		       uint64_t size, uint64_t off, struct debuginfo_reloc_field *ret)
{
	if (off >= size)
		return false;
	*ret = (struct debuginfo_reloc_field){ bytes + off, kind->width, kind->width == 0,
					       im->big_endian };
	const uint64_t room = min_u64(size - off, ULEB_MAX);
	if (!ret->uleb)
		return ret->width <= room;
	while (ret->width < room)
		if (!(ret->p[ret->width++] & 0x80))
			return true;
	return false;
}

static void debuginfo_reloc_patch(const struct debuginfo_reloc_field *f,
				  const struct reloc_field *kind, uint64_t value)
{
	const uint64_t old = get_field(f);
	if (kind->op == RELOC_OP_ADD)
		value = old + value;
	else if (kind->op == RELOC_OP_SUB)
		value = old - value;
	const uint64_t mask = kind->bits && kind->bits < 64 ? (UINT64_C(1) << kind->bits) - 1
							    : UINT64_MAX;
	debuginfo_reloc_put_field(f, (old & ~mask) | (value & mask));
}

enum { STACK_MAX = 16 };

/* What a relocation entry leaves for the entries after it */
struct left_over {
	uint64_t stack[STACK_MAX];
	size_t depth;
	uint64_t less, less_at; /* Value to subtract from the next value of the field at offset
				 * less_at */
	bool has_less;
};

struct debuginfo_reloc_apply {
	struct debuginfo_files *files;
	const struct debuginfo_part *part;
	uint8_t *bytes; /* Bytes of that part */
	struct notes *notes;
	struct left_over left;
};

static void note_entry(const struct debuginfo_reloc_apply *a, const struct reloc_iter *it,
		       const struct reloc *r, bool unknown)
{
	const struct image *im = a->files->image;
	const struct str name = a->part->section->name;
	const uint64_t at = add_sat(im->file_off, add_sat(it->section->off, r->entry_off));
	if (unknown)
		note(a->notes, im->path, at, r->entry_size,
		     "a relocation of type %" PRIu32 " in section " STR_FMT " is not applied",
		     r->type, STR_ARG(name));
	else
		note(a->notes, im->path, at, r->entry_size,
		     "a relocation of section " STR_FMT " lies outside it", STR_ARG(name));
}

/* Handles an entry that changes no field but only `left`. False for other entries. Values that the
 * stack lacks are 0. */
static bool is_step(struct left_over *left, enum reloc_op op, uint64_t value, uint64_t off)
{
	uint64_t *top = left->depth > 0 ? &left->stack[left->depth - 1] : NULL;
	switch (op) {
	case RELOC_OP_LESS:
		left->less = value;
		left->less_at = off;
		left->has_less = true;
		return true;
	case RELOC_OP_PUSH:
		if (left->depth < STACK_MAX)
			left->stack[left->depth++] = value;
		return true;
	case RELOC_OP_TAKE:
	case RELOC_OP_PLUS:
		if (left->depth < 2)
			return true;
		top[-1] += op == RELOC_OP_PLUS ? *top : 0 - *top;
		left->depth--;
		return true;
	default: return false;
	}
}

/* Returns the value of an entry. 0 if its symbol has no address, because 0 marks removed code. */
static uint64_t debuginfo_reloc_value_of(struct debuginfo_reloc_apply *a,
					 const struct reloc_iter *it, const struct reloc *r,
					 const struct reloc_field *kind,
					 const struct debuginfo_reloc_field *f)
{
	uint64_t value;
	if (!debuginfo_reloc_find_symbol(&a->files->relocs, &it->symbols, r->symbol, &value))
		return 0;
	if (r->has_addend) {
		value += (uint64_t)r->addend;
	} else if (f && kind->op == RELOC_OP_SET) { /* The field itself has the addend */
		const unsigned unused = f->width < 8 && !f->uleb ? 64 - 8 * f->width : 0;
		value += (uint64_t)((int64_t)(get_field(f) << unused) >> unused);
	}
	return value - kind->bias;
}

static void debuginfo_reloc_apply(struct debuginfo_reloc_apply *a, struct reloc_iter *it,
				  const struct reloc *r)
{
	const struct image *im = a->files->image;
	const struct section *s = a->part->section;
	struct reloc_field kind = reloc_field(im, r->type);
	struct debuginfo_reloc_field field;
	if (kind.op == RELOC_OP_NONE)
		return;
	const uint64_t off = r->addr - (r->alloc ? s->addr : 0);
	if (kind.op == RELOC_OP_UNKNOWN) {
		note_entry(a, it, r, true);
		return;
	}
	if (kind.width == 0 && kind.op >= RELOC_OP_LESS &&
	    is_step(&a->left, kind.op, debuginfo_reloc_value_of(a, it, r, &kind, NULL), off))
		return;
	if (!find_field(im, &kind, a->bytes, a->part->size, off, &field)) {
		note_entry(a, it, r, false);
		return;
	}
	uint64_t value = debuginfo_reloc_value_of(a, it, r, &kind, &field);
	if (kind.op == RELOC_OP_POP)
		value = a->left.depth > 0 ? a->left.stack[--a->left.depth] : 0;
	if (a->left.has_less && a->left.less_at == off)
		value -= a->left.less;
	a->left.has_less = false;
	debuginfo_reloc_patch(&field, &kind, value);
}

void debuginfo_relocate(struct debuginfo_files *f, enum dw_section which, uint8_t *bytes,
			struct notes *notes)
{
	vec_each(const struct debuginfo_table, t, &f->relocs.tables) {
		const struct debuginfo_part *p = &f->parts[t->part];
		struct debuginfo_reloc_apply a = { f, p, bytes + p->off, notes, { .depth = 0 } };
		struct reloc_iter it;
		struct reloc r;
		ASSERT(t->part < f->first[DW_SECTIONS]);
		if (p->which != which || !reloc_open(&it, f->image, t->section))
			continue;
		while (reloc_next(&it, &r))
			debuginfo_reloc_apply(&a, &it, &r);
	}
}
