/* Applies relocations to constant data of objects, as if the object were linked at generated
 * addresses. So jump tables, whose entries are relocations, are filled. */
#include "base/sort.h"
#include "blocks/derive_map_internal.h"

static void derive_patched_patch(const struct image *im, const struct section *s,
				 const struct section *relocs, uint8_t *bytes)
{
	enum { X86_64_PC64 = 24, AARCH64_PREL64 = 260 };
	struct reloc_iter it;
	struct reloc r;
	uint64_t value;
	if (!reloc_open(&it, im, relocs))
		return;
	while (reloc_next(&it, &r)) {
		/* The field is a pointer, or the distance from the field to the target (psABIs of
		 * x86-64 and AArch64). */
		const bool wide = r.type == X86_64_PC64 || r.type == AARCH64_PREL64;
		const unsigned width = r.kind == RELOC_ABS     ? reloc_field(im, r.type).width
				       : r.kind != RELOC_PCREL ? 0
				       : wide                  ? 8
							       : 4;
		const uint64_t off = r.addr - s->addr;
		if (width == 0 || width > s->file_size || off > s->file_size - width ||
		    !reloc_target(&it, &r, &value))
			continue;
		value -= r.kind == RELOC_PCREL ? r.addr : 0;
		for (unsigned i = 0; i < width; i++)
			bytes[off + (im->big_endian ? width - 1 - i : i)] = (uint8_t)(value >>
										      8 * i);
	}
}

void gather_patched(struct gathering *g)
{
	const struct image *im = g->im;
	uint64_t left = im->bytes.size; /* Limit in bytes, because sections may overlap */
	for (size_t i = 1; im->kind == IMAGE_OBJECT && i < im->section_count; i++) {
		const struct section *relocs = &im->sections[i];
		if (!section_is_reloc(relocs) || relocs->info >= im->section_count)
			continue;
		const struct section *s = &im->sections[relocs->info];
		const struct bytes b = section_bytes(im, s);
		const bool constant = s->alloc && !s->exec && !s->nobits && !s->compressed &&
				      s->size <= s->file_size &&
				      (!s->write || str_starts(s->name, STR(".data.rel.ro")));
		if (!constant || b.size != s->file_size || b.size == 0 || b.size > left)
			continue;
		left -= b.size;
		uint8_t *copy = mem_alloc(b.size);
		memcpy(copy, b.p, b.size);
		derive_patched_patch(im, s, relocs, copy);
		vec_push(&g->patched, (struct patched){ s->addr, b.size, copy });
	}
	vec_sort(&g->patched);
}

struct bytes patched_at(const struct gathering *g, uint64_t addr, uint64_t size)
{
	const struct patched *p = vec_before(&g->patched, addr);
	ASSERT(!p || p->addr <= addr);
	if (!p || addr - p->addr >= p->size)
		return image_at(g->im, addr, size);
	return bytes_sub((struct bytes){ p->bytes, p->size }, addr - p->addr, size);
}
