/* Completes a layer: carries VM owners to the file, fills gaps, and checks both. */
#include "source/source.h"

#include "base/pool.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"

void layer_release(struct layer *l)
{
	spans_release(&l->vm);
	spans_release(&l->file);
}

/* A second thread is used from this number of owners on. */
enum { PARALLEL_MIN = 20000 };

/* Returns where sections with bytes, and symbols without an owner, begin in the VM image or in the
 * file. Padding ends there. Sorted. */
static uint64_t *layer_starts(const struct source_file *f, const struct layer *l,
			      enum heft_domain domain, size_t *count)
{
	VEC(uint64_t) starts = { 0 };
	if (domain == HEFT_FILE)
		vec_copy(&starts, &l->file_starts);
	else
		vec_copy(&starts, &l->vm_starts);
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		each_section(s, im) {
			if (domain == HEFT_FILE && s->file_size > 0)
				vec_push(&starts, im->file_off + s->off);
			else if (domain == HEFT_VM && s->alloc && s->size > 0)
				vec_push(&starts, s->addr);
		}
	}
	vec_sort(&starts);
	*count = starts.count;
	return starts.data;
}

static void pad(const struct source_file *f, const struct layer *l, struct spans *s,
		enum heft_domain domain)
{
	size_t count;
	const unsigned what = l->exact ? 0 : PAD_OWNERS;
	/* For Bloaty, padding may cross the ends of sections. */
	if (f->as_bloaty) {
		spans_pad(s, f->labels, what, NULL, 0);
		return;
	}
	uint64_t *starts = layer_starts(f, l, domain, &count);
	spans_pad(s, f->labels, what | PAD_SECTIONS, starts, count);
	mem_free(starts);
}

/* A layer that is being completed. VM image and file are two jobs */
struct finish {
	const struct source_file *f;
	struct layer *layer;
	struct claims file;               /* File claims that the data source made */
	struct claims vm_rest, file_rest; /* Claims of fallback_claims(), for bytes without an
					   * owner */
	struct spans translated;          /* Owners of VM bytes, as spans of the file */
	struct later_labels later;        /* Labels of fallback_claims() that have no text yet */
};

static void own_claims(void *ctx, size_t side, unsigned worker)
{
	struct finish *d = ctx;
	struct layer *l = d->layer;
	struct spans rest;
	(void)worker;
	if (side == 1) {
		struct spans s;
		claims_resolve(&d->file, d->f->map->file_size, &s);
		spans_overlay(&l->file, &s);
		return;
	}
	claims_resolve(&d->vm_rest, UINT64_MAX, &rest);
	spans_overlay(&l->vm, &rest);
	/* No other thread reads labels now. */
	later_labels_name(&d->later, d->f, &l->vm);
	basemap_add_stored(d->f->map, &l->vm);
	basemap_clip_vm(d->f->map, &l->vm);
	basemap_translate(d->f->map, &l->vm, &d->translated);
}

static void rest_of_side(void *ctx, size_t side, unsigned worker)
{
	struct finish *d = ctx;
	struct layer *l = d->layer;
	struct spans rest;
	(void)worker;
	if (side == 0) {
		pad(d->f, l, &l->vm, HEFT_VM);
		basemap_check_vm(d->f->map, &l->vm);
		return;
	}
	spans_overlay(&l->file, &d->translated);
	claims_resolve(&d->file_rest, d->f->map->file_size, &rest);
	spans_overlay(&l->file, &rest);
	/* heft made this image. After the program's bytes, it has tables that the file lacks. */
	if (!input_has_offsets(d->f->input))
		spans_cut(&l->file, d->f->map->file_size);
}

/* True if the file has the zeros of a section without bytes, because a section with bytes follows
 * in the segment. Example: .bss of a Linux kernel. */
static bool layer_has_zeros(const struct image *im, const struct section *s, struct bytes b)
{
	if (b.size < s->size || !bytes_are_zeros(b))
		return false;
	each_section(t, im) {
		const uint64_t room = t->addr - s->addr;
		if (t->alloc && t->file_size > 0 && t->addr >= s->addr + s->size &&
		    image_at(im, s->addr, room + 1).size > room)
			return true;
	}
	return false;
}

