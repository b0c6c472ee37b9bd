/* disasm.h - prints instructions as text, with Capstone if heft was built with it.
 *
 * One thread per handle. */
#pragma once

#include "image/image.h"

struct disasm {
	uint64_t handle; /* The handle of the library Capstone (csh) */
	void *insn;      /* Buffer for one instruction */
	unsigned unit;   /* Bytes to skip where the bytes are no instruction */
	bool sized;      /* True if an instruction's first byte gives its size */
};

struct disasm_insn {
	uint64_t addr;
	struct bytes bytes; /* At least 1 byte */
	const char *name,
		*operands; /* "(bad)" and "" if the bytes are no instruction. Valid until the
			    * next call */
};

/* True if heft was built with a disassembler. */
bool disasm_present(void);
/* Opens a disassembler for the machine of an image: x86, ARM, MIPS, PowerPC, SPARC, z/Architecture,
 * M68K; RISC-V from Capstone 5 on. False for other machines, and without Capstone. `thumb`: the
 * Thumb set of ARM. */
bool disasm_open(struct disasm *d, const struct image *im, bool thumb);
void disasm_close(struct disasm *d);
/* Disassembles the first instruction of `code`, which lies at addr and must not be empty. */
void disasm_next(struct disasm *d, struct bytes code, uint64_t addr, struct disasm_insn *ret);
