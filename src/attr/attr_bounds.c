/* Recognizes references to the bounds of sections. Code that walks through a section refers to the
 * section's first byte and to the byte after its last. Code that tests whether an address lies in
 * the section does the same. The next section may begin at that end address. A reference to that
 * address tells little about the next section's owner. */
#include "attr/attr_refs.h"

#include "base/sort.h"

struct attr_bounds {
	const struct section *const *data; /* sorted by address */
	size_t count;
	uint64_t low, room; /* No section begins in the `room` bytes from `low` on */
	VEC(uint64_t)
	starts; /* Sorted: index of the section << 32 | label that refers to its start */
};

/* Returns the index of the section that begins at an address. Returns the count if no section
 * begins there. */
static size_t attr_bounds_section_at(struct attr_bounds *b, uint64_t addr)
{
	size_t at;
	if (addr - b->low < b->room) /* Most addresses are in the section of the previous one. */
		return b->count;
	BISECT(at, 0, b->count, mid, b->data[mid]->addr < addr);
	if (at < b->count && b->data[at]->addr == addr)
		return at;
	b->low = at > 0 ? b->data[at - 1]->addr + 1 : 0;
	b->room = (at < b->count ? b->data[at]->addr : UINT64_MAX) - b->low;
	return b->count;
}

static void attr_bounds_add_start(struct attr_bounds *b, uint64_t addr, label_id label)
{
	const size_t i = label == LABEL_NONE ? b->count : attr_bounds_section_at(b, addr);
	if (i + 1 < b->count && b->data[i]->addr + b->data[i]->size == b->data[i + 1]->addr)
		vec_push(&b->starts, (uint64_t)i << 32 | label);
}

/* True if the address ends a section to whose start the code `label` also refers. */
static bool attr_bounds_is_end(struct attr_bounds *b, uint64_t addr, label_id label)
{
	const size_t i = label == LABEL_NONE || b->starts.count == 0
				 ? b->count
				 : attr_bounds_section_at(b, addr);
	if (i == 0 || i == b->count)
		return false;
	const uint64_t key = (uint64_t)(i - 1) << 32 | label;
	const size_t low = lower_bound(b->starts.data, b->starts.count, sizeof *b->starts.data,
				       key);
	return low < b->starts.count && b->starts.data[low] == key;
}

static void attr_bounds_list_starts(struct attr_bounds *b, const target_vec *targets,
				    const pointer_parts *pointers)
{
	for (size_t i = 0; i < targets->count; i++)
		attr_bounds_add_start(b, targets->data[i].addr, targets->data[i].label);
	for (size_t k = 0; k < pointers->count; k++)
		for (size_t i = 0; i < pointers->data[k].count; i++)
			attr_bounds_add_start(b, pointers->data[k].data[i].target,
					      pointers->data[k].data[i].owner);
	sort_by_key(b->starts.data, b->starts.count, sizeof *b->starts.data);
}

void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers)
{
	struct attr_bounds b = { .data = data, .count = count };
	for (size_t i = 1; i < count; i++)
		ASSERT(data[i - 1]->addr <= data[i]->addr);
	attr_bounds_list_starts(&b, targets, pointers);
	for (size_t i = 0; i < targets->count; i++)
		if (attr_bounds_is_end(&b, targets->data[i].addr, targets->data[i].label))
			targets->data[i].weak = 1;
	for (size_t k = 0; k < pointers->count; k++)
		for (size_t i = 0; i < pointers->data[k].count; i++) {
			struct pointer *p = &pointers->data[k].data[i];
			if (attr_bounds_is_end(&b, p->target, p->owner))
				p->owner = LABEL_NONE;
		}
	vec_release(&b.starts);
}
