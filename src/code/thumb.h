/* thumb.h - decodes lengths and branches of Thumb and Thumb-2 instructions, little-endian.
 *
 * Source: Arm Architecture Reference Manual ARMv7-M (DDI 0403), A5 and A7; ARMv8-M (DDI 0553) for
 * later instructions. An instruction of an IT block is decoded as if alone. */
#ifndef HEFT_CODE_THUMB_H
#define HEFT_CODE_THUMB_H

#include "code/flow.h"

/* Decodes an instruction like flow_decode(). */
bool thumb_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size (2 or 4) of the instruction with this first halfword. */
static inline unsigned thumb_size(uint32_t first)
{
	return first >= 0xe800 ? 4 : 2;
}

/* Returns how many instructions after an IT instruction become conditional. 0 if it is no IT. */
unsigned thumb_it_count(uint32_t first);

/* True if the instruction is TBB or TBH. The branch table follows the instruction. *ret_width is
 * the size of an entry of the table. */
bool thumb_table_branch(uint32_t first, uint32_t second, unsigned *ret_width);

/* Returns how many cases the jump at `off` has. `cmp Rn, #imm` and `bhi` before it limit register
 * `reg`. UINT64_MAX if unknown. */
uint64_t thumb_case_count(struct bytes code, uint64_t off, unsigned reg);

/* Finds the address of the word that ldr Rt, [pc, #imm] loads. False for other instructions. */
bool thumb_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		   uint64_t *ret_addr);

/* Finds the data that any pc-relative load reads. For words, thumb_literal() also gives the
 * register. */
bool thumb_pool(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		unsigned *ret_size);

/* Finds the address that adr Rd computes. False for other instructions. */
bool thumb_adr(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
	       uint64_t *ret_addr);

/* Returns how many bytes the instruction loads from the address in the register, or 0. */
unsigned thumb_loads_at(const uint8_t *p, uint64_t left, unsigned reg);

/* Expands i:imm3:imm8 of a modified immediate constant (A5.3.2). */
uint32_t thumb_constant(uint32_t first, uint32_t second);

#endif
