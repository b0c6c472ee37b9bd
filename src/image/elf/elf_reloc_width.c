/* Returns the effect of relocation types on data, by the processor supplements named in
 * elf_const.h. Offsets of thread-local variables count as addresses, because objects have no TLS
 * block yet. */
#include "image/elf/elf_internal.h"

struct elf_reloc_width_fields {
	uint16_t type;
	uint8_t op, width; /* RELOC_OP_..., and bytes of the field. */
	uint16_t bias;
};

/* Relocation types of a machine that set a field of data to symbol plus addend. 0 if there is none
 * of a width. */
struct plain {
	uint16_t machine;
	uint8_t four, eight, two, one; /* Types for fields of 4, 8, 2 and 1 bytes. */
};

/* Offset in the TLS block from which thread-local variables count: 0x8000 on MIPS and PowerPC,
 * 0x800 on RISC-V. */
enum { BIAS_FAR = 0x8000, BIAS_NEAR = 0x800 };

/* Each table has common types first. */
static const struct elf_reloc_width_fields x86_64[] = {
	{ R_X86_64_32, RELOC_OP_SET, 4 },       { R_X86_64_64, RELOC_OP_SET, 8 },
	{ R_X86_64_DTPOFF64, RELOC_OP_SET, 8 }, { R_X86_64_DTPOFF32, RELOC_OP_SET, 4 },
	{ R_X86_64_32S, RELOC_OP_SET, 4 },      { R_X86_64_16, RELOC_OP_SET, 2 },
	{ R_X86_64_8, RELOC_OP_SET, 1 },
};

static const struct elf_reloc_width_fields i386[] = {
	{ R_386_32, RELOC_OP_SET, 4 },
	{ 32, RELOC_OP_SET, 4 }, /* TLS_LDO_32 */
	{ R_386_16, RELOC_OP_SET, 2 },
	{ R_386_8, RELOC_OP_SET, 1 },
};

static const struct elf_reloc_width_fields aarch64[] = {
	{ R_AARCH64_ABS32, RELOC_OP_SET, 4 },
	{ R_AARCH64_ABS64, RELOC_OP_SET, 8 },
	{ R_AARCH64_ABS16, RELOC_OP_SET, 2 },
	{ 1029, RELOC_OP_SET, 8 }, /* Type TLS_DTPREL64. */
	{ 256, RELOC_OP_NONE, 0 }, /* Older number of NONE. */
};

static const struct elf_reloc_width_fields arm[] = {
	{ R_ARM_ABS32, RELOC_OP_SET, 4 },
	{ 106, RELOC_OP_SET, 4 }, /* TLS_LDO32 */
	{ 5, RELOC_OP_SET, 2 },   /* ABS16 */
	{ 8, RELOC_OP_SET, 1 },   /* ABS8 */
	{ R_ARM_TARGET1, RELOC_OP_SET, 4 },
};

static const struct elf_reloc_width_fields riscv[] = {
	{ R_RISCV_32, RELOC_OP_SET, 4 },   { R_RISCV_64, RELOC_OP_SET, 8 },
	{ 35, RELOC_OP_ADD, 4 },                                    /* Types ADD32 and SUB32. */
	{ 39, RELOC_OP_SUB, 4 },           { 34, RELOC_OP_ADD, 2 }, /* Types ADD16 and SUB16. */
	{ 38, RELOC_OP_SUB, 2 },           { 33, RELOC_OP_ADD, 1 }, /* ADD8, SUB8 */
	{ 37, RELOC_OP_SUB, 1 },           { 36, RELOC_OP_ADD, 8 }, /* Types ADD64 and SUB64. */
	{ 40, RELOC_OP_SUB, 8 },           { 60, RELOC_OP_SET, 0 }, /* SET_ULEB128, SUB_ULEB128 */
	{ 61, RELOC_OP_SUB, 0 },           { 54, RELOC_OP_SET, 1 }, /* SET8, SET16, SET32 */
	{ 55, RELOC_OP_SET, 2 },           { 56, RELOC_OP_SET, 4 },
	{ 8, RELOC_OP_SET, 4, BIAS_NEAR }, /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 9, RELOC_OP_SET, 8, BIAS_NEAR }, { 43, RELOC_OP_NONE, 0 }, /* Types ALIGN and RELAX. */
	{ 51, RELOC_OP_NONE, 0 },
};

