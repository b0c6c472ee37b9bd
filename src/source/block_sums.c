/* What of an image's code the blocks of a map are, and what they are not. */
#include "source/derive_internal.h"
#include "source/derive_map.h"

#include "code/x86.h"

uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left)
{
	struct x86_insn in;
	if (isa == CODE_ARM64) {
		static const uint8_t nop[] = { 0x1f, 0x20, 0x03, 0xd5 }, zero[4];
		return left >= 4 && (memcmp(p, nop, 4) == 0 || memcmp(p, zero, 4) == 0) ? 4 : 0;
	}
	if (*p == 0xcc || *p == 0)
		return 1;
	if (isa == CODE_NONE || !x86_decode(p, left, isa == CODE_X86_64, &in))
		return 0;
	return in.flow == X86_NOP ? in.len : 0;
}

static void add_gap(struct block_sums *sums, enum code_isa isa, const uint8_t *p, uint64_t size)
{
	while (size > 0) {
		const uint64_t pad = code_pad_size(isa, p, size);
		const uint64_t step = pad > 0 ? pad : 1;
		sums->padding += pad;
		sums->unmapped += pad > 0 ? 0 : 1;
		p += step;
		size -= step;
	}
}

/* The walk along the code, block by block. */
struct walk {
	struct block_sums *sums;
	enum code_isa isa;
	const struct code_region *region;
	size_t left; /* regions from this one on */
	uint64_t at; /* counted as far as here */
};

static uint64_t region_end(const struct code_region *r)
{
	return r->addr + r->bytes.size;
}

/* Counts what no block covers up to `to`. */
static void skip(struct walk *w, uint64_t to)
{
	while (w->left > 0) {
		const struct code_region *r = w->region;
		const uint64_t at = max_u64(w->at, r->addr), end = min_u64(to, region_end(r));
		if (at < end)
			add_gap(w->sums, w->isa, r->bytes.p + (at - r->addr), end - at);
		w->at = max_u64(w->at, end);
		if (to < region_end(r))
			return;
		w->region++;
		w->left--;
	}
}

static void count_block(struct walk *w, uint64_t addr, const struct bbmap_block *b)
{
	const uint64_t end = add_sat(addr, b->size);
	skip(w, addr);
	while (w->left > 0 && w->at < end) {
		const uint64_t at = max_u64(w->at, w->region->addr);
		const uint64_t stop = min_u64(end, region_end(w->region));
		if (at >= stop)
			return;
		*(b->flags & BBMAP_LANDING_PAD ? &w->sums->landing_pads
					       : &w->sums->blocks) += stop - at;
		w->at = stop;
		skip(w, stop);
	}
}

void blockmap_sum(const struct blockmap *b, struct block_sums *ret)
{
	struct code_regions regions = { 0 };
	*ret = (struct block_sums){ 0 };
	code_regions_list(b->image, &regions);
	struct walk w = { .sums = ret,
			  .isa = code_isa_of(b->image->machine),
			  .region = regions.data,
			  .left = regions.count };
	for (size_t i = 0; i < regions.count; i++)
		ret->code += regions.data[i].bytes.size;
	for (size_t i = 0; i < b->by_addr.count; i++) {
		const struct blockmap_range *r = &b->ranges.data[b->by_addr.data[i]];
		for (uint64_t k = r->first; k < r->first + r->count; k++)
			count_block(&w, add_sat(r->addr, b->blocks.data[k].off),
				    &b->blocks.data[k]);
	}
	skip(&w, UINT64_MAX);
	vec_release(&regions);
	ASSERT(ret->blocks + ret->landing_pads + ret->padding + ret->unmapped == ret->code);
}
