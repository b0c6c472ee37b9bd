/* Checks the promises that image.h makes for every image, whatever its file says. */
#include "image/elf/elf_const.h"
#include "image/image.h"

static bool image_verify_is_inside(uint64_t off, uint64_t size, uint64_t room)
{
	return off <= room && size <= room - off;
}

static void check_sections(const struct image *im)
{
	ASSERT(im->section_count == 0 || im->sections);
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		ASSERT(s->index == i);
		ASSERT(image_verify_is_inside(s->off, s->file_size, im->bytes.size));
		ASSERT(s->addr <= UINT64_MAX - s->size);
		ASSERT(!s->nobits || s->file_size == 0);
		ASSERT(s->name.p || s->name.len == 0);
		ASSERT(s->made_reloc_count == 0 || s->made_relocs);
	}
}

/* Tables of other containers than ELF. */
static void check_made(const struct image *im)
{
	ASSERT(im->made_table < im->section_count || im->made_table == 0);
	ASSERT(im->made_strings < im->section_count || im->made_strings == 0);
	ASSERT(im->made_table == 0 || im->sections[im->made_table].type == SHT_SYMTAB);
	ASSERT(im->by_build || (im->made_count == 0 && im->entry_count == 0));
	for (size_t i = 0; i < im->entry_count; i++) {
		const struct image_entry *e = &im->entries[i];
		ASSERT(e->section < im->section_count && e->symbol < im->made_count);
		const struct section *s = &im->sections[e->section];
		ASSERT(image_verify_is_inside(e->off, e->size, s->nobits ? s->size : s->file_size));
	}
	for (size_t i = 0; i < im->made_count; i++) {
		const uint32_t in = im->made_symbols[i].symbol.section;
		ASSERT(in < im->section_count || in >= SYM_BAD || in == SYM_NO_SECTION);
	}
}

void image_verify(const struct image *im)
{
	ASSERT(im->bits == 32 || im->bits == 64);
	ASSERT(im->format && im->path && im->index);
	ASSERT(image_verify_is_inside(0, im->ehdr_size, im->bytes.size));
	ASSERT(image_verify_is_inside(im->phdr_off, im->phdr_size, im->bytes.size));
	ASSERT(image_verify_is_inside(im->shdr_off, im->shdr_size, im->bytes.size));
	for (size_t i = 0; i < im->part_count; i++) {
		ASSERT(im->parts[i].label);
		ASSERT(image_verify_is_inside(im->parts[i].off, im->parts[i].size, im->bytes.size));
	}
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *g = &im->segments[i];
		ASSERT(image_verify_is_inside(g->off, g->file_size, im->bytes.size));
		ASSERT(g->addr <= UINT64_MAX - g->vm_size);
		ASSERT(g->type != PT_LOAD || g->file_size <= g->vm_size);
		ASSERT(g->type != PT_LOAD || g->load_addr <= UINT64_MAX - g->file_size);
	}
	check_sections(im);
	check_made(im);
}
