/* Implements the data source `regions`: memory regions such as flash and RAM. */
#include "source/source.h"

/* Only claims VM bytes. The base map translates them to the file by where they are stored. */
void source_regions(const struct source_file *f, struct layer *ret)
{
	const label_id none = label_borrow(f->labels, STR(NO_REGION));
	const struct spans *s = &f->map->region_spans;
	struct claims vm = { 0 };
	for (size_t i = 0; i < s->list.count; i++) {
		const struct span *r = &s->list.data[i];
		const char *name = f->map->regions->list.data[r->label].name;
		claim(&vm, r->start, r->size, label_copy(f->labels, str_of(name)), WHY_REGION);
	}
	for (size_t i = 0; i < f->map->ranges.count; i++)
		claim(&vm, f->map->ranges.data[i].addr, f->map->ranges.data[i].size, none,
		      WHY_FALLBACK);
	ret->exact = true;
	layer_finish(f, ret, &vm, NULL);
	for (size_t i = 0; i < ret->file.list.count; i++)
		if (label_is_fallback(f->labels, ret->file.list.data[i].label))
			ret->file.list.data[i].label = none;
	spans_pad(&ret->file, NULL, 0, NULL, 0);
}
