/* Gives bytes to symbols and units by the rules of Bloaty. Owners come from symbols or debug info,
 * references of x86-64 code, symbol tables, RELA tables and unwind tables. Other bytes belong to
 * their section. */
#include "source/as_bloaty.h"

#include "attr/attr_scratch.h"
#include "code/code.h"
#include "image/elf/elf_const.h"
#include "unwind/unwind.h"

#include "base/sort.h"

bool bloaty_claims(const struct attr *a)
{
	ASSERT(a->f->as_bloaty);
	return a->owner != BY_FILE &&
	       (image_states_sizes(a->im) || a->im->full_titles || a->im->own_spaces);
}

static label_id bloaty_symbol_label(struct attr *a, const struct symbol *s)
{
	return s->name.len > 0
		       ? label_borrow(a->f->labels, s->name)
		       : label_format(a->f->labels, "[Anonymous symbol #%" PRIu32 "]", s->index);
}

/* True for a symbol that has bytes. A symbol of .tbss has none: its address belongs to other
 * data. */
static bool bloaty_symbol_is_defined(const struct image *im, const struct symbol *s)
{
	const struct section *in = s->section < im->section_count ? &im->sections[s->section]
								  : NULL;
	return s->type != STT_SECTION && s->section != SYM_NO_SECTION &&
	       !(in && in->alloc && !section_takes_vm(im, in));
}

/* Converts a symbol's value in an object to an offset in its section. The value is such an offset,
 * or an address if the section has one. */
static uint64_t bloaty_offset(const struct section *in, uint64_t value)
{
	const uint64_t own = in->addr & ((UINT64_C(1) << OBJECT_SECTION_SHIFT) - 1);
	return value >= own && value - own < in->size ? value - own : value;
}

/* Returns the address of a symbol. In linked images, it may be outside of the VM image. */
static bool bloaty_symbol_addr(const struct image *im, const struct symbol *s, uint64_t *ret)
{
	const bool there = symbol_addr(im, s, ret);
	if (im->kind != IMAGE_OBJECT) {
		if (!there)
			*ret = s->value;
		return true;
	}
	if (there)
		*ret = im->sections[s->section].addr +
		       bloaty_offset(&im->sections[s->section], s->value);
	return there;
}

/* Returns the symbol table. Functions of a WebAssembly module have symbols even without names. */
static const struct section *bloaty_table(const struct image *im)
{
	return im->own_spaces ? image_section_type(im, SHT_SYMTAB, 1) : image_symbols(im);
}

/* Data or code of unknown size, which a symbol names or code refers to */
struct bloaty_target {
	uint64_t addr;
	label_id label;
};

typedef VEC(struct bloaty_target) bloaty_targets;

/* Returns the end of the target at `addr`. It ends at the next target, at the next owner, or with
 * the section. In the GOT, a target is one pointer. */
static uint64_t bloaty_target_end(const struct attr *a, uint64_t addr, uint64_t next)
{
	const struct section *in = image_section_at(a->im, addr);
	const size_t owned = spans_from(&a->vm, addr);
	if (!in)
		return addr;
	uint64_t end = min_u64(next, add_sat(in->addr, in->size));
	if (owned < a->vm.list.count)
		end = min_u64(end, a->vm.list.data[owned].start);
	if (str_starts(in->name, STR(".got")))
		end = min_u64(end, add_sat(addr, pointer_size(a->im)));
	return end;
}

/* Claims the targets. If several have one address, the first wins. */
static void bloaty_claim_targets(struct attr *a, bloaty_targets *list, enum why why)
{
	vec_sort(list);
	for (size_t i = 0, next; i < list->count; i = next) {
		const struct bloaty_target *to = &list->data[i];
		for (next = i + 1; next < list->count && list->data[next].addr == to->addr;)
			next++;
		const uint64_t end = bloaty_target_end(
			a, to->addr, next < list->count ? list->data[next].addr : UINT64_MAX);
		claim(&a->vm_claims, to->addr, end - to->addr, to->label, why);
	}
	vec_release(list);
}

