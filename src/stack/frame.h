/* frame.h - finds how much stack one function needs, and how much of it is in use at its calls.
 *
 * Follows the branches from the function's first instruction, and computes the distance of the
 * stack pointer from its value at the call. On x86 and AVR the return address counts as part of the
 * called function. No direct branch leads to cases of jump tables, or to landing pads. Such code
 * has the depth of the indirect jump before it, otherwise that of the deepest call. If the first
 * instruction leaves the function, as in vector tables, such code is ignored.
 *
 * x86-64, i386, AArch64, Thumb-2, RISC-V, AVR, Xtensa. O(bytes of the function), and one bit of
 * memory per byte. */
#pragma once

#include "base/vec.h"
#include "derive/derive.h"
#include "code/flow.h"

enum frame_call_kind {
	FRAME_CALL,     /* `target` is the address */
	FRAME_TAIL,     /* A jump to `target`. The frame is released before, or the callee releases
			 * it */
	FRAME_BY_SLOT,  /* `target` is where the address is stored */
	FRAME_INDIRECT, /* The target is unknown */
	FRAME_FALL,     /* Control runs into the next function, if one follows directly */
};

struct frame_call {
	uint64_t from; /* Address of the instruction */
	uint64_t target;
	uint64_t depth; /* Bytes in use since the function's entry. FRAME_CALL: without the
			 * return address */
	uint8_t kind;   /* Value of enum frame_call_kind */
	bool tail;      /* FRAME_BY_SLOT, FRAME_INDIRECT: true for a jump */
};

enum frame_flag {
	/* The stack grows by a register's value, or is replaced: alloca, another stack. */
	FRAME_DYNAMIC = 1 << 0,
	FRAME_NO_CODE = 1 << 1, /* Some bytes are no instructions */
	FRAME_ALIGNED = 1 << 2, /* The stack pointer is aligned. `size` has the greatest gap */
	FRAME_HANDLER = 1 << 3, /* It returns as interrupt handlers do */
};

struct stack_frame {
	uint64_t size;  /* Greatest use of the function itself. On x86, with its return address */
	unsigned flags; /* Bits of enum frame_flag */
	VEC(struct frame_call)
	calls; /* Sorted by address */
};

struct frame_memory {
	/* Returns at most `size` bytes of the image at an address. */
	struct bytes (*load)(void *ctx, uint64_t addr, uint64_t size);
	void *ctx;
	const struct derive_data *data; /* Data in code, by address */
	size_t data_count;
};

/* Reads one function. `ret` is zeroed, or was filled before; then its calls are replaced. */
void frame_read(struct stack_frame *ret, enum code_isa isa, struct bytes code, uint64_t addr,
		const struct frame_memory *memory);
void frame_release(struct stack_frame *f);

/* Returns how many bytes a call pushes: the return address. */
static inline uint64_t frame_word(enum code_isa isa)
{
	return isa == CODE_X86_64 ? 8 : isa == CODE_I386 ? 4 : isa == CODE_AVR ? 2 : 0;
}
