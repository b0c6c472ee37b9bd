/* Lists the bytes that have no owner yet. Most references lead to others, so that one look-up in a
 * mask spares the search for section and owner. */
#include "attr/attr_refs.h"

#include "code/addr_mask.h"

/* Adds the bytes of a section that have no owner. */
static void nobody_add(struct addr_mask *m, const struct spans *vm, const struct section *in)
{
	const uint64_t end = in->addr + in->size;
	uint64_t from = in->addr;
	size_t i = spans_from(vm, from);
	if (i > 0)
		from = max_u64(from, vm->list.data[i - 1].start + vm->list.data[i - 1].size);
	for (; i < vm->list.count && from < end; i++) {
		const struct span *s = &vm->list.data[i];
		addr_mask_add(m, from, min_u64(s->start, end));
		from = s->start + s->size;
	}
	addr_mask_add(m, from, end);
}

void attr_nobody(const struct attr *a, const struct section *const *data, size_t count, bool code,
		 struct addr_mask *ret)
{
	const struct image *im = a->im;
	uint64_t low = UINT64_MAX, high = 0;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (!s->alloc || s->size == 0)
			continue;
		low = min_u64(low, s->addr);
		high = max_u64(high, add_sat(s->addr, s->size));
	}
	addr_mask_open(ret, min_u64(low, high), high);
	for (size_t i = 0; i < count; i++)
		if (!data[i]->exec || code)
			nobody_add(ret, &a->vm, data[i]);
}
