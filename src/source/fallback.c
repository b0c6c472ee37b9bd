#include "source/source.h"

#include "image/elf_const.h"

struct str section_label_name(const struct source_file *f, const struct section *s)
{
	const struct str title = section_title(s);
	if (title.len > 0)
		return title;
	return label_text(f->labels, label_format(f->labels, "#%" PRIu32, s->index));
}

void claim_section(const struct image *im, const struct section *s, label_id label, enum why why,
		   struct claims *vm, struct claims *file)
{
	if (section_takes_vm(im, s))
		claim(vm, s->addr, s->size, label, why);
	claim(file, im->file_off + s->off, s->file_size, label, why);
}

/* Bytes of raw images that are of no section ("[padding]") say so themselves. */
static label_id fallback_label(const struct source_file *f, const struct image *im,
			       const struct section *s)
{
	const struct str name = section_label_name(f, s);
	if (im->full_titles || str_starts(name, STR("[")))
		return label_bracketed(f->labels, name);
	return label_format(f->labels, "[section " STR_FMT "]", STR_ARG(name));
}

static void section_claims(const struct source_file *f, const struct image *im, struct claims *vm,
			   struct claims *file)
{
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		claim_section(im, s, fallback_label(f, im, s), WHY_FALLBACK, vm, file);
	}
}

static bool has_contents(const struct image *im)
{
	for (size_t i = 1; i < im->section_count; i++)
		if (section_takes_vm(im, &im->sections[i]))
			return true;
	return false;
}

/* Of the memory of a machine, what a segment has beside its sections aligns them. */
static label_id rest_label(const struct source_file *f, const struct image *im,
			   const struct segment *s)
{
	const label_id label = segment_label(f->labels, s);
	if (s->type != PT_LOAD)
		return label;
	if (f->map->regions && !im->bare && has_contents(im))
		return fill_label(f->labels);
	return label_bracketed(f->labels, label_text(f->labels, label));
}

static void segment_claims(const struct source_file *f, const struct image *im, struct claims *vm,
			   struct claims *file)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type != PT_LOAD && s->type != PT_TLS)
			continue;
		const label_id label = rest_label(f, im, s);
		claim(vm, s->addr, s->vm_size, label, WHY_SEGMENT);
		claim(file, im->file_off + s->off, s->file_size, label, WHY_SEGMENT);
	}
}

/* The VM side of a header table that a PT_LOAD maps. */
static void header_vm_claim(const struct source_file *f, const struct image *im, uint64_t off,
			    uint64_t size, const char *name, struct claims *vm)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type != PT_LOAD || off < s->off || off - s->off >= s->file_size)
			continue;
		const uint64_t skip = off - s->off;
		claim(vm, s->addr + skip, min_u64(size, s->file_size - skip),
		      label_borrow(f->labels, str_of(name)), WHY_HEADER);
		return;
	}
}

/* Header tables are part of the first segment as a rule, so they have VM bytes as well. */
static void header_vm_claims(const struct source_file *f, const struct image *im, struct claims *vm)
{
	for (size_t i = 0; i < im->part_count; i++)
		header_vm_claim(f, im, im->parts[i].off, im->parts[i].size, im->parts[i].label, vm);
}

void fallback_claims(const struct source_file *f, struct claims *vm, struct claims *file)
{
	for (size_t i = 0; i < f->input->image_count; i++)
		section_claims(f, &f->input->images[i], vm, file);
	claim_headers(f->input, f->labels, file);
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		if (im->kind == IMAGE_OBJECT)
			continue;
		header_vm_claims(f, im, vm);
		segment_claims(f, im, vm, file);
	}
	claim(file, 0, f->map->file_size, label_borrow(f->labels, STR("[Unmapped]")), WHY_FALLBACK);
}
