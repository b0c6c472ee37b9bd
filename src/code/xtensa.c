/* Decodes lengths and branches of Xtensa and AVR instructions. */
#include "code/flow.h"

/* Decodes RST0, ST0: op0, op1 and op2 are 0. */
static void decode_st0(uint32_t insn, struct flow *ret)
{
	const unsigned t = insn >> 4 & 15, r = insn >> 12 & 15;
	if (insn == 0)
		ret->kind = FLOW_TRAP;  /* ill */
	else if (r == 0 && t >> 2 == 2) /* ret, retw, jx */
		ret->kind = (t & 3) == 2 ? FLOW_JUMP_INDIRECT : FLOW_RETURN;
	else if (r == 0 && t >> 2 == 3)
		ret->kind = FLOW_CALL; /* callx0, 4, 8, 12 */
	else if (insn == 0x0020f0)
		ret->kind = FLOW_NOP;
	else if (r == 3 && t <= 2)
		ret->kind = FLOW_RETURN, ret->handler = true; /* rfe, rfi and similar */
	else if (r == 4)
		ret->kind = FLOW_TRAP; /* break */
}

/* Decodes SI: j, branches on zero, small constants and flags, entry, loops. */
static void decode_si(uint32_t insn, uint64_t addr, struct flow *ret)
{
	const unsigned n = insn >> 4 & 3, m = insn >> 6 & 3, r = insn >> 12 & 15;
	const uint64_t pc = addr + 4;
	ret->kind = n == 0 ? FLOW_JUMP : FLOW_CONDITIONAL;
	if (n == 0)
		ret->target = pc + sign_extend(insn >> 6, 18);
	else if (n == 1)
		ret->target = pc + sign_extend(insn >> 12, 12);
	else if (n == 3 && m == 1 && r >= 8 && r <= 10)
		ret->target = pc + (insn >> 16); /* loop, loopnez, loopgtz */
	else
		ret->target = pc + sign_extend(insn >> 16, 8);
	if (n == 3 && (m == 0 || (m == 1 && (r == 8 || (r > 1 && r != 9 && r != 10)))))
		ret->kind = FLOW_PLAIN; /* entry; loop, which is executed at least once */
}

static void xtensa_decode_short(uint32_t insn, uint64_t addr, struct flow *ret)
{
	const unsigned t = insn >> 4 & 15, r = insn >> 12 & 15;
	if ((insn & 15) == 12 && t & 8) { /* beqz.n, bnez.n */
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + 4 + ((t & 3) << 4 | r);
	} else if ((insn & 15) == 13 && r == 15) {
		static const uint8_t kinds[16] = { [0] = FLOW_RETURN,
						   [1] = FLOW_RETURN,
						   [2] = FLOW_TRAP,
						   [3] = FLOW_NOP,
						   [6] = FLOW_TRAP };
		ret->kind = kinds[t];
	}
}

bool xtensa_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = left > 0 ? (uint8_t)xtensa_size(*p) : 0 };
	if (ret->size == 0 || ret->size > left)
		return false;
	uint32_t insn = load_le16(p);
	if (ret->size == 2) {
		xtensa_decode_short(insn, addr, ret);
	} else {
		insn |= (uint32_t)p[2] << 16;
		switch (insn & 15) {
		case 0:
			if (insn >> 16 == 0)
				decode_st0(insn, ret);
			break;
		case 5: /* call0, 4, 8, 12 */
			ret->kind = FLOW_CALL;
			ret->direct = true;
			ret->target = (addr & ~UINT64_C(3)) + 4 + (sign_extend(insn >> 6, 18) << 2);
			break;
		case 6: decode_si(insn, addr, ret); break;
		case 7:
			ret->kind = FLOW_CONDITIONAL;
			ret->target = addr + 4 + sign_extend(insn >> 16, 8);
			break;
		default: break;
		}
	}
	ret->target = code_target32(addr, ret->target);
	ASSERT(ret->size == 2 || ret->size == 3);
	return true;
}

bool xtensa_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		    uint64_t *ret_addr)
{
	if (left < 3 || (p[0] & 15) != 1)
		return false;
	*ret_reg = p[0] >> 4;
	*ret_addr = (((addr + 3) & ~UINT64_C(3)) +
		     ((UINT64_C(0xffffffffffff0000) | load_le16(p + 1)) << 2)) &
		    UINT32_MAX;
	return true;
}

/* Decodes AVR instructions. */

static void decode_plain(uint32_t w, struct flow *ret)
{
	switch (w) {
	case 0x0000: ret->kind = FLOW_NOP; break;
	case 0x9409:                                        /* ijmp */
	case 0x9419: ret->kind = FLOW_JUMP_INDIRECT; break; /* eijmp */
	case 0x9509:                                        /* icall */
	case 0x9519: ret->kind = FLOW_CALL; break;          /* eicall */
	case 0x9508:                                        /* ret */
	case 0x9518:                                        /* reti */
		ret->kind = FLOW_RETURN;
		ret->handler = w == 0x9518;
		break;
	case 0x9598: ret->kind = FLOW_TRAP; break; /* break */
	default: break;
	}
}

bool avr_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 2 };
	if (left < 2)
		return false;
	const uint32_t w = load_le16(p);
	ret->size = (uint8_t)avr_size(w);
	if (ret->size > left)
		return false;
	if ((w & 0xfe0c) == 0x940c) {
		ret->direct = w & 2;
		ret->kind = ret->direct ? FLOW_CALL : FLOW_JUMP;
		ret->target = 2 * ((uint64_t)(w >> 4 & 0x1f) << 17 | (uint64_t)(w & 1) << 16 |
				   load_le16(p + 2));
	} else if ((w & 0xe000) == 0xc000 || (w & 0xf800) == 0xf000) {
		const bool conditional = (w & 0xf800) == 0xf000; /* brbs, brbc */
		const uint64_t words = conditional ? sign_extend(w >> 3 & 0x7f, 7)
						   : sign_extend(w & 0xfff, 12);
		ret->kind = conditional              ? FLOW_CONDITIONAL
			    : (w & 0xf000) == 0xd000 ? FLOW_CALL
						     : FLOW_JUMP;
		ret->direct = ret->kind == FLOW_CALL;
		ret->target = code_target32(addr, addr + 2 + 2 * words);
	} else if ((w & 0xfc00) == 0x1000 || (w & 0xfc08) == 0xfc00 || (w & 0xfd00) == 0x9900) {
		/* cpse, sbrc and sbrs, sbic and sbis */
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + 2 + (left >= 4 ? avr_size(load_le16(p + 2)) : 2);
	} else {
		decode_plain(w, ret);
	}
	ASSERT(ret->size == 2 || ret->size == 4);
	return true;
}
