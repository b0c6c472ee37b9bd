/* Decodes lengths and branches of z/Architecture instructions. */
#include "code/s390.h"

enum { ALWAYS = 15, LINK = 14 };

/* Sets the kind of a branch by its condition mask. */
static void branch_kind(unsigned mask, enum flow_kind always, struct flow *ret)
{
	ret->kind = (uint8_t)(mask == 0 ? FLOW_NOP : mask == ALWAYS ? always : FLOW_CONDITIONAL);
}

/* Decodes instructions of two bytes: bcr, basr, bctr. */
static void s390_decode_short(const uint8_t *p, struct flow *ret)
{
	const unsigned mask = p[1] >> 4, reg = p[1] & 15;
	if (*p == 0x07 && reg > 0 && mask > 0) {
		ret->kind = reg == LINK ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
		ret->maybe = mask != ALWAYS;
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
		ret->kind = p[1] >> 4 == ALWAYS ? FLOW_JUMP_INDIRECT : FLOW_PLAIN;
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
