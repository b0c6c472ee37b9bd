/* flow.h - where control goes behind one instruction: x86-64, i386, AArch64, Thumb-2, RISC-V, AVR,
 * Xtensa.
 *
 * Sources: those of x86.h, arm64.h, thumb.h, riscv.h, avr.h and xtensa.h. */
#ifndef HEFT_CODE_FLOW_H
#define HEFT_CODE_FLOW_H

#include "code/code.h"

enum flow_kind {
	FLOW_PLAIN,
	FLOW_CONDITIONAL, /* a jump or the instruction behind */
	FLOW_JUMP,
	FLOW_JUMP_INDIRECT,
	FLOW_CALL, /* direct or not */
	FLOW_RETURN,
	FLOW_TRAP,
	FLOW_NOP,
};

struct flow {
	uint8_t size; /* bytes */
	uint8_t kind; /* enum flow_kind */
	/* FLOW_CONDITIONAL, FLOW_JUMP, direct FLOW_CALL: address, by the bytes as they stand */
	uint64_t target;
	bool direct;  /* FLOW_CALL: the target is known */
	bool handler; /* FLOW_RETURN: as handlers of interrupts return alone */
	bool maybe;   /* flow_next: it is done on a condition */
};

struct image;

/* By which its code is followed; CODE_NONE where there is no decoder.  Code of ARM is taken for
 * Thumb where its attributes or mapping symbols say so, else unless the program begins with code of
 * the other set.  Linear in the symbols of a program for ARM with an even entry. */
enum code_isa flow_isa_of(const struct image *im);

/* The instruction at p, which has `left` bytes and stands at addr.  False: there is none. */
bool flow_decode(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		 struct flow *ret);

/* Instructions one behind the other: those of an IT block of Thumb are done on a condition, which a
 * jump that does not have one itself becomes FLOW_CONDITIONAL by.  Zeroed but for `isa`: at a
 * start. */
struct flow_way {
	enum code_isa isa;
	unsigned it; /* instructions left of the block */
};
bool flow_next(struct flow_way *w, const uint8_t *p, uint64_t left, uint64_t addr,
	       struct flow *ret);

/* The bytes that pad code at p, which has `left` > 0: a nop, a trap between functions, a zero; 0
 * none. */
uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left);

/* Where the instruction stands that a pointer to code leads to: those to Thumb code are odd. */
static inline uint64_t flow_entry(enum code_isa isa, uint64_t pointer)
{
	return isa == CODE_THUMB ? pointer & ~UINT64_C(1) : pointer;
}

/* As code_refs, direct calls and jumps alone; for any machine that has a decoder. */
uint64_t flow_refs(enum code_isa isa, struct bytes code, uint64_t addr, unsigned kinds,
		   code_ref_vec *ret);

#endif
