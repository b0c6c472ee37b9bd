/* frame.h - how much stack one function takes, and how much of it is in use where it calls others.
 *
 * The instructions are followed from the function's first one along its branches, with the distance
 * of the stack pointer from where it stood when the function was called.  On x86 and AVR the return
 * address counts to the function that is called.  What no branch leads to (cases of jump tables,
 * landing pads) has the depth of the indirect jump in front of it, else that of the deepest call;
 * where the first instruction leaves the function, as in tables of vectors, it is no part of it.
 *
 * x86-64, i386, AArch64, Thumb-2, RISC-V, AVR, Xtensa.  O(bytes of the function), and a bit a byte
 * of memory. */
#ifndef HEFT_STACK_FRAME_H
#define HEFT_STACK_FRAME_H

#include "base/vec.h"
#include "blocks/derive.h"
#include "code/flow.h"

enum frame_call_kind {
	FRAME_CALL,     /* `target` is where it leads */
	FRAME_TAIL,     /* the same by a jump: the caller's frame is gone, or handed on */
	FRAME_BY_SLOT,  /* `target` is the slot that it reads */
	FRAME_INDIRECT, /* unknown */
	FRAME_FALL,     /* a tail call of what stands behind, if that is a function */
};

struct frame_call {
	uint64_t from; /* address of the instruction */
	uint64_t target;
	uint64_t depth; /* bytes in use below the caller's caller; of FRAME_CALL without the return
			 * address */
	uint8_t kind;   /* enum frame_call_kind */
	bool tail;      /* FRAME_BY_SLOT, FRAME_INDIRECT: by a jump */
};

enum frame_flag {
	/* it grows by what a register says, or is set to that: alloca, another stack */
	FRAME_DYNAMIC = 1 << 0,
	FRAME_NO_CODE = 1 << 1, /* something of it is no instruction */
	FRAME_ALIGNED = 1 << 2, /* the stack pointer is aligned; what that may take is counted */
	FRAME_HANDLER = 1 << 3, /* it returns as handlers of interrupts do */
};

struct stack_frame {
	uint64_t size;  /* the most it uses itself, on x86 with its return address */
	unsigned flags; /* enum frame_flag */
	VEC(struct frame_call)
	calls; /* by address */
};

struct frame_memory {
	/* Reads bytes of the image at an address; fewer than `size` where there are no more. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
	const struct derive_data *data; /* among the code, by address */
	size_t data_count;
	bool zcmp; /* RISC-V: pushes and pops stand where others have c.fsdsp (Zcmp, Zcmt) */
};

/* Follows the function whose code stands at addr.  `ret` is zeroed, or was filled before: its calls
 * are replaced. */
void frame_read(struct stack_frame *ret, enum code_isa isa, struct bytes code, uint64_t addr,
		const struct frame_memory *memory);
void frame_release(struct stack_frame *f);

/* Bytes that a call leaves on the stack: the return address. */
static inline uint64_t frame_word(enum code_isa isa)
{
	return isa == CODE_X86_64 ? 8 : isa == CODE_I386 ? 4 : isa == CODE_AVR ? 2 : 0;
}

#endif
