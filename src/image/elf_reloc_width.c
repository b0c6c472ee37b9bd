#include "image/elf_internal.h"

/* What relocation types do to data that are no code, by the processor supplements named in
 * elf_const.h.  Offsets of thread-local variables count as addresses: in objects there is no
 * TLS block yet. */

struct fields {
	uint16_t type;
	uint8_t op, width; /* RELOC_OP_*, bytes */
	uint16_t bias;
};

/* MIPS and PowerPC count offsets of thread-local variables from 0x8000 into the block, RISC-V
 * from 0x800. */
enum { BIAS_FAR = 0x8000, BIAS_NEAR = 0x800 };

/* In each table the commoner first. */
static const struct fields x86_64[] = {
	{ R_X86_64_32, RELOC_OP_SET, 4 },       { R_X86_64_64, RELOC_OP_SET, 8 },
	{ R_X86_64_DTPOFF64, RELOC_OP_SET, 8 }, { R_X86_64_DTPOFF32, RELOC_OP_SET, 4 },
	{ R_X86_64_32S, RELOC_OP_SET, 4 },      { R_X86_64_16, RELOC_OP_SET, 2 },
	{ R_X86_64_8, RELOC_OP_SET, 1 },
};

static const struct fields i386[] = {
	{ R_386_32, RELOC_OP_SET, 4 },
	{ 32, RELOC_OP_SET, 4 }, /* TLS_LDO_32 */
	{ R_386_16, RELOC_OP_SET, 2 },
	{ R_386_8, RELOC_OP_SET, 1 },
};

static const struct fields aarch64[] = {
	{ R_AARCH64_ABS32, RELOC_OP_SET, 4 },
	{ R_AARCH64_ABS64, RELOC_OP_SET, 8 },
	{ R_AARCH64_ABS16, RELOC_OP_SET, 2 },
	{ 1029, RELOC_OP_SET, 8 }, /* TLS_DTPREL64 */
	{ 256, RELOC_OP_NONE, 0 }, /* the older NONE */
};

static const struct fields arm[] = {
	{ R_ARM_ABS32, RELOC_OP_SET, 4 },
	{ 106, RELOC_OP_SET, 4 }, /* TLS_LDO32 */
	{ 5, RELOC_OP_SET, 2 },   /* ABS16 */
	{ 8, RELOC_OP_SET, 1 },   /* ABS8 */
	{ R_ARM_TARGET1, RELOC_OP_SET, 4 },
};

static const struct fields riscv[] = {
	{ R_RISCV_32, RELOC_OP_SET, 4 },   { R_RISCV_64, RELOC_OP_SET, 8 },
	{ 35, RELOC_OP_ADD, 4 },                                    /* ADD32, SUB32 */
	{ 39, RELOC_OP_SUB, 4 },           { 34, RELOC_OP_ADD, 2 }, /* ADD16, SUB16 */
	{ 38, RELOC_OP_SUB, 2 },           { 33, RELOC_OP_ADD, 1 }, /* ADD8, SUB8 */
	{ 37, RELOC_OP_SUB, 1 },           { 36, RELOC_OP_ADD, 8 }, /* ADD64, SUB64 */
	{ 40, RELOC_OP_SUB, 8 },           { 60, RELOC_OP_SET, 0 }, /* SET_ULEB128, SUB_ULEB128 */
	{ 61, RELOC_OP_SUB, 0 },           { 54, RELOC_OP_SET, 1 }, /* SET8, SET16, SET32 */
	{ 55, RELOC_OP_SET, 2 },           { 56, RELOC_OP_SET, 4 },
	{ 8, RELOC_OP_SET, 4, BIAS_NEAR }, /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 9, RELOC_OP_SET, 8, BIAS_NEAR }, { 43, RELOC_OP_NONE, 0 }, /* ALIGN, RELAX */
	{ 51, RELOC_OP_NONE, 0 },
};

