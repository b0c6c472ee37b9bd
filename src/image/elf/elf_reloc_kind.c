/* Returns the kind and the target of relocations, by the processor supplements named in
 * elf_const.h. */
#include "image/elf/elf_internal.h"

struct elf_reloc_kind_kinds {
	uint16_t first, last; /* types */
	uint8_t kind;
};

/* Each table has common types first. Type 0 (NONE) and types that are missing here are
 * RELOC_OTHER. */
static const struct elf_reloc_kind_kinds x86_64[] = {
	{ R_X86_64_RELATIVE, R_X86_64_RELATIVE, RELOC_RELATIVE },
	{ R_X86_64_PC32, R_X86_64_PC32, RELOC_PCREL },
	{ R_X86_64_PLT32, R_X86_64_PLT32, RELOC_PCREL },
	{ R_X86_64_64, R_X86_64_64, RELOC_ABS },
	{ R_X86_64_32, R_X86_64_16, RELOC_ABS },
	{ R_X86_64_GLOB_DAT, R_X86_64_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_X86_64_JUMP_SLOT, R_X86_64_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ R_X86_64_GOTPCREL, R_X86_64_GOTPCREL, RELOC_PCREL },
	{ 41, 43, RELOC_PCREL }, /* Types GOTPCRELX, REX_GOTPCRELX and CODE_4_GOTPCRELX. */
	{ R_X86_64_DTPMOD64, R_X86_64_TPOFF32, RELOC_TLS },
	{ R_X86_64_GOTPC32_TLSDESC, R_X86_64_TLSDESC, RELOC_TLS },
	{ R_X86_64_COPY, R_X86_64_COPY, RELOC_COPY },
	{ R_X86_64_IRELATIVE, R_X86_64_IRELATIVE, RELOC_IRELATIVE },
	{ R_X86_64_PC16, R_X86_64_PC16, RELOC_PCREL },
	{ R_X86_64_8, R_X86_64_8, RELOC_ABS },
	{ R_X86_64_PC8, R_X86_64_PC8, RELOC_PCREL },
	{ R_X86_64_PC64, R_X86_64_PC64, RELOC_PCREL },
	{ 28, 28, RELOC_PCREL }, /* GOTPCREL64 */
	{ R_X86_64_RELATIVE64, R_X86_64_RELATIVE64, RELOC_RELATIVE },
	{ 39, 40, RELOC_PCREL }, /* Types PC32_BND and PLT32_BND. */
};

static const struct elf_reloc_kind_kinds i386[] = {
	{ R_386_RELATIVE, R_386_RELATIVE, RELOC_RELATIVE },
	{ R_386_32, R_386_32, RELOC_ABS },
	{ R_386_PC32, R_386_PC32, RELOC_PCREL },
	{ R_386_PLT32, R_386_PLT32, RELOC_PCREL },
	{ R_386_COPY, R_386_COPY, RELOC_COPY },
	{ R_386_GLOB_DAT, R_386_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_386_JUMP_SLOT, R_386_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ R_386_TLS_TPOFF, R_386_TLS_LDM, RELOC_TLS },
	{ R_386_16, R_386_16, RELOC_ABS },
	{ R_386_PC16, R_386_PC16, RELOC_PCREL },
	{ R_386_8, R_386_8, RELOC_ABS },
	{ R_386_PC8, R_386_PC8, RELOC_PCREL },
	{ R_386_TLS_GD_32, R_386_TLS_TPOFF32, RELOC_TLS },
	{ R_386_TLS_GOTDESC, R_386_TLS_DESC, RELOC_TLS },
	{ R_386_IRELATIVE, R_386_IRELATIVE, RELOC_IRELATIVE },
};

