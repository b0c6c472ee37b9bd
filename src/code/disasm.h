/* disasm.h - instructions as text, by Capstone where heft was built with it.
 *
 * One thread a handle. */
#ifndef HEFT_CODE_DISASM_H
#define HEFT_CODE_DISASM_H

#include "base/reader.h"

struct disasm {
	uint64_t handle; /* Capstone's */
	void *insn;      /* room for one */
	unsigned unit;   /* bytes at least of an instruction */
};

struct disasm_insn {
	uint64_t addr;
	struct bytes bytes; /* 1 at least */
	const char *name,
		*operands; /* "(bad)" and "" where the bytes are none; hold until the next one */
};

/* Whether heft was built with a disassembler. */
bool disasm_present(void);
/* For x86-64, i386, AArch64 and ARM (EM_*); false for others, and without a disassembler. */
bool disasm_open(struct disasm *d, uint32_t machine, bool big_endian, bool thumb);
void disasm_close(struct disasm *d);
/* The first instruction of `code`, which lies at addr and is not empty. */
void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret);

#endif
