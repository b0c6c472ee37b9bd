/* Reads unwind tables, to find functions without symbols. Claims the tables for their functions. */
#include "attr/attr_refs.h"

#include "base/sort.h"
#include "derive/split.h"
#include "unwind/lsda.h"
#include "unwind/sframe.h"
#include "unwind/unwind.h"
#include "image/arch.h"

static bool load_for_unwind(void *ctx, uint64_t addr, uint64_t *ret)
{
	return load_pointer(ctx, addr, ret);
}

typedef VEC(struct unwind_fixup) fixup_vec;

struct patching {
	uint64_t patched;
	const struct section *table;
};

/* State of reading the unwind tables of an image. */
struct attr_unwind_frames {
	struct attr *a;
	VEC(struct patching) tables; /* Relocation tables of an object, sorted by patched section */
	fixup_vec fixups;            /* Fixups of the current section */
	uint64_t data_base;          /* Base of pointers that are relative to the GOT */
};

static void attr_unwind_list_tables(struct attr_unwind_frames *f)
{
	const struct image *im = f->a->im;
	if (im->kind != IMAGE_OBJECT)
		return;
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]))
			vec_push(&f->tables,
				 (struct patching){ im->sections[i].info, &im->sections[i] });
	vec_sort(&f->tables);
}

/* Reads the targets of the relocations of an object's section. */
static void attr_unwind_read_fixups(struct attr_unwind_frames *f, const struct section *s)
{
	size_t i = vec_lower(&f->tables, s->index);
	f->fixups.count = 0;
	for (; i < f->tables.count && f->tables.data[i].patched == s->index; i++) {
		struct reloc_iter it;
		struct reloc r;
		if (!reloc_open(&it, f->a->im, f->tables.data[i].table))
			continue;
		while (reloc_next(&it, &r)) {
			uint64_t target;
			if (reloc_target(&it, &r, &target))
				vec_push(&f->fixups,
					 (struct unwind_fixup){ r.addr - s->addr, target });
		}
	}
	vec_sort(&f->fixups);
}

struct unwind_section attr_unwind_section(const struct attr *a, const struct section *s)
{
	return (struct unwind_section){ .bytes = section_bytes(a->im, s),
					.addr = s->addr,
					.address_size = a->im->bits / 8,
					.big_endian = a->im->big_endian,
					.load = load_for_unwind,
					.load_ctx = (void *)(uintptr_t)a->im,
					.path = a->im->path,
					.file_off = a->im->file_off + s->off,
					.notes = a->f->notes };
}

/* Returns true if an entry ends with 4 or more bytes of padding (DW_CFA_nop). */
static bool fde_is_padded(const struct unwind_section *s, const struct unwind_entry *e)
{
	struct reader r = reader_of(s->bytes, s->big_endian);
	const uint64_t end = e->off + e->size;
	if (end < e->rules.fde_off + 4)
		return false;
	reader_seek(&r, end - 4);
	return read_u32(&r) == 0 && reader_ok(&r);
}

static void attr_unwind_read_frames(struct attr_unwind_frames *f, const struct section *s)
{
	struct unwind_section us = attr_unwind_section(f->a, s);
	struct unwind_iter it;
	struct unwind_entry e;
	attr_unwind_read_fixups(f, s);
	us.data_base = f->data_base;
	us.fixups = f->fixups.data;
	us.fixup_count = f->fixups.count;
	unwind_init(&it, &us);
	while (unwind_next(&it, &e)) {
		if (e.ok && !e.cie && !e.terminator)
			vec_push(&f->a->scratch->fdes,
				 (struct fde){ .addr = e.func_addr,
					       .size = e.func_size,
					       .lsda = e.has_lsda ? e.lsda_addr : 0,
					       .off = e.off,
					       .bytes = e.size,
					       .cie_off = e.cie_off,
					       .section = s->index,
					       .padded = fde_is_padded(&us, &e) });
	}
	unwind_release(&it);
	image_forget(f->a->im, us.bytes);
}

/* Reads functions of an SFrame table that .eh_frame lacks. `known`: .eh_frame's addresses. */
static void sframe_read_bounds(struct attr *a, const struct section *s, const struct sframe *f,
			       const addr_vec *known)
{
	struct sframe_entry e;
	for (uint64_t i = 0; i < f->count && sframe_entry_read(f, i, &e); i++) {
		const uint64_t addr = s->addr + e.distance;
		const size_t k = vec_lower(known, addr);
		if (k == known->count || known->data[k] != addr)
			vec_push(&a->scratch->fdes,
				 (struct fde){ .addr = addr, .size = e.size, .section = s->index });
	}
}

