/* Builds the base map and translates VM spans to the file. */
#include "map/basemap.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "image/image.h"

label_id segment_label(struct labels *labels, const struct segment *s)
{
	if (s->name.len > 0)
		return label_borrow(labels, s->name);
	if (s->type == PT_TLS)
		return label_borrow(labels, STR("TLS"));
	return label_format(labels, SEGMENT_FMT, SEGMENT_ARG(s));
}

label_id fill_label(struct labels *labels)
{
	return label_borrow(labels, STR("[fill]"));
}

struct builder {
	struct basemap *map;
	struct labels *labels;
	struct claims vm; /* Claims of address ranges. `label` is the index in `from` of the range
			   * with these addresses */
	struct claims file;
	label_id sections[8]; /* Labels of sections, by flags. LABEL_NONE until needed */
	bool in_order;        /* True if the first of overlapping ranges wins */
	VEC(struct base_range) from;
};

static void basemap_add_range(struct builder *b, struct base_range r)
{
	vec_push(&b->from, r);
	claim(&b->file, r.off, r.file_size, r.label, WHY_SEGMENT);
}

/* Claims the addresses of the ranges from `first` on. Of overlapping ranges, the one that starts
 * last wins, and among equals the last in the table: a loader maps it over the others
 * (image/elf_index). With memory regions the first range wins, and so the first overlay. */
static void claim_ranges(struct builder *b, size_t first)
{
	struct begin {
		uint64_t before_end; /* Sort key: with in_order the index, otherwise the highest
				      * address first */
		uint64_t index;
	};
	VEC(struct begin) list = { 0 };
	for (size_t i = b->from.count; i-- > first;)
		vec_push(&list,
			 (struct begin){ b->in_order ? i : UINT64_MAX - b->from.data[i].addr, i });
	vec_sort(&list);
	for (size_t i = 0; i < list.count; i++) {
		const struct base_range *r = &b->from.data[list.data[i].index];
		claim(&b->vm, r->addr, r->size, (label_id)list.data[i].index, WHY_SEGMENT);
	}
	vec_release(&list);
}

/* True if a segment's bytes are stored at one address, and copied to another one at start. */
static bool is_stored(const struct builder *b, const struct segment *s)
{
	return b->map->regions && s->type == PT_LOAD && s->load_addr != s->addr - s->vm_bias;
}

static void basemap_add_segments(struct builder *b, const struct image *im, uint32_t type)
{
	size_t first = b->from.count;
	each_segment(s, im) {
		if (s->type != type)
			continue;
		const uint64_t held = min_u64(s->file_size, s->vm_size);
		/* With memory regions, overlays get the address that they share, so that memory
		 * counts once. */
		const uint64_t bias = b->map->regions ? s->vm_bias : 0;
		basemap_add_range(b, (struct base_range){ .addr = s->addr - bias,
							  .size = s->vm_size,
							  .off = im->file_off + s->off,
							  .file_size = is_stored(b, s) ? 0 : held,
							  .label = segment_label(b->labels, s),
							  .runs_at = s->addr });
	}
	claim_ranges(b, first);
	first = b->from.count;
	each_segment(s, im) {
		const uint64_t held = min_u64(s->file_size, s->vm_size);
		if (s->type == type && is_stored(b, s))
			basemap_add_range(b,
					  (struct base_range){ .addr = s->load_addr,
							       .size = held,
							       .off = im->file_off + s->off,
							       .file_size = held,
							       .label = segment_label(b->labels, s),
							       .runs_at = s->addr });
	}
	claim_ranges(b, first);
}

static void basemap_add_sections(struct builder *b, const struct image *im)
{
	const size_t first = b->from.count;
	each_section(s, im) {
		label_id *const known = &b->sections[4 * s->alloc + 2 * s->write + s->exec];
		if (*known == LABEL_NONE)
			*known = label_format(b->labels, "Section [%s%s%s]", s->alloc ? "A" : "",
					      s->write ? "W" : "", s->exec ? "X" : "");
		const label_id label = *known;
		const uint64_t off = im->file_off + s->off;
		if (s->alloc)
			basemap_add_range(b, (struct base_range){ s->addr, s->size, off,
								  min_u64(s->file_size, s->size),
								  label, s->addr });
		claim(&b->file, off, s->file_size, label, WHY_SECTION);
	}
	claim_ranges(b, first);
}

