/* Follows the stack pointer in AVR code: two I/O registers, read and written one by one. */
#include "code/flow.h"
#include "stack/frame_internal.h"

#include "base/reader.h"

/* A stack address in a pair of registers is stored whole in w->regs[] of the lower register. */
enum { Y = 28, Z = 30, SPL = 0x3d };

/* Subtracts one byte of a constant from the stack address in a pair of registers. Code subtracts
 * the low byte from the even register first, and then the high byte, with the carry, from the odd
 * one. Returns false if the pair has no stack address. */
static bool take_byte(struct frame_walk *w, unsigned reg, int64_t k)
{
	struct value *v = &w->regs[reg & ~1u];
	if (v->kind != VALUE_PLACE)
		return false;
	if (reg % 2 == 0)
		w->low = k;
	else
		v->v += (int16_t)(uint16_t)(k << 8 | w->low);
	return true;
}

static void frame_avr_forget(struct frame_walk *w, unsigned reg)
{
	frame_forget(w, reg & ~1u);
	frame_forget_number(w, reg | 1u);
}

/* Handles instructions on one register (a byte), or with an immediate for r16 to r31. */
static void do_other(struct frame_walk *w, uint32_t a)
{
	const unsigned d = a >> 4 & 31, high = 16 + (a >> 4 & 15);
	const int64_t k = (a >> 4 & 0xf0) | (a & 15);
	if (((a & 0xf000) == 0x5000 && high % 2 == 0) ||
	    ((a & 0xf000) == 0x4000 && high % 2 == 1)) {
		if (!take_byte(w, high, k)) /* subi, sbci */
			frame_avr_forget(w, high);
	} else if (((a & 0xfc00) == 0x0800 && d % 2 == 1) ||
		   ((a & 0xfc00) == 0x1800 && d % 2 == 0)) {
		/* sub of an even register, sbc of an odd one: of known numbers, or of r1 (zero). */
		const unsigned r = (a >> 5 & 16) | (a & 15);
		const struct value by = w->regs[r];
		if ((r != 1 && by.kind != VALUE_NUMBER) || !take_byte(w, d, r == 1 ? 0 : by.v))
			frame_avr_forget(w, d);
	} else if (a >> 8 == 1) { /* movw */
		w->regs[2 * (a >> 4 & 15)] = w->regs[2 * (a & 15)];
		w->regs[2 * (a >> 4 & 15) + 1] = w->regs[2 * (a & 15) + 1];
	} else if (a >> 12 == 0xe) {
		/* ldi: the bytes of a number are stored one by one. */
		if (w->regs[high & ~1u].kind == VALUE_PLACE)
			frame_avr_forget(w, high);
		else
			frame_number(w, high, k);
	} else if (a >= 0x4000 && a < 0x8000) {
		frame_avr_forget(w, high);
	} else if ((a >= 0x0400 && a < 0x3000 && (a & 0xec00) != 0x0400) ||
		   (a >= 0x8000 && a < 0xb000 && !(a & 0x200))) {
		frame_avr_forget(w, d); /* arithmetic except cp, cpc; loads */
	}
}

static void frame_avr_do_one(struct frame_walk *w, uint32_t a)
{
	const int64_t word = (a >> 2 & 0x30) | (a & 15); /* adiw, sbiw */
	const unsigned port = (a >> 5 & 0x30) | (a & 15), d = a >> 4 & 31;
	struct value *v = &w->regs[24 + 2 * (a >> 4 & 3)];
	if ((a & 0xfe0f) == 0x920f)
		frame_grow(w, 1); /* push */
	else if ((a & 0xfe0f) == 0x900f) {
		frame_grow(w, -1);
		frame_forget_number(w, d);
	} else if ((a & 0xf800) == 0xb000 && port == SPL)
		frame_keep(w, d, 0); /* in */
	else if ((a & 0xf800) == 0xb800 && port == SPL)
		frame_from(w, d, 0); /* out */
	else if ((a & 0xf800) == 0xb000)
		frame_forget_number(w, d);
	else if ((a & 0xfe00) == 0x9600 && v->kind == VALUE_PLACE)
		v->v += a & 0x100 ? word : -word;
	else
		do_other(w, a);
}

/* Handles -mcall-prologues: a jump to pushes, or to code after them that reads the stack pointer. Z
 * has the return address. */
static void find_saving(struct frame_walk *w, struct frame_insn *ret)
{
	const struct value *low = &w->regs[Z], *high = &w->regs[Z + 1];
	struct reader r = reader_of(w->memory->load(w->memory->ctx, ret->flow.target, 2), false);
	const uint32_t first = read_u16(&r);
	if (low->kind != VALUE_NUMBER || high->kind != VALUE_NUMBER || !reader_ok(&r) ||
	    ((first & 0xfe0f) != 0x920f && first != 0xb7cd))
		return;
	ret->back = 2 * ((uint64_t)(high->v & 255) << 8 | (uint64_t)(low->v & 255));
	ret->saves = ret->back - w->addr < w->code.size;
}

bool frame_step_avr(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		    struct frame_insn *ret)
{
	struct reader r = reader_make(p, left, false);
	if (!avr_flow(p, left, addr, &ret->flow))
		return false;
	const uint32_t a = read_u16(&r);
	if (ret->flow.kind == FLOW_JUMP && ret->flow.target - w->addr >= w->code.size)
		find_saving(w, ret);
	else if (ret->flow.size == 2)
		frame_avr_do_one(w, a);
	else if ((a & 0xfe0f) == 0x9000) /* lds */
		frame_avr_forget(w, a >> 4 & 31);
	return true;
}
