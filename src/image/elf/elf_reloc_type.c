/* Returns the kind and the target of a relocation, and its effect on a field of data, by the
 * processor supplements. Offsets of thread-local variables count as addresses, because objects have
 * no TLS block. */
#include "image/elf/elf_internal.h"

#include "base/sort.h"

struct reloc_kinds {
	uint16_t first, last; /* Range of types, `last` included */
	uint8_t kind;
};

/* Tables of the kinds of relocation types, one per machine, sorted by type. Types that are missing
 * here are RELOC_OTHER, such as type 0 (NONE). */

/* x86-64 psABI, table "Relocation Types". */
static const struct reloc_kinds x86_64[] = {
	{ 1, 1, RELOC_ABS },         /* Type 64 */
	{ 2, 2, RELOC_PCREL },       /* Type PC32 */
	{ 4, 4, RELOC_PCREL },       /* Type PLT32 */
	{ 5, 5, RELOC_COPY },        /* Type COPY */
	{ 6, 6, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 7, 7, RELOC_JUMP_SLOT },   /* Type JUMP_SLOT */
	{ 8, 8, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 9, 9, RELOC_PCREL },       /* Type GOTPCREL */
	{ 10, 12, RELOC_ABS },       /* Types 32, 32S, 16 */
	{ 13, 13, RELOC_PCREL },     /* Type PC16 */
	{ 14, 14, RELOC_ABS },       /* Type 8 */
	{ 15, 15, RELOC_PCREL },     /* Type PC8 */
	{ 16, 23, RELOC_TLS },       /* Types DTPMOD64 to TPOFF32 */
	{ 24, 24, RELOC_PCREL },     /* Type PC64 */
	{ 28, 28, RELOC_PCREL },     /* Type GOTPCREL64 */
	{ 34, 36, RELOC_TLS },       /* Types GOTPC32_TLSDESC to TLSDESC */
	{ 37, 37, RELOC_IRELATIVE }, /* Type IRELATIVE */
	{ 38, 38, RELOC_RELATIVE },  /* Type RELATIVE64 */
	{ 39, 43, RELOC_PCREL },     /* Types PC32_BND to CODE_4_GOTPCRELX */
};

/* i386 psABI. */
static const struct reloc_kinds i386[] = {
	{ 1, 1, RELOC_ABS },         /* Type 32 */
	{ 2, 2, RELOC_PCREL },       /* Type PC32 */
	{ 4, 4, RELOC_PCREL },       /* Type PLT32 */
	{ 5, 5, RELOC_COPY },        /* Type COPY */
	{ 6, 6, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 7, 7, RELOC_JUMP_SLOT },   /* Type JUMP_SLOT */
	{ 8, 8, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 14, 19, RELOC_TLS },       /* Types TLS_TPOFF to TLS_LDM */
	{ 20, 20, RELOC_ABS },       /* Type 16 */
	{ 21, 21, RELOC_PCREL },     /* Type PC16 */
	{ 22, 22, RELOC_ABS },       /* Type 8 */
	{ 23, 23, RELOC_PCREL },     /* Type PC8 */
	{ 24, 37, RELOC_TLS },       /* Types TLS_GD_32 to TLS_TPOFF32 */
	{ 39, 41, RELOC_TLS },       /* Types TLS_GOTDESC to TLS_DESC */
	{ 42, 42, RELOC_IRELATIVE }, /* Type IRELATIVE */
};

/* ELF for the Arm 64-bit Architecture (AAELF64), and its PAuth ABI Extension. */
static const struct reloc_kinds aarch64[] = {
	{ 257, 259, RELOC_ABS },         /* Types ABS64, ABS32, ABS16 */
	{ 260, 262, RELOC_PCREL },       /* Types PREL64, PREL32, PREL16 */
	{ 273, 276, RELOC_PCREL },       /* Types LD_PREL_LO19 to ADR_PREL_PG_HI21_NC */
	{ 279, 280, RELOC_PCREL },       /* Types TSTBR14, CONDBR19 */
	{ 282, 283, RELOC_PCREL },       /* Types JUMP26, CALL26 */
	{ 309, 309, RELOC_PCREL },       /* Type GOT_LD_PREL19 */
	{ 311, 311, RELOC_PCREL },       /* Type ADR_GOT_PAGE */
	{ 314, 314, RELOC_PCREL },       /* Type PLT32 */
	{ 512, 573, RELOC_TLS },         /* Static TLS: TLSGD_ADR_PREL21 and all later types. */
	{ 580, 580, RELOC_ABS },         /* Type AUTH_ABS64 */
	{ 1024, 1024, RELOC_COPY },      /* Type COPY */
	{ 1025, 1025, RELOC_GLOB_DAT },  /* Type GLOB_DAT */
	{ 1026, 1026, RELOC_JUMP_SLOT }, /* Type JUMP_SLOT */
	{ 1027, 1027, RELOC_RELATIVE },  /* Type RELATIVE */
	{ 1028, 1031, RELOC_TLS },       /* Types TLS_DTPMOD to TLSDESC */
	{ 1032, 1032, RELOC_IRELATIVE }, /* Type IRELATIVE */
	{ 1041, 1041, RELOC_RELATIVE },  /* Type AUTH_RELATIVE */
	{ 1042, 1042, RELOC_GLOB_DAT },  /* Type AUTH_GLOB_DAT */
	{ 1043, 1043, RELOC_TLS },       /* Type AUTH_TLSDESC */
	{ 1044, 1044, RELOC_IRELATIVE }, /* Type AUTH_IRELATIVE */
};

