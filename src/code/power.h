/* power.h - decodes lengths and branches of PowerPC instructions.
 *
 * Source: Power ISA 3.1, book I, 1.6.3 (prefixed instructions) and 2.4. */
#ifndef HEFT_CODE_POWER_H
#define HEFT_CODE_POWER_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool power_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

#endif
