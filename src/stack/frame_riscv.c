/* Follows the stack pointer in RISC-V code: Volume I, 2.4 and 16. */
#include "code/flow.h"
#include "stack/frame_internal.h"

#include "base/reader.h"

enum { SP = 2, T0 = 5, AUIPC = 0x17 };

/* Handles addi rd, rs, imm. */
static void do_addi(struct frame_walk *w, unsigned rd, unsigned rs, int64_t imm)
{
	if (rs == 0 && rd != SP)
		frame_number(w, rd, imm);
	else
		frame_add(w, SP, rd, rs, imm);
}

static void frame_riscv_do_wide(struct frame_walk *w, uint32_t c)
{
	enum { OP_IMM = 0x13, OP_IMM_32 = 0x1b, OP = 0x33, LUI = 0x37 };
	const unsigned rd = c >> 7 & 31, rs1 = c >> 15 & 31, rs2 = c >> 20 & 31, f3 = c >> 12 & 7;
	const int64_t imm = frame_extend(c >> 20, 12);
	switch (c & 0x7f) {
	case OP_IMM:
	case OP_IMM_32:
		if ((c & 0x7f) == OP_IMM_32 && w->isa == CODE_RISCV32_XQCI)
			/* qc.li: imm[19|14:0|18:15] */
			frame_number(w, rd,
				     frame_extend((c >> 12 & 0x80000) | (c << 3 & 0x78000) |
							  (c >> 16 & 0x7fff),
						  20));
		else if (f3 == 0)
			do_addi(w, rd, rs1, imm);
		else if (f3 == 7 && rd == SP && imm < 0)
			frame_align(w, -imm);
		else
			frame_forget(w, rd);
		break;
	case OP:
		if (f3 == 0 && (c >> 25 == 0 || c >> 25 == 0x20))
			frame_add_registers(w, SP, rd, rs1, rs2, c >> 25 == 0x20);
		else
			frame_forget(w, rd);
		break;
	case LUI: frame_number(w, rd, frame_extend(c & 0xfffff000, 32)); break;
	case 0x23:
	case 0x27: break; /* stores */
	default: frame_forget(w, rd); break;
	}
}

static void do_first_quadrant(struct frame_walk *w, uint32_t c)
{
	const unsigned rd = c >> 7 & 31, op = c >> 13;
	const int64_t imm = frame_extend((c >> 7 & 0x20) | (c >> 2 & 0x1f), 6);
	switch (op) {
	case 0: do_addi(w, rd, rd, imm); break;
	case 1: /* c.addiw; with 32 bits c.jal */
		if (code_isa_plain(w->isa) == CODE_RISCV64)
			do_addi(w, rd, rd, imm);
		break;
	case 2: frame_number(w, rd, imm); break;
	case 3:
		if (rd == SP) /* c.addi16sp: imm[9|4|6|8:7|5] */
			frame_grow(w, -frame_extend((c >> 3 & 0x200) | (c >> 2 & 0x10) |
							    (c << 1 & 0x40) | (c << 4 & 0x180) |
							    (c << 3 & 0x20),
						    10));
		else
			frame_number(w, rd, imm * 4096);
		break;
	case 4: frame_forget(w, 8 + (c >> 7 & 7)); break;
	default: break;
	}
}

static void do_second_quadrant(struct frame_walk *w, uint32_t c)
{
	const unsigned rd = c >> 7 & 31, rs2 = c >> 2 & 31, op = c >> 13;
	const struct value v = w->regs[rd];
	if (op == 0 && !(c & 0x1000) && frame_is_size(w, rd)) /* c.slli */
		frame_derive(w, rd, &v, (int32_t)((uint32_t)v.v << rs2));
	else if (op == 4 && rs2 != 0 && c & 0x1000)
		frame_add_registers(w, SP, rd, rd, rs2, false);
	else if (op == 4 && rs2 != 0)
		do_addi(w, rd, rs2, 0); /* c.mv */
	else if (op < 4)
		frame_forget(w, rd);
}

static void frame_riscv_do_short(struct frame_walk *w, uint32_t c)
{
	if ((c & 3) == 1)
		do_first_quadrant(w, c);
	else if ((c & 3) == 2)
		do_second_quadrant(w, c);
	else if (c >> 13 == 0 && c != 0) {
		/* c.addi4spn: imm[5:4|9:6|2|3] */
		frame_keep(w, 8 + (c >> 2 & 7),
			   -(int64_t)((c >> 7 & 0x30) | (c >> 1 & 0x3c0) | (c >> 4 & 4) |
				      (c >> 2 & 8)));
	} else if (c >> 13 < 4)
		frame_forget(w, 8 + (c >> 2 & 7));
}

/* True for a jump through ra or t0, which are links, that returns: not for one to an address that
 * code has put into t0. */
static bool frame_riscv_returns(const struct flow *f, unsigned reg)
{
	return f->kind == FLOW_RETURN && reg != T0;
}