/* Reads the SFrame tables. Skips objects, because all their code has symbols. */
static void attr_unwind_read_sframe(struct attr *a)
{
	addr_vec known = { 0 };
	struct sframe f;
	if (a->im->kind == IMAGE_OBJECT || !image_section_find(a->im, ".sframe"))
		return;
	for (size_t i = 0; i < a->scratch->fdes.count; i++)
		vec_push(&known, a->scratch->fdes.data[i].addr);
	vec_sort(&known);
	each_section(s, a->im) {
		if (!s->alloc || s->nobits || !str_eq(s->name, STR(".sframe")))
			continue;
		const struct bytes bytes = section_bytes(a->im, s);
		for (uint64_t at = 0; sframe_open(&f, bytes, at, a->im->big_endian);) {
			sframe_read_bounds(a, s, &f, &known);
			for (at = f.end; at < bytes.size && bytes.p[at] == 0; at++)
				;
		}
	}
	vec_release(&known);
}

void attr_unwind_read(struct attr *a)
{
	const struct section *got = image_section_find(a->im, ".got");
	struct attr_unwind_frames f = { .a = a, .data_base = got ? got->addr : 0 };
	ASSERT(a->scratch->fdes.count == 0);
	attr_unwind_list_tables(&f);
	each_section(s, a->im)
		if (s->alloc && !s->nobits && str_ends(s->name, STR(".eh_frame")))
			attr_unwind_read_frames(&f, s);
	attr_unwind_read_sframe(a);
	vec_release_all(&f.tables, &f.fixups);
}

/* Claims code without an owner for functions with generated names (sub_ADDRESS). Skips PLTs: their
 * code without a symbol is the PLT header, not a function. */
void attr_unwind_bounds(struct attr *a)
{
	struct span_cursor cursor = { &a->vm, 0 };
	a->scratch->unused_tables = a->owner != BY_SYMBOL || a->im->kind == IMAGE_OBJECT
					    ? LABEL_NONE
					    : label_borrow(a->f->labels,
							   STR("(unused exception tables)"));
	vec_each(const struct fde, d, &a->scratch->fdes) {
		if (d->size == 0 || cursor_label(&cursor, d->addr) != LABEL_NONE)
			continue;
		const struct section *in = image_section_at(a->im, d->addr);
		if (!in || !in->exec || section_is_plt(in))
			continue;
		const struct place *p = attr_unsized_at(a, d->addr);
		const label_id label = p ? p->label : attr_unnamed(a->f->labels, d->addr);
		a->scratch->made_up += !p;
		claim(&a->vm_claims, d->addr, min_u64(d->size, in->addr + in->size - d->addr),
		      label, p ? WHY_UNSIZED_SYMBOL : WHY_UNWIND_BOUNDS);
	}
}

struct used_table {
	uint64_t addr;
	uint64_t size; /* 0 if unknown */
};

typedef VEC(struct used_table) used_vec;

static bool table_size(const struct attr *a, const struct section *in, uint64_t off, uint64_t end,
		       uint64_t *ret)
{
	const struct bytes all = section_bytes(a->im, in);
	end = min_u64(end, all.size);
	return off < end && lsda_size(bytes_sub(all, off, end - off), a->im->bits / 8,
				      a->im->big_endian, LSDA_SPECS_ULEB, ret);
}

static void lsda_bytes(struct attr *a, const struct fde *d, label_id owner, used_vec *used)
{
	uint64_t size = 0;
	const struct section *in = image_section_at(a->im, d->lsda);
	if (!in || in->nobits || section_is_data(in) || in->exec)
		return;
	const uint64_t off = d->lsda - in->addr;
	if (table_size(a, in, off, in->size, &size) && owner != LABEL_NONE)
		attr_put(a, in, off, size, owner, WHY_LSDA);
	vec_push(used, (struct used_table){ d->lsda, size });
}

enum { LSDA_ALIGN = 4 };

/* Claims exception tables that no function refers to, from `off` to `end`. Stops at the first that
 * cannot be read. */
static void unused_bytes(struct attr *a, const struct section *in, uint64_t off, uint64_t end)
{
	const struct bytes all = section_bytes(a->im, in);
	uint64_t size;
	end = min_u64(end, all.size);
	while (off < end) {
		if (all.p[off] == 0 && off % LSDA_ALIGN != 0)
			off++;
		else if (table_size(a, in, off, end, &size)) {
			attr_put(a, in, off, size, a->scratch->unused_tables, WHY_LSDA);
			off += size;
		} else
			return;
	}
}

/* Claims exception tables that no function refers to. lld keeps tables of removed functions if the
 * tables are in no section group, as in Rust. They lie between used tables. Bytes after a used
 * table of unknown size stay unclaimed. */
