/* Follows the instructions of a function and computes its stack use. */
#include "stack/frame_internal.h"

#include "base/reader.h"
#include "base/sort.h"

static bool is_seen(const struct frame_walk *w, uint64_t off)
{
	return w->seen[off / 64] >> (off % 64) & 1;
}

static void frame_see(struct frame_walk *w, uint64_t off, uint64_t size)
{
	for (uint64_t i = off; i - off < size && i < w->code.size; i++)
		w->seen[i / 64] |= UINT64_C(1) << i % 64;
}

void frame_add(struct frame_walk *w, unsigned sp, unsigned rd, unsigned rs, int64_t n)
{
	ASSERT(sp < 32 && rd < 32 && rs < 32);
	const struct value v = w->regs[rs];
	if (rd == sp && rs == sp)
		frame_grow(w, -n);
	else if (rd == sp)
		frame_from(w, rs, -n);
	else if (rs == sp)
		frame_keep(w, rd, -n);
	else if (v.kind == VALUE_PLACE)
		w->regs[rd] = (struct value){ VALUE_PLACE, v.v - n };
	else if (v.kind == VALUE_NUMBER)
		frame_derive(w, rd, &v, (int64_t)((uint64_t)v.v + (uint64_t)n));
	else
		frame_forget(w, rd);
}

void frame_add_registers(struct frame_walk *w, unsigned sp, unsigned rd, unsigned a, unsigned b,
			 bool sub)
{
	ASSERT(sp < 32 && rd < 32 && a < 32 && b < 32);
	if (rd == sp && (a == sp || (b == sp && !sub)))
		frame_grow_by(w, a == sp ? b : a, !sub);
	else if (rd == sp)
		w->frame->flags |= FRAME_DYNAMIC;
	else if (a == sp && frame_is_size(w, b))
		frame_keep(w, rd, sub ? w->regs[b].v : -w->regs[b].v);
	else if (b == sp && !sub && frame_is_size(w, a))
		frame_keep(w, rd, -w->regs[a].v);
	else
		frame_forget(w, rd);
}

static bool frame_step_at(struct frame_walk *w, struct bytes code, uint64_t addr,
			  struct frame_insn *ret)
{
	const uint8_t *p = code.p;
	const uint64_t left = code.size;
	*ret = (struct frame_insn){ 0 };
	w->since = FRAME_PLAIN;
	switch (code_isa_plain(w->isa)) {
	case CODE_X86_64:
	case CODE_I386: return frame_step_x86(w, p, left, addr, ret);
	case CODE_THUMB: return frame_step_thumb(w, p, left, addr, ret);
	case CODE_RISCV32:
	case CODE_RISCV64: return frame_step_riscv(w, p, left, addr, ret);
	case CODE_ARM64: return frame_step_arm64(w, p, left, addr, ret);
	case CODE_AVR: return frame_step_avr(w, p, left, addr, ret);
	case CODE_XTENSA: return frame_step_xtensa(w, p, left, addr, ret);
	default: return false;
	}
}

/* Follows code that saves registers and returns. Compilers that optimize for size jump to it. It
 * counts as part of the function, because its pushes stay on the stack. */
static bool run_saving(struct frame_walk *w, uint64_t addr)
{
	enum { MOST = 64 };
	const struct frame_walk before = *w;
	for (unsigned i = 0; i < MOST; i++) {
		struct frame_insn in;
		if (!frame_step_at(w, w->memory->load(w->memory->ctx, addr, 4), addr, &in))
			break;
		addr = in.flow.kind == FLOW_JUMP ? in.flow.target : addr + in.flow.size;
		if (in.flow.kind == FLOW_RETURN || in.flow.kind == FLOW_JUMP_INDIRECT) {
			w->deepest = before.deepest;
			frame_grow(w, 0);
			return true;
		}
		if (in.flow.kind != FLOW_JUMP && in.flow.kind != FLOW_PLAIN)
			break;
	}
	*w = before;
	return false;
}

static void frame_add_call(struct frame_walk *w, uint64_t off, enum frame_call_kind kind,
			   uint64_t target, bool tail)
{
	const int64_t word = tail ? (int64_t)frame_word(w->isa) : 0;
	const int64_t depth = w->depth - word;
	if (w->since != FRAME_PLAIN)
		vec_push(&w->guesses,
			 (struct frame_guess){ (uint32_t)w->frame->calls.count, w->since });
	vec_push(&w->frame->calls, (struct frame_call){ .target = target,
							.from = w->addr + off,
							.depth = depth > 0 ? (uint64_t)depth : 0,
							.kind = (uint8_t)kind,
							.tail = tail });
}

static void go_later(struct frame_walk *w, uint64_t off, bool behind_call)
{
	ASSERT(off <= UINT32_MAX);
	const struct frame_place p = { (uint32_t)off, w->depth, w->sure && !behind_call };
	if (off < w->code.size && !behind_call)
		frame_join(w, off);
	if (off >= w->code.size || is_seen(w, off))
		return;
	if (behind_call)
		vec_push(&w->later, p);
	else
		vec_push(&w->jumps, p);
}

