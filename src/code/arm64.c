/* Scans AArch64 code in one pass. Keeps the page that the last adrp wrote to each register.
 *
 * An instruction that uses the low 12 bits of a symbol needs the symbol's page in its register on
 * every path. So one path to the instruction is enough: the fall-through path, if there is one.
 * After a jump or return, the scan takes the registers of an earlier branch to this place, except
 * those written since. Without such a branch, it takes those at the last indirect jump (a switch),
 * else none. */
#include "code/flow.h"

#define BRANCH_SLOTS 64 /* A power of two. Few forward branches are pending at a time */

/* x0-x18 and x30: registers that a called function may overwrite (AAPCS64, 6.1.1). */
#define CALLER_SAVED 0x4007ffffu

struct branch {
	uint64_t to;   /* Offset of the target. 0: the slot is empty */
	uint64_t from; /* Offset of the branch */
};

struct arm64_pages {
	uint64_t page[32];
	uint64_t set_at[32]; /* Per register: offset of the adrp that set its page */
	uint32_t known;      /* One bit per register: set if its page is known */
	bool have_indirect;
	uint64_t indirect;                  /* Offset of the last indirect jump */
	struct branch branch[BRANCH_SLOTS]; /* Hashed by target. A later branch takes over a slot */
};

struct arm64_scan {
	struct bytes code;
	uint64_t addr;
	uint64_t inside; /* A target is reported if target - addr >= `inside`. 0: all targets. Size
			  * of the code: only targets outside the code */
	unsigned kinds;
	code_ref_vec *ret;
};

static __attribute__((noinline)) void push(const struct arm64_scan *s, uint64_t off, uint64_t to,
					   enum ref_kind kind, uint8_t size)
{
	if (!(s->kinds & kind))
		return;
	vec_push(s->ret,
		 (struct code_ref){
			 .from = s->addr + off, .to = to, .kind = (uint8_t)kind, .size = size });
}

static inline void arm64_add(const struct arm64_scan *s, uint64_t off, uint64_t to,
			     enum ref_kind kind, uint8_t size)
{
	if (to - s->addr >= s->inside)
		push(s, off, to, kind, size);
}

static void arm64_forget(struct arm64_pages *g, unsigned reg)
{
	g->known &= ~(UINT32_C(1) << reg);
}

static bool arm64_is_known(const struct arm64_pages *g, unsigned reg)
{
	return g->known >> reg & 1;
}

/* Sets the registers for code at `off`, into which no earlier instruction falls through. */
static void arm64_restart(struct arm64_pages *g, uint64_t off)
{
	const struct branch *b = &g->branch[off / 4 % BRANCH_SLOTS];
	uint64_t from = g->indirect;
	if (b->to == off)
		from = b->from;
	else if (!g->have_indirect)
		g->known = 0;
	for (uint32_t left = g->known; left != 0; left &= left - 1) {
		const unsigned reg = (unsigned)__builtin_ctz(left);
		if (g->set_at[reg] > from)
			arm64_forget(g, reg);
	}
}

/* Handles adr and adrp. Bits 31-24: op immlo 10000 immhi Rd (C6.2.13, C6.2.14). */
static void do_adr(const struct arm64_scan *s, struct arm64_pages *g, uint64_t off, uint32_t insn)
{
	const unsigned rd = insn & 31;
	const uint64_t imm = sign_extend((insn >> 3 & 0x1ffffc) | (insn >> 29 & 3), 21);
	const uint64_t pc = s->addr + off;
	if (!(insn >> 31)) {
		arm64_forget(g, rd);
		arm64_add(s, off, pc + imm, REF_ADDR, 0);
		return;
	}
	g->page[rd] = (pc & ~UINT64_C(0xfff)) + (imm << 12);
	g->set_at[rd] = off;
	g->known |= UINT32_C(1) << rd;
}

/* Handles ldr, str, prfm, unsigned scaled offset: size 111 V 01 opc imm12 Rn Rt (C4.1.94). */
static void do_load_store(const struct arm64_scan *s, struct arm64_pages *g, uint64_t off,
			  uint32_t insn)
{
	const unsigned rt = insn & 31, rn = insn >> 5 & 31, opc = insn >> 22 & 3;
	const bool vector = insn >> 26 & 1;
	unsigned scale = insn >> 30;
	if (vector)
		scale |= (opc & 2) << 1;
	const bool prefetch = !vector && scale == 3 && opc == 2;
	if (arm64_is_known(g, rn) && scale <= 4)
		arm64_add(s, off, g->page[rn] + ((uint64_t)(insn >> 10 & 0xfff) << scale), REF_MEM,
			  (uint8_t)(prefetch ? 0 : 1u << scale));
	if (!vector && opc != 0 && !prefetch)
		arm64_forget(g, rt);
}