static const struct elf_reloc_kind_kinds aarch64[] = {
	{ R_AARCH64_RELATIVE, R_AARCH64_RELATIVE, RELOC_RELATIVE },
	{ R_AARCH64_TSTBR14, R_AARCH64_CONDBR19, RELOC_PCREL },
	{ R_AARCH64_AUTH_RELATIVE, R_AARCH64_AUTH_RELATIVE, RELOC_RELATIVE },
	{ R_AARCH64_AUTH_ABS64, R_AARCH64_AUTH_ABS64, RELOC_ABS },
	{ R_AARCH64_AUTH_GLOB_DAT, R_AARCH64_AUTH_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_AARCH64_AUTH_TLSDESC, R_AARCH64_AUTH_TLSDESC, RELOC_TLS },
	{ R_AARCH64_AUTH_IRELATIVE, R_AARCH64_AUTH_IRELATIVE, RELOC_IRELATIVE },
	{ R_AARCH64_JUMP26, R_AARCH64_CALL26, RELOC_PCREL },
	{ R_AARCH64_LD_PREL_LO19, R_AARCH64_ADR_PREL_PG_HI21_NC, RELOC_PCREL },
	{ R_AARCH64_ABS64, R_AARCH64_ABS16, RELOC_ABS },
	{ R_AARCH64_PREL64, R_AARCH64_PREL16, RELOC_PCREL },
	{ R_AARCH64_GLOB_DAT, R_AARCH64_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_AARCH64_JUMP_SLOT, R_AARCH64_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ 309, 309, RELOC_PCREL }, /* Type GOT_LD_PREL19. */
	{ 311, 311, RELOC_PCREL }, /* Type ADR_GOT_PAGE. */
	{ R_AARCH64_PLT32, R_AARCH64_PLT32, RELOC_PCREL },
	{ R_AARCH64_TLS_FIRST, R_AARCH64_TLS_LAST, RELOC_TLS },
	{ R_AARCH64_COPY, R_AARCH64_COPY, RELOC_COPY },
	{ R_AARCH64_TLS_DTPMOD, R_AARCH64_TLSDESC, RELOC_TLS },
	{ R_AARCH64_IRELATIVE, R_AARCH64_IRELATIVE, RELOC_IRELATIVE },
};

static const struct elf_reloc_kind_kinds arm[] = {
	{ R_ARM_RELATIVE, R_ARM_RELATIVE, RELOC_RELATIVE },
	{ R_ARM_ABS32, R_ARM_ABS32, RELOC_ABS },
	{ R_ARM_TARGET1, R_ARM_TARGET1, RELOC_ABS }, /* Used in .init_array: ABS32 on Linux. */
	{ R_ARM_CALL, R_ARM_THM_JUMP24, RELOC_PCREL },
	{ R_ARM_THM_CALL, R_ARM_THM_CALL, RELOC_PCREL },
	{ R_ARM_PREL31, R_ARM_PREL31, RELOC_PCREL },
	{ R_ARM_REL32, R_ARM_REL32, RELOC_PCREL },
	{ R_ARM_GLOB_DAT, R_ARM_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_ARM_JUMP_SLOT, R_ARM_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ R_ARM_COPY, R_ARM_COPY, RELOC_COPY },
	{ R_ARM_PC24, R_ARM_PC24, RELOC_PCREL },
	{ R_ARM_PLT32, R_ARM_PLT32, RELOC_PCREL },
	{ R_ARM_THM_JUMP19, R_ARM_THM_JUMP19, RELOC_PCREL },
	{ R_ARM_THM_JUMP11, R_ARM_THM_JUMP8, RELOC_PCREL },
	{ R_ARM_TLS_DESC, R_ARM_TLS_DESC, RELOC_TLS },
	{ R_ARM_TLS_DTPMOD32, R_ARM_TLS_TPOFF32, RELOC_TLS },
	{ R_ARM_TLS_GOTDESC, R_ARM_TLS_DESCSEQ, RELOC_TLS },
	{ R_ARM_TLS_GD32, R_ARM_TLS_IE12GP, RELOC_TLS },
	{ R_ARM_IRELATIVE, R_ARM_IRELATIVE, RELOC_IRELATIVE },
};