/* ELF for the Arm Architecture (AAELF32). */
static const struct reloc_kinds arm[] = {
	{ 1, 1, RELOC_PCREL },         /* Type PC24 */
	{ 2, 2, RELOC_ABS },           /* Type ABS32 */
	{ 3, 3, RELOC_PCREL },         /* Type REL32 */
	{ 10, 10, RELOC_PCREL },       /* Type THM_CALL */
	{ 13, 13, RELOC_TLS },         /* Type TLS_DESC */
	{ 17, 19, RELOC_TLS },         /* Types TLS_DTPMOD32 to TLS_TPOFF32 */
	{ 20, 20, RELOC_COPY },        /* Type COPY */
	{ 21, 21, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 22, 22, RELOC_JUMP_SLOT },   /* Type JUMP_SLOT */
	{ 23, 23, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 27, 30, RELOC_PCREL },       /* Types PLT32 to THM_JUMP24 */
	{ 38, 38, RELOC_ABS },         /* TARGET1 of .init_array: ABS32 on Linux. */
	{ 42, 42, RELOC_PCREL },       /* Type PREL31 */
	{ 43, 43, RELOC_ABS },         /* Type MOVW_ABS_NC. MOVT_ABS has the upper half */
	{ 47, 47, RELOC_ABS },         /* Type THM_MOVW_ABS_NC */
	{ 51, 51, RELOC_PCREL },       /* Type THM_JUMP19 */
	{ 90, 92, RELOC_TLS },         /* Types TLS_GOTDESC to TLS_DESCSEQ */
	{ 102, 103, RELOC_PCREL },     /* Types THM_JUMP11, THM_JUMP8 */
	{ 104, 111, RELOC_TLS },       /* Types TLS_GD32 to TLS_IE12GP */
	{ 160, 160, RELOC_IRELATIVE }, /* Type IRELATIVE */
};

/* RISC-V ELF psABI. */
static const struct reloc_kinds riscv[] = {
	{ 1, 2, RELOC_ABS },         /* Types 32, 64 */
	{ 3, 3, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 4, 4, RELOC_COPY },        /* Type COPY */
	{ 5, 5, RELOC_JUMP_SLOT },   /* Type JUMP_SLOT */
	{ 6, 12, RELOC_TLS },        /* Types TLS_DTPMOD32 to TLSDESC */
	{ 16, 20, RELOC_PCREL },     /* Types BRANCH to GOT_HI20 */
	{ 21, 22, RELOC_TLS },       /* Types TLS_GOT_HI20, TLS_GD_HI20 */
	{ 23, 23, RELOC_PCREL },     /* Type PCREL_HI20 */
	{ 26, 26, RELOC_ABS },       /* Type HI20 */
	{ 29, 32, RELOC_TLS },       /* Types TPREL_HI20 to TPREL_ADD */
	{ 41, 41, RELOC_PCREL },     /* Type GOT32_PCREL */
	{ 44, 45, RELOC_PCREL },     /* Types RVC_BRANCH, RVC_JUMP */
	{ 57, 57, RELOC_PCREL },     /* Type 32_PCREL */
	{ 58, 58, RELOC_IRELATIVE }, /* Type IRELATIVE */
	{ 59, 59, RELOC_PCREL },     /* Type PLT32 */
	{ 62, 65, RELOC_TLS },       /* Types TLSDESC_HI20 to TLSDESC_CALL */
};

/* 64-bit PowerPC ELF ABI. */
static const struct reloc_kinds ppc64[] = {
	{ 1, 1, RELOC_ABS },           /* Type ADDR32 */
	{ 10, 13, RELOC_PCREL },       /* Types REL24 to REL14_BRNTAKEN */
	{ 19, 19, RELOC_COPY },        /* Type COPY */
	{ 20, 20, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 21, 21, RELOC_JUMP_SLOT },   /* Type JMP_SLOT */
	{ 22, 22, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 24, 24, RELOC_ABS },         /* Type UADDR32 */
	{ 26, 26, RELOC_PCREL },       /* Type REL32 */
	{ 38, 38, RELOC_ABS },         /* Type ADDR64 */
	{ 43, 43, RELOC_ABS },         /* Type UADDR64 */
	{ 44, 44, RELOC_PCREL },       /* Type REL64 */
	{ 67, 108, RELOC_TLS },        /* Types TLS to TLSLD */
	{ 116, 116, RELOC_PCREL },     /* Type REL24_NOTOC */
	{ 247, 248, RELOC_IRELATIVE }, /* Types JMP_IREL, IRELATIVE */
};

/* 32-bit PowerPC psABI. */
static const struct reloc_kinds ppc[] = {
	{ 1, 1, RELOC_ABS },           /* Type ADDR32 */
	{ 10, 13, RELOC_PCREL },       /* Types REL24 to REL14_BRNTAKEN */
	{ 18, 18, RELOC_PCREL },       /* Type PLTREL24 */
	{ 19, 19, RELOC_COPY },        /* Type COPY */
	{ 20, 20, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 21, 21, RELOC_JUMP_SLOT },   /* Type JMP_SLOT */
	{ 22, 22, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 23, 23, RELOC_PCREL },       /* Type LOCAL24PC */
	{ 24, 24, RELOC_ABS },         /* Type UADDR32 */
	{ 26, 26, RELOC_PCREL },       /* Type REL32 */
	{ 67, 96, RELOC_TLS },         /* Types TLS to GOT_DTPREL16_HA */
	{ 248, 248, RELOC_IRELATIVE }, /* Type IRELATIVE */
};

