/* avr.h - lengths and branches of AVR instructions.
 *
 * Source: AVR Instruction Set Manual (Microchip, DS40002198).  Addresses are those of bytes, as ELF
 * has them.  An instruction that skips the next one is a conditional jump over it. */
#ifndef HEFT_CODE_AVR_H
#define HEFT_CODE_AVR_H

#include "code/flow.h"

/* As flow_decode. */
bool avr_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* 2 or 4: bytes of the instruction whose first word this is; jmp, call, lds and sts have 4. */
static inline unsigned avr_size(uint32_t first)
{
	return (first & 0xfe0c) == 0x940c || (first & 0xfc0f) == 0x9000 ? 4 : 2;
}

/* What linkers add to addresses in data memory. */
#define AVR_DATA UINT64_C(0x800000)

#endif
