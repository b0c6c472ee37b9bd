/* x86.h - finds lengths and references of x86-64 and i386 instructions.
 *
 * Source: Intel SDM volume 2, chapters 2 and appendix A; AMD64 APM volume 3 (3DNow!, XOP); Intel
 * APX architecture specification (REX2, EVEX map 4). Covers legacy, 0F, 0F38, 0F3A maps, VEX, EVEX
 * (maps 1-7), XOP, REX2.
 *
 * Undefined opcodes of the one-byte and 0F maps are rejected. In the other maps all opcodes have
 * one form, and all are accepted. So new instructions get the right length. Near branches with a 66
 * prefix are decoded as Intel's processors do. */
#pragma once

#include "code/code.h"

#define X86_MAX_LEN 15

enum x86_flow {
	X86_PLAIN,
	X86_JCC, /* Conditional jumps, loop, jrcxz, xbegin */
	X86_JMP, /* Direct jumps */
	X86_JMP_INDIRECT,
	X86_CALL, /* Direct calls */
	X86_CALL_INDIRECT,
	X86_RET,
	X86_TRAP, /* ud2, ud1, ud0, hlt, int3 */
	X86_NOP,  /* Nops of all lengths. endbr is X86_PLAIN */
};

struct x86_insn {
	uint8_t len;      /* 1 to 15 bytes */
	uint8_t flow;     /* Value of enum x86_flow. Far branches (i386) count as indirect */
	bool pc_relative; /* True if the memory operand is rip + disp32 (x86-64) */
	bool address;     /* True if only the address of the memory operand is used (lea) */
	bool absolute;    /* True if the operand is a disp32 alone, or the address in A0-A3 */
	bool indexed;     /* True if the operand is index * scale + disp32 without a base register:
			   * an element of a table */
	/* Bytes that a pc-relative, absolute or indexed operand accesses. 0 if unknown. */
	uint8_t mem_size;
	uint8_t modrm_off; /* Offset of ModRM. 0 if there is none */
	uint8_t disp_off;  /* Offset of the displacement (of memory or branch) in the instruction */
	uint8_t disp_size; /* 0 (none), 1, 2, 4 or 8 bytes */
	uint8_t imm_off, imm_size; /* Immediate. Size 0 if none. Branch distances are in `disp` */
	int64_t disp;              /* Displacement of the operand, or distance of the branch */
	int64_t imm;               /* Immediate, sign-extended */
};

/* True if the instruction is jmpabs of APX: a jump to the address `imm`. */
static inline bool x86_is_jmpabs(const struct x86_insn *in)
{
	return in->flow == X86_JMP_INDIRECT && in->imm_size == 8;
}

/* Decodes the instruction at p, of at most `left` bytes. False if it is not an instruction. */
bool x86_decode(const uint8_t *p, size_t left, bool mode64, struct x86_insn *ret);

/* Like code_refs() (code.h), for x86 code only. */
uint64_t x86_refs(struct bytes code, bool mode64, uint64_t addr, const struct ref_wish *wish,
		  code_ref_vec *ret);

/* Returns the offset of the x86-64 instruction that contains the byte at `place`, as decoding from
 * the start of the code finds it. `before`: 0, or to save time the result for an earlier place.
 * UINT64_MAX: looks only at the code just before `place`, and may return UINT64_MAX. */
uint64_t x86_insn_at(struct bytes code, uint64_t before, uint64_t place);
/* Finds the instructions that start before `stop`. Stores their offsets in `ret`, then the offset
 * after the last one: at most stop + 1 numbers. Returns the number of instructions. A byte that is
 * no instruction counts as one. */
size_t x86_starts(struct bytes code, bool mode64, uint32_t stop, uint32_t *ret);
/* Returns a number that is equal for instructions with the same opcode, size of operands, and use
 * of memory. `w`: the first bytes of the instruction, the first one lowest. 0 for a nop. */
uint64_t x86_kind(uint64_t w, bool mode64);