/* Claims the file bytes that a segment has beyond its bytes in memory. */
static void add_segment_rests(struct builder *b, const struct image *im)
{
	each_segment(s, im) {
		if (im->kind == IMAGE_OBJECT || s->type != PT_LOAD || s->file_size <= s->vm_size)
			continue;
		const struct str name = label_text(b->labels, segment_label(b->labels, s));
		claim(&b->file, im->file_off + s->off, s->file_size,
		      label_bracketed(b->labels, name), WHY_SEGMENT);
	}
}

/* Records the address ranges of thread-local segments. They hold initial values, not variables. */
static void basemap_note_thread(struct builder *b, const struct image *im)
{
	struct claims claims = { 0 };
	struct spans more;
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_TLS)
			claim(&claims, im->segments[i].addr, im->segments[i].vm_size, 0,
			      WHY_SEGMENT);
	claims_resolve(&claims, UINT64_MAX, &more);
	spans_overlay(&b->map->thread, &more);
}

static void basemap_add_image(struct builder *b, const struct image *im)
{
	if (im->kind == IMAGE_OBJECT) {
		basemap_add_sections(b, im);
	} else {
		basemap_add_segments(b, im, PT_LOAD);
		if (b->map->regions)
			basemap_note_thread(b, im);
		else
			basemap_add_segments(b, im, PT_TLS);
	}
}

void claim_headers(const struct input *in, struct labels *labels, struct claims *file)
{
	static const char *const names[] = { [AR_HEADERS] = "[AR Headers]",
					     [AR_SYMBOL_TABLE] = "[AR Symbol Table]",
					     [AR_OTHER_MEMBER] = "[AR Non-ELF Member File]",
					     [FAT_HEADERS] = "[Mach-O Headers]",
					     [FAT_PADDING] = "[Unmapped]",
					     [COMPONENT_HEADERS] = "[WASM Component Headers]",
					     [COMPONENT_SECTION] = "[WASM Component Section]" };
	for (size_t i = 0; i < in->image_count; i++) {
		const struct image *im = &in->images[i];
		for (size_t k = 0; k < im->part_count; k++)
			claim(file, im->file_off + im->parts[k].off, im->parts[k].size,
			      label_borrow(labels, str_of(im->parts[k].label)), WHY_HEADER);
	}
	vec_each(const struct ar_part, p, &in->parts) {
		claim(file, p->off, p->size, label_borrow(labels, str_of(names[p->kind])),
		      WHY_HEADER);
	}
}

/* Bytes outside of all regions are an overflow of the region that ends less than this before. */
enum { OVERFLOW_GAP = 4096 };

struct by_length {
	uint64_t length, index;
};

static void place_regions(struct basemap *b)
{
	const size_t count = b->regions->list.count;
	struct by_length *order = mem_alloc((count + 1) * sizeof *order);
	struct claims claims = { 0 };
	for (size_t i = 0; i < count; i++)
		order[i] = (struct by_length){ b->regions->list.data[i].length, i };
	sort_by_key(order, count, sizeof *order);
	for (size_t i = 0; i < count; i++) {
		const struct memory_region *r = &b->regions->list.data[order[i].index];
		claim(&claims, r->origin, r->length, (label_id)order[i].index, WHY_REGION);
	}
	claims_resolve(&claims, UINT64_MAX, &b->region_spans);
	b->region_ends = mem_zeroed(count + 1, sizeof *b->region_ends);
	mem_free(order);
}

static void note_end(struct basemap *b, label_id region, uint64_t end)
{
	b->region_ends[region] = max_u64(b->region_ends[region], end);
}

/* Extends the regions' used parts by a piece of contents. *before: label of the region before the
 * piece, LABEL_NONE if there is none. Becomes the last region in the piece. */
