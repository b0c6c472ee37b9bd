/* Reads ARM's mapping symbols. */
#include "blocks/derive_map_internal.h"

#include "base/sort.h"
#include "image/arch.h"
#include "image/code_symbols.h"

void code_marks_list(struct code_marks *m, const struct image *im)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	*m = (struct code_marks){ .image = im };
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (code_symbols_next(&all, &s, &addr)) {
		const char kind = symbol_mark(&s);
		if (kind)
			vec_push(&m->list, (struct code_mark){ addr, kind });
	}
	vec_sort(&m->list);
}

/* Reads the instruction set of functions from their symbols, without mapping symbols. In ELF,
 * values of Thumb functions are odd. */
static bool derive_marks_read_functions(struct code_marks *m, const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	bool any = false;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr)) {
		if (!symbol_is_function(&s))
			continue;
		any = any || s.value & 1;
		vec_push(&m->list, (struct code_mark){ addr, s.value & 1 ? 't' : 'a' });
	}
	return any;
}

void code_marks_read(struct code_marks *m, const struct image *im, const struct image *debug)
{
	*m = (struct code_marks){ .image = im };
	if (!image_arch(im)->two_sets)
		return;
	code_marks_list(m, im);
	if (m->list.count == 0)
		code_marks_list(m, debug);
	m->image = im;
	if (m->list.count == 0 && !derive_marks_read_functions(m, im, SHT_SYMTAB) &&
	    !derive_marks_read_functions(m, im, SHT_DYNSYM))
		m->list.count = 0;
	vec_sort(&m->list);
}

void code_marks_release(struct code_marks *m)
{
	vec_release(&m->list);
}

/* Guesses the instruction set from the code, without symbols. In nearly all ARM instructions, the
 * highest four bits mean "unconditional". In Thumb code they vary. */
static char code_kind_guess(const struct image *im, struct bytes code)
{
	size_t count = 0, arm = 0;
	if (!image_arch(im)->two_sets)
		return 'a';
	for (uint64_t i = 0; i + 4 <= code.size; i += 4, count++)
		arm += code.p[im->big_endian ? i : i + 3] >> 4 == 0xe;
	ASSERT(arm <= count);
	return arm * 2 > count ? 'a' : 't';
}

bool code_marks_cut(const struct code_marks *m, uint64_t addr, struct bytes code,
		    struct blockmap *b)
{
	const size_t first = b->blocks.count;
	const uint64_t size = code.size;
	size_t i = vec_upper(&m->list, addr);
	char kind = i > 0 ? m->list.data[i - 1].kind : code_kind_guess(m->image, code);
	bool thumb = false;
	for (uint64_t from = 0, to; from < size; from = to) {
		const bool ends = i < m->list.count && m->list.data[i].addr - addr < size;
		to = ends ? m->list.data[i].addr - addr : size;
		ASSERT(to >= from && to <= size);
		if (b->blocks.count == first)
			thumb = kind == 't';
		const uint32_t id = (uint32_t)(b->blocks.count - first);
		if (kind != 'd' && to > from)
			vec_push(&b->blocks, (struct bbmap_block){ .id = id,
								   .off = (uint32_t)from,
								   .size = (uint32_t)(to - from) });
		if (ends)
			kind = m->list.data[i++].kind;
	}
	return thumb;
}
