/* Claims PLT stubs and GOT slots for the symbol whose address is in the slot. */
#include "attr/attr_scratch.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"

static label_id attr_got_owner(const struct attr *a, const struct plt_slot *slot)
{
	return a->scratch->dyn_labels[slot->symbol];
}

static void put_stub(void *user, const struct plt_stub *stub)
{
	struct attr *a = user;
	attr_put(a, stub->section, stub->off, stub->size, attr_got_owner(a, stub->slot), WHY_PLT);
}

void attr_plt(struct attr *a)
{
	plt_each(&a->scratch->plt, put_stub, a);
}

/* Claims the slots of a GOT without a symbol for the owners of the addresses in the slots. */
static void got_targets(struct attr *a, const struct section *s)
{
	const uint64_t step = pointer_size(a->im);
	const uint64_t size = section_bytes(a->im, s).size;
	for (uint64_t off = 0; off + step <= size; off += step) {
		uint64_t target;
		if (load_pointer(a->im, s->addr + off, &target) && target != 0)
			attr_put(a, s, off, step, spans_label(&a->vm, target), WHY_GOT);
	}
}

/* Claims the slot of a thread-local variable. A slot is one word (an offset), or two: a descriptor,
 * or a module and an offset. */
static void got_tls(struct attr *a, const struct section *in, const struct reloc *r)
{
	const enum tls_form form = image_tls_form(a->im, r);
	uint64_t off = (uint64_t)r->addend;
	if (form == TLS_UNKNOWN || (form == TLS_MODULE && !load_pointer(a->im, r->addr + 8, &off)))
		return;
	label_id label = r->symbol > 0 && r->symbol < a->scratch->dyn_count
				 ? a->scratch->dyn_labels[r->symbol]
				 : LABEL_NONE;
	for (size_t i = 0; r->symbol == 0 && i < a->im->segment_count; i++) {
		const struct segment *s = &a->im->segments[i];
		if (s->type == PT_TLS) {
			label = off < s->vm_size ? spans_label(&a->vm, s->addr + off) : LABEL_NONE;
			break;
		}
	}
	attr_put(a, in, r->addr - in->addr, form == TLS_OFFSET ? 8 : 16, label, WHY_GOT);
}

/* Claims GOT slots whose final content only a relocation states, not the stored value. */
static void got_relocs(struct attr *a)
{
	for (size_t i = 1; i < a->im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		const struct section *s = &a->im->sections[i];
		if (!section_is_reloc(s) || !s->alloc || !reloc_open(&it, a->im, s))
			continue;
		while (reloc_next(&it, &r)) {
			uint64_t target;
			if (!r.alloc || (r.kind != RELOC_RELATIVE && r.kind != RELOC_IRELATIVE &&
					 r.kind != RELOC_TLS))
				continue;
			const struct section *in = image_section_at(a->im, r.addr);
			if (!in || !section_is_got(in))
				continue;
			if (r.kind == RELOC_TLS)
				got_tls(a, in, &r);
			else if (reloc_target(&it, &r, &target))
				attr_put(a, in, r.addr - in->addr, pointer_size(a->im),
					 spans_label(&a->vm, target), WHY_GOT);
		}
	}
}

void attr_got(struct attr *a)
{
	if (a->im->kind == IMAGE_OBJECT)
		return;
	vec_each(const struct plt_slot, slot, &a->scratch->plt.slots) {
		const struct section *in = image_section_at(a->im, slot->addr);
		ASSERT(in && slot->symbol < a->scratch->dyn_count);
		attr_put(a, in, slot->addr - in->addr, pointer_size(a->im), attr_got_owner(a, slot),
			 WHY_GOT);
	}
	got_relocs(a);
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_got(&a->im->sections[i]))
			got_targets(a, &a->im->sections[i]);
}