/* Handles ldr (literal): opc 011 V 00 imm19 Rt. */
static void do_literal(const struct arm64_scan *s, struct arm64_pages *g, uint64_t off,
		       uint32_t insn)
{
	static const uint8_t sizes[2][4] = { { 4, 8, 4, 0 }, { 4, 8, 16, 0 } };
	const unsigned opc = insn >> 30;
	const bool vector = insn >> 26 & 1;
	arm64_add(s, off, s->addr + off + (sign_extend(insn >> 5 & 0x7ffff, 19) << 2), REF_MEM,
		  sizes[vector][opc]);
	if (!vector && opc != 3)
		arm64_forget(g, insn & 31);
}

static void do_branch(const struct arm64_scan *s, struct arm64_pages *g, uint64_t off,
		      uint64_t disp, enum ref_kind kind)
{
	arm64_add(s, off, s->addr + off + disp, kind, 0);
	const uint64_t to = off + disp;
	if (kind == REF_JUMP && to > off && to < s->code.size)
		g->branch[to / 4 % BRANCH_SLOTS] = (struct branch){ to, off };
}

/* True if a floating-point or vector instruction writes the general register in bits 4-0. These are
 * conversions and moves to integer (C4.1.96), smov and umov. */
static bool writes_general(uint32_t insn)
{
	if ((insn & 0x5f20fc00) == 0x1e200000) {
		const unsigned opcode = insn >> 16 & 7;
		return opcode != 2 && opcode != 3 && opcode != 7;
	}
	if ((insn & 0x5f200000) == 0x1e000000)
		return (insn >> 17 & 3) == 0;
	return (insn & 0xbfe0ec00) == 0x0e002c00;
}

/* Handles other loads and stores. They may write the register that is loaded, the base (pre- and
 * post-indexed forms), and the status register of stlxr. */
static void do_other_memory(struct arm64_pages *g, uint32_t insn)
{
	const unsigned rt = insn & 31, rn = insn >> 5 & 31;
	const bool vector = insn >> 26 & 1;
	const bool pair = (insn & 0x3a000000) == 0x28000000;
	const bool single = (insn & 0x3a000000) == 0x38000000;
	if (pair && insn >> 23 & 1)
		arm64_forget(g, rn); /* Post- and pre-indexed forms; stnp keeps bit 23 clear */
	if (single && !(insn >> 21 & 1) && insn >> 10 & 1)
		arm64_forget(g, rn);
	if ((insn & 0xbf800000) == 0x0c800000 || (insn & 0xbf800000) == 0x0d800000)
		arm64_forget(g, rn); /* ld1 and similar, post-indexed */
	if (vector)
		return;
	if (pair) {
		if (insn >> 22 & 1) {
			arm64_forget(g, rt);
			arm64_forget(g, insn >> 10 & 31);
		}
		return;
	}
	if (single && (insn >> 22 & 3) == 0 && !(insn >> 21 & 1 && (insn >> 10 & 3) == 0))
		return; /* A plain store changes no register */
	arm64_forget(g, rt);
	if ((insn & 0x3f000000) == 0x08000000) { /* Exclusive, ordered, compare and swap */
		arm64_forget(g, insn >> 16 & 31);
		arm64_forget(g, insn >> 10 & 31);
	}
}

/* Handles br, blr, ret, eret and authenticated forms: bits 31-25 are 1101011, opc is in 24-21. True
 * if it is a call, after which control continues. */
static bool do_indirect(struct arm64_pages *g, uint64_t off, uint32_t insn)
{
	const unsigned opc = insn >> 21 & 7;
	if (opc == 1) { /* blr */
		g->known &= ~CALLER_SAVED;
		return true;
	}
	if (opc == 0) {
		g->indirect = off;
		g->have_indirect = true;
	}
	return false;
}

enum form {
	F_OTHER, /* Writes no general register */
	F_WRITE, /* May write the general register in bits 4-0 */
	F_ADD,
	F_MEM, /* Load or store with an unsigned offset */
	F_OTHER_MEM,
	F_FLOAT, /* SIMD and floating point */
	/* Forms before this line matter only if a register in them has a known page. */
	F_ADR,
	F_LITERAL,
	F_B,
	F_BL,
	F_BCOND, /* b.cond, cbz, cbnz */
	F_TBZ,
	F_INDIRECT,
	F_UNDEFINED,
};