static const struct elf_reloc_kind_kinds riscv[] = {
	{ R_RISCV_RELATIVE, R_RISCV_RELATIVE, RELOC_RELATIVE },
	{ R_RISCV_BRANCH, R_RISCV_CALL_PLT, RELOC_PCREL },
	{ R_RISCV_PCREL_HI20, R_RISCV_PCREL_HI20, RELOC_PCREL },
	{ R_RISCV_RVC_BRANCH, R_RISCV_RVC_JUMP, RELOC_PCREL },
	{ R_RISCV_32, R_RISCV_64, RELOC_ABS },
	{ R_RISCV_JUMP_SLOT, R_RISCV_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ 20, 20, RELOC_PCREL }, /* GOT_HI20 */
	{ 26, 26, RELOC_ABS },   /* HI20 */
	{ 41, 41, RELOC_PCREL }, /* GOT32_PCREL */
	{ R_RISCV_COPY, R_RISCV_COPY, RELOC_COPY },
	{ R_RISCV_TLS_DTPMOD32, R_RISCV_TLSDESC, RELOC_TLS },
	{ R_RISCV_TLS_GOT_HI20, R_RISCV_TLS_GD_HI20, RELOC_TLS },
	{ R_RISCV_TPREL_HI20, R_RISCV_TPREL_ADD, RELOC_TLS },
	{ R_RISCV_32_PCREL, R_RISCV_32_PCREL, RELOC_PCREL },
	{ R_RISCV_IRELATIVE, R_RISCV_IRELATIVE, RELOC_IRELATIVE },
	{ R_RISCV_PLT32, R_RISCV_PLT32, RELOC_PCREL },
	{ R_RISCV_TLSDESC_HI20, R_RISCV_TLSDESC_CALL, RELOC_TLS },
};

static const struct elf_reloc_kind_kinds ppc64[] = {
	{ R_PPC64_RELATIVE, R_PPC64_RELATIVE, RELOC_RELATIVE },
	{ R_PPC64_ADDR64, R_PPC64_ADDR64, RELOC_ABS },
	{ R_PPC64_REL24, R_PPC64_REL14_BRNTAKEN, RELOC_PCREL },
	{ R_PPC64_ADDR32, R_PPC64_ADDR32, RELOC_ABS },
	{ R_PPC64_REL32, R_PPC64_REL32, RELOC_PCREL },
	{ R_PPC64_REL64, R_PPC64_REL64, RELOC_PCREL },
	{ R_PPC64_GLOB_DAT, R_PPC64_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_PPC64_JMP_SLOT, R_PPC64_JMP_SLOT, RELOC_JUMP_SLOT },
	{ R_PPC64_COPY, R_PPC64_COPY, RELOC_COPY },
	{ R_PPC64_UADDR32, R_PPC64_UADDR32, RELOC_ABS },
	{ R_PPC64_UADDR64, R_PPC64_UADDR64, RELOC_ABS },
	{ R_PPC64_TLS, R_PPC64_DTPREL16_HIGHESTA, RELOC_TLS },
	{ R_PPC64_TLSGD, R_PPC64_TLSLD, RELOC_TLS },
	{ R_PPC64_REL24_NOTOC, R_PPC64_REL24_NOTOC, RELOC_PCREL },
	{ R_PPC64_JMP_IREL, R_PPC64_IRELATIVE, RELOC_IRELATIVE },
};

