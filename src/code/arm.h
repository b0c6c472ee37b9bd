/* arm.h - decodes branches of the ARM instruction set (A32), little-endian.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R (DDI 0406), A5 and A8. */
#ifndef HEFT_CODE_ARM_H
#define HEFT_CODE_ARM_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool arm_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns how many words the table of a switch has. At `off` is `ldr<c> pc, [pc, Rm, lsl #2]`,
 * after a comparison of Rm. A branch and the addresses of the cases follow. 0: no such table. */
uint64_t arm_case_count(struct bytes code, uint64_t off);

/* Tells whether code is of the ARM set. Most of its instructions have no condition: the upper four
 * bits are 14. Few words of Thumb code look so. `code` lies at `addr`. O(size). */
bool arm_set_likely(struct bytes code, uint64_t addr, bool big_endian);

/* Finds what a load relative to the instruction reads, and its size. False for other
 * instructions. */
bool arm_literal(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		 unsigned *ret_size);

#endif
