/* riscv.h - lengths and branches of RISC-V instructions, with the compressed ones (C).
 *
 * Source: The RISC-V Instruction Set Manual, Volume I, 1.5, 2 and 16.
 * What Zcmp and Zcmt have in place of compressed loads of doubles is read as the latter. */
#ifndef HEFT_CODE_RISCV_H
#define HEFT_CODE_RISCV_H

#include "code/flow.h"

/* As flow_decode.  A call that leaves its return address in t0 (millicode) is a call too. */
bool riscv_flow(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* auipc with the jalr behind it, which is at p + 4: a call or a jump that reaches far.  *ret is the
 * flow of the jalr. */
bool riscv_far(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Bytes of the instruction whose first halfword this is: 2, 4, 6 or 8; 0 for longer ones, which are
 * reserved. */
static inline unsigned riscv_size(uint32_t first)
{
	if ((first & 3) != 3)
		return 2;
	if ((first & 0x1c) != 0x1c)
		return 4;
	return !(first & 0x20) ? 6 : !(first & 0x40) ? 8 : 0;
}

#endif