static void measure_piece(struct basemap *b, const struct span *piece, struct claims *over,
			  label_id *before)
{
	const struct spans *regions = &b->region_spans;
	const uint64_t end = piece->start + piece->size;
	for (uint64_t at = piece->start, stop; at < end; at = stop) {
		const struct span *r = spans_find(regions, at);
		const size_t next = spans_from(regions, at);
		stop = end;
		if (r) {
			*before = r->label;
			stop = min_u64(end, r->start + r->size);
			note_end(b, r->label, stop);
			continue;
		}
		if (next < regions->list.count)
			stop = min_u64(end, regions->list.data[next].start);
		/* Bytes outside of all regions: an overflow of the region before them. */
		if (*before == LABEL_NONE || at - b->region_ends[*before] >= OVERFLOW_GAP)
			continue;
		claim(over, b->region_ends[*before], stop - b->region_ends[*before], *before,
		      WHY_REGION);
		note_end(b, *before, stop);
	}
}

/* Finds the end of the contents of each region. `pieces`: contents of memory. */
static void basemap_measure_regions(struct basemap *b, const struct spans *pieces)
{
	struct claims over = { 0 };
	struct spans more;
	label_id before = LABEL_NONE;
	for (size_t i = 0; i < pieces->list.count; i++)
		measure_piece(b, &pieces->list.data[i], &over, &before);
	claims_resolve(&over, UINT64_MAX, &more);
	spans_overlay(&b->region_spans, &more);
}

static void basemap_add_regions(struct builder *b)
{
	struct claims copy = { 0 };
	struct spans pieces;
	for (size_t i = 0; i < b->vm.list.count; i++)
		vec_push(&copy.list, b->vm.list.data[i]);
	claims_resolve(&copy, UINT64_MAX, &pieces);
	place_regions(b->map);
	basemap_measure_regions(b->map, &pieces);
	spans_release(&pieces);
	/* Adds the unclaimed bytes of each region before its last used byte ("[fill]"). */
	const struct basemap *map = b->map;
	const size_t first = b->from.count;
	vec_each(const struct span, s, &map->region_spans.list) {
		const uint64_t end = min_u64(s->start + s->size, map->region_ends[s->label]);
		if (end > s->start)
			basemap_add_range(b, (struct base_range){ .addr = s->start,
								  .size = end - s->start,
								  .label = fill_label(b->labels),
								  .runs_at = s->start });
	}
	claim_ranges(b, first);
}

void basemap_build(struct basemap *b, const struct input *in, struct labels *labels,
		   const struct memory_regions *regions)
{
	memset(b, 0, sizeof *b);
	b->file_begin = in->begin;
	b->file_size = input_size(in);
	b->regions = regions;
	struct builder build = { .map = b, .labels = labels, .in_order = regions };
	memset(build.sections, 0xff, sizeof build.sections);
	for (size_t i = 0; i < in->image_count; i++)
		basemap_add_image(&build, &in->images[i]);
	if (regions)
		basemap_add_regions(&build);
	claim_headers(in, labels, &build.file);
	for (size_t i = 0; i < in->image_count; i++)
		add_segment_rests(&build, &in->images[i]);
	claim(&build.file, b->file_begin, b->file_size - b->file_begin,
	      label_borrow(labels, STR("[Unmapped]")), WHY_FALLBACK);
	struct spans pieces;
	claims_resolve(&build.vm, UINT64_MAX, &pieces);
	/* Adds the parts that ranges keep where they overlap, with file offsets. */
	vec_each(const struct span, s, &pieces.list) {
		const struct base_range *from = &build.from.data[s->label];
		const uint64_t skip = s->start - from->addr;
		const uint64_t held = from->file_size > skip ? from->file_size - skip : 0;
		vec_push(&build.map->ranges,
			 (struct base_range){ .addr = s->start,
					      .size = s->size,
					      .off = from->off + skip,
					      .file_size = min_u64(held, s->size),
					      .label = from->label,
					      .runs_at = from->runs_at + skip });
		build.map->vm_size += s->size;
	}
	spans_release(&pieces);
	claims_resolve(&build.file, b->file_size, &b->file);
	if (!input_has_offsets(in))
		spans_cut(&b->file, b->file_size);
	vec_release(&build.from);
}

void basemap_release(struct basemap *b)
{
	vec_release(&b->ranges);
	spans_release(&b->file);
	spans_release(&b->region_spans);
	spans_release(&b->thread);
	mem_free(b->region_ends);
	b->region_ends = NULL;
}

uint64_t basemap_region_used(const struct basemap *b, size_t region)
{
	uint64_t used = 0;
	vec_each(const struct span, s, &b->region_spans.list) {
		const uint64_t end = min_u64(s->start + s->size, b->region_ends[region]);
		if (s->label == region && end > s->start)
			used += end - s->start;
	}
	return used;
}

