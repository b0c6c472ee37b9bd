/* Tracks the registers that have the address of the GOT in i386 code. */
#include "code/i386_got.h"

#include "code/x86.h"

enum {
	EAX = 0,
	ECX = 1,
	EDX = 2,
	ESP = 4,
	REGS = 8,
	BRANCHES = 64, /* Number of remembered branches, a power of two */
};

/* Registers that a called function may overwrite. */
#define SCRATCH (1u << EAX | 1u << ECX | 1u << EDX)

struct got_scan {
	const struct image *im;
	struct bytes code;
	uint64_t addr, got;
	unsigned holds;    /* One bit per register: set if it has the address of the GOT */
	unsigned counter;  /* One bit per register: set if it has the address `pc` */
	uint32_t pc;       /* Return address that code loaded last */
	unsigned switched; /* `holds` at the last indirect jump, perhaps of a switch */
	bool found;        /* True if any register had the GOT's address */
	uint32_t returned; /* After a call to the next instruction: offset of that instruction,
			    * which pops the return address. 0 without one */
	/* The value of `holds` at branches, by the offset of the target. */
	struct {
		uint64_t to;
		unsigned holds;
	} branches[BRANCHES];
	code_ref_vec *ret;
};

static void got_write(struct got_scan *s, unsigned reg)
{
	s->holds &= ~(1u << reg);
	s->counter &= ~(1u << reg);
}

/* Returns the register that a thunk loads with its return address: `mov (%esp), %reg; ret`. REGS if
 * the code at `addr` is no thunk. */
static unsigned thunk_register(const struct got_scan *s, uint64_t addr)
{
	enum { SIZE = 4, MOV = 0x8b, ESP_BASE = 0x24, RET = 0xc3 };
	const struct bytes b = image_at(s->im, (uint32_t)addr, SIZE);
	if (b.size < SIZE || b.p[0] != MOV || (b.p[1] & 0xc7) != 4 || b.p[2] != ESP_BASE ||
	    b.p[3] != RET)
		return REGS;
	return b.p[1] >> 3 & 7;
}

static void got_call(struct got_scan *s, uint64_t end, const struct x86_insn *in)
{
	const unsigned reg = thunk_register(s, s->addr + end + (uint64_t)in->disp);
	s->holds &= ~SCRATCH;
	s->counter &= ~SCRATCH;
	s->pc = (uint32_t)(s->addr + end);
	s->returned = in->disp == 0 ? (uint32_t)end : 0;
	if (reg < REGS) {
		got_write(s, reg);
		s->counter |= 1u << reg;
	}
}

/* Handles the addition of a number to a register. The sum may be the address of the GOT. */
static void got_add(struct got_scan *s, unsigned reg, const struct x86_insn *in)
{
	const bool found = s->counter >> reg & 1 &&
			   (uint32_t)(s->pc + (uint64_t)in->imm) == (uint32_t)s->got;
	got_write(s, reg);
	s->holds |= (unsigned)found << reg;
	s->found = s->found || found;
}

/* Reports a memory operand relative to a register with the GOT's address. That register may also be
 * the index beside an unknown base. */
static void got_use(struct got_scan *s, uint64_t off, const struct x86_insn *in)
{
	const uint8_t *p = s->code.p + off + in->modrm_off;
	if (in->modrm_off == 0 || *p >> 6 == 3 || in->absolute ||
	    (in->disp_size != 1 && in->disp_size != 4))
		return;
	const bool sib = (*p & 7) == ESP, scaled = sib && p[1] >> 6 != 0;
	const unsigned base = (sib ? p[1] : *p) & 7, index = sib ? p[1] >> 3 & 7 : ESP;
	const bool based = s->holds >> base & 1 && !in->indexed;
	if (based || (index != ESP && !scaled && s->holds >> index & 1))
		vec_push(s->ret, (struct code_ref){ .from = s->addr + off,
						    .to = (uint32_t)(s->got + (uint64_t)in->disp),
						    .kind = REF_ADDR });
}

/* Returns the register that an instruction with a one-byte opcode and ModRM writes. REGS: none. */
static unsigned modrm_written(unsigned op, unsigned modrm)
{
	const unsigned reg = modrm >> 3 & 7, rm = modrm >> 6 == 3 ? modrm & 7 : REGS;
	if (op < 0x40) /* Arithmetic: writes r/m, or reg. Comparisons write none */
		return op >= 0x38 ? REGS : op & 2 ? reg : rm;
	switch (op) {
	case 0x69:
	case 0x6b:
	case 0x8a:
	case 0x8b:
	case 0x8d: return reg;
	case 0x80:
	case 0x81:
	case 0x83: return reg == 7 ? REGS : rm; /* cmp */
	case 0xf6:
	case 0xf7: return reg == 2 || reg == 3 ? rm : REGS;
	case 0xff: return reg < 2 ? rm : REGS;
	case 0x84:
	case 0x85: return REGS; /* test */
	default: return rm;
	}
}

