/* Follows the stack pointer in Thumb-2 code: DDI 0403, A7.7. */
#include "code/flow.h"
#include "stack/frame_internal.h"

#include "base/reader.h"

enum { SP = 13, LR = 14, PC = 15 };

static uint32_t frame_thumb_half_at(const uint8_t *p)
{
	return (uint32_t)(p[0] | p[1] << 8);
}

static int64_t frame_thumb_bytes_of(uint32_t list)
{
	return 4 * (int64_t)__builtin_popcount(list);
}

static void forget_list(struct frame_walk *w, uint32_t list)
{
	for (unsigned i = 0; i < 16; i++)
		if (list >> i & 1)
			frame_forget_number(w, i);
}

/* Handles add Rd, Rm of any registers. */
static void add_high(struct frame_walk *w, unsigned rd, unsigned rm)
{
	const struct value v = w->regs[rd];
	if (rd == SP)
		frame_grow_by(w, rm, true);
	else if (rm == PC && v.kind == VALUE_NUMBER)
		frame_derive(w, rd, &v, (int32_t)((uint64_t)v.v + w->addr + w->off + 4));
	else
		frame_forget(w, rd);
}

/* Handles add Rd, sp, #imm8 * 4; mov, add and cmp of any registers; movs Rd, #imm8. */
static void set_short(struct frame_walk *w, uint32_t a)
{
	const unsigned rd = (a & 7) | (a >> 4 & 8), rm = a >> 3 & 15, low = a >> 8 & 7;
	struct value *v = &w->regs[low];
	if ((a & 0xf800) == 0xa800) {
		frame_keep(w, low, -4 * (int64_t)(a & 0xff));
	} else if ((a & 0xff00) == 0x4600) {
		if (rd == SP)
			frame_from(w, rm, 0);
		else if (rm == SP)
			frame_keep(w, rd, 0);
		else
			w->regs[rd] = w->regs[rm];
	} else if ((a & 0xff00) == 0x4400) {
		add_high(w, rd, rm);
	} else if ((a & 0xf800) == 0x9000) {
		/* Handles str Rt, [sp, #imm]. */
		const int64_t at = w->depth - 4 * (int64_t)(a & 0xff);
		if (v->kind == VALUE_NUMBER || at == w->stored_at)
			w->stored = *v;
		w->stored_at = v->kind == VALUE_NUMBER ? at : w->stored_at;
	} else if ((a & 0xf800) == 0xc800) { /* ldmia */
		forget_list(w, (a & 0xff) | 1u << low);
	} else if ((a & 0xf800) == 0x2000) {
		frame_number(w, low, a & 0xff);
	} else if ((a & 0xf000) == 0x3000 && v->kind == VALUE_PLACE) {
		v->v += a & 0x800 ? (int64_t)(a & 0xff) : -(int64_t)(a & 0xff);
	} else if ((a & 0xf800) == 0 && w->regs[a >> 3 & 7].kind == VALUE_NUMBER) { /* lsls */
		frame_derive(w, a & 7, &w->regs[a >> 3 & 7],
			     (int32_t)((uint32_t)w->regs[a >> 3 & 7].v << (a >> 6 & 31)));
	} else if ((a & 0xffc0) == 0x4240 && w->regs[a >> 3 & 7].kind == VALUE_NUMBER) { /* negs */
		frame_derive(w, a & 7, &w->regs[a >> 3 & 7], -w->regs[a >> 3 & 7].v);
	} else {
		frame_forget(w, a & 7);
		frame_forget(w, low);
	}
}

static void frame_thumb_do_short(struct frame_walk *w, uint32_t a)
{
	if ((a & 0xfe00) == 0xb400) {
		frame_grow(w, frame_thumb_bytes_of(a & 0x1ff));
		w->stored.kind = VALUE_UNKNOWN;
	} else if ((a & 0xfe00) == 0xbc00) {
		frame_grow(w, -frame_thumb_bytes_of(a & 0x1ff));
		forget_list(w, a & 0xff);
	} else if ((a & 0xff80) == 0xb080) {
		frame_grow(w, 4 * (int64_t)(a & 0x7f));
	} else if ((a & 0xff80) == 0xb000) {
		frame_grow(w, -4 * (int64_t)(a & 0x7f));
	} else {
		set_short(w, a);
	}
}

