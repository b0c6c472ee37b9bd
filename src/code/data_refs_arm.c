/* ARM and Thumb-2: finds words of literal pools, movw and movt, and what is added to these: the
 * address of the instruction (position-independent code), or a pointer to the table of addresses
 * (GOT).
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R, A5, A6 and A8. */
#include "code/data_scan.h"
#include "code/flow.h"

enum { A_SP = 13, A_PC = 15 };

void start_arm(struct data_scan *s)
{
	s->scratch = 0x500f; /* r0 to r3, r12, lr (AAPCS) */
}

/* Handles the load of a register from a literal pool, and reports the word. */
static void pool_load(struct data_scan *s, uint64_t off, unsigned reg, uint64_t at,
		      enum ref_use use)
{
	data_refs_forget(s, reg);
	if (at < s->addr || at - s->addr > s->code.size || s->code.size - (at - s->addr) < 4)
		return;
	const uint32_t word = number_at(s, at - s->addr, 4);
	data_refs_set(s, reg, word);
	if (!s->moves)
		data_refs_add(s, off, word, use);
}

/* Handles rd = rm + pc: if rm has a known number, reports the sum. */
static void pc_add(struct data_scan *s, uint64_t off, unsigned rd, unsigned rm, uint64_t pc)
{
	if (!data_scan_knows(s, rm) || data_scan_is_place(s, rm)) {
		data_refs_forget(s, rd);
		return;
	}
	data_scan_set_place(s, rd, pc + s->r.base[rm], true);
	code_data_refs_add(s, off, s->r.base[rd]);
}

static void arm_add(struct data_scan *s, uint64_t off, unsigned rd, unsigned rn, unsigned rm)
{
	const bool place = data_scan_is_place(s, rn);
	if (data_scan_join(s, rn, rm)) {
		data_scan_set_place(s, rd, s->r.base[rn] + s->r.base[rm], true);
		code_data_refs_add(s, off, s->r.base[rd]);
	} else if (place != data_scan_is_place(s, rm)) {
		data_scan_index(s, rd, place ? rn : rm);
	} else {
		data_refs_forget(s, rd);
	}
}

/* Reports the address to which an operand [rn, rm] refers. */
static void arm_use_sum(struct data_scan *s, uint64_t off, unsigned rn, unsigned rm)
{
	if (data_scan_join(s, rn, rm))
		code_data_refs_add(s, off, s->r.base[rn] + s->r.base[rm]);
}

static void arm_use(struct data_scan *s, uint64_t off, unsigned rn, uint64_t imm)
{
	if (data_scan_is_place(s, rn))
		data_scan_use(s, off, rn, imm);
}

static void arm_add_number(struct data_scan *s, uint64_t off, unsigned rd, unsigned rn,
			   uint64_t imm)
{
	if (data_scan_is_place(s, rn)) {
		data_scan_use(s, off, rn, imm);
		data_scan_set_place(s, rd, s->r.base[rn] + imm, true);
	} else {
		data_refs_forget(s, rd);
	}
}

static void arm_forget_list(struct data_scan *s, uint32_t list)
{
	s->r.known &= ~(list & 0xffff);
}

/* Handles movw, which sets the low half of a register, and movt, which sets the high half. */
static void do_move(struct data_scan *s, uint64_t off, unsigned reg, uint32_t half, bool high)
{
	if (!high) {
		data_refs_set(s, reg, half);
	} else if (data_scan_knows(s, reg) && !data_scan_is_place(s, reg) &&
		   s->r.base[reg] <= UINT16_MAX) {
		data_refs_set(s, reg, s->r.base[reg] | (uint64_t)half << 16);
		if (!s->moves)
			code_data_refs_add(s, off, s->r.base[reg]);
	} else {
		data_refs_forget(s, reg);
	}
}

/* Returns USE_ACCESS if code after `off` loads or stores at the address in `reg` before it branches
 * or writes `reg`. Otherwise USE_NUMBER, or for r11 USE_SCRATCH. */
