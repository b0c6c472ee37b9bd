/* A program and the bytes that were made of it: which chunk has what, and what else they have. */
#include "image/raw/raw_internal.h"

#include "base/sort.h"
#include "image/elf/elf_internal.h"

/* The bytes of a segment that are stored. */
static uint64_t held(const struct segment *s)
{
	return s->type == PT_LOAD ? min_u64(s->file_size, s->vm_size) : 0;
}

/* How many of `size` bytes from an address on are in one chunk, or in none; the place in
 * raw->bytes, UINT64_MAX: none. */
static uint64_t piece_at(const struct raw *r, uint64_t addr, uint64_t size, uint64_t *ret_off)
{
	const size_t next = upper_bound(r->chunks.data, r->chunks.count, sizeof *r->chunks.data,
					addr);
	const struct raw_chunk *c = next > 0 ? &r->chunks.data[next - 1] : NULL;
	if (c && addr - c->addr < c->size) {
		*ret_off = c->off + (addr - c->addr);
		return min_u64(size, c->size - (addr - c->addr));
	}
	*ret_off = UINT64_MAX;
	return next < r->chunks.count ? min_u64(size, r->chunks.data[next].addr - addr) : size;
}

static void compare_piece(struct raw_match *m, uint64_t addr, const uint8_t *a, const uint8_t *b,
			  uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		if (a[i] == b[i])
			m->same++;
		else if (m->differing++ == 0 || addr + i < m->first_differing)
			m->first_differing = addr + i;
	}
}

/* Bytes between sections are in no chunk where these were made of sections. */
static void count_missing(const struct image *im, const struct segment *s, uint64_t at,
			  uint64_t size, struct raw_match *m)
{
	const uint64_t end = at + size;
	for (uint64_t n; at < end; at += n) {
		const struct section *in = image_section_at(im, s->addr + at);
		const uint64_t addr = s->load_addr + at;
		n = in ? min_u64(end - at, in->addr + in->size - (s->addr + at)) : 1;
		if (!in)
			continue;
		if (m->missing == 0 || addr < m->first_missing)
			m->first_missing = addr;
		m->missing += n;
	}
}

static void compare_segment(const struct raw *r, const struct image *im, const struct segment *s,
			    struct raw_match *m)
{
	const struct bytes bytes = segment_bytes(im, s);
	const uint64_t size = min_u64(held(s), bytes.size);
	for (uint64_t at = 0, n; at < size; at += n) {
		uint64_t off;
		const uint64_t addr = s->load_addr + at;
		n = piece_at(r, addr, size - at, &off);
		if (off != UINT64_MAX)
			compare_piece(m, addr, bytes.p + at, r->bytes.p + off, n);
		else
			count_missing(im, s, at, n, m);
	}
}

struct raw_match raw_compare(const struct raw *r, const struct image *program)
{
	struct raw_match m = { 0 };
	for (size_t i = 0; i < program->segment_count; i++)
		compare_segment(r, program, &program->segments[i], &m);
	return m;
}

/* The lowest of the sections in a segment that store bytes; else where the segment itself is
 * stored. */
static uint64_t lowest_of(const struct image *im, const struct segment *g)
{
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->alloc && s->file_size > 0 && s->addr >= g->addr &&
		    s->addr - g->addr < held(g))
			lowest = min_u64(lowest, g->load_addr + (s->addr - g->addr));
	}
	return lowest == UINT64_MAX ? g->load_addr : lowest;
}

bool raw_lowest(const struct image *program, uint64_t *ret)
{
	bool any = false;
	for (size_t i = 0; i < program->segment_count; i++) {
		const struct segment *g = &program->segments[i];
		if (held(g) == 0)
			continue;
		const uint64_t lowest = lowest_of(program, g);
		*ret = any ? min_u64(*ret, lowest) : lowest;
		any = true;
	}
	return any;
}

/* ---- joining --------------------------------------------------------------------------------- */

struct join {
	struct image *im;
	const struct raw *raw;
	VEC(struct segment) segments;
	VEC(struct section) sections;
	VEC(struct raw_chunk) stored; /* what segments have, by address; off is not used */
	struct str other;             /* the title of what no segment has */
	uint64_t start;               /* of the run at work: its address and its place */
	uint64_t off;
};

static void add_piece(struct join *j, const struct segment *s, uint64_t at, uint64_t size,
		      uint64_t off)
{
	struct segment piece = *s;
	piece.addr += at;
	piece.load_addr += at;
	piece.vm_size = size;
	piece.off = off == UINT64_MAX ? 0 : off;
	piece.file_size = off == UINT64_MAX ? 0 : size;
	piece.again = false;
	vec_push(&j->segments, piece);
}

