/* Gives each overlay of firmware its own addresses. Overlays are sections that run at one address
 * but are stored at different ones. The program copies one overlay at a time. The first overlay
 * keeps its address. The others move by multiples of a power of 2 that is above all addresses of
 * the image. */
#include "base/sort.h"
#include "image/elf/elf_internal.h"

/* Limits. With more than SECTIONS_MOST sections, no overlay is moved. Overlays beyond number
 * NUMBERS_MOST are not moved. */
enum { SECTIONS_MOST = 4096, NUMBERS_MOST = 127 };

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b ? b - a < a_size : a - b < b_size;
}

struct by_addr {
	uint64_t addr, index;
};

/* True if two segments run at one address and are stored at different ones. */
static bool has_overlays(const struct image *im)
{
	struct by_addr *list = mem_alloc((im->segment_count + 1) * sizeof *list);
	size_t count = 0;
	uint64_t end = 0, shift = 0;
	bool found = false;
	for (size_t i = 0; i < im->segment_count; i++)
		if (im->segments[i].type == PT_LOAD && im->segments[i].vm_size > 0)
			list[count++] = (struct by_addr){ im->segments[i].addr, i };
	sort_by_key(list, count, sizeof *list);
	for (size_t i = 0; i < count && !found; i++) {
		const struct segment *s = &im->segments[list[i].index];
		found = i > 0 && s->addr < end && s->load_addr - s->addr != shift;
		if (s->addr + s->vm_size > end) {
			end = s->addr + s->vm_size;
			shift = s->load_addr - s->addr;
		}
	}
	mem_free(list);
	return found;
}

/* Returns the exponent of a power of 2 above all addresses. 0 if there is none. */
static unsigned room_above(const struct image *im)
{
	uint64_t end = 0;
	each_segment(s, im) {
		if (s->type == PT_LOAD)
			end = max_u64(end,
				      max_u64(s->addr + s->vm_size, s->load_addr + s->file_size));
	}
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].alloc)
			end = max_u64(end, im->sections[i].addr + im->sections[i].size);
	return end <= UINT64_C(1) << 32 ? 32 : end <= UINT64_C(1) << 56 ? 56 : 0;
}

/* Returns the segment that contains a section in memory and, if possible, in the file. NULL if
 * there is none. */
static struct segment *home_of(const struct image *im, const struct section *s)
{
	struct segment *found = NULL;
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *g = &im->segments[i];
		const uint64_t at = s->addr - g->addr;
		const bool inside = g->type == PT_LOAD && s->addr >= g->addr && at < g->vm_size &&
				    s->size <= g->vm_size - at;
		const bool same = !s->nobits && s->off >= g->off && s->off - g->off == at &&
				  at < g->file_size;
		if (inside && (same || s->nobits))
			found = g;
		if (inside && same)
			return g;
	}
	return found;
}

/* Returns the part [at, at + size) of a segment as a new segment. */
static struct segment elf_overlay_part_of(const struct segment *g, uint64_t at, uint64_t size)
{
	struct segment part = *g;
	const uint64_t held = g->file_size - min_u64(at, g->file_size);
	part.off = g->off + min_u64(at, g->file_size);
	part.addr = g->addr + at;
	part.load_addr = g->load_addr + min_u64(at, UINT64_MAX - g->load_addr);
	part.vm_size = size;
	part.file_size = min_u64(held, size);
	return part;
}

/* Moves the section's part of its segment by `bias`, as a segment of its own. The rest after it
 * becomes another segment. */
static void move_segment(struct image *im, const struct section *s, uint64_t bias)
{
	struct segment *g = home_of(im, s);
	if (!g)
		return;
	const uint64_t at = s->addr - g->addr, behind = at + s->size;
	struct segment moved = elf_overlay_part_of(g, at, s->size);
	const struct segment rest = elf_overlay_part_of(g, behind, g->vm_size - behind);
	moved.addr += bias;
	moved.vm_bias = bias;
	*g = elf_overlay_part_of(g, 0, at);
	if (at == 0)
		*g = moved;
	else
		im->segments[im->segment_count++] = moved;
	if (rest.vm_size > 0)
		im->segments[im->segment_count++] = rest;
}

/* Returns the overlay number of a section: the number of sections before it in the list that use
 * its addresses. */
static uint64_t elf_overlay_number_of(const struct image *im, const uint32_t *list, size_t count,
				      const uint64_t *numbers)
{
	const struct section *s = &im->sections[list[count]];
	uint64_t number = 0;
	for (size_t i = 0; i < count; i++) {
		const struct section *before = &im->sections[list[i]];
		if (overlap(s->addr, s->size, before->addr - before->vm_bias, before->size))
			number = max_u64(number, numbers[i] + 1);
	}
	return number;
}

static void move_sections(struct image *im, const uint32_t *list, size_t count, unsigned shift)
{
	uint64_t *numbers = mem_zeroed(count + 1, sizeof *numbers);
	for (size_t i = 0; i < count; i++) {
		struct section *s = &im->sections[list[i]];
		numbers[i] = elf_overlay_number_of(im, list, i, numbers);
		if (numbers[i] == 0 || numbers[i] > NUMBERS_MOST)
			continue;
		const uint64_t bias = numbers[i] << shift;
		move_segment(im, s, bias);
		s->addr += bias;
		s->vm_bias = bias;
	}
	mem_free(numbers);
}

void elf_move_overlays(struct image *im)
{
	ASSERT(im->kind == IMAGE_EXEC);
	const unsigned shift = has_overlays(im) ? room_above(im) : 0;
	uint32_t *list = mem_zeroed(im->section_count + 1, sizeof *list);
	size_t count = 0;
	for (uint32_t i = 1; shift > 0 && i < im->section_count; i++)
		if (im->sections[i].alloc && !im->sections[i].tls && im->sections[i].size > 0)
			list[count++] = i;
	if (count > 0 && count <= SECTIONS_MOST) {
		struct segment *more = arena_new(&im->arena, struct segment,
						 im->segment_count + 2 * count);
		memcpy(more, im->segments, im->segment_count * sizeof *more);
		im->segments = more;
		im->overlay_shift = shift;
		move_sections(im, list, count, shift);
	}
	mem_free(list);
}

uint64_t image_jump_target(const struct image *im, uint64_t from, uint64_t target)
{
	const bool moved = im->overlay_shift > 0 && from >> im->overlay_shift != 0;
	if (!moved || image_section_at(im, target))
		return target;
	return target & ((UINT64_C(1) << im->overlay_shift) - 1);
}
