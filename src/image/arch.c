/* Defines the table of instruction set architectures, and what depends on it in images. */
#include "image/arch.h"

#include <stdio.h>

#include "image/elf/elf_const.h"

/* Position of each DWARF register in NT_PRSTATUS. */
static const uint8_t x86_64_indexes[] = {
	10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16
};

static const struct arch_registers x86_64_registers = { x86_64_indexes, COUNT_OF(x86_64_indexes), 7,
							6, 0 };
static const struct arch_registers arm64_registers = { NULL, 32, 31, 29, 30 };

#define X86_FEATURES                                                                               \
	.feature_property = GNU_PROPERTY_X86_FEATURE_1_AND,                                        \
	.features = { "", "ibt", "shstk", "ibt shstk" }
#define STUBS .stubs = { .size = 16, .header = 32 }

/* Frequent architectures come first. */
static const struct arch archs[] = {
	{ EM_X86_64, ARCH_X86_64, "x86-64", "x64", .tail_counts = true,
	  .stubs = { .size = 16, .header = 16, .got_size = 8 }, .registers = &x86_64_registers,
	  X86_FEATURES },
	{ EM_AARCH64, ARCH_ARM64, "ARM aarch64", "arm64", STUBS, .registers = &arm64_registers,
	  .feature_property = GNU_PROPERTY_AARCH64_FEATURE_1_AND,
	  .features = { "", "bti", "pac", "bti pac" } },
	{ EM_386, ARCH_386, "Intel i386", "x86", .absolute = true,
	  .stubs = { .size = 16, .header = 16 }, X86_FEATURES },
	{ EM_ARM, ARCH_ARM, "ARM", "arm", .two_sets = true, .pools = true, .is_firmware = true,
	  .stubs = { .size = 16, .header = 32, .short_size = 12, .short_header = 20 } },
	{ EM_RISCV, ARCH_RISCV, "RISC-V", .is_firmware = true, STUBS },
	{ EM_MIPS, ARCH_MIPS, "MIPS", .zeros_are_code = true, .got_splits = true,
	  .got_bias = 0x7ff0, STUBS },
	{ EM_PPC, ARCH_PPC, "PowerPC", STUBS },
	{ EM_PPC64, ARCH_PPC64, "64-bit PowerPC", .got_bias = 0x8000, STUBS },
	{ EM_S390, ARCH_S390, "IBM S/390", .stubs = { .size = 32, .header = 32 } },
	{ EM_SPARC, ARCH_SPARC, "SPARC", STUBS },
	{ EM_SPARC32PLUS, ARCH_SPARC_V9, "SPARC32PLUS", STUBS },
	{ EM_SPARCV9, ARCH_SPARC_V9, "SPARC V9", STUBS },
	{ EM_68K, ARCH_68K, "m68k", STUBS },
	{ EM_AVR, ARCH_AVR, "AVR", STUBS },
	{ EM_XTENSA, ARCH_XTENSA, "Xtensa", STUBS },
	{ EM_WEBASSEMBLY, ARCH_OTHER, "WebAssembly", .sizes_in_code = true, STUBS },
	{ EM_NONE, ARCH_OTHER, "no machine", STUBS },
	{ EM_PARISC, ARCH_OTHER, "PA-RISC", STUBS },
	{ EM_SH, ARCH_OTHER, "SuperH", STUBS },
	{ EM_IA_64, ARCH_OTHER, "IA-64", STUBS },
	{ EM_ARC, ARCH_OTHER, "ARC", STUBS },
	{ EM_H8_300, ARCH_OTHER, "H8/300", STUBS },
	{ EM_68HC11, ARCH_OTHER, "68HC11", STUBS },
	{ EM_68HC12, ARCH_OTHER, "68HC12", STUBS },
	{ EM_V850, ARCH_OTHER, "V850", STUBS },
	{ EM_OPENRISC, ARCH_OTHER, "OpenRISC", STUBS },
	{ EM_ARC_COMPACT, ARCH_OTHER, "ARC", STUBS },
	{ EM_MSP430, ARCH_OTHER, "MSP430", STUBS },
	{ EM_BLACKFIN, ARCH_OTHER, "Blackfin", STUBS },
	{ EM_NIOS2, ARCH_OTHER, "Nios II", STUBS },
	{ EM_HEXAGON, ARCH_OTHER, "Hexagon", STUBS },
	{ EM_RX, ARCH_OTHER, "RX", STUBS },
	{ EM_MICROBLAZE, ARCH_OTHER, "MicroBlaze", STUBS },
	{ EM_CUDA, ARCH_OTHER, "NVIDIA CUDA", STUBS },
	{ EM_ARC_COMPACT2, ARCH_OTHER, "ARC", STUBS },
	{ EM_RL78, ARCH_OTHER, "RL78", STUBS },
	{ EM_Z80, ARCH_OTHER, "Z80", STUBS },
	{ EM_AMDGPU, ARCH_OTHER, "AMD GPU", STUBS },
	{ EM_LANAI, ARCH_OTHER, "Lanai", STUBS },
	{ EM_BPF, ARCH_OTHER, "eBPF", STUBS },
	{ EM_VE, ARCH_OTHER, "VE", STUBS },
	{ EM_CSKY, ARCH_OTHER, "C-SKY", STUBS },
	{ EM_LOONGARCH, ARCH_OTHER, "LoongArch", STUBS },
	{ EM_ALPHA, ARCH_OTHER, "Alpha", STUBS },
};

