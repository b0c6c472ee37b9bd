/* Finds where data without a symbol ends. */
#include "attr/attr_ends.h"

#include "image/elf/elf_const.h"

uint64_t ends_string(const struct image *im, const struct section *s, uint64_t addr, uint64_t end)
{
	const uint64_t wanted = SHF_MERGE | SHF_STRINGS;
	if (im->kind != IMAGE_OBJECT || (s->flags & wanted) != wanted || s->nobits)
		return end;
	const unsigned width = s->entsize == 2 || s->entsize == 4 ? (unsigned)s->entsize : 1;
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	reader_seek(&r, addr - s->addr);
	while (reader_left(&r) >= width && s->addr + r.pos < end)
		if (read_uint(&r, width) == 0)
			return s->addr + r.pos;
	return end;
}

void ends_claim(struct attr *a, uint64_t start, uint64_t end, label_id label, enum why why)
{
	enum { LARGE_ALIGN = 32 };
	const uint64_t word = pointer_size(a->im);
	const bool sure = why == WHY_CODE_ORDER || why == WHY_DATA_ORDER;
	ASSERT(start <= end);
	const uint64_t rest = sure && end % LARGE_ALIGN == word && end - start > word ? word : 0;
	claim(&a->vm_claims, start, end - start - rest, label, why);
	claim(&a->vm_claims, end - rest, rest, label, WHY_CODE_REF);
}
