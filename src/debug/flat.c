/* Gives each address of overlapping ranges one owner. */
#include "debug/flat.h"

#include "base/sort.h"

/* State of the sweep over addresses: a heap of the ranges that contain the current address, the
 * highest `who` first */
struct flat_sweep {
	const struct flat_range **heap;
	size_t count;
};

static void heap_push(struct flat_sweep *s, const struct flat_range *r)
{
	size_t i = s->count++;
	while (i > 0 && s->heap[(i - 1) / 2]->who < r->who) {
		s->heap[i] = s->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap[i] = r;
}

static void heap_pop(struct flat_sweep *s)
{
	const struct flat_range *last = s->heap[--s->count];
	size_t i = 0;
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= s->count)
			break;
		if (child + 1 < s->count && s->heap[child + 1]->who > s->heap[child]->who)
			child++;
		if (s->heap[child]->who <= last->who)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
}

static void flat_emit(struct flat *f, uint64_t addr, uint64_t end, uint32_t who)
{
	struct flat_span *last = f->spans.count ? &f->spans.data[f->spans.count - 1] : NULL;
	if (last && last->who == who && last->addr + last->size == addr) {
		last->size = (uint32_t)min_u64(end - last->addr, UINT32_MAX);
		return;
	}
	const uint32_t size = (uint32_t)min_u64(end - addr, UINT32_MAX);
	vec_push(&f->spans, (struct flat_span){ addr, size, who });
}

static void flat_verify(const struct flat *f)
{
	for (size_t i = 0; i < f->spans.count; i++) {
		const struct flat_span *s = &f->spans.data[i], *before = i > 0 ? s - 1 : NULL;
		ASSERT(s->size > 0 && s->who != FLAT_NONE);
		ASSERT(!before || s->addr - before->addr >= before->size);
		ASSERT(!before || s->addr > before->addr);
	}
}

void flat_lay(struct flat *ret, struct flat_range *ranges, size_t count)
{
	struct flat_sweep s = { 0 };
	uint64_t pos = 0;
	ret->spans.count = 0;
	sort_by_key(ranges, count, sizeof *ranges);
	s.heap = mem_alloc((count + 1) * sizeof(const struct flat_range *));
	for (size_t i = 0; i < count || s.count > 0;) {
		if (s.count > 0 && s.heap[0]->end <= pos) {
			heap_pop(&s);
			continue;
		}
		if (s.count == 0)
			pos = max_u64(pos, ranges[i].addr);
		if (i < count && ranges[i].addr <= pos) {
			if (ranges[i].end > pos)
				heap_push(&s, &ranges[i]);
			i++;
			continue;
		}
		const uint64_t next = i < count ? ranges[i].addr : UINT64_MAX;
		const uint64_t end = min_u64(s.heap[0]->end, next);
		flat_emit(ret, pos, end, s.heap[0]->who);
		pos = end;
	}
	ASSERT(s.count == 0);
	if (HEFT_CHECKS)
		flat_verify(ret);
	mem_free(s.heap);
}

const struct flat_span *flat_find_near(const struct flat *f, uint64_t addr, size_t *near)
{
	size_t low = *near, high = f->spans.count;
	if (low >= high || f->spans.data[low].addr > addr) {
		high = min_u64(low, high);
		low = 0;
	} else {
		for (size_t step = 1; step < high - low; step *= 2) {
			if (f->spans.data[low + step].addr > addr)
				high = low + step;
			else
				low += step;
		}
	}
	BISECT(low, low, high, mid, f->spans.data[mid].addr <= addr);
	if (low == 0)
		return NULL;
	*near = low - 1;
	const struct flat_span *s = &f->spans.data[low - 1];
	return addr - s->addr < s->size ? s : NULL;
}

const struct flat_span *flat_find(const struct flat *f, uint64_t addr)
{
	size_t near = 0;
	return flat_find_near(f, addr, &near);
}

void flat_release(struct flat *f)
{
	vec_release(&f->spans);
}
