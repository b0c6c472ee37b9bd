/* Builds the look-up tables of an image: the section or segment at an address, and which bytes of
 * PT_LOAD segments are in the file. */
#include "image/elf/elf_internal.h"

#include "base/sort.h"

COMPARISON(piece_cmp, struct elf_piece, ORDER(a->addr, b->addr), ORDER(a->index, b->index))

struct elf_index_sweep {
	struct elf_piece *out;
	size_t out_count;
	struct elf_piece *stack; /* Stack of ranges that may not have ended. The top owns `at` */
	size_t depth;
	uint64_t at; /* All lower addresses have an owner */
};

static void sweep_emit(struct elf_index_sweep *w, uint64_t end)
{
	const struct elf_piece *top = &w->stack[w->depth - 1];
	if (end > w->at)
		w->out[w->out_count++] = (struct elf_piece){ w->at, end, top->index };
	w->at = max_u64(w->at, end);
}

/* Assigns the addresses from w->at up to `limit` to ranges on the stack. A range owns the addresses
 * that the ranges above it do not cover. */
static void sweep_to(struct elf_index_sweep *w, uint64_t limit)
{
	while (w->depth > 0) {
		const struct elf_piece *top = &w->stack[w->depth - 1];
		if (top->end > limit) {
			sweep_emit(w, limit);
			return;
		}
		sweep_emit(w, top->end);
		w->depth--;
	}
	w->at = limit;
}

/* Returns disjoint pieces of ranges that may overlap. An address belongs to the overlapping range
 * that begins last; of equal starts, to the highest index. O(n log n). */
static struct elf_pieces flatten(struct arena *arena, struct elf_piece *ranges, size_t count)
{
	struct elf_pieces ret = { NULL, 0 };
	if (count == 0)
		return ret;
	qsort(ranges, count, sizeof *ranges, piece_cmp);
	struct elf_index_sweep w = { .out = mem_zeroed(count, 2 * sizeof *w.out),
				     .stack = mem_zeroed(count, sizeof *w.stack) };
	for (size_t i = 0; i < count; i++) {
		sweep_to(&w, ranges[i].addr);
		w.stack[w.depth++] = ranges[i];
	}
	sweep_to(&w, UINT64_MAX);
	ASSERT(w.out_count <= 2 * count);
	ret.data = arena_new(arena, struct elf_piece, w.out_count);
	ret.count = w.out_count;
	if (w.out_count)
		memcpy(ret.data, w.out, w.out_count * sizeof *w.out);
	mem_free_all(w.out, w.stack);
	return ret;
}

const struct elf_piece *elf_pieces_at(const struct elf_pieces *p, uint64_t addr)
{
	size_t lo;
	BISECT(lo, 0, p->count, mid, p->data[mid].end <= addr);
	return lo < p->count && p->data[lo].addr <= addr ? &p->data[lo] : NULL;
}

/* Returns an index of the PT_LOAD segments by their addresses in memory (`vm`, p_memsz), or by the
 * part that the file has bytes for (p_filesz). */
static struct elf_pieces index_loads(struct image *im, bool vm)
{
	struct elf_piece *ranges = mem_zeroed(im->segment_count + 1, sizeof *ranges);
	size_t n = 0;
	for (uint32_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		const uint64_t size = vm ? s->vm_size : s->file_size;
		if (s->type == PT_LOAD && size > 0)
			ranges[n++] = (struct elf_piece){ s->addr, s->addr + size, i };
	}
	const struct elf_pieces ret = flatten(&im->arena, ranges, n);
	mem_free(ranges);
	return ret;
}

/* Facts about the file bytes of one segment, derived from its sections. Offsets count from the
 * segment's start. */
struct backing {
	uint64_t first_gone; /* Start of the first NOBITS section. UINT64_MAX if there is none. */
	uint64_t first_tls;  /* Start of the first NOBITS TLS section: a .tbss or an emptied
			      * .tdata. UINT64_MAX if there is none. */
	uint64_t last_end;   /* End of the last section whose file offset fits its address. */
};