static const struct elf_reloc_width_fields ppc64[] = {
	{ R_PPC64_ADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_ADDR64, RELOC_OP_SET, 8 },
	{ R_PPC64_UADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_UADDR64, RELOC_OP_SET, 8 },
	{ 3, RELOC_OP_SET, 2 },            /* ADDR16 */
	{ 25, RELOC_OP_SET, 2 },           /* UADDR16 */
	{ 78, RELOC_OP_SET, 8, BIAS_FAR }, /* DTPREL64 */
};

static const struct elf_reloc_width_fields ppc[] = {
	{ R_PPC64_ADDR32, RELOC_OP_SET, 4 },
	{ R_PPC64_UADDR32, RELOC_OP_SET, 4 },
	{ 3, RELOC_OP_SET, 2 },            /* ADDR16 */
	{ 25, RELOC_OP_SET, 2 },           /* UADDR16 */
	{ 78, RELOC_OP_SET, 4, BIAS_FAR }, /* DTPREL32 */
};

static const struct elf_reloc_width_fields s390[] = {
	{ R_390_32, RELOC_OP_SET, 4 }, { R_390_64, RELOC_OP_SET, 8 }, { R_390_16, RELOC_OP_SET, 2 },
	{ R_390_8, RELOC_OP_SET, 1 },  { 52, RELOC_OP_SET, 4 }, /* Types TLS_LDO32 and TLS_LDO64. */
	{ 53, RELOC_OP_SET, 8 },
};

static const struct elf_reloc_width_fields mips[] = {
	{ R_MIPS_32, RELOC_OP_SET, 4 },
	{ R_MIPS_64, RELOC_OP_SET, 8 },
	{ 1, RELOC_OP_SET, 2 },            /* R_MIPS_16 */
	{ 39, RELOC_OP_SET, 4, BIAS_FAR }, /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 41, RELOC_OP_SET, 8, BIAS_FAR },
};

static const struct elf_reloc_width_fields loongarch[] = {
	{ R_LARCH_32, RELOC_OP_SET, 4 }, { R_LARCH_64, RELOC_OP_SET, 8 },
	{ 50, RELOC_OP_ADD, 4 },                                    /* Types ADD32 and SUB32. */
	{ 55, RELOC_OP_SUB, 4 },         { 48, RELOC_OP_ADD, 2 },   /* Types ADD16 and SUB16. */
	{ 53, RELOC_OP_SUB, 2 },         { 47, RELOC_OP_ADD, 1 },   /* ADD8, SUB8 */
	{ 52, RELOC_OP_SUB, 1 },         { 49, RELOC_OP_ADD, 3 },   /* Types ADD24 and SUB24. */
	{ 54, RELOC_OP_SUB, 3 },         { 51, RELOC_OP_ADD, 8 },   /* Types ADD64 and SUB64. */
	{ 56, RELOC_OP_SUB, 8 },         { 107, RELOC_OP_ADD, 0 },  /* ADD_ULEB128, SUB_ULEB128 */
	{ 108, RELOC_OP_SUB, 0 },        { 8, RELOC_OP_SET, 4 },    /* TLS_DTPREL32, TLS_DTPREL64 */
	{ 9, RELOC_OP_SET, 8 },          { 100, RELOC_OP_NONE, 0 }, /* Types RELAX and ALIGN. */
	{ 102, RELOC_OP_NONE, 0 },
};