/* Handles add and sub of an immediate: modified (T3) or plain (T4). False for others. */
static bool frame_thumb_do_add(struct frame_walk *w, uint32_t a, uint32_t b)
{
	const unsigned rn = a & 15, rd = b >> 8 & 15, op = a >> 5 & 15;
	const bool plain = (a & 0xfb50) == 0xf200 || (a & 0xfbf0) == 0xf2a0;
	const bool modified = (a & 0xfa00) == 0xf000 && (op == 8 || op == 13);
	if (b & 0x8000 || (!plain && !modified))
		return false;
	const bool sub = plain ? (a & 0xa0) == 0xa0 : op == 13;
	const uint32_t v = plain ? (a & 0x400) << 1 | (b >> 4 & 0x700) | (b & 0xff)
				 : thumb_constant(a, b);
	const int64_t grow = sub ? (int64_t)v : -(int64_t)v;
	if (rd == 15 || (!plain && a & 0x200))
		return false;
	if (rn == SP && rd == SP)
		frame_grow(w, grow);
	else if (rn == SP)
		frame_keep(w, rd, grow);
	else if (rd == SP)
		frame_from(w, rn, grow);
	else if (w->regs[rn].kind == VALUE_PLACE)
		w->regs[rd] = (struct value){ VALUE_PLACE, w->regs[rn].v + grow };
	else
		return false;
	return true;
}

/* Handles movw, movt, mov and mvn of an immediate. False for others. */
static bool frame_thumb_do_number(struct frame_walk *w, uint32_t a, uint32_t b)
{
	const unsigned rd = b >> 8 & 15;
	const uint32_t imm = (a & 15) << 12 | (a & 0x400) << 1 | (b >> 4 & 0x700) | (b & 0xff);
	if (b & 0x8000 || rd == SP)
		return false;
	if ((a & 0xfbf0) == 0xf240)
		frame_number(w, rd, imm);
	else if ((a & 0xfbf0) == 0xf2c0 && w->regs[rd].kind == VALUE_NUMBER)
		frame_derive(w, rd, &w->regs[rd], (int32_t)((w->regs[rd].v & 0xffff) | imm << 16));
	else if ((a & 0xfbef) == 0xf04f)
		frame_number(w, rd, (int32_t)thumb_constant(a, b));
	else if ((a & 0xfbef) == 0xf06f)
		frame_number(w, rd, (int32_t)~thumb_constant(a, b));
	else
		return false;
	return true;
}

/* Handles stores and loads that move the stack pointer. False for others. */
static bool frame_thumb_do_memory(struct frame_walk *w, uint32_t a, uint32_t b)
{
	const int64_t imm = b & 0xff;
	if (a == 0xe8bd) /* ldmia sp! */
		forget_list(w, b);
	else if (a == 0xf85d || a == 0xe8fd)
		forget_list(w, 1u << (b >> 12 & 15) | 1u << (b >> 8 & 15));
	if (a == 0xe92d) /* stmdb sp! */
		frame_grow(w, frame_thumb_bytes_of(b));
	else if (a == 0xe8bd)
		frame_grow(w, -frame_thumb_bytes_of(b));
	else if (a == 0xf84d && (b & 0xf00) == 0xd00) /* str Rt, [sp, #-imm]! */
		frame_grow(w, imm);
	else if (a == 0xf85d && (b & 0xf00) == 0xb00) /* ldr Rt, [sp], #imm */
		frame_grow(w, -imm);
	else if (a == 0xe96d) /* strd ..., [sp, #-imm]! */
		frame_grow(w, 4 * imm);
	else if (a == 0xe8fd) /* ldrd ..., [sp], #imm */
		frame_grow(w, -4 * imm);
	else if ((a & 0xffbf) == 0xed2d && (b & 0xe00) == 0xa00) /* vpush */
		frame_grow(w, 4 * imm);
	else if ((a & 0xffbf) == 0xecbd && (b & 0xe00) == 0xa00) /* vpop */
		frame_grow(w, -4 * imm);
	else
		return false;
	return true;
}

static void frame_thumb_do_wide(struct frame_walk *w, uint32_t a, uint32_t b)
{
	if (frame_thumb_do_add(w, a, b) || frame_thumb_do_number(w, a, b) ||
	    frame_thumb_do_memory(w, a, b))
		return;
	if ((a == 0xeb0d || a == 0xebad) && (b & 0xfff0) == 0x0d00) { /* add, sub sp, sp, Rm */
		frame_grow_by(w, b & 15, a == 0xeb0d);
		return;
	}
	/* Handles and, bic sp, Rn, #mask; bfc sp. */
	if ((a & 0xfbe0) == 0xf020 && (b & 0x8f00) == 0x0d00)
		frame_align(w, (int64_t)thumb_constant(a, b) + 1);
	frame_forget(w, b >> 12 & 15);
	frame_forget(w, b >> 8 & 15);
	/* May change three registers: the base, the second result, those that ldm loads. */
	frame_forget_number(w, a & 15);
	frame_forget_number(w, b & 15);
	if ((a & 0xfe50) == 0xe810)
		forget_list(w, b);
}

