/* Decodes branches of MIPS instructions. */
#include "code/mips.h"

enum {
	SPECIAL = 0,
	REGIMM = 1,
	J = 2,
	JAL = 3,
	BEQ = 4,
	BGTZ = 7,
	COP1 = 17,
	COP2 = 18,
	BEQL = 20,
	BGTZL = 23,
	JR = 8,     /* Function of SPECIAL */
	JALR = 9,   /* Function of SPECIAL */
	BREAK = 13, /* Function of SPECIAL */
	BAL = 17,   /* Function of REGIMM, with register 0 */
	BC = 8,     /* Function of COP1, COP2 */
	RA = 31,
};

static void decode_special(uint32_t insn, struct flow *ret)
{
	const unsigned rs = insn >> 21 & 31, rd = insn >> 11 & 31, function = insn & 0x3f;
	if (function == JR || (function == JALR && rd == 0))
		ret->kind = rs == RA ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
	else if (function == JALR)
		ret->kind = FLOW_CALL;
	else if (function == BREAK)
		ret->kind = FLOW_TRAP;
	else if (insn == 0)
		ret->kind = FLOW_NOP;
}

/* Decodes comparisons with 0, including bal. */
static void decode_regimm(uint32_t insn, struct flow *ret)
{
	const unsigned rs = insn >> 21 & 31, rt = insn >> 16 & 31;
	if ((rt & 0xc) != 0)
		return; /* traps */
	ret->kind = rt < 16 ? FLOW_CONDITIONAL : FLOW_CALL;
	ret->direct = rt >= 16;
	ret->maybe = rt >= 16 && !(rt == BAL && rs == 0);
}

bool mips_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 4 };
	if (left < 4)
		return false;
	const uint32_t insn = big_endian ? load_be32(p) : load_le32(p);
	const unsigned op = insn >> 26, rs = insn >> 21 & 31, rt = insn >> 16 & 31;
	ret->target = addr + 4 + 4 * sign_extend(insn & 0xffff, 16);
	if (op == SPECIAL) {
		decode_special(insn, ret);
	} else if (op == REGIMM) {
		decode_regimm(insn, ret);
	} else if (op == J || op == JAL) {
		enum { REGION = 0xfffffff };
		ret->kind = op == J ? FLOW_JUMP : FLOW_CALL;
		ret->direct = op == JAL;
		ret->target = ((addr + 4) & ~(uint64_t)REGION) | (insn << 2 & REGION);
	} else if ((op >= BEQ && op <= BGTZ) || (op >= BEQL && op <= BGTZL)) {
		ret->kind = (op & 3) == 0 && rs == rt ? FLOW_JUMP : FLOW_CONDITIONAL;
	} else if ((op == COP1 || op == COP2) && rs == BC) {
		ret->kind = FLOW_CONDITIONAL;
	}
	if (ret->kind != FLOW_PLAIN && ret->kind != FLOW_TRAP && ret->kind != FLOW_NOP && left >= 8)
		ret->size = 8;
	return true;
}