static size_t spans_around(const struct spans *s, uint64_t addr)
{
	const size_t i = spans_from(s, addr);
	return i - (i > 0 && s->list.data[i - 1].start + s->list.data[i - 1].size > addr);
}

/* Adds the parts of VM spans in range r, at their file offsets. */
static void translate_range(const struct base_range *r, const struct spans *vm, struct claims *out)
{
	const uint64_t end = r->addr + r->file_size;
	for (size_t i = spans_around(vm, r->addr);
	     i < vm->list.count && vm->list.data[i].start < end; i++) {
		const struct span *s = &vm->list.data[i];
		const uint64_t from = max_u64(s->start, r->addr);
		const uint64_t to = min_u64(s->start + s->size, end);
		if (from < to)
			claim(out, r->off + (from - r->addr), to - from, s->label, WHY_FALLBACK);
	}
}

/* A range, to be sorted by its file offset */
struct basemap_place {
	uint64_t off;
	uint64_t range;
};

/* Sorts the ranges by file offset. Returns false if ranges share file bytes, which then belong to
 * the lower address. */
static bool basemap_sort_places(const struct basemap *b, struct basemap_place *places)
{
	uint64_t end = 0;
	for (size_t i = 0; i < b->ranges.count; i++)
		places[i] = (struct basemap_place){ b->ranges.data[i].off, i };
	sort_by_key(places, b->ranges.count, sizeof *places);
	for (size_t i = 0; i < b->ranges.count; i++) {
		const uint64_t size = b->ranges.data[places[i].range].file_size;
		if (size > 0 && places[i].off < end)
			return false;
		end = max_u64(end, add_sat(places[i].off, size));
	}
	return true;
}

/* Copies the spans of [from, from + size) to the address `to`. */
static void copy_spans(const struct spans *vm, uint64_t from, uint64_t size, uint64_t to,
		       struct spans *ret)
{
	const uint64_t end = from + size;
	for (size_t i = spans_around(vm, from); i < vm->list.count && vm->list.data[i].start < end;
	     i++) {
		const struct span *s = &vm->list.data[i];
		const uint64_t first = max_u64(s->start, from);
		const uint64_t last = min_u64(s->start + s->size, end);
		if (first < last)
			spans_push(ret, to + (first - from), last - first, s->label);
	}
}

bool basemap_covers(const struct basemap *b, uint64_t addr, uint64_t size)
{
	const uint64_t end = add_sat(addr, size);
	size_t i = vec_upper(&b->ranges, addr);
	for (i -= i > 0; addr < end; i++) {
		if (i >= b->ranges.count)
			return false;
		const struct base_range *r = &b->ranges.data[i];
		if (addr < r->addr || addr - r->addr >= r->size)
			return false;
		addr = r->addr + r->size;
	}
	return true;
}

uint64_t basemap_runs_at(const struct basemap *b, uint64_t addr)
{
	const size_t next = vec_upper(&b->ranges, addr);
	const struct base_range *r = next > 0 ? &b->ranges.data[next - 1] : NULL;
	return r && addr - r->addr < r->size ? r->runs_at + (addr - r->addr) : addr;
}

/* Drops spans in thread-local segments, because other data may have the same addresses. */
static void drop_thread(const struct basemap *b, struct spans *vm)
{
	size_t count = 0;
	if (b->thread.list.count == 0)
		return;
	for (size_t i = 0; i < vm->list.count; i++) {
		const struct span s = vm->list.data[i];
		const struct span *t = spans_find(&b->thread, s.start);
		const bool inside = t && s.size <= t->size - (s.start - t->start);
		if (!inside || basemap_runs_at(b, s.start) == s.start)
			vm->list.data[count++] = s;
	}
	vm->list.count = count;
}

void basemap_add_copies(const struct basemap *b, struct spans *vm)
{
	struct spans stored = { 0 };
	drop_thread(b, vm);
	for (size_t i = 0; b->regions && i < b->ranges.count; i++) {
		const struct base_range *r = &b->ranges.data[i];
		if (r->runs_at != r->addr)
			copy_spans(vm, r->runs_at, r->size, r->addr, &stored);
	}
	spans_overlay(vm, &stored);
}