static const struct elf_reloc_kind_kinds ppc[] = {
	{ R_PPC64_RELATIVE, R_PPC64_RELATIVE, RELOC_RELATIVE },
	{ R_PPC64_ADDR32, R_PPC64_ADDR32, RELOC_ABS },
	{ R_PPC64_REL24, R_PPC64_REL14_BRNTAKEN, RELOC_PCREL },
	{ 18, 18, RELOC_PCREL }, /* PLTREL24 */
	{ R_PPC_LOCAL24PC, R_PPC_LOCAL24PC, RELOC_PCREL },
	{ R_PPC64_REL32, R_PPC64_REL32, RELOC_PCREL },
	{ R_PPC64_GLOB_DAT, R_PPC64_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_PPC64_JMP_SLOT, R_PPC64_JMP_SLOT, RELOC_JUMP_SLOT },
	{ R_PPC64_COPY, R_PPC64_COPY, RELOC_COPY },
	{ R_PPC64_UADDR32, R_PPC64_UADDR32, RELOC_ABS },
	{ R_PPC64_TLS, R_PPC_TLSGD_LAST, RELOC_TLS },
	{ R_PPC64_IRELATIVE, R_PPC64_IRELATIVE, RELOC_IRELATIVE },
};

static const struct elf_reloc_kind_kinds s390[] = {
	{ R_390_RELATIVE, R_390_RELATIVE, RELOC_RELATIVE },
	{ R_390_64, R_390_64, RELOC_ABS },
	{ R_390_PC16DBL, R_390_PLT32DBL, RELOC_PCREL },
	{ R_390_8, R_390_32, RELOC_ABS },
	{ R_390_PC32, R_390_PC32, RELOC_PCREL },
	{ R_390_PLT32, R_390_PLT32, RELOC_PCREL },
	{ R_390_COPY, R_390_COPY, RELOC_COPY },
	{ R_390_GLOB_DAT, R_390_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_390_JMP_SLOT, R_390_JMP_SLOT, RELOC_JUMP_SLOT },
	{ R_390_PC16, R_390_PC16, RELOC_PCREL },
	{ R_390_PC64, R_390_PC64, RELOC_PCREL },
	{ R_390_PLT64, 26, RELOC_PCREL }, /* Types PLT64 and GOTENT. */
	{ R_390_TLS_LOAD, R_390_TLS_TPOFF, RELOC_TLS },
	{ R_390_IRELATIVE, R_390_IRELATIVE, RELOC_IRELATIVE },
	{ R_390_PC12DBL, R_390_PLT24DBL, RELOC_PCREL },
};

static const struct elf_reloc_kind_kinds mips[] = {
	/* With symbol 0, the usual case, REL32 is RELATIVE. */
	{ R_MIPS_REL32, R_MIPS_REL32, RELOC_ABS },
	{ R_MIPS_32, R_MIPS_32, RELOC_ABS },
	{ R_MIPS_64, R_MIPS_64, RELOC_ABS },
	{ R_MIPS_26, R_MIPS_26, RELOC_PCREL }, /* Jump within 256 MiB. */
	{ R_MIPS_PC16, R_MIPS_PC16, RELOC_PCREL },
	{ R_MIPS_TLS_DTPMOD32, R_MIPS_TLS_TPREL_LO16, RELOC_TLS },
	{ R_MIPS_GLOB_DAT, R_MIPS_GLOB_DAT, RELOC_GLOB_DAT },
	{ R_MIPS_PC21_S2, R_MIPS_PCLO16, RELOC_PCREL },
	{ R_MIPS_COPY, R_MIPS_COPY, RELOC_COPY },
	{ R_MIPS_JUMP_SLOT, R_MIPS_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ R_MIPS_PC32, R_MIPS_PC32, RELOC_PCREL },
};

