/* image_check.h - what image.h promises of every image that opens. */
#ifndef HEFT_FUZZ_IMAGE_CHECK_H
#define HEFT_FUZZ_IMAGE_CHECK_H

#include "image/elf/elf_const.h"
#include "image/input.h"

static inline void check_range(uint64_t off, uint64_t count, uint64_t size)
{
	ASSERT(off <= size && count <= size - off);
}

static inline void check_sections(const struct image *im)
{
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		ASSERT(section_bytes(im, s).size == (s->again ? 0 : s->file_size));
		const uint64_t places[] = { s->addr, s->addr + s->size / 2, s->addr + s->size };
		for (size_t k = 0; k < COUNT_OF(places); k++) {
			const struct section *at = image_section_at(im, places[k]);
			ASSERT(!at || (at->alloc && places[k] - at->addr < at->size));
			const struct bytes b = image_at(im, places[k], 16);
			ASSERT(b.size <= 16 &&
			       (b.size == 0 || (b.p >= im->bytes.p &&
						b.p + b.size <= im->bytes.p + im->bytes.size)));
		}
		struct bytes plain;
		void *owned;
		if (s->file_size < 4096 && section_unpack(im, s, &plain, &owned))
			mem_free(owned);
	}
}

static inline void check_symbols(const struct image *im, const struct section *s)
{
	struct symtab t;
	if (!symtab_open(&t, im, s))
		return;
	for (size_t i = 0; i < t.count; i++) {
		uint64_t addr = 0;
		const struct symbol sym = symtab_get(&t, i);
		ASSERT(sym.section < im->section_count || sym.section >= SYM_BAD ||
		       sym.section == SYM_NO_SECTION);
		if (symbol_addr(im, &sym, &addr))
			ASSERT(im->sections[sym.section].alloc);
	}
}

static inline void check_relocs(const struct image *im, const struct section *s)
{
	struct reloc_iter it;
	struct reloc r;
	uint64_t end = 0, target;
	if (!reloc_open(&it, im, s))
		return;
	while (reloc_next(&it, &r)) {
		check_range(r.entry_off, r.entry_size, s->file_size);
		ASSERT(r.entry_size == 0 || r.entry_off >= end);
		if (r.entry_size)
			end = r.entry_off + r.entry_size;
		ASSERT(r.section < im->section_count || r.section == 0);
		(void)reloc_target(&it, &r, &target);
	}
}

/* Everything of one image, which is released. */
static inline void check_image(struct image *im)
{
	image_verify(im);
	check_sections(im);
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
			check_symbols(im, s);
		check_relocs(im, s);
	}
	ASSERT(image_describe(im)[0] != '\0');
	image_release(im);
}

/* Parses one image and checks it, or the error. */
static inline void check_parse(bool (*parse)(struct image *, const struct image_place *,
					     struct bytes, struct notes *, struct heft_err *),
			       struct bytes bytes)
{
	struct image im;
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (parse(&im, &(struct image_place){ "fuzz", STR(""), 0, 3 }, bytes, &notes, &err))
		check_image(&im);
	else
		ASSERT(err.code != HEFT_OK && memcmp(err.text, "fuzz: ", 6) == 0);
	notes_release(&notes);
}

#endif
