/* Follows the stack pointer in AArch64 code: Arm ARM DDI 0487, C4.1. */
#include "stack/frame_internal.h"

#include "base/reader.h"

enum { SP = 31, FP = 29 };

/* Handles sub, add sp, sp, Xm (extended register). */
static void frame_arm64_do_registers(struct frame_walk *w, uint32_t c)
{
	const unsigned rd = c & 31, rn = c >> 5 & 31, rm = c >> 16 & 31;
	if (!(c >> 10 & 7))
		frame_add_registers(w, SP, rd, rn, rm, c >> 30 & 1);
	else if (rd == SP) /* The operand is shifted */
		w->frame->flags |= FRAME_DYNAMIC;
	else
		frame_forget(w, rd);
}

/* Handles movz, movn, movk. */
static void frame_arm64_do_number(struct frame_walk *w, uint32_t c)
{
	const unsigned rd = c & 31, shift = 16 * (c >> 21 & 3);
	const uint64_t imm = (uint64_t)(c >> 5 & 0xffff) << shift;
	struct value *v = &w->regs[rd];
	switch (c >> 29 & 3) {
	case 0: frame_number(w, rd, c >> 31 ? (int64_t)~imm : (uint32_t)~imm); break;
	case 2: frame_number(w, rd, (int64_t)imm); break;
	case 3:
		if (v->kind == VALUE_NUMBER)
			v->v = (int64_t)(((uint64_t)v->v & ~(UINT64_C(0xffff) << shift)) | imm);
		break;
	default: break;
	}
}

/* Handles adrp, and ldr of a literal pool. False for others. */
static bool do_address(struct frame_walk *w, uint32_t c, uint64_t addr)
{
	const uint64_t far = (c >> 3 & 0x1ffffc) | (c >> 29 & 3);
	if ((c & 0x9f000000) == 0x90000000) {
		const uint64_t page = (addr & ~UINT64_C(0xfff)) +
				      (uint64_t)frame_extend(far, 21) * 4096;
		frame_number(w, c & 31, (int64_t)page);
		return true;
	}
	if ((c & 0xff000000) != 0x58000000)
		return false;
	const uint64_t at = addr + (uint64_t)frame_extend(c >> 5, 19) * 4;
	frame_pool(w, at, 8);
	frame_load(w, c & 31, at, 8);
	return true;
}

/* Handles pairs and single registers, if the access changes the base register. False for others. */
static bool frame_arm64_do_memory(struct frame_walk *w, uint32_t c)
{
	const unsigned rn = c >> 5 & 31;
	const bool pair = (c & 0x3a800000) == 0x28800000; /* post-index and pre-index */
	const bool single = (c & 0x3b200400) == 0x38000400;
	if ((!pair && !single) || rn != SP)
		return false;
	/* Offsets of pairs are scaled: by 4 for 4-byte words, by 8 for 8-byte words, by 4 to 16 for
	 * vector registers. */
	const unsigned opc = c >> 30, scale = c >> 26 & 1 ? 2 + opc : 2 + (opc >> 1);
	frame_grow(w, pair ? -frame_extend(c >> 15 & 0x7f, 7) * (1 << scale)
			   : -frame_extend(c >> 12 & 0x1ff, 9));
	return true;
}

static void frame_arm64_do_one(struct frame_walk *w, uint32_t c)
{
	const int64_t v = (int64_t)(c >> 10 & 0xfff) << (c >> 22 & 1 ? 12 : 0);
	if ((c & 0xbf800000) == 0x91000000) /* add, sub of an immediate. `mov` adds 0 */
		frame_add(w, SP, c & 31, c >> 5 & 31, c >> 30 & 1 ? -v : v);
	else if ((c & 0xbfe00000) == 0x8b200000)
		frame_arm64_do_registers(w, c);
	else if ((c & 0x1f800000) == 0x12800000)
		frame_arm64_do_number(w, c);
	else if ((c & 0xff800000) == 0x92000000) {
		/* `and sp, Xn, #~(2^n - 1)` aligns sp to 2^n. N, immr and imms encode a mask of
		 * ones above n zeros. */
		const unsigned immr = c >> 16 & 63, ones = (c >> 10 & 63) + 1, zeros = 64 - ones;
		if ((c & 31) == SP && c >> 22 & 1 && immr == (64 - zeros) % 64 && zeros < 32) {
			frame_from(w, c >> 5 & 31, 0);
			frame_align(w, INT64_C(1) << zeros);
		}
	} else if ((c & 0xffe0001f) == 0xeb20001f && (c >> 5 & 31) == SP) {
		/* cmp sp, Xm: the end of a loop that touches each page of a frame */
		if (w->regs[c >> 16 & 31].kind == VALUE_PLACE)
			frame_from(w, c >> 16 & 31, 0);
	} else if ((c & 0xffa0f81f) == 0x0420501f) {
		w->frame->flags |= FRAME_DYNAMIC; /* addvl, addpl sp: by the size of vectors */
	} else if (!frame_arm64_do_memory(w, c) && (c & 31) != SP && (c & 0x1c000000) != 0x14000000)
		frame_forget(w, c & 31);
}

bool frame_step_arm64(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret)
{
	struct reader r = reader_make(p, left, false);
	if (!flow_decode(w->isa, p, left, addr, &ret->flow))
		return false;
	const uint32_t c = read_u32(&r);
	/* br and blr of a known address, as in linkers' veneers. */
	const struct value *v = &w->regs[c >> 5 & 31];
	if ((c & 0xffdffc1f) == 0xd61f0000 && v->kind == VALUE_NUMBER)
		frame_lead(w, &ret->flow, v, (uint64_t)v->v);
	if (do_address(w, c, addr))
		return true;
	if ((c & 0x0a000000) == 0x08000000) {
		/* Loads write these registers, and so do stores that return a status. */
		frame_forget_number(w, c & 31);
		frame_forget_number(w, c >> 5 & 31);
		frame_forget_number(w, c >> 10 & 31);
		frame_forget_number(w, c >> 16 & 31);
	}
	frame_arm64_do_one(w, c);
	return true;
}
