/* thumb.h - lengths and branches of Thumb and Thumb-2 instructions, little-endian.
 *
 * Source: Arm Architecture Reference Manual ARMv7-M (DDI 0403), A5 and A7; ARMv8-M (DDI 0553) for
 * what came later.  An instruction of an IT block is decoded as if it stood alone. */
#ifndef HEFT_CODE_THUMB_H
#define HEFT_CODE_THUMB_H

#include "code/flow.h"

/* As flow_decode. */
bool thumb_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* 2 or 4: bytes of the instruction whose first halfword this is. */
static inline unsigned thumb_size(uint32_t first)
{
	return first >= 0xe800 ? 4 : 2;
}

/* How many instructions behind an IT instruction it makes conditional; 0: it is none. */
unsigned thumb_it_count(uint32_t first);

/* TBB and TBH: *ret_width is that of an entry of the table, which stands behind the instruction. */
bool thumb_table_branch(uint32_t first, uint32_t second, unsigned *ret_width);

/* How many cases the jump at `off` of `code` has by the register: `cmp Rn, #imm` and `bhi` stand in
 * front of it.  UINT64_MAX: nobody says. */
uint64_t thumb_case_count(struct bytes code, uint64_t off, unsigned reg);

/* ldr Rt, [pc, #imm]: the address of the word. */
bool thumb_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		   uint64_t *ret_addr);

/* Any load relative to pc: what it reads.  Of words thumb_literal tells the register as well. */
bool thumb_pool(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		unsigned *ret_size);

/* adr Rd: the address that it makes. */
bool thumb_adr(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
	       uint64_t *ret_addr);

/* How many bytes the instruction loads from where the register points; 0: it does not. */
unsigned thumb_loads_at(const uint8_t *p, uint64_t left, unsigned reg);

/* i:imm3:imm8 of a modified immediate constant (A5.3.2). */
uint32_t thumb_constant(uint32_t first, uint32_t second);

#endif
