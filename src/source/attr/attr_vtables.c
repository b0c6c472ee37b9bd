#include "source/attr/attr_vtables.h"

#include "base/sort.h"

/* No object is larger, so that no base of one is further from its top. */
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

static const struct pointer_place *place_at(const struct vtables *v, uint64_t addr)
{
	const size_t i = lower_bound(v->places.data, v->places.count, sizeof *v->places.data, addr);
	return i < v->places.count && v->places.data[i].addr == addr ? &v->places.data[i] : NULL;
}

static bool is_function(const struct vtables *v, uint64_t addr)
{
	const struct pointer_place *p = place_at(v, addr);
	return p && p->to != POINTEE_DATA;
}

static bool is_offset_to_top(const struct vtables *v, uint64_t addr)
{
	const uint64_t word = v->im->bits / 8u;
	struct reader r = reader_of(image_at(v->im, addr, word), v->im->big_endian);
	const uint64_t value = read_uint(&r, (unsigned)word);
	const uint64_t below = word == 8 ? -value : (uint32_t)-value;
	return reader_ok(&r) && !place_at(v, addr) && below < OFFSET_MAX && below % word == 0;
}

/* Whether the words of a table's head begin at `start`, with a function behind them. */
static bool is_head(const struct vtables *v, uint64_t start)
{
	const uint64_t word = v->im->bits / 8u;
	const struct pointer_place *type = place_at(v, start + word);
	return type && type->to != POINTEE_CODE && is_function(v, start + 2 * word) &&
	       is_offset_to_top(v, start);
}

uint64_t vtable_start(const struct vtables *v, uint64_t addr)
{
	const uint64_t head = 2 * (v->im->bits / 8u);
	return v->places.count > 0 && addr >= head && is_head(v, addr - head) ? addr - head : addr;
}

uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end)
{
	const uint64_t word = v->im->bits / 8u;
	uint64_t at = start;
	if (v->places.count == 0)
		return end;
	while (at < end && is_head(v, at)) {
		at += 2 * word;
		while (at < end && is_function(v, at))
			at += word;
	}
	return at > start ? min_u64(at, end) : end;
}