/* s390x ELF ABI. */
static const struct reloc_kinds s390[] = {
	{ 1, 4, RELOC_ABS },         /* Types 8 to 32 */
	{ 5, 5, RELOC_PCREL },       /* Type PC32 */
	{ 8, 8, RELOC_PCREL },       /* Type PLT32 */
	{ 9, 9, RELOC_COPY },        /* Type COPY */
	{ 10, 10, RELOC_GLOB_DAT },  /* Type GLOB_DAT */
	{ 11, 11, RELOC_JUMP_SLOT }, /* Type JMP_SLOT */
	{ 12, 12, RELOC_RELATIVE },  /* Type RELATIVE */
	{ 16, 20, RELOC_PCREL },     /* Types PC16 to PLT32DBL */
	{ 22, 22, RELOC_ABS },       /* Type 64 */
	{ 23, 23, RELOC_PCREL },     /* Type PC64 */
	{ 25, 26, RELOC_PCREL },     /* Types PLT64, GOTENT */
	{ 37, 56, RELOC_TLS },       /* Types TLS_LOAD to TLS_TPOFF */
	{ 61, 61, RELOC_IRELATIVE }, /* Type IRELATIVE */
	{ 62, 65, RELOC_PCREL },     /* Types PC12DBL to PLT24DBL */
};

/* MIPS psABI supplement and its successor for N64. */
static const struct reloc_kinds mips[] = {
	{ 2, 3, RELOC_ABS },           /* Types 32 and REL32. With symbol 0, as usual, REL32 is
				     * RELATIVE */
	{ 4, 4, RELOC_PCREL },         /* Type 26: a jump within 256 MiB */
	{ 6, 6, RELOC_ABS },           /* Type LO16. HI16 or GOT16 has the upper half */
	{ 10, 10, RELOC_PCREL },       /* Type PC16 */
	{ 18, 18, RELOC_ABS },         /* Type 64 */
	{ 38, 50, RELOC_TLS },         /* Types TLS_DTPMOD32 to TLS_TPREL_LO16 */
	{ 51, 51, RELOC_GLOB_DAT },    /* Type GLOB_DAT */
	{ 60, 65, RELOC_PCREL },       /* Types PC21_S2 to PCLO16 */
	{ 126, 126, RELOC_COPY },      /* Type COPY */
	{ 127, 127, RELOC_JUMP_SLOT }, /* Type JUMP_SLOT */
	{ 248, 248, RELOC_PCREL },     /* Type PC32 */
};

/* LoongArch ELF psABI. */
static const struct reloc_kinds loongarch[] = {
	{ 1, 2, RELOC_ABS },         /* Types 32, 64 */
	{ 3, 3, RELOC_RELATIVE },    /* Type RELATIVE */
	{ 4, 4, RELOC_COPY },        /* Type COPY */
	{ 5, 5, RELOC_JUMP_SLOT },   /* Type JUMP_SLOT */
	{ 6, 11, RELOC_TLS },        /* Types TLS_DTPMOD32 to TLS_TPREL64 */
	{ 12, 12, RELOC_IRELATIVE }, /* Type IRELATIVE */
	{ 13, 14, RELOC_TLS },       /* Types TLS_DESC32, TLS_DESC64 */
	{ 64, 66, RELOC_PCREL },     /* Types B16 to B26 */
	{ 71, 71, RELOC_PCREL },     /* Type PCALA_HI20 */
	{ 75, 75, RELOC_PCREL },     /* Type GOT_PC_HI20 */
	{ 83, 98, RELOC_TLS },       /* Types TLS_LE_HI20 to TLS_GD_HI20 */
	{ 99, 99, RELOC_PCREL },     /* Type 32_PCREL */
	{ 103, 103, RELOC_PCREL },   /* Type PCREL20_S2 */
	{ 109, 110, RELOC_PCREL },   /* Types 64_PCREL, CALL36 */
	{ 111, 126, RELOC_TLS },     /* Types TLS_DESC_PC_HI20 to TLS_DESC_PCREL20_S2 */
};

/* Linux: Documentation/bpf/llvm_reloc.rst. */
static const struct reloc_kinds bpf[] = {
	{ 1, 3, RELOC_ABS },     /* Types 64_64, ABS64, ABS32 */
	{ 10, 10, RELOC_PCREL }, /* Type 64_32: a call */
};

/* Source: "WebAssembly Object File Linking". */
static const struct reloc_kinds wasm[] = {
	{ 0, 5, RELOC_ABS },   /* Types FUNCTION_INDEX_LEB to MEMORY_ADDR_I32 */
	{ 8, 9, RELOC_ABS },   /* Types FUNCTION_OFFSET_I32, SECTION_OFFSET_I32 */
	{ 11, 12, RELOC_ABS }, /* Types MEMORY_ADDR_REL_SLEB, TABLE_INDEX_REL_SLEB */
	{ 14, 19, RELOC_ABS }, /* Types MEMORY_ADDR_LEB64 to TABLE_INDEX_I64 */
	{ 22, 23, RELOC_ABS }, /* Types FUNCTION_OFFSET_I64, MEMORY_ADDR_LOCREL_I32 */
};

static enum reloc_kind kind_in(const struct reloc_kinds *k, size_t count, uint32_t type)
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
	case EM_BPF: return kind_in(bpf, COUNT_OF(bpf), type);
	case EM_WEBASSEMBLY: return kind_in(wasm, COUNT_OF(wasm), type);
	default: return RELOC_OTHER;
	}
}

/* For a machine: relocation types that write symbol plus addend to a field of data. */
struct reloc_fields {
	uint16_t machine;
	uint8_t op; /* One of RELOC_OP_... */
	/* Types for fields of 4, 8, 2 and 1 bytes. 0 if a width has none. */
	uint16_t four, eight, two, one;
	uint16_t bias; /* Bias of thread-local variables: see struct reloc_field */
};

/* Offset in the TLS block from which thread-local variables count: 0x8000 on MIPS and PowerPC,
 * 0x800 on RISC-V. */
enum { BIAS_FAR = 0x8000, BIAS_NEAR = 0x800 };

