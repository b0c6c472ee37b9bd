/* PowerPC: finds addresses made from constants, and addresses relative to the TOC pointer or to a
 * pointer to the table of addresses (GOT).
 *
 * Sources: Power ISA 3.1, book I; 64-Bit ELF V2 ABI 2.2 and 3.6.1 (TOC), 2.3.2 (global entry point:
 * r12 has its address, from which code computes r2); Power Architecture 32-bit ABI supplement (bcl
 * 20,31 takes the address of the next instruction). */
#include "code/data_scan.h"
#include "code/flow.h"

enum { P_PREFIX = 1, P_ADDI = 14, P_ADDIS = 15, P_BC = 16, P_B = 18, P_XL = 19, P_OR_IMM = 24 };
enum { P_LOGIC_FIRST = 20, P_LOGIC_LAST = 30, P_X = 31, P_LOAD = 32, P_FLOAT_LAST = 55 };
enum { P_LOAD_PAIR = 57, P_LOAD_WIDE = 58, P_VECTOR = 61, P_STORE_WIDE = 62, P_TOC = 2 };
enum { P_ENTRY = 12 };

static void power_forget(struct data_scan *s, unsigned reg)
{
	if (reg != P_TOC)
		data_refs_forget(s, reg);
}

void start_power(struct data_scan *s)
{
	s->scratch = 0x1ff9; /* r0, r3 to r12 */
	if (!s->wide)
		return;
	data_scan_set_place(s, P_ENTRY, s->addr, false);
	if (s->got.pointer)
		data_scan_set_place(s, P_TOC, s->got.pointer, false);
}

/* Handles addis: adds the upper half of an address to 0 or to a known register. */
static void power_add_high(struct data_scan *s, unsigned rt, unsigned ra, uint64_t imm)
{
	if (ra == 0 && rt == P_TOC && s->wide) { /* Code linked for a fixed address */
		s->opening = true;
		data_scan_set_place(s, rt, imm << 16, false);
	} else if (ra == 0) {
		data_refs_set(s, rt, imm << 16);
	} else if (data_scan_is_place(s, ra)) {
		s->opening = rt == P_TOC;
		data_scan_set_place(s, rt, s->r.base[ra] + (imm << 16), false);
	} else if (data_scan_knows(s, ra)) {
		const uint32_t stale = (s->bare >> ra & 1) << rt;
		data_refs_set(s, rt, s->r.base[ra] + (imm << 16));
		s->fresh &= ~stale;
	} else {
		power_forget(s, rt);
	}
}

static void power_add_low(struct data_scan *s, uint64_t off, unsigned rt, unsigned ra, uint64_t imm)
{
	const bool place = data_scan_is_place(s, ra);
	const uint64_t sum = s->r.base[ra] + imm;
	if (rt == P_TOC && s->wide) {
		const bool known = s->opening && place && ra == P_TOC &&
				   (s->got.size == 0 ||
				    data_scan_in_got(s, sum - image_arch(s->im)->got_bias));
		if (known || s->got.pointer)
			data_scan_set_place(s, rt, known ? sum : s->got.pointer, false);
		s->opening = false;
		return;
	}
	data_scan_use(s, off, ra, imm);
	if (place)
		data_scan_set_place(s, rt, sum, true);
	else
		power_forget(s, rt);
}

/* Forgets the register that an instruction of form X writes: logical and shift instructions,
 * comparisons, loads and stores with update. */
static void power_write(struct data_scan *s, unsigned form, unsigned rt, unsigned ra)
{
	enum { COMPARE = 0, COMPARE_LOGICAL = 32 };
	const unsigned group = form & 31;
	if (group == 24 || (group >= 26 && group <= 28)) {
		power_forget(s, ra);
	} else if (form != COMPARE && form != COMPARE_LOGICAL) {
		power_forget(s, rt);
		if ((group == 21 || group == 23) && form >> 5 & 1)
			power_forget(s, ra);
	}
}

