/* What image.h promises of every image, whatever its file says. */
#include "image/elf/elf_const.h"
#include "image/image.h"

static bool image_verify_is_inside(const struct image *im, uint64_t off, uint64_t size)
{
	return size == 0 || (off <= im->bytes.size && size <= im->bytes.size - off);
}

static void check_sections(const struct image *im)
{
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		ASSERT(s->index == i);
		ASSERT(image_verify_is_inside(im, s->off, s->file_size));
		ASSERT(!s->nobits || s->file_size == 0);
		ASSERT(s->name.p || s->name.len == 0);
	}
}

static void check_segments(const struct image *im)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *g = &im->segments[i];
		ASSERT(image_verify_is_inside(im, g->off, g->file_size));
		ASSERT(g->addr <= UINT64_MAX - g->vm_size);
		ASSERT(g->type != PT_LOAD || g->load_addr <= UINT64_MAX - g->file_size);
	}
}

/* Made tables: of other containers than ELF. */
static void check_made(const struct image *im)
{
	ASSERT(im->made_table < im->section_count || im->made_table == 0);
	ASSERT(im->made_strings < im->section_count || im->made_strings == 0);
	for (size_t i = 0; i < im->entry_count; i++) {
		const struct image_entry *e = &im->entries[i];
		ASSERT(e->section < im->section_count);
		ASSERT(e->symbol == 0 || e->symbol < im->made_count);
		ASSERT(e->size <= UINT64_MAX - e->off);
	}
}

void image_verify(const struct image *im)
{
	ASSERT(im->bits == 32 || im->bits == 64);
	ASSERT(im->format && im->path);
	ASSERT(image_verify_is_inside(im, 0, im->ehdr_size));
	ASSERT(image_verify_is_inside(im, im->phdr_off, im->phdr_size));
	ASSERT(image_verify_is_inside(im, im->shdr_off, im->shdr_size));
	for (size_t i = 0; i < im->part_count; i++) {
		ASSERT(image_verify_is_inside(im, im->parts[i].off, im->parts[i].size));
		ASSERT(im->parts[i].label);
	}
	check_sections(im);
	check_segments(im);
	check_made(im);
}
