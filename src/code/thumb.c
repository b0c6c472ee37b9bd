/* Decodes lengths, branches and pc-relative loads of Thumb instructions. */
#include "code/flow.h"

unsigned thumb_it_count(uint32_t first)
{
	if ((first & 0xff00) != 0xbf00 || !(first & 0xf))
		return 0;
	return 4 - (unsigned)__builtin_ctz(first & 0xf);
}

bool thumb_table_branch(uint32_t first, uint32_t second, unsigned *ret_width)
{
	ASSERT(first <= UINT16_MAX && second <= UINT16_MAX);
	*ret_width = second & 0x10 ? 2 : 1;
	return first == 0xe8df && (second & 0xffe0) == 0xf000;
}

/* True if the instruction is bhi, or bhi.w of two halfwords. */
static bool leaves_above(struct bytes code, uint64_t off)
{
	const uint32_t a = load_le16(code.p + off), b = load_le16(code.p + off + 2);
	return (a & 0xff00) == 0xd800 || ((a & 0xfbc0) == 0xf200 && (b & 0xd000) == 0x8000);
}

uint64_t thumb_case_count(struct bytes code, uint64_t off, unsigned reg)
{
	ASSERT(off <= code.size && reg < 16);
	enum { WINDOW = 16, CMP = 4 };
	for (uint64_t back = CMP; back <= WINDOW && back <= off; back += 2) {
		const uint8_t *p = code.p + (off - back);
		const uint32_t a = load_le16(p), b = load_le16(p + 2);
		if (reg < 8 && (a & 0xff00) == (0x2800 | reg << 8) &&
		    leaves_above(code, off - back + 2))
			return (a & 0xff) + 1;
		if (a == (0xf1b0 | reg) && (b & 0xff00) == 0xf00 && back > CMP &&
		    leaves_above(code, off - back + 4))
			return (b & 0xff) + 1;
	}
	return UINT64_MAX;
}

uint32_t thumb_constant(uint32_t first, uint32_t second)
{
	const uint32_t low = second & 0xff;
	const uint32_t top = (first >> 10 & 1) << 4 | (second >> 12 & 7) << 1 | low >> 7;
	if (top >= 8) {
		const uint32_t v = 0x80 | low;
		return v >> top | v << (32 - top);
	}
	switch (top >> 1) {
	case 0: return low;
	case 1: return low << 16 | low;
	case 2: return low << 24 | low << 8;
	default: return low * 0x01010101u;
	}
}

bool thumb_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		   uint64_t *ret_addr)
{
	const uint64_t pc = (addr + 4) & ~UINT64_C(3);
	const uint32_t a = left >= 2 ? load_le16(p) : 0;
	if ((a & 0xf800) == 0x4800) {
		*ret_reg = a >> 8 & 7;
		*ret_addr = pc + (a & 0xff) * 4;
		return true;
	}
	if ((a & 0xff7f) != 0xf85f || left < 4)
		return false;
	const uint32_t b = load_le16(p + 2);
	*ret_reg = b >> 12;
	*ret_addr = a & 0x80 ? pc + (b & 0xfff) : pc - (b & 0xfff);
	return true;
}

bool thumb_pool(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		unsigned *ret_size)
{
	const uint64_t pc = (addr + 4) & ~UINT64_C(3);
	unsigned reg;
	*ret_size = 4;
	if (thumb_literal(p, left, addr, &reg, ret_addr))
		return true;
	const uint32_t a = left >= 4 ? load_le16(p) : 0, b = left >= 4 ? load_le16(p + 2) : 0;
	uint64_t imm = b & 0xfff;
	if ((a & 0xff3f) == 0xed1f && (b & 0xe00) == 0xa00) { /* vldr */
		imm = (uint64_t)(b & 0xff) * 4;
		*ret_size = b & 0x100 ? 8 : 4;
	} else if ((a & 0xff7f) == 0xe95f) { /* ldrd */
		imm = (uint64_t)(b & 0xff) * 4;
		*ret_size = 8;
	} else if ((a & 0xfe1f) == 0xf81f && (a & 0x60) != 0x40 && b >> 12 != 15) {
		*ret_size = a & 0x20 ? 2 : 1; /* ldrb, ldrh, ldrsb, ldrsh */
	} else {
		return false;
	}
	*ret_addr = a & 0x80 ? pc + imm : pc - imm;
	return true;
}

