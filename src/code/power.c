/* Decodes lengths and branches of PowerPC, MIPS and z/Architecture instructions. */
#include "code/flow.h"

enum { PREFIX = 1, BC = 16, B = 18, XL = 19, ALWAYS = 20 };

/* Decodes branches to the address in the link, count or target register. */
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

/* Decodes MIPS instructions. */

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
	JR = 8,     /* Function field of opcode SPECIAL */
	JALR = 9,   /* Function field of opcode SPECIAL */
	BREAK = 13, /* Function field of opcode SPECIAL */
	BAL = 17,   /* Field rt of opcode REGIMM, if rs is register 0 */
	COP_BC = 8, /* Field rs of opcodes COP1 and COP2 */
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

/* Decodes branches that compare a register with 0, including bal. */
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
	} else if ((op == COP1 || op == COP2) && rs == COP_BC) {
		ret->kind = FLOW_CONDITIONAL;
	}
	if (ret->kind != FLOW_PLAIN && ret->kind != FLOW_TRAP && ret->kind != FLOW_NOP && left >= 8)
		ret->size = 8;
	return true;
}

/* Decodes z/Architecture instructions. */

enum { MASK_ALWAYS = 15, LINK = 14 };

/* Sets the kind of a branch by its condition mask. */
static void branch_kind(unsigned mask, enum flow_kind always, struct flow *ret)
{
	ret->kind = (uint8_t)(mask == 0             ? FLOW_NOP
			      : mask == MASK_ALWAYS ? always
						    : FLOW_CONDITIONAL);
}

/* Decodes instructions of two bytes: bcr, basr, bctr. */
static void s390_decode_short(const uint8_t *p, struct flow *ret)
{
	const unsigned mask = p[1] >> 4, reg = p[1] & 15;
	if (*p == 0x07 && reg > 0 && mask > 0) {
		ret->kind = reg == LINK ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
		ret->maybe = mask != MASK_ALWAYS;
	} else if (*p == 0x07) {
		ret->kind = FLOW_NOP;
	} else if (*p == 0x0d && reg > 0) {
		ret->kind = FLOW_CALL;
	} else if (*p == 0x00) {
		ret->kind = FLOW_TRAP;
	}
}

/* Decodes branches whose distance has 16 bits: brc, bras, brct, brctg, brxh, brxle. */
static void decode_near(const uint8_t *p, struct flow *ret)
{
	const unsigned form = p[1] & 15;
	if (*p == 0x84 || *p == 0x85 || (*p == 0xa7 && (form == 6 || form == 7))) {
		ret->kind = FLOW_CONDITIONAL;
	} else if (*p == 0xa7 && form == 4) {
		branch_kind(p[1] >> 4, FLOW_JUMP, ret);
	} else if (*p == 0xa7 && form == 5) {
		ret->kind = FLOW_CALL;
		ret->direct = true;
	} else if (*p == 0x47) {
		ret->kind = p[1] >> 4 == MASK_ALWAYS ? FLOW_JUMP_INDIRECT : FLOW_PLAIN;
	}
}

/* True if the last byte of an instruction that begins with EC belongs to a branch: brxhg, brxlg,
 * and comparisons with a branch. */
static bool compares(unsigned last)
{
	return last == 0x44 || last == 0x45 || last == 0x64 || last == 0x65 || last == 0x76 ||
	       last == 0x77 || (last >= 0x7c && last <= 0x7f);
}

bool s390_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 2 };
	if (left < 2)
		return false;
	ret->size = *p < 0x40 ? 2 : *p < 0xc0 ? 4 : 6;
	if (left < ret->size)
		return false;
	if (ret->size == 2) {
		s390_decode_short(p, ret);
		return true;
	}
	ret->target = addr + 2 * sign_extend(load_be16(p + 2), 16);
	if (ret->size == 4) {
		decode_near(p, ret);
	} else if (*p == 0xc0 && (p[1] & 15) == 4) {
		branch_kind(p[1] >> 4, FLOW_JUMP, ret);
		ret->target = addr + 2 * sign_extend(load_be32(p + 2), 32);
	} else if (*p == 0xc0 && (p[1] & 15) == 5) {
		ret->kind = FLOW_CALL;
		ret->direct = true;
		ret->target = addr + 2 * sign_extend(load_be32(p + 2), 32);
	} else if ((*p == 0xec && compares(p[5])) || (*p == 0xcc && (p[1] & 15) == 6)) {
		ret->kind = FLOW_CONDITIONAL;
	}
	return true;
}
