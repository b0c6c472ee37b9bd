/* elf_const.h - the numbers of ELF that heft knows.
 *
 * Sources: System V gABI (chapters 4 and 5), the processor supplements named at each group, and the
 * GNU, LLVM and Android extensions. */
#pragma once

/* Indexes and values of e_ident (gABI "ELF Header"). */
enum { EI_CLASS = 4, EI_DATA = 5, EI_VERSION = 6, EI_OSABI = 7, EI_NIDENT = 16 };
enum { ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2 };

/* Sizes of the structures that the gABI defines, in bytes, for 32 and 64 bit files. */
enum { EHDR32_SIZE = 52, PHDR32_SIZE = 32, SHDR32_SIZE = 40, SYM32_SIZE = 16 };
enum { EHDR64_SIZE = 64, PHDR64_SIZE = 56, SHDR64_SIZE = 64, SYM64_SIZE = 24 };

enum { ET_NONE = 0, ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4 };

enum { EM_NONE = 0, EM_SPARC = 2, EM_386 = 3, EM_68K = 4, EM_IAMCU = 6, EM_MIPS = 8 };
enum { EM_PARISC = 15, EM_SPARC32PLUS = 18, EM_PPC = 20, EM_PPC64 = 21, EM_S390 = 22, EM_SPU = 23 };
enum { EM_V800 = 36 };
enum { EM_RCE = 39 }; /* M*Core */
enum { EM_ARM = 40, EM_SH = 42, EM_SPARCV9 = 43, EM_TRICORE = 44, EM_ARC = 45, EM_H8_300 = 46 };
enum { EM_IA_64 = 50, EM_68HC12 = 53, EM_X86_64 = 62, EM_68HC11 = 70, EM_VAX = 75, EM_CRIS = 76 };
enum { EM_MMIX = 80, EM_AVR = 83, EM_FR30 = 84, EM_D10V = 85, EM_D30V = 86, EM_V850 = 87 };
enum { EM_M32R = 88, EM_MN10300 = 89, EM_MN10200 = 90, EM_OPENRISC = 92, EM_ARC_COMPACT = 93 };
enum { EM_XTENSA = 94, EM_IP2K = 101, EM_MSP430 = 105, EM_BLACKFIN = 106, EM_NIOS2 = 113 };
enum { EM_CRX = 114, EM_XGATE = 115, EM_C166 = 116, EM_M32C = 120, EM_SCORE = 135 };
enum { EM_LATTICEMICO32 = 138, EM_TI_C6000 = 140, EM_TI_PRU = 144, EM_HEXAGON = 164 };
enum { EM_NDS32 = 167, EM_RX = 173, EM_METAG = 174, EM_CR16 = 177, EM_AARCH64 = 183 };
enum { EM_TILEPRO = 188, EM_MICROBLAZE = 189, EM_CUDA = 190, EM_TILEGX = 191 };
enum { EM_ARC_COMPACT2 = 195, EM_RL78 = 197, EM_Z80 = 220, EM_VISIUM = 221, EM_FT32 = 222 };
enum { EM_MOXIE = 223, EM_AMDGPU = 224, EM_RISCV = 243, EM_LANAI = 244, EM_BPF = 247, EM_VE = 251 };
enum { EM_CSKY = 252, EM_ARC_COMPACT3_64 = 253, EM_ARC_COMPACT3 = 255, EM_KVX = 256 };
enum { EM_LOONGARCH = 258, EM_WEBASSEMBLY = 0x4157, EM_ALPHA = 0x9026 };
/* Numbers that assemblers used before or instead of registered numbers. */
enum { EM_EPIPHANY = 0x1223, EM_OLD_MT = 0x2530, EM_OLD_FR30 = 0x3330, EM_FRV = 0x5441 };
enum { EM_OLD_D10V = 0x7650, EM_OLD_D30V = 0x7676, EM_OLD_M32R = 0x9041, EM_OLD_V850 = 0x9080 };
enum { EM_XSTORMY16 = 0xad45, EM_OLD_MICROBLAZE = 0xbaab, EM_OLD_MN10300 = 0xbeef };
enum { EM_OLD_MN10200 = 0xdead, EM_MEP = 0xf00d, EM_OLD_M32C = 0xfeb0, EM_IQ2000 = 0xfeba };
enum { EM_OLD_MOXIE = 0xfeed };

/* Bits of e_flags that change how heft reads a file. */
enum {
	EF_PPC64_ABI = 3, /* 64-bit PowerPC: 1 = function descriptors, 2 = none, 0 = unknown */
};

#define PN_XNUM 0xffffu

enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PT_NOTE = 4, PT_PHDR = 6, PT_TLS = 7 };
enum { PT_GNU_EH_FRAME = 0x6474e550, PT_GNU_STACK = 0x6474e551, PT_GNU_RELRO = 0x6474e552 };
enum { PT_ARM_EXIDX = 0x70000001 };

enum { PF_X = 1, PF_W = 2, PF_R = 4 };

/* Section types. */
enum {
	SHT_NULL = 0,
	SHT_PROGBITS = 1,
	SHT_SYMTAB = 2,
	SHT_STRTAB = 3,
	SHT_RELA = 4,
	SHT_HASH = 5,
	SHT_DYNAMIC = 6,
	SHT_NOTE = 7,
	SHT_NOBITS = 8,
	SHT_REL = 9,
	SHT_DYNSYM = 11,
	SHT_INIT_ARRAY = 14,
	SHT_FINI_ARRAY = 15,
	SHT_PREINIT_ARRAY = 16,
	SHT_GROUP = 17,
	SHT_SYMTAB_SHNDX = 18,
	SHT_RELR = 19,
	SHT_CREL = 0x40000014,          /* LLVM's number; the gABI has none yet. */
	SHT_KERNEL_RELOCS = 0x5fffffff, /* heft's own number, in no file. See elf_kernel.c. */
	SHT_AUTH_RELR = 0x5ffffffe,     /* heft's own number for SHT_AARCH64_AUTH_RELR. */
	SHT_ANDROID_REL = 0x60000001,
	SHT_ANDROID_RELA = 0x60000002,
	SHT_LLVM_ADDRSIG = 0x6fff4c03,
	SHT_LLVM_BB_ADDR_MAP = 0x6fff4c0a,
	SHT_ANDROID_RELR = 0x6fffff00,
	SHT_GNU_HASH = 0x6ffffff6,
	SHT_GNU_VERDEF = 0x6ffffffd,
	SHT_GNU_VERNEED = 0x6ffffffe,
	SHT_GNU_VERSYM = 0x6fffffff,
	/* Section types of the processor supplements. */
	SHT_ARM_EXIDX = 0x70000001,
	SHT_ARM_ATTRIBUTES = 0x70000003,
	SHT_RISCV_ATTRIBUTES = 0x70000003,
	SHT_AARCH64_AUTH_RELR =
		0x70000004, /* PAuth ABI Extension to ELF; other meanings on other machines. */
};

enum { SHF_WRITE = 0x1, SHF_ALLOC = 0x2, SHF_EXECINSTR = 0x4, SHF_MERGE = 0x10 };
enum { SHF_STRINGS = 0x20, SHF_INFO_LINK = 0x40, SHF_LINK_ORDER = 0x80, SHF_TLS = 0x400 };
enum { SHF_COMPRESSED = 0x800 };

enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00, SHN_ABS = 0xfff1, SHN_COMMON = 0xfff2 };
enum { SHN_XINDEX = 0xffff, SHN_X86_64_LCOMMON = 0xff02, SHN_MIPS_SCOMMON = 0xff03 };

enum { ELFCOMPRESS_ZLIB = 1, ELFCOMPRESS_ZSTD = 2 };

enum { STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2, STB_GNU_UNIQUE = 10 };

enum {
	STT_NOTYPE = 0,
	STT_OBJECT = 1,
	STT_FUNC = 2,
	STT_SECTION = 3,
	STT_FILE = 4,
	STT_TLS = 6,
	STT_GNU_IFUNC = 10,
	STT_ARM_TFUNC = 13, /* Thumb function of objects older than the EABI. */
};

enum { STV_DEFAULT = 0, STV_INTERNAL = 1, STV_HIDDEN = 2, STV_PROTECTED = 3 };

enum { NT_GNU_BUILD_ID = 3, NT_GNU_PROPERTY_TYPE_0 = 5 };

/* Types of program properties (Linux Extensions to gABI, "Program Property"; AAELF64, "Program
 * Property"). */
enum { GNU_PROPERTY_AARCH64_FEATURE_1_AND = 0xc0000000 };
enum { GNU_PROPERTY_X86_FEATURE_1_AND = 0xc0000002 };

/* Types of notes in cores, for the owners "CORE" and "LINUX" (Linux, include/uapi/linux/elf.h). */
enum { NT_PRSTATUS = 1, NT_PRPSINFO = 3, NT_AUXV = 6, NT_ARM_TLS = 0x401, NT_FILE = 0x46494c45 };
enum { NT_SIGINFO = 0x53494749 };

/* Types of entries of NT_AUXV, the auxiliary vector (getauxval(3)). */
enum { AT_NULL = 0, AT_PHDR = 3, AT_PHENT = 4, AT_PHNUM = 5, AT_BASE = 7, AT_ENTRY = 9 };
enum { AT_EXECFN = 31, AT_SYSINFO_EHDR = 33 };