bool thumb_adr(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
	       uint64_t *ret_addr)
{
	const uint64_t pc = (addr + 4) & ~UINT64_C(3);
	const uint32_t a = left >= 2 ? load_le16(p) : 0, b = left >= 4 ? load_le16(p + 2) : 0;
	if ((a & 0xf800) == 0xa000) {
		*ret_reg = a >> 8 & 7;
		*ret_addr = pc + (a & 0xff) * 4;
		return true;
	}
	if ((a & 0xfbff) != 0xf20f || b & 0x8000)
		return false;
	*ret_reg = b >> 8 & 15;
	*ret_addr = pc + ((a << 1 & 0x800) | (b >> 4 & 0x700) | (b & 0xff));
	return true;
}

unsigned thumb_loads_at(const uint8_t *p, uint64_t left, unsigned reg)
{
	ASSERT(reg < 16);
	const uint32_t a = left >= 2 ? load_le16(p) : 0, b = left >= 4 ? load_le16(p + 2) : 0;
	if ((a & 0xf800) == 0xc800 && (a >> 8 & 7) == reg) /* ldm */
		return 4 * (unsigned)__builtin_popcount(a & 0xff);
	if ((a & 0xffc0) == 0x6800 && (a >> 3 & 7) == reg) /* ldr */
		return 4;
	if ((a & 15) != reg || b & 0xff)
		return 0;
	if ((a & 0xfff0) == 0xe9d0) /* ldrd */
		return 8;
	if ((a & 0xffb0) == 0xed90 && (b & 0xe00) == 0xa00) /* vldr */
		return b & 0x100 ? 8 : 4;
	return 0;
}

/* Decodes 16-bit instructions (A5.2). */
static void thumb_decode_short(uint32_t a, uint64_t addr, struct flow *ret)
{
	const uint64_t pc = addr + 4;
	if ((a & 0xf000) == 0xd000 && (a & 0x0f00) < 0x0e00) {
		ret->kind = FLOW_CONDITIONAL;
		ret->target = pc + (sign_extend(a & 0xff, 8) << 1);
	} else if ((a & 0xff00) == 0xde00) {
		ret->kind = FLOW_TRAP; /* udf */
	} else if ((a & 0xf800) == 0xe000) {
		ret->kind = FLOW_JUMP;
		ret->target = pc + (sign_extend(a & 0x7ff, 11) << 1);
	} else if ((a & 0xf500) == 0xb100) { /* cbz, cbnz */
		ret->kind = FLOW_CONDITIONAL;
		ret->target = pc + ((a >> 3 & 0x40) | (a >> 2 & 0x3e));
	} else if ((a & 0xff00) == 0x4700) { /* bx, blx */
		ret->kind = a & 0x80              ? FLOW_CALL
			    : (a >> 3 & 15) == 14 ? FLOW_RETURN
						  : FLOW_JUMP_INDIRECT;
	} else if ((a & 0xff87) == 0x4687) { /* mov pc, Rm */
		ret->kind = (a >> 3 & 15) == 14 ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
	} else if ((a & 0xff87) == 0x4487) { /* add pc, Rm */
		ret->kind = FLOW_JUMP_INDIRECT;
	} else if ((a & 0xff00) == 0xbd00) { /* pop {..., pc} */
		ret->kind = FLOW_RETURN;
	} else if (a == 0xbf00 || a == 0x46c0) {
		ret->kind = FLOW_NOP;
	}
}

