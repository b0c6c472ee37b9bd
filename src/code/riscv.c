/* Decodes lengths and branches of RISC-V instructions. */
#include "code/flow.h"

enum { RA = 1, T0 = 5 };

/* True if a jump that writes its return address to `reg` is a call (table 2.1: hints). */
static bool is_link(unsigned reg)
{
	return reg == RA || reg == T0;
}

static void decode_by_register(uint32_t c, struct flow *ret)
{
	const unsigned rs1 = c >> 7 & 31;
	if ((c & 0x7c) != 0)
		return; /* c.mv, c.add */
	if (rs1 == 0)
		ret->kind = c & 0x1000 ? FLOW_TRAP : FLOW_PLAIN; /* c.ebreak */
	else if (c & 0x1000)
		ret->kind = FLOW_CALL;
	else
		ret->kind = is_link(rs1) ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
}

/* Decodes instructions of extensions that reuse compressed encodings: cm.popretz, cm.popret; cm.jt
 * and cm.jalt, whose jump table (28.14) is unknown; Qualcomm's returns from interrupts. False for
 * other instructions. */
static bool decode_instead(enum code_isa isa, uint32_t c, struct flow *ret)
{
	enum { QC_MRET = 0x1912, QC_MNRET = 0x1992, QC_MILEAVERET = 0x1a12 };
	if (isa == CODE_RISCV32_XQCI && (c == QC_MRET || c == QC_MNRET || c == QC_MILEAVERET))
		ret->kind = FLOW_RETURN, ret->handler = true;
	if (!riscv_has_pushes(isa) || (c & 0xe003) != 0xa002)
		return ret->kind != FLOW_PLAIN;
	if ((c & 0xfc00) == 0xa000)
		ret->kind = (c >> 2 & 0xff) < 32 ? FLOW_JUMP_INDIRECT : FLOW_CALL;
	else if ((c & 0xfd03) == 0xbc02 && (c >> 4 & 15) >= 4)
		ret->kind = FLOW_RETURN;
	return true;
}

/* Decodes compressed instructions (tables 16.5 to 16.7). */
static void riscv_decode_short(bool wide, uint32_t c, uint64_t addr, struct flow *ret)
{
	const unsigned kind = c & 3, op = c >> 13;
	if (c == 0) {
		ret->kind = FLOW_TRAP;
	} else if (c == 1) {
		ret->kind = FLOW_NOP;
	} else if (kind == 1 && (op == 5 || (op == 1 && !wide))) {
		ret->kind = op == 5 ? FLOW_JUMP : FLOW_CALL;
		ret->direct = op == 1;
		/* Decodes imm[11|4|9:8|10|6|7|3:1|5] of c.j and c.jal, in bits 12-2. */
		const uint32_t v = (c >> 1 & 0x800) | (c >> 7 & 0x10) | (c >> 1 & 0x300) |
				   (c << 2 & 0x400) | (c >> 1 & 0x40) | (c << 1 & 0x80) |
				   (c >> 2 & 0xe) | (c << 3 & 0x20);
		ret->target = addr + sign_extend(v, 12);
	} else if (kind == 1 && op >= 6) {
		ret->kind = FLOW_CONDITIONAL;
		/* Decodes imm[8|4:3] in bits 12-10, imm[7:6|2:1|5] in bits 6-2: c.beqz and
		 * c.bnez. */
		const uint32_t v = (c >> 4 & 0x100) | (c >> 7 & 0x18) | (c << 1 & 0xc0) |
				   (c >> 2 & 6) | (c << 3 & 0x20);
		ret->target = addr + sign_extend(v, 9);
	} else if (kind == 2 && op == 4) {
		decode_by_register(c, ret);
	}
}

/* Returns the distance in a branch of format B (2.3). */
static uint64_t branch_distance(uint32_t c)
{
	return sign_extend(
		(c >> 19 & 0x1000) | (c << 4 & 0x800) | (c >> 20 & 0x7e0) | (c >> 7 & 0x1e), 13);
}

/* Decodes branches of vendors' extensions, which compare with a number or test a bit. */
static void decode_vendor(enum code_isa isa, uint32_t c, uint64_t addr, struct flow *ret)
{
	static const struct {
		enum code_isa isa; /* Value for RV32. The next value of the enum is for RV64 */
		uint8_t op, f3s;   /* `f3s`: one bit per value of funct3 */
	} branches[] = {
		{ CODE_RISCV32_XQCI, 0x7b, 0xf3 },   /* qc.beqi to qc.bgeui */
		{ CODE_RISCV32_XCV, 0x0b, 0xc0 },    /* cv.beqimm, cv.bneimm */
		{ CODE_RISCV32_XANDES, 0x5b, 0xe0 }, /* nds.beqc, nds.bnec, nds.bbc, nds.bbs */
	};
	for (size_t i = 0; i < COUNT_OF(branches); i++) {
		if ((isa != branches[i].isa && isa != branches[i].isa + 1) ||
		    (c & 0x7f) != branches[i].op || !(branches[i].f3s >> (c >> 12 & 7) & 1))
			continue;
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + (branches[i].isa != CODE_RISCV32_XANDES
					      ? branch_distance(c)
					      : sign_extend((c >> 21 & 0x400) | (c >> 20 & 0x3e0) |
								    (c >> 7 & 0x1e),
							    11));
	}
}