/* Claims the symbols of a table in their order. In Mach-O, symbols have no size. Skips those that
 * heft made from other tables. */
static void bloaty_symbols(struct attr *a, const struct image *im, const struct section *table)
{
	const bool sized = !im->full_titles;
	bloaty_targets unsized = { 0 };
	struct symtab t;
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		const struct section *in = s.section < im->section_count ? &im->sections[s.section]
									 : NULL;
		uint64_t addr;
		if (!bloaty_symbol_is_defined(im, &s) || (sized && s.size == 0) ||
		    (!sized && symtab_bytes(&t, &s).entry_size == 0))
			continue;
		const label_id label = bloaty_symbol_label(a, &s);
		if (in && !in->alloc) {
			if (im == a->im)
				attr_put(a, in, bloaty_offset(in, s.value), s.size, label,
					 WHY_SYMBOL);
		} else if (bloaty_symbol_addr(im, &s, &addr) &&
			   basemap_covers(a->f->map, addr, 1)) {
			if (sized)
				claim(&a->vm_claims, addr, s.size, label, WHY_SYMBOL);
			else
				vec_push(&unsized, (struct bloaty_target){ addr, label });
		}
	}
	bloaty_claim_targets(a, &unsized, WHY_SYMBOL);
}

/* Lists the addresses that the code of an x86-64 function refers to by pc-relative operands. */
static void bloaty_function_refs(const struct attr *a, uint64_t addr, uint64_t size,
				 code_ref_vec *refs, bloaty_targets *ret)
{
	const struct bytes code = image_at(a->im, addr, size);
	refs->count = 0;
	code_refs(CODE_X86_64, code, addr, &(struct ref_wish){ .kinds = REF_MEM | REF_ADDR }, refs);
	vec_each(const struct code_ref, r, refs) {
		const label_id label = spans_label(&a->vm, r->from);
		if (label != LABEL_NONE && !spans_find(&a->vm, r->to))
			vec_push(ret, (struct bloaty_target){ r->to, label });
	}
}

