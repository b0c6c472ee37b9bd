/* Claims alignment bytes for the owner before them. In data they are zeros. In code they repeat one
 * byte (int3 on x86, as Go's linker pads). spans_pad() handles shorter padding. Alignment to pages
 * has a row of its own. */
#include "attr/attr_scratch.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "attr/code_pass.h"
#include "code/flow.h"

/* Largest alignment that compilers use by default: a cache line. */
enum { ALIGN_MAX = 64 };

/* Returns the end of the filler from `start` on: one repeated byte in code, zeros in data. */
static uint64_t fill_end(const struct image *im, const struct section *s, uint64_t start,
			 uint64_t end)
{
	if (s->nobits)
		return end;
	const struct bytes b = image_at(im, start, end - start);
	const uint8_t fill = s->exec && b.size > 0 ? b.p[0] : 0;
	uint64_t size = 0;
	while (size < b.size && b.p[size] == fill)
		size++;
	return start + size;
}

/* Returns the end of the instructions without effect at `start`, or of those before zeros. */
static uint64_t attr_pad_idle_end(const struct image *im, enum code_isa isa, uint64_t start,
				  uint64_t end)
{
	const struct bytes b = image_at(im, start, end - start);
	uint64_t size = 0, step = 1;
	for (; size < b.size && step > 0 && b.p[size] != 0; size += step)
		step = code_pad_size(isa, b.p + size, b.size - size);
	return start + size;
}

static bool attr_pad_idles(const struct image *im, enum code_isa isa, uint64_t start, uint64_t end)
{
	return attr_pad_idle_end(im, isa, start, end) == end;
}

/* True if [start, end) only aligns what follows: one repeated byte, or in code, instructions
 * without effect and then one repeated byte. gold writes nops, then zeros, also before empty
 * code. */
static bool attr_pad_aligns(const struct image *im, const struct section *in, enum code_isa isa,
			    uint64_t start, uint64_t end)
{
	const uint64_t align = end & (~end + 1);
	if (end - start < align && fill_end(im, in, start, end) == end)
		return true;
	const bool code = in->exec && isa != CODE_NONE;
	const uint64_t idle = code ? attr_pad_idle_end(im, isa, start, end) : start;
	return idle > start && (idle == end || fill_end(im, in, idle, end) == end);
}

bool attr_is_fill(const struct image *im, const struct section *in, uint64_t start, uint64_t end)
{
	const struct bytes first = image_at(im, start, 1);
	return in->exec && end - start >= ALIGN_MAX && !in->nobits && first.size > 0 &&
	       *first.p != 0 && fill_end(im, in, start, end) == end;
}

void attr_code_padding(struct attr *a)
{
	const enum code_isa isa = code_split_isa_of(a->im);
	const struct section *in = NULL;
	struct code_pass pass = { .im = a->im };
	ASSERT(a->vm_claims.list.count == 0);
	for (size_t i = 1; isa != CODE_NONE && i < a->vm.list.count; i++) {
		struct span *before = &a->vm.list.data[i - 1];
		const uint64_t start = before->start + before->size, end = before[1].start;
		/* A gap of at least the alignment of the next span is more than padding. */
		const bool aligns = end - start < min_u64(ALIGN_MAX, end & (~end + 1));
		const uint64_t size = aligns ? end - start : 0;
		/* Counts gaps as read, so that their pages are released too. */
		code_passed(&pass, before->start, size + before->size);
		if (size == 0)
			continue;
		if (!in || start - in->addr >= in->size)
			in = image_section_at(a->im, start);
		/* Nops at the start of a section have no function before them. */
		if (!in || !in->exec || start == in->addr || start + size - in->addr >= in->size)
			continue;
		if (attr_pad_idles(a->im, isa, start, start + size))
			before->size += size;
	}
	code_pass_end(&pass);
}

/* Claims filler between functions: zeros of more than a cache line, and nops after them. Linkers
 * put such filler before page-aligned stubs (AArch64: erratum of Cortex-A53). */
