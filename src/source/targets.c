/* Implements the data source `targets`: which processor bytes are for. Code for graphics processors
 * is for theirs, everything else for the host. */
#include "attr/attr.h"
#include "source/source.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "runtime/gpu_code.h"

struct targets {
	const struct source_file *f;
	const struct image *im;
	const struct section *in;
	struct claims vm, file;
};

static void targets_put(struct targets *t, uint64_t off, uint64_t size, label_id label)
{
	const struct section *s = t->in;
	if (size == 0)
		return;
	ASSERT(off <= s->file_size && size <= s->file_size - off);
	if (section_takes_vm(t->im, s))
		claim(&t->vm, s->addr + off, size, label, WHY_SECTION);
	claim(&t->file, t->im->file_off + s->off + off, size, label, WHY_SECTION);
}

static void targets_visit(void *ctx, const struct gpu_piece *p)
{
	struct targets *t = ctx;
	const struct bytes_place code = gpu_piece_place(p, 0, p->length);
	const label_id label = p->form == GPU_TABLES
				       ? label_borrow(t->f->labels, STR("(GPU code tables)"))
				       : label_copy(t->f->labels, p->target);
	targets_put(t, code.off, code.size, label);
	targets_put(t, p->off, p->size, label);
}

static void targets_claim(struct targets *t)
{
	const struct image *im = t->im;
	char text[IMAGE_TARGET_SIZE];
	const label_id target = label_copy(t->f->labels, image_gpu_target(im, text));
	const bool any = attr_gpu_any(im);
	for (size_t i = 1; any && i < im->section_count; i++) {
		t->in = &im->sections[i];
		uint64_t first;
		if (!attr_gpu_in(im, t->in))
			continue;
		const bool whole = gpu_code_walk(section_bytes(im, t->in), targets_visit, t,
						 &first) == 0;
		/* Bytes outside of pieces are alignment, unless some have no known form. */
		const struct str rest = whole ? STR("(GPU code tables)") : STR("(GPU code unread)");
		if (gpu_code_alone(t->in->name))
			targets_put(t, 0, t->in->file_size, label_borrow(t->f->labels, rest));
	}
	for (size_t i = 1; i < im->section_count; i++)
		claim_section(im, &im->sections[i], target, WHY_SECTION, &t->vm, &t->file);
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_LOAD)
			claim(&t->vm, im->segments[i].addr, im->segments[i].vm_size, target,
			      WHY_SEGMENT);
	claim(&t->file, im->file_off, im->bytes.size, target, WHY_SEGMENT);
}

void source_targets(const struct source_file *f, struct layer *ret)
{
	struct targets t = { .f = f };
	for (size_t i = 0; i < f->input->image_count; i++) {
		t.im = &f->input->images[i];
		targets_claim(&t);
	}
	ret->exact = true;
	layer_finish(f, ret, &t.vm, &t.file);
}
