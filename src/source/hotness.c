/* Implements the data source `hotness`: how often code ran, by samples. */
#include "source/source.h"

#include "blocks/derive_map.h"
#include "blocks/block_profile.h"

static const char *const names[HOTNESS_COUNT] = { "never", "cold", "warm", "hot" };

/* Claims the blocks of a range. A block ends at most with its section. */
static void claim_range(const struct source_file *f, const struct blockmap *b,
			const struct blockmap_range *r, const struct profile *p,
			const struct hotness_limits *limits, struct claims *vm)
{
	const struct section *s = image_section_at(b->image, r->addr);
	if (!s || !section_takes_vm(b->image, s))
		return;
	const uint64_t room = s->size - (r->addr - s->addr);
	ASSERT(r->first <= b->blocks.count && r->count <= b->blocks.count - r->first);
	for (uint64_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *k = &b->blocks.data[i];
		const enum hotness hotness = hotness_of(limits, p->counts[i]);
		if (k->size > 0 && k->off < room)
			claim(vm, r->addr + k->off, min_u64(k->size, room - k->off),
			      label_borrow(f->labels, str_of(names[hotness])), WHY_BLOCK_MAP);
	}
}

static void claim_profile(const struct source_file *f, const struct blockmap *b, struct claims *vm)
{
	const struct profile_wish wish = { f->samples, SAMPLES_PERF, false };
	struct profile p;
	struct heft_err err;
	if (!profile_read(&p, b, &wish, f->notes, &err)) {
		note(f->notes, f->path, HEFT_NO_OFFSET, 0, "hotness is not known: %s", err.text);
		return;
	}
	const struct hotness_limits limits = profile_limits(&p, b);
	for (size_t i = 0; i < b->ranges.count; i++)
		claim_range(f, b, &b->ranges.data[i], &p, &limits, vm);
	profile_release(&p);
}

static void hotness_claim_image(const struct source_file *f, const struct image *im,
				struct claims *vm)
{
	const struct image *debug = f->debug ? &f->debug->images[0] : NULL;
	struct blockmap b;
	blockmap_read(&b, im, debug, f->notes);
	if (b.functions.count == 0) {
		blockmap_release(&b);
		blockmap_derive(&b, im, debug, BLOCKS_AUTO, 1, f->notes);
	}
	claim_profile(f, &b, vm);
	blockmap_release(&b);
}

void source_hotness(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (!f->samples)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "hotness is not known: no samples were named");
	else if (f->input->archive || f->input->image_count != 1)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "hotness is known of programs and shared objects only");
	else
		hotness_claim_image(f, &f->input->images[0], &vm);
	layer_finish(f, ret, &vm, NULL);
}
