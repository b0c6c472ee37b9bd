/* flow.h - where control goes behind one instruction: x86-64, i386, AArch64.
 *
 * Sources: those of x86.h and arm64.h. */
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
	uint8_t size;    /* bytes */
	uint8_t kind;    /* enum flow_kind */
	uint64_t target; /* FLOW_CONDITIONAL, FLOW_JUMP: address, by the bytes as they stand */
};

/* The instruction at p, which has `left` bytes and stands at addr.  False: there is none. */
bool flow_decode(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		 struct flow *ret);

#endif
