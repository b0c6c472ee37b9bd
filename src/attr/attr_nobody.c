/* Lists the bytes without an owner. Most references are to owned bytes, which the bit mask rejects
 * without a search of sections and owners. */
#include "attr/attr_refs.h"

#include "code/addr_mask.h"

typedef void nobody_fn(void *ctx, uint64_t from, uint64_t to);

/* Calls fn with each range of [from, end) that has no owner. A range may be empty. */
static void nobody_each(const struct spans *vm, uint64_t from, uint64_t end, nobody_fn *fn,
			void *ctx)
{
	size_t i = spans_from(vm, from);
	if (i > 0)
		from = max_u64(from, vm->list.data[i - 1].start + vm->list.data[i - 1].size);
	for (; i < vm->list.count && from < end; i++) {
		const struct span *s = &vm->list.data[i];
		fn(ctx, from, min_u64(s->start, end));
		from = s->start + s->size;
	}
	fn(ctx, from, end);
}

static void nobody_mark(void *ctx, uint64_t from, uint64_t to)
{
	addr_mask_add(ctx, from, to);
}

static void nobody_list(void *ctx, uint64_t from, uint64_t to)
{
	struct spans *code = ctx;
	if (from < to)
		vec_push(&code->list, (struct span){ from, to - from, LABEL_NONE });
}

void attr_nobody_code(const struct attr *a, struct spans *ret)
{
	const struct image *im = a->im;
	/* Sections may overlap. Code is listed once, for the first section. */
	uint64_t done = 0;
	ASSERT(ret->list.count == 0 && a->owner != BY_SYMBOL);
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		const uint64_t end = add_sat(s->addr, s->size);
		if (!s->alloc || !s->exec || s->nobits || end <= done)
			continue;
		nobody_each(&a->vm, max_u64(s->addr, done), end, nobody_list, ret);
		done = end;
	}
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
	/* Sections may overlap. Their bytes are marked only once. */
	uint64_t done = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t end = add_sat(data[i]->addr, data[i]->size);
		ASSERT(i == 0 || data[i - 1]->addr <= data[i]->addr);
		if ((data[i]->exec && !code) || end <= done)
			continue;
		nobody_each(&a->vm, max_u64(data[i]->addr, done), end, nobody_mark, ret);
		done = end;
	}
}
