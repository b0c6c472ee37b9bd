#include "code/disasm.h"

#ifdef HEFT_HAVE_CAPSTONE

#include "image/elf_const.h"

#include <capstone.h>

struct mode {
	cs_arch arch;
	cs_mode mode;
	unsigned unit;
};

static bool mode_of(uint32_t machine, bool thumb, struct mode *ret)
{
	switch (machine) {
	case EM_X86_64: *ret = (struct mode){ CS_ARCH_X86, CS_MODE_64, 1 }; return true;
	case EM_386: *ret = (struct mode){ CS_ARCH_X86, CS_MODE_32, 1 }; return true;
	case EM_AARCH64: *ret = (struct mode){ CS_ARCH_ARM64, CS_MODE_ARM, 4 }; return true;
	case EM_ARM:
		*ret = (struct mode){ CS_ARCH_ARM, thumb ? CS_MODE_THUMB : CS_MODE_ARM,
				      thumb ? 2 : 4 };
		return true;
	default: return false;
	}
}

bool disasm_present(void)
{
	return true;
}

bool disasm_open(struct disasm *d, uint32_t machine, bool big_endian, bool thumb)
{
	struct mode m;
	csh handle;
	*d = (struct disasm){ 0 };
	if (!mode_of(machine, thumb, &m))
		return false;
	/* Code of AArch64 is little-endian whatever the data are. */
	if (big_endian && machine == EM_ARM)
		m.mode = (cs_mode)((unsigned)m.mode | (unsigned)CS_MODE_BIG_ENDIAN);
	if (cs_open(m.arch, m.mode, &handle) != CS_ERR_OK)
		return false;
	*d = (struct disasm){ handle, cs_malloc(handle), m.unit };
	return true;
}

void disasm_close(struct disasm *d)
{
	csh handle = d->handle;
	if (!d->insn)
		return;
	cs_free(d->insn, 1);
	cs_close(&handle);
	*d = (struct disasm){ 0 };
}

void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret)
{
	const uint8_t *p = code.p;
	size_t left = code.size;
	uint64_t at = addr;
	cs_insn *insn = d->insn;
	*ret = (struct disasm_insn){ addr, { code.p, min_u64(code.size, d->unit) }, "(bad)", "" };
	if (!cs_disasm_iter(d->handle, &p, &left, &at, insn))
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

bool disasm_open(struct disasm *d, uint32_t machine, bool big_endian, bool thumb)
{
	(void)machine;
	(void)big_endian;
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