/* Decodes instructions of 48 bits: qc.e.beqi to qc.e.bgeui, qc.e.j and qc.e.jal. Only Qualcomm's
 * Xqcibi and Xqcilb have this size. `c` has the low 32 bits. */
static void decode_longer(uint32_t c, uint32_t high, uint64_t addr, struct flow *ret)
{
	const unsigned which = c >> 20 & 31;
	if ((c & 0x707f) != 0x401f)
		return;
	if (which >= 24 && which != 26 && which != 27) {
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + branch_distance(c);
	} else if (which == 0 && !(c & 0x10000)) {
		ret->kind = c & 0x8000 ? FLOW_CALL : FLOW_JUMP;
		ret->direct = ret->kind == FLOW_CALL;
		/* imm[31:16] is above the B-type's fields, imm[15:13] between them. */
		ret->target = addr + (sign_extend(high, 16) << 16 | (c >> 4 & 0xe000) |
				      (branch_distance(c) & 0x1ffe));
	}
}

static void decode_long(uint32_t c, uint64_t addr, struct flow *ret)
{
	enum { BRANCH = 0x63, JALR = 0x67, JAL = 0x6f };
	const unsigned rd = c >> 7 & 31, rs1 = c >> 15 & 31;
	uint32_t far;
	switch (c & 0x7f) {
	case BRANCH:
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + branch_distance(c);
		break;
	case JAL:
		ret->kind = rd == 0 ? FLOW_JUMP : FLOW_CALL;
		ret->direct = rd != 0;
		far = (c >> 11 & 0x100000) | (c & 0xff000) | (c >> 9 & 0x800) | (c >> 20 & 0x7fe);
		ret->target = addr + sign_extend(far, 21);
		break;
	case JALR:
		ret->kind = rd != 0 ? FLOW_CALL : is_link(rs1) ? FLOW_RETURN : FLOW_JUMP_INDIRECT;
		break;
	default:
		if (c == 0x00000013)
			ret->kind = FLOW_NOP;
		else if (c == 0x00100073 || c == 0xc0001073)
			ret->kind = FLOW_TRAP; /* ebreak, unimp */
		else if (c == 0x30200073 || c == 0x10200073 || c == 0x70200073 || c == 0x7b200073)
			ret->kind = FLOW_RETURN, ret->handler = true; /* mret, sret, mnret, dret */
	}
}

bool riscv_far(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	enum { AUIPC = 0x17, JALR = 0x67 };
	if (left < 8)
		return false;
	const uint32_t high = load_le32(p), low = load_le32(p + 4);
	if ((high & 0x7f) != AUIPC || (low & 0x7f) != JALR || (low >> 15 & 31) != (high >> 7 & 31))
		return false;
	const bool call = (low >> 7 & 31) != 0;
	*ret = (struct flow){ .size = 4,
			      .kind = call ? FLOW_CALL : FLOW_JUMP,
			      .direct = call,
			      .target = addr + sign_extend(high & 0xfffff000, 32) +
					sign_extend(low >> 20, 12) };
	if (!wide)
		ret->target = code_target32(addr, ret->target);
	return true;
}

bool riscv_flow(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	const bool wide = code_isa_plain(isa) == CODE_RISCV64;
	*ret = (struct flow){ .size = 2 };
	if (left < 2)
		return false;
	const uint32_t first = load_le16(p);
	ret->size = (uint8_t)riscv_size(first);
	if (ret->size == 0 || ret->size > left)
		return false;
	if (ret->size == 2 && !decode_instead(isa, first, ret))
		riscv_decode_short(wide, first, addr, ret);
	else if (ret->size == 4)
		decode_long(load_le32(p), addr, ret);
	else if (ret->size == 6)
		decode_longer(load_le32(p), load_le16(p + 4), addr, ret);
	if (ret->size == 4 && ret->kind == FLOW_PLAIN && isa != code_isa_plain(isa))
		decode_vendor(isa, load_le32(p), addr, ret);
	if (!wide)
		ret->target = code_target32(addr, ret->target);
	ASSERT(ret->size % 2 == 0 && ret->size <= left);
	return true;
}
