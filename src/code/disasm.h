/* disasm.h - instructions as text, by Capstone where heft was built with it.
 *
 * One thread a handle. */
#ifndef HEFT_CODE_DISASM_H
#define HEFT_CODE_DISASM_H

#include "image/image.h"

struct disasm {
	uint64_t handle; /* Capstone's */
	void *insn;      /* room for one */
	unsigned unit;   /* bytes at least of an instruction */
	bool sized;      /* its first byte says how many */
};

struct disasm_insn {
	uint64_t addr;
	struct bytes bytes; /* 1 at least */
	const char *name,
		*operands; /* "(bad)" and "" where the bytes are none; hold until the next one */
};

/* Whether heft was built with a disassembler. */
bool disasm_present(void);
/* For the machine of an image that Capstone knows: x86, ARM, MIPS, PowerPC, SPARC, z/Architecture,
 * M68K; RISC-V from Capstone 5 on.  False for others, and without a disassembler.  `thumb`: of ARM,
 * which set of instructions. */
bool disasm_open(struct disasm *d, const struct image *im, bool thumb);
void disasm_close(struct disasm *d);
/* The first instruction of `code`, which lies at addr and is not empty. */
void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret);

#endif
