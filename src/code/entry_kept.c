/* Finds registers that a piece of code reads before it writes them. */
#include "code/entry.h"

#include "code/flow.h"

enum { LOOK_AT = 4 };

/* What an instruction says about the start of a function */
enum verdict {
	SAYS_NOTHING,
	SAYS_ENTRY, /* The code is the start of a function: it saves a register or makes room on
		     * the stack. Also if the instruction cannot be decoded here */
	SAYS_KEPT,  /* The code is no start: it reads a register that callers do not set */
};

enum { RAX = 0, RBX = 3, RSP = 4, RBP = 5, RSI = 6, RDI = 7, R12 = 12 };

struct x86_operands {
	unsigned op; /* Opcode, plus 0x100 for the 0F map */
	unsigned reg, rm;
	bool memory, based; /* `based`: true if the address is relative to register rm */
};

static bool kept_x86(bool mode64, unsigned reg)
{
	if (mode64)
		return reg == RBX || reg == RBP || reg >= R12;
	return reg == RBX || reg == RBP || reg == RSI || reg == RDI;
}

static unsigned entry_kept_byte_at(struct bytes code, uint64_t i)
{
	return i < code.size ? code.p[i] : 0;
}

/* Reads the operands of an instruction. False if this file does not know the opcode's form. */
static bool entry_kept_operands_read(bool mode64, struct bytes code, struct x86_operands *ret)
{
	uint64_t i = entry_kept_byte_at(code, 0) == 0x66;
	const unsigned rex = mode64 && (entry_kept_byte_at(code, i) & 0xf0) == 0x40
				     ? entry_kept_byte_at(code, i++)
				     : 0;
	unsigned op = entry_kept_byte_at(code, i++);
	if (op == 0x0f)
		op = 0x100 | entry_kept_byte_at(code, i++);
	const bool plain = (op < 0x40 && (op & 4) == 0) || op == 0x63 || op == 0x69 || op == 0x6b ||
			   (op >= 0x80 && op <= 0x8d && op != 0x8c) || op == 0xc6 || op == 0xc7 ||
			   op == 0xf6 || op == 0xf7;
	const bool extends = (op & ~9u) == 0x1b6; /* movzx, movsx */
	const unsigned modrm = entry_kept_byte_at(code, i), sib = entry_kept_byte_at(code, i + 1);
	const unsigned mod = modrm >> 6, low = modrm & 7;
	const bool scaled = mod != 3 && low == RSP;
	const unsigned base = scaled ? sib & 7 : low;
	*ret = (struct x86_operands){ .op = op,
				      .reg = (modrm >> 3 & 7) | (rex & 4) << 1,
				      .rm = base | (rex & 1) << 3,
				      .memory = mod != 3,
				      .based = mod == 1 || mod == 2 || (mod == 0 && base != RBP) };
	return plain || extends;
}

/* True if the code reads `reg` although callers do not set it and the code has not written it.
 * `written` has one bit per register. */
static bool reads_foreign(bool mode64, unsigned reg, uint32_t written)
{
	return !(written >> reg & 1) && (kept_x86(mode64, reg) || (mode64 && reg == RAX));
}

/* True if the instruction releases a frame: leave, pop of a callee-saved register, add $n, %rsp. */
static bool gives_back(bool mode64, struct bytes code)
{
	enum { LEAVE = 0xc9, POP = 0x58 };
	const bool rex_b = mode64 && entry_kept_byte_at(code, 0) == 0x41,
		   rex_w = entry_kept_byte_at(code, 0) == 0x48;
	const unsigned op = entry_kept_byte_at(code, rex_b || (mode64 && rex_w));
	const unsigned at = mode64 ? 2 : 1, modrm = entry_kept_byte_at(code, at);
	/* True for a negative number: compilers write sub $128 as add $-128, which is shorter. */
	const bool less = entry_kept_byte_at(code, op == 0x83 ? at + 1 : at + 4) & 0x80;
	if (op == LEAVE)
		return true;
	if ((op & 0xf8) == POP)
		return kept_x86(mode64, (op & 7) | (unsigned)rex_b << 3);
	return (op == 0x83 || op == 0x81) && modrm == 0xc4 && mode64 == rex_w && !less;
}