static enum ref_use arm_use_after(const struct data_scan *s, uint64_t off, unsigned reg)
{
	enum { AHEAD = 8, SCRATCH = 11 };
	const enum ref_use none = reg == SCRATCH ? USE_SCRATCH : USE_NUMBER;
	for (unsigned i = 0; i < AHEAD; i++) {
		off += 4;
		if (off >= s->code.size || s->code.size - off < 4)
			return none;
		const uint32_t insn = number_at(s, off, 4);
		/* Loads and stores with the base register Rn: cond 01 ... Rn Rd; cond 000 ... Rn
		 * Rd ... 1 S H 1, except multiplications and swaps; cond 110 ... Rn. */
		const bool one = (insn & 0x0c000000) == 0x04000000;
		const bool half = (insn & 0x0e000090) == 0x90 && (insn & 0x60) != 0;
		const bool coprocessor = (insn & 0x0e000000) == 0x0c000000;
		if ((one || half || coprocessor) && (insn >> 16 & 15) == reg)
			return USE_ACCESS;
		if ((insn & 0x0e000000) == 0x0a000000 ||
		    ((insn & 0x0c000000) <= 0x04000000 && (insn >> 12 & 15) == reg))
			return none;
	}
	return none;
}

/* Handles the data-processing instructions: cond 00 I opcode S Rn Rd operand. */
static void arm_compute(struct data_scan *s, uint64_t off, uint32_t insn)
{
	enum { SUB = 2, ADD = 4, TST = 8, CMN = 11, MOV = 13 };
	const unsigned opcode = insn >> 21 & 15, rn = insn >> 16 & 15, rd = insn >> 12 & 15;
	const unsigned turn = (insn >> 8 & 15) * 2, rm = insn & 15;
	const uint32_t byte = insn & 0xff, imm = turn ? byte >> turn | byte << (32 - turn) : byte;
	const bool number = insn >> 25 & 1, plain = !number && (insn & 0xff0) == 0;
	const uint64_t pc = s->addr + off + 8;
	if (opcode >= TST && opcode <= CMN)
		return;
	if (rd == A_PC) /* Writes pc: a switch, or a return */
		return;
	if (number && rn == A_PC && (opcode == ADD || opcode == SUB))
		data_scan_set_place(s, rd, opcode == ADD ? pc + imm : pc - imm, true);
	else if (number && (opcode == ADD || opcode == SUB))
		arm_add_number(s, off, rd, rn, opcode == ADD ? imm : UINT64_C(0) - imm);
	else if (plain && opcode == ADD && (rn == A_PC || rm == A_PC))
		pc_add(s, off, rd, rn == A_PC ? rm : rn, pc);
	else if (plain && opcode == ADD)
		arm_add(s, off, rd, rn, rm);
	else if (!number && opcode == ADD && !(insn & 0x10) && data_scan_is_place(s, rn))
		data_scan_index(s, rd, rn);
	else if (plain && opcode == MOV && rm != A_PC)
		data_scan_copy(s, rd, rm);
	else
		data_refs_forget(s, rd);
}

/* Handles loads and stores of one register: cond 01 I P U B W L Rn Rt offset. */
static void arm_memory(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned rn = insn >> 16 & 15, rt = insn >> 12 & 15, rm = insn & 15;
	const uint64_t imm = insn & 0xfff, pc = s->addr + off + 8;
	const bool up = insn >> 23 & 1, load = insn >> 20 & 1, before = insn >> 24 & 1;
	if ((insn & 0x0f7f0000) == 0x051f0000) {
		pool_load(s, off, rt, up ? pc + imm : pc - imm, arm_use_after(s, off, rt));
		return;
	}
	if (!(insn >> 25 & 1) && before && rn != A_PC)
		arm_use(s, off, rn, up ? imm : 0 - imm);
	else if (!(insn & 0xff0) && before && up && rn == A_PC && data_scan_knows(s, rm) &&
		 !data_scan_is_place(s, rm))
		code_data_refs_add(s, off, pc + s->r.base[rm]);
	else if (insn >> 25 & 1 && !(insn & 0xff0) && before && up)
		arm_use_sum(s, off, rn, rm);
	if (!before || insn >> 21 & 1)
		data_refs_forget(s, rn);
	if (load)
		data_refs_forget(s, rt);
}

/* Handles loads, stores of half-words, signed bytes, pairs: cond 000 P U I W L Rn Rt imm4H 1 S H 1
 * imm4L. */