/* Form of an instruction by bits 31-24 (C4.1). */
/* clang-format off */
#define U_ F_UNDEFINED
#define O_ F_OTHER
#define W_ F_WRITE
#define A_ F_ADR
#define M_ F_MEM
#define L_ F_LITERAL
#define X_ F_OTHER_MEM
#define V_ F_FLOAT
#define C_ F_BCOND
#define T_ F_TBZ
static const uint8_t forms[256] = {
	/* 00-0F */ U_, U_, U_, U_, W_, W_, O_, O_, X_, U_, W_, W_, X_, X_, V_, V_,
	/* 10-1F */ A_, W_, W_, W_, F_B, F_B, F_B, F_B, L_, X_, W_, W_, L_, U_, V_, V_,
	/* 20-2F */ U_, U_, U_, U_, W_, W_, U_, U_, X_, X_, W_, W_, X_, X_, V_, V_,
	/* 30-3F */ A_, W_, W_, W_, C_, C_, T_, T_, X_, M_, W_, U_, X_, M_, U_, U_,
	/* 40-4F */ U_, U_, U_, U_, W_, W_, U_, U_, X_, U_, W_, W_, X_, X_, V_, V_,
	/* 50-5F */ A_, W_, W_, W_, C_, U_, U_, U_, L_, X_, W_, W_, L_, U_, V_, V_,
	/* 60-6F */ U_, U_, U_, U_, O_, O_, U_, U_, X_, X_, W_, W_, X_, X_, V_, V_,
	/* 70-7F */ A_, W_, W_, W_, U_, U_, U_, U_, X_, M_, W_, U_, X_, M_, V_, V_,
	/* 80-8F */ O_, O_, U_, U_, O_, O_, U_, U_, X_, X_, W_, W_, U_, U_, U_, U_,
	/* 90-9F */ A_, F_ADD, W_, W_, F_BL, F_BL, F_BL, F_BL, L_, X_, W_, W_, L_, U_, V_, V_,
	/* A0-AF */ O_, O_, U_, U_, O_, O_, U_, U_, X_, X_, W_, W_, X_, X_, U_, U_,
	/* B0-BF */ A_, W_, W_, W_, C_, C_, T_, T_, X_, M_, W_, U_, X_, M_, U_, U_,
	/* C0-CF */ O_, O_, U_, U_, O_, O_, U_, U_, X_, U_, W_, W_, U_, U_, V_, V_,
	/* D0-DF */ A_, W_, W_, W_, O_, O_, F_INDIRECT, F_INDIRECT, L_, X_, W_, W_, U_, U_, U_, U_,
	/* E0-EF */ O_, O_, U_, U_, O_, O_, U_, U_, X_, X_, W_, W_, U_, U_, U_, U_,
	/* F0-FF */ A_, W_, W_, W_, U_, U_, U_, U_, X_, M_, W_, U_, X_, M_, U_, U_,
};
/* clang-format on */

static inline uint64_t disp26(uint32_t insn)
{
	return sign_extend(insn & 0x3ffffff, 26) << 2;
}

/* Decodes the instruction at `off`: reports its reference and updates the known pages. False if the
 * word is no instruction. Sets *falls to false if control does not continue after it. */
static inline bool arm64_step(const struct arm64_scan *s, struct arm64_pages *g, uint64_t off,
			      bool *falls)
{
	const uint32_t insn = load_le32(s->code.p + off);
	const enum form form = (enum form)forms[insn >> 24];
	const uint32_t known = g->known; /* A local copy, which compilers keep in a register */
	if (form < F_ADR &&
	    (known == 0 || !((known >> (insn & 31) | known >> (insn >> 5 & 31) |
			      known >> (insn >> 10 & 31) | known >> (insn >> 16 & 31)) &
			     1)))
		return true;
	switch (form) {
	case F_OTHER: break;
	case F_WRITE: arm64_forget(g, insn & 31); break;
	case F_ADR: do_adr(s, g, off, insn); break;
	case F_ADD:
		/* add Xd, Xn, #imm12 {, lsl #12} (C6.2.4); with bit 23 addg, smax and others. */
		if (!(insn >> 22 & 3) && arm64_is_known(g, insn >> 5 & 31))
			arm64_add(s, off, g->page[insn >> 5 & 31] + (insn >> 10 & 0xfff), REF_ADDR,
				  0);
		arm64_forget(g, insn & 31);
		break;
	case F_MEM: do_load_store(s, g, off, insn); break;
	case F_LITERAL: do_literal(s, g, off, insn); break;
	case F_OTHER_MEM: do_other_memory(g, insn); break;
	case F_FLOAT:
		if (writes_general(insn))
			arm64_forget(g, insn & 31);
		break;
	case F_B:
		do_branch(s, g, off, disp26(insn), REF_JUMP);
		*falls = false;
		break;
	case F_BL:
		do_branch(s, g, off, disp26(insn), REF_CALL);
		g->known &= ~CALLER_SAVED;
		break;
	case F_BCOND:
		do_branch(s, g, off, sign_extend(insn >> 5 & 0x7ffff, 19) << 2, REF_JUMP);
		break;
	case F_TBZ: do_branch(s, g, off, sign_extend(insn >> 5 & 0x3fff, 14) << 2, REF_JUMP); break;
	case F_INDIRECT: *falls = do_indirect(g, off, insn); break;
	case F_UNDEFINED:
		*falls = false; /* udf (upper half 0) traps too */
		return insn >> 16 == 0;
	}
	return true;
}

uint64_t arm64_refs(struct bytes code, uint64_t addr, unsigned kinds, code_ref_vec *ret)
{
	const struct arm64_scan s = { code, addr, kinds & REF_INSIDE ? 0 : code.size, kinds, ret };
	struct arm64_pages g = { 0 };
	uint64_t bad = code.size % 4;
	for (uint64_t off = 0; code.size - off >= 4; off += 4) {
		bool falls = true;
		if (!arm64_step(&s, &g, off, &falls))
			bad += 4;
		if (!falls)
			arm64_restart(&g, off + 4);
	}
	ASSERT(bad <= code.size);
	return bad;
}
