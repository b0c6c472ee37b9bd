/* Collects addresses of Thumb code from words of the image: vector tables, variables, literals. */
#include "blocks/derive_map_internal.h"

#include "code/entry.h"
#include "code/flow.h"
#include "image/elf/elf_const.h"

/* True if code before `addr` moves a high register to lr. ARMv6-M saves high registers through low
 * registers and lr, so a push of lr there does not start a function. */
static bool moved_to_lr(const struct image *im, uint64_t addr)
{
	enum { LOOK_AT = 6 };
	for (uint64_t at = addr - 2 * min_u64(LOOK_AT, addr / 2); at < addr; at += 2) {
		struct reader r = reader_of(image_at(im, at, 2), false);
		if ((read_u16(&r) & 0xffc7) == 0x46c6) /* mov lr, r8 to r15 */
			return true;
	}
	return false;
}

/* True if the instruction before the address never continues to it. */
static bool is_behind_end(const struct gathering *g, uint64_t addr)
{
	for (uint64_t size = 2; addr % 2 == 0 && size <= 4; size++) {
		struct flow in;
		const struct bytes b = image_at(g->im, addr - size, size);
		if (b.size == size && flow_decode(g->isa, b.p, size, addr - size, &in) &&
		    in.size == size && in.kind != FLOW_PLAIN && in.kind != FLOW_CONDITIONAL &&
		    in.kind != FLOW_CALL)
			return true;
	}
	return false;
}

/* Returns the end of the table of words after `ldr.w pc, [Rn, Rm, lsl #2]`. Its words are also odd.
 * 0 if another instruction is at `off`. */
static uint64_t jump_table_end(const struct section *s, struct bytes b, uint64_t off)
{
	enum { FAR = 1 << 16 };
	struct reader r = reader_of(bytes_sub(b, off, b.size - off), false);
	const uint32_t first = read_u16(&r), second = read_u16(&r);
	if ((first & 0xfff0) != 0xf850 || (second & 0xffc0) != 0xf000)
		return 0;
	const uint64_t begin = align_up(s->addr + off + 4, 4) - s->addr;
	r = reader_of(bytes_sub(b, min_u64(begin, b.size), b.size - min_u64(begin, b.size)), false);
	while (reader_left(&r) >= 4) {
		const uint32_t word = read_u32(&r);
		if (!(word & 1) || word - s->addr >= s->size ||
		    word - (s->addr + off) + FAR >= 2 * FAR)
			return begin + r.pos - 4;
	}
	return begin + r.pos;
}

/* Reads the words of a section. An odd word is the address of a function, an even word that of
 * data, which may also be inside code. If flash begins at 0, small numbers are valid addresses. So
 * a small word is used only if a function probably begins there. */
static void derive_words_read_section(struct gathering *g, const struct section *s)
{
	enum { SMALL = 1 << 20 };
	const struct bytes b = section_bytes(g->im, s);
	uint64_t table_end = 0;
	for (uint64_t off = s->addr % 2; off + 4 <= b.size; off += 2) {
		if (s->exec)
			table_end = max_u64(table_end, jump_table_end(s, b, off));
		if ((s->addr + off) % 4 != 0 || off < table_end)
			continue;
		struct reader r = reader_of(bytes_sub(b, off, 4), false);
		const uint32_t word = read_u32(&r);
		const uint64_t addr = word & ~UINT32_C(1);
		if (!(word & 1))
			gaps_add(g, &g->gaps.signs.objects, addr);
		else if (word >= SMALL ||
			 (entry_like(g->isa, image_at(g->im, addr, 4)) &&
			  !moved_to_lr(g->im, addr) && (addr % 4 == 0 || is_behind_end(g, addr))))
			gaps_add(g, &g->gaps.signs.starts, addr);
	}
}

void gaps_read_words(struct gathering *g)
{
	/* Reads only linked programs, because objects have relocations instead. */
	for (size_t i = 1; g->im->type == ET_EXEC && i < g->im->section_count; i++) {
		const struct section *s = &g->im->sections[i];
		if (s->alloc && !s->nobits && s->type != SHT_ARM_EXIDX)
			derive_words_read_section(g, s);
	}
}
