/* Completes a layer: translates VM owners to the file, fills gaps, and checks both spaces. */
#include "source/source.h"

#include "base/pool.h"
#include "base/text.h"
#include "base/sort.h"

void layer_release(struct layer *l)
{
	spans_release(&l->vm);
	spans_release(&l->file);
}

/* Minimal number of owners for a second thread. */
enum { PARALLEL_MIN = 20000 };

/* Returns the sorted starts of sections with bytes, and of symbols without an owner, in one domain.
 * Empty sections end nothing. */
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
		for (size_t k = 1; k < im->section_count; k++) {
			const struct section *s = &im->sections[k];
			if (domain == HEFT_FILE && s->file_size > 0)
				vec_push(&starts, im->file_off + s->off);
			else if (domain == HEFT_VM && s->alloc && s->size > 0)
				vec_push(&starts, s->addr);
		}
	}
	sort_by_key(starts.data, starts.count, sizeof *starts.data);
	*count = starts.count;
	return starts.data;
}

static void pad(const struct source_file *f, const struct layer *l, struct spans *s,
		enum heft_domain domain)
{
	size_t count;
	const unsigned what = l->exact ? 0 : PAD_OWNERS;
	/* Bloaty pads across the ends of sections. */
	if (f->as_bloaty) {
		spans_pad(s, f->labels, what, NULL, 0);
		return;
	}
	uint64_t *starts = layer_starts(f, l, domain, &count);
	spans_pad(s, f->labels, what | PAD_SECTIONS, starts, count);
	mem_free(starts);
}

/* State of completing the two sides of a layer, one job per side. */
struct finish {
	const struct source_file *f;
	struct layer *layer;
	struct claims file;               /* Claims of the source */
	struct claims vm_rest, file_rest; /* claims of the fallback */
	struct spans translated;          /* VM owners as file spans */
	struct later_labels later;        /* Labels of the fallback that have no text yet */
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
	/* No other thread reads labels meanwhile. */
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
	if (!input_has_offsets(d->f->input)) /* The image has tables after the program's bytes */
		spans_cut(&l->file, d->f->map->file_size);
}

/* True if the file contains the zeros of a section without bytes, because another section of the
 * segment follows. Example: .bss of a Linux kernel. */
static bool layer_has_zeros(const struct image *im, const struct section *s, struct bytes b)
{
	if (b.size < s->size || !bytes_are_zeros(b))
		return false;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *t = &im->sections[i];
		const uint64_t room = t->addr - s->addr;
		if (t->alloc && t->file_size > 0 && t->addr >= s->addr + s->size &&
		    image_at(im, s->addr, room + 1).size > room)
			return true;
	}
	return false;
}

/* Claims sections without bytes, as in separate debug files, if other bytes are at their addresses.
 * These bytes belong to the segment. */
static void claim_hollow(const struct source_file *f, const struct image *im, struct claims *file)
{
	/* Code without bytes: a separate debug file has no contents. */
	bool hollow = false;
	for (size_t i = 1; i < im->section_count && !hollow; i++)
		hollow = im->sections[i].exec && im->sections[i].nobits && im->sections[i].size > 0;
	const bool zeros = !f->as_bloaty && !hollow;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
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

/* Replaces the labels of owned claims by words for the certainty of the owner. */
static void claims_sure(const struct source_file *f, struct claims *c)
{
	label_id words[SURE_WORDS];
	for (size_t i = 0; i < SURE_WORDS; i++)
		words[i] = label_borrow(f->labels, str_of(sure_words[i]));
	for (size_t i = 0; i < c->list.count; i++) {
		struct claim *k = &c->list.data[i];
		const unsigned sure = why_sure((enum why)k->why);
		if (sure < SURE_WORDS && !label_is_fallback(f->labels, k->label))
			k->label = words[sure];
	}
}

/* Makes spans that say how sure the owners of `vm` are. Padding is as sure as the bytes before it.
 * Padding in code has no claim. */
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

/* Starts the layer f->sure with copies of the owners' claims. */
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
		claims_trace(f, HEFT_FILE, file);
		claims_append(&d.file, file);
	}
	/* Origins, traces and certainty need the claims before they become owners. */
	const bool now = f->trace || f->origins || f->sure;
	fallback_claims(f, &d.vm_rest, &d.file_rest, now ? NULL : &d.later);
	for (size_t i = 0; i < f->input->image_count; i++)
		if (f->input->images[i].kind == IMAGE_EXEC)
			claim_hollow(f, &f->input->images[i], &d.file);
	claims_trace(f, HEFT_VM, &d.vm_rest);
	claims_trace(f, HEFT_FILE, &d.file_rest);
	if (f->sure) {
		struct finish sure = finish_begin_sure(&d);
		finish_end(&sure, threads);
	}
	origins_keep(f, &d.vm_rest);
	finish_end(&d, threads);
	vec_release(&l->vm_starts);
	vec_release(&l->file_starts);
}
