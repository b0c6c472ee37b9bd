/* Follows the stack pointer in Xtensa code, with and without register windows. */
#include "code/flow.h"
#include "stack/frame_internal.h"

enum { SP = 1 };

static void do_long(struct frame_walk *w, uint32_t insn)
{
	const unsigned t = insn >> 4 & 15, s = insn >> 8 & 15, r = insn >> 12 & 15;
	const int64_t imm8 = frame_extend(insn >> 16, 8);
	switch (insn & 15) {
	case 0:
		if (insn >> 16 == 0xc0 || insn >> 16 == 0x80)
			frame_add_registers(w, SP, r, s, t, insn >> 16 == 0xc0);
		else if (insn >> 12 == 1 && t == SP) /* movsp */
			frame_from(w, s, 0);
		else if (insn >> 16 == 0x20 && s == t && r == SP) /* or: mov */
			frame_from(w, s, 0);
		else if (insn >> 16 == 0x20 && s == t && s == SP)
			frame_keep(w, r, 0);
		else if ((insn >> 16 & 0xef) == 1 && w->regs[s].kind == VALUE_NUMBER) /* slli */
			frame_derive(w, r, &w->regs[s],
				     (int32_t)((uint32_t)w->regs[s].v
					       << (32 - ((insn >> 16 & 16) | t)) % 32));
		else if (r != SP)
			frame_forget(w, r);
		/* The instruction may write these registers. rsr and l32e write t, not r. */
		if ((insn >> 16 & 15) == 3 || (insn >> 16 & 15) == 9)
			frame_forget_number(w, t);
		break;
	case 2:
		if (r == 12)
			frame_add(w, SP, t, s, imm8);
		else if (r == 13)
			frame_add(w, SP, t, s, imm8 * 256);
		else if (r == 10) /* movi */
			frame_number(w, t, frame_extend(s << 8 | insn >> 16, 12));
		else if (r < 4 || r == 9)
			frame_forget(w, t); /* loads */
		else if (r == 11 || r == 14)
			frame_forget_number(w, t);
		break;
	case 6:
		if ((insn & 0xf0) == 0x30 && s == SP) /* entry */
			frame_grow(w, (int64_t)(insn >> 12) * 8);
		break;
	default: break;
	}
}

static void frame_xtensa_do_short(struct frame_walk *w, uint32_t insn)
{
	const unsigned t = insn >> 4 & 15, s = insn >> 8 & 15, r = insn >> 12 & 15;
	switch (insn & 15) {
	case 8: frame_forget(w, t); break; /* l32i.n */
	case 10:                           /* add.n */
		if (r == SP && (s == SP || t == SP))
			frame_grow_by(w, s == SP ? t : s, true);
		else
			frame_forget(w, r);
		break;
	case 11: frame_add(w, SP, r, s, t == 0 ? -1 : (int)t); break; /* addi.n */
	case 12:
		if (!(t & 8)) { /* movi.n: -32 to 95 */
			const int64_t v = (int64_t)((t & 7) << 4 | r);
			frame_number(w, s, v >= 96 ? v - 128 : v);
		}
		break;
	case 13:
		if (r == 0 && t == SP)
			frame_from(w, s, 0); /* mov.n */
		else if (r == 0 && s == SP)
			frame_keep(w, t, 0);
		else if (r == 0)
			w->regs[t] = w->regs[s];
		break;
	default: break;
	}
}

bool frame_step_xtensa(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		       struct frame_insn *ret)
{
	unsigned reg;
	uint64_t at;
	if (!xtensa_flow(p, left, addr, &ret->flow))
		return false;
	if (xtensa_literal(p, left, addr, &reg, &at)) {
		frame_load(w, reg, at, 4);
		return true;
	}
	if (ret->flow.size == 3) {
		/* callx and jx with a known address, as all far calls are. */
		const uint32_t insn = (uint32_t)(p[0] | p[1] << 8 | p[2] << 16);
		const struct value *v = &w->regs[insn >> 8 & 15];
		const bool jump = (insn & 0xfff0ff) == 0xa0, call = (insn & 0xfff0cf) == 0xc0;
		if ((jump || call) && v->kind == VALUE_NUMBER)
			frame_lead(w, &ret->flow, v, (uint64_t)v->v & UINT32_MAX);
	}
	if (ret->flow.size == 2)
		frame_xtensa_do_short(w, (uint32_t)(p[0] | p[1] << 8));
	else
		do_long(w, (uint32_t)(p[0] | p[1] << 8 | p[2] << 16));
	return true;
}
