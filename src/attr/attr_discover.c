/* Finds functions that neither a symbol nor an unwind table names, in stripped images and in
 * objects. They come from the derived map of basic blocks, or from ARM's unwind tables. */
#include "attr/attr_refs.h"

#include "base/sort.h"
#include "blocks/derive_map.h"
#include "code/flow.h"
#include "unwind/unwind.h"
#include "image/arch.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "program/made_by.h"

struct discover {
	struct attr *a;
	enum code_isa isa;
	VEC(struct code_piece) gaps; /* Code without an owner, by address */
	split_function_vec found;
};

/* Adds a range of code without an owner. Splits it at symbols without a size. */
static void attr_discover_add_gap(struct discover *d, uint64_t from, uint64_t to)
{
	const place_vec *v = &d->a->scratch->unsized;
	size_t i = vec_lower(v, from);
	bool named = false, label = false;
	if (from >= to || code_gap_pads(d->isa, to - from))
		return;
	/* In an object, code after a label of assembly belongs to that label until the next one. */
	if (d->a->im->kind == IMAGE_OBJECT && i < v->count && v->data[i].addr < to)
		to = v->data[i].addr;
	if (from == to)
		return;
	for (; i < v->count && v->data[i].addr < to; i++) {
		const struct place *p = &v->data[i];
		if (!p->code)
			continue;
		if (p->addr > from) {
			vec_push(&d->gaps,
				 (struct code_piece){ from, p->addr - from, named, label });
			named = label = false;
		}
		from = p->addr;
		named = named || !p->vague;
		label = true;
	}
	vec_push(&d->gaps, (struct code_piece){ from, to - from, named, label });
}

/* Returns true if the symbol table names code. A stripped PE names only imports. */
static bool names_code(const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr))
		if (im->sections[s.section].exec)
			return true;
	return false;
}

/* Adds functions from ARM's unwind tables. The tables have the starts of ARM and Thumb functions.
 * Each function extends to the next one. */
static void find_unwound(struct discover *d, const struct section *s)
{
	const struct image *im = d->a->im;
	const struct unwind_section table = { .bytes = section_bytes(im, s),
					      .addr = s->addr,
					      .address_size = 4,
					      .big_endian = im->big_endian,
					      .path = im->path };
	uint64_t function, extab;
	for (uint64_t i = 0; exidx_get(&table, i, &function, &extab); i++)
		vec_push(&d->found, (struct split_function){ function & ~UINT64_C(1), 0, false });
}

static void find_arm(struct discover *d)
{
	const struct image *im = d->a->im;
	size_t kept = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_unwind_index(im, &im->sections[i]) && im->sections[i].alloc)
			find_unwound(d, &im->sections[i]);
	split_function_vec *v = &d->found;
	vec_sort(v);
	for (size_t i = 0; i < v->count; i++) {
		struct split_function f = v->data[i];
		const size_t after = vec_upper(&d->gaps, f.addr);
		const struct code_piece *p = after > 0 ? &d->gaps.data[after - 1] : NULL;
		if (!p || f.addr - p->addr >= p->size ||
		    (i + 1 < v->count && v->data[i + 1].addr == f.addr))
			continue;
		f.size = p->addr + p->size - f.addr;
		if (i + 1 < v->count)
			f.size = min_u64(f.size, v->data[i + 1].addr - f.addr);
		v->data[kept++] = f;
	}
	v->count = kept;
}

label_id attr_unnamed(struct labels *l, uint64_t addr)
{
	char text[20], *p = text + sizeof text;
	do {
		*--p = "0123456789abcdef"[addr & 15];
	} while ((addr >>= 4) > 0);
	p = memcpy(p - 4, "sub_", 4);
	return label_copy(l, (struct str){ p, (size_t)(text + sizeof text - p) });
}

static void attr_discover_claim_functions(struct discover *d)
{
	struct attr *a = d->a;
	vec_each(const struct split_function, f, &d->found) {
		const struct place *p = attr_unsized_at(a, f->addr);
		const label_id label = p ? p->label : attr_unnamed(a->f->labels, f->addr);
		a->scratch->made_up += !p;
		claim(&a->vm_claims, f->addr, f->size, label, WHY_ENTRY_POINT);
	}
}

/* Returns true if the image has symbols that `strip` would remove. */
static bool attr_discover_names_locals(const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, SHT_SYMTAB);
	all.objects = true;
	while (code_symbols_next(&all, &s, &addr))
		if (s.bind == STB_LOCAL && symbol_mark(&s) == 0)
			return true;
	return false;
}

void attr_discover(struct attr *a)
{
	struct discover d = { .a = a, .isa = code_split_isa_of(a->im) };
	struct spans code = { 0 };
	ASSERT(a->owner == BY_SYMBOL);
	ASSERT(!a->debug);
	/* Packed bytes contain no call instructions. */
	if ((!image_states_sizes(a->im) && names_code(a->im)) || made_by_packer(a->im).len > 0)
		return;
	attr_nobody_code(a, &code);
	for (size_t i = 0; i < code.list.count; i++)
		attr_discover_add_gap(&d, code.list.data[i].start,
				      code.list.data[i].start + code.list.data[i].size);
	spans_release(&code);
	a->scratch->code_unread = d.isa == CODE_NONE && d.gaps.count > 0 &&
				  !attr_discover_names_locals(a->im);
	if (d.isa == CODE_NONE)
		find_arm(&d);
	else
		code_gaps_split(a->im, d.isa, d.gaps.data, d.gaps.count, &d.found);
	attr_discover_claim_functions(&d);
	vec_release_all(&d.gaps, &d.found);
}
