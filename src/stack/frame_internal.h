/* frame_internal.h - declares what the files frame*.c share: the walk through one function. */
#pragma once

#include "stack/frame.h"

/* What a register is known to have. */
enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,
	VALUE_PLACE /* The value of the stack pointer at depth `v` */
};

struct value {
	enum value_kind kind;
	int64_t v;
	uint32_t since; /* VALUE_NUMBER: offset of the first instruction that computed it */
};

#define FRAME_PLAIN UINT32_MAX /* The target was not computed from a number */

struct frame_place {
	uint32_t off;
	int64_t depth;
	bool sure; /* True if control certainly reaches the place; unsure after a call */
};

/* An indirect call whose target follows from a number that an earlier instruction loaded. The guess
 * is wrong if a jump leads to code between the two, because it may bring another number. */
struct frame_guess {
	uint32_t call, since; /* `call`: index in the frame's calls. `since`: offset of the first
			       * instruction that computes the call's target */
};

struct frame_walk {
	enum code_isa isa;
	struct bytes code;
	uint64_t addr;
	const struct frame_memory *memory;
	struct stack_frame *frame;
	int64_t depth; /* Depth at the current instruction. In correct code, at least 0 */
	int64_t deepest;
	int64_t align; /* Greatest number of bytes that alignment may use */
	/* A stack address is valid on all paths to the instruction. A number is valid on the
	 * current path. */
	struct value regs[32];
	uint32_t pointers;   /* One bit per register: set if it may be a frame pointer */
	uint64_t *seen;      /* One bit per byte: set if it was decoded, or is data */
	uint64_t *joins;     /* One bit per byte of code: set if a jump leads to it */
	uint32_t off;        /* Offset of the current instruction */
	bool sure;           /* True if the program certainly runs the current path */
	uint32_t since;      /* value.since of the address that is called, or FRAME_PLAIN */
	struct value stored; /* Thumb: a number that code stored on the stack */
	int64_t stored_at;   /* Depth of `stored` */
	struct flow_way way;
	int64_t low; /* AVR: low byte of what is subtracted from the frame pointer */
	VEC(struct frame_place) jumps, later;
	VEC(struct frame_guess) guesses;
};

struct frame_insn {
	struct flow flow;
	bool by_slot; /* True for a call or jump to the address stored at `slot` */
	uint64_t slot;
	/* Size in bytes of the branch table after the instruction. 0: none. */
	uint64_t table_size;
	/* True if the target may save registers and return to `back` (0: next instruction). */
	bool saves;
	uint64_t back;
};

/* Decode one instruction at p, and apply it to the stack pointer. False if it is none. */
bool frame_step_x86(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		    struct frame_insn *ret);
bool frame_step_thumb(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret);
bool frame_step_arm64(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret);
bool frame_step_avr(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		    struct frame_insn *ret);
bool frame_step_xtensa(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		       struct frame_insn *ret);
bool frame_step_riscv(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret);

static inline int64_t frame_extend(uint64_t v, unsigned bits)
{
	return (int64_t)code_extend(v, bits);
}

/* Grows the stack by n bytes, or shrinks it if n is negative. */
static inline void frame_grow(struct frame_walk *w, int64_t n)
{
	w->depth += n;
	if (w->depth > w->deepest)
		w->deepest = w->depth;
}

static inline void frame_set(struct frame_walk *w, int64_t depth)
{
	frame_grow(w, depth - w->depth);
}

/* True if a register has a number that is a size, and no address. */
static inline bool frame_is_size(const struct frame_walk *w, unsigned reg)
{
	const int64_t most = INT64_C(1) << 32;
	return w->regs[reg].kind == VALUE_NUMBER && w->regs[reg].v <= most &&
	       w->regs[reg].v >= -most;
}

