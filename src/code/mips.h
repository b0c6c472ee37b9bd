/* mips.h - decodes branches of MIPS instructions, up to release 5.
 *
 * Source: MIPS Architecture for Programmers, volume II-A, 3 and A. The instruction after a branch
 * is executed before the jump (delay slot), and counts as part of the branch. */
#ifndef HEFT_CODE_MIPS_H
#define HEFT_CODE_MIPS_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool mips_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

#endif