/* Like modrm_written(), for opcodes after 0F: cmov, imul, movzx, movsx, bsf; conversions and moves
 * from vectors. */
static unsigned modrm_written_0f(unsigned op, unsigned modrm)
{
	const unsigned reg = modrm >> 3 & 7, rm = modrm >> 6 == 3 ? modrm & 7 : REGS;
	if (op >> 4 == 4 || op == 0xaf || op >> 4 == 0xb || op == 0x2c || op == 0x2d ||
	    op == 0x50 || op == 0xd7)
		return reg;
	return op >> 4 == 9 || op == 0x7e || op == 0xc0 || op == 0xc1 ? rm : REGS;
}

/* Updates registers for an instruction with ModRM: forgets a written register, or copies one. */
static void got_step_modrm(struct got_scan *s, uint64_t off, const struct x86_insn *in)
{
	enum { ADD = 0x81, COPY = 0x89, LOAD = 0x8b, TWO_BYTES = 0x0f };
	const uint8_t *p = s->code.p + off + in->modrm_off;
	const unsigned op = p[-1], modrm = *p, reg = modrm >> 3 & 7, rm = modrm & 7;
	const bool two = in->modrm_off >= 2 && p[-2] == TWO_BYTES, direct = modrm >> 6 == 3;
	const unsigned to = two ? modrm_written_0f(op, modrm) : modrm_written(op, modrm);
	if (!two && op == ADD && direct && reg == 0) {
		got_add(s, rm, in);
		return;
	}
	const bool copies = !two && direct && (op == COPY || op == LOAD);
	const unsigned held = copies ? s->holds >> (op == COPY ? reg : rm) & 1 : 0;
	if (to < REGS) {
		got_write(s, to);
		s->holds |= held << to;
	}
	if (!two && op == 0xf7 && reg >= 4) { /* mul, div */
		got_write(s, EAX);
		got_write(s, EDX);
	}
}

/* Updates registers for an instruction that is not a branch. Ignores pop: it restores values of the
 * caller at the end of the function, and code after the return still has the function's own. */
static void got_step(struct got_scan *s, uint64_t off, const struct x86_insn *in)
{
	enum { ADD_EAX = 0x05, NOP = 0x90 };
	const unsigned op = s->code.p[off];
	if (op >> 3 == 0x58 >> 3 && s->returned == off && off > 0) {
		got_write(s, op & 7);
		s->counter |= 1u << (op & 7);
	} else if (op == ADD_EAX) {
		got_add(s, EAX, in);
	} else if (in->modrm_off > 0) {
		got_step_modrm(s, off, in);
	} else if (op >> 4 == 4 || op >> 4 == 0xb || (op >> 3 == NOP >> 3 && op != NOP)) {
		got_write(s, op & 7); /* inc, dec; mov of a number; xchg */
	} else if (op == 0x99) {
		got_write(s, EDX); /* cdq */
	} else if (op < 0x38 && (op & 7) >= 4) {
		got_write(s, EAX); /* arithmetic with a number */
	}
}

static void got_branch(struct got_scan *s, uint64_t end, const struct x86_insn *in)
{
	const uint64_t to = end + (uint64_t)in->disp;
	if (to > 0 && to < s->code.size) {
		s->branches[to % BRANCHES].to = to;
		s->branches[to % BRANCHES].holds = s->holds;
	}
}

/* Sets the registers for code at `off`, into which no earlier instruction falls through. Takes the
 * registers at a branch to `off`; without such a branch, those at the last indirect jump and those
 * that calls preserve. */
static void got_restart(struct got_scan *s, uint64_t off)
{
	s->counter = 0;
	s->holds = s->branches[off % BRANCHES].to == off ? s->branches[off % BRANCHES].holds
							 : s->switched | (s->holds & ~SCRATCH);
}

bool i386_got_refs(const struct image *im, struct bytes code, uint64_t addr, uint64_t got,
		   code_ref_vec *ret)
{
	struct got_scan s = { .im = im, .code = code, .addr = addr, .got = got, .ret = ret };
	struct x86_insn in;
	ASSERT(got > 0);
	for (uint64_t off = 0; off < code.size; off += in.len) {
		if (!x86_decode(code.p + off, code.size - off, false, &in)) {
			in.len = 1;
			continue;
		}
		const uint64_t end = off + in.len;
		switch ((enum x86_flow)in.flow) {
		case X86_CALL: got_call(&s, end, &in); continue;
		case X86_JCC:
		case X86_JMP: got_branch(&s, end, &in); break;
		case X86_NOP:
		case X86_TRAP: break;
		default:
			if (s.holds != 0)
				got_use(&s, off, &in);
		}
		if (in.flow == X86_PLAIN)
			got_step(&s, off, &in);
		else if (in.flow == X86_CALL_INDIRECT)
			s.holds &= ~SCRATCH;
		if (in.flow == X86_JMP_INDIRECT)
			s.switched = s.holds;
		if (in.flow == X86_JMP || in.flow == X86_RET || in.flow == X86_JMP_INDIRECT)
			got_restart(&s, end);
	}
	return s.found;
}