static void arm_memory_half(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned rn = insn >> 16 & 15, rt = insn >> 12 & 15;
	const uint64_t imm = (insn >> 4 & 0xf0) | (insn & 15);
	if (insn >> 22 & 1 && insn >> 24 & 1 && rn != A_PC)
		arm_use(s, off, rn, insn >> 23 & 1 ? imm : 0 - imm);
	else if (!(insn >> 22 & 1) && insn >> 24 & 1)
		arm_use_sum(s, off, rn, insn & 15);
	if (!(insn >> 24 & 1) || insn >> 21 & 1)
		data_refs_forget(s, rn);
	data_refs_forget(s, rt);
	if (!(insn >> 20 & 1)) /* Loads or stores a pair of registers */
		data_refs_forget(s, rt | 1);
}

unsigned do_arm(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4), imm = insn & 0xfff;
	const unsigned kind = insn >> 25 & 7;
	if ((insn & 0x0fb00000) == 0x03000000)
		do_move(s, off, insn >> 12 & 15, (insn >> 4 & 0xf000) | imm, insn >> 22 & 1);
	else if (kind == 0 && (insn & 0x90) == 0x90 && (insn & 0x60))
		arm_memory_half(s, off, insn);
	else if (kind == 0 && ((insn & 0x90) == 0x90 || (insn & 0x01900000) == 0x01000000))
		arm_forget_list(s, UINT32_C(1) << (insn >> 16 & 15) |
					   UINT32_C(1) << (insn >> 12 & 15)); /* mul, bx */
	else if (kind <= 1)
		arm_compute(s, off, insn);
	else if (kind == 2 || (kind == 3 && !(insn & 0x10)))
		arm_memory(s, off, insn);
	else if (kind == 3)
		data_refs_forget(s, insn >> 12 & 15);
	else if (kind == 4 && insn >> 20 & 1)
		arm_forget_list(s, insn);
	else if (kind == 6 && insn >> 24 & 1) /* vldr, vstr */
		arm_use(s, off, insn >> 16 & 15,
			insn >> 23 & 1 ? (insn & 0xff) * 4 : 0 - (uint64_t)(insn & 0xff) * 4);
	struct flow in;
	const uint8_t bytes[4] = { (uint8_t)insn, (uint8_t)(insn >> 8), (uint8_t)(insn >> 16),
				   (uint8_t)(insn >> 24) };
	if (arm_flow(bytes, sizeof bytes, off, &in))
		data_scan_flow(s, off, &in);
	return 4;
}

/* Handles add, cmp, mov, bx and blx of all registers: 010001 op D Rm Rd. */
static void thumb_high(struct data_scan *s, uint64_t off, uint32_t a)
{
	const unsigned rd = (a >> 4 & 8) | (a & 7), rm = a >> 3 & 15;
	switch (a >> 8 & 3) {
	case 0:
		if (rm == A_PC)
			pc_add(s, off, rd, rd, s->addr + off + 4);
		else
			arm_add(s, off, rd, rd, rm);
		break;
	case 1: break;
	case 2:
		if (rd != A_PC)
			data_scan_copy(s, rd, rm);
		break;
	default:
		if (a >> 7 & 1)
			data_scan_call(s);
		else
			s->ends = true;
	}
}

/* Handles additions of an immediate or of two low registers (r0 to r7). */
static void thumb_add(struct data_scan *s, uint64_t off, uint32_t a)
{
	const unsigned rd = a & 7, rn = a >> 3 & 7, third = a >> 6 & 7, wide = a >> 8 & 7;
	switch (a >> 9 & 0x1f) {
	case 0xc: arm_add(s, off, rd, rn, third); break;
	case 0xe: arm_add_number(s, off, rd, rn, third); break;
	case 0xf: arm_add_number(s, off, rd, rn, UINT64_C(0) - third); break;
	case 0xd: data_refs_forget(s, rd); break;
	default:
		arm_add_number(s, off, wide, wide,
			       a >> 11 & 1 ? 0 - (uint64_t)(a & 0xff) : a & 0xff);
	}
}

