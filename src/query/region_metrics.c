/* Adds and reads the metrics of memory regions in snapshots. */
#include "query/region_metrics.h"

#include "image/elf/elf_const.h"
#include "image/image.h"

#include <stdlib.h>

#define START "REGION_START/"
#define SIZE  "REGION_SIZE/"
#define USED  "REGION_USED/"

bool region_metrics_tell(const struct memory_regions *r, const struct image *im)
{
	bool in_place = false, copied = false;
	if (r->list.count == 0 || !r->list.data[0].open)
		return r->list.count > 0;
	each_segment(s, im) {
		const bool same = s->load_addr == s->addr - s->vm_bias;
		if (s->type == PT_LOAD && s->file_size > 0)
			*(same ? &in_place : &copied) = true;
	}
	return in_place && copied;
}

static void query_region_metrics_add(struct snapshot *s, uint32_t container, const char *file,
				     const char *name, uint64_t value)
{
	vec_push(&s->containers.data[container].metrics,
		 (struct snap_metric){ file, name, arena_format(&s->arena, "%" PRIu64, value) });
}

void region_metrics_add(struct snapshot *s, uint32_t container, const char *file,
			const struct basemap *map)
{
	ASSERT(container < s->containers.count);
	const char *kept = arena_copy(&s->arena, str_of(file));
	for (size_t i = 0; i < map->regions->list.count; i++) {
		const struct memory_region *r = &map->regions->list.data[i];
		query_region_metrics_add(s, container, kept,
					 arena_format(&s->arena, START "%s", r->name), r->origin);
		query_region_metrics_add(s, container, kept,
					 arena_format(&s->arena, SIZE "%s", r->name),
					 r->open ? 0 : r->length);
		query_region_metrics_add(s, container, kept,
					 arena_format(&s->arena, USED "%s", r->name),
					 basemap_region_used(map, i));
	}
}

/* Returns the metric "PREFIX/NAME" of a container. 0 if it has none. */
static uint64_t region_metrics_value_of(const struct snap_container *c, struct str prefix,
					const char *name)
{
	vec_each(const struct snap_metric, m, &c->metrics)
		if (str_starts(str_of(m->name), prefix) && strcmp(m->name + prefix.len, name) == 0)
			return strtoull(m->value, NULL, 10);
	return 0;
}

struct region_metrics region_metrics_find(const struct snapshot *s, const char *name)
{
	struct region_metrics sum = { 0 };
	vec_each(const struct snap_container, c, &s->containers) {
		const uint64_t length = region_metrics_value_of(c, STR(SIZE), name);
		sum.length = add_sat(sum.length, length);
		sum.used = add_sat(sum.used, region_metrics_value_of(c, STR(USED), name));
		sum.known |= length > 0;
	}
	return sum;
}

bool region_metrics_has(const struct snapshot *s, const char *name, const struct snap_symbol *y)
{
	ASSERT(y->section < s->sections.count);
	const struct snap_section *section = &s->sections.data[y->section];
	const struct snap_container *c = &s->containers.data[section->container];
	const uint64_t start = region_metrics_value_of(c, STR(START), name);
	const uint64_t size = max_u64(region_metrics_value_of(c, STR(SIZE), name),
				      region_metrics_value_of(c, STR(USED), name));
	return section->in_memory && y->addr >= start && y->addr - start < size;
}

bool region_metrics_known(const struct snapshot *s)
{
	vec_each(const struct snap_container, c, &s->containers)
		vec_each(const struct snap_metric, m, &c->metrics)
			if (region_metrics_name(m))
				return true;
	return false;
}

const char *region_metrics_name(const struct snap_metric *m)
{
	const struct str prefix = STR(SIZE);
	return str_starts(str_of(m->name), prefix) ? m->name + prefix.len : NULL;
}
