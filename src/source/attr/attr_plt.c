/* PLT stubs and GOT slots, under the name of the symbol they stand for. */
#include "source/attr/attr.h"

#include "base/sort.h"
#include "code/code.h"
#include "image/elf_const.h"

bool section_is_plt(const struct section *s)
{
	return s->alloc && s->exec && !s->nobits &&
	       (str_starts(s->name, STR(".plt")) || str_eq(s->name, STR(".iplt")));
}

bool section_is_got(const struct section *s)
{
	return s->alloc && !s->exec && s->type == SHT_PROGBITS && str_starts(s->name, STR(".got"));
}

void attr_got_init(struct attr *a)
{
	a->got.count = 0;
	for (size_t i = 1; i < a->im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		const struct section *s = &a->im->sections[i];
		if (!section_is_reloc(s) || !a->dynsym || s->link != a->dynsym->index ||
		    !reloc_open(&it, a->im, s))
			continue;
		while (reloc_next(&it, &r)) {
			if (r.symbol == 0 || r.symbol >= a->dyn_count || r.kind == RELOC_COPY)
				continue;
			const struct section *in = image_section_at(a->im, r.addr);
			if (in && section_is_got(in))
				vec_push(&a->got, (struct got_slot){ r.addr, r.symbol,
								     r.kind == RELOC_JUMP_SLOT });
		}
	}
	sort_by_key(a->got.data, a->got.count, sizeof *a->got.data);
}

label_id attr_got_owner(const struct attr *a, const struct got_slot *slot)
{
	return a->dyn_labels[slot->symbol];
}

const struct got_slot *attr_got_at(const struct attr *a, uint64_t addr)
{
	const size_t low = lower_bound(a->got.data, a->got.count, sizeof *a->got.data, addr);
	return low < a->got.count && a->got.data[low].addr == addr ? &a->got.data[low] : NULL;
}

/* Bytes of one stub where the section header does not say: the sizes the psABIs use. */
static uint64_t stub_size(const struct image *im, const struct section *s)
{
	if (s->entsize >= 4 && s->entsize <= 64)
		return s->entsize;
	return str_eq(s->name, STR(".plt.got")) && im->machine == EM_X86_64 ? 8 : 16;
}

/* Stubs that jump through a slot say so in their code. */
static size_t stubs_by_code(struct attr *a, const struct section *s, uint64_t size,
			    attr_stub_fn *fn)
{
	code_ref_vec refs = { 0 };
	size_t found = 0;
	code_refs(code_isa_of(a->im->machine), section_bytes(a->im, s), s->addr,
		  &(struct ref_wish){ .kinds = REF_MEM | REF_ADDR }, &refs);
	for (size_t i = 0; i < refs.count; i++) {
		const struct got_slot *slot = attr_got_at(a, refs.data[i].to);
		const uint64_t off = (refs.data[i].from - s->addr) / size * size;
		if (!slot)
			continue;
		fn(a, s, off, size, slot);
		found++;
	}
	vec_release(&refs);
	return found;
}

/* Stubs that say nothing stand in the order of the jump slots, from the end of the section
 * on backwards, so that the size of the header does not matter. */
static void stubs_by_order(struct attr *a, const struct section *s, uint64_t size, attr_stub_fn *fn)
{
	uint64_t off = s->size / size * size;
	for (size_t i = a->got.count; i-- > 0 && off >= size;) {
		if (!a->got.data[i].jump)
			continue;
		off -= size;
		fn(a, s, off, size, &a->got.data[i]);
	}
}

void attr_plt_each(struct attr *a, attr_stub_fn *fn)
{
	for (size_t i = 1; i < a->im->section_count; i++) {
		const struct section *s = &a->im->sections[i];
		if (!section_is_plt(s))
			continue;
		const uint64_t size = stub_size(a->im, s);
		if (stubs_by_code(a, s, size, fn) == 0 && str_eq(s->name, STR(".plt")))
			stubs_by_order(a, s, size, fn);
	}
}

static void put_stub(struct attr *a, const struct section *s, uint64_t off, uint64_t size,
		     const struct got_slot *slot)
{
	attr_put(a, s, off, size, attr_got_owner(a, slot), WHY_PLT);
}

void attr_plt(struct attr *a)
{
	attr_plt_each(a, put_stub);
}

/* A slot without a symbol goes to the owner of what it points to. */
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

/* Where thread-local variables stand in the TLS image. */
static label_id tls_label(const struct attr *a, uint64_t off)
{
	for (size_t i = 0; i < a->im->segment_count; i++) {
		const struct segment *s = &a->im->segments[i];
		if (s->type == PT_TLS)
			return off < s->vm_size ? spans_label(&a->vm, s->addr + off) : LABEL_NONE;
	}
	return LABEL_NONE;
}

/* Slots for thread-local variables: an offset, or a pair of words (module and offset, which
 * stands in the second word, or a descriptor). */
static void got_tls(struct attr *a, const struct section *in, const struct reloc *r)
{
	const bool x86 = a->im->machine == EM_X86_64, arm = a->im->machine == EM_AARCH64;
	const bool module = (x86 && r->type == R_X86_64_DTPMOD64) ||
			    (arm && r->type == R_AARCH64_TLS_DTPMOD);
	const bool pair = module || (x86 && r->type == R_X86_64_TLSDESC) ||
			  (arm && r->type == R_AARCH64_TLSDESC);
	uint64_t off = (uint64_t)r->addend;
	if (!(x86 || arm) || (module && !load_pointer(a->im, r->addr + 8, &off)))
		return;
	const label_id label = r->symbol == 0             ? tls_label(a, off)
			       : r->symbol < a->dyn_count ? a->dyn_labels[r->symbol]
							  : LABEL_NONE;
	attr_put(a, in, r->addr - in->addr, pair ? 16 : 8, label, WHY_GOT);
}

/* Slots whose relocation says what they hold, not they themselves. */
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
	for (size_t i = 0; i < a->got.count; i++) {
		const struct section *in = image_section_at(a->im, a->got.data[i].addr);
		attr_put(a, in, a->got.data[i].addr - in->addr, pointer_size(a->im),
			 attr_got_owner(a, &a->got.data[i]), WHY_GOT);
	}
	got_relocs(a);
	for (size_t i = 1; i < a->im->section_count; i++)
		if (section_is_got(&a->im->sections[i]))
			got_targets(a, &a->im->sections[i]);
}
