/* xtensa.h - decodes lengths and branches of Xtensa instructions, little-endian, including short
 * ones (density option) and those of register windows.
 *
 * Source: Xtensa Instruction Set Architecture (ISA) Reference Manual, 7.3. Wide bundles are not
 * decoded; only some configurations have them. The end of a hardware loop is not a branch. */
#ifndef HEFT_CODE_XTENSA_H
#define HEFT_CODE_XTENSA_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool xtensa_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size (2 or 3) of the instruction with this first byte. 0 for a wide bundle. */
static inline unsigned xtensa_size(uint8_t first)
{
	return (first & 15) < 8 ? 3 : (first & 15) < 14 ? 2 : 0;
}

/* Finds the address of the word that l32r loads, and its register. False for other instructions. */
bool xtensa_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		    uint64_t *ret_addr);

#endif