/* A segment becomes one for each piece that is in one chunk or in none. */
static void split_segment(struct join *j, const struct segment *s)
{
	const uint64_t size = held(s), rest = s->vm_size - size;
	const size_t before = j->segments.count;
	for (uint64_t at = 0, n; at < size; at += n) {
		uint64_t off;
		n = piece_at(j->raw, s->load_addr + at, size - at, &off);
		add_piece(j, s, at, n, off);
	}
	if (j->segments.count > before)
		j->segments.data[j->segments.count - 1].vm_size += rest;
	else
		add_piece(j, s, 0, rest, UINT64_MAX);
	if (size > 0)
		vec_push(&j->stored, (struct raw_chunk){ s->load_addr, 0, size });
}

static void split_segments(struct join *j)
{
	const struct image *im = j->im;
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment s = im->segments[i];
		if (s.type == PT_LOAD) {
			split_segment(j, &s);
			continue;
		}
		s.off += j->raw->bytes.size;
		vec_push(&j->segments, s);
	}
}

/* Its bytes are those of the chunks where one segment has all of them there, else the program's. */
static void move_section(const struct join *j, struct section *s)
{
	for (size_t i = 0; s->alloc && !s->nobits && i < j->segments.count; i++) {
		const struct segment *g = &j->segments.data[i];
		if (g->type == PT_LOAD && s->addr >= g->addr && s->addr - g->addr < g->file_size &&
		    s->file_size <= g->file_size - (s->addr - g->addr)) {
			s->off = g->off + (s->addr - g->addr);
			return;
		}
	}
	s->off += j->raw->bytes.size;
}

static void add_other(void *ctx, uint64_t off, uint64_t size, bool padding)
{
	struct join *j = ctx;
	const struct str title = padding ? STR("[padding]") : j->other;
	const uint32_t segment = (uint32_t)j->segments.count;
	const uint32_t section = (uint32_t)j->sections.count;
	vec_push(&j->segments, (struct segment){ .name = title,
						 .index = segment,
						 .type = PT_LOAD,
						 .read = true,
						 .addr = j->start + off,
						 .load_addr = j->start + off,
						 .vm_size = size,
						 .off = j->off + off,
						 .file_size = size });
	vec_push(&j->sections, (struct section){ .name = STR(""),
						 .title = title,
						 .index = section,
						 .type = SHT_PROGBITS,
						 .flags = SHF_ALLOC,
						 .alloc = true,
						 .addr = j->start + off,
						 .off = j->off + off,
						 .size = size,
						 .file_size = size });
}

/* What of a chunk no segment stores: [from, end). */
static void add_gap(struct join *j, const struct raw_chunk *c, uint64_t from, uint64_t end)
{
	if (end <= from)
		return;
	j->start = from;
	j->off = c->off + (from - c->addr);
	raw_runs(bytes_sub(j->raw->bytes, j->off, end - from), raw_least_run(j->raw->bytes.size),
		 add_other, j);
}

static void add_gaps(struct join *j)
{
	size_t i = 0;
	sort_by_key(j->stored.data, j->stored.count, sizeof *j->stored.data);
	for (size_t k = 0; k < j->raw->chunks.count; k++) {
		const struct raw_chunk *c = &j->raw->chunks.data[k];
		const uint64_t end = c->addr + c->size;
		uint64_t from = c->addr;
		while (i < j->stored.count && j->stored.data[i].addr < end) {
			const struct raw_chunk *s = &j->stored.data[i];
			add_gap(j, c, from, s->addr);
			from = max_u64(from, s->addr + s->size);
			if (s->addr + s->size > end)
				break;
			i++;
		}
		add_gap(j, c, from, end);
	}
}

#define TAKE(to, from, T)                                                                          \
	do {                                                                                       \
		(to) = arena_new(&im->arena, T, (from)->count + 1);                                \
		if ((from)->count > 0)                                                             \
			memcpy((to), (from)->data, (from)->count * sizeof(T));                     \
	} while (0)

void raw_join(struct image *im, const struct raw *r, struct bytes bytes, const char *name)
{
	struct join j = { .im = im, .raw = r };
	j.other = str_of(arena_format(&im->arena, "[not in %s]", name));
	split_segments(&j);
	for (size_t i = 0; i < im->section_count; i++) {
		struct section s = im->sections[i];
		move_section(&j, &s);
		vec_push(&j.sections, s);
	}
	add_gaps(&j);
	TAKE(im->segments, &j.segments, struct segment);
	im->segment_count = j.segments.count;
	TAKE(im->sections, &j.sections, struct section);
	im->section_count = j.sections.count;
	TAKE(im->parts, &r->parts, struct image_part);
	im->part_count = r->parts.count;
	im->bytes = bytes;
	im->ehdr_size = im->phdr_size = im->shdr_size = 0;
	im->phdr_off = im->shdr_off = r->bytes.size;
	elf_index_build(im);
	vec_release(&j.segments);
	vec_release(&j.sections);
	vec_release(&j.stored);
}
