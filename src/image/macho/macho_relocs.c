/* Reads the relocations of objects (relocation_info) as ELF relocations with an addend. */
#include "image/macho/macho_internal.h"

/* Number of R_AARCH64_ADD_ABS_LO12_NC. */
enum { ARM64_LO12 = 277 };
enum { SCATTERED = (int)0x80000000, ENTRY_SIZE = 8, ARM64_ADDEND = 10 };

/* ELF's types, by cputype and r_type. Column [1] is for entries with r_pcrel. */
static const uint16_t x86_64[][2] = {
	{ R_X86_64_64, R_X86_64_PC32 },           /* UNSIGNED */
	{ R_X86_64_PC32, R_X86_64_PC32 },         /* SIGNED */
	{ R_X86_64_PLT32, R_X86_64_PLT32 },       /* BRANCH */
	{ R_X86_64_GOTPCREL, R_X86_64_GOTPCREL }, /* GOT_LOAD */
	{ R_X86_64_GOTPCREL, R_X86_64_GOTPCREL }, /* GOT */
	{ 0, 0 },                                 /* SUBTRACTOR */
	{ R_X86_64_PC32, R_X86_64_PC32 },         /* SIGNED_1 */
	{ R_X86_64_PC32, R_X86_64_PC32 },         /* SIGNED_2 */
	{ R_X86_64_PC32, R_X86_64_PC32 },         /* SIGNED_4 */
	{ R_X86_64_GOTPCREL, R_X86_64_GOTPCREL }, /* TLV */
};
static const uint16_t arm64[][2] = {
	{ R_AARCH64_ABS64, R_AARCH64_PREL64 }, /* UNSIGNED */
	{ 0, 0 },                              /* SUBTRACTOR */
	{ R_AARCH64_CALL26, R_AARCH64_CALL26 },
	{ R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_ADR_PREL_PG_HI21 },
	{ ARM64_LO12, ARM64_LO12 },
	{ R_AARCH64_ADR_PREL_PG_HI21,
	  R_AARCH64_ADR_PREL_PG_HI21 }, /* ARM64_RELOC_GOT_LOAD_PAGE21. */
	{ ARM64_LO12, ARM64_LO12 },     /* ARM64_RELOC_GOT_LOAD_PAGEOFF12. */
};
static const uint16_t i386[][2] = { { R_386_32, R_386_PC32 } };
static const uint16_t arm[][2] = { { R_ARM_ABS32, R_ARM_REL32 } };

struct macho_relocs_entry {
	uint32_t off, symbol, type;
	unsigned width;
	bool pcrel, external;
};

static bool macho_relocs_read_entry(struct reader *r, bool big_endian,
				    struct macho_relocs_entry *ret)
{
	ret->off = read_u32(r);
	const uint32_t info = read_u32(r);
	ret->symbol = big_endian ? info >> 8 : info & 0xffffff;
	ret->pcrel = info >> (big_endian ? 7 : 24) & 1;
	ret->width = 1u << (info >> (big_endian ? 5 : 25) & 3);
	ret->external = info >> (big_endian ? 4 : 27) & 1;
	ret->type = big_endian ? info & 15 : info >> 28;
	return reader_ok(r);
}

/* Returns ELF's type of an entry. 0 if there is none. */
static uint32_t elf_type(const struct image *im, const struct macho_relocs_entry *e)
{
	switch (im->machine) {
	case EM_X86_64:
		if (e->type == 0 && e->width == 4)
			return R_X86_64_32;
		return e->type < COUNT_OF(x86_64) ? x86_64[e->type][e->pcrel] : 0;
	case EM_AARCH64:
		if (e->type == 0 && e->width == 4)
			return e->pcrel ? R_AARCH64_PREL32 : R_AARCH64_ABS32;
		return e->type < COUNT_OF(arm64) ? arm64[e->type][e->pcrel] : 0;
	case EM_386: return e->type < COUNT_OF(i386) && e->width == 4 ? i386[0][e->pcrel] : 0;
	case EM_ARM: return e->type < COUNT_OF(arm) && e->width == 4 ? arm[0][e->pcrel] : 0;
	default: return 0;
	}
}

