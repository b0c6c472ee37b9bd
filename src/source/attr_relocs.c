/* A relocation entry belongs to what it patches; a slot of the GOT stands for a symbol. */
#include "source/attr.h"

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

static void entries(struct attr *a, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	struct span_cursor cursor = { &a->vm, 0 };
	if (!reloc_open(&it, a->im, s) || (it.patched && !it.patched->alloc))
		return;
	while (reloc_next(&it, &r)) {
		const label_id owner = owner_of(a, &it, &r, &cursor);
		if (r.entry_size > 0)
			attr_put(a, s, r.entry_off, r.entry_size, owner, WHY_RELOCATION);
		if (patches_array(a, r.addr)) {
			const struct section *in = image_section_at(a->im, r.addr);
			attr_put(a, in, r.addr - in->addr, pointer_size(a->im), owner,
				 WHY_POINTER_ARRAY);
		}
	}
}

void attr_relocs(struct attr *a)
{
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_reloc(&a->im->sections[i]))
			entries(a, &a->im->sections[i]);
}
