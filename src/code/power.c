/* Decodes lengths and branches of PowerPC instructions. */
#include "code/power.h"

enum { PREFIX = 1, BC = 16, B = 18, XL = 19, ALWAYS = 20 };

/* Decodes branches to the link, count and target registers. */
static void decode_register(uint32_t insn, struct flow *ret)
{
	enum { BCLR = 16, BCCTR = 528, BCTAR = 560 };
	const unsigned form = insn >> 1 & 0x3ff;
	const bool always = (insn >> 21 & ALWAYS) == ALWAYS;
	if (form != BCLR && form != BCCTR && form != BCTAR)
		return;
	ret->kind = insn & 1 ? FLOW_CALL : form == BCLR ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
	ret->maybe = !always;
}

bool power_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 4 };
	if (left < 4)
		return false;
	const uint32_t insn = big_endian ? load_be32(p) : load_le32(p);
	const bool absolute = insn & 2, link = insn & 1;
	const uint64_t base = absolute ? 0 : addr;
	const unsigned op = insn >> 26;
	if (op == PREFIX && left >= 8) {
		ret->size = 8;
	} else if (op == B) {
		ret->kind = link ? FLOW_CALL : FLOW_JUMP;
		ret->direct = link;
		ret->target = base + sign_extend(insn & 0x3fffffc, 26);
	} else if (op == BC) {
		const bool always = (insn >> 21 & ALWAYS) == ALWAYS;
		ret->target = base + sign_extend(insn & 0xfffc, 16);
		ret->kind = link ? FLOW_CALL : always ? FLOW_JUMP : FLOW_CONDITIONAL;
		ret->direct = link;
		ret->maybe = link && !always;
	} else if (op == XL) {
		decode_register(insn, ret);
	} else if (insn == 0x60000000 || insn == 0x60420000) {
		ret->kind = FLOW_NOP; /* Also the nop that separates groups: ori r2, r2, 0 */
	} else if (insn == 0x7fe00008 || insn == 0) {
		ret->kind = FLOW_TRAP;
	}
	return true;
}
