/* Sums up the parts of a heap per piece of equal size. */
#include "heap/heap_strip.h"

static void heap_strip_add_part(struct heap_strip *s, const struct heap_part *p)
{
	ASSERT(s->size > 0);
	for (uint64_t done = 0; done < p->size;) {
		const uint64_t addr = p->addr + done;
		const uint64_t here = min_u64(p->size - done, s->size - addr % s->size);
		const uint64_t start = addr - addr % s->size;
		if (s->pieces.count == 0 || s->pieces.data[s->pieces.count - 1].addr != start)
			vec_push(&s->pieces, (struct heap_piece){ .addr = start });
		struct heap_piece *piece = &s->pieces.data[s->pieces.count - 1];
		*(p->kind == HEAP_PART_BLOCK  ? &piece->live
		  : p->kind == HEAP_PART_FREE ? &piece->free
					      : &piece->other) += here;
		done += here;
	}
}

static void take_part(void *ctx, const struct heap_part *part, const struct heap_found *block)
{
	struct heap_part split[HEAP_SPLIT_MAX];
	const size_t count = heap_part_split(part, block, split);
	for (size_t k = 0; k < count; k++)
		heap_strip_add_part(ctx, &split[k]);
}

void heap_strip_make(struct heap_strip *ret, const struct heap_layout *l)
{
	*ret = (struct heap_strip){ .size = HEAP_PAGE / 2 };
	for (uint64_t count = UINT64_MAX; count > HEAP_STRIP_MAX + 2 * l->spans.count;) {
		ret->size *= 2;
		/* A span may begin and end inside a piece. */
		count = 2 * l->spans.count;
		for (size_t i = 0; i < l->spans.count; i++)
			count += l->spans.data[i].size / ret->size;
	}
	heap_parts_each(l, take_part, ret);
	ASSERT(ret->size >= HEAP_PAGE);
}

void heap_strip_release(struct heap_strip *s)
{
	vec_release(&s->pieces);
}
