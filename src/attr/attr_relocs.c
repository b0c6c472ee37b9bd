/* Claims a relocation entry for the owner of the bytes that it patches. An entry for a GOT slot
 * belongs to the slot's symbol. */
#include "attr/attr_scratch.h"

#include "base/pool.h"
#include "image/elf/elf_const.h"

static label_id attr_relocs_owner_of(const struct attr *a, const struct reloc_iter *it,
				     const struct reloc *r, struct span_cursor *cursor)
{
	uint64_t target;
	if (!r->alloc)
		return LABEL_NONE;
	const label_id owner = cursor_label(cursor, r->addr);
	if (owner != LABEL_NONE)
		return owner;
	if (r->kind == RELOC_JUMP_SLOT && r->symbol < a->scratch->dyn_count)
		return a->scratch->dyn_labels[r->symbol];
	/* A word without an owner belongs to the target of its pointer, as in .init_array and the
	 * kernel's tables about code. */
	return reloc_target(it, r, &target) ? spans_label(&a->vm, target) : LABEL_NONE;
}

/* The section that the current relocations patch. */
struct attr_relocs_patched {
	const struct section *in; /* NULL without a section */
	bool array; /* An array of pointers, such as .init_array. Each entry belongs to the
		     * function it points to. */
	bool table; /* True for a table about code, with fields of struct attr_relocs_field */
};

static void attr_relocs_go_to(struct attr_relocs_patched *p, const struct image *im, uint64_t addr)
{
	const struct section *in = p->in;
	if (in && addr - in->addr < in->size)
		return;
	in = image_section_at(im, addr);
	*p = (struct attr_relocs_patched){
		.in = in,
		.array = in && (in->type == SHT_INIT_ARRAY || in->type == SHT_FINI_ARRAY ||
				in->type == SHT_PREINIT_ARRAY),
		.table = in && !in->exec && !in->nobits && !section_is_data(in),
	};
}

/* A field of a table about code (the kernel's __ksymtab, __bug_table, .return_sites ...). The
 * field, and all bytes until the next field, belong to what the field points to. */
struct attr_relocs_field {
	uint64_t addr;
	label_id owner;
	const struct section *in; /* NULL without a current field */
};

enum { FIELD_MAX = 16 };

static void claim_field(struct attr *a, const struct attr_relocs_field *f, uint64_t end)
{
	const uint64_t size = min_u64(end - f->addr, FIELD_MAX);
	if (f->in && end > f->addr)
		attr_put(a, f->in, f->addr - f->in->addr, size, f->owner, WHY_DATA_REF);
}

static void entries(struct attr *a, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	struct span_cursor cursor = { &a->vm, 0 };
	struct attr_relocs_patched patched = { 0 };
	struct attr_relocs_field last = { 0 };
	if (!reloc_open(&it, a->im, s) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &r)) {
		const label_id owner = attr_relocs_owner_of(a, &it, &r, &cursor);
		attr_relocs_go_to(&patched, a->im, r.addr);
		if (r.entry_size > 0)
			attr_put(a, s, r.entry_off, r.entry_size, owner, WHY_RELOCATION);
		if (it.patched && r.alloc) {
			/* Fields come in rising order. A field whose target has no owner belongs to
			 * the previous field's owner. */
			const bool same = last.in == patched.in;
			claim_field(a, &last, same ? r.addr : last.addr + FIELD_MAX);
			last = (struct attr_relocs_field){ r.addr,
							   owner == LABEL_NONE && same ? last.owner
										       : owner,
							   patched.table ? patched.in : NULL };
		}
		if (patched.array)
			attr_put(a, patched.in, r.addr - patched.in->addr, pointer_size(a->im),
				 owner, WHY_POINTER_ARRAY);
	}
	claim_field(a, &last, last.addr + FIELD_MAX);
	image_forget(a->im, section_bytes(a->im, s));
}

/* The relocation tables. Each has a copy of the attr that collects its claims. */
struct attr_relocs_tables {
	VEC(const struct section *) list;
	struct attr *parts;
};

static void table_job(void *ctx, size_t i, unsigned worker)
{
	const struct attr_relocs_tables *t = ctx;
	(void)worker;
	entries(&t->parts[i], t->list.data[i]);
}

static void side_by_side(struct attr *a, struct attr_relocs_tables *t)
{
	t->parts = mem_zeroed(t->list.count, sizeof *t->parts);
	for (size_t i = 0; i < t->list.count; i++)
		t->parts[i] = attr_partner(a);
	parallel_for(a->f->threads, t->list.count, table_job, t);
	for (size_t i = 0; i < t->list.count; i++) {
		claims_append(&a->vm_claims, &t->parts[i].vm_claims);
		claims_append(&a->file_claims, &t->parts[i].file_claims);
	}
	mem_free(t->parts);
}

void attr_relocs(struct attr *a)
{
	struct attr_relocs_tables t = { 0 };
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_reloc(&a->im->sections[i]))
			vec_push(&t.list, &a->im->sections[i]);
	/* Reading an object's relocations may make notes. One thread keeps the order of notes
	 * fixed. */
	if (a->im->kind == IMAGE_EXEC)
		side_by_side(a, &t);
	for (size_t i = 0; a->im->kind != IMAGE_EXEC && i < t.list.count; i++)
		entries(a, t.list.data[i]);
	vec_release(&t.list);
}
