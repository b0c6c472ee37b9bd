/* Deriving blocks: a header of 8 bytes says how, the rest is code and what it refers to. */
#include "derive/derive.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 8, ADDR = 0x1000, MOST = 1 << 16, PARTS = 5 };

struct input {
	struct bytes all;
	struct derive_extent extents[PARTS];
	uint64_t entries[2];
	struct derive_site sites[2];
	struct derive_callee callee;
	struct derive_fix fix;
	struct derive_data data;
	uint8_t conventions[PARTS];
	struct derive_facts facts;
};

static struct bytes load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct input *in = ctx;
	const uint64_t off = addr - ADDR;
	return off < in->all.size ? bytes_sub(in->all, off, min_u64(size, in->all.size - off))
				  : (struct bytes){ 0 };
}

static void cut(struct input *in, unsigned parts)
{
	const uint64_t each = in->all.size / parts;
	for (unsigned i = 0; i < parts; i++) {
		const uint64_t off = i * each;
		in->extents[i] = (struct derive_extent){
			ADDR + off,
			bytes_sub(in->all, off, i + 1 == parts ? in->all.size - off : each),
			i % 2 == 0, i == 1, i == 3
		};
	}
	in->facts.extent_count = parts;
}

static void fill(struct input *in, const uint8_t *h)
{
	static const enum code_isa isas[2][3] = { { CODE_X86_64, CODE_ARM64, CODE_I386 },
						  { CODE_THUMB, CODE_RISCV32, CODE_RISCV64 } };
	in->facts = (struct derive_facts){ .isa = isas[h[0] >> 7][h[0] % 3],
					   .convention = (enum derive_convention)(h[0] / 3 % 3),
					   .extents = in->extents,
					   .entries = in->entries,
					   .entry_count = 2,
					   .sites = in->sites,
					   .site_count = h[1] % 3,
					   .callees = &in->callee,
					   .callee_count = 1,
					   .load = load,
					   .ctx = in };
	cut(in, 1 + h[1] % PARTS);
	in->entries[0] = ADDR + h[2];
	in->entries[1] = in->entries[0] + h[3];
	in->sites[0] = (struct derive_site){ ADDR + h[4], 1u + h[5] % 64u, ADDR + h[6] };
	in->sites[1] = (struct derive_site){ ADDR + h[4] + 64, 16, h[6] % 2 };
	in->callee = (struct derive_callee){ ADDR + h[7], h[7] % 32 };
	in->fix = (struct derive_fix){ ADDR + h[3], ADDR + h[2] };
	in->data = (struct derive_data){ ADDR + h[7], 1u + h[6] % 16u };
	in->facts.data = &in->data;
	in->facts.data_count = h[0] >> 7;
	in->facts.fixes = &in->fix;
	in->facts.fix_count = h[0] / 9 % 2;
	if (h[0] / 18 % 2 && derive_guess(&in->facts, in->conventions) != DERIVE_PURE)
		in->facts.each = in->conventions;
}

static void check(const struct derive_facts *f, const struct derived *d)
{
	uint64_t count = 0;
	for (size_t i = 0; i < f->extent_count; i++) {
		uint64_t end = 0;
		ASSERT(d->functions[i].first == count);
		for (uint64_t k = 0; k < d->functions[i].count; k++) {
			const struct bbmap_block *b = &d->blocks.data[count++];
			ASSERT(b->id == k && b->size > 0 && b->off >= end);
			end = (uint64_t)b->off + b->size;
			ASSERT(end <= f->extents[i].code.size && b->flags < 32);
		}
	}
	ASSERT(count == d->blocks.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	struct derived one, many;
	if (size < HEADER + PARTS || size > MOST)
		return 0;
	in.all = (struct bytes){ data + HEADER, size - HEADER };
	fill(&in, data);
	derive(&in.facts, 1, &one);
	check(&in.facts, &one);
	derive(&in.facts, 2, &many);
	ASSERT(one.blocks.count == many.blocks.count);
	ASSERT(one.blocks.count == 0 || memcmp(one.blocks.data, many.blocks.data,
					       one.blocks.count * sizeof *one.blocks.data) == 0);
	derived_release(&one);
	derived_release(&many);
	return 0;
}