void basemap_add_stored(const struct basemap *b, struct spans *vm)
{
	struct spans rest = { 0 };
	if (!b->regions)
		return;
	basemap_add_copies(b, vm);
	for (size_t i = 0; i < b->ranges.count; i++)
		spans_push(&rest, b->ranges.data[i].addr, b->ranges.data[i].size,
			   b->ranges.data[i].label);
	spans_overlay(vm, &rest);
}

void basemap_translate(const struct basemap *b, const struct spans *vm, struct spans *ret_file)
{
	const size_t count = b->ranges.count;
	struct claims out = { 0 };
	struct basemap_place *places = mem_alloc((count + 1) * sizeof *places);
	/* If no ranges share file bytes, claims come in file order and do not overlap. */
	const bool apart = basemap_sort_places(b, places);
	vec_reserve(&out.list, vm->list.count);
	for (size_t i = 0; i < count; i++)
		translate_range(&b->ranges.data[apart ? places[i].range : i], vm, &out);
	mem_free(places);
	claims_resolve(&out, b->file_size, ret_file);
}

/* True if each span is inside one range, as usual. O(ranges * log n). */
static bool is_clipped(const struct basemap *b, const struct spans *vm)
{
	size_t i = 0;
	for (size_t r = 0; r < b->ranges.count; r++) {
		const uint64_t start = b->ranges.data[r].addr;
		const uint64_t end = start + b->ranges.data[r].size;
		const size_t next = spans_from(vm, end);
		const struct span *last = next > i ? &vm->list.data[next - 1] : NULL;
		if (last && (vm->list.data[i].start < start || last->start + last->size > end))
			return false;
		i = next;
	}
	return i == vm->list.count;
}

void basemap_clip_vm(const struct basemap *b, struct spans *vm)
{
	struct spans out = { 0 };
	size_t i = 0;
	if (is_clipped(b, vm))
		return;
	vec_reserve(&out.list, vm->list.count);
	for (size_t r = 0; r < b->ranges.count; r++) {
		const uint64_t start = b->ranges.data[r].addr;
		const uint64_t end = start + b->ranges.data[r].size;
		while (i < vm->list.count &&
		       vm->list.data[i].start + vm->list.data[i].size <= start)
			i++;
		for (size_t k = i; k < vm->list.count && vm->list.data[k].start < end; k++) {
			const struct span *s = &vm->list.data[k];
			const uint64_t from = max_u64(s->start, start);
			const uint64_t to = min_u64(s->start + s->size, end);
			spans_push(&out, from, to - from, s->label);
		}
	}
	spans_release(vm);
	*vm = out;
}

/* Checks that the spans cover every range and, by comparing sums, nothing else. */
void basemap_check_vm(const struct basemap *b, const struct spans *vm)
{
	size_t i = 0;
	for (size_t r = 0; r < b->ranges.count; r++) {
		uint64_t at = b->ranges.data[r].addr;
		const uint64_t end = at + b->ranges.data[r].size;
		while (at < end) {
			ASSERT(i < vm->list.count);
			const struct span *s = &vm->list.data[i];
			ASSERT(s->start <= at && at - s->start < s->size);
			at = min_u64(s->start + s->size, end);
			if (s->start + s->size <= end)
				i++;
		}
	}
	ASSERT(spans_total(vm) == b->vm_size);
}

void basemap_check_file(const struct basemap *b, const struct spans *file)
{
	uint64_t at = b->file_begin;
	for (size_t i = 0; i < file->list.count; i++) {
		ASSERT(file->list.data[i].start == at);
		at += file->list.data[i].size;
	}
	ASSERT(at == b->file_size);
}

/* Memory regions. */

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
	vec_each(const struct linkmap_region, m, &map->regions) {
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
	each_segment(s, im) {
		if (s->type != PT_LOAD)
			continue;
		add_extent(&list, s->addr - s->vm_bias, s->vm_size);
		add_extent(&list, s->load_addr, s->file_size);
	}
	vec_sort(&list);
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
	vec_each(const struct memory_region, x, &from->list)
		(void)regions_add(r, str_of(x->name), x->origin, x->length);
}

void regions_release(struct memory_regions *r)
{
	vec_release(&r->list);
	arena_release(&r->arena);
	memset(r, 0, sizeof *r);
}
