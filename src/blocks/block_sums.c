/* Sums up the code of an image by kind: blocks, padding and other bytes. */
#include "blocks/derive_map_internal.h"
#include "blocks/derive_map.h"

#include "code/flow.h"

/* A walk along the code, block by block */
struct block_sums_walk {
	void (*fn)(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind);
	void *ctx;
	enum code_isa isa;
	const struct code_region *region;
	size_t left; /* Number of regions that are not done yet, including `region` */
	uint64_t at; /* All bytes below this address were reported */
};

static void tell_gap(const struct block_sums_walk *w, uint64_t addr, uint64_t size)
{
	ASSERT(addr >= w->region->addr && addr - w->region->addr <= w->region->bytes.size - size);
	const uint8_t *p = w->region->bytes.p + (addr - w->region->addr);
	while (size > 0) {
		const uint64_t pad = code_pad_size(w->isa, p, size);
		const uint64_t step = pad > 0 ? pad : 1;
		w->fn(w->ctx, addr, step, pad > 0 ? BLOCK_PADDING : BLOCK_UNMAPPED);
		addr += step;
		p += step;
		size -= step;
	}
}

static uint64_t region_end(const struct code_region *r)
{
	return r->addr + r->bytes.size;
}

/* Reports the bytes until `to`, which are in no block. */
static void block_sums_skip(struct block_sums_walk *w, uint64_t to)
{
	while (w->left > 0) {
		const struct code_region *r = w->region;
		const uint64_t at = max_u64(w->at, r->addr), end = min_u64(to, region_end(r));
		if (at < end)
			tell_gap(w, at, end - at);
		w->at = max_u64(w->at, end);
		if (to < region_end(r))
			return;
		w->region++;
		w->left--;
	}
}

static void tell_block(struct block_sums_walk *w, uint64_t addr, uint64_t size,
		       enum block_kind kind)
{
	const uint64_t end = add_sat(addr, size);
	block_sums_skip(w, addr);
	while (w->left > 0 && w->at < end) {
		const uint64_t at = max_u64(w->at, w->region->addr);
		const uint64_t stop = min_u64(end, region_end(w->region));
		if (at >= stop)
			return;
		w->fn(w->ctx, at, stop - at, kind);
		w->at = stop;
		block_sums_skip(w, stop);
	}
}

void blockmap_tile(const struct blockmap *b,
		   void (*fn)(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind),
		   void *ctx)
{
	struct code_regions regions = { 0 };
	code_regions_list(b->image, &regions);
	struct block_sums_walk w = { .fn = fn,
				     .ctx = ctx,
				     .isa = flow_isa_of(b->image),
				     .region = regions.data,
				     .left = regions.count };
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		/* True for a part that the compiler moved away from its function: gcc and LLVM name
		 * it ".cold" and ".__part.", or it is not the function's first range. */
		const struct blockmap_function *f = &b->functions.data[r->function];
		const bool cold = r != &b->ranges.data[f->range_first] ||
				  (f->name &&
				   (strstr(f->name, ".cold") || strstr(f->name, ".__part.")));
		for (uint64_t k = r->first; k < r->first + r->count; k++) {
			const struct bbmap_block *block = &b->blocks.data[k];
			tell_block(&w, add_sat(r->addr, block->off), block->size,
				   block->flags & BBMAP_LANDING_PAD ? BLOCK_LANDING_PAD
				   : cold                           ? BLOCK_COLD
								    : BLOCK_PLAIN);
		}
	}
	block_sums_skip(&w, UINT64_MAX);
	ASSERT(w.left == 0);
	vec_release(&regions);
}

static void block_sums_add_piece(void *ctx, uint64_t addr, uint64_t size, enum block_kind kind)
{
	uint64_t *sums = ctx;
	(void)addr;
	sums[kind] += size;
}

void blockmap_sum(const struct blockmap *b, struct heft_block_sums *to)
{
	uint64_t sums[BLOCK_KINDS] = { 0 };
	struct code_regions regions = { 0 };
	blockmap_tile(b, block_sums_add_piece, sums);
	to->blocks += sums[BLOCK_PLAIN] + sums[BLOCK_COLD];
	to->landing_pads += sums[BLOCK_LANDING_PAD];
	to->padding += sums[BLOCK_PADDING];
	to->unmapped += sums[BLOCK_UNMAPPED];
	code_regions_list(b->image, &regions);
	for (size_t i = 0; i < regions.count; i++)
		to->code += regions.data[i].bytes.size;
	vec_release(&regions);
	ASSERT(to->blocks + to->landing_pads + to->padding + to->unmapped == to->code);
}