/* Grows the stack by the value of a register (`up`: shrinks it). */
static inline void frame_grow_by(struct frame_walk *w, unsigned reg, bool up)
{
	ASSERT(reg < 32);
	const struct value *v = &w->regs[reg];
	if (frame_is_size(w, reg))
		frame_grow(w, up ? -v->v : v->v);
	else
		w->frame->flags |= FRAME_DYNAMIC;
}

/* Sets the stack pointer to the value of a register minus n. */
static inline void frame_from(struct frame_walk *w, unsigned reg, int64_t n)
{
	const struct value *v = &w->regs[reg];
	if (v->kind == VALUE_PLACE)
		frame_set(w, v->v + n);
	else
		w->frame->flags |= FRAME_DYNAMIC;
}

static inline void frame_keep(struct frame_walk *w, unsigned reg, int64_t n)
{
	w->regs[reg] = (struct value){ VALUE_PLACE, w->depth + n };
}

static inline void frame_align(struct frame_walk *w, int64_t to)
{
	const int64_t most = to - (int64_t)frame_word(w->isa);
	if (to > 16 && most > w->align)
		w->align = most;
	if (to > 16)
		w->frame->flags |= FRAME_ALIGNED;
}

static inline void frame_number(struct frame_walk *w, unsigned reg, int64_t v)
{
	w->regs[reg] = (struct value){ VALUE_NUMBER, v, w->off };
}

/* Sets a register to a number that is computed from another one. */
static inline void frame_derive(struct frame_walk *w, unsigned reg, const struct value *of,
				int64_t v)
{
	w->regs[reg] = (struct value){ VALUE_NUMBER, v, of->since };
}

/* Handles rd = rs + n. `sp` is the number of the stack pointer. */
void frame_add(struct frame_walk *w, unsigned sp, unsigned rd, unsigned rs, int64_t n);
/* Handles rd = a + b, or rd = a - b. */
void frame_add_registers(struct frame_walk *w, unsigned sp, unsigned rd, unsigned a, unsigned b,
			 bool sub);

/* Notes that a jump leads to `off`. */
static inline void frame_join(struct frame_walk *w, uint64_t off)
{
	w->joins[off / 64] |= UINT64_C(1) << off % 64;
}

/* Marks the bytes of a literal pool as seen, so that they are not read as code. */
static inline void frame_pool(struct frame_walk *w, uint64_t addr, uint64_t size)
{
	for (uint64_t i = addr - w->addr; i < w->code.size && i < addr - w->addr + size; i++)
		w->seen[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void frame_forget_number(struct frame_walk *w, unsigned reg)
{
	if (w->regs[reg].kind == VALUE_NUMBER)
		w->regs[reg].kind = VALUE_UNKNOWN;
}

/* Makes an indirect call or jump through a known number direct. */
static inline void frame_lead(struct frame_walk *w, struct flow *f, const struct value *to,
			      uint64_t target)
{
	w->since = to->since;
	f->target = target;
	f->direct = f->kind == FLOW_CALL;
	f->kind = f->direct ? FLOW_CALL : FLOW_JUMP;
}

/* Forgets a register, because an instruction that heft does not model wrote it. A frame pointer
 * stays known, because only modeled instructions write it. */
static inline void frame_forget(struct frame_walk *w, unsigned reg)
{
	if (w->regs[reg].kind == VALUE_NUMBER || !(w->pointers >> reg & 1))
		w->regs[reg].kind = VALUE_UNKNOWN;
}

/* Sets a register to the `width` bytes (4 or 8) at an address. Unknown if the image lacks them. */
static inline void frame_load(struct frame_walk *w, unsigned reg, uint64_t at, unsigned width)
{
	ASSERT(width == 4 || width == 8);
	struct reader r = reader_of(w->memory->load(w->memory->ctx, at, width), false);
	const int64_t v = width == 8 ? (int64_t)read_u64(&r) : (int32_t)read_u32(&r);
	if (reader_ok(&r))
		frame_number(w, reg, v);
	else
		frame_forget(w, reg);
}