/* Fields by the number of their machine. Types are those of <elf.h>, of the processor supplements
 * and of GNU and LLVM assemblers. A machine has several rows if it has several types of one width,
 * or if the assemblers differ (BPF). Machines with an older number have additional rows. With
 * RELOC_OP_ADD, the addend of a RELA entry is added to the field's value. */
static const struct reloc_fields fields[] = {
	{ EM_SPARC, RELOC_OP_SET, 3, 32, 2, 1 },
	{ EM_SPARC, RELOC_OP_SET, 23, 54, 55, 0 }, /* Types UA32, 64 and 16. */
	{ EM_SPARC, RELOC_OP_SET, 76, 77, 0, 0 },  /* Types TLS_DTPOFF32 and TLS_DTPOFF64. */
	{ EM_386, RELOC_OP_SET, 1, 0, 20, 22 },
	{ EM_386, RELOC_OP_SET, 32, 0, 0, 0 }, /* Type TLS_LDO_32 */
	{ EM_68K, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_IAMCU, RELOC_OP_SET, 1, 0, 20, 22 },
	{ EM_MIPS, RELOC_OP_SET, 2, 18, 1, 0 },
	{ EM_MIPS, RELOC_OP_SET, 39, 41, 0, 0,
	  BIAS_FAR },                             /* Types TLS_DTPREL32 and TLS_DTPREL64. */
	{ EM_PARISC, RELOC_OP_SET, 1, 80, 0, 0 }, /* Types DIR32 and DIR64. */
	{ EM_PARISC, RELOC_OP_SET, 41, 0, 0, 0 }, /* Type SECREL32 */
	{ EM_SPARC32PLUS, RELOC_OP_SET, 3, 32, 2, 1 },
	{ EM_SPARC32PLUS, RELOC_OP_SET, 23, 54, 55, 0 },
	{ EM_SPARC32PLUS, RELOC_OP_SET, 76, 77, 0, 0 },
	{ EM_PPC, RELOC_OP_SET, 1, 0, 3, 0 },              /* Types ADDR32 and 16. */
	{ EM_PPC, RELOC_OP_SET, 24, 0, 25, 0 },            /* Types UADDR32 and 16. */
	{ EM_PPC, RELOC_OP_SET, 78, 0, 0, 0, BIAS_FAR },   /* Type DTPREL32 */
	{ EM_PPC64, RELOC_OP_SET, 1, 38, 3, 0 },           /* Types ADDR32, 64 and 16. */
	{ EM_PPC64, RELOC_OP_SET, 24, 43, 25, 0 },         /* Types UADDR32, 64 and 16. */
	{ EM_PPC64, RELOC_OP_SET, 0, 78, 0, 0, BIAS_FAR }, /* Type DTPREL64 */
	{ EM_S390, RELOC_OP_SET, 4, 22, 3, 1 },
	{ EM_S390, RELOC_OP_SET, 52, 53, 0, 0 },        /* Types TLS_LDO32 and TLS_LDO64. */
	{ EM_SPU, RELOC_OP_SET, 6, 0, 0, 0 },           /* Type ADDR32 */
	{ EM_V800, RELOC_OP_SET, 0x33, 0, 0x32, 0x31 }, /* Types WORD, HWORD and BYTE. */
	{ EM_RCE, RELOC_OP_SET, 1, 0, 0, 0 },           /* Type MCORE_ADDR32. */
	{ EM_ARM, RELOC_OP_SET, 2, 0, 5, 8 },
	{ EM_ARM, RELOC_OP_SET, 106, 0, 0, 0 }, /* Type TLS_LDO32 */
	{ EM_ARM, RELOC_OP_SET, 38, 0, 0, 0 },  /* Type TARGET1 */
	{ EM_SH, RELOC_OP_ADD, 1, 0, 33, 34 },  /* Types DIR32, DIR16 and DIR8. */
	{ EM_SH, RELOC_OP_ADD, 146, 0, 0, 0 },  /* Type TLS_LDO_32 */
	{ EM_SPARCV9, RELOC_OP_SET, 3, 32, 2, 1 },
	{ EM_SPARCV9, RELOC_OP_SET, 23, 54, 55, 0 },
	{ EM_SPARCV9, RELOC_OP_SET, 76, 77, 0, 0 },
	{ EM_TRICORE, RELOC_OP_SET, 2, 0, 0, 0 }, /* Type 32ABS */
	{ EM_ARC, RELOC_OP_SET, 4, 0, 2, 1 },
	{ EM_H8_300, RELOC_OP_SET, 1, 0, 17, 18 },    /* Types DIR32, DIR16 and DIR8. */
	{ EM_IA_64, RELOC_OP_SET, 0x25, 0x27, 0, 0 }, /* Types DIR32LSB and DIR64LSB. */
	{ EM_IA_64, RELOC_OP_SET, 0x24, 0x26, 0, 0 }, /* Types DIR32MSB and DIR64MSB. */
	{ EM_IA_64, RELOC_OP_SET, 0x65, 0x67, 0, 0 }, /* Types SECREL32LSB and SECREL64LSB. */
	{ EM_IA_64, RELOC_OP_SET, 0x64, 0x66, 0, 0 }, /* Types SECREL32MSB and SECREL64MSB. */
	{ EM_IA_64, RELOC_OP_SET, 0xb5, 0xb7, 0, 0 }, /* Types DTPREL32LSB and DTPREL64LSB. */
	{ EM_IA_64, RELOC_OP_SET, 0xb4, 0xb6, 0, 0 }, /* Types DTPREL32MSB and DTPREL64MSB. */
	{ EM_68HC12, RELOC_OP_SET, 6, 0, 5, 1 },
	{ EM_X86_64, RELOC_OP_SET, 10, 1, 12, 14 },
	{ EM_X86_64, RELOC_OP_SET, 21, 17, 0, 0 }, /* Types DTPOFF32 and DTPOFF64. */
	{ EM_X86_64, RELOC_OP_SET, 11, 0, 0, 0 },  /* Type 32S */
	{ EM_68HC11, RELOC_OP_SET, 6, 0, 5, 1 },
	{ EM_VAX, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_CRIS, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_MMIX, RELOC_OP_SET, 4, 5, 2, 1 },
	{ EM_AVR, RELOC_OP_SET, 1, 0, 4, 26 },
	{ EM_FR30, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_D10V, RELOC_OP_SET, 6, 0, 3, 0 },
	{ EM_D30V, RELOC_OP_ADD, 12, 0, 0, 0 },
	{ EM_V850, RELOC_OP_SET, 6, 0, 7, 8 },   /* Types ABS32, 16 and 8. */
	{ EM_M32R, RELOC_OP_SET, 34, 0, 33, 0 }, /* Types 32_RELA and 16_RELA. */
	{ EM_M32R, RELOC_OP_SET, 2, 0, 1, 0 },   /* Types 32 and 16 in REL tables. */
	{ EM_MN10300, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_MN10200, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_OPENRISC, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_ARC_COMPACT, RELOC_OP_SET, 4, 0, 2, 1 },
	{ EM_ARC_COMPACT, RELOC_OP_SET, 67, 0, 0, 0 }, /* Type TLS_DTPOFF */
	{ EM_XTENSA, RELOC_OP_ADD, 1, 0, 0, 0 },
	{ EM_IP2K, RELOC_OP_SET, 2, 0, 1, 0 },
	{ EM_MSP430, RELOC_OP_SET, 1, 0, 5, 9 }, /* Types 32, 16_BYTE and 8. */
	{ EM_MSP430, RELOC_OP_SET, 0, 0, 3, 0 }, /* Type 16 */
	{ EM_MSP430, RELOC_OP_SET, 0, 0, 2, 0 }, /* Type ABS16 of MSP430X. */
	{ EM_BLACKFIN, RELOC_OP_SET, 0x12, 0, 0x11,
	  0x10 }, /* Types BYTE4_DATA, BYTE2_DATA and BYTE_DATA. */
	{ EM_NIOS2, RELOC_OP_SET, 12, 0, 13, 14 },
	{ EM_CRX, RELOC_OP_SET, 15, 0, 14, 13 }, /* Types NUM32, NUM16 and NUM8. */
	{ EM_XGATE, RELOC_OP_SET, 4, 0, 3, 0 },
	{ EM_C166, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_M32C, RELOC_OP_SET, 3, 0, 1, 0 },
	{ EM_SCORE, RELOC_OP_SET, 8, 0, 0, 0 }, /* Type ABS32 */
	{ EM_LATTICEMICO32, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_TI_C6000, RELOC_OP_SET, 1, 0, 2, 3 }, /* Types ABS32, ABS16 and ABS8. */
	{ EM_TI_PRU, RELOC_OP_SET, 11, 0, 8, 0 },
	{ EM_HEXAGON, RELOC_OP_SET, 6, 0, 7, 8 },
	{ EM_NDS32, RELOC_OP_SET, 20, 0, 19, 0 },     /* Types 32_RELA and 16_RELA. */
	{ EM_NDS32, RELOC_OP_SET, 2, 0, 1, 0 },       /* Types 32 and 16 in REL tables. */
	{ EM_RX, RELOC_OP_SET, 1, 0, 3, 6 },          /* Types DIR32, 16 and 8. */
	{ EM_RX, RELOC_OP_POP, 0x41, 0, 0x43, 0x46 }, /* Types ABS32, 16 and 8. */
	{ EM_METAG, RELOC_OP_SET, 2, 0, 0, 0 },       /* Type ADDR32 */
	{ EM_CR16, RELOC_OP_SET, 3, 0, 2, 1 },        /* Types NUM32, NUM16 and NUM8. */
	{ EM_AARCH64, RELOC_OP_SET, 258, 257, 259, 0 },
	{ EM_AARCH64, RELOC_OP_SET, 0, 1029, 0, 0 }, /* Type TLS_DTPREL64 */
	{ EM_TILEPRO, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_MICROBLAZE, RELOC_OP_SET, 1, 0, 0, 0 },
	{ EM_MICROBLAZE, RELOC_OP_SET, 25, 0, 0, 0 }, /* Type TLSDTPREL32 */
	{ EM_CUDA, RELOC_OP_SET, 1, 2, 0, 0 },
	{ EM_CUDA, RELOC_OP_SET, 3, 4, 0, 0 }, /* Types G32, G64 */
	{ EM_TILEGX, RELOC_OP_SET, 2, 1, 3, 4 },
	{ EM_ARC_COMPACT2, RELOC_OP_SET, 4, 0, 2, 1 },
	{ EM_ARC_COMPACT2, RELOC_OP_SET, 67, 0, 0, 0 },
	{ EM_RL78, RELOC_OP_SET, 1, 0, 3, 6 },
	{ EM_RL78, RELOC_OP_POP, 0x41, 0, 0x43, 0x46 },
	{ EM_Z80, RELOC_OP_SET, 6, 0, 4, 1 },
	{ EM_VISIUM, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_FT32, RELOC_OP_SET, 1, 0, 2, 0 },
	{ EM_MOXIE, RELOC_OP_SET, 1, 0, 0, 0 },
	{ EM_AMDGPU, RELOC_OP_SET, 6, 3, 0, 0 }, /* Types ABS32 and ABS64. */
	{ EM_AMDGPU, RELOC_OP_SET, 1, 0, 0, 0 }, /* Type ABS32_LO */
	{ EM_RISCV, RELOC_OP_SET, 1, 2, 0, 0 },
	{ EM_RISCV, RELOC_OP_ADD, 35, 36, 34, 33 }, /* Types ADD32, 64, 16 and 8. */
	{ EM_RISCV, RELOC_OP_SUB, 39, 40, 38, 37 }, /* Types SUB32, 64, 16 and 8. */
	{ EM_RISCV, RELOC_OP_SET, 56, 0, 55, 54 },  /* Types SET32, 16 and 8. */
	{ EM_RISCV, RELOC_OP_SET, 8, 9, 0, 0,
	  BIAS_NEAR }, /* Types TLS_DTPREL32 and TLS_DTPREL64. */
	{ EM_LANAI, RELOC_OP_SET, 4, 0, 0, 0 },
	{ EM_BPF, RELOC_OP_SET, 3, 2, 0, 0 },  /* Types ABS32 and ABS64 of LLVM. */
	{ EM_BPF, RELOC_OP_SET, 10, 1, 0, 0 }, /* Types 64_32 and 64_64 of older LLVM. */
	{ EM_BPF, RELOC_OP_SET, 4, 0, 0, 0 },  /* Type NODYLD32 of LLVM. */
	{ EM_BPF, RELOC_OP_SET, 11, 12, 9,
	  8 }, /* Types DATA_32, DATA_64, DATA_16 and DATA_8 of GNU. */
	{ EM_VE, RELOC_OP_SET, 1, 2, 0, 0 },    /* Types REFLONG and REFQUAD. */
	{ EM_CSKY, RELOC_OP_SET, 1, 0, 0, 0 },  /* Type ADDR32 */
	{ EM_CSKY, RELOC_OP_SET, 55, 0, 0, 0 }, /* Type TLS_LDO32 */
	{ EM_ARC_COMPACT3_64, RELOC_OP_SET, 4, 5, 2, 1 },
	{ EM_ARC_COMPACT3, RELOC_OP_SET, 4, 5, 2, 1 },
	{ EM_KVX, RELOC_OP_SET, 2, 3, 1, 0 },
	{ EM_LOONGARCH, RELOC_OP_SET, 1, 2, 0, 0 },
	{ EM_LOONGARCH, RELOC_OP_ADD, 50, 51, 48, 47 }, /* Types ADD32, 64, 16 and 8. */
	{ EM_LOONGARCH, RELOC_OP_SUB, 55, 56, 53, 52 }, /* Types SUB32, 64, 16 and 8. */
	{ EM_LOONGARCH, RELOC_OP_SET, 8, 9, 0, 0 },     /* Types TLS_DTPREL32 and TLS_DTPREL64. */
	{ EM_EPIPHANY, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_OLD_MT, RELOC_OP_SET, 2, 0, 0, 0 },
	{ EM_OLD_FR30, RELOC_OP_SET, 3, 0, 2, 1 },
	{ EM_WEBASSEMBLY, RELOC_OP_SET, 9, 0, 0, 0 },  /* Type SECTION_OFFSET_I32 */
	{ EM_WEBASSEMBLY, RELOC_OP_SET, 8, 22, 0, 0 }, /* Types FUNCTION_OFFSET_I32 and I64. */
	{ EM_WEBASSEMBLY, RELOC_OP_SET, 5, 16, 0, 0 }, /* Types MEMORY_ADDR_I32 and I64. */
	{ EM_WEBASSEMBLY, RELOC_OP_SET, 23, 0, 0, 0 }, /* Type MEMORY_ADDR_LOCREL_I32 */
	{ EM_FRV, RELOC_OP_SET, 1, 0, 0, 0 },
	{ EM_OLD_D10V, RELOC_OP_SET, 6, 0, 3, 0 },
	{ EM_OLD_D30V, RELOC_OP_ADD, 12, 0, 0, 0 },
	{ EM_ALPHA, RELOC_OP_SET, 1, 2, 0, 0 },  /* Types REFLONG and REFQUAD. */
	{ EM_ALPHA, RELOC_OP_SET, 0, 33, 0, 0 }, /* Type DTPREL64 */
	{ EM_OLD_M32R, RELOC_OP_SET, 34, 0, 33, 0 },
	{ EM_OLD_M32R, RELOC_OP_SET, 2, 0, 1, 0 },
	{ EM_OLD_V850, RELOC_OP_SET, 6, 0, 7, 8 },
	{ EM_XSTORMY16, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_OLD_MICROBLAZE, RELOC_OP_SET, 1, 0, 0, 0 },
	{ EM_OLD_MN10300, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_OLD_MN10200, RELOC_OP_SET, 1, 0, 2, 3 },
	{ EM_MEP, RELOC_OP_SET, 4, 0, 3, 2 },
	{ EM_OLD_M32C, RELOC_OP_SET, 3, 0, 1, 0 },
	{ EM_IQ2000, RELOC_OP_SET, 2, 0, 1, 0 },
	{ EM_OLD_MOXIE, RELOC_OP_SET, 1, 0, 0, 0 },
};