static enum verdict verdict_x86(bool mode64, struct bytes code, uint32_t *written)
{
	struct x86_operands o;
	/* True for endbr64 and endbr32, which are also in landing pads. */
	struct reader r = reader_of(bytes_sub(code, 0, 4), false);
	if ((read_u32(&r) & 0xfeffffff) == 0xfa1e0ff3)
		return SAYS_NOTHING;
	if (gives_back(mode64, code))
		return SAYS_KEPT;
	if (!entry_kept_operands_read(mode64, code, &o))
		return SAYS_ENTRY;
	/* True if the instruction writes its register to memory or to another register. */
	const bool puts = (o.op < 0x40 && (o.op & 2) == 0) || (o.op >= 0x84 && o.op <= 0x89),
		   alone = (o.op >= 0x80 && o.op <= 0x83) || o.op == 0xc6 || o.op == 0xc7 ||
			   o.op == 0xf6 || o.op == 0xf7;
	const bool tests = (o.op | 1) == 0x85, moves = o.op == 0x88 || o.op == 0x89;
	/* An instruction like "xor %eax, %eax" sets the register to 0. It does not read its
	 * value. */
	const bool same = !o.memory && !alone && o.rm == o.reg && !tests;
	/* True if the instruction uses only one byte of a register. To read al at the beginning of
	 * a function is normal: callers pass the number of vector arguments there. */
	const bool part = (o.op & 1) == 0 && o.op < 0x100 && o.op != 0x8a;
	if (o.memory && o.based && reads_foreign(mode64, o.rm, *written))
		return SAYS_KEPT;
	if (o.memory && puts && o.based && o.rm == RSP && kept_x86(mode64, o.reg))
		return SAYS_ENTRY;
	if (!o.memory && alone && o.rm == RSP)
		return SAYS_ENTRY;
	const bool by_reg = puts && !same,
		   by_rm = !o.memory && !same && !(puts && moves) && o.op != 0xc6 && o.op != 0xc7;
	if ((by_reg && !(part && o.reg == RAX) && reads_foreign(mode64, o.reg, *written)) ||
	    (by_rm && !(part && o.rm == RAX) && reads_foreign(mode64, o.rm, *written)))
		return SAYS_KEPT;
	if (!puts && !alone)
		*written |= 1u << o.reg;
	else if (!o.memory)
		*written |= 1u << o.rm;
	return SAYS_NOTHING;
}

static bool kept_arm64(uint32_t reg)
{
	enum { FIRST = 19, LAST = 29 };
	return (reg & 31) >= FIRST && (reg & 31) <= LAST;
}

static enum verdict verdict_arm64(struct bytes code)
{
	enum { SP = 31 };
	struct reader r = reader_of(bytes_sub(code, 0, 4), false);
	const uint32_t a = read_u32(&r), n = a >> 5 & 31, m = a >> 16 & 31;
	if ((a & 0x0a000000) == 0x08000000) {       /* loads and stores */
		if ((a & 0x3b000000) == 0x18000000) /* loads of literals */
			return kept_arm64(a) ? SAYS_KEPT : SAYS_NOTHING;
		const bool loads = a >> 22 & 1;
		if (n == SP && !loads)
			return SAYS_ENTRY;
		return kept_arm64(n) || kept_arm64(a) ? SAYS_KEPT : SAYS_NOTHING;
	}
	if ((a & 0x7e000000) == 0x34000000 || (a & 0x7e000000) == 0x36000000) /* cbz, tbz */
		return kept_arm64(a) ? SAYS_KEPT : SAYS_ENTRY;
	const bool moves = (a & 0x1f800000) == 0x12800000, page = (a & 0x1f000000) == 0x10000000;
	if ((a & 0x1c000000) == 0x10000000) { /* instructions with an immediate */
		if (!moves && !page && (n == SP || kept_arm64(n)))
			return n == SP ? SAYS_ENTRY : SAYS_KEPT;
		return kept_arm64(a) ? SAYS_KEPT : SAYS_NOTHING;
	}
	if ((a & 0x0e000000) == 0x0a000000) /* instructions with registers */
		return kept_arm64(n) || kept_arm64(m) || kept_arm64(a) ? SAYS_KEPT : SAYS_NOTHING;
	return SAYS_ENTRY;
}

