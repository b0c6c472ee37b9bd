/* avr.h - decodes lengths and branches of AVR instructions.
 *
 * Source: AVR Instruction Set Manual (Microchip, DS40002198). Addresses count bytes, as in ELF. An
 * instruction that skips the next one is a conditional jump over it. */
#ifndef HEFT_CODE_AVR_H
#define HEFT_CODE_AVR_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool avr_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size of the instruction with this first word: 4 for jmp, call, lds and sts, else
 * 2. */
static inline unsigned avr_size(uint32_t first)
{
	return (first & 0xfe0c) == 0x940c || (first & 0xfc0f) == 0x9000 ? 4 : 2;
}

/* Offset that linkers add to addresses in data memory. */
#define AVR_DATA UINT64_C(0x800000)

#endif