/* Types that `fields` cannot describe: with another effect, or for fields of other widths. */
static const struct {
	uint16_t machine, first, last; /* Range of types, `last` included */
	uint8_t op, width, bits;       /* For the members of struct reloc_field */
} odd[] = {
	{ EM_AARCH64, 256, 256, RELOC_OP_NONE, 0, 0 },   /* Older number of the type NONE */
	{ EM_RISCV, 43, 43, RELOC_OP_NONE, 0, 0 },       /* Type ALIGN */
	{ EM_RISCV, 51, 51, RELOC_OP_NONE, 0, 0 },       /* Type RELAX */
	{ EM_RISCV, 52, 52, RELOC_OP_SUB, 1, 6 },        /* Type SUB6 */
	{ EM_RISCV, 53, 53, RELOC_OP_SET, 1, 6 },        /* Type SET6 */
	{ EM_RISCV, 60, 60, RELOC_OP_SET, 0, 0 },        /* Type SET_ULEB128 */
	{ EM_RISCV, 61, 61, RELOC_OP_SUB, 0, 0 },        /* Type SUB_ULEB128 */
	{ EM_LOONGARCH, 49, 49, RELOC_OP_ADD, 3, 24 },   /* Type ADD24 */
	{ EM_LOONGARCH, 54, 54, RELOC_OP_SUB, 3, 24 },   /* Type SUB24 */
	{ EM_LOONGARCH, 100, 100, RELOC_OP_NONE, 0, 0 }, /* Type RELAX */
	{ EM_LOONGARCH, 102, 102, RELOC_OP_NONE, 0, 0 }, /* Type ALIGN */
	{ EM_LOONGARCH, 105, 105, RELOC_OP_ADD, 1, 6 },  /* Type ADD6 */
	{ EM_LOONGARCH, 106, 106, RELOC_OP_SUB, 1, 6 },  /* Type SUB6 */
	{ EM_LOONGARCH, 107, 107, RELOC_OP_ADD, 0, 0 },  /* Type ADD_ULEB128 */
	{ EM_LOONGARCH, 108, 108, RELOC_OP_SUB, 0, 0 },  /* Type SUB_ULEB128 */
	{ EM_WEBASSEMBLY, 2, 2, RELOC_OP_NONE, 0, 0 },   /* Type TABLE_INDEX_I32 */
	{ EM_WEBASSEMBLY, 13, 13, RELOC_OP_NONE, 0, 0 }, /* Type GLOBAL_INDEX_I32 */
	{ EM_WEBASSEMBLY, 19, 19, RELOC_OP_NONE, 0, 0 }, /* Type TABLE_INDEX_I64 */
	/* Machines of Renesas compute differences on a stack: types SYM, OPadd and OPsub. */
	{ EM_RX, 0x80, 0x80, RELOC_OP_PUSH, 0, 0 },
	{ EM_RX, 0x82, 0x82, RELOC_OP_PLUS, 0, 0 },
	{ EM_RX, 0x83, 0x83, RELOC_OP_TAKE, 0, 0 },
	{ EM_RL78, 0x80, 0x80, RELOC_OP_PUSH, 0, 0 },
	{ EM_RL78, 0x82, 0x82, RELOC_OP_PLUS, 0, 0 },
	{ EM_RL78, 0x83, 0x83, RELOC_OP_TAKE, 0, 0 },
	/* The assembler has already written these fields: differences that a linker changes only
	 * when it shortens code. */
	{ EM_AVR, 30, 32, RELOC_OP_NONE, 0, 0 },     /* Types DIFF8 to DIFF32 */
	{ EM_XTENSA, 17, 19, RELOC_OP_NONE, 0, 0 },  /* Types DIFF8 to DIFF32 */
	{ EM_XTENSA, 57, 62, RELOC_OP_NONE, 0, 0 },  /* Types PDIFF8 to NDIFF32 */
	{ EM_SH, 24, 32, RELOC_OP_NONE, 0, 0 },      /* Types SWITCH8 to LABEL */
	{ EM_TI_PRU, 65, 70, RELOC_OP_NONE, 0, 0 },  /* Types GNU_DIFF8 to GNU_DIFF32_PMEM */
	{ EM_NDS32, 205, 208, RELOC_OP_NONE, 0, 0 }, /* Types DIFF8 to DIFF_ULEB128 */
	/* The value is subtracted from the value of the next relocation of the same field. */
	{ EM_MSP430, 10, 10, RELOC_OP_LESS, 0, 0 },
	{ EM_MSP430, 21, 21, RELOC_OP_LESS, 0, 0 },
	{ EM_MN10300, 33, 33, RELOC_OP_LESS, 0, 0 },
	{ EM_OLD_MN10300, 33, 33, RELOC_OP_LESS, 0, 0 },
	/* Machines with 24-bit addresses have fields of three bytes. */
	{ EM_MN10200, 4, 4, RELOC_OP_SET, 3, 24 },
	{ EM_OLD_MN10200, 4, 4, RELOC_OP_SET, 3, 24 },
	{ EM_M32C, 2, 2, RELOC_OP_SET, 3, 24 },
	{ EM_OLD_M32C, 2, 2, RELOC_OP_SET, 3, 24 },
	{ EM_Z80, 5, 5, RELOC_OP_SET, 3, 24 },
	{ EM_68HC11, 11, 11, RELOC_OP_SET, 3, 24 },
	{ EM_68HC12, 11, 11, RELOC_OP_SET, 3, 24 },
};

