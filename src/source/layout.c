/* Implements data sources that need only the layout: inputfiles, armembers, segments, sections. */
#include "source/source.h"

#include "image/elf/elf_const.h"

void source_inputfiles(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 }, file = { 0 };
	const label_id label = label_copy(f->labels, str_of(f->path));
	for (size_t i = 0; i < f->map->ranges.count; i++)
		claim(&vm, f->map->ranges.data[i].addr, f->map->ranges.data[i].size, label,
		      WHY_FILE);
	claim(&file, f->map->file_begin, f->map->file_size - f->map->file_begin, label, WHY_FILE);
	layer_finish(f, ret, &vm, &file);
}

void source_armembers(const struct source_file *f, struct layer *ret)
{
	if (!f->input->archive && !f->as_bloaty) {
		source_inputfiles(f, ret);
		return;
	}
	struct claims vm = { 0 }, file = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		const label_id label = label_copy(f->labels,
						  f->input->archive ? im->member : str_of(f->path));
		for (size_t k = 1; k < im->section_count; k++)
			claim_section(im, &im->sections[k], label, WHY_MEMBER, &vm, &file);
		for (size_t k = 0; k < im->segment_count; k++)
			if (im->segments[k].type == PT_LOAD)
				claim(&vm, im->segments[k].addr,
				      f->as_bloaty ? im->segments[k].file_size
						   : im->segments[k].vm_size,
				      label, WHY_MEMBER);
		claim(&file, im->file_off, im->bytes.size, label, WHY_MEMBER);
	}
	layer_finish(f, ret, &vm, &file);
}

/* Implements the data source `segments`. Headers of ELF that no segment has are "[Unmapped]".
 * Headers of other containers and of archives keep their labels. */
void source_segments(const struct source_file *f, struct layer *ret)
{
	enum { PADDING_MAX = 16 };
	struct claims vm = { 0 }, file = { 0 };
	if (f->as_bloaty && input_is_one_image(f->input) && f->input->images[0].from_base) {
		source_sections(f, ret);
		return;
	}
	vec_each(const struct base_range, r, &f->map->ranges)
		claim(&vm, r->addr, r->size, r->label, WHY_SEGMENT);
	for (size_t i = 0; i < f->map->file.list.count; i++) {
		const struct span *s = &f->map->file.list.data[i];
		label_id label = s->label;
		if (str_starts(label_text(f->labels, label), STR("[ELF ")))
			label = label_borrow(f->labels, STR("[Unmapped]"));
		else if (i > 0 && s->size <= PADDING_MAX && label_is_fallback(f->labels, label) &&
			 !label_is_fallback(f->labels, s[-1].label))
			/* Padding of sections and header tables belongs to what precedes it. */
			label = s[-1].label;
		claim(&file, s->start, s->size, label, WHY_SEGMENT);
	}
	layer_finish(f, ret, &vm, &file);
}

void source_sections(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 }, file = { 0 };
	section_order_vec order = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		const uint64_t header = im->bits == 64 ? SHDR64_SIZE : SHDR32_SIZE;
		const bool headers = f->own_headers && im->shdr_size / header == im->section_count;
		section_order(f, im, &order);
		for (size_t t = 0; t < order.count; t++) {
			const size_t k = (size_t)order.data[t].index;
			const struct section *s = &im->sections[k];
			const struct str name = section_label_name(f, s);
			if (f->as_bloaty && ((!im->full_titles && section_is_made(im, s)) ||
					     str_eq(name, STR("Relocation Entries")) ||
					     !section_is_based(f, im, s)))
				continue;
			const label_id label = section_title(s).len
						       ? label_borrow(f->labels, name)
						       : label_format(f->labels,
								      "[section " STR_FMT "]",
								      STR_ARG(name));
			claim_section(im, s, label, WHY_SECTION, &vm, &file);
			if (headers)
				claim(&file, im->file_off + im->shdr_off + k * header, header,
				      label, WHY_HEADER);
		}
	}
	vec_release(&order);
	layer_finish(f, ret, &vm, &file);
}