static const struct fields ppc64[] = {
	{ R_PPC64_ADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_ADDR64, RELOC_OP_SET, 8 },
	{ R_PPC64_UADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_UADDR64, RELOC_OP_SET, 8 },
	{ 3, RELOC_OP_SET, 2 },            /* ADDR16 */
	{ 25, RELOC_OP_SET, 2 },           /* UADDR16 */
	{ 78, RELOC_OP_SET, 8, BIAS_FAR }, /* DTPREL64 */
};

static const struct fields ppc[] = {
	{ R_PPC64_ADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_UADDR32, RELOC_OP_SET, 4 },
	{ 3, RELOC_OP_SET, 2 },            /* ADDR16 */
	{ 25, RELOC_OP_SET, 2 },           /* UADDR16 */
	{ 78, RELOC_OP_SET, 4, BIAS_FAR }, /* DTPREL32 */
};

static const struct fields s390[] = {
	{ R_390_32, RELOC_OP_SET, 4 }, { R_390_64, RELOC_OP_SET, 8 }, { R_390_16, RELOC_OP_SET, 2 },
	{ R_390_8, RELOC_OP_SET, 1 },  { 52, RELOC_OP_SET, 4 }, /* TLS_LDO32, TLS_LDO64 */
	{ 53, RELOC_OP_SET, 8 },
};

static const struct fields mips[] = {
	{ R_MIPS_32, RELOC_OP_SET, 4 },
	{ R_MIPS_64, RELOC_OP_SET, 8 },
	{ 1, RELOC_OP_SET, 2 },            /* R_MIPS_16 */
	{ 39, RELOC_OP_SET, 4, BIAS_FAR }, /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 41, RELOC_OP_SET, 8, BIAS_FAR },
};

static const struct fields loongarch[] = {
	{ R_LARCH_32, RELOC_OP_SET, 4 }, { R_LARCH_64, RELOC_OP_SET, 8 },
	{ 50, RELOC_OP_ADD, 4 },                                    /* ADD32, SUB32 */
	{ 55, RELOC_OP_SUB, 4 },         { 48, RELOC_OP_ADD, 2 },   /* ADD16, SUB16 */
	{ 53, RELOC_OP_SUB, 2 },         { 47, RELOC_OP_ADD, 1 },   /* ADD8, SUB8 */
	{ 52, RELOC_OP_SUB, 1 },         { 49, RELOC_OP_ADD, 3 },   /* ADD24, SUB24 */
	{ 54, RELOC_OP_SUB, 3 },         { 51, RELOC_OP_ADD, 8 },   /* ADD64, SUB64 */
	{ 56, RELOC_OP_SUB, 8 },         { 107, RELOC_OP_ADD, 0 },  /* ADD_ULEB128, SUB_ULEB128 */
	{ 108, RELOC_OP_SUB, 0 },        { 8, RELOC_OP_SET, 4 },    /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 9, RELOC_OP_SET, 8 },          { 100, RELOC_OP_NONE, 0 }, /* RELAX, ALIGN */
	{ 102, RELOC_OP_NONE, 0 },
};

static const struct fields sparc[] = {
	{ 23, RELOC_OP_SET, 4 }, /* UA32, UA64, UA16 */
	{ 54, RELOC_OP_SET, 8 }, { 55, RELOC_OP_SET, 2 }, { 3, RELOC_OP_SET, 4 }, /* 32, 64 */
	{ 32, RELOC_OP_SET, 8 }, { 2, RELOC_OP_SET, 2 },                          /* 16, 8 */
	{ 1, RELOC_OP_SET, 1 },  { 76, RELOC_OP_SET, 4 }, /* TLS_DTPOFF32, TLS_DTPOFF64 */
	{ 77, RELOC_OP_SET, 8 },
};

static const struct fields m68k[] = {
	{ 1, RELOC_OP_SET, 4 }, /* 32, 16, 8 */
	{ 2, RELOC_OP_SET, 2 },
	{ 3, RELOC_OP_SET, 1 },
	{ 31, RELOC_OP_SET, 4, BIAS_FAR }, /* TLS_LDO32 */
};