static const struct elf_reloc_width_fields sparc[] = {
	{ 23, RELOC_OP_SET, 4 }, /* Types UA32, UA64 and UA16. */
	{ 54, RELOC_OP_SET, 8 }, { 55, RELOC_OP_SET, 2 }, { 3, RELOC_OP_SET, 4 }, /* 32, 64 */
	{ 32, RELOC_OP_SET, 8 }, { 2, RELOC_OP_SET, 2 },                          /* 16, 8 */
	{ 1, RELOC_OP_SET, 1 },  { 76, RELOC_OP_SET, 4 }, /* Types TLS_DTPOFF32 and TLS_DTPOFF64. */
	{ 77, RELOC_OP_SET, 8 },
};

/* Renesas machines compute differences on a stack. */
static const struct elf_reloc_width_fields renesas[] = {
	{ 1, RELOC_OP_SET, 4 }, /* Types DIR32, DIR16 and DIR8. */
	{ 3, RELOC_OP_SET, 2 },     { 6, RELOC_OP_SET, 1 },
	{ 0x41, RELOC_OP_POP, 4 },                              /* ABS32 */
	{ 0x43, RELOC_OP_POP, 2 },  { 0x46, RELOC_OP_POP, 1 },  /* ABS16, ABS8 */
	{ 0x80, RELOC_OP_PUSH, 0 }, { 0x83, RELOC_OP_TAKE, 0 }, /* Types SYM, OPsub and OPadd. */
	{ 0x82, RELOC_OP_PLUS, 0 },
};

