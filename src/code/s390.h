/* s390.h - decodes lengths and branches of z/Architecture instructions.
 *
 * Source: z/Architecture Principles of Operation (SA22-7832), 5 and B. */
#ifndef HEFT_CODE_S390_H
#define HEFT_CODE_S390_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool s390_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

#endif
