/* Implements the data sources `blocks`, `functions` and `blockkinds`: basic blocks from the
 * compiler's map, otherwise derived from the code. */
#include "source/source.h"

#include "base/text.h"
#include "blocks/derive_map.h"
#include "code/flow.h"

#include <stdio.h>

struct blocks_claiming {
	const struct source_file *f;
	struct blockmap map; /* Blocks of the image, with names of functions */
	struct claims *vm;
};

/* Sets `label` to the function's name, or to a made-up one. */
static void function_label(struct text *label, const struct blockmap_function *f)
{
	char made_up[32];
	text_set(label, STR(""));
	if (f->name) {
		text_add(label, str_of(f->name));
		return;
	}
	const int len = snprintf(made_up, sizeof made_up, "sub_%" PRIx64, f->addr);
	text_add(label, (struct str){ made_up, (size_t)len });
}

/* Returns how many bytes a block of the range may have: until the end of its section. 0 if the
 * range is not in the image. */
static uint64_t room_of(const struct blockmap *b, const struct blockmap_range *r)
{
	const struct section *s = image_section_at(b->image, r->addr);
	return s && section_takes_vm(b->image, s) ? s->size - (r->addr - s->addr) : 0;
}

static enum why blocks_why(const struct blockmap *b, const struct blockmap_range *r)
{
	const uint8_t origin = b->functions.data[r->function].origin;
	return origin == BLOCKS_DERIVED ? WHY_DERIVED : WHY_BLOCK_MAP;
}

static void blocks_claim(const struct blocks_claiming *c, const struct blockmap_range *r,
			 label_id function)
{
	const uint64_t room = room_of(&c->map, r);
	ASSERT(r->first <= c->map.blocks.count && r->count <= c->map.blocks.count - r->first);
	for (uint64_t i = r->first; i < r->first + r->count; i++) {
		const struct bbmap_block *block = &c->map.blocks.data[i];
		if (block->size == 0 || block->off >= room)
			continue;
		claim(c->vm, r->addr + block->off, min_u64(block->size, room - block->off),
		      label_block(c->f->labels, function, block->id), blocks_why(&c->map, r));
	}
}

static void claim_all_blocks(const struct blocks_claiming *c)
{
	const struct blockmap *b = &c->map;
	struct text label = { 0 };
	vec_each(const struct blockmap_function, fn, &b->functions) {
		ASSERT((uint64_t)fn->range_first + fn->range_count <= b->ranges.count);
		function_label(&label, fn);
		const label_id function = label_copy(c->f->labels, text_str(&label));
		for (uint32_t k = 0; k < fn->range_count; k++)
			blocks_claim(c, &b->ranges.data[fn->range_first + k], function);
	}
	text_release(&label);
}

/* Claims each range of a function as a whole, with bytes between its blocks. */
static void blocks_claim_functions(const struct blocks_claiming *c)
{
	const struct blockmap *b = &c->map;
	struct text label = { 0 };
	vec_each(const struct blockmap_range, r, &b->ranges) {
		uint64_t size = 0;
		for (uint64_t k = r->first; k < r->first + r->count; k++)
			size = max_u64(size,
				       (uint64_t)b->blocks.data[k].off + b->blocks.data[k].size);
		function_label(&label, &b->functions.data[r->function]);
		claim(c->vm, r->addr, min_u64(size, room_of(b, r)),
		      label_copy(c->f->labels, text_str(&label)), blocks_why(b, r));
	}
	text_release(&label);
}

static void blocks_claim_piece(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind)
{
	static const char *const names[BLOCK_KINDS] = {
		[BLOCK_PLAIN] = "blocks",
		[BLOCK_COLD] = "cold parts",
		[BLOCK_LANDING_PAD] = "landing pads",
		[BLOCK_PADDING] = "padding between blocks",
		[BLOCK_UNMAPPED] = "unmapped code",
	};
	const struct blocks_claiming *c = ctx;
	const struct section *s = image_section_at(c->map.image, addr);
	if (!s || section_takes_vm(c->map.image, s))
		claim(c->vm, addr, size, label_borrow(c->f->labels, str_of(names[kind])),
		      WHY_BLOCK_MAP);
}

static void claim_kinds(const struct blocks_claiming *c)
{
	blockmap_tile(&c->map, blocks_claim_piece, (void *)(uintptr_t)c);
}