/* Claims file bytes at addresses of sections that state no bytes of their own (SHT_NOBITS), but
 * that a segment fills from the file. They belong to the segment. In a separate debug file, all
 * sections of the program are of this type. */
static void claim_hollow(const struct source_file *f, const struct image *im, struct claims *file)
{
	/* Code without bytes shows a separate debug file. */
	bool hollow = false;
	for (size_t i = 1; i < im->section_count && !hollow; i++)
		hollow = im->sections[i].exec && im->sections[i].nobits && im->sections[i].size > 0;
	const bool zeros = !f->as_bloaty && !hollow;
	each_section(s, im) {
		if (!s->nobits || s->size == 0 || !section_takes_vm(im, s))
			continue;
		const struct bytes b = image_at(im, s->addr, s->size);
		const uint64_t off = b.size > 0 ? im->file_off + (uint64_t)(b.p - im->bytes.p) : 0;
		const label_id label = b.size > 0 ? spans_label(&f->map->file, off) : LABEL_NONE;
		if (label == LABEL_NONE || (zeros && layer_has_zeros(im, s, b)))
			continue;
		const struct str name = label_text(f->labels, label);
		claim(file, off, b.size, label_bracketed(f->labels, name), WHY_SEGMENT);
	}
}

/* Replaces the labels of owned claims by words for how certain the owner is. */
static void claims_sure(const struct source_file *f, struct claims *c)
{
	label_id words[SURE_WORDS];
	for (size_t i = 0; i < SURE_WORDS; i++)
		words[i] = label_borrow(f->labels, str_of(sure_words[i]));
	vec_each(struct claim, k, &c->list) {
		const unsigned sure = why_sure((enum why)k->why);
		if (sure < SURE_WORDS && !label_is_fallback(f->labels, k->label))
			k->label = words[sure];
	}
}

/* Makes spans that say how certain the owners in `vm` are. Padding is as certain as the bytes
 * before it. Padding in code has no claim. */
static struct spans spans_sure(const struct source_file *f, const struct spans *vm)
{
	const struct spans *from = &f->origins->spans;
	struct spans made = { 0 };
	size_t k = 0;
	claims_sure(f, &f->origins->claims);
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span s = vm->list.data[i];
		for (uint64_t at = s.start, end; at < s.start + s.size; at = end) {
			const struct span *part = from->list.data + k;
			while (k < from->list.count && part->start + part->size <= at)
				part = from->list.data + ++k;
			const bool claimed = k < from->list.count && part->start <= at;
			const struct claim *c = claimed ? &f->origins->claims.list.data[part->label]
							: NULL;
			label_id label = c ? c->label : s.label;
			if ((!c || c->why == WHY_PADDING) && made.list.count > 0)
				label = made.list.data[made.list.count - 1].label;
			end = s.start + s.size;
			if (k < from->list.count)
				end = min_u64(end,
					      claimed ? part->start + part->size : part->start);
			spans_push(&made, at, end - at, label);
		}
	}
	ASSERT(spans_total(&made) == spans_total(vm));
	return made;
}

static struct claims claims_copy_sure(const struct source_file *f, const struct claims *from)
{
	struct claims c = { 0 };
	vec_copy(&c.list, &from->list);
	claims_sure(f, &c);
	return c;
}

/* Begins the layer f->sure with copies of the owners' claims. */
static struct finish finish_begin_sure(const struct finish *owners)
{
	const struct source_file *f = owners->f;
	ASSERT(f->origins && f->sure->vm.list.count == 0 && f->sure->file.list.count == 0);
	f->sure->vm = spans_sure(f, &owners->layer->vm);
	f->sure->exact = owners->layer->exact;
	return (struct finish){ .f = f,
				.layer = f->sure,
				.file = claims_copy_sure(f, &owners->file),
				.vm_rest = claims_copy_sure(f, &owners->vm_rest),
				.file_rest = claims_copy_sure(f, &owners->file_rest) };
}