static const struct elf_reloc_width_fields wasm[] = {
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

/* Types whose fields the assembler has already filled in. They mark differences that a linker
 * adjusts when it shortens code. */
static const struct {
	uint16_t machine;
	uint8_t first, last;
} filled[] = {
	{ EM_AVR, 30, 32 },     /* Types DIFF8 to DIFF32. */
	{ EM_XTENSA, 17, 19 },  /* Types DIFF8 to DIFF32. */
	{ EM_XTENSA, 57, 62 },  /* Types PDIFF8 to NDIFF32. */
	{ EM_SH, 24, 32 },      /* Types SWITCH8 to LABEL. */
	{ EM_TI_PRU, 65, 70 },  /* Types GNU_DIFF8 to GNU_DIFF32_PMEM. */
	{ EM_NDS32, 205, 208 }, /* Types DIFF8 to DIFF_ULEB128. */
};

/* Types whose value is subtracted from the value of the next entry for the same field. */
static const struct {
	uint16_t machine;
	uint8_t type;
} less[] = {
	{ EM_MSP430, 10 },
	{ EM_MSP430, 21 },
	{ EM_MN10300, 33 },
	{ EM_OLD_MN10300, 33 },
};

/* Types with fields of three bytes, on machines with 24-bit addresses. */
static const struct {
	uint16_t machine;
	uint8_t type;
} three[] = {
	{ EM_MN10200, 4 }, { EM_OLD_MN10200, 4 }, { EM_M32C, 2 },    { EM_OLD_M32C, 2 },
	{ EM_Z80, 5 },     { EM_68HC11, 11 },     { EM_68HC12, 11 },
};

/* Machines whose relocation types only differ in width. Numbers are those of <elf.h>, of the
 * processor supplements and of GNU and LLVM assemblers. A machine has two rows if the assemblers
 * differ (BPF) or if an older machine number is in use, too. */
static const struct plain plain[] = {
	{ EM_68K, 1, 0, 2, 3 },
	{ EM_IAMCU, 1, 0, 20, 22 },
	{ EM_PARISC, 1, 80, 0, 0 },       /* Types DIR32 and DIR64. */
	{ EM_PARISC, 41, 0, 0, 0 },       /* SECREL32 */
	{ EM_SPU, 6, 0, 0, 0 },           /* ADDR32 */
	{ EM_V800, 0x33, 0, 0x32, 0x31 }, /* Types WORD, HWORD and BYTE. */
	{ EM_RCE, 1, 0, 0, 0 },           /* Type MCORE_ADDR32. */
	{ EM_SH, 1, 0, 33, 34 },          /* Types DIR32, DIR16 and DIR8. */
	{ EM_SH, 146, 0, 0, 0 },          /* TLS_LDO_32 */
	{ EM_TRICORE, 2, 0, 0, 0 },       /* 32ABS */
	{ EM_ARC, 4, 0, 2, 1 },
	{ EM_ARC_COMPACT, 4, 0, 2, 1 },
	{ EM_ARC_COMPACT, 67, 0, 0, 0 }, /* TLS_DTPOFF */
	{ EM_ARC_COMPACT2, 4, 0, 2, 1 },
	{ EM_ARC_COMPACT2, 67, 0, 0, 0 },
	{ EM_ARC_COMPACT3, 4, 5, 2, 1 },
	{ EM_ARC_COMPACT3_64, 4, 5, 2, 1 },
	{ EM_H8_300, 1, 0, 17, 18 },    /* Types DIR32, DIR16 and DIR8. */
	{ EM_IA_64, 0x25, 0x27, 0, 0 }, /* Types DIR32LSB and DIR64LSB. */
	{ EM_IA_64, 0x24, 0x26, 0, 0 }, /* Types DIR32MSB and DIR64MSB. */
	{ EM_IA_64, 0x65, 0x67, 0, 0 }, /* Types SECREL32LSB and SECREL64LSB. */
	{ EM_IA_64, 0x64, 0x66, 0, 0 }, /* Types SECREL32MSB and SECREL64MSB. */
	{ EM_IA_64, 0xb5, 0xb7, 0, 0 }, /* Types DTPREL32LSB and DTPREL64LSB. */
	{ EM_IA_64, 0xb4, 0xb6, 0, 0 }, /* Types DTPREL32MSB and DTPREL64MSB. */
	{ EM_68HC12, 6, 0, 5, 1 },
	{ EM_68HC11, 6, 0, 5, 1 },
	{ EM_VAX, 1, 0, 2, 3 },
	{ EM_CRIS, 3, 0, 2, 1 },
	{ EM_MMIX, 4, 5, 2, 1 },
	{ EM_AVR, 1, 0, 4, 26 },
	{ EM_FR30, 3, 0, 2, 1 },
	{ EM_D10V, 6, 0, 3, 0 },
	{ EM_D30V, 12, 0, 0, 0 },
	{ EM_V850, 6, 0, 7, 8 },   /* Types ABS32, 16 and 8. */
	{ EM_M32R, 34, 0, 33, 0 }, /* Types 32_RELA and 16_RELA. */
	{ EM_M32R, 2, 0, 1, 0 },   /* Types 32 and 16 in REL tables. */
	{ EM_MN10300, 1, 0, 2, 3 },
	{ EM_MN10200, 1, 0, 2, 3 },
	{ EM_OPENRISC, 1, 0, 2, 3 },
	{ EM_XTENSA, 1, 0, 0, 0 },
	{ EM_IP2K, 2, 0, 1, 0 },
	{ EM_MSP430, 1, 0, 5, 9 },            /* Types 32, 16_BYTE and 8. */
	{ EM_MSP430, 0, 0, 3, 0 },            /* 16 */
	{ EM_MSP430, 0, 0, 2, 0 },            /* Type ABS16 of MSP430X. */
	{ EM_BLACKFIN, 0x12, 0, 0x11, 0x10 }, /* Types BYTE4_DATA, BYTE2_DATA and BYTE_DATA. */
	{ EM_NIOS2, 12, 0, 13, 14 },
	{ EM_CRX, 15, 0, 14, 13 }, /* Types NUM32, NUM16 and NUM8. */
	{ EM_XGATE, 4, 0, 3, 0 },
	{ EM_C166, 3, 0, 2, 1 },
	{ EM_M32C, 3, 0, 1, 0 },
	{ EM_SCORE, 8, 0, 0, 0 }, /* ABS32 */
	{ EM_LATTICEMICO32, 3, 0, 2, 1 },
	{ EM_TI_C6000, 1, 0, 2, 3 }, /* Types ABS32, ABS16 and ABS8. */
	{ EM_TI_PRU, 11, 0, 8, 0 },
	{ EM_HEXAGON, 6, 0, 7, 8 },
	{ EM_NDS32, 20, 0, 19, 0 }, /* Types 32_RELA and 16_RELA. */
	{ EM_NDS32, 2, 0, 1, 0 },   /* Types 32 and 16 in REL tables. */
	{ EM_METAG, 2, 0, 0, 0 },   /* ADDR32 */
	{ EM_CR16, 3, 0, 2, 1 },    /* Types NUM32, NUM16 and NUM8. */
	{ EM_MICROBLAZE, 1, 0, 0, 0 },
	{ EM_MICROBLAZE, 25, 0, 0, 0 }, /* TLSDTPREL32 */
	{ EM_TILEPRO, 1, 0, 2, 3 },
	{ EM_CUDA, 1, 2, 0, 0 },
	{ EM_CUDA, 3, 4, 0, 0 }, /* G32, G64 */
	{ EM_TILEGX, 2, 1, 3, 4 },
	{ EM_Z80, 6, 0, 4, 1 },
	{ EM_VISIUM, 3, 0, 2, 1 },
	{ EM_FT32, 1, 0, 2, 0 },
	{ EM_MOXIE, 1, 0, 0, 0 },
	{ EM_AMDGPU, 6, 3, 0, 0 }, /* Types ABS32 and ABS64. */
	{ EM_AMDGPU, 1, 0, 0, 0 }, /* ABS32_LO */
	{ EM_LANAI, 4, 0, 0, 0 },
	{ EM_BPF, 3, 2, 0, 0 },   /* Types ABS32 and ABS64 of LLVM. */
	{ EM_BPF, 10, 1, 0, 0 },  /* Types 64_32 and 64_64 of older LLVM. */
	{ EM_BPF, 4, 0, 0, 0 },   /* Type NODYLD32 of LLVM. */
	{ EM_BPF, 11, 12, 9, 8 }, /* Types DATA_32, DATA_64, DATA_16 and DATA_8 of GNU. */
	{ EM_VE, 1, 2, 0, 0 },    /* Types REFLONG and REFQUAD. */
	{ EM_CSKY, 1, 0, 0, 0 },  /* ADDR32 */
	{ EM_CSKY, 55, 0, 0, 0 }, /* TLS_LDO32 */
	{ EM_KVX, 2, 3, 1, 0 },
	{ EM_ALPHA, 1, 2, 0, 0 },  /* Types REFLONG and REFQUAD. */
	{ EM_ALPHA, 0, 33, 0, 0 }, /* DTPREL64 */
	{ EM_EPIPHANY, 3, 0, 2, 1 },
	{ EM_OLD_MT, 2, 0, 0, 0 },
	{ EM_OLD_FR30, 3, 0, 2, 1 },
	{ EM_FRV, 1, 0, 0, 0 },
	{ EM_OLD_D10V, 6, 0, 3, 0 },
	{ EM_OLD_D30V, 12, 0, 0, 0 },
	{ EM_OLD_M32R, 34, 0, 33, 0 },
	{ EM_OLD_M32R, 2, 0, 1, 0 },
	{ EM_OLD_V850, 6, 0, 7, 8 },
	{ EM_OLD_MICROBLAZE, 1, 0, 0, 0 },
	{ EM_XSTORMY16, 1, 0, 2, 3 },
	{ EM_OLD_MN10300, 1, 0, 2, 3 },
	{ EM_OLD_MN10200, 1, 0, 2, 3 },
	{ EM_MEP, 4, 0, 3, 2 },
	{ EM_OLD_M32C, 3, 0, 1, 0 },
	{ EM_IQ2000, 2, 0, 1, 0 },
	{ EM_OLD_MOXIE, 1, 0, 0, 0 },
};

static struct reloc_field plain_field(uint16_t machine, uint32_t type)
{
	/* Of some the addend of a RELA entry is added to what the field has. */
	const bool adds = machine == EM_SH || machine == EM_XTENSA || machine == EM_OLD_D30V ||
			  machine == EM_D30V;
	const uint8_t op = adds ? RELOC_OP_ADD : RELOC_OP_SET;
	for (size_t i = 0; i < COUNT_OF(filled); i++)
		if (filled[i].machine == machine && type >= filled[i].first &&
		    type <= filled[i].last)
			return (struct reloc_field){ RELOC_OP_NONE, 0, 0, 0 };
	for (size_t i = 0; i < COUNT_OF(less); i++)
		if (less[i].machine == machine && less[i].type == type)
			return (struct reloc_field){ RELOC_OP_LESS, 0, 0, 0 };
	for (size_t i = 0; i < COUNT_OF(three); i++)
		if (three[i].machine == machine && three[i].type == type)
			return (struct reloc_field){ op, 3, 24, 0 };
	for (size_t i = 0; i < COUNT_OF(plain) && type != 0; i++) {
		const struct plain *p = &plain[i];
		const uint8_t width = p->four == type    ? 4
				      : p->eight == type ? 8
				      : p->two == type   ? 2
							 : p->one == type;
		if (p->machine == machine && width > 0)
			return (struct reloc_field){ op, width, (uint8_t)(width * 8), 0 };
	}
	return (struct reloc_field){ type == 0 ? RELOC_OP_NONE : RELOC_OP_UNKNOWN, 0, 0, 0 };
}

static struct reloc_field field_in(const struct elf_reloc_width_fields *f, size_t count,
				   uint32_t type)
{
	for (size_t i = 0; i < count; i++)
		if (f[i].type == type)
			return (struct reloc_field){ f[i].op, f[i].width, (uint8_t)(f[i].width * 8),
						     f[i].bias };
	/* Type 0 is NONE on every machine. */
	return (struct reloc_field){ type == 0 ? RELOC_OP_NONE : RELOC_OP_UNKNOWN, 0, 0, 0 };
}

struct reloc_field reloc_field(const struct image *im, uint32_t type)
{
	const uint16_t machine = im->machine;
	switch (machine) {
	case EM_X86_64: return field_in(x86_64, COUNT_OF(x86_64), type);
	case EM_386: return field_in(i386, COUNT_OF(i386), type);
	case EM_AARCH64: return field_in(aarch64, COUNT_OF(aarch64), type);
	case EM_ARM: return field_in(arm, COUNT_OF(arm), type);
	case EM_RISCV:
		if (type == 52 || type == 53) /* SUB6, SET6 share their byte */
			return (struct reloc_field){ type == 52 ? RELOC_OP_SUB : RELOC_OP_SET, 1, 6,
						     0 };
		return field_in(riscv, COUNT_OF(riscv), type);
	case EM_PPC64: return field_in(ppc64, COUNT_OF(ppc64), type);
	case EM_PPC: return field_in(ppc, COUNT_OF(ppc), type);
	case EM_S390: return field_in(s390, COUNT_OF(s390), type);
	case EM_MIPS: {
		/* Handles the up to three types of an N64 entry, which are applied in turn.
		 * "R_MIPS_32, R_MIPS_64" extends the value to 64 bits. */
		const bool wide = (type & 0xff) == R_MIPS_32 && (type >> 8 & 0xff) == R_MIPS_64;
		return field_in(mips, COUNT_OF(mips), wide ? R_MIPS_64 : type);
	}
	case EM_SPARC:
	case EM_SPARC32PLUS:
	case EM_SPARCV9: return field_in(sparc, COUNT_OF(sparc), type);
	case EM_LOONGARCH:
		if (type == 105 || type == 106) /* ADD6, SUB6 */
			return (struct reloc_field){ type == 105 ? RELOC_OP_ADD : RELOC_OP_SUB, 1,
						     6, 0 };
		return field_in(loongarch, COUNT_OF(loongarch), type);
	case EM_RX:
	case EM_RL78: return field_in(renesas, COUNT_OF(renesas), type);
	case EM_WEBASSEMBLY: return field_in(wasm, COUNT_OF(wasm), type);
	default: return plain_field(machine, type);
	}
}