/* Claims what functions refer to. Of several functions, the first in the symbol table wins. */
static void bloaty_refs(struct attr *a)
{
	struct symtab t;
	code_ref_vec refs = { 0 };
	bloaty_targets targets = { 0 };
	const struct section *table = image_symbols(a->im);
	if (code_isa_of(a->im) != CODE_X86_64 || a->im->kind == IMAGE_OBJECT || !table ||
	    !symtab_open(&t, a->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		uint64_t addr;
		if (s.type == STT_FUNC && s.size > 0 && symbol_addr(a->im, &s, &addr))
			bloaty_function_refs(a, addr, s.size, &refs, &targets);
	}
	bloaty_claim_targets(a, &targets, WHY_CODE_REF);
	vec_release(&refs);
}

/* For a WebAssembly module: claims the names of symbols, and for each function and piece of data
 * the fields that precede it, such as its size. */
static void bloaty_module_parts(struct attr *a)
{
	struct symtab t;
	const struct section *table = bloaty_table(a->im);
	if (!table || !symtab_open(&t, a->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		const struct symbol_bytes b = symtab_bytes(&t, &s);
		attr_put(a, table, b.entry_off, b.entry_size, bloaty_symbol_label(a, &s), WHY_NAME);
	}
	for (size_t i = 0; i < a->im->entry_count; i++) {
		const struct image_entry *e = &a->im->entries[i];
		const struct section *in = &a->im->sections[e->section];
		struct symbol s;
		if (e->symbol == 0)
			attr_put(a, in, e->off, e->size, spans_label(&a->vm, e->addr), WHY_SYMBOL);
		else if (str_eq(section_title(in), STR("Data")) && image_entry_symbol(a->im, e, &s))
			attr_put(a, in, e->off, e->size, bloaty_symbol_label(a, &s), WHY_SYMBOL);
	}
}

/* Claims the entries and names of a symbol table, for the owners of the symbols' addresses. */
static void bloaty_symbol_table(struct attr *a, const struct section *table)
{
	struct symtab t;
	uint64_t addr;
	if (!symtab_open(&t, a->im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		const struct symbol_bytes b = symtab_bytes(&t, &s);
		if (!bloaty_symbol_is_defined(a->im, &s) || !bloaty_symbol_addr(a->im, &s, &addr))
			continue;
		const label_id owner = spans_label(&a->vm, addr);
		attr_put(a, table, b.entry_off, b.entry_size, owner, WHY_SYMBOL_ENTRY);
		if (t.strings)
			attr_put(a, t.strings, b.name_off, b.name_size, owner, WHY_NAME);
	}
}

static uint64_t bloaty_patched(const struct reloc_iter *it, const struct reloc *r)
{
	const struct section *in = it->image->kind == IMAGE_OBJECT ? it->patched : NULL;
	if (!in || !in->alloc)
		return r->addr;
	return in->addr + bloaty_offset(in, r->alloc ? r->addr - in->addr : r->addr);
}

/* Claims relocations with an addend for the owners of the bytes that they patch. */
static void bloaty_relocs(struct attr *a, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	if (!reloc_open(&it, a->im, s) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &r))
		attr_put(a, s, r.entry_off, r.entry_size,
			 spans_label(&a->vm, bloaty_patched(&it, &r)), WHY_RELOCATION);
}

/* Claims the entries of .eh_frame for the code that they describe. */
static void bloaty_frames(struct attr *a, const struct section *s)
{
	const struct unwind_section us = attr_unwind_section(a, s);
	struct unwind_iter it;
	struct unwind_entry e;
	unwind_init(&it, &us);
	while (unwind_next(&it, &e))
		if (e.ok && !e.cie && !e.terminator)
			attr_put(a, s, e.off, e.size, spans_label(&a->vm, e.func_addr), WHY_UNWIND);
	unwind_release(&it);
}

static void bloaty_frame_index(struct attr *a, const struct section *s)
{
	const struct unwind_section us = attr_unwind_section(a, s);
	struct unwind_hdr h;
	uint64_t func, entry;
	if (!unwind_hdr_parse(&h, &us))
		return;
	for (uint64_t i = 0; i < h.count; i++)
		if (unwind_hdr_get(&h, i, &func, &entry))
			attr_put(a, s, h.table_off + i * h.entry_size, h.entry_size,
				 spans_label(&a->vm, func), WHY_UNWIND);
}

/* Claims the entries of tables, section by section. A table may use owners that earlier tables set.
 * Unwind tables of objects refer to nothing yet. */
static void bloaty_tables(struct attr *a)
{
	const bool linked = a->im->kind != IMAGE_OBJECT;
	each_section(s, a->im) {
		if (a->vm_claims.list.count > 0)
			attr_commit_vm(a);
		if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
			bloaty_symbol_table(a, s);
		else if (s->type == SHT_RELA && image_states_sizes(a->im))
			bloaty_relocs(a, s);
		else if (linked && str_eq(s->name, STR(".eh_frame")))
			bloaty_frames(a, s);
		else if (linked && str_eq(s->name, STR(".eh_frame_hdr")))
			bloaty_frame_index(a, s);
	}
}

void bloaty_run(struct attr *a)
{
	ASSERT(bloaty_claims(a) && a->vm.list.count == 0);
	if (a->f->places) {
		vec_push(&a->f->places->images, a->f->places->list.count);
		vec_push(&a->f->places->outside_images, a->f->places->outside.count);
	}
	if (a->owner == BY_UNIT)
		attr_units(a);
	else if (a->debug && bloaty_table(a->debug))
		bloaty_symbols(a, a->debug, bloaty_table(a->debug));
	else
		bloaty_symbols(a, a->im, bloaty_table(a->im));
	attr_commit_vm(a);
	bloaty_refs(a);
	attr_commit_vm(a);
	if (!a->im->own_spaces)
		bloaty_tables(a);
	else if (a->owner == BY_SYMBOL)
		bloaty_module_parts(a);
	attr_commit_vm(a);
	if (a->owner == BY_UNIT)
		attr_debug_sections(a);
}