static void finish_end(struct finish *d, unsigned threads)
{
	parallel_for(threads, 2, own_claims, d);
	parallel_for(threads, 2, rest_of_side, d);
	later_labels_name(&d->later, d->f, &d->layer->file);
	vec_release(&d->later.list);
	pad(d->f, d->layer, &d->layer->file, HEFT_FILE);
	basemap_check_file(d->f->map, &d->layer->file);
	ASSERT(d->file.list.count == 0 && d->file_rest.list.count == 0 &&
	       d->vm_rest.list.count == 0);
	ASSERT(d->translated.list.count == 0);
}

void layer_finish(const struct source_file *f, struct layer *l, struct claims *vm,
		  struct claims *file)
{
	struct finish d = { .f = f, .layer = l };
	if (vm)
		claims_own(f, &l->vm, vm);
	const unsigned threads = l->vm.list.count < PARALLEL_MIN ? 1 : f->threads;
	if (file) {
		if (f->trace)
			claims_trace(f, HEFT_FILE, file);
		claims_append(&d.file, file);
	}
	/* Trace, origins and certainty read the claims below, so the labels need texts now. */
	const bool now = f->trace || f->origins || f->sure;
	fallback_claims(f, &d.vm_rest, &d.file_rest, now ? NULL : &d.later);
	for (size_t i = 0; i < f->input->image_count; i++)
		if (f->input->images[i].kind == IMAGE_EXEC)
			claim_hollow(f, &f->input->images[i], &d.file);
	if (f->trace) {
		claims_trace(f, HEFT_VM, &d.vm_rest);
		claims_trace(f, HEFT_FILE, &d.file_rest);
	}
	if (f->sure) {
		struct finish sure = finish_begin_sure(&d);
		finish_end(&sure, threads);
	}
	if (f->origins)
		origins_keep(f, &d.vm_rest);
	finish_end(&d, threads);
	vec_release_all(&l->vm_starts, &l->file_starts);
}

/* The functions below claim the bytes that a data source has not claimed: for sections, header
 * tables, segments, and "[Unmapped]". */

struct str section_label_name(const struct source_file *f, const struct section *s)
{
	const struct str title = section_title(s);
	const bool module = input_is_one_image(f->input) && f->input->images[0].own_spaces;
	if (f->as_bloaty && module && str_eq(title, STR("Tag"))) /* Event in early proposals */
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
	each_section(s, im) {
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
	vec_sort(ret);
	ASSERT(im->section_count == 0 || ret->count == im->section_count - 1);
}

static label_id section_fallback(const struct source_file *f, const struct image *im,
				 const struct section *s)
{
	const struct str name = section_label_name(f, s);
	/* Names of segments, such as "[LOAD #1 [R]]", have brackets already. */
	return im->full_titles || str_starts(name, STR("["))
		       ? label_bracketed(f->labels, name)
		       : label_format(f->labels, "[section " STR_FMT "]", STR_ARG(name));
}

/* Claims the sections of image `index`. With `later`, labels get their texts later. */
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

/* Sorts segments: first loaded ones, in the order of the base map, then thread-local ones. */
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
	vec_sort(ret);
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
		/* In the memory of a device, bytes between sections are alignment. */
		if (s->type == PT_LOAD)
			label = f->map->regions && !im->bare && contents
					? fill_label(f->labels)
					: label_bracketed(f->labels, label_text(f->labels, label));
		claim(vm, s->addr, s->vm_size, label, WHY_SEGMENT);
		claim(file, im->file_off + s->off, s->file_size, label, WHY_SEGMENT);
	}
	vec_release(&order);
}

/* Claims the VM bytes of a header table, which is mostly in the first PT_LOAD segment. */
static void header_vm_claim(const struct source_file *f, const struct image *im, uint64_t off,
			    uint64_t size, const char *name, struct claims *vm)
{
	const label_id label = label_borrow(f->labels, str_of(name));
	if (spans_label(&f->map->file, im->file_off + off) == label)
		return; /* The base map gives bytes outside of segments to their header table. */
	each_segment(s, im) {
		if (s->type != PT_LOAD || off < s->off || off - s->off >= s->file_size)
			continue;
		const uint64_t skip = off - s->off;
		claim(vm, s->addr + skip, min_u64(size, s->file_size - skip), label, WHY_HEADER);
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