static const struct fields hexagon[] = {
	{ 6, RELOC_OP_SET, 4 }, /* 32, 16, 8 */
	{ 7, RELOC_OP_SET, 2 },
	{ 8, RELOC_OP_SET, 1 },
};

static const struct fields wasm[] = {
	{ R_WASM_SECTION_OFFSET_I32, RELOC_OP_SET, 4 },
	{ R_WASM_FUNCTION_OFFSET_I32, RELOC_OP_SET, 4 },
	{ R_WASM_MEMORY_ADDR_I32, RELOC_OP_SET, 4 },
	{ R_WASM_FUNCTION_OFFSET_I64, RELOC_OP_SET, 8 },
	{ R_WASM_MEMORY_ADDR_I64, RELOC_OP_SET, 8 },
	{ R_WASM_MEMORY_ADDR_LOCREL_I32, RELOC_OP_SET, 4 },
	{ R_WASM_GLOBAL_INDEX_I32, RELOC_OP_NONE, 0 },
	{ R_WASM_TABLE_INDEX_I32, RELOC_OP_NONE, 0 },
	{ R_WASM_TABLE_INDEX_I64, RELOC_OP_NONE, 0 },
};

static struct reloc_field field_in(const struct fields *f, size_t count, uint32_t type)
{
	for (size_t i = 0; i < count; i++)
		if (f[i].type == type)
			return (struct reloc_field){ f[i].op, f[i].width, (uint8_t)(f[i].width * 8),
						     f[i].bias };
	/* Type 0 is NONE everywhere. */
	return (struct reloc_field){ type == 0 ? RELOC_OP_NONE : RELOC_OP_UNKNOWN, 0, 0, 0 };
}

/* Fields that share their byte with something else. */
static struct reloc_field riscv_field(uint32_t type)
{
	if (type == 52) /* SUB6 */
		return (struct reloc_field){ RELOC_OP_SUB, 1, 6, 0 };
	if (type == 53) /* SET6 */
		return (struct reloc_field){ RELOC_OP_SET, 1, 6, 0 };
	return field_in(riscv, COUNT_OF(riscv), type);
}

static struct reloc_field loongarch_field(uint32_t type)
{
	if (type == 105 || type == 106) /* ADD6, SUB6 */
		return (struct reloc_field){ type == 105 ? RELOC_OP_ADD : RELOC_OP_SUB, 1, 6, 0 };
	return field_in(loongarch, COUNT_OF(loongarch), type);
}

/* N64 keeps up to three types that are applied in turn; "R_MIPS_32, R_MIPS_64" widens. */
static struct reloc_field mips_field(uint32_t type)
{
	if ((type & 0xff) == R_MIPS_32 && (type >> 8 & 0xff) == R_MIPS_64)
		type = R_MIPS_64;
	return field_in(mips, COUNT_OF(mips), type);
}

struct reloc_field reloc_field(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64: return field_in(x86_64, COUNT_OF(x86_64), type);
	case EM_386: return field_in(i386, COUNT_OF(i386), type);
	case EM_AARCH64: return field_in(aarch64, COUNT_OF(aarch64), type);
	case EM_ARM: return field_in(arm, COUNT_OF(arm), type);
	case EM_RISCV: return riscv_field(type);
	case EM_PPC64: return field_in(ppc64, COUNT_OF(ppc64), type);
	case EM_PPC: return field_in(ppc, COUNT_OF(ppc), type);
	case EM_S390: return field_in(s390, COUNT_OF(s390), type);
	case EM_MIPS: return mips_field(type);
	case EM_SPARC:
	case EM_SPARC32PLUS:
	case EM_SPARCV9: return field_in(sparc, COUNT_OF(sparc), type);
	case EM_68K: return field_in(m68k, COUNT_OF(m68k), type);
	case EM_HEXAGON: return field_in(hexagon, COUNT_OF(hexagon), type);
	case EM_LOONGARCH: return loongarch_field(type);
	case EM_WEBASSEMBLY: return field_in(wasm, COUNT_OF(wasm), type);
	default: return field_in(NULL, 0, type);
	}
}