/* Handles auipc and jalr, a far call or jump. Linkers make one instruction of most of these. */
static void frame_riscv_do_far(struct frame_walk *w, uint32_t c, struct flow *f)
{
	enum { JALR = 0x67 };
	const struct value *v = &w->regs[c >> 15 & 31];
	if ((c & 0x7f) != JALR || v->kind != VALUE_NUMBER || frame_riscv_returns(f, c >> 15 & 31))
		return;
	f->target = (uint64_t)(v->v + frame_extend(c >> 20, 12));
	if (code_isa_plain(w->isa) == CODE_RISCV32)
		f->target &= UINT32_MAX;
	f->direct = f->kind == FLOW_CALL;
	f->kind = f->direct ? FLOW_CALL : FLOW_JUMP;
}

/* Returns how many bytes cm.push and cm.pop of Zcmp move sp. They have a list: ra, and registers
 * from s0 on, whose size is rounded up to 16. Up to 48 bytes are added. */
static int64_t pushed(const struct frame_walk *w, uint32_t c)
{
	const int64_t word = code_isa_plain(w->isa) == CODE_RISCV64 ? 8 : 4;
	const int64_t list = c >> 4 & 15;
	const int64_t count = list == 15 ? 13 : list - 3;
	return (count * word + 15) / 16 * 16 + (c >> 2 & 3) * 16;
}

/* Handles cm.push, pop, popretz, popret (28.14), and Qualcomm's pushfp, mienter and mileaveret,
 * which move sp by the registers of an interrupt. False for others. */
static bool do_pushes(struct frame_walk *w, uint32_t c)
{
	enum { MIENTER = 0x1812, MIENTER_NEST = 0x1892, MILEAVERET = 0x1a12, SAVED = 96, FP = 8 };
	const unsigned what = c >> 8 & 0xff;
	const bool qc = w->isa == CODE_RISCV32_XQCI;
	if (qc && (c == MIENTER || c == MIENTER_NEST || c == MILEAVERET))
		frame_grow(w, c == MILEAVERET ? -SAVED : SAVED);
	else if (!riscv_has_pushes(w->isa) || (c & 0xe003) != 0xa002)
		return false;
	else if ((c & 0xf803) == 0xb802 && (c >> 4 & 15) >= 4) {
		if (what == 0xb9)
			frame_keep(w, FP, 0);
		frame_grow(w, what <= 0xb9 ? pushed(w, c) : -pushed(w, c));
	}
	return true;
}

/* Handles qc.e.addi, qc.e.addai and qc.e.li of Qualcomm, with numbers of 26 and 32 bits. */
static void do_longer(struct frame_walk *w, uint32_t low, uint32_t high)
{
	const unsigned rd = low >> 7 & 31, what = low & 0xf07f;
	const int64_t imm = frame_extend((uint64_t)high << 16 | low >> 16, 32);
	if ((low & 0x707f) == 0x301f && low >> 30 == 2)
		do_addi(w, rd, low >> 15 & 31, frame_extend(high << 10 | (low >> 20 & 0x3ff), 26));
	else if (what == 0x201f)
		do_addi(w, rd, rd, imm);
	else if (what == 0x001f)
		frame_number(w, rd, imm);
	else if ((low & 0x707f) != 0x401f)
		frame_forget(w, rd);
}

bool frame_step_riscv(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret)
{
	struct reader r = reader_make(p, left, false);
	const bool wide = code_isa_plain(w->isa) == CODE_RISCV64;
	if (!riscv_flow(w->isa, p, left, addr, &ret->flow))
		return false;
	const uint32_t low = read_u16(&r);
	if (ret->flow.size == 2 && do_pushes(w, low))
		return true;
	if (ret->flow.size == 2) {
		/* c.jr and c.jalr of a known address. */
		const struct value *v = &w->regs[low >> 7 & 31];
		if ((low & 0xe07f) == 0x8002 && v->kind == VALUE_NUMBER &&
		    ret->flow.kind != FLOW_TRAP && !frame_riscv_returns(&ret->flow, low >> 7 & 31))
			frame_lead(w, &ret->flow, v,
				   (uint64_t)v->v & (wide ? UINT64_MAX : UINT32_MAX));
		frame_riscv_do_short(w, low);
	}
	if (ret->flow.size < 4)
		return true;
	const uint32_t c = low | (uint32_t)read_u16(&r) << 16;
	if (ret->flow.size == 6)
		do_longer(w, c, read_u16(&r));
	if (ret->flow.size != 4)
		return true;
	frame_riscv_do_far(w, c, &ret->flow);
	/* -msave-restore: jal or jalr with t0 as link register. */
	ret->saves = ret->flow.kind == FLOW_CALL && ret->flow.direct && (c >> 7 & 31) == T0;
	if (ret->saves)
		frame_forget_number(w, T0);
	if ((c & 0x7f) == AUIPC)
		frame_number(w, c >> 7 & 31, (int64_t)addr + frame_extend(c & 0xfffff000, 32));
	else if (ret->flow.kind != FLOW_CONDITIONAL)
		frame_riscv_do_wide(w, c);
	return true;
}