enum { DT_NULL = 0, DT_NEEDED = 1, DT_PLTRELSZ = 2, DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6 };
enum { DT_RELA = 7, DT_RELASZ = 8, DT_STRSZ = 10, DT_SONAME = 14, DT_RPATH = 15, DT_REL = 17 };
enum { DT_RELSZ = 18, DT_PLTREL = 20, DT_DEBUG = 21, DT_TEXTREL = 22, DT_JMPREL = 23 };
enum { DT_BIND_NOW = 24, DT_INIT_ARRAY = 25, DT_FINI_ARRAY = 26, DT_INIT_ARRAYSZ = 27 };
enum { DT_FINI_ARRAYSZ = 28, DT_RUNPATH = 29, DT_FLAGS = 30, DT_PREINIT_ARRAY = 32 };
enum { DT_PREINIT_ARRAYSZ = 33, DT_RELRSZ = 35, DT_RELR = 36, DT_GNU_HASH = 0x6ffffef5 };
enum { DT_VERSYM = 0x6ffffff0, DT_FLAGS_1 = 0x6ffffffb, DF_TEXTREL = 4, DF_BIND_NOW = 8 };
enum { DF_1_NOW = 1, DF_1_PIE = 0x08000000 };

/* Relocation types that more than one file names. elf_reloc_type.c has all types that heft knows,
 * with their sources. */
enum { R_X86_64_64 = 1, R_X86_64_PC32 = 2, R_X86_64_PLT32 = 4, R_X86_64_GLOB_DAT = 6 };
enum { R_X86_64_JUMP_SLOT = 7, R_X86_64_RELATIVE = 8, R_X86_64_GOTPCREL = 9, R_X86_64_32 = 10 };
enum { R_X86_64_32S = 11, R_X86_64_PC16 = 13, R_X86_64_PC8 = 15, R_X86_64_DTPMOD64 = 16 };
enum { R_X86_64_DTPOFF64 = 17, R_X86_64_DTPOFF32 = 21, R_X86_64_PC64 = 24, R_X86_64_TLSDESC = 36 };
enum { R_386_32 = 1, R_386_PC32 = 2, R_386_GLOB_DAT = 6, R_386_RELATIVE = 8, R_386_16 = 20 };
enum { R_386_PC16 = 21, R_386_8 = 22, R_386_PC8 = 23, R_AARCH64_ABS64 = 257 };
enum { R_AARCH64_ABS32 = 258, R_AARCH64_PREL64 = 260, R_AARCH64_PREL32 = 261 };
enum { R_AARCH64_ADR_PREL_PG_HI21 = 275, R_AARCH64_CALL26 = 283, R_AARCH64_RELATIVE = 1027 };
enum { R_AARCH64_TLS_DTPMOD = 1028, R_AARCH64_TLSDESC = 1031, R_ARM_ABS32 = 2, R_ARM_REL32 = 3 };
enum { R_ARM_RELATIVE = 23, R_ARM_TARGET1 = 38, R_ARM_PREL31 = 42, R_RISCV_32 = 1, R_RISCV_64 = 2 };
enum { R_PPC64_ADDR32 = 1, R_PPC64_ADDR64 = 38, R_390_16 = 3, R_390_64 = 22, R_MIPS_32 = 2 };
enum { R_MIPS_REL32 = 3, R_MIPS_64 = 18, R_MIPS_PC32 = 248, R_LARCH_64 = 2 };
enum { R_WASM_MEMORY_ADDR_LEB = 3, R_WASM_MEMORY_ADDR_SLEB = 4, R_WASM_MEMORY_ADDR_I32 = 5 };
enum { R_WASM_TYPE_INDEX_LEB = 6, R_WASM_FUNCTION_OFFSET_I32 = 8, R_WASM_SECTION_OFFSET_I32 = 9 };
enum { R_WASM_MEMORY_ADDR_REL_SLEB = 11, R_WASM_MEMORY_ADDR_LEB64 = 14 };
enum { R_WASM_MEMORY_ADDR_SLEB64 = 15, R_WASM_MEMORY_ADDR_I64 = 16 };
enum { R_WASM_MEMORY_ADDR_REL_SLEB64 = 17, R_WASM_MEMORY_ADDR_TLS_SLEB = 21 };
enum { R_WASM_FUNCTION_OFFSET_I64 = 22, R_WASM_MEMORY_ADDR_LOCREL_I32 = 23 };
enum { R_WASM_MEMORY_ADDR_TLS_SLEB64 = 25 };
