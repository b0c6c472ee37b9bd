/* Reads the pointers that dyld moves: chained fixups (mach-o/fixup-chains.h) and the rebase table.
 * These pointers become relative relocations like ELF's. */
#include "image/macho/macho_internal.h"

enum { FORMAT_ARM64E = 1, FORMAT_64 = 2, FORMAT_64_OFFSET = 6, FORMAT_ARM64E_USERLAND = 9 };
enum { FORMAT_ARM64E_USERLAND24 = 12 };

enum { PAGE_NONE = 0xffff };

/* Form of the pointers in a segment. */
struct packing {
	bool arm64e, offset; /* `offset`: stored values count from the start of __TEXT */
};

struct chains {
	struct macho *m;
	/* Pointers, and pages with pointers, that may still be read. Limits the time: segments of a
	 * damaged file may share pages. */
	uint64_t left, pages;
};

static uint64_t macho_fixups_bits_of(uint64_t v, unsigned from, unsigned count)
{
	return v >> from & ((UINT64_C(1) << count) - 1);
}

static uint32_t relative_type(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64: return R_X86_64_RELATIVE;
	case EM_AARCH64: return R_AARCH64_RELATIVE;
	case EM_386: return R_386_RELATIVE;
	case EM_ARM: return R_ARM_RELATIVE;
	default: return 0;
	}
}

void macho_add_pointer(struct macho *m, uint64_t addr, uint64_t target, uint64_t entry_off,
		       uint64_t entry_size)
{
	const uint64_t bias = m->build.im->vm_bias;
	vec_push(&m->pointers, (struct reloc){ .entry_off = entry_off,
					       .entry_size = entry_size,
					       .addr = addr + bias,
					       .alloc = true,
					       .type = relative_type(m->build.im->machine),
					       .addend = (int64_t)(target + bias),
					       .has_addend = true });
}

void macho_set_pointers(struct macho *m, const struct macho_range *table)
{
	ASSERT(table->index < m->build.sections.count);
	struct image_build *b = &m->build;
	const size_t count = m->pointers.count;
	if (count == 0)
		return;
	struct reloc *list = arena_new(&b->im->arena, struct reloc, count);
	memcpy(list, m->pointers.data, count * sizeof *list);
	uint64_t end = 0; /* Entries ascend in valid tables, but maybe not in damaged ones */
	for (size_t i = 0; i < count; i++) {
		if (list[i].entry_off < end)
			list[i].entry_size = 0;
		end = max_u64(end, list[i].entry_off + list[i].entry_size);
	}
	b->im->moves = true;
	b->sections.data[table->index].type = SHT_RELA;
	build_set_relocs(b, table->index, list, count);
	m->pointers.count = 0;
}

bool macho_word_at(const struct macho *m, uint64_t addr, uint64_t *ret)
{
	const unsigned word = m->build.im->bits / 8;
	vec_each(const struct macho_segment, s, &m->segments) {
		if (addr < s->addr || addr - s->addr >= s->size)
			continue;
		struct reader r = macho_reader(m, s->off + (addr - s->addr), word);
		*ret = read_macho_word(&r, m);
		return reader_ok(&r);
	}
	return false;
}

/* Unpacks a pointer. True if it points into the file itself. *ret_next is the number of bytes to
 * the next pointer, 0 at the end. */
static bool macho_fixups_unpack(const struct macho *m, const struct packing *p, uint64_t word,
				uint64_t *ret_target, uint64_t *ret_next)
{
	const bool signed_pointer = p->arm64e && word >> 63;
	const bool bound = p->arm64e ? word >> 62 & 1 : word >> 63;
	const unsigned target_bits = signed_pointer ? 32 : p->arm64e ? 43 : 36;
	*ret_next = p->arm64e ? macho_fixups_bits_of(word, 51, 11) * 8
			      : macho_fixups_bits_of(word, 51, 12) * 4;
	*ret_target = macho_fixups_bits_of(word, 0, target_bits) +
		      (p->offset || signed_pointer ? m->text_addr : 0);
	return !bound;
}

static void read_chain(struct chains *c, const struct packing *p, uint64_t addr, uint64_t entry)
{
	uint64_t next = 1, entry_size = 2;
	for (; next != 0 && c->left > 0; c->left--, addr += next) {
		uint64_t word, target;
		if (!macho_word_at(c->m, addr, &word))
			return;
		if (!macho_fixups_unpack(c->m, p, word, &target, &next))
			continue;
		macho_add_pointer(c->m, addr, target, entry, entry_size);
		entry_size = 0;
	}
}

/* Reads dyld_chained_starts_in_segment. */
static void macho_fixups_read_segment(struct chains *c, uint64_t at)
{
	const struct macho_range *in = &c->m->fixups;
	struct reader r = macho_reader(c->m, in->off, in->size);
	reader_seek(&r, add_sat(at, 4));
	const uint16_t page_size = read_u16(&r), format = read_u16(&r);
	const uint64_t addr = c->m->text_addr + read_u64(&r);
	read_skip(&r, 4);
	const uint16_t pages = read_u16(&r);
	const bool user = format == FORMAT_ARM64E_USERLAND || format == FORMAT_ARM64E_USERLAND24;
	const struct packing p = { user || format == FORMAT_ARM64E,
				   user || format == FORMAT_64_OFFSET };
	if (!p.arm64e && !p.offset && format != FORMAT_64)
		return;
	for (unsigned i = 0; i < pages && reader_left(&r) >= 2 && c->pages > 0; i++, c->pages--) {
		const uint64_t entry = r.pos;
		const uint16_t start = read_u16(&r);
		if (start != PAGE_NONE)
			read_chain(c, &p, addr + (uint64_t)i * page_size + start, entry);
	}
}

/* Reads dyld_chained_starts_in_image. */
void macho_read_chains(struct macho *m)
{
	struct chains c = { m, m->build.im->bytes.size / 4, m->fixups.size / 2 };
	struct reader r = macho_reader(m, m->fixups.off, m->fixups.size);
	read_skip(&r, 4);
	const uint32_t starts = read_u32(&r);
	reader_seek(&r, starts);
	const uint32_t count = read_u32(&r);
	for (uint32_t i = 0; i < count && reader_left(&r) >= 4 && c.left > 0; i++) {
		const uint32_t off = read_u32(&r);
		if (off != 0)
			macho_fixups_read_segment(&c, (uint64_t)starts + off);
	}
	macho_set_pointers(m, &m->fixups);
}