/* Handles an instruction of two bytes, by its upper five bits (A6.2). */
static void thumb_narrow(struct data_scan *s, uint64_t off, uint32_t a)
{
	const unsigned rd = a & 7, rn = a >> 3 & 7, wide = a >> 8 & 7, imm = a >> 6 & 31;
	const uint64_t pc = (s->addr + off + 4) & ~UINT64_C(3);
	const bool load = a >> 11 & 1;
	switch (a >> 11) {
	case 3:
	case 6:
	case 7: thumb_add(s, off, a); break;
	case 8:
		if (a >= 0x4400)
			thumb_high(s, off, a);
		else
			data_refs_forget(s, rd);
		break;
	case 9: pool_load(s, off, wide, pc + (a & 0xff) * 4, USE_NUMBER); break;
	case 10:
	case 11:
		arm_use_sum(s, off, rn, a >> 6 & 7);
		if ((a >> 9 & 7) >= 3)
			data_refs_forget(s, rd);
		break;
	case 12:
	case 13: arm_use(s, off, rn, imm * 4); goto loaded;
	case 14:
	case 15: arm_use(s, off, rn, imm); goto loaded;
	case 16:
	case 17:
		arm_use(s, off, rn, imm * 2);
	loaded:
		if (load)
			data_refs_forget(s, rd);
		break;
	case 5: break; /* cmp */
	case 4:        /* movs */
	case 18:       /* str and ldr to the stack, adr, add of sp */
	case 19:
	case 21: data_refs_forget(s, wide); break;
	case 20: data_scan_set_place(s, wide, pc + (a & 0xff) * 4, true); break;
	case 25: arm_forget_list(s, a & 0xff); break;
	case 28:
		data_scan_branch(s, off, off + 4 + 2 * code_extend(a, 11));
		s->ends = true;
		break;
	case 22:
	case 23:
		if ((a & 0xfe00) == 0xbc00) { /* pop */
			arm_forget_list(s, a & 0xff);
			s->ends = a >> 8 & 1;
			break;
		}
		if ((a & 0xf500) == 0xb100) /* cbz, cbnz */
			data_scan_branch(s, off, off + 4 + ((a >> 3 & 0x40) | (a >> 2 & 0x3e)));
		else
			data_refs_forget(s, rd);
		break;
	case 24: break;
	case 26:
	case 27:
		if ((a >> 8 & 15) < 14)
			data_scan_branch(s, off, off + 4 + 2 * code_extend(a, 8));
		break;
	default: data_refs_forget(s, rd); /* shifts */
	}
}

/* Handles loads and stores of one register: 1111100 S U size L Rn, Rt offset. */
static void thumb_memory(struct data_scan *s, uint64_t off, uint32_t a, uint32_t b)
{
	const unsigned rn = a & 15, rt = b >> 12;
	const uint64_t low = b & 0xff;
	if (a >> 7 & 1)
		arm_use(s, off, rn, b & 0xfff);
	else if ((b & 0xfc0) == 0 && (b >> 4 & 3) == 0)
		arm_use_sum(s, off, rn, b & 15);
	else if (b >> 11 & 1 && b >> 10 & 1)
		arm_use(s, off, rn, b >> 9 & 1 ? low : 0 - low);
	if (!(a >> 7 & 1) && b >> 11 & 1 && (b >> 8 & 1 || !(b >> 10 & 1)))
		data_refs_forget(s, rn);
	if (a >> 4 & 1 && rt != A_PC)
		data_refs_forget(s, rt);
}

/* Returns the number that an instruction encodes in i, imm3 and imm8. Sets *known to false for a
 * repeated pattern, which is no address (A6.3.2). */
static uint32_t thumb_number(uint32_t a, uint32_t b, bool *known)
{
	const uint32_t imm = (a << 1 & 0x800) | (b >> 4 & 0x700) | (b & 0xff);
	const unsigned turn = imm >> 7;
	*known = imm < 0x100 || imm >= 0x400;
	if (imm < 0x100 || !*known)
		return imm;
	const uint32_t byte = 0x80 | (imm & 0x7f);
	return byte >> turn | byte << (32 - turn);
}