static void weigh_section(const struct image *im, const struct section *s, struct backing *backing)
{
	const struct elf_piece *piece = elf_pieces_at(&im->index->loads, s->addr);
	if (!piece)
		return;
	const struct segment *seg = &im->segments[piece->index];
	struct backing *b = &backing[piece->index];
	const uint64_t start = s->addr - seg->addr;
	if (s->nobits && s->tls)
		b->first_tls = min_u64(b->first_tls, start);
	else if (s->nobits)
		b->first_gone = min_u64(b->first_gone, start);
	else if (s->off >= seg->off && s->off - seg->off == start)
		b->last_end = max_u64(b->last_end, start + s->file_size);
}

/* Returns the file offsets of the *count sections without memory, ascending. malloc'ed. */
static uint64_t *unmapped_offsets(const struct image *im, size_t *count)
{
	uint64_t *offs = mem_zeroed(im->section_count, sizeof *offs);
	*count = 0;
	for (size_t i = 0; i < im->section_count; i++)
		if (!im->sections[i].alloc && im->sections[i].file_size > 0)
			offs[(*count)++] = im->sections[i].off;
	qsort(offs, *count, sizeof *offs, compare_numbers);
	return offs;
}

/* Reduces file_size of segments in separate debug files. `objcopy --only-keep-debug` and `eu-strip
 * -f` turn alloc sections into NOBITS but may keep p_filesz. The segment's file range then covers
 * unrelated debug sections.
 *
 * A segment with a NOBITS section inside its file range keeps the bytes before that section. It
 * also keeps later sections that are at their offsets, because some linkers put .bss before .data
 * in one segment. The segment never keeps bytes of a section without SHF_ALLOC. */
static void hollow_segments(struct image *im)
{
	struct backing *backing = mem_zeroed(im->segment_count + 1, sizeof *backing);
	for (size_t i = 0; i < im->segment_count; i++)
		backing[i] = (struct backing){ UINT64_MAX, UINT64_MAX, 0 };
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (s->alloc && s->size > 0)
			weigh_section(im, s, backing);
	}
	size_t count;
	uint64_t *offs = unmapped_offsets(im, &count);
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *seg = &im->segments[i];
		const struct backing *b = &backing[i];
		const uint64_t gone = min_u64(b->first_gone, b->first_tls);
		if (b->first_gone == UINT64_MAX || max_u64(gone, b->last_end) >= seg->file_size)
			continue;
		size_t at;
		BISECT(at, 0, count, mid, offs[mid] < seg->off);
		const uint64_t unmapped = (at < count ? offs[at] : UINT64_MAX) - seg->off;
		seg->file_size = min_u64(max_u64(gone, b->last_end), unmapped);
	}
	mem_free_all(offs, backing);
}

/* Reduces file_size of the other segments of a separate debug file: a segment inside a PT_LOAD has
 * at most the file bytes of the PT_LOAD. */
static void hollow_inner_segments(struct image *im)
{
	const struct elf_pieces vm = index_loads(im, true);
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *seg = &im->segments[i];
		const struct elf_piece *p = elf_pieces_at(&vm, seg->addr);
		if (seg->type == PT_LOAD || !p)
			continue;
		const struct segment *load = &im->segments[p->index];
		const uint64_t start = seg->addr - load->addr;
		const uint64_t room = load->file_size - min_u64(start, load->file_size);
		seg->file_size = min_u64(seg->file_size, room);
	}
}

static void clip_segments(struct image *im)
{
	for (size_t i = 0; i < im->segment_count; i++) {
		struct segment *s = &im->segments[i];
		const uint64_t start = min_u64(s->off, im->bytes.size);
		const uint64_t room = im->bytes.size - start;
		if (s->file_size > room) {
			s->missing = s->file_size - room;
			IMAGE_NOTE(im, s->off, s->missing,
				   "segment %" PRIu32 " goes beyond the end of the file", s->index);
		}
		s->file_size = min_u64(s->file_size, room);
		s->off = start;
	}
}

