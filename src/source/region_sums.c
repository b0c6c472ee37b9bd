/* Sums up memory regions, and notes what exceeds them. */
#include "source/region_sums.h"

#include "base/text.h"
#include "image/elf/elf_const.h"

const struct heft_text region_texts[REGION_TEXTS] = {
	[REGION_LENGTH] = { "region_size", true, "bytes of the memory region" },
	[REGION_FREE] = { "region_free", true,
			  "bytes of the region that are free; below 0 if it overflows" },
	[REGION_PERCENT] = { "region_percent", true, "of the region that is in use" },
};

const struct region_sum *region_sums_find(const struct region_sums *r, const char *name)
{
	for (size_t i = 0; i < r->list.count; i++)
		if (strcmp(r->list.data[i].name, name) == 0)
			return &r->list.data[i];
	return NULL;
}

void region_sums_add(struct region_sums *r, const struct basemap *map, struct arena *arena)
{
	for (size_t i = 0; i < map->regions->list.count; i++) {
		const struct memory_region *m = &map->regions->list.data[i];
		const struct region_sum *known = region_sums_find(r, m->name);
		const size_t at = known ? (size_t)(known - r->list.data) : r->list.count;
		if (!known)
			vec_push(&r->list,
				 (struct region_sum){ .name = arena_copy(arena, str_of(m->name)),
						      .origin = m->origin });
		struct region_sum *sum = &r->list.data[at];
		sum->length = add_sat(sum->length, m->length);
		sum->used = add_sat(sum->used, basemap_region_used(map, i));
		sum->open |= m->open;
	}
}

static uint64_t region_sums_shared(uint64_t start, uint64_t size, uint64_t from, uint64_t to)
{
	const uint64_t first = max_u64(start, from), last = min_u64(start + size, to);
	return last > first ? last - first : 0;
}

/* Returns how many bytes of a section are in [from, to), after the end of a region. Counts by
 * VM addresses, or, if none is there, by load addresses. */
static uint64_t section_beyond(const struct image *im, const struct section *s, uint64_t from,
			       uint64_t to)
{
	uint64_t beyond = region_sums_shared(s->addr - s->vm_bias, s->size, from, to);
	for (size_t i = 0; i < im->segment_count && beyond == 0; i++) {
		const struct segment *g = &im->segments[i];
		if (g->type == PT_LOAD && s->addr >= g->addr && s->addr - g->addr < g->file_size &&
		    g->load_addr != g->addr)
			beyond = region_sums_shared(s->addr - g->addr + g->load_addr, s->size, from,
						    to);
	}
	return beyond;
}

static void list_beyond(const struct image *im, uint64_t from, uint64_t to, struct text *out)
{
	enum { NAMES = 8 };
	uint64_t count = 0;
	each_section(s, im) {
		const uint64_t beyond = s->alloc ? section_beyond(im, s, from, to) : 0;
		if (beyond == 0 || count++ >= NAMES)
			continue;
		text_add(out, count == 1 ? STR(" (") : STR(", "));
		text_add_number(out, beyond);
		text_adds(out, STR(" of "), section_title(s));
	}
	if (count > NAMES)
		text_add(out, STR(", ..."));
	if (count > 0)
		text_add(out, STR(")"));
}

static void note_overflow(const char *path, const struct image *im, const struct basemap *map,
			  struct notes *notes)
{
	struct text all = { 0 };
	for (size_t i = 0; i < map->regions->list.count; i++) {
		const struct memory_region *r = &map->regions->list.data[i];
		const uint64_t end = r->origin + r->length;
		if (map->region_ends[i] <= end)
			continue;
		text_adds(&all, all.len > 0 ? STR(", ") : STR(""), str_of(r->name), STR(" by "));
		text_add_number(&all, map->region_ends[i] - end);
		text_add(&all, STR(" bytes"));
		list_beyond(im, end, map->region_ends[i], &all);
	}
	if (all.len > 0)
		note(notes, path, HEFT_NO_OFFSET, 0, "memory overflowed: " STR_FMT,
		     STR_ARG(text_str(&all)));
	text_release(&all);
}

/* Notes sections in no region: the regions may be of another linker script. */
static void note_outside(const char *path, const struct image *im, const struct basemap *map,
			 struct notes *notes)
{
	struct text names = { 0 };
	uint64_t size = 0;
	bool any_inside = false;
	each_section(s, im) {
		if (!section_takes_vm(im, s) || s->size == 0)
			continue;
		if (spans_find(&map->region_spans, s->addr - s->vm_bias) != NULL) {
			any_inside = true;
			continue;
		}
		text_adds(&names, size > 0 ? STR(", ") : STR(""), section_title(s));
		size = add_sat(size, s->size);
	}
	if (size > 0)
		note(notes, path, HEFT_NO_OFFSET, size, "in no memory region: " STR_FMT "%s",
		     STR_ARG(text_str(&names)),
		     any_inside ? "" : "; the regions seem to be those of another program");
	text_release(&names);
}

static void note_overlap(const char *path, const struct memory_regions *regions,
			 struct notes *notes)
{
	const size_t count = min_u64(regions->list.count, 100);
	for (size_t i = 0; i < count; i++) {
		const struct memory_region *a = &regions->list.data[i];
		for (size_t k = i + 1; k < count; k++) {
			const struct memory_region *b = &regions->list.data[k];
			const uint64_t both = region_sums_shared(a->origin, a->length, b->origin,
								 b->origin + b->length);
			if (both > 0)
				note(notes, path, HEFT_NO_OFFSET, both,
				     "memory regions %s and %s overlap: what is in both counts to "
				     "the smaller",
				     a->name, b->name);
		}
	}
}

void note_regions(const char *path, const struct image *im, const struct basemap *map,
		  struct notes *notes)
{
	if (!im || map->regions->list.count == 0 || map->regions->list.data[0].open)
		return;
	note_overflow(path, im, map, notes);
	note_outside(path, im, map, notes);
	note_overlap(path, map->regions, notes);
}

const char *const *region_texts_of(const struct region_sums *sums, const char *label,
				   struct arena *arena)
{
	const struct region_sum *r = region_sums_find(sums, label);
	if (!r || r->open)
		return NULL;
	const char **texts = arena_new(arena, const char *, REGION_TEXTS);

	const bool over = r->used > r->length;
	const uint64_t left = over ? r->used - r->length : r->length - r->used;
	const double percent = 100.0 * (double)r->used / (double)r->length;
	texts[REGION_LENGTH] = arena_format(arena, "%" PRIu64, r->length);
	texts[REGION_FREE] = arena_format(arena, "%s%" PRIu64, over ? "-" : "", left);
	texts[REGION_PERCENT] = arena_format(arena, "%.2f", percent);
	return texts;
}