/* Handles computations with numbers and registers: 11110 i 0 op S Rn, and 1110101 op S Rn. */
static void thumb_compute(struct data_scan *s, uint64_t off, uint32_t a, uint32_t b)
{
	const unsigned rn = a & 15, rd = b >> 8 & 15, rm = b & 15;
	const uint64_t plain = (a << 1 & 0x800) | (b >> 4 & 0x700) | (b & 0xff);
	const uint64_t pc = (s->addr + off + 4) & ~UINT64_C(3);
	const bool addw = (a & 0xfbf0) == 0xf200, subw = (a & 0xfbf0) == 0xf2a0;
	bool known;
	const uint64_t number = thumb_number(a, b, &known);
	if ((addw || subw) && rn == A_PC)
		data_scan_set_place(s, rd, addw ? pc + plain : pc - plain, true);
	else if (addw || subw)
		arm_add_number(s, off, rd, rn, addw ? plain : 0 - plain);
	else if (((a & 0xfbe0) == 0xf100 || (a & 0xfbe0) == 0xf1a0) && known && rd != A_PC)
		arm_add_number(s, off, rd, rn, (a & 0x80) ? 0 - number : number);
	else if ((a & 0xffe0) == 0xeb00 && (b & 0x70f0) == 0)
		arm_add(s, off, rd, rn, rm);
	else if ((a & 0xffe0) == 0xeb00 && data_scan_is_place(s, rn))
		data_scan_index(s, rd, rn);
	else if ((a & 0xffef) == 0xea4f && (b & 0x70f0) == 0)
		data_scan_copy(s, rd, rm);
	else if (rd != A_PC) /* Otherwise a comparison */
		data_refs_forget(s, rd);
}

/* Handles a branch of four bytes: its first half begins with bits 11110, its second with bit 1. */
static void thumb_branch(struct data_scan *s, uint64_t off)
{
	struct flow in;
	if (!thumb_flow(s->code.p + off, 4, off, &in))
		return;
	if (in.kind == FLOW_CALL)
		data_scan_call(s);
	else if (in.kind == FLOW_JUMP || in.kind == FLOW_CONDITIONAL)
		data_scan_branch(s, off, in.target);
	s->ends = in.kind == FLOW_JUMP;
}

/* Handles loads and stores of pairs and lists. */
static void thumb_several(struct data_scan *s, uint64_t off, uint32_t a, uint32_t b)
{
	const unsigned rn = a & 15;
	const uint64_t far = (uint64_t)(b & 0xff) * 4, imm = a >> 7 & 1 ? far : 0 - far;
	if ((a & 0xfe00) == 0xec00) { /* vldr, vstr, and others of the same form */
		if ((a & 0xff20) == 0xed00 && rn != A_PC)
			arm_use(s, off, rn, imm);
	} else if (a >> 6 & 1) { /* ldrd, strd, exclusive loads, tbb */
		if (a >> 8 & 1 && rn != A_PC)
			arm_use(s, off, rn, imm);
		if (a >> 4 & 1)
			arm_forget_list(s, UINT32_C(1) << (b >> 12) | UINT32_C(1) << (b >> 8 & 15));
		if (a >> 5 & 1)
			data_refs_forget(s, rn);
	} else if (a >> 4 & 1) {
		arm_forget_list(s, b);
		s->ends = b >> 15;
	}
}

static void thumb_wide(struct data_scan *s, uint64_t off, uint32_t a, uint32_t b)
{
	const uint64_t pc = (s->addr + off + 4) & ~UINT64_C(3), imm = b & 0xfff;
	if ((a & 0xff7f) == 0xf85f)
		pool_load(s, off, b >> 12, a >> 7 & 1 ? pc + imm : pc - imm, USE_NUMBER);
	else if ((a & 0xfb70) == 0xf240 && !(b & 0x8000))
		do_move(s, off, b >> 8 & 15,
			(a & 15) << 12 | (a >> 10 & 1) << 11 | (b >> 12 & 7) << 8 | (b & 0xff),
			a >> 7 & 1);
	else if ((a & 0xf800) == 0xf000 && b & 0x8000)
		thumb_branch(s, off);
	else if ((a & 0xf800) == 0xf000 || (a & 0xfe00) == 0xea00)
		thumb_compute(s, off, a, b);
	else if ((a & 0xfe00) == 0xf800 && (a & 0xff10) != 0xf910)
		thumb_memory(s, off, a, b);
	else if ((a & 0xfe10) == 0xf810)
		thumb_memory(s, off, a, b);
	else if ((a & 0xfe00) == 0xe800 || (a & 0xfe00) == 0xec00)
		thumb_several(s, off, a, b);
	else
		arm_forget_list(s, UINT32_C(1) << (b >> 8 & 15) | UINT32_C(1) << (b >> 12));
}

unsigned do_thumb(struct data_scan *s, uint64_t off)
{
	const uint32_t a = number_at(s, off, 2);
	if (a < 0xe800) {
		thumb_narrow(s, off, a);
		return 2;
	}
	if (s->code.size - off < 4)
		return 2;
	thumb_wide(s, off, a, number_at(s, off + 2, 2));
	return 4;
}
