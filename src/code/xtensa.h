/* xtensa.h - lengths and branches of Xtensa instructions, little-endian, with the short ones
 * (density option) and those of register windows.
 *
 * Source: Xtensa Instruction Set Architecture (ISA) Reference Manual, 7.3.  Wide bundles, which
 * only some configurations have, are not known.  The end of a loop that the hardware runs is no
 * branch. */
#ifndef HEFT_CODE_XTENSA_H
#define HEFT_CODE_XTENSA_H

#include "code/flow.h"

/* As flow_decode. */
bool xtensa_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* 2 or 3: bytes of the instruction with this first byte; 0: a wide bundle. */
static inline unsigned xtensa_size(uint8_t first)
{
	return (first & 15) < 8 ? 3 : (first & 15) < 14 ? 2 : 0;
}

/* l32r: the address of the word that it loads, and the register. */
bool xtensa_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		    uint64_t *ret_addr);

#endif
