/* The source blocks: machine basic blocks, as compilers state them or, where they do not, as the code shows. */
#include "source/source.h"

#include "base/text.h"
#include "source/derive_map.h"

#include <stdio.h>

/* "FUNCTION#" of a function; block numbers follow. */
static void begin_labels(struct text *label, const struct blockmap_function *f)
{
	char made_up[32];
	int len = 0;
	text_set(label, STR(""));
	if (f->name) {
		text_add(label, str_of(f->name));
	} else {
		len = snprintf(made_up, sizeof made_up, "sub_%" PRIx64, f->addr);
		text_add(label, (struct str){ made_up, (size_t)len });
	}
	text_add_char(label, '#');
}

/* A block ends with its section, whatever its map says. */
static void claim_range(const struct source_file *f, const struct blockmap *b,
			const struct blockmap_range *r, struct text *label, struct claims *vm)
{
	const size_t len = label->len;
	const struct section *s = image_section_at(b->image, r->addr);
	if (!s || !section_takes_vm(b->image, s))
		return;
	const uint64_t room = s->size - (r->addr - s->addr);
	for (uint64_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *block = &b->blocks.data[i];
		if (block->size == 0 || block->off >= room)
			continue;
		text_add_number(label, block->id);
		claim(vm, r->addr + block->off, min_u64(block->size, room - block->off),
		      label_copy(f->labels, text_str(label)), WHY_BLOCK_MAP);
		label->len = len;
	}
}

/* Returns whether there are any. */
static bool claim_image(const struct source_file *f, const struct image *im, struct claims *vm)
{
	const struct image *debug = f->debug ? &f->debug->images[0] : NULL;
	struct blockmap b;
	struct text label = { 0 };
	blockmap_read(&b, im, debug, f->notes);
	if (b.functions.count == 0) {
		blockmap_release(&b);
		blockmap_derive(&b, im, debug, BLOCKS_AUTO, 1, f->notes);
	}
	const bool any = b.functions.count > 0;
	if (any)
		blockmap_name(&b, debug);
	for (size_t i = 0; i < b.functions.count; i++) {
		const struct blockmap_function *fn = &b.functions.data[i];
		begin_labels(&label, fn);
		for (uint32_t k = 0; k < fn->range_count; k++)
			claim_range(f, &b, &b.ranges.data[fn->range_first + k], &label, vm);
	}
	text_release(&label);
	blockmap_release(&b);
	return any;
}

void source_blocks(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 }, file = { 0 };
	bool any = false;
	for (size_t i = 0; i < f->input->image_count; i++)
		any = claim_image(f, &f->input->images[i], &vm) || any;
	if (!any)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no basic-block map, nor code to derive one from: blocks are not known");
	layer_add_vm(f, ret, &vm);
	layer_add_file(f, ret, &file);
	layer_finish(f, ret);
}