static void blocks_put(const struct source_file *f, struct claims *vm, bool any, struct layer *ret)
{
	if (!any)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no basic-block map, nor code to derive one from: blocks are not known");
	layer_finish(f, ret, vm, NULL);
}

/* Names the functions of c->map, claims its blocks, and releases it. False without functions. */
static bool blocks_claim_map(struct blocks_claiming *c, const struct image *debug,
			     void (*claim_all)(const struct blocks_claiming *c))
{
	const struct image *im = c->map.image;
	const bool any = c->map.functions.count > 0;
	image_forget(im, im->bytes); /* All code was read */
	if (any)
		blockmap_name(&c->map, debug);
	claim_all(c);
	blockmap_release(&c->map);
	return any;
}

static void source_blocks_run(const struct source_file *f, struct layer *ret,
			      void (*claim_all)(const struct blocks_claiming *c))
{
	const struct image *debug = f->debug ? &f->debug->images[0] : NULL;
	struct claims vm = { 0 };
	bool any = false;
	for (size_t i = 0; i < f->input->image_count; i++) {
		struct blocks_claiming c = { .f = f, .vm = &vm };
		const struct image *im = &f->input->images[i];
		blockmap_read(&c.map, im, debug, f->notes);
		if (c.map.functions.count == 0) {
			blockmap_release(&c.map);
			blockmap_derive(&c.map, im, debug, BLOCKS_AUTO, 1, f->notes);
		}
		any = blocks_claim_map(&c, debug, claim_all) || any;
	}
	blocks_put(f, &vm, any, ret);
}

void source_blocks(const struct source_file *f, struct layer *ret)
{
	source_blocks_run(f, ret, claim_all_blocks);
}

/* Finds the owners of VM bytes as the data source `symbols` does. */
static void functions_run_symbols(const struct source_file *f, struct layer *ret)
{
	struct source_file g = *f;
	g.places = NULL;
	g.panics = NULL;
	g.refs = NULL;
	g.trace = NULL;
	g.origins = NULL;
	g.vm_only = true;
	source_symbols(&g, ret);
}

/* Claims in `vm` the code of `im` that has a known owner in `owners`. True if it claimed any. */
static bool functions_claim_code(const struct source_file *f, const struct image *im,
				 const struct spans *owners, struct claims *vm)
{
	const size_t before = vm->list.count;
	struct claims sections = { 0 };
	struct spans code;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && section_takes_vm(im, &im->sections[i]))
			claim(&sections, im->sections[i].addr, im->sections[i].size, 0,
			      WHY_SECTION);
	claims_resolve(&sections, UINT64_MAX, &code);
	for (size_t i = 0, k = 0; i < owners->list.count && k < code.list.count;) {
		const struct span *s = &owners->list.data[i], *in = &code.list.data[k];
		const uint64_t start = max_u64(s->start, in->start);
		const uint64_t end = min_u64(s->start + s->size, in->start + in->size);
		if (start < end && !label_is_fallback(f->labels, s->label))
			claim(vm, start, end - start, s->label, WHY_SYMBOL);
		*(end == s->start + s->size ? &i : &k) += 1;
	}
	spans_release(&code);
	return vm->list.count > before;
}

/* Claims the functions of the compiler's map of basic blocks. For an image without such a map,
 * takes those of the data source `symbols`, so that both agree. */
void source_functions(const struct source_file *f, struct layer *ret)
{
	const struct image *debug = f->debug ? &f->debug->images[0] : NULL;
	const struct layer *symbols = f->symbols;
	struct layer own = { 0 };
	struct claims vm = { 0 };
	bool any = false;
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		struct blocks_claiming c = { .f = f, .vm = &vm };
		blockmap_read(&c.map, im, debug, f->notes);
		if (c.map.functions.count > 0) {
			any = blocks_claim_map(&c, debug, blocks_claim_functions);
			continue;
		}
		blockmap_release(&c.map);
		if (flow_isa_of(im) == CODE_NONE)
			continue;
		if (!symbols)
			functions_run_symbols(f, &own);
		symbols = symbols ? symbols : &own;
		any = functions_claim_code(f, im, &symbols->vm, &vm) || any;
	}
	blocks_put(f, &vm, any, ret);
	layer_release(&own);
}

void source_blockkinds(const struct source_file *f, struct layer *ret)
{
	ret->exact = true; /* Padding keeps its own label, not that of the bytes before it */
	source_blocks_run(f, ret, claim_kinds);
}