/* Handles instructions with two registers, no displacement: copies, additions, link register. */
static void power_registers(struct data_scan *s, uint32_t insn)
{
	enum { ADD = 266, OR = 444, MFLR = 0x0802a6 };
	const unsigned rt = insn >> 21 & 31, ra = insn >> 16 & 31, rb = insn >> 11 & 31;
	const unsigned form = insn >> 1 & 0x3ff;
	if ((insn & 0x1fffff) == (MFLR & 0x1fffff) && s->link > 0) {
		data_scan_set_place(s, rt, s->link, false);
	} else if (form == OR && rt == rb) {
		if (ra != P_TOC)
			data_scan_copy(s, ra, rt);
	} else if (form == ADD && data_scan_join(s, ra, rb)) {
		data_scan_set_place(s, rt, s->r.base[ra] + s->r.base[rb], false);
	} else if (form == ADD && data_scan_is_place(s, ra) != data_scan_is_place(s, rb) &&
		   ra != P_TOC && rb != P_TOC) {
		data_scan_index(s, rt, data_scan_is_place(s, ra) ? ra : rb);
	} else {
		power_write(s, form, rt, ra);
	}
}

static void power_branch(struct data_scan *s, uint64_t off, uint32_t insn)
{
	enum { NEXT = 0x429f0005 }; /* Takes the address of the next instruction */
	struct flow in;
	s->link = insn == NEXT ? s->addr + off + 4 : 0;
	if (insn == NEXT ||
	    !power_flow(s->big_endian, s->code.p + off, s->code.size - off, off, &in))
		return;
	data_scan_flow(s, off, &in);
}

/* Handles instructions of eight bytes (Power ISA 3.1). They may have 34-bit distances from pc. */
static unsigned power_prefixed(struct data_scan *s, uint64_t off, uint32_t prefix)
{
	if (s->code.size - off < 8)
		return 4;
	const uint32_t insn = number_at(s, off + 4, 4);
	const uint64_t far = (uint64_t)(prefix & 0x3ffff) << 16 | (insn & 0xffff);
	if (prefix >> 20 & 1)
		code_data_refs_add(s, off, s->addr + off + sign_extend(far, 34));
	power_forget(s, insn >> 21 & 31);
	return 8;
}

static void power_memory(struct data_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned op = insn >> 26, rt = insn >> 21 & 31, ra = insn >> 16 & 31;
	/* In wide forms, the displacement lacks the lowest two bits (for vectors, four). */
	const unsigned unit = op == P_VECTOR && insn & 1 ? 16 : op > P_FLOAT_LAST ? 4 : 1;
	const uint64_t imm = sign_extend(insn & 0xffff, 16) & ~(uint64_t)(unit - 1);
	const bool stores = op == P_STORE_WIDE || (op >= 36 && op <= 39) || op == 44 || op == 45 ||
			    (op >= 47 && op != P_LOAD_WIDE);
	if (ra != 0)
		data_scan_use(s, off, ra, imm);
	if (!stores)
		power_forget(s, rt);
}

unsigned do_power(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4);
	const unsigned op = insn >> 26, rt = insn >> 21 & 31, ra = insn >> 16 & 31;
	const uint64_t imm = sign_extend(insn & 0xffff, 16);
	s->bare = ~s->fresh;
	s->fresh = 0;
	if (op == P_PREFIX)
		return power_prefixed(s, off, insn);
	if (op == P_ADDIS) {
		power_add_high(s, rt, ra, imm);
	} else if (op == P_ADDI && ra != 0) {
		power_add_low(s, off, rt, ra, imm);
	} else if ((op >= P_LOAD && op <= P_FLOAT_LAST) ||
		   (op >= P_LOAD_PAIR && op <= P_STORE_WIDE && op != 59 && op != 60)) {
		power_memory(s, off, insn);
	} else if (op == P_OR_IMM && data_scan_knows(s, rt)) {
		if (!s->moves && !data_scan_is_place(s, rt))
			data_refs_add(s, off, s->r.base[rt] | (insn & 0xffff), USE_NUMBER);
		if (rt != ra || imm != 0)
			power_forget(s, ra);
	} else if (op == P_BC || op == P_B || op == P_XL) {
		power_branch(s, off, insn);
	} else if (op == P_X) {
		power_registers(s, insn);
	} else {
		power_forget(s, op >= P_LOGIC_FIRST && op <= P_LOGIC_LAST ? ra : rt);
	}
	return 4;
}
