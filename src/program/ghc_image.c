/* Searches the code of an image for GHC's info tables. */
#include "program/ghc_image.h"

#include "base/sort.h"
#include "code/flow.h"

static struct bytes ghc_image_load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct image *im = ctx;
	const struct section *in = image_section_at(im, addr);
	if (!in || in->exec)
		return (struct bytes){ 0 };
	return image_at(im, addr, min_u64(size, in->size - (addr - in->addr)));
}

void ghc_image_tables(const struct image *im, struct ghc_tables *ret)
{
	VEC(struct ghc_code) code = { 0 };
	memset(ret, 0, sizeof *ret);
	if (im->bits != 64 || im->kind != IMAGE_EXEC)
		return;
	each_section(s, im) {
		if (s->exec && s->alloc && !s->nobits && !s->compressed && s->size > 0 &&
		    image_section_at(im, s->addr) == s)
			vec_push(&code, (struct ghc_code){ s->addr, section_bytes(im, s) });
	}
	vec_sort(&code);
	/* If sections overlap, the first one gets the shared bytes. */
	size_t kept = 0;
	for (size_t i = 0; i < code.count; i++) {
		const struct ghc_code *before = kept ? &code.data[kept - 1] : NULL;
		if (!before || code.data[i].addr - before->addr >= before->bytes.size)
			code.data[kept++] = code.data[i];
	}
	const struct ghc_image g = { .code = code.data,
				     .count = kept,
				     .big_endian = im->big_endian,
				     .inline_srt = flow_isa_of(im) == CODE_X86_64,
				     .load = ghc_image_load,
				     .ctx = (void *)(uintptr_t)im };
	ghc_tables_find(ret, &g);
	vec_release(&code);
}