/* Follows a jump inside the function. Records a jump out of it as a tail call. */
static void jump(struct frame_walk *w, uint64_t off, uint64_t target)
{
	if (target - w->addr < w->code.size)
		go_later(w, target - w->addr, false);
	else
		frame_add_call(w, off, FRAME_TAIL, target, true);
}

/* Follows a call. A call to the next instruction only gets the code's address, for a pop. */
static void call(struct frame_walk *w, uint64_t off, const struct frame_insn *in)
{
	const uint64_t behind = w->addr + off + in->flow.size;
	const int64_t word = (int64_t)frame_word(w->isa);
	if (in->by_slot)
		frame_add_call(w, off, FRAME_BY_SLOT, in->slot, false);
	else if (!in->flow.direct)
		frame_add_call(w, off, FRAME_INDIRECT, 0, false);
	else if (in->flow.target == behind)
		frame_grow(w, word);
	else if (in->flow.target != w->addr && in->flow.target - w->addr < w->code.size) {
		/* A call into the same function: a subroutine in assembly, with the same stack. */
		frame_grow(w, word);
		go_later(w, in->flow.target - w->addr, false);
		w->depth -= word;
	} else
		frame_add_call(w, off, FRAME_CALL, in->flow.target, false);
}

/* Applies the instruction at `off`. False if the path ends here. */
static bool frame_follow(struct frame_walk *w, uint64_t off, const struct frame_insn *in)
{
	const uint64_t behind = off + in->flow.size;
	switch (in->flow.kind) {
	case FLOW_CONDITIONAL: jump(w, off, in->flow.target); return true;
	case FLOW_JUMP: jump(w, off, in->flow.target); return false;
	case FLOW_JUMP_INDIRECT:
		/* An indirect jump. With only the return address on the stack, it may be a tail
		 * call or a switch, which drop_switches() decides later. */
		if (in->by_slot)
			frame_add_call(w, off, FRAME_BY_SLOT, in->slot, true);
		else
			frame_add_call(w, off, FRAME_INDIRECT, 0, true);
		frame_see(w, behind, in->table_size);
		return false;
	case FLOW_CALL:
		call(w, off, in);
		go_later(w, behind, true);
		return false;
	case FLOW_RETURN: w->frame->flags |= in->flow.handler ? FRAME_HANDLER : 0; return false;
	case FLOW_TRAP: return false;
	default: return true;
	}
}

/* Follows a path until it ends, or comes to code that was followed. */
static void walk_from(struct frame_walk *w, struct frame_place at)
{
	ASSERT(at.off <= w->code.size);
	uint64_t off = at.off;
	bool goes_on = true;
	w->depth = at.depth;
	w->sure = at.sure;
	w->way = (struct flow_way){ .isa = w->isa };
	for (unsigned i = 0; i < COUNT_OF(w->regs); i++)
		frame_forget_number(w, i);
	w->stored.kind = VALUE_UNKNOWN;
	while (goes_on && off < w->code.size && !is_seen(w, off)) {
		struct frame_insn in;
		w->off = (uint32_t)off;
		if (!frame_step_at(w, bytes_sub(w->code, off, w->code.size - off), w->addr + off,
				   &in)) {
			w->frame->flags |= FRAME_NO_CODE;
			frame_see(w, off, 1);
			return;
		}
		frame_see(w, off, in.flow.size);
		if (in.saves && run_saving(w, in.flow.target)) {
			in.flow.kind = in.back != 0 ? FLOW_JUMP : FLOW_PLAIN;
			in.flow.target = in.back;
		}
		goes_on = frame_follow(w, off, &in);
		off += in.flow.size;
	}
	w->since = FRAME_PLAIN;
	if (goes_on && off > at.off && off >= w->code.size && w->sure &&
	    w->depth == (int64_t)frame_word(w->isa))
		frame_add_call(w, w->off, FRAME_FALL, w->addr + w->code.size, true);
}

/* Follows all paths. Targets of jumps come first: code after a call that does not return may have
 * another depth. */
static void walk_all(struct frame_walk *w, struct frame_place from)
{
	walk_from(w, from);
	while (w->jumps.count + w->later.count > 0) {
		const struct frame_place next = w->jumps.count > 0
							? w->jumps.data[--w->jumps.count]
							: w->later.data[--w->later.count];
		walk_from(w, next);
	}
}

static bool is_switch(const struct frame_walk *w, const struct frame_call *c)
{
	return c->kind == FRAME_INDIRECT && c->tail && c->from - w->addr < w->code.size;
}

/* Returns the depth of the last indirect jump before `off`. If there is none, returns that of the
 * deepest call. */
