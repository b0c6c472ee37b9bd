/* riscv.h - decodes lengths and branches of RISC-V instructions, including compressed ones (C).
 *
 * Sources: The RISC-V Instruction Set Manual, Volume I, 1.5, 2, 16 and 28.14 (Zcmp, Zcmt);
 * Qualcomm uC Extension (Xqci, Xqccmp); CORE-V Instruction Set Extensions (Xcvbi); AndeStar V5
 * Performance Extension (XAndesPerf). */
#ifndef HEFT_CODE_RISCV_H
#define HEFT_CODE_RISCV_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). A call with its return address in t0 (millicode) is a
 * call too. */
bool riscv_flow(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		struct flow *ret);

/* Decodes auipc and the jalr after it, at p + 4: a far call or jump. *ret is the jalr's flow. */
bool riscv_far(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* True if the instruction set has pushes and pops instead of compressed stores and loads of
 * doubles. */
static inline bool riscv_has_pushes(enum code_isa isa)
{
	return isa >= CODE_RISCV32_ZCMP && isa <= CODE_RISCV64_XQCI;
}

/* Returns the size of the instruction with this first halfword: 2, 4, 6 or 8. 0 for longer
 * instructions, whose encodings are reserved. */
static inline unsigned riscv_size(uint32_t first)
{
	if ((first & 3) != 3)
		return 2;
	if ((first & 0x1c) != 0x1c)
		return 4;
	return !(first & 0x20) ? 6 : !(first & 0x40) ? 8 : 0;
}

#endif
