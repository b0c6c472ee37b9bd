/* Prints instructions as text, with Capstone. */
#include "code/disasm.h"

#ifdef HEFT_HAVE_CAPSTONE

#include "base/library.h"
#include "image/arch.h"

#include <capstone.h>

#define FUNCTIONS(X)                                                                               \
	X(cs_open)                                                                                 \
	X(cs_close)                                                                                \
	X(cs_malloc)                                                                               \
	X(cs_free)                                                                                 \
	X(cs_disasm_iter)

#define TEXT(x)        #x
#define TEXT_OF(macro) TEXT(macro)

/* Capstone is loaded at its first use, because loading it takes long. The name has a version,
 * because structures differ between versions. */
LIBRARY(capstone, FUNCTIONS, "libcapstone.so." TEXT_OF(CS_API_MAJOR))

struct mode {
	cs_arch arch;
	cs_mode mode;
	unsigned unit;
};

static struct mode mode_of(cs_arch arch, unsigned mode, unsigned unit, bool big_endian)
{
	const unsigned order = big_endian ? (unsigned)CS_MODE_BIG_ENDIAN : 0;
	return (struct mode){ arch, (cs_mode)(mode | order), unit };
}

static bool choose_mode(const struct image *im, bool thumb, struct mode *ret)
{
	const bool big = im->big_endian;
	const unsigned width = im->bits == 64 ? CS_MODE_MIPS64 : CS_MODE_MIPS32;
	/* Release 6 of the instruction set: 9 or 10 in the highest bits of e_flags
	 * (EF_MIPS_ARCH). */
	const bool six = im->flags >> 28 == 9 || im->flags >> 28 == 10;
	switch (image_arch(im)->id) {
	case ARCH_X86_64: *ret = mode_of(CS_ARCH_X86, CS_MODE_64, 1, false); return true;
	case ARCH_386: *ret = mode_of(CS_ARCH_X86, CS_MODE_32, 1, false); return true;
	/* AArch64 code is little-endian, even if data is not. */
	case ARCH_ARM64: *ret = mode_of(CS_ARCH_ARM64, CS_MODE_ARM, 4, false); return true;
	case ARCH_ARM:
		*ret = thumb ? mode_of(CS_ARCH_ARM, CS_MODE_THUMB, 2, big)
			     : mode_of(CS_ARCH_ARM, CS_MODE_ARM, 4, big);
		return true;
	case ARCH_MIPS:
		*ret = mode_of(CS_ARCH_MIPS, six ? width | CS_MODE_MIPS32R6 : width, 4, big);
		return true;
	case ARCH_PPC: *ret = mode_of(CS_ARCH_PPC, CS_MODE_32, 4, big); return true;
	case ARCH_PPC64: *ret = mode_of(CS_ARCH_PPC, CS_MODE_64, 4, big); return true;
	case ARCH_SPARC: *ret = mode_of(CS_ARCH_SPARC, 0, 4, big); return true;
	case ARCH_SPARC_V9: *ret = mode_of(CS_ARCH_SPARC, CS_MODE_V9, 4, big); return true;
	case ARCH_S390: *ret = mode_of(CS_ARCH_SYSZ, 0, 2, big); return true;
	case ARCH_68K: *ret = mode_of(CS_ARCH_M68K, CS_MODE_M68K_040, 2, big); return true;
#if CS_API_MAJOR >= 5
	case ARCH_RISCV:
		*ret = mode_of(CS_ARCH_RISCV,
			       CS_MODE_RISCVC |
				       (im->bits == 64 ? CS_MODE_RISCV64 : CS_MODE_RISCV32),
			       2, false);
		return true;
#endif
	default: return false;
	}
}

bool disasm_present(void)
{
	return capstone_is_there();
}

bool disasm_open(struct disasm *d, const struct image *im, bool thumb)
{
	ASSERT(im->bits == 32 || im->bits == 64);
	struct mode m;
	csh handle;
	*d = (struct disasm){ 0 };
	if (!disasm_present() || !choose_mode(im, thumb, &m))
		return false;
	if (capstone.cs_open(m.arch, m.mode, &handle) != CS_ERR_OK)
		return false;
	*d = (struct disasm){ handle, capstone.cs_malloc(handle), m.unit,
			      image_arch(im)->id == ARCH_S390 };
	return true;
}

void disasm_close(struct disasm *d)
{
	csh handle = d->handle;
	if (!d->insn)
		return;
	capstone.cs_free(d->insn, 1);
	capstone.cs_close(&handle);
	*d = (struct disasm){ 0 };
}

void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret)
{
	const uint8_t *p = code.p;
	size_t left = code.size;
	uint64_t at = addr;
	cs_insn *insn = d->insn;
	/* Result if the bytes are no instruction: skips the size of the smallest instruction. On
	 * z/Architecture, two bits give an instruction's size. */
	static const uint8_t sizes[] = { 2, 4, 4, 6 };
	const uint64_t size = min_u64(code.size, d->sized ? sizes[code.p[0] >> 6] : d->unit);
	*ret = (struct disasm_insn){ addr, { code.p, size }, "(bad)", "" };
	if (!capstone.cs_disasm_iter(d->handle, &p, &left, &at, insn))
		return;
	ret->bytes.size = insn->size;
	ret->name = insn->mnemonic;
	ret->operands = insn->op_str;
}

#else

bool disasm_present(void)
{
	return false;
}

bool disasm_open(struct disasm *d, const struct image *im, bool thumb)
{
	(void)im;
	(void)thumb;
	*d = (struct disasm){ 0 };
	return false;
}

void disasm_close(struct disasm *d)
{
	(void)d;
}

void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret)
{
	(void)d;
	*ret = (struct disasm_insn){ addr, { code.p, 1 }, "(bad)", "" };
}

#endif
