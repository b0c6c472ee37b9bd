/* riscv.h - decodes lengths and branches of RISC-V instructions, including compressed ones (C).
 *
 * Source: The RISC-V Instruction Set Manual, Volume I, 1.5, 2 and 16. Instructions of Zcmp and Zcmt
 * are decoded as the compressed loads of doubles whose encoding they replace. */
#ifndef HEFT_CODE_RISCV_H
#define HEFT_CODE_RISCV_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). A call with its return address in t0 (millicode) is a
 * call too. */
bool riscv_flow(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Decodes auipc and the jalr after it, at p + 4: a far call or jump. *ret is the jalr's flow. */
bool riscv_far(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size of the instruction with this first halfword: 2, 4, 6 or 8. 0 for longer
 * instructions. Their encodings are reserved. */
static inline unsigned riscv_size(uint32_t first)
{
	if ((first & 3) != 3)
		return 2;
	if ((first & 0x1c) != 0x1c)
		return 4;
	return !(first & 0x20) ? 6 : !(first & 0x40) ? 8 : 0;
}

#endif