static int64_t depth_at(const struct frame_walk *w, uint64_t off)
{
	const struct stack_frame *f = w->frame;
	uint64_t deepest = frame_word(w->isa), jumped = 0, from = 0;
	vec_each(const struct frame_call, c, &f->calls) {
		if (is_switch(w, c) && c->from < w->addr + off && c->from >= from) {
			from = c->from;
			jumped = c->depth + frame_word(w->isa);
		} else if (!c->tail && c->depth > deepest) {
			deepest = c->depth;
		}
	}
	return (int64_t)(from > 0 ? jumped : deepest);
}

/* Follows code that no branch leads to. True if there is any. */
static bool walk_rest(struct frame_walk *w)
{
	const bool x86 = w->isa == CODE_X86_64 || w->isa == CODE_I386;
	bool found = false;
	/* If the first instruction leaves the function, other code is not reached from it. */
	const struct stack_frame *f = w->frame;
	if (w->off == 0 && f->calls.count == 1 && f->calls.data[0].kind == FRAME_TAIL)
		return false;
	for (uint64_t off = 0; off < w->code.size;) {
		uint64_t pad = 1;
		/* In x86 code, zeros are instructions and no padding. */
		if (!is_seen(w, off))
			pad = x86 && w->code.p[off] == 0
				      ? 0
				      : code_pad_size(w->isa, w->code.p + off, w->code.size - off);
		if (pad > 0) {
			off += pad;
			continue;
		}
		found = true;
		walk_all(w, (struct frame_place){ (uint32_t)off, depth_at(w, off), false });
	}
	return found;
}

/* Drops the targets of indirect calls that follow from a number in a register, if another path may
 * join after the number was set: the register may then have another value. If there are cases of a
 * switch, whose starts are unknown, drops all. */
static void drop_guesses(struct frame_walk *w, bool has_cases)
{
	vec_each(const struct frame_guess, g, &w->guesses) {
		struct frame_call *c = &w->frame->calls.data[g->call];
		ASSERT(g->call < w->frame->calls.count);
		bool joined = has_cases;
		for (uint64_t off = g->since + UINT64_C(1); off <= c->from - w->addr && !joined;
		     off++)
			joined = w->joins[off / 64] >> off % 64 & 1;
		if (!joined)
			continue;
		c->kind = FRAME_INDIRECT;
		c->target = 0;
	}
}

/* Drops indirect jumps that are switches. They are in a function with code that only they can
 * reach, or there are bytes on the stack, which a tail call would have released. */
static void drop_switches(struct frame_walk *w, bool has_cases)
{
	struct stack_frame *f = w->frame;
	size_t kept = 0;
	for (size_t i = 0; i < f->calls.count; i++) {
		const struct frame_call c = f->calls.data[i];
		if (!is_switch(w, &c) || (c.depth == 0 && !has_cases))
			f->calls.data[kept++] = c;
	}
	f->calls.count = kept;
}

/* Returns the registers that compilers use as frame pointers. On x86, any may have a stack
 * address. */
static uint32_t pointers_of(enum code_isa isa)
{
	switch (isa) {
	case CODE_THUMB: return 1u << 7 | 1u << 11;
	case CODE_ARM64: return 1u << 29;
	case CODE_AVR: return 1u << 28;
	case CODE_XTENSA: return 1u << 7 | 1u << 15;
	default: return 1u << 8;
	}
}

void frame_read(struct stack_frame *ret, enum code_isa isa, struct bytes code, uint64_t addr,
		const struct frame_memory *memory)
{
	ASSERT(code.size <= UINT32_MAX && memory->load);
	const int64_t word = (int64_t)frame_word(isa);
	struct frame_walk w = { .isa = isa,
				.code = code,
				.addr = addr,
				.memory = memory,
				.frame = ret,
				.deepest = word,
				.pointers = pointers_of(isa),
				.seen = mem_zeroed(code.size / 64 + 1, 8),
				.joins = mem_zeroed(code.size / 64 + 1, 8) };
	ret->flags = 0;
	ret->calls.count = 0;
	const struct frame_memory *m = w.memory;
	const uint64_t end = w.addr + w.code.size;
	size_t i = upper_bound(m->data, m->data_count, sizeof *m->data, w.addr);
	for (i -= i > 0; i < m->data_count && m->data[i].addr < end; i++) {
		const struct derive_data d = m->data[i];
		const uint64_t from = max_u64(d.addr, w.addr);
		if (d.addr + d.size > from)
			frame_see(&w, from - w.addr, d.addr + d.size - from);
	}
	walk_all(&w, (struct frame_place){ 0, word, true });
	const bool has_cases = walk_rest(&w);
	drop_guesses(&w, has_cases);
	drop_switches(&w, has_cases);
	ASSERT(w.jumps.count == 0 && w.later.count == 0 && w.deepest >= word);
	vec_sort(&ret->calls);
	ret->size = (uint64_t)(w.deepest + w.align);
	vec_release_all(&w.jumps, &w.later, &w.guesses);
	mem_free_all(w.seen, w.joins);
}

void frame_release(struct stack_frame *f)
{
	vec_release(&f->calls);
}