static void attr_pad_fill(struct attr *a, enum code_isa isa, const struct span *before)
{
	const uint64_t start = before->start + before->size;
	const struct section *in = image_section_at(a->im, start);
	const uint64_t end = in && in->exec && !in->nobits ? before[1].start : start;
	if (a->owner != BY_SYMBOL || a->im->kind != IMAGE_EXEC || end - start < ALIGN_MAX ||
	    end - in->addr >= in->size)
		return;
	const struct bytes first = image_at(a->im, start, 1);
	const uint64_t fill = fill_end(a->im, in, start, end);
	if (first.size > 0 && *first.p == 0 && fill - start >= ALIGN_MAX &&
	    (fill == end || attr_pad_idles(a->im, isa, fill, end)))
		claim(&a->vm_claims, start, end - start,
		      label_borrow(a->f->labels, STR("(alignment)")), WHY_PADDING);
}

void attr_padding(struct attr *a)
{
	const enum code_isa isa = code_split_isa_of(a->im);
	const uint64_t *nobodys = a->scratch->nobodys.data;
	size_t nobody = 0;
	struct code_pass pass = { .im = a->im };
	for (size_t i = 1; i < a->vm.list.count; i++) {
		const struct span *before = &a->vm.list.data[i - 1];
		const uint64_t start = before->start + before->size;
		uint64_t size = before[1].start - start;
		while (size > 0 && nobody < a->scratch->nobodys.count && nobodys[nobody] < start)
			nobody++;
		if (nobody < a->scratch->nobodys.count)
			size = min_u64(size, nobodys[nobody] - start);
		const struct section *in = size > 0 && size < ALIGN_MAX
						   ? image_section_at(a->im, start)
						   : NULL;
		if (in && start > in->addr && start + size - in->addr < in->size &&
		    (in->exec || section_is_data(in)) &&
		    attr_pad_aligns(a->im, in, isa, start, start + size))
			claim(&a->vm_claims, start, size, before->label, WHY_PADDING);
		else if (size >= ALIGN_MAX)
			attr_pad_fill(a, isa, before);
		/* Counts gaps as read, so that their pages are released too. */
		code_passed(&pass, before->start, size + before->size);
	}
	code_pass_end(&pass);
}

/* Claims filler of less than a page before data or code at a page boundary. In code, also claims
 * longer runs of one repeated byte. */
void attr_alignment(struct attr *a)
{
	enum { PAGE = 4096 };
	const label_id label = label_borrow(a->f->labels, STR("(alignment)"));
	const place_vec *unsized = &a->scratch->unsized;
	const bool symbols = image_symbols(a->im) ||
			     (a->debug && image_section_type(a->debug, SHT_SYMTAB, 1));
	ASSERT(a->owner == BY_SYMBOL);
	if (!symbols || a->im->kind == IMAGE_OBJECT)
		return;
	for (size_t i = 1; i < a->vm.list.count; i++) {
		const struct span *before = &a->vm.list.data[i - 1];
		const uint64_t start = before->start + before->size;
		const struct section *in = image_section_at(a->im, start);
		const uint64_t end = in ? min_u64(before[1].start, in->addr + in->size) : start;
		if (end - start < ALIGN_MAX)
			continue;
		const uint64_t fill = fill_end(a->im, in, start, end), size = fill - start;
		const uint64_t align = fill & (~fill + 1);
		const bool labelled = attr_is_fill(a->im, in, start, fill);
		const size_t next = vec_lower(unsized, start + labelled);
		/* In code, other filler may follow before the next function. */
		if (size < ALIGN_MAX || (fill != end && !in->exec) ||
		    (next < unsized->count && unsized->data[next].addr < fill))
			continue;
		if ((align >= PAGE && size < align && (in->exec || section_is_data(in))) ||
		    (in->exec && size >= PAGE))
			claim(&a->vm_claims, start, size, label, WHY_PADDING);
	}
}