struct reloc_field reloc_field(const struct image *im, uint32_t type)
{
	const uint16_t machine = im->machine;
	/* Handles N64 entries with up to three types, applied in turn. "R_MIPS_32, R_MIPS_64"
	 * extends the value to 64 bits. */
	if (machine == EM_MIPS && (type & 0xffff) == (R_MIPS_64 << 8 | R_MIPS_32))
		type = R_MIPS_64;
	if (type == 0) /* NONE on all machines */
		return (struct reloc_field){ RELOC_OP_NONE, 0, 0, 0 };
	size_t first;
	BISECT(first, 0, COUNT_OF(fields), mid, fields[mid].machine < machine);
	for (size_t i = first; i < COUNT_OF(fields) && fields[i].machine == machine; i++) {
		const struct reloc_fields *f = &fields[i];
		const uint8_t width = f->four == type    ? 4
				      : f->eight == type ? 8
				      : f->two == type   ? 2
							 : f->one == type;
		if (width > 0)
			return (struct reloc_field){ f->op, width, (uint8_t)(width * 8), f->bias };
	}
	for (size_t i = 0; i < COUNT_OF(odd); i++)
		if (odd[i].machine == machine && type >= odd[i].first && type <= odd[i].last)
			return (struct reloc_field){ odd[i].op, odd[i].width, odd[i].bits, 0 };
	return (struct reloc_field){ RELOC_OP_UNKNOWN, 0, 0, 0 };
}