static const struct elf_reloc_kind_kinds loongarch[] = {
	{ R_LARCH_RELATIVE, R_LARCH_RELATIVE, RELOC_RELATIVE },
	{ R_LARCH_B16, R_LARCH_B26, RELOC_PCREL },
	{ R_LARCH_PCALA_HI20, R_LARCH_PCALA_HI20, RELOC_PCREL },
	{ R_LARCH_32, R_LARCH_64, RELOC_ABS },
	{ R_LARCH_COPY, R_LARCH_COPY, RELOC_COPY },
	{ R_LARCH_JUMP_SLOT, R_LARCH_JUMP_SLOT, RELOC_JUMP_SLOT },
	{ R_LARCH_TLS_DTPMOD32, R_LARCH_TLS_TPREL64, RELOC_TLS },
	{ R_LARCH_IRELATIVE, R_LARCH_IRELATIVE, RELOC_IRELATIVE },
	{ R_LARCH_TLS_DESC32, R_LARCH_TLS_DESC64, RELOC_TLS },
	{ 75, 75, RELOC_PCREL }, /* GOT_PC_HI20 */
	{ R_LARCH_TLS_LE_HI20, R_LARCH_TLS_GD_HI20, RELOC_TLS },
	{ R_LARCH_32_PCREL, R_LARCH_32_PCREL, RELOC_PCREL },
	{ R_LARCH_PCREL20_S2, R_LARCH_PCREL20_S2, RELOC_PCREL },
	{ R_LARCH_64_PCREL, R_LARCH_CALL36, RELOC_PCREL },
	{ R_LARCH_TLS_DESC_PC_HI20, R_LARCH_TLS_DESC_PCREL20_S2, RELOC_TLS },
};

static const struct elf_reloc_kind_kinds wasm[] = {
	{ R_WASM_FUNCTION_INDEX_LEB, R_WASM_MEMORY_ADDR_I32, RELOC_ABS },
	{ R_WASM_FUNCTION_OFFSET_I32, R_WASM_SECTION_OFFSET_I32, RELOC_ABS },
	{ R_WASM_MEMORY_ADDR_REL_SLEB, R_WASM_TABLE_INDEX_REL_SLEB, RELOC_ABS },
	{ R_WASM_MEMORY_ADDR_LEB64, R_WASM_TABLE_INDEX_I64, RELOC_ABS },
	{ R_WASM_FUNCTION_OFFSET_I64, R_WASM_MEMORY_ADDR_LOCREL_I32, RELOC_ABS },
};

static enum reloc_kind kind_in(const struct elf_reloc_kind_kinds *k, size_t count, uint32_t type)
{
	for (size_t i = 0; i < count; i++)
		if (type >= k[i].first && type <= k[i].last)
			return k[i].kind;
	return RELOC_OTHER;
}

enum reloc_kind reloc_kind(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64: return kind_in(x86_64, COUNT_OF(x86_64), type);
	case EM_386: return kind_in(i386, COUNT_OF(i386), type);
	case EM_AARCH64: return kind_in(aarch64, COUNT_OF(aarch64), type);
	case EM_ARM: return kind_in(arm, COUNT_OF(arm), type);
	case EM_RISCV: return kind_in(riscv, COUNT_OF(riscv), type);
	case EM_PPC64: return kind_in(ppc64, COUNT_OF(ppc64), type);
	case EM_PPC: return kind_in(ppc, COUNT_OF(ppc), type);
	case EM_S390: return kind_in(s390, COUNT_OF(s390), type);
	case EM_MIPS: return kind_in(mips, COUNT_OF(mips), type & 0xff);
	case EM_LOONGARCH: return kind_in(loongarch, COUNT_OF(loongarch), type);
	case EM_WEBASSEMBLY: return kind_in(wasm, COUNT_OF(wasm), type);
	default: return RELOC_OTHER;
	}
}

/* ---- finding targets of relocations ---------------------------------------------------------- */

/* Returns the bytes of the implicit addend of a REL entry. 0 if the addend is spread over the bits
 * of an instruction: it is then a small constant or 0. */