static bool make_reloc(const struct macho *m, const struct macho_section *s,
		       const struct macho_relocs_entry *e, int64_t addend, struct reloc *ret)
{
	ASSERT(e->width > 0 && e->width <= 8);
	const struct image *im = m->build.im;
	ret->type = elf_type(im, e);
	ret->addr = e->off;
	ret->has_addend = true;
	ret->addend = addend;
	/* Reads the addend from the field, unless an AArch64 instruction scatters its bits. */
	if (im->machine != EM_AARCH64 || e->type == 0) {
		struct reader r = macho_reader(m, (uint64_t)s->off + e->off, e->width);
		const unsigned unused = 64 - 8 * e->width;
		ret->addend = (int64_t)(read_uint(&r, e->width) << unused) >> unused;
	}
	if (e->pcrel && im->machine == EM_X86_64)
		ret->addend = (int64_t)((uint64_t)ret->addend - 4);
	if (e->external) {
		ret->symbol = macho_symbol_index(m, e->symbol);
		return ret->symbol != 0;
	}
	if (e->symbol == 0 || e->symbol > m->sections.count)
		return false;
	/* The field has an address. The addend must be relative to the target section's start. */
	const struct macho_section *to = &m->sections.data[e->symbol - 1];
	const uint64_t place = e->pcrel ? s->addr + e->off + 4 : 0;
	ret->symbol = to->symbol;
	ret->addend = (int64_t)((uint64_t)ret->addend + place - to->addr);
	return true;
}

static void macho_relocs_read_section(struct macho *m, const struct macho_section *s)
{
	struct image *im = m->build.im;
	const uint64_t size = (uint64_t)s->reloc_count * ENTRY_SIZE;
	if (size > m->relocs_left) /* In valid files, sections do not share relocations. Skips those
				    * that together exceed the file */
		return;
	m->relocs_left -= size;
	const uint32_t index = build_relocs(&m->build, s->index, m->symbols.index, s->reloc_off,
					    size);
	const struct section *made = &m->build.sections.data[index];
	struct reader r = macho_reader(m, made->off, made->file_size);
	struct reloc *list = arena_new(&im->arena, struct reloc, made->file_size / ENTRY_SIZE + 1);
	uint64_t count = 0;
	int64_t addend = 0;
	while (reader_left(&r) >= ENTRY_SIZE) {
		struct reloc made_reloc = { .entry_off = r.pos, .entry_size = ENTRY_SIZE };
		struct macho_relocs_entry e;
		if (!macho_relocs_read_entry(&r, im->big_endian, &e) || e.off & (uint32_t)SCATTERED)
			continue;
		if (im->machine == EM_AARCH64 && e.type == ARM64_ADDEND) {
			addend = (int32_t)(e.symbol << 8) >> 8;
			continue;
		}
		if (make_reloc(m, s, &e, addend, &made_reloc))
			list[count++] = made_reloc;
		addend = 0;
	}
	build_set_relocs(&m->build, index, list, count);
}

void macho_read_relocs(struct macho *m)
{
	if (m->build.im->kind != IMAGE_OBJECT || m->symbols.index == 0)
		return;
	/* Relocations without a symbol refer to a symbol that heft makes for their section. */
	vec_each(struct macho_section, s, &m->sections) {
		const struct made_symbol made = {
			.symbol = { .name = STR(""), .section = s->index, .type = STT_SECTION }
		};
		s->symbol = build_symbol(&m->build, &made);
	}
	for (size_t i = 0; i < m->sections.count; i++)
		if (m->sections.data[i].reloc_count > 0)
			macho_relocs_read_section(m, &m->sections.data[i]);
}