/* Returns the distance of a Thumb call or jump, from the end of its field. Arm ARM, BL (T1). */
static int64_t thumb_distance(uint32_t first, uint32_t second)
{
	const uint32_t sign = first >> 10 & 1;
	const uint32_t i1 = ~(second >> 13 ^ sign) & 1, i2 = ~(second >> 11 ^ sign) & 1;
	const uint32_t v = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 |
			   (second & 0x7ff) << 1;
	return (int64_t)(v ^ 1 << 24) - (1 << 24) + 4;
}

/* Returns the implicit addend in the bits of an object's instruction, so that symbol plus addend is
 * its target. Of an address in two halves, that is the lower one: sections that are larger than
 * 32 KiB may have others. 0 for other types. */
static int64_t code_addend(const struct image *im, const struct reloc *r)
{
	enum { M26 = 4, LO16 = 6 };                           /* MIPS */
	enum { PC24 = 1, CALL = 28, JUMP24 = 29, MOVW = 43 }; /* ARM */
	enum { THM_CALL = 10, THM_JUMP24 = 30, THM_MOVW = 47, BPF_CALL = 10 };
	const bool is_bpf = im->machine == EM_BPF;
	struct reader code = reader_of(image_at(im, r->addr + (is_bpf ? 4 : 0), 4), im->big_endian);
	const uint32_t word = read_u32(&code);
	/* Halfwords of Thumb code have the byte order of the object, the first one at the start. */
	const uint32_t first = im->big_endian ? word >> 16 : word & 0xffff;
	const uint32_t second = im->big_endian ? word & 0xffff : word >> 16;
	if (im->kind != IMAGE_OBJECT || !r->alloc || !reader_ok(&code))
		return 0;
	if (im->machine == EM_MIPS && r->type == M26)
		return (word & 0x3ffffff) * INT64_C(4);
	if (im->machine == EM_MIPS && r->type == LO16)
		return (int16_t)word;
	if (im->machine == EM_ARM && r->type == MOVW)
		return (int16_t)((word >> 4 & 0xf000) | (word & 0xfff));
	if (is_bpf) /* In instructions of 8 bytes, from the next one; or of a variable, in bytes */
		return r->type == BPF_CALL ? ((int32_t)word + INT64_C(1)) * 8
		       : r->type == 1      ? (int32_t)word
					   : 0;
	if (im->machine == EM_ARM && (r->type == PC24 || r->type == CALL || r->type == JUMP24))
		return ((int64_t)((word & 0xffffff) ^ 0x800000) - 0x800000) * 4 + 8;
	if (im->machine == EM_ARM && (r->type == THM_CALL || r->type == THM_JUMP24))
		return thumb_distance(first, second);
	if (im->machine == EM_ARM && r->type == THM_MOVW)
		return (int16_t)((first & 15) << 12 | (first << 1 & 0x800) | (second >> 4 & 0x700) |
				 (second & 0xff));
	return 0;
}

