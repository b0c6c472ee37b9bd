/* Finds the events of code with the decoders of flow.h: for all machines except x86 and AArch64.
 *
 * A table of branches follows its instruction (TBB, TBH), or consists of words whose address the
 * function takes. The words are addresses, or distances from the table. */
#include "derive/derive_internal.h"

#include "base/sort.h"
#include "code/data_refs.h"
#include "code/flow.h"

/* Adds the bytes until `end`, which are no code, as EVENT_BAD. Returns `end`. */
static uint64_t derive_flow_skip(struct derive_scan *s, uint64_t off, uint64_t end)
{
	enum { MOST = 252 };
	while (off < end) {
		const uint64_t len = min_u64(end - off, MOST);
		scan_push(s, off, len, EVENT_BAD);
		off += len;
	}
	s->way.it = 0;
	return off;
}

/* Returns the target of the instruction at `off`: its relocation's target. Without one, returns
 * `stands`, the target that the instruction itself states. Relocations that only allow relaxing
 * have no target. */
static uint64_t derive_flow_relocated(struct derive_scan *s, uint64_t off, uint64_t stands)
{
	const struct derive_facts *f = s->facts;
	const uint64_t addr = s->extent->addr + off;
	while (s->fix < f->fix_count && f->fixes[s->fix].addr < addr)
		s->fix++;
	for (size_t i = s->fix; i < f->fix_count && f->fixes[i].addr == addr; i++)
		if (f->fixes[i].target != DERIVE_NOWHERE)
			return f->fixes[i].target;
	return stands;
}

/* Adds a jump table that is in the code. If known data contain the table, it ends at most where
 * they end. Returns the offset of its end. */
static uint64_t add_inline_table(struct derive_scan *s, struct jump_table t)
{
	const struct derive_extent *x = s->extent;
	const uint64_t begin = t.addr - x->addr;
	const struct derive_data *data = scan_data_at(s, begin);
	if (data)
		t.limit = min_u64(t.limit, (data->addr + data->size - t.addr) / t.width);
	vec_push(&s->b->tables, t);
	return min_u64(align_up(begin + t.limit * t.width, 2), x->code.size);
}

/* If the table of an indirect jump is unknown, guesses it among the data that the function uses. */
static void derive_flow_add_tables(struct derive_scan *s)
{
	struct jump_table t;
	code_ref_vec refs = { 0 };
	const size_t known = s->b->tables.count;
	data_refs_of(s->facts->isa, s->extent->code, s->extent->addr, &refs);
	s->b->refs.count = 0;
	for (size_t i = 0; i < refs.count; i++)
		vec_push(&s->b->refs, refs.data[i].to);
	vec_release(&refs);
	uint64_t *list = s->b->refs.data;
	sort_by_key(list, s->b->refs.count, sizeof *list);
	for (size_t i = 0; i < s->b->refs.count; i++)
		if ((i == 0 || list[i - 1] != list[i]) &&
		    table_guess(s->facts, s->extent, list[i], &t))
			vec_push(&s->b->tables, t);
	struct event *e = s->b->events.data + s->fn->event_first;
	for (; s->b->tables.count > known && e < s->b->events.data + s->b->events.count; e++)
		e->table |= e->kind == EVENT_JMP_INDIRECT;
}

/* If extents have several functions: finds the table of the jump at `off`. Instructions between the
 * last return and the jump compute its address. False if none is found. */
static bool derive_flow_find_table(struct derive_scan *s, uint64_t off, uint64_t end)
{
	enum { WINDOW = 64 };
	const struct derive_extent *x = s->extent;
	const uint64_t from = max_u64(s->returned,
				      off > WINDOW ? (off - WINDOW) & ~UINT64_C(3) : 0);
	code_ref_vec refs = { 0 };
	struct jump_table t;
	bool found = false;
	data_refs_of(s->facts->isa, bytes_sub(x->code, from, end - from), x->addr + from, &refs);
	for (size_t i = refs.count; !found && i-- > 0;)
		found = table_of_jump(s->facts, x, refs.data[i].to, x->addr + end, false, &t) ||
			table_of_jump(s->facts, x, refs.data[i].to, x->addr + end, true, &t);
	if (found)
		vec_push(&s->b->tables, t);
	vec_release(&refs);
	return found;
}

static void derive_flow_add_jump(struct derive_scan *s, uint64_t off, const struct flow *in,
				 uint64_t target)
{
	/* How far a conditional jump reaches, as a power of two. Compilers for RISC-V estimate it
	 * before they compress instructions, so the estimate is at most twice too high. */
	const enum code_isa isa = s->facts->isa;
	const bool conditional = in->kind == FLOW_CONDITIONAL;
	struct event *e = scan_push(s, off, in->size, conditional ? EVENT_JCC : EVENT_JMP);
	e->target = target;
	if (conditional)
		e->reach = isa == CODE_THUMB ? 20 : isa == CODE_AVR || isa == CODE_XTENSA ? 7 : 11;
	note_target(s->b, s->fn, s->extent, target, conditional);
}

static void derive_flow_add_call(struct derive_scan *s, uint64_t off, const struct flow *in,
				 uint64_t target)
{
	const bool direct = in->direct || target != DERIVE_NOWHERE;
	struct event *e = scan_push(s, off, in->size, direct ? EVENT_CALL : EVENT_CALL_INDIRECT);
	e->target = target;
	e->maybe = in->maybe;
}

