/* MIPS: finds addresses made from constants, and addresses in slots of the table of addresses
 * (GOT), which code reaches by gp.
 *
 * Sources: MIPS64 Architecture volume II; System V ABI, MIPS supplement, 5 (global offset table). A
 * function that uses the table computes gp from its own address in t9. The loader relocates the
 * slots. So a local symbol's slot has its address, or the 64 kB page that contains it. */
#include "code/data_scan.h"
#include "code/flow.h"

enum { M_SPECIAL = 0, M_BRANCH_LAST = 7, M_ADDIU = 9, M_LUI = 15, M_LIKELY = 20 };
enum { M_LIKELY_LAST = 23, M_DADDIU = 25, M_LOAD = 32, M_STORE = 40, M_LOAD_LINKED = 48 };
enum { M_LOAD_WIDE = 55, M_ADDU = 0x21, M_OR = 0x25, M_DADDU = 0x2d, M_T9 = 25, M_GP = 28 };
enum { M_SP = 29 };

/* True if `gp` may be the value of the register gp in a function. */
static bool gp_is_likely(const struct data_scan *s, uint64_t gp)
{
	const uint64_t start = gp - image_arch(s->im)->got_bias;
	return s->got.pointer ? gp == s->got.pointer
			      : data_scan_in_got(s, start) && start % (s->wide ? 8 : 4) == 0;
}

static void gp_reset(struct data_scan *s)
{
	if (s->got.pointer)
		data_scan_set_place(s, M_GP, s->got.pointer, false);
	else
		data_refs_forget(s, M_GP);
}

void start_mips(struct data_scan *s)
{
	s->scratch = 0x8300fffe; /* at, v0, v1, a0 to a7, t0 to t9, ra */
	data_scan_set_place(s, M_T9, s->addr, false);
	gp_reset(s);
}

/* Sets gp when code adds the last part of its address. If that is unknown or not a likely gp, sets
 * gp as at the start of a function. */
static void gp_set(struct data_scan *s, bool known, uint64_t value)
{
	if (known && gp_is_likely(s, value))
		data_scan_set_place(s, M_GP, value, false);
	else
		gp_reset(s);
}

/* Handles a load from a slot of the table of addresses (GOT): the register gets the slot's value.
 * If the value is a page, code adds the rest of the address. */
static void slot_load(struct data_scan *s, uint64_t off, unsigned rt, uint64_t slot)
{
	enum { PAGE = 1 << 16 };
	const unsigned word = s->wide ? 8 : 4;
	struct reader r = reader_of(image_at(s->im, slot, word), s->big_endian);
	const uint64_t value = read_uint(&r, word);
	data_refs_forget(s, rt);
	/* 0 is an import, or the first page of an image that a loader moves. */
	if (!reader_ok(&r) || (value == 0 && !s->moves))
		return;
	data_scan_set_place(s, rt, value, value % PAGE != 0);
	if (value % PAGE != 0)
		code_data_refs_add(s, off, value);
}

static void mips_load(struct data_scan *s, uint64_t off, unsigned rt, unsigned rs, uint64_t imm)
{
	const uint64_t at = s->r.base[rs] + imm, to = s->wide ? at : (uint32_t)at;
	const bool slot = data_scan_is_place(s, rs) && data_scan_in_got(s, to);
	data_scan_use(s, off, rs, imm);
	if (slot && rt != M_GP)
		slot_load(s, off, rt, to);
	else if (rt != M_GP) /* Loads from the stack or data: the value is unknown */
		data_refs_forget(s, rt);
}

/* Handles rd = rs + rt. Code may add an index to the upper part of an array's address before it
 * adds the lower part. */
static void mips_add(struct data_scan *s, unsigned rd, unsigned rs, unsigned rt)
{
	const bool a = data_scan_knows(s, rs), b = data_scan_knows(s, rt);
	if (rt == 0 || rs == 0) {
		data_scan_copy(s, rd, rt == 0 ? rs : rt);
	} else if (data_scan_join(s, rs, rt)) {
		const uint64_t sum = s->r.base[rs] + s->r.base[rt];
		if (rd == M_GP && !s->wide)
			gp_set(s, true, (uint32_t)sum);
		else
			data_scan_set_place(s, rd, sum, false);
	} else if (rd == M_GP) {
		gp_reset(s);
	} else if (a != b && data_scan_is_place(s, a ? rs : rt) && (a ? rs : rt) != M_GP) {
		data_scan_index(s, rd, a ? rs : rt);
	} else {
		data_refs_forget(s, rd);
	}
}

