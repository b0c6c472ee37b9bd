/* arm.h - decodes branches of the ARM instruction set (A32), little-endian.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R (DDI 0406), A5 and A8. */
#ifndef HEFT_CODE_ARM_H
#define HEFT_CODE_ARM_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool arm_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the number of words in a switch's table. At `off` is `ldr<c> pc, [pc, Rm, lsl #2]`, after
 * a comparison of Rm. A branch and the addresses of the cases follow. 0 without such a table. */
uint64_t arm_case_count(struct bytes code, uint64_t off);

/* True if code is probably of the ARM set: most instructions have no condition, so the upper four
 * bits are 14. Few words of Thumb code look so. `code` lies at `addr`. O(size). */
bool arm_set_likely(struct bytes code, uint64_t addr, bool big_endian);

/* Finds the address and size of the data that a pc-relative load reads. False for other
 * instructions. */
bool arm_literal(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		 unsigned *ret_size);

#endif
