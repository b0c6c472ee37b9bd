/* frame.h - finds how much stack one function needs, and how much of it is in use at its calls.
 *
 * Follows the branches from the function's first instruction, and computes the distance of the
 * stack pointer from its value at the call. On x86 and AVR the return address counts as part of the
 * called function. No direct branch leads to cases of jump tables or to landing pads. Such code
 * gets the depth of the indirect jump before it, else of the deepest call. If the first instruction
 * leaves the function, as in vector tables, such code does not count.
 *
 * x86-64, i386, AArch64, Thumb-2, RISC-V, AVR, Xtensa. O(bytes of the function), and one bit of
 * memory per byte. */
#ifndef HEFT_STACK_FRAME_H
#define HEFT_STACK_FRAME_H

#include "base/vec.h"
#include "derive/derive.h"
#include "code/flow.h"

enum frame_call_kind {
	FRAME_CALL,     /* `target` is the called address */
	FRAME_TAIL,     /* `target` is jumped to: the caller's frame was released, or belongs to
			 * the callee now */
	FRAME_BY_SLOT,  /* `target` is the slot with the address */
	FRAME_INDIRECT, /* The target is unknown */
	FRAME_FALL,     /* A fall into the next function, if one follows directly */
};

struct frame_call {
	uint64_t from; /* Address of the instruction */
	uint64_t target;
	uint64_t depth; /* Bytes in use, relative to the function's entry. For FRAME_CALL without
			 * the return address */
	uint8_t kind;   /* An enum frame_call_kind */
	bool tail;      /* FRAME_BY_SLOT, FRAME_INDIRECT: true for a jump, false for a call */
};

enum frame_flag {
	/* The stack grows by a register's value, or changes: alloca, another stack. */
	FRAME_DYNAMIC = 1 << 0,
	FRAME_NO_CODE = 1 << 1, /* Some bytes are not instructions */
	FRAME_ALIGNED = 1 << 2, /* The stack pointer is aligned. The size includes the maximal
				 * loss */
	FRAME_HANDLER = 1 << 3, /* The function returns like an interrupt handler */
};

struct stack_frame {
	uint64_t size;  /* Maximal stack of the function itself. On x86, includes its return
			 * address */
	unsigned flags; /* Bits of enum frame_flag */
	VEC(struct frame_call)
	calls; /* Sorted by address */
};

struct frame_memory {
	/* Reads at most `size` bytes of the image at an address. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
	const struct derive_data *data; /* Data inside code, by address */
	size_t data_count;
};

/* Follows the function whose code lies at addr. `ret` must be zeroed or filled before. Replaces its
 * calls. */
void frame_read(struct stack_frame *ret, enum code_isa isa, struct bytes code, uint64_t addr,
		const struct frame_memory *memory);
void frame_release(struct stack_frame *f);

/* Returns the number of bytes that a call pushes: the return address. */
static inline uint64_t frame_word(enum code_isa isa)
{
	return isa == CODE_X86_64 ? 8 : isa == CODE_I386 ? 4 : isa == CODE_AVR ? 2 : 0;
}

#endif
