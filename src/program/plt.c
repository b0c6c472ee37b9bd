#include "program/plt.h"

#include "base/sort.h"
#include "code/code.h"
#include "code/data_refs.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"

bool section_is_plt(const struct section *s)
{
	return s->alloc && s->exec && !s->nobits &&
	       (str_starts(s->name, STR(".plt")) || str_eq(s->name, STR(".iplt")));
}

bool section_is_got(const struct section *s)
{
	/* On 64-bit PowerPC, .plt is no code. It has the pointers that stubs load. */
	if (s->alloc && !s->exec && str_eq(s->name, STR(".plt")))
		return true;
	return s->alloc && !s->exec && s->type == SHT_PROGBITS && str_starts(s->name, STR(".got"));
}

static void plt_read_slots(struct plt *p, const struct section *table, size_t symbols)
{
	struct reloc_iter it;
	struct reloc r;
	if (!reloc_open(&it, p->im, table))
		return;
	while (reloc_next(&it, &r)) {
		if (r.symbol == 0 || r.symbol >= symbols || r.kind == RELOC_COPY)
			continue;
		const struct section *in = image_section_at(p->im, r.addr);
		if (in && section_is_got(in))
			vec_push(&p->slots,
				 (struct plt_slot){ r.addr, r.symbol, r.kind == RELOC_JUMP_SLOT });
	}
}

void plt_read(struct plt *p, const struct image *im)
{
	struct symtab t;
	ASSERT(!p->im || p->im == im);
	p->im = im;
	p->dynsym = image_section_type(im, SHT_DYNSYM, 1);
	p->slots.count = 0;
	if (!p->dynsym || !symtab_open(&t, im, p->dynsym))
		return;
	each_section(s, im)
		if (section_is_reloc(s) && s->link == p->dynsym->index)
			plt_read_slots(p, s, t.count);
	vec_sort(&p->slots);
}

void plt_release(struct plt *p)
{
	vec_release(&p->slots);
}

const struct plt_slot *plt_slot_at(const struct plt *p, uint64_t addr)
{
	const size_t i = vec_lower(&p->slots, addr);
	return i < p->slots.count && p->slots.data[i].addr == addr ? &p->slots.data[i] : NULL;
}

struct str plt_name(const struct plt *p, const struct plt_slot *slot)
{
	struct symtab t;
	return symtab_open(&t, p->im, p->dynsym) ? symtab_get(&t, slot->symbol).name : STR("");
}

/* Returns a stub's size: sh_entsize, or the psABI's if that is an alignment (i386, ARM). */
static uint64_t stub_size(const struct image *im, const struct section *s)
{
	if (s->entsize >= 8 && s->entsize <= 64)
		return s->entsize;
	const struct arch_stubs *stubs = &image_arch(im)->stubs;
	return stubs->got_size > 0 && str_eq(s->name, STR(".plt.got")) ? stubs->got_size
								       : stubs->size;
}

/* Calls `fn` for each stub whose code jumps through the slot of an import. Returns their number. */
static size_t stubs_by_code(const struct plt *p, const struct section *s, uint64_t size,
			    plt_stub_fn *fn, void *user)
{
	code_ref_vec refs = { 0 };
	size_t found = 0;
	code_refs(code_isa_of(p->im), section_bytes(p->im, s), s->addr,
		  &(struct ref_wish){ .kinds = REF_MEM | REF_ADDR }, &refs);
	for (size_t i = 0; i < refs.count; i++) {
		const struct plt_slot *slot = plt_slot_at(p, refs.data[i].to);
		const uint64_t off = (refs.data[i].from - s->addr) / size * size;
		if (!slot)
			continue;
		fn(user, &(struct plt_stub){ s, off, size, slot });
		found++;
	}
	vec_release(&refs);
	return found;
}

/* Calls `fn` for the stubs of a machine whose stubs have different sizes (ARM). A stub ends where
 * its code loads from a slot, and begins where the previous stub ends. The first one follows a
 * header. Returns their number. */
static size_t stubs_by_loads(const struct plt *p, const struct section *s, plt_stub_fn *fn,
			     void *user)
{
	enum { LOAD = 4 };
	code_ref_vec refs = { 0 };
	uint64_t at = str_eq(s->name, STR(".plt")) ? image_arch(p->im)->stubs.short_header : 0;
	size_t found = 0;
	if (!image_arch(p->im)->pools || !data_refs_known(p->im))
		return 0;
	data_refs(p->im, section_bytes(p->im, s), s->addr, &refs);
	for (size_t i = 0; i < refs.count; i++) {
		const struct plt_slot *slot = plt_slot_at(p, refs.data[i].to);
		const uint64_t end = refs.data[i].from - s->addr + LOAD;
		if (!slot || end <= at)
			continue;
		fn(user, &(struct plt_stub){ s, at, end - at, slot });
		at = end;
		found++;
	}
	vec_release(&refs);
	return found;
}

/* Lists the stubs of .plt if their code shows no slots: they are in the order of the jump slots. */
static void stubs_by_order(const struct plt *p, const struct section *s, plt_stub_fn *fn,
			   void *user)
{
	const struct arch_stubs *stubs = &image_arch(p->im)->stubs;
	uint64_t count = 0, size = stub_size(p->im, s);
	for (size_t i = 0; i < p->slots.count; i++)
		count += p->slots.data[i].jump;
	/* A header that jumps to the dynamic linker comes first. Ignores sections of another
	 * size. */
	if (stubs->short_size > 0 && s->size == stubs->short_header + stubs->short_size * count)
		size = stubs->short_size;
	else if (s->size != stubs->header + size * count)
		return;
	uint64_t off = s->size - size * count;
	for (size_t i = 0; i < p->slots.count; i++) {
		if (!p->slots.data[i].jump)
			continue;
		fn(user, &(struct plt_stub){ s, off, size, &p->slots.data[i] });
		off += size;
	}
	ASSERT(off == s->size);
}

void plt_each(const struct plt *p, plt_stub_fn *fn, void *user)
{
	for (size_t i = 1; p->slots.count > 0 && i < p->im->section_count; i++) {
		const struct section *s = &p->im->sections[i];
		if (!section_is_plt(s))
			continue;
		if (stubs_by_code(p, s, stub_size(p->im, s), fn, user) == 0 &&
		    stubs_by_loads(p, s, fn, user) == 0 && str_eq(s->name, STR(".plt")))
			stubs_by_order(p, s, fn, user);
	}
}