/* Decodes a branch (A5.3.4): the first halfword begins with 11110, the second with 1. */
static void decode_branch(uint32_t a, uint32_t b, uint64_t addr, struct flow *ret)
{
	const uint64_t pc = addr + 4;
	const uint32_t s = a >> 10 & 1, j1 = b >> 13 & 1, j2 = b >> 11 & 1;
	const uint64_t low = (b & 0x7ff) << 1;
	const uint64_t far = s << 24 | (uint64_t)!(j1 ^ s) << 23 | (uint64_t)!(j2 ^ s) << 22 |
			     (a & 0x3ff) << 12 | low;
	if ((b >> 12 & 5) == 4 && b & 1) {
		/* Decodes WLS and LE. They begin and end a counted loop. DLS only sets the counter
		 * (ARMv8.1-M, C2.4.103). */
		const uint64_t distance = (b << 1 & 0xffc) | (b >> 10 & 2);
		if (b >> 12 == 12) {
			ret->kind = FLOW_CONDITIONAL;
			ret->target = (a & 0xff8f) == 0xf00f ? pc - distance : pc + distance;
		}
		return;
	}
	switch (b >> 12 & 5) {
	case 0:
		if ((a >> 7 & 7) != 7) {
			ret->kind = FLOW_CONDITIONAL;
			ret->target = pc + sign_extend(s << 20 | j2 << 19 | j1 << 18 |
							       (a & 0x3f) << 12 | low,
						       21);
		} else if ((a & 0xfff0) == 0xf7f0 && b & 0x2000) {
			ret->kind = FLOW_TRAP; /* udf.w */
		} else if (a == 0xf3de && b >> 8 == 0x8f) {
			ret->kind = FLOW_RETURN; /* subs pc, lr */
		} else if (a == 0xf3af && b == 0x8000) {
			ret->kind = FLOW_NOP;
		}
		return;
	case 1: ret->kind = FLOW_JUMP; break;
	default: /* bl, blx */
		ret->kind = FLOW_CALL;
		ret->direct = true;
		break;
	}
	ret->target = pc + sign_extend(far, 25);
	if ((b >> 12 & 5) == 4)
		ret->target &= ~UINT64_C(3);
}

/* Decodes loads of pc, and the branches through tables. */
static void decode_load(uint32_t a, uint32_t b, struct flow *ret)
{
	if ((a & 0xfff0) == 0xe8d0 && (b & 0xffe0) == 0xf000) /* tbb, tbh */
		ret->kind = FLOW_JUMP_INDIRECT;
	else if (((a & 0xffd0) == 0xe890 || (a & 0xffd0) == 0xe910) && b & 0x8000) /* ldm */
		ret->kind = (a & 15) == 13 ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
	else if (((a & 0xfff0) == 0xf8d0 || (a & 0xff7f) == 0xf85f) && b >> 12 == 15)
		ret->kind = FLOW_JUMP_INDIRECT; /* ldr pc, [Rn, #imm12], ldr pc, [pc, #imm12] */
	else if ((a & 0xfff0) == 0xf850 && b >> 12 == 15) /* ldr pc, [sp], #imm; [Rn, Rm] */
		ret->kind = (a & 15) == 13 && b & 0x800 ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
}

bool thumb_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 2 };
	if (left < 2)
		return false;
	const uint32_t a = load_le16(p);
	ret->size = (uint8_t)thumb_size(a);
	if (ret->size == 2) {
		thumb_decode_short(a, addr, ret);
	} else if (left >= 4) {
		const uint32_t b = load_le16(p + 2);
		if ((a & 0xf800) == 0xf000 && b & 0x8000)
			decode_branch(a, b, addr, ret);
		else
			decode_load(a, b, ret);
	}
	if (ret->kind == FLOW_CALL || ret->kind == FLOW_JUMP || ret->kind == FLOW_CONDITIONAL)
		ret->target = code_target32(addr, ret->target);
	ASSERT(ret->size == 2 || ret->size == 4);
	return left >= ret->size;
}
