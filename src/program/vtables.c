/* Finds where tables of virtual functions begin and end. */
#include "program/vtables.h"

#include "base/sort.h"

/* Maximal distance of a base object from the object's top, in bytes. */
enum { OFFSET_MAX = 1 << 20 };

void vtables_add(struct vtables *v, uint64_t addr, enum pointee to)
{
	vec_push(&v->places, (struct pointer_place){ addr, to });
}

void vtables_sort(struct vtables *v)
{
	sort_by_key(v->places.data, v->places.count, sizeof *v->places.data);
}

void vtables_release(struct vtables *v)
{
	vec_release(&v->places);
}

/* Returns the index of the pointer at addr. Returns the count if there is none. */
static size_t place_at(const struct vtables *v, uint64_t addr)
{
	const struct pointer_place *p = v->places.data;
	const size_t count = v->places.count;
	if (count == 0 || addr < p[0].addr || addr > p[count - 1].addr)
		return count;
	const size_t i = lower_bound(p, count, sizeof *p, addr);
	return p[i].addr == addr ? i : count;
}

static size_t vtables_next_place(const struct vtables *v, size_t i)
{
	const uint64_t addr = v->places.data[i].addr;
	while (i < v->places.count && v->places.data[i].addr == addr)
		i++;
	return i;
}

static bool is_function(const struct vtables *v, size_t i, uint64_t addr)
{
	return i < v->places.count && v->places.data[i].addr == addr &&
	       v->places.data[i].to != POINTEE_DATA;
}

/* True if the head of a table begins at `start` and a function follows. Stores the function's index
 * in *ret. */
static bool is_head(const struct vtables *v, uint64_t start, size_t *ret)
{
	const uint64_t word = v->im->bits / 8u;
	const struct pointer_place *p = v->places.data;
	const size_t type = place_at(v, start + word);
	if (type == v->places.count || p[type].to == POINTEE_CODE ||
	    (type > 0 && p[type - 1].addr == start))
		return false;
	*ret = vtables_next_place(v, type);
	struct reader r = reader_of(image_at(v->im, start, word), v->im->big_endian);
	const uint64_t to_top = read_uint(&r, (unsigned)word);
	const uint64_t below = word == 8 ? -to_top : (uint32_t)-to_top;
	return is_function(v, *ret, start + 2 * word) && reader_ok(&r) && below < OFFSET_MAX &&
	       below % word == 0;
}

uint64_t vtable_start(const struct vtables *v, uint64_t addr)
{
	const uint64_t head = 2 * (v->im->bits / 8u);
	size_t function;
	return addr >= head && is_head(v, addr - head, &function) ? addr - head : addr;
}

uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end)
{
	const uint64_t word = v->im->bits / 8u;
	uint64_t at = start;
	size_t i;
	while (at < end && is_head(v, at, &i)) {
		at += 2 * word;
		for (; at < end && is_function(v, i, at); i = vtables_next_place(v, i))
			at += word;
	}
	ASSERT(end >= start);
	return at > start ? min_u64(at, end) : end;
}