static void unused_tables(struct attr *a, const used_vec *used)
{
	const struct section *in = NULL;
	uint64_t off = 0; /* End of the previous used table */
	vec_each(const struct used_table, t, used) {
		if (!in || t->addr - in->addr >= in->size) {
			if (in)
				unused_bytes(a, in, off, in->size);
			in = image_section_at(a->im, t->addr);
			off = 0;
		}
		unused_bytes(a, in, off, t->addr - in->addr);
		off = t->size ? t->addr - in->addr + t->size : in->size;
	}
	if (in)
		unused_bytes(a, in, off, in->size);
}

/* A CIE and its owner: the first function that uses it. */
struct cie_owner {
	uint64_t off;
	label_id owner;
	uint32_t section;
};

static void cie_bytes(struct attr *a, const struct cie_owner *c)
{
	const struct section *s = &a->im->sections[c->section];
	struct reader r = reader_of(section_bytes(a->im, s), a->im->big_endian);
	reader_seek(&r, c->off);
	uint64_t size = read_u32(&r);
	if (size == UINT32_MAX)
		size = read_u64(&r) + 8;
	if (reader_ok(&r))
		attr_put(a, s, c->off, add_sat(size, 4), c->owner, WHY_UNWIND);
}

static void hdr_bytes(struct attr *a, const struct section *s)
{
	struct unwind_hdr h;
	const struct unwind_section us = attr_unwind_section(a, s);
	struct span_cursor cursor = { &a->vm, 0 };
	if (!unwind_hdr_parse(&h, &us))
		return;
	for (uint64_t i = 0; i < h.count; i++) {
		uint64_t func, fde;
		if (unwind_hdr_get(&h, i, &func, &fde))
			attr_put(a, s, h.table_off + i * h.entry_size, h.entry_size,
				 cursor_label(&cursor, func), WHY_UNWIND);
	}
}

static void exidx_bytes(struct attr *a, const struct section *s)
{
	const struct unwind_section us = attr_unwind_section(a, s);
	for (uint64_t i = 0; i < us.bytes.size / 8; i++) {
		uint64_t func, extab, size;
		if (!exidx_get(&us, i, &func, &extab))
			continue;
		const label_id owner = spans_label(&a->vm, func);
		attr_put(a, s, i * 8, 8, owner, WHY_UNWIND);
		const struct section *in = extab ? image_section_at(a->im, extab) : NULL;
		if (!in || in->nobits)
			continue;
		const struct bytes table = section_bytes(a->im, in);
		const uint64_t off = extab - in->addr;
		if (off < table.size &&
		    extab_size(bytes_sub(table, off, table.size - off), a->im->big_endian, &size))
			attr_put(a, in, off, size, owner, WHY_LSDA);
	}
}

/* Claims the entries of MIPS's .pdr (table of procedures) for their functions. */
static void pdr_bytes(struct attr *a, const struct section *s)
{
	struct unwind_section us = attr_unwind_section(a, s);
	uint64_t func;
	us.addr = image_code_base(a->im);
	for (uint64_t i = 0; pdr_get(&us, i, &func); i++)
		attr_put(a, s, i * PDR_ENTRY_SIZE, PDR_ENTRY_SIZE, spans_label(&a->vm, func),
			 WHY_UNWIND);
}

void attr_unwind_bytes(struct attr *a)
{
	struct span_cursor cursor = { &a->vm, 0 };
	VEC(struct cie_owner) cies = { 0 };
	used_vec used = { 0 };
	vec_each(const struct fde, d, &a->scratch->fdes) {
		const label_id owner = cursor_label(&cursor, d->addr);
		if (d->lsda)
			lsda_bytes(a, d, owner, &used);
		if (owner == LABEL_NONE || d->bytes == 0)
			continue;
		attr_put(a, &a->im->sections[d->section], d->off, d->bytes, owner, WHY_UNWIND);
		if (cies.count == 0 || cies.data[cies.count - 1].off != d->cie_off)
			vec_push(&cies, (struct cie_owner){ d->cie_off, owner, d->section });
	}
	vec_sort(&cies);
	for (size_t i = 0; i < cies.count; i++) {
		const struct cie_owner *c = &cies.data[i];
		if (i == 0 || c->off != c[-1].off || c->section != c[-1].section)
			cie_bytes(a, c);
	}
	if (a->scratch->unused_tables != LABEL_NONE) {
		vec_sort(&used);
		unused_tables(a, &used);
	}
	vec_release_all(&used, &cies);
	each_section(s, a->im) {
		if (section_is_procedures(a->im, s))
			pdr_bytes(a, s);
		if (!s->alloc || s->nobits)
			continue;
		if (str_ends(s->name, STR(".eh_frame_hdr")))
			hdr_bytes(a, s);
		else if (section_is_unwind_index(a->im, s))
			exidx_bytes(a, s);
	}
}
