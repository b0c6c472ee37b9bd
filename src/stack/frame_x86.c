/* Follows the stack pointer in x86-64 and i386 code: Intel SDM volume 2, and the APX architecture
 * specification. */
#include "code/x86.h"
#include "stack/frame_internal.h"

enum { RAX = 0, RSP = 4, RBP = 5 };

struct insn {
	uint8_t bytes[X86_MAX_LEN + 2]; /* The instruction, then zeros */
	const uint8_t *op;              /* The opcode: the first byte after the prefixes */
	uint8_t rex;                    /* Bits 0100WRXB */
	uint8_t high;                   /* REX2: bits 0RXB, for registers 16 to 31 */
	bool second_map;    /* True if REX2 replaces 0F. Then the stack does not change */
	bool short_operand; /* True with prefix 66: operands of 16 bits */
	struct x86_insn in;
	int64_t word;
};

static void skip_prefixes(struct insn *i, bool mode64)
{
	for (i->op = i->bytes; i->op < i->bytes + i->in.len; i->op++) {
		if (*i->op == 0x66)
			i->short_operand = true;
		else if (mode64 && (*i->op & 0xf0) == 0x40)
			i->rex = *i->op;
		else if (mode64 && *i->op == 0xd5) {
			i->op++; /* To the payload of REX2: M0 R4 X4 B4 W R3 X3 B3 */
			i->second_map = (*i->op & 0x80) != 0;
			i->rex = 0x40 | (*i->op & 15);
			i->high = *i->op >> 4 & 7;
		} else if (*i->op != 0x67 && *i->op != 0xf2 && *i->op != 0xf3 && *i->op != 0x3e &&
			   *i->op != 0x2e)
			return;
	}
}

/* Return registers of ModRM. rm_of(): only for a register operand. */
static unsigned reg_of(const struct insn *i)
{
	return (i->op[1] >> 3 & 7) | (unsigned)(i->rex & 4) << 1 | (unsigned)(i->high & 4) << 2;
}

static unsigned rm_of(const struct insn *i)
{
	return (i->op[1] & 7) | (unsigned)(i->rex & 1) << 3 | (unsigned)(i->high & 1) << 4;
}

static bool is_register(const struct insn *i)
{
	return i->op[1] >= 0xc0;
}

/* Handles add, or, and, sub, cmp with an immediate: 80 to 83. */
static void do_group1(struct frame_walk *w, const struct insn *i)
{
	const unsigned rm = rm_of(i), what = i->op[1] >> 3 & 7;
	struct value *v = &w->regs[rm];
	if (!is_register(i))
		return;
	if (what == 5 && rm == RSP)
		frame_grow(w, i->in.imm);
	else if (what == 0 && rm == RSP)
		frame_grow(w, -i->in.imm);
	else if (what == 4 && rm == RSP && i->in.imm < 0)
		frame_align(w, -i->in.imm);
	else if (what == 5 && v->kind == VALUE_PLACE)
		v->v += i->in.imm;
}

/* Handles lea rsp, [reg + disp]; lea reg, [rsp + disp]. */
static void do_lea(struct frame_walk *w, const struct insn *i)
{
	enum { SIB = 4 };
	const unsigned reg = reg_of(i), base = rm_of(i);
	const bool high_index = (i->rex & 2) || (i->high & 2);
	if ((i->op[1] & 7) == SIB && ((i->op[2] & 0x3f) != 0x24 || high_index))
		return;
	if (reg == RSP && base == RSP)
		frame_grow(w, -i->in.disp);
	else if (reg == RSP)
		frame_from(w, base, -i->in.disp);
	else if (base == RSP)
		frame_keep(w, reg, -i->in.disp);
}

/* Handles mov between registers. */
static void frame_x86_do_move(struct frame_walk *w, unsigned to, unsigned from)
{
	if (to == RSP && from == RBP)
		frame_from(w, from, 0);
	else if (to == RSP)
		w->frame->flags |= FRAME_DYNAMIC;
	else if (from == RSP)
		frame_keep(w, to, 0);
}