static bool kept_riscv(uint32_t reg)
{
	reg &= 31;
	return reg == 8 || reg == 9 || (reg >= 18 && reg <= 27);
}

static enum verdict verdict_riscv16(uint32_t a)
{
	const unsigned quadrant = a & 3, function = a >> 13 & 7;
	const uint32_t full = a >> 7 & 31, low = (a >> 7 & 7) + 8;
	if (quadrant == 0)
		return function == 0 ? SAYS_ENTRY : kept_riscv(low) ? SAYS_KEPT : SAYS_NOTHING;
	if (quadrant == 1) {
		if (function == 3 && full == 2) /* addi16sp */
			return SAYS_ENTRY;
		if (function >= 4)
			return function != 5 && kept_riscv(low) ? SAYS_KEPT : SAYS_ENTRY;
		return kept_riscv(full) ? SAYS_KEPT : full == 2 ? SAYS_ENTRY : SAYS_NOTHING;
	}
	if (function == 4 && (a >> 2 & 31) != 0) /* mv, add */
		return kept_riscv(full) || kept_riscv(a >> 2) ? SAYS_KEPT : SAYS_NOTHING;
	return SAYS_ENTRY;
}

static enum verdict verdict_riscv(struct bytes code)
{
	enum { SP = 2 };
	struct reader r = reader_of(bytes_sub(code, 0, 4), false);
	const uint32_t a = read_u32(&r), first = a >> 15 & 31, second = a >> 20 & 31;
	if ((a & 3) != 3)
		return verdict_riscv16(a);
	switch (a & 0x7f) {
	case 0x23: /* stores */
		if (first == SP)
			return SAYS_ENTRY;
		return kept_riscv(first) || kept_riscv(second) ? SAYS_KEPT : SAYS_NOTHING;
	case 0x63: return kept_riscv(first) || kept_riscv(second) ? SAYS_KEPT : SAYS_ENTRY;
	case 0x33:
	case 0x3b:
		return kept_riscv(first) || kept_riscv(second) || kept_riscv(a >> 7) ? SAYS_KEPT
										     : SAYS_NOTHING;
	case 0x13:
	case 0x1b:
	case 0x03:
		if (first == SP && (a >> 7 & 31) == SP)
			return SAYS_ENTRY;
		return kept_riscv(first) || kept_riscv(a >> 7) ? SAYS_KEPT : SAYS_NOTHING;
	default: return SAYS_ENTRY;
	}
}

static enum verdict verdict_of(enum code_isa isa, struct bytes code, uint32_t *written)
{
	switch (code_isa_plain(isa)) {
	case CODE_X86_64:
	case CODE_I386: return verdict_x86(isa == CODE_X86_64, code, written);
	case CODE_ARM64: return verdict_arm64(code);
	case CODE_RISCV32:
	case CODE_RISCV64: return verdict_riscv(code);
	default: return SAYS_ENTRY;
	}
}

bool entry_reads_kept(enum code_isa isa, struct bytes code)
{
	struct flow in;
	uint32_t written = 0;
	for (unsigned i = 0; i < LOOK_AT; i++) {
		if (!flow_decode(isa, code.p, code.size, 0, &in))
			return false;
		const enum verdict v = verdict_of(isa, code, &written);
		if (v != SAYS_NOTHING)
			return v == SAYS_KEPT;
		ASSERT(in.size <= code.size);
		code = bytes_sub(code, in.size, code.size - in.size);
	}
	return false;
}