/* Returns the size of a REL entry's implicit addend. 0 if it is spread over an instruction's bits:
 * see code_addend(). */
static unsigned addend_width(const struct image *im, const struct reloc *r)
{
	const unsigned word = im->bits / 8;
	if (im->machine == EM_X86_64 && r->type == R_X86_64_32S)
		return 4;
	if (r->kind == RELOC_RELATIVE || r->kind == RELOC_IRELATIVE)
		return word;
	switch (im->machine) {
	case EM_BPF: return r->kind == RELOC_ABS && r->type != 1 ? (r->type == 2 ? 8 : 4) : 0;
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

static bool reloc_implicit_addend(const struct reloc_iter *it, const struct reloc *r, int64_t *ret)
{
	const struct image *im = it->image;
	/* A signed pointer has its addend in the low 32 bits and signing data above. */
	const bool is_signed = it->section->type == SHT_AUTH_RELR;
	const unsigned width = is_signed ? 4 : addend_width(im, r);
	*ret = 0;
	if (width == 0) {
		*ret = code_addend(im, r);
		return true;
	}
	struct bytes b = { NULL, 0 };
	if (r->alloc)
		b = image_at(im, r->addr, width);
	else if (r->section != 0 && !im->sections[r->section].compressed)
		b = bytes_sub(section_bytes(im, &im->sections[r->section]), r->addr, width);
	struct reader reader = reader_of(b, im->big_endian);
	uint64_t v = read_uint(&reader, width);
	unsigned bits = width * 8;
	if (im->machine == EM_ARM && r->type == R_ARM_PREL31)
		bits = 31;
	if (bits < 64) /* Sign-extends */
		v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	*ret = (int64_t)v;
	return reader_ok(&reader);
}

/* Returns the number to add to the target of an x86 relocation. A displacement counts from the end
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
		const struct symbol s = symtab_get_nameless(&it->symbols, r->symbol);
		if (!symbol_addr(it->image, &s, &symbol))
			return false;
	}
	int64_t addend = 0;
	if (base_only || r->kind == RELOC_ABS || r->kind == RELOC_PCREL) {
		addend = r->addend;
		if (!r->has_addend && !reloc_implicit_addend(it, r, &addend))
			return false;
	}
	*ret = (symbol + (uint64_t)(addend + x86_bias(it, r))) & mask;
	return true;
}
