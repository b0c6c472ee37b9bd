/* Events of x86 code. */
#include "code/derive_internal.h"
#include "code/x86.h"
#include "code/x86_table.h"

#include "base/sort.h"

/* References a jump table is looked for among, the latest first. */
enum { TABLE_TRIES = 32 };

struct scan {
	const struct derive_facts *facts;
	const struct derive_extent *extent;
	struct function *fn;
	struct batch *b;
	size_t fix;      /* the next one */
	uint64_t before; /* offset of the instruction before the one at hand */
	size_t tried;    /* references that no table was found among */
	bool mode64;
	bool has_table;
};

/* Where the instruction's field leads: as relocated, or as it stands. */
static uint64_t target_of(struct scan *s, uint64_t off, const struct x86_insn *in)
{
	const struct derive_facts *f = s->facts;
	const uint64_t field = s->extent->addr + off + in->disp_off;
	while (s->fix < f->fix_count && f->fixes[s->fix].addr < field)
		s->fix++;
	if (s->fix < f->fix_count && f->fixes[s->fix].addr == field)
		return f->fixes[s->fix].target;
	const uint64_t to = s->extent->addr + off + in->len + (uint64_t)in->disp;
	return s->mode64 ? to : (s->extent->addr & ~UINT64_C(0xffffffff)) | (uint32_t)to;
}

static struct event *push(struct scan *s, uint64_t off, uint8_t len, enum event_kind kind)
{
	vec_push(&s->b->events, (struct event){ .target = DERIVE_NOWHERE,
						.off = (uint32_t)off,
						.len = len,
						.kind = (uint8_t)kind });
	return &s->b->events.data[s->b->events.count - 1];
}

/* ucomiss and its kin set ZF, PF and CF: equality takes two jumps, one of them on PF (SDM volume 2,
 * UCOMISD). */
static uint8_t pair_of(const struct scan *s, uint64_t off, const struct x86_insn *in)
{
	const uint8_t *p = s->extent->code.p + off + in->disp_off - 1;
	const unsigned condition = *p & 15;
	if (in->disp_size < 4 ? *p >> 4 != 7 : *p >> 4 != 8)
		return 0;
	return condition == 4 || condition == 5 || condition == 10 || condition == 11;
}

static void add_jump(struct scan *s, uint64_t off, const struct x86_insn *in, enum event_kind kind)
{
	struct event *e = push(s, off, in->len, kind);
	e->target = target_of(s, off, in);
	if (kind == EVENT_JCC)
		e->pair = pair_of(s, off, in);
	if (kind != EVENT_CALL)
		note_target(s->b, s->fn, s->extent, e->target, kind == EVENT_JCC);
}

static bool has_table(struct scan *s)
{
	const size_t count = s->b->refs.count;
	struct jump_table t;
	for (size_t i = count; !s->has_table && i > s->tried && count - i < TABLE_TRIES; i--)
		s->has_table = table_guess(s->facts, s->extent, s->b->refs.data[i - 1], &t);
	s->tried = count;
	return s->has_table;
}

/* All tables of a function that has any: which jump reads which one does not matter. */
static void add_tables(struct scan *s)
{
	uint64_t *refs = s->b->refs.data;
	const size_t count = s->b->refs.count;
	struct jump_table t;
	sort_by_key(refs, count, sizeof *refs);
	for (size_t i = 0; i < count; i++)
		if ((i == 0 || refs[i - 1] != refs[i]) &&
		    table_guess(s->facts, s->extent, refs[i], &t))
			vec_push(&s->b->tables, t);
}

/* Whether the instruction before is the end of an epilogue: then a jump is a tail call. */
static bool frame_is_gone(const struct scan *s, uint64_t off)
{
	const uint8_t *p = s->extent->code.p + s->before;
	const uint64_t len = off - s->before;
	if (len <= 2)
		return len > 0 && ((p[len - 1] & 0xf8) == 0x58 || p[0] == 0xc9); /* pop, leave */
	return len >= 4 && p[0] == 0x48 && (p[1] | 2) == 0x83 && p[2] == 0xc4;   /* add $n, %rsp */
}

static void add_indirect(struct scan *s, uint64_t off, const struct x86_insn *in,
			 enum event_kind kind)
{
	struct event *e = push(s, off, in->len, kind);
	if (in->pc_relative)
		e->target = target_of(s, off, in);
	/* The second slot of a table of virtual functions is the deleting destructor's as a rule. */
	e->soft = in->disp_size == 1 && in->disp == 8;
	if (kind != EVENT_JMP_INDIRECT)
		return;
	if (!in->pc_relative && !frame_is_gone(s, off))
		e->table = has_table(s);
	s->fn->returns |= !e->table;
}