static unsigned addend_width(const struct image *im, const struct reloc *r)
{
	const unsigned word = im->bits / 8;
	if (im->machine == EM_X86_64 && r->type == R_X86_64_32S)
		return 4;
	if (r->kind == RELOC_RELATIVE || r->kind == RELOC_IRELATIVE)
		return word;
	switch (im->machine) {
	case EM_386:
		if (r->type == R_386_16 || r->type == R_386_PC16)
			return 2;
		return r->type == R_386_8 || r->type == R_386_PC8 ? 1 : 4;
	case EM_X86_64: return r->type == R_X86_64_64 || r->type == R_X86_64_PC64 ? 8 : 4;
	case EM_ARM:
		return r->type == R_ARM_ABS32 || r->type == R_ARM_REL32 ||
				       r->type == R_ARM_TARGET1 || r->type == R_ARM_PREL31
			       ? 4
			       : 0;
	case EM_MIPS:
		if ((r->type & 0xff) == R_MIPS_64 || (r->type >> 8 & 0xff) == R_MIPS_64)
			return 8;
		return (r->type & 0xff) == R_MIPS_32 || (r->type & 0xff) == R_MIPS_REL32 ||
				       (r->type & 0xff) == R_MIPS_PC32
			       ? 4
			       : 0;
	default: return r->kind == RELOC_ABS ? word : 0;
	}
}

static struct bytes patched_bytes(const struct reloc_iter *it, const struct reloc *r, unsigned n)
{
	const struct image *im = it->image;
	if (r->alloc)
		return image_at(im, r->addr, n);
	if (r->section == 0 || im->sections[r->section].compressed)
		return (struct bytes){ NULL, 0 };
	return bytes_sub(section_bytes(im, &im->sections[r->section]), r->addr, n);
}

static bool elf_reloc_kind_implicit_addend(const struct reloc_iter *it, const struct reloc *r,
					   int64_t *ret)
{
	const struct image *im = it->image;
	/* A signed pointer has its addend in the low 32 bits and signing data above. */
	const bool is_signed = it->section->type == SHT_AUTH_RELR;
	const unsigned width = is_signed ? 4 : addend_width(im, r);
	*ret = 0;
	if (width == 0)
		return true;
	struct reader reader = reader_of(patched_bytes(it, r, width), im->big_endian);
	uint64_t v = read_uint(&reader, width);
	unsigned bits = width * 8;
	if (im->machine == EM_ARM && r->type == R_ARM_PREL31)
		bits = 31;
	if (bits < 64) /* sign-extend */
		v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	*ret = (int64_t)v;
	return reader_ok(&reader);
}

/* Returns the bytes to add to the target of an x86 relocation. A displacement counts from the end
 * of its instruction, so compilers write symbol-4 for a displacement of 4 bytes. */
static int64_t x86_bias(const struct reloc_iter *it, const struct reloc *r)
{
	const struct image *im = it->image;
	if (r->kind != RELOC_PCREL || r->section == 0 || !im->sections[r->section].exec)
		return 0;
	if (im->machine == EM_X86_64)
		return r->type == R_X86_64_PC8 ? 1 : r->type == R_X86_64_PC16 ? 2 : 4;
	if (im->machine == EM_386)
		return r->type == R_386_PC8 ? 1 : r->type == R_386_PC16 ? 2 : 4;
	return 0;
}

bool reloc_target(const struct reloc_iter *it, const struct reloc *r, uint64_t *ret)
{
	const uint64_t mask = it->image->bits == 64 || it->image->kind == IMAGE_OBJECT ? UINT64_MAX
										       : UINT32_MAX;
	const bool base_only = r->kind == RELOC_RELATIVE || r->kind == RELOC_IRELATIVE ||
			       (it->image->machine == EM_MIPS && r->symbol == 0 &&
				(r->type & 0xff) == R_MIPS_REL32);
	uint64_t symbol = 0;
	if (r->kind == RELOC_OTHER)
		return false;
	if (!base_only) {
		if (r->symbol == 0 || r->symbol >= it->symbols.count)
			return false;
		const struct symbol s = symtab_get(&it->symbols, r->symbol);
		if (!symbol_addr(it->image, &s, &symbol))
			return false;
	}
	int64_t addend = 0;
	if (base_only || r->kind == RELOC_ABS || r->kind == RELOC_PCREL) {
		addend = r->addend;
		if (!r->has_addend && !elf_reloc_kind_implicit_addend(it, r, &addend))
			return false;
	}
	*ret = (symbol + (uint64_t)(addend + x86_bias(it, r))) & mask;
	return true;
}