/* True if the ARM instruction at `off` jumps through the table of addresses after it (*ret). */
static bool arm_table(const struct derive_scan *s, uint64_t off, struct jump_table *ret)
{
	const struct derive_extent *x = s->extent;
	const uint64_t count = s->facts->isa == CODE_ARM ? arm_case_count(x->code, off) : 0;
	*ret = (struct jump_table){ .addr = x->addr + off + 8, .limit = count, .width = 4 };
	table_set_reach(s->facts, x, ret);
	return count > 0;
}

/* Adds the event of an instruction. Returns the end of the instruction and of its table. */
static uint64_t derive_flow_add(struct derive_scan *s, uint64_t off, const struct flow *in)
{
	const uint64_t end = off + in->size;
	struct jump_table t;
	if ((in->kind == FLOW_JUMP_INDIRECT || in->kind == FLOW_CALL) && !in->maybe &&
	    derive_thumb_table(s->facts, s->extent, off, in, &t)) {
		scan_push(s, off, in->size, EVENT_JMP_INDIRECT)->table = true;
		const size_t first = s->b->events.count;
		const uint64_t behind = derive_flow_skip(s, end, add_inline_table(s, t));
		for (size_t i = first; i < s->b->events.count; i++)
			s->b->events.data[i].table = true;
		return behind;
	}
	if (in->kind == FLOW_JUMP_INDIRECT && arm_table(s, off, &t)) {
		scan_push(s, off, in->size, EVENT_JMP_INDIRECT)->table = true;
		vec_push(&s->b->tables, t);
		return end;
	}
	switch (in->kind) {
	case FLOW_CONDITIONAL:
		/* lld fills Thumb code, after instructions from which control never continues, with
		 * a value that is a conditional jump elsewhere. */
		if (s->facts->stretches && s->way.it == 0 && scan_pads(s, off) &&
		    code_pad_size(s->facts->isa, s->extent->code.p + off,
				  s->extent->code.size - off) > 0) {
			scan_push(s, off, in->size, EVENT_NOP);
			break;
		}
		derive_flow_add_jump(s, off, in, derive_flow_relocated(s, off, in->target));
		break;
	case FLOW_JUMP:
		derive_flow_add_jump(s, off, in, derive_flow_relocated(s, off, in->target));
		break;
	case FLOW_CALL:
		derive_flow_add_call(
			s, off, in,
			derive_flow_relocated(s, off, in->direct ? in->target : DERIVE_NOWHERE));
		break;
	case FLOW_RETURN:
		scan_push(s, off, in->size, in->maybe ? EVENT_RET_IF : EVENT_RET);
		s->fn->returns = true;
		s->returned = in->maybe ? s->returned : end;
		break;
	case FLOW_JUMP_INDIRECT:
		scan_push(s, off, in->size, in->maybe ? EVENT_RET_IF : EVENT_JMP_INDIRECT);
		if (s->facts->stretches && !in->maybe)
			s->b->events.data[s->b->events.count - 1].table = derive_flow_find_table(
				s, off, end);
		s->untold = !s->facts->stretches;
		break;
	case FLOW_TRAP: scan_push(s, off, in->size, EVENT_TRAP); break;
	case FLOW_NOP: scan_push(s, off, in->size, EVENT_NOP); break;
	default: break;
	}
	return end;
}

/* Adds auipc and jalr as one jump or call. The relocation is at auipc. False for other code. */
static bool add_far(struct derive_scan *s, uint64_t off)
{
	const struct derive_extent *x = s->extent;
	const bool wide = s->facts->isa == CODE_RISCV64;
	struct flow in;
	if ((!wide && s->facts->isa != CODE_RISCV32) ||
	    !riscv_far(wide, x->code.p + off, x->code.size - off, x->addr + off, &in))
		return false;
	const uint64_t target = derive_flow_relocated(s, off, in.target);
	bit_set(s->b->starts + s->fn->word, off);
	bit_set(s->b->starts + s->fn->word, off + 4);
	if (in.kind == FLOW_CALL)
		derive_flow_add_call(s, off + 4, &in, target);
	else
		derive_flow_add_jump(s, off + 4, &in, target);
	return true;
}

/* Decodes the bytes at `off`, which may be no instruction. Returns the end of what it decoded. */
static uint64_t derive_flow_look(struct derive_scan *s, uint64_t off)
{
	const struct derive_extent *x = s->extent;
	const uint64_t behind = scan_skip_data(s, off);
	struct flow in;
	if (behind > off) {
		s->way.it = 0;
		return behind;
	}
	if (add_far(s, off))
		return off + 8;
	if (!flow_next(&s->way, x->code.p + off, x->code.size - off, x->addr + off, &in)) {
		const enum code_isa isa = s->facts->isa;
		const unsigned unit = isa == CODE_XTENSA ? 1 : code_isa_has_words(isa) ? 4 : 2;
		return derive_flow_skip(s, off, min_u64(off + unit, x->code.size));
	}
	bit_set(s->b->starts + s->fn->word, off);
	return in.kind == FLOW_PLAIN ? off + in.size : derive_flow_add(s, off, &in);
}

void derive_flow(const struct derivation *d, struct batch *b, size_t function)
{
	struct derive_scan s = scan_of(d, b, function);
	ASSERT(b->starts);
	for (uint64_t off = 0; off < s.extent->code.size;)
		off = derive_flow_look(&s, off);
	if (s.untold)
		derive_flow_add_tables(&s);
	/* If an indirect jump has no table, it leaves the function. */
	const struct event *e = s.b->events.data + s.fn->event_first;
	for (; e < s.b->events.data + s.b->events.count; e++)
		s.fn->returns |= e->kind == EVENT_JMP_INDIRECT && !e->table;
}
