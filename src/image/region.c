/* Lists a machine's memory regions. Derives regions from linker maps and segments. */
#include "image/region.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "image/image.h"

/* Smallest gap, in bytes, between two derived regions. */
#define REGION_GAP (UINT64_C(32) << 10)

struct memory_region *regions_find(const struct memory_regions *r, struct str name)
{
	for (size_t i = 0; i < r->list.count; i++)
		if (str_eq(name, str_of(r->list.data[i].name)))
			return &r->list.data[i];
	return NULL;
}

bool regions_add(struct memory_regions *r, struct str name, uint64_t origin, uint64_t length)
{
	if (name.len == 0 || length == 0 || length > UINT64_MAX - origin)
		return false;
	struct memory_region *old = regions_find(r, name);
	if (old) {
		*old = (struct memory_region){ old->name, origin, length, false };
		return true;
	}
	if (r->list.count == REGIONS_MAX)
		return false;
	vec_push(&r->list,
		 (struct memory_region){ arena_copy(&r->arena, name), origin, length, false });
	return true;
}

void regions_of_map(struct memory_regions *r, const struct linkmap *map, const char *path,
		    struct notes *notes)
{
	for (size_t i = 0; i < map->regions.count; i++) {
		const struct linkmap_region *m = &map->regions.data[i];
		const struct str name = linkmap_text(map, m->name);
		if (m->length > 0 && !regions_add(r, name, m->origin, m->length))
			note(notes, path, m->name.off, 0,
			     "memory region " STR_FMT
			     " is left out: it wraps, or there are more than %d",
			     STR_ARG(name), REGIONS_MAX);
	}
}

struct extent {
	uint64_t start, end;
};

typedef VEC(struct extent) extents;

static void add_extent(extents *list, uint64_t start, uint64_t size)
{
	if (size > 0)
		vec_push(list, (struct extent){ start, start + size });
}

void regions_of_segments(struct memory_regions *r, const struct image *im)
{
	extents list = { 0 };
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type != PT_LOAD)
			continue;
		add_extent(&list, s->addr - s->vm_bias, s->vm_size);
		add_extent(&list, s->load_addr, s->file_size);
	}
	sort_by_key(list.data, list.count, sizeof *list.data);
	for (size_t i = 0, next; i < list.count; i = next) {
		uint64_t end = list.data[i].end;
		for (next = i + 1;
		     next < list.count && list.data[next].start < add_sat(end, REGION_GAP); next++)
			end = max_u64(end, list.data[next].end);
		const uint64_t start = list.data[i].start;
		if (r->list.count < REGIONS_MAX)
			vec_push(&r->list,
				 (struct memory_region){
					 arena_format(&r->arena, "memory at 0x%08" PRIx64, start),
					 start, end - start, true });
	}
	vec_release(&list);
}

void regions_copy(struct memory_regions *r, const struct memory_regions *from)
{
	for (size_t i = 0; i < from->list.count; i++) {
		const struct memory_region *x = &from->list.data[i];
		(void)regions_add(r, str_of(x->name), x->origin, x->length);
	}
}

void regions_release(struct memory_regions *r)
{
	vec_release(&r->list);
	arena_release(&r->arena);
	memset(r, 0, sizeof *r);
}