static bool frame_thumb_load_number(struct frame_walk *w, const uint8_t *p, uint64_t left,
				    uint64_t addr)
{
	unsigned reg, size;
	uint64_t at;
	if (thumb_pool(p, left, addr, &at, &size))
		frame_pool(w, at, size);
	if (!thumb_literal(p, left, addr, &reg, &at))
		return false;
	frame_load(w, reg, at, 4);
	return true;
}

/* Handles far calls, and linkers' veneers: blx, bx and mov pc of a register, ldr pc of the literal
 * pool, pop of a stored number. */
static void frame_thumb_do_far(struct frame_walk *w, uint32_t a, struct flow *f)
{
	const bool by_register = (a & 0xff00) == 0x4700 || (a & 0xff87) == 0x4687;
	const bool popped = (a & 0xff00) == 0xbd00 &&
			    w->stored_at == w->depth - frame_thumb_bytes_of(a & 0x1ff) + 4;
	const struct value *to = by_register              ? &w->regs[a >> 3 & 15]
				 : (a & 0xff7f) == 0xf85f ? &w->regs[PC]
				 : popped                 ? &w->stored
							  : NULL;
	if ((f->kind != FLOW_JUMP_INDIRECT && f->kind != FLOW_RETURN &&
	     (f->kind != FLOW_CALL || f->direct)) ||
	    !to || to->kind != VALUE_NUMBER || !(to->v & 1))
		return;
	frame_lead(w, f, to, (uint64_t)to->v & (UINT32_MAX - 1));
	if (f->maybe && f->kind == FLOW_JUMP)
		f->kind = FLOW_CONDITIONAL;
}

/* Reads a branch table, which ends where the nearest of its targets begins. */
static void frame_thumb_read_table(struct frame_walk *w, uint64_t off, unsigned width,
				   struct frame_insn *ret)
{
	uint64_t end = w->code.size, at = off;
	while (at < end && w->code.size - at >= width) {
		const uint8_t *p = w->code.p + at;
		const uint64_t to = off + 2 * (uint64_t)(width == 1 ? *p : frame_thumb_half_at(p));
		if (to <= at || to >= w->code.size)
			break;
		end = min_u64(end, to);
		frame_join(w, to);
		vec_push(&w->jumps, (struct frame_place){ (uint32_t)to, w->depth, w->sure });
		at += width;
	}
	ret->table_size = at - off;
}

static void frame_thumb_do_one(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
			       struct frame_insn *ret)
{
	unsigned width;
	const uint32_t a = frame_thumb_half_at(p), b = left >= 4 ? frame_thumb_half_at(p + 2) : 0;
	if (ret->flow.size == 4)
		w->stored.kind = VALUE_UNKNOWN;
	const bool loaded = frame_thumb_load_number(w, p, left, addr);
	frame_thumb_do_far(w, a, &ret->flow);
	if (loaded)
		return;
	if (ret->flow.size == 2)
		frame_thumb_do_short(w, a);
	else if (thumb_table_branch(a, b, &width))
		frame_thumb_read_table(w, addr - w->addr + 4, width, ret);
	else
		frame_thumb_do_wide(w, a, b);
}

bool frame_step_thumb(struct frame_walk *w, const uint8_t *p, uint64_t left, uint64_t addr,
		      struct frame_insn *ret)
{
	struct value before[16];
	if (!flow_next(&w->way, p, left, addr, &ret->flow))
		return false;
	if (ret->flow.kind == FLOW_RETURN && ret->flow.maybe) {
		ret->flow.kind = FLOW_PLAIN;
		return true;
	}
	if (ret->flow.maybe)
		memcpy(before, w->regs, sizeof before);
	frame_thumb_do_one(w, p, left, addr, ret);
	/* A register that was written under a condition is unknown. */
	for (unsigned i = 0; ret->flow.maybe && i < 16; i++)
		if (before[i].kind != VALUE_NUMBER || before[i].since != w->regs[i].since ||
		    before[i].v != w->regs[i].v)
			frame_forget_number(w, i);
	return true;
}