static struct elf_pieces index_sections(struct image *im)
{
	struct elf_piece *ranges = mem_zeroed(im->section_count + 1, sizeof *ranges);
	size_t n = 0;
	for (uint32_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		const bool no_room = s->tls && s->nobits && im->kind != IMAGE_OBJECT;
		if (s->alloc && s->size > 0 && !no_room)
			ranges[n++] = (struct elf_piece){ s->addr, s->addr + s->size, i };
	}
	const struct elf_pieces ret = flatten(&im->arena, ranges, n);
	mem_free(ranges);
	return ret;
}

enum { DESCRIPTOR_WORD = 8 };

static void relocate_descriptors(const struct image *im, const struct section *table,
				 uint64_t *words, size_t count)
{
	const struct section *opd = im->index->opd;
	struct reloc_iter it;
	struct reloc r;
	uint64_t target;
	if (!reloc_open(&it, im, table) || (it.patched && it.patched != opd))
		return;
	while (reloc_next(&it, &r)) {
		const uint64_t off = r.addr - opd->addr;
		if (r.section == opd->index && off % DESCRIPTOR_WORD == 0 &&
		    off / DESCRIPTOR_WORD < count &&
		    (r.kind == RELOC_RELATIVE || r.kind == RELOC_ABS) &&
		    reloc_target(&it, &r, &target))
			words[off / DESCRIPTOR_WORD] = target;
	}
}

/* Reads the function descriptors of 64-bit PowerPC. The first doubleword of a descriptor is the
 * address of the code. In objects and in images that can be moved, relocations have that address.
 * 64-bit PowerPC ELF ABI 1.9, "Function Descriptors". */
static void read_descriptors(struct image *im)
{
	struct elf_index *index = im->index;
	struct notes *notes = im->notes;
	const struct section *opd = image_section_find(im, ".opd");
	if (!opd || opd->compressed)
		return;
	struct reader r = reader_of(section_bytes(im, opd), im->big_endian);
	const size_t count = (size_t)(r.size / DESCRIPTOR_WORD);
	uint64_t *words = arena_new(&im->arena, uint64_t, count);
	for (size_t i = 0; i < count; i++)
		words[i] = read_u64(&r);
	index->opd = opd;
	im->notes = NULL; /* No notes here: later readers of these relocations make them */
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]))
			relocate_descriptors(im, &im->sections[i], words, count);
	im->notes = notes;
	index->opd_words = words;
	index->opd_count = count;
}

void elf_index_build(struct image *im)
{
	ASSERT(!im->index);
	struct elf_index *index = arena_new(&im->arena, struct elf_index, 1);
	im->index = index;
	index->sections = index_sections(im);
	index->loads = index_loads(im, false);
	bool code = false; /* True if code has bytes in the file, as in no separate debug file */
	each_section(s, im)
		code |= s->alloc && s->exec && !s->nobits && s->size > 0;
	if (im->kind == IMAGE_EXEC && (im->by_build || !code)) {
		hollow_segments(im);
		hollow_inner_segments(im);
	}
	clip_segments(im);
	index->loads = index_loads(im, false);
	each_section(s, im) {
		if (s->type != SHT_SYMTAB_SHNDX || s->link >= im->section_count)
			continue;
		if (!im->index->shndx)
			im->index->shndx = arena_new(&im->arena, const struct section *,
						     im->section_count);
		if (!im->index->shndx[s->link])
			im->index->shndx[s->link] = s;
	}
	for (size_t i = 0; i < im->segment_count && !index->tls; i++)
		if (im->segments[i].type == PT_TLS)
			index->tls = &im->segments[i];
	if (im->machine == EM_PPC64 && (im->flags & EF_PPC64_ABI) < 2)
		read_descriptors(im);
}