const struct arch *image_arch(const struct image *im)
{
	static const struct arch other = { 0, ARCH_OTHER, NULL, STUBS };
	for (size_t i = 0; i < COUNT_OF(archs); i++)
		if (archs[i].machine == im->machine)
			return &archs[i];
	return &other;
}

bool image_code_has_addresses(const struct image *im)
{
	/* In other i386 images (PIE, libraries), a number in code may be a distance to the GOT. */
	return im->type == ET_EXEC ||
	       (image_arch(im)->absolute && (im->type == ET_REL || im->by_build));
}

bool section_is_unwind_index(const struct image *im, const struct section *s)
{
	return s->type == SHT_ARM_EXIDX && im->machine == EM_ARM;
}

bool section_is_procedures(const struct image *im, const struct section *s)
{
	return im->machine == EM_MIPS && im->kind == IMAGE_EXEC && !s->nobits &&
	       str_eq(s->name, STR(".pdr"));
}

uint64_t image_code_base(const struct image *im)
{
	uint64_t ret = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && (ret == 0 || im->sections[i].addr < ret))
			ret = im->sections[i].addr;
	return ret;
}

bool image_is_made_for(const struct image *im, const char extension[4])
{
	const struct section *s = im->machine == EM_RISCV
					  ? image_section_type(im, SHT_RISCV_ATTRIBUTES, 1)
					  : NULL;
	const struct bytes b = s ? section_bytes(im, s) : (struct bytes){ NULL, 0 };
	for (uint64_t i = 0; i + 4 <= b.size; i++)
		if (memcmp(b.p + i, extension, 4) == 0)
			return true;
	return false;
}

struct str image_gpu_target(const struct image *im, char text[IMAGE_TARGET_SIZE])
{
	enum { OSABI = 7, OSABI_CUDA_13 = 0x41 };
	static const char isa[] = "amdgcn-amd-amdhsa--";
	const uint64_t front = sizeof isa - 1;
	if (im->machine == EM_CUDA) { /* CUDA 13 moved the number in the flags. */
		const bool later = im->bytes.size > OSABI && im->bytes.p[OSABI] == OSABI_CUDA_13;
		snprintf(text, IMAGE_TARGET_SIZE, "sm_%" PRIu32,
			 (later ? im->flags >> 8 : im->flags) & 0xff);
		return str_of(text);
	}
	if (im->machine != EM_AMDGPU)
		return STR("host");
	const struct section *s = image_section_type(im, SHT_NOTE, 1);
	const struct bytes b = s ? section_bytes(im, s) : (struct bytes){ NULL, 0 };
	for (uint64_t i = 0; i + front < b.size; i++) {
		uint64_t end = i + front;
		if (memcmp(b.p + i, isa, front) != 0)
			continue;
		while (end < b.size && b.p[end] > ' ' && b.p[end] < 0x7f)
			end++;
		return (struct str){ (const char *)b.p + i + front, (size_t)(end - i - front) };
	}
	return STR("AMD GPU");
}

struct image_got image_got(const struct image *im)
{
	enum { REACH = 1 << 16 }; /* Distance that the displacements of instructions can cover */
	const struct arch *arch = image_arch(im);
	struct image_got ret = { 0 };
	uint64_t end = 0;
	for (size_t i = 1; im->kind == IMAGE_EXEC && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (!s->alloc || s->exec || !str_starts(s->name, STR(".got")))
			continue;
		ret.addr = end > 0 ? min_u64(ret.addr, s->addr) : s->addr;
		end = max_u64(end, add_sat(s->addr, s->size));
	}
	/* A .got section of size 0 sets ret.pointer too. */
	ret.size = end - ret.addr;
	if (arch->got_bias > 0 && end > 0 && (ret.size <= REACH || !arch->got_splits))
		ret.pointer = ret.addr + arch->got_bias;
	return ret;
}

enum tls_form image_tls_form(const struct image *im, const struct reloc *r)
{
	const bool x86 = im->machine == EM_X86_64, arm = im->machine == EM_AARCH64;
	if (!x86 && !arm)
		return TLS_UNKNOWN;
	if (r->type == (x86 ? (uint32_t)R_X86_64_DTPMOD64 : (uint32_t)R_AARCH64_TLS_DTPMOD))
		return TLS_MODULE;
	return r->type == (x86 ? (uint32_t)R_X86_64_TLSDESC : (uint32_t)R_AARCH64_TLSDESC)
		       ? TLS_DESCRIPTOR
		       : TLS_OFFSET;
}