static void do_modrm(struct frame_walk *w, const struct insn *i)
{
	const unsigned reg = reg_of(i), rm = rm_of(i);
	const bool both = is_register(i);
	switch (i->op[0]) {
	case 0x81:
	case 0x83: do_group1(w, i); break;
	case 0x89:
		if (both)
			frame_x86_do_move(w, rm, reg);
		break;
	case 0x8b:
		if (both)
			frame_x86_do_move(w, reg, rm);
		break;
	case 0x8d: do_lea(w, i); break;
	case 0x29:
		if (both && rm == RSP)
			frame_grow_by(w, reg, false);
		break;
	case 0x2b:
		if (both && reg == RSP)
			frame_grow_by(w, rm, false);
		break;
	case 0x39: /* cmp rsp, reg: the end of a loop that touches each page of a frame */
		if (both && rm == RSP && w->regs[reg].kind == VALUE_PLACE)
			frame_from(w, reg, 0);
		break;
	case 0x8f: frame_grow(w, -i->word); break;
	case 0xff:
		if ((i->op[1] >> 3 & 7) == 6)
			frame_grow(w, i->word);
		break;
	default: break;
	}
}

/* Handles instructions of EVEX map 4 (APX): push2 and pop2 of two registers, and `add`, `sub` and
 * `and` that keep the flags or have a destination of their own. P0 is R3 X3 B3 R4 B4 and the map.
 * P1 is W, the destination and X4. P2 has ND and the highest bit of the destination. All bits but
 * B4 and ND are inverted. */
static void do_evex(struct frame_walk *w, struct insn *i)
{
	const uint8_t p0 = i->op[1], p1 = i->op[2], p2 = i->op[3];
	const bool own = (p2 & 0x10) != 0;
	if ((p0 & 7) != 4)
		return;
	i->op += 4;
	i->rex = ~p0 >> 5 & 7;
	i->high = (uint8_t)((p0 & 0x10 ? 0 : 4) | (p0 >> 3 & 1));
	const uint8_t what = i->op[1] >> 3 & 7;
	const unsigned own_to = (~(unsigned)p1 >> 3 & 15) | (~(unsigned)p2 << 1 & 16);
	const unsigned rm = rm_of(i), to = own ? own_to : rm;
	if (!is_register(i))
		return;
	switch (i->op[0]) {
	case 0xff: frame_grow(w, what == 6 && own ? 2 * i->word : 0); break;
	case 0x8f: frame_grow(w, what == 0 && own ? -2 * i->word : 0); break;
	case 0x29: frame_add_registers(w, RSP, to, rm, reg_of(i), true); break;
	case 0x2b: frame_add_registers(w, RSP, to, reg_of(i), rm, true); break;
	case 0x81:
	case 0x83:
		if (what == 0 || what == 5)
			frame_add(w, RSP, to, rm, what == 5 ? -i->in.imm : i->in.imm);
		else if (what == 4 && to == RSP && i->in.imm < 0)
			frame_align(w, -i->in.imm);
		break;
	default: break;
	}
}

static void move_stack(struct frame_walk *w, struct insn *i)
{
	const uint8_t op = i->op[0];
	if ((op & 0xf8) == 0x50 || op == 0x68 || op == 0x6a || op == 0x9c) { /* push, pushf */
		frame_grow(w, i->word);
	} else if ((op & 0xf8) == 0x58 || op == 0x9d) { /* pop, popf */
		frame_grow(w, -i->word);
	} else if (op == 0xc9) { /* leave */
		frame_from(w, RBP, 0);
		frame_grow(w, -i->word);
	} else if (op == 0x2d && w->regs[RAX].kind == VALUE_PLACE) { /* sub eax, imm */
		w->regs[RAX].v += i->in.imm;
	} else if (op == 0x62) {
		do_evex(w, i);
	} else {
		do_modrm(w, i);
	}
}

bool frame_step_x86(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		    struct frame_insn *ret)
{
	const bool mode64 = w->isa == CODE_X86_64;
	struct insn i = { .op = NULL };
	if (!flow_decode(w->isa, p, left, addr, &ret->flow) || !x86_decode(p, left, mode64, &i.in))
		return false;
	memcpy(i.bytes, p, i.in.len);
	skip_prefixes(&i, mode64);
	i.word = i.short_operand ? 2 : mode64 ? 8 : 4;
	const bool indirect = i.in.flow == X86_CALL_INDIRECT || i.in.flow == X86_JMP_INDIRECT;
	ret->by_slot = indirect && (i.in.pc_relative || (i.in.absolute && !mode64));
	ret->slot = (uint64_t)i.in.disp + (i.in.pc_relative ? addr + i.in.len : 0);
	if (!i.second_map)
		move_stack(w, &i);
	return true;
}
