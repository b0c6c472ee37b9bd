/* Decodes branches of ARM instructions. */
#include "code/flow.h"

enum { ALWAYS = 14, LINK = 14, PC = 15, STACK = 13 };

/* True if a data-processing instruction writes pc. Comparisons write no register, and some other
 * instructions share their encoding. */
static bool computes_pc(uint32_t insn)
{
	const unsigned opcode = insn >> 21 & 15;
	const bool multiplies = !(insn >> 25 & 1) && (insn & 0x90) == 0x90;
	return (insn & 0x0c00f000) == 0xf000 && (opcode < 8 || opcode > 11) && !multiplies;
}

/* Decodes the jump of a switch into a row of branches: `add<c> pc, pc, Rm, lsl #2`. The first
 * branch goes to the default case, the others to the cases. The last case is the target that is
 * returned. */
static void decode_row(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	uint64_t off = 4;
	while (left - off >= 4 && load_le32(p + off) >> 24 == (ALWAYS << 4 | 0xa))
		off += 4;
	ret->kind = FLOW_CONDITIONAL;
	ret->target = code_target32(addr, addr + off - 4);
}

bool arm_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 4 };
	if (left < 4)
		return false;
	const uint32_t insn = load_le32(p);
	const unsigned cond = insn >> 28;
	const uint64_t near = addr + 8 + 4 * sign_extend(insn, 24);
	if (cond == PC) { /* No condition: blx, and instructions of coprocessors */
		ret->kind = insn >> 25 == 0x7d ? FLOW_CALL : FLOW_PLAIN;
		ret->direct = ret->kind == FLOW_CALL;
		ret->target = code_target32(addr, near + (insn >> 23 & 2));
		return true;
	}
	if ((insn & 0x0e000000) == 0x0a000000) {
		const bool link = insn >> 24 & 1;
		ret->kind = link ? FLOW_CALL : cond == ALWAYS ? FLOW_JUMP : FLOW_CONDITIONAL;
		ret->direct = link;
		ret->target = code_target32(addr, near);
		ret->maybe = link && cond != ALWAYS;
		return true;
	}
	if ((insn & 0x0ffffff0) == 0x008ff100 && cond != ALWAYS) {
		decode_row(p, left, addr, ret);
		return true;
	}
	/* Decodes branches to an address in a register or in memory. */
	if ((insn & 0x0ffffff0) == 0x012fff30)
		ret->kind = FLOW_CALL; /* blx */
	else if ((insn & 0x0fffffff) == 0x012fff1e || (insn & 0x0fffffff) == 0x01a0f00e ||
		 (insn & 0x0e108000) == 0x08108000 ||
		 ((insn & 0x0c10f000) == 0x0410f000 && (insn >> 16 & 15) == STACK))
		ret->kind = FLOW_RETURN; /* bx lr; mov pc, lr; ldm {..., pc}; ldr pc, [sp], #n */
	else if ((insn & 0x0ffffff0) == 0x012fff10 || (insn & 0x0c10f000) == 0x0410f000 ||
		 computes_pc(insn))
		ret->kind = FLOW_JUMP_INDIRECT;
	ret->maybe = ret->kind != FLOW_PLAIN && cond != ALWAYS;
	if (insn == 0xe1a00000 || insn == 0xe320f000)
		ret->kind = FLOW_NOP;
	else if ((insn & 0xfff000f0) == 0xe7f000f0)
		ret->kind = FLOW_TRAP;
	return true;
}

uint64_t arm_case_count(struct bytes code, uint64_t off)
{
	enum { BACK = 8 };
	if (off > code.size || code.size - off < 4 ||
	    (load_le32(code.p + off) & 0x0ffffff0) != 0x079ff100)
		return 0;
	const uint32_t reg = code.p[off] & 15;
	for (unsigned i = 1; i <= BACK && off >= 4 * i; i++) {
		const uint32_t insn = load_le32(code.p + off - 4 * i);
		if ((insn & 0x0ffff000) == (0x03500000 | reg << 16)) { /* cmp Rm, #imm */
			const unsigned turn = (insn >> 8 & 15) * 2;
			const uint32_t byte = insn & 0xff;
			return turn == 0 ? byte + UINT64_C(1) : byte << (32 - turn) | byte >> turn;
		}
	}
	return 0;
}

bool arm_set_likely(struct bytes code, uint64_t addr, bool big_endian)
{
	uint64_t words = 0, always = 0;
	for (uint64_t off = -addr % 4; off < code.size && code.size - off >= 4; off += 4) {
		words++;
		always += code.p[off + (big_endian ? 0 : 3)] >> 4 == ALWAYS;
	}
	return always * 2 > words;
}

bool arm_literal(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		 unsigned *ret_size)
{
	const uint32_t insn = left < 4 ? 0 : load_le32(p);
	const uint32_t byte = insn & 0xff, half = (insn >> 4 & 0xf0) | (insn & 15);
	const bool word = (insn & 0x0f7f0000) == 0x051f0000;
	const bool vector = (insn & 0x0f3f0e00) == 0x0d1f0a00; /* vldr */
	const bool pair = (insn & 0x0f7f00f0) == 0x014f00d0;   /* ldrd */
	const uint32_t distance = word ? insn & 0xfff : vector ? byte * 4 : half;
	*ret_size = pair || (vector && insn >> 8 & 1) ? 8 : 4;
	*ret_addr = insn >> 23 & 1 ? addr + 8 + distance : addr + 8 - distance;
	return word || vector || pair;
}
