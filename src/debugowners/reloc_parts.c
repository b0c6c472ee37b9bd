/* Cuts relocation tables into parts, and runs a job for each part. */
#include "debugowners/reloc_parts.h"

#include "base/pool.h"

enum { PART_ENTRIES = 1 << 16 };

void reloc_parts_add(struct reloc_parts *p, const struct reloc_iter *it)
{
	const uint64_t count = reloc_count(it);
	ASSERT(it->image == p->im);
	if (count <= PART_ENTRIES) {
		vec_push(&p->list, *it);
		return;
	}
	for (uint64_t i = 0; i < count; i += PART_ENTRIES)
		vec_push(&p->list, reloc_part(it, i, min_u64(PART_ENTRIES, count - i)));
}

void reloc_parts_run(const struct reloc_parts *p, unsigned threads,
		     void (*fn)(void *ctx, size_t i, unsigned worker), void *ctx)
{
	parallel_for(p->im->kind == IMAGE_EXEC ? threads : 1, p->list.count, fn, ctx);
}
