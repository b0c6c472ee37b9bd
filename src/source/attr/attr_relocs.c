/* A relocation entry belongs to what it patches; a slot of the GOT stands for a symbol. */
#include "source/attr/attr.h"

#include "image/elf_const.h"

/* The entry of a pointer array (.init_array ...) patched here belongs to the function. */
static bool patches_array(const struct attr *a, uint64_t addr)
{
	const struct section *in = image_section_at(a->im, addr);
	return in && (in->type == SHT_INIT_ARRAY || in->type == SHT_FINI_ARRAY ||
		      in->type == SHT_PREINIT_ARRAY);
}

static label_id owner_of(const struct attr *a, const struct reloc_iter *it, const struct reloc *r,
			 struct span_cursor *cursor)
{
	uint64_t target;
	if (!r->alloc)
		return LABEL_NONE;
	const label_id owner = cursor_label(cursor, r->addr);
	if (owner != LABEL_NONE)
		return owner;
	if (r->kind == RELOC_JUMP_SLOT && r->symbol < a->dyn_count)
		return a->dyn_labels[r->symbol];
	/* What nobody has (.init_array, tables about code such as the kernel's) is there for
	 * what it points to. */
	return reloc_target(it, r, &target) ? spans_label(&a->vm, target) : LABEL_NONE;
}

/* A field of a table that is about code (the kernel's __ksymtab, __bug_table, .return_sites ...):
 * it and what follows up to the next field belong to what the field points to. */
struct field {
	uint64_t addr;
	label_id owner;
	const struct section *in; /* NULL: none */
};

enum { FIELD_MAX = 16 };

static void claim_field(struct attr *a, const struct field *f, uint64_t end)
{
	const uint64_t size = min_u64(end - f->addr, FIELD_MAX);
	if (f->in && end > f->addr)
		attr_put(a, f->in, f->addr - f->in->addr, size, f->owner, WHY_DATA_REF);
}

/* Fields in rising order; one that points to nobody goes with the one before it. */
static void next_field(struct attr *a, struct field *last, uint64_t addr, label_id owner)
{
	const struct section *in = image_section_at(a->im, addr);
	const bool table = in && !in->exec && !in->nobits && !section_is_data(in);
	claim_field(a, last, last->in == in ? addr : last->addr + FIELD_MAX);
	if (owner == LABEL_NONE && last->in == in)
		owner = last->owner;
	*last = (struct field){ addr, owner, table ? in : NULL };
}

static void entries(struct attr *a, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	struct span_cursor cursor = { &a->vm, 0 };
	struct field last = { 0 };
	if (!reloc_open(&it, a->im, s) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &r)) {
		const label_id owner = owner_of(a, &it, &r, &cursor);
		if (r.entry_size > 0)
			attr_put(a, s, r.entry_off, r.entry_size, owner, WHY_RELOCATION);
		if (it.patched && r.alloc)
			next_field(a, &last, r.addr, owner);
		if (patches_array(a, r.addr)) {
			const struct section *in = image_section_at(a->im, r.addr);
			attr_put(a, in, r.addr - in->addr, pointer_size(a->im), owner,
				 WHY_POINTER_ARRAY);
		}
	}
	claim_field(a, &last, last.addr + FIELD_MAX);
}

void attr_relocs(struct attr *a)
{
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_reloc(&a->im->sections[i]))
			entries(a, &a->im->sections[i]);
}