static void mips_special(struct data_scan *s, uint32_t insn)
{
	const unsigned rs = insn >> 21 & 31, rt = insn >> 16 & 31, rd = insn >> 11 & 31;
	const unsigned function = insn & 0x3f;
	if ((function == M_ADDU || function == M_DADDU) && rt == M_GP && data_scan_knows(s, rs) &&
	    !data_scan_is_place(s, M_GP)) {
		/* Go's code adds gp, which is 0 there, to the upper half of an address. */
		const uint32_t stale = (s->bare >> rs & 1) << rd;
		data_refs_set(s, rd, s->r.base[rs]);
		s->fresh &= ~stale;
	} else if (function == M_ADDU || function == M_DADDU ||
		   (function == M_OR && (rt == 0 || rs == 0))) {
		mips_add(s, rd, rs, rt);
	} else if (rd != M_GP) {
		data_refs_forget(s, rd);
	}
}

static void mips_add_number(struct data_scan *s, uint64_t off, unsigned rt, unsigned rs,
			    uint64_t imm)
{
	const bool place = data_scan_is_place(s, rs), known = data_scan_knows(s, rs);
	const uint64_t sum = s->r.base[rs] + imm;
	if (rt == M_GP && (place || !known || rs != M_GP)) {
		/* Adds the last part of gp, unless gp is already complete. */
		if (!(place && rs == M_GP && gp_is_likely(s, s->r.base[rs])))
			gp_set(s, place, s->wide ? sum : (uint32_t)sum);
		return;
	}
	/* A leaf function may keep the pointer to the GOT in a register other than gp. */
	const bool table = place && !data_scan_is_whole(s, rs) &&
			   gp_is_likely(s, s->wide ? sum : (uint32_t)sum);
	if (!table && rs != M_SP)
		data_scan_use(s, off, rs, imm);
	if (place)
		data_scan_set_place(s, rt, sum, !table);
	else if (known && s->moves)
		data_refs_set(s, rt, sum);
	else
		data_refs_forget(s, rt);
}

/* Records the branch, call or return that takes effect after its delay slot. */
static void mips_branch(struct data_scan *s, uint64_t off)
{
	struct flow in;
	if (!mips_flow(s->big_endian, s->code.p + off, s->code.size - off, off, &in))
		return;
	if (in.kind == FLOW_JUMP || in.kind == FLOW_CONDITIONAL)
		s->later = in.target;
	else if (in.kind == FLOW_JUMP_INDIRECT)
		data_scan_switch(s);
	s->calls_later = in.kind == FLOW_CALL;
	s->ends_later = in.kind == FLOW_JUMP || in.kind == FLOW_RETURN ||
			in.kind == FLOW_JUMP_INDIRECT;
}

unsigned do_mips(struct data_scan *s, uint64_t off)
{
	const uint32_t insn = number_at(s, off, 4);
	const unsigned op = insn >> 26, rs = insn >> 21 & 31, rt = insn >> 16 & 31;
	const uint64_t imm = sign_extend(insn & 0xffff, 16);
	s->bare = ~s->fresh;
	s->fresh = 0;
	if (op == M_SPECIAL) {
		mips_special(s, insn);
	} else if (op == M_LUI) {
		data_refs_set(s, rt, sign_extend((uint64_t)(insn & 0xffff) << 16, 32));
	} else if (op == M_ADDIU || op == M_DADDIU) {
		mips_add_number(s, off, rt, rs, imm);
	} else if (op >= M_LOAD && (op < M_STORE || op == M_LOAD_WIDE)) {
		mips_load(s, off, rt, rs, imm);
	} else if (op >= M_LOAD) {
		data_scan_use(s, off, rs, imm);
	} else if (op > M_BRANCH_LAST && !(op >= M_LIKELY && op <= M_LIKELY_LAST) && rt != M_GP) {
		data_refs_forget(s, rt);
	}
	/* Carries out the branch, call or return whose delay slot was just decoded. */
	if (s->later > 0)
		data_scan_branch(s, off, s->later);
	if (s->calls_later)
		data_scan_call(s);
	s->ends = s->ends_later;
	s->later = 0;
	s->calls_later = s->ends_later = false;
	mips_branch(s, off);
	return 4;
}
