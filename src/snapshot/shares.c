/* Counts the bytes of sections in the file and in the VM image. */
#include "snapshot/shares.h"

/* Adds up spans. The label of a span is the index of its section, or section_count for bytes
 * outside of sections. */
static void shares_add_up(const struct spans *s, size_t section_count,
			  struct share_of_section *sections, bool vm, uint64_t *rest)
{
	vec_each(const struct span, y, &s->list) {
		if (y->label >= section_count)
			*rest += y->size;
		else if (vm)
			sections[y->label].vm += y->size;
		else
			sections[y->label].file += y->size;
	}
}

static void file_spans(const struct basemap *map, const struct image *im, struct spans *ret)
{
	struct claims c = { 0 };
	for (uint32_t i = 1; i < im->section_count; i++)
		claim(&c, im->file_off + im->sections[i].off, im->sections[i].file_size, i,
		      WHY_SECTION);
	claim(&c, im->file_off, im->bytes.size, (label_id)im->section_count, WHY_FALLBACK);
	claims_resolve(&c, im->file_off + im->bytes.size, ret);
	spans_cut(ret, map->file_size);
}

static void vm_spans(const struct basemap *map, const struct image *im, struct spans *ret)
{
	struct claims c = { 0 };
	for (uint32_t i = 1; i < im->section_count; i++)
		if (section_takes_vm(im, &im->sections[i]))
			claim(&c, im->sections[i].addr, im->sections[i].size, i, WHY_SECTION);
	for (size_t i = 0; i < map->ranges.count; i++)
		claim(&c, map->ranges.data[i].addr, map->ranges.data[i].size,
		      (label_id)im->section_count, WHY_SEGMENT);
	claims_resolve(&c, UINT64_MAX, ret);
	basemap_clip_vm(map, ret);
}

/* Returns the number of bytes that have the label in both lists. */
static uint64_t shares_shared(const struct spans *a, const struct spans *b, label_id label)
{
	uint64_t sum = 0;
	for (size_t i = 0, k = 0; i < a->list.count && k < b->list.count;) {
		const struct span *x = &a->list.data[i], *y = &b->list.data[k];
		const uint64_t from = max_u64(x->start, y->start);
		const uint64_t to = min_u64(x->start + x->size, y->start + y->size);
		if (from < to && x->label == label && y->label == label)
			sum += to - from;
		if (x->start + x->size < y->start + y->size)
			i++;
		else
			k++;
	}
	return sum;
}

void shares_find(struct shares *ret, const struct basemap *map, const struct image *im)
{
	const label_id none = (label_id)im->section_count;
	struct spans file, vm, loaded;
	*ret = (struct shares){ .sections = mem_zeroed(none + 1, sizeof *ret->sections) };
	file_spans(map, im, &file);
	shares_add_up(&file, none, ret->sections, false, &ret->file_only);
	if (im->kind == IMAGE_OBJECT) {
		/* Objects have no segments, so only sections are loaded. */
		for (size_t i = 1; i < im->section_count; i++)
			if (section_takes_vm(im, &im->sections[i]))
				ret->sections[i].vm = im->sections[i].size;
	} else {
		vm_spans(map, im, &vm);
		shares_add_up(&vm, none, ret->sections, true, &ret->memory_only);
		basemap_translate(map, &vm, &loaded);
		ret->loaded = shares_shared(&file, &loaded, none);
		ASSERT(ret->loaded <= min_u64(ret->file_only, ret->memory_only));
		ret->file_only -= ret->loaded;
		ret->memory_only -= ret->loaded;
		spans_release(&loaded);
		spans_release(&vm);
	}
	spans_release(&file);
}

void shares_release(struct shares *s)
{
	mem_free(s->sections);
}
