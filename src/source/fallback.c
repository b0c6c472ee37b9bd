/* Claims bytes that a source left over: for sections, header tables, segments, and "[Unmapped]". */
#include "source/source.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

struct str section_label_name(const struct source_file *f, const struct section *s)
{
	const struct str title = section_title(s);
	const bool module = input_is_one_image(f->input) && f->input->images[0].own_spaces;
	if (f->as_bloaty && module && str_eq(title, STR("Tag"))) /* The name in early proposals. */
		return STR("Event");
	if (title.len > 0)
		return title;
	return label_text(f->labels, label_format(f->labels, "#%" PRIu32, s->index));
}

bool section_is_based(const struct source_file *f, const struct image *im, const struct section *s)
{
	return !section_takes_vm(im, s) || basemap_covers(f->map, s->addr, s->size);
}

void claim_section(const struct image *im, const struct section *s, label_id label, enum why why,
		   struct claims *vm, struct claims *file)
{
	if (section_takes_vm(im, s))
		claim(vm, s->addr, s->size, label, why);
	claim(file, im->file_off + s->off, s->file_size, label, why);
}

/* True if sections may overlap or are not sorted by address. */
static bool sections_cross(const struct image *im)
{
	uint64_t end = 0;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (!section_takes_vm(im, s) || s->size == 0)
			continue;
		if (s->addr < end)
			return true;
		end = add_sat(s->addr, s->size);
	}
	return false;
}

void section_order(const struct source_file *f, const struct image *im, section_order_vec *ret)
{
	ret->count = 0;
	if (f->as_bloaty || f->map->regions || !sections_cross(im)) {
		for (size_t i = 1; i < im->section_count; i++)
			vec_push(ret, (struct section_turn){ 0, i });
		return;
	}
	for (size_t i = im->section_count; i-- > 1;)
		if (section_takes_vm(im, &im->sections[i]))
			vec_push(ret,
				 (struct section_turn){ UINT64_MAX - im->sections[i].addr, i });
	for (size_t i = 1; i < im->section_count; i++)
		if (!section_takes_vm(im, &im->sections[i]))
			vec_push(ret, (struct section_turn){ UINT64_MAX, i });
	sort_by_key(ret->data, ret->count, sizeof *ret->data);
	ASSERT(im->section_count == 0 || ret->count == im->section_count - 1);
}

static label_id section_fallback(const struct source_file *f, const struct image *im,
				 const struct section *s)
{
	const struct str name = section_label_name(f, s);
	/* Section names that come from segments ("[LOAD #1 [R]]") already have brackets. */
	return im->full_titles || str_starts(name, STR("["))
		       ? label_bracketed(f->labels, name)
		       : label_format(f->labels, "[section " STR_FMT "]", STR_ARG(name));
}

/* Claims the sections of image `index`. `later`: labels get their names later. */
static void section_claims(const struct source_file *f, size_t index, struct claims *vm,
			   struct claims *file, struct later_labels *later)
{
	const struct image *im = &f->input->images[index];
	section_order_vec order = { 0 };
	section_order(f, im, &order);
	for (size_t i = 0; i < order.count; i++) {
		const struct section *s = &im->sections[order.data[i].index];
		if (f->as_bloaty && (section_is_made(im, s) || !section_is_based(f, im, s)))
			continue;
		label_id label = LABEL_LATER | (label_id)(later ? later->list.count : 0);
		if (!later || label == LABEL_NONE)
			label = section_fallback(f, im, s);
		else
			vec_push(&later->list,
				 (struct later_label){ s, (uint32_t)index, LABEL_NONE });
		claim_section(im, s, label, WHY_FALLBACK, vm, file);
	}
	vec_release(&order);
}

void later_labels_name(struct later_labels *l, const struct source_file *f, struct spans *s)
{
	struct span *list = s->list.data;
	size_t out = 0;
	for (size_t i = 0; i < s->list.count; i++) {
		struct span k = list[i];
		if (k.label & LABEL_LATER) {
			ASSERT((k.label & ~LABEL_LATER) < l->list.count);
			struct later_label *n = &l->list.data[k.label & ~LABEL_LATER];
			if (n->label == LABEL_NONE)
				n->label = section_fallback(f, &f->input->images[n->image],
							    n->section);
			k.label = n->label;
		}
		struct span *last = out > 0 ? &list[out - 1] : NULL;
		if (last && last->label == k.label && last->start + last->size == k.start)
			last->size += k.size;
		else
			list[out++] = k;
	}
	s->list.count = out;
}

/* Orders segments: the loaded ones as in the base map, then those of threads. */
static void segment_order(const struct source_file *f, const struct image *im,
			  section_order_vec *ret)
{
	for (size_t i = im->segment_count; i-- > 0;) {
		const struct segment *s = &im->segments[i];
		const uint64_t key = f->map->regions ? i : UINT64_MAX - s->addr;
		if (s->type == PT_LOAD)
			vec_push(ret, (struct section_turn){ key, i });
	}
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_TLS)
			vec_push(ret, (struct section_turn){ UINT64_MAX, i });
	sort_by_key(ret->data, ret->count, sizeof *ret->data);
}

static void segment_claims(const struct source_file *f, const struct image *im, struct claims *vm,
			   struct claims *file)
{
	section_order_vec order = { 0 };
	bool contents = false;
	for (size_t i = 1; i < im->section_count && !contents; i++)
		contents = section_takes_vm(im, &im->sections[i]);
	segment_order(f, im, &order);
	for (size_t i = 0; i < order.count; i++) {
		const struct segment *s = &im->segments[order.data[i].index];
		label_id label = segment_label(f->labels, s);
		/* In a device's memory, bytes between sections are alignment. */
		if (s->type == PT_LOAD)
			label = f->map->regions && !im->bare && contents
					? fill_label(f->labels)
					: label_bracketed(f->labels, label_text(f->labels, label));
		claim(vm, s->addr, s->vm_size, label, WHY_SEGMENT);
		claim(file, im->file_off + s->off, s->file_size, label, WHY_SEGMENT);
	}
	vec_release(&order);
}

/* Claims the VM bytes of a header table in a PT_LOAD segment, usually the first. */
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

void fallback_claims(const struct source_file *f, struct claims *vm, struct claims *file,
		     struct later_labels *later)
{
	for (size_t i = 0; i < f->input->image_count; i++)
		section_claims(f, i, vm, file, later);
	claim_headers(f->input, f->labels, file);
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		if (im->kind == IMAGE_OBJECT)
			continue;
		for (size_t k = 0; k < im->part_count; k++)
			header_vm_claim(f, im, im->parts[k].off, im->parts[k].size,
					im->parts[k].label, vm);
		segment_claims(f, im, vm, file);
	}
	claim(file, f->map->file_begin, f->map->file_size - f->map->file_begin,
	      label_borrow(f->labels, STR("[Unmapped]")), WHY_FALLBACK);
}