static void add_ref(struct scan *s, uint64_t off, const struct x86_insn *in)
{
	uint64_t to = (uint32_t)in->disp;
	if (in->pc_relative)
		to = target_of(s, off, in);
	if (!extent_has(s->extent, to))
		vec_push(&s->b->refs, to);
}

static void add(struct scan *s, uint64_t off, const struct x86_insn *in)
{
	if (in->indexed || (in->pc_relative && in->address))
		add_ref(s, off, in);
	switch (in->flow) {
	case X86_JCC: add_jump(s, off, in, EVENT_JCC); break;
	case X86_JMP: add_jump(s, off, in, EVENT_JMP); break;
	case X86_CALL: add_jump(s, off, in, EVENT_CALL); break;
	case X86_JMP_INDIRECT: add_indirect(s, off, in, EVENT_JMP_INDIRECT); break;
	case X86_CALL_INDIRECT: add_indirect(s, off, in, EVENT_CALL_INDIRECT); break;
	case X86_RET:
		push(s, off, in->len, EVENT_RET);
		s->fn->returns = true;
		break;
	case X86_TRAP:
		push(s, off, in->len, s->extent->code.p[off] == 0xcc ? EVENT_INT3 : EVENT_TRAP);
		break;
	case X86_NOP: push(s, off, in->len, EVENT_NOP); break;
	default: break;
	}
}

/* The length of an x86-64 instruction that is of no interest, which is most of them; 0 where that takes a closer
 * look.  REX, 0F, opcode, ModRM and SIB must be there. */
static inline unsigned plain_length(const uint8_t *p)
{
	const unsigned rex = (p[0] & 0xf0) == 0x40;
	const unsigned at = rex + (p[rex] == 0x0f);
	const unsigned attr = x86_attr[at - rex][p[at]], class = attr >> 4;
	const unsigned rm = x86_modrm[p[at + 1]] & (0u - (attr >> 3 & 1));
	if (class != CLASS_PLAIN && class != CLASS_LEA &&
	    !(class == CLASS_MOV && !(p[0] & 8 & -rex)))
		return 0;
	if ((rm & (X86_RM_NOBASE | X86_RM_SIB0)) || (class == CLASS_LEA && p[at + 1] >= 0xc0))
		return 0;
	return at + 1 + (rm & X86_RM_LEN) + (attr & X86_IMM);
}

void derive_x86(const struct derivation *d, struct batch *b, size_t function)
{
	struct scan s = { .facts = d->facts,
			  .extent = &d->facts->extents[function],
			  .fn = &d->functions[function],
			  .b = b,
			  .mode64 = d->facts->isa == CODE_X86_64 };
	const struct bytes code = s.extent->code;
	uint64_t *starts = b->starts + s.fn->word;
	s.fix = lower_bound(d->facts->fixes, d->facts->fix_count, sizeof *d->facts->fixes,
			    s.extent->addr);
	b->refs.count = 0;
	for (uint64_t off = 0; off < code.size;) {
		struct x86_insn in;
		const uint64_t left = code.size - off;
		const unsigned plain = s.mode64 && left > X86_MAX_LEN ? plain_length(code.p + off)
								      : 0;
		if (plain == 0 && !x86_decode(code.p + off, left, s.mode64, &in)) {
			push(&s, off++, 1, EVENT_BAD);
			continue;
		}
		bit_set(starts, off);
		if (plain == 0 && (in.flow != X86_PLAIN || in.indexed || in.pc_relative))
			add(&s, off, &in);
		s.before = off;
		off += plain ? plain : in.len;
	}
	if (s.has_table)
		add_tables(&s);
}

/* Who pushes registers in which order: LLVM rbp, r15, r14 and on down to rbx; gcc r15 and on down to r12,
 * then rbp, rbx. */
void derive_x86_votes(struct bytes code, uint64_t *llvm, uint64_t *gcc)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	enum { NEAR = 40 };
	const uint8_t *p = code.p;
	const uint64_t size = min_u64(code.size, NEAR);
	uint64_t i = size >= 4 && memcmp(p, endbr, 4) == 0 ? 4 : 0;
	if (i + 3 <= size && p[i] == 0x55 && p[i + 1] == 0x41 && (p[i + 2] & 0xfc) == 0x54)
		++*llvm;
	for (; i + 3 <= size; i++)
		if (p[i] == 0x41 && p[i + 1] == 0x54 && p[i + 2] == 0x55) {
			++*gcc;
			return;
		}
}
