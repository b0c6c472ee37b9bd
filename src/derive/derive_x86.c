/* Finds the events of x86 code. */
#include "derive/derive_internal.h"
#include "code/x86.h"
#include "code/x86_table.h"

#include "base/sort.h"

/* Greatest number of references that are tried as a jump table, the last ones first. */
enum { TABLE_TRIES = 32 };

static uint64_t derive_x86_target_of(struct derive_scan *s, uint64_t off, const struct x86_insn *in)
{
	const uint64_t to = s->extent->addr + off + in->len + (uint64_t)in->disp;
	return scan_relocated(s, off + in->disp_off,
			      s->mode64 ? to
					: (s->extent->addr & ~UINT64_C(0xffffffff)) | (uint32_t)to);
}

static void derive_x86_add_jump(struct derive_scan *s, uint64_t off, const struct x86_insn *in,
				enum event_kind kind)
{
	struct event *e = scan_push(s, off, in->len, kind);
	e->target = derive_x86_target_of(s, off, in);
}

static bool has_table(struct derive_scan *s)
{
	const size_t count = s->b->refs.count;
	struct jump_table t;
	for (size_t i = count; !s->has_table && i > s->tried && count - i < TABLE_TRIES; i--)
		s->has_table = table_guess(s->facts, s->extent, s->b->refs.data[i - 1], &t);
	s->tried = count;
	return s->has_table;
}

/* Adds all tables that a function refers to, whatever jump uses them. */
static void derive_x86_add_tables(struct derive_scan *s)
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

/* True if the instruction before is the end of an epilogue. Then the next jump is a tail call. */
static bool frame_is_gone(const struct derive_scan *s, uint64_t off)
{
	const uint8_t *p = s->extent->code.p + s->before;
	const uint64_t len = off - s->before;
	if (len == 6 && p[0] == 0x62 && p[4] == 0x8f) /* pop2 */
		return true;
	if (len <= 2 || (len == 3 && p[0] == 0xd5))
		return len > 0 && ((p[len - 1] & 0xf8) == 0x58 || p[0] == 0xc9); /* pop, leave */
	return len >= 4 && p[0] == 0x48 && (p[1] | 2) == 0x83 && p[2] == 0xc4;   /* add $n, %rsp */
}

/* Finds the jump table of the indirect jump at `off`. Used if an extent may have several functions.
 * The jump itself may contain the table's address. Otherwise tries the addresses that code took
 * since the last return, the latest first. False if none is found. */
static bool derive_x86_find_table(struct derive_scan *s, uint64_t off, const struct x86_insn *in)
{
	const uint64_t end = s->extent->addr + off + in->len;
	const size_t count = s->b->refs.count;
	const uint64_t loaded = in->indexed ? (uint32_t)in->disp : s->loaded;
	struct jump_table t;
	bool found = loaded != 0 && table_of_jump(s->facts, s->extent, loaded, end, true, &t);
	for (size_t i = count; !found && i > s->tried && count - i < TABLE_TRIES; i--) {
		const uint64_t ref = s->b->refs.data[i - 1];
		found = s->mode64 ? table_of_jump(s->facts, s->extent, ref, end, false, &t)
				  : table_of_distances(s->facts, s->extent, ref, s->base, end, &t);
	}
	if (found)
		vec_push(&s->b->tables, t);
	return found;
}

static void derive_x86_add_indirect(struct derive_scan *s, uint64_t off, const struct x86_insn *in,
				    enum event_kind kind)
{
	struct event *e = scan_push(s, off, in->len, kind);
	if (x86_is_jmpabs(in)) {
		e->kind = EVENT_JMP;
		e->target = scan_relocated(s, off + in->imm_off, (uint64_t)in->imm);
		return;
	}
	if (in->pc_relative)
		e->target = derive_x86_target_of(s, off, in);
	e->slot = in->disp_size == 1 ? (uint8_t)in->disp : 0;
	if (kind != EVENT_JMP_INDIRECT)
		return;
	if (in->pc_relative || frame_is_gone(s, off))
		return;
	if (s->facts->stretches)
		e->table = derive_x86_find_table(s, off, in);
	else
		e->table = has_table(s);
}

static inline void derive_x86_add_ref(struct derive_scan *s, uint64_t to)
{
	if (!extent_has(s->extent, to))
		vec_push(&s->b->refs, to);
}

static void derive_x86_add(struct derive_scan *s, uint64_t off, const struct x86_insn *in)
{
	if (s->facts->stretches && in->indexed)
		vec_push(&s->b->bases, (uint32_t)in->disp);
	if (in->pc_relative && in->address)
		derive_x86_add_ref(s, derive_x86_target_of(s, off, in));
	else if (in->indexed && !s->facts->stretches)
		derive_x86_add_ref(s, scan_relocated(s, off + in->disp_off, (uint32_t)in->disp));
	switch (in->flow) {
	case X86_JCC: derive_x86_add_jump(s, off, in, EVENT_JCC); break;
	case X86_JMP: derive_x86_add_jump(s, off, in, EVENT_JMP); break;
	case X86_CALL: derive_x86_add_jump(s, off, in, EVENT_CALL); break;
	case X86_JMP_INDIRECT: derive_x86_add_indirect(s, off, in, EVENT_JMP_INDIRECT); break;
	case X86_CALL_INDIRECT: derive_x86_add_indirect(s, off, in, EVENT_CALL_INDIRECT); break;
	case X86_RET: scan_push(s, off, in->len, EVENT_RET); break;
	case X86_TRAP:
		scan_push(s, off, in->len,
			  s->extent->code.p[off] == 0xcc ? EVENT_INT3 : EVENT_TRAP);
		break;
	case X86_NOP: scan_push(s, off, in->len, EVENT_NOP); break;
	default: break;
	}
}

/* Follows position-independent i386 code, which adds a distance to the address after a call. The
 * sum is the GOT or a jump table, from which later distances count. */
static void note_distance(struct derive_scan *s, uint64_t off, const struct x86_insn *in)
{
	enum { ADD = 0x81, ADD_EAX = 0x05, NEAR = 16 };
	const struct derive_facts *f = s->facts;
	const uint8_t *p = s->extent->code.p + off;
	const bool adds = in->imm_size == 4 &&
			  (p[0] == ADD_EAX || (p[0] == ADD && (p[1] & 0xf8) == 0xc0));
	uint64_t to = 0;
	if (adds && s->called > 0 && off - s->called < NEAR) {
		to = (uint32_t)(s->extent->addr + s->called + (uint64_t)in->imm);
		s->base = f->load(f->ctx, to, 1).size > 0 ? to : s->base;
	} else if (in->disp_size == 4 && !in->absolute && !in->indexed && s->base != 0) {
		to = (uint32_t)(s->base + (uint64_t)in->disp);
	}
	if (to != 0)
		derive_x86_add_ref(s, to);
}

/* Decodes an instruction. Returns its length, or 1 if the bytes are no instruction. */
static unsigned derive_x86_look(struct derive_scan *s, uint64_t off)
{
	struct x86_insn in;
	if (!x86_decode(s->extent->code.p + off, s->extent->code.size - off, s->mode64, &in)) {
		scan_push(s, off, 1, EVENT_BAD);
		return 1;
	}
	bit_set(s->b->starts + s->fn->word, off);
	if (in.flow != X86_PLAIN || in.indexed || in.pc_relative)
		derive_x86_add(s, off, &in);
	if (s->facts->stretches && !s->mode64 && in.flow == X86_PLAIN)
		note_distance(s, off, &in);
	else if (in.flow == X86_CALL)
		s->called = off + in.len;
	if (in.indexed && in.flow == X86_PLAIN)
		s->loaded = (uint32_t)in.disp;
	else if (in.flow != X86_PLAIN)
		s->loaded = 0;
	if (in.flow == X86_RET || in.flow == X86_TRAP)
		s->tried = s->b->refs.count;
	return in.len;
}

static inline uint32_t derive_x86_load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Returns the 8 bytes at p. If there are fewer, the rest is 0. */
static inline uint64_t derive_x86_load64(const uint8_t *p, uint64_t left)
{
	uint8_t some[8] = { 0 };
	if (UNLIKELY(left < sizeof some)) {
		memcpy(some, p, left);
		p = some;
	}
	return derive_x86_load32(p) | (uint64_t)derive_x86_load32(p + 4) << 32;
}

/* Returns true if a ModRM byte selects a plain instruction of a group opcode. Sets *imm to the size
 * of its immediate. */
static inline bool is_plain_group(unsigned op, unsigned modrm, unsigned *imm)
{
	const unsigned reg = modrm >> 3 & 7;
	switch (op) {
	case 0xc6:
	case 0xc7: return reg == 0 && modrm != 0xf8;
	case 0xf6: *imm = reg < 2 ? 1 : 0; return true;
	case 0xf7: *imm = reg < 2 ? 4 : 0; return true;
	case 0xfe: return reg < 2;
	case 0xff: return reg < 2 || reg == 6;
	default: return false;
	}
}

struct common {
	unsigned len, class;
	unsigned imm;       /* Size of the immediate or distance at its end */
	bool prefixed, rip; /* `rip`: true if the memory operand is relative to rip */
};

/* Reads a common x86-64 instruction. False if it needs the full decoder. It branches
 * only on rare conditions, because processors predict branches on the kind of instruction badly. */
static inline bool derive_x86_read_common(const uint8_t *p, uint64_t left, struct common *ret)
{
	uint64_t w = derive_x86_load64(p, left);
	const unsigned prefix = (w & 0xff) == 0x66 || (w & 0xfe) == 0xf2;
	w >>= 8 * prefix;
	const unsigned rex = (w & 0xf0) == 0x40, wide = rex & (unsigned)(w >> 3);
	w >>= 8 * rex;
	const unsigned escape = (w & 0xff) == 0x0f;
	w >>= 8 * escape;
	const unsigned attr = x86_attr[escape][w & 0xff], class = attr >> 4;
	const unsigned rm = x86_modrm[w >> 8 & 0xff] & (0u - (attr >> 3 & 1));
	unsigned imm = attr & X86_IMM;
	unsigned odd = class > CLASS_CALL || class == CLASS_TRAP;
	if (UNLIKELY(class == CLASS_GROUP) && !escape)
		odd = !is_plain_group(w & 0xff, w >> 8 & 0xff, &imm);
	odd |= (class == CLASS_MOV) & wide;
	odd |= (class == CLASS_LEA) & ((w & 0xc000) == 0xc000);
	odd |= (rm & X86_RM_SIB0) != 0 && (w >> 16 & 7) == 5;
	odd |= prefix & (escape ^ 1) & (imm == 4); /* Prefix 66 makes the immediate shorter */
	*ret = (struct common){ .len = 1 + prefix + rex + escape + (rm & X86_RM_LEN) + imm,
				.class = class,
				.imm = imm,
				.prefixed = prefix | rex,
				.rip = (rm & X86_RM_NOBASE) != 0 };
	return !odd && ret->len <= left;
}

/* Adds the events of x86-64 code in [off, until), until an instruction that is not common. If an
 * extent may have several functions, also until a return or a zero, which may be padding. Returns
 * the offset where it stopped. To avoid branches, each instruction writes an event and a reference,
 * which the next one overwrites unless they count. The function must have at least 4 bytes. */
static uint64_t scan_common(struct derive_scan *s, uint64_t off, uint64_t until)
{
	static const uint8_t kinds[] = {
		[CLASS_NOP] = EVENT_NOP, [CLASS_RET] = EVENT_RET,   [CLASS_JCC] = EVENT_JCC,
		[CLASS_JMP] = EVENT_JMP, [CLASS_CALL] = EVENT_CALL, [CLASS_GROUP] = 0
	};
	const struct derive_extent *x = s->extent;
	const bool fixed = s->facts->fix_count > 0, several = s->facts->stretches;
	const size_t event_count = s->b->events.count;
	uint64_t *starts = s->b->starts + s->fn->word;
	struct event *event = s->b->events.data + s->b->events.count;
	const struct event *last_event = s->b->events.data + s->b->events.cap;
	uint64_t *ref = s->b->refs.data + s->b->refs.count;
	const uint64_t *last_ref = s->b->refs.data + s->b->refs.cap;
	struct common c;
	while (off < until && event < last_event && ref < last_ref) {
		const uint8_t *p = x->code.p + off;
		if (UNLIKELY(!derive_x86_read_common(p, x->code.size - off, &c) ||
			     (several & ((*p == 0) | (c.class == CLASS_RET)))))
			break;
		const bool branch = c.class >= CLASS_JCC && c.class <= CLASS_CALL;
		const bool eventful = c.class >= CLASS_NOP && c.class <= CLASS_CALL;
		const bool lea = (c.class == CLASS_LEA) & c.rip;
		if (UNLIKELY((eventful & c.prefixed) | (fixed & ((branch & (c.imm == 4)) | lea))))
			break;
		const int64_t near = (int8_t)p[c.len - 1];
		const uint64_t end = off + c.len;
		const int64_t far = (int32_t)derive_x86_load32(x->code.p + (end > 4 ? end - 4 : 0));
		const uint64_t to = x->addr + end + (uint64_t)(c.imm == 1 ? near : far);
		bit_set(starts, off);
		*event = (struct event){ .target = branch ? to : DERIVE_NOWHERE,
					 .off = (uint32_t)off,
					 .len = (uint8_t)c.len,
					 .kind = kinds[c.class] };
		event += eventful;
		*ref = to;
		ref += lea && !extent_has(x, to);
		s->before = off;
		off = end;
	}
	s->b->events.count = (size_t)(event - s->b->events.data);
	s->b->refs.count = (size_t)(ref - s->b->refs.data);
	if (s->b->events.count > event_count)
		s->loaded = 0;
	return off;
}

/* By the events, sets whether the function returns, and where its jumps lead. */
static void note_events(struct derive_scan *s)
{
	struct event *e = s->b->events.data + s->fn->event_first;
	const struct event *end = s->b->events.data + s->b->events.count;
	for (; e < end; e++) {
		s->fn->returns |= e->kind == EVENT_RET ||
				  (e->kind == EVENT_JMP_INDIRECT && !e->table);
		if (e->kind == EVENT_JCC) {
			/* ucomiss and similar instructions set ZF, PF and CF. Then a test for
			 * equality takes two jumps, one by PF (SDM volume 2, UCOMISD). */
			const uint8_t *op = s->extent->code.p + e->off;
			const uint8_t last = op[0] == 0x0f ? op[1] : op[0];
			e->pair = (last >> 4 == 7 || last >> 4 == 8) &&
				  ((last & 14) == 4 || (last & 14) == 10);
		}
		if (e->kind == EVENT_JCC || e->kind == EVENT_JMP)
			note_target(s->b, s->fn, s->extent, e->target, e->kind == EVENT_JCC);
	}
}

/* Returns the event that ends at `off`, or before padding that ends there. NULL if none. */
static const struct event *derive_x86_event_before(const struct derive_scan *s, uint64_t off)
{
	enum { MOST = 64 };
	const size_t count = s->b->events.count - s->fn->event_first;
	const struct event *e = s->b->events.data + s->b->events.count;
	const struct event *first = e - (count < MOST ? count : MOST);
	for (; e > first && event_end(e - 1) == off && e[-1].kind == EVENT_NOP; e--)
		off = e[-1].off;
	return e > first && event_end(e - 1) == off ? e - 1 : NULL;
}

/* Adds zeros after an instruction that ends the flow, as nops. Returns their end. */
static uint64_t pass_zeros(struct derive_scan *s, uint64_t off)
{
	enum { MOST = 252 };
	const struct bytes code = s->extent->code;
	if (off >= code.size || code.p[off] != 0)
		return off;
	const struct event *e = derive_x86_event_before(s, off);
	if (!e || !event_ends(e))
		return off;
	for (uint64_t from = off; off < code.size && code.p[off] == 0; from = off) {
		while (off < code.size && off - from < MOST && code.p[off] == 0)
			off++;
		scan_push(s, from, (uint8_t)(off - from), EVENT_NOP);
	}
	return off;
}

void derive_x86(const struct derivation *d, struct batch *b, size_t function)
{
	enum { ROOM = 64 };
	struct derive_scan s = scan_of(d, b, function);
	const uint64_t size = s.extent->code.size;
	ASSERT(b->starts);
	b->refs.count = 0;
	for (uint64_t off = 0; off < size;) {
		vec_reserve(&b->events, ROOM);
		vec_reserve(&b->refs, ROOM);
		const uint64_t behind = scan_skip_data(&s, off);
		if (behind > off) {
			off = behind;
			continue;
		}
		const uint64_t end = scan_next_data(&s), from = off;
		if (s.mode64 && size >= 4)
			off = scan_common(&s, off, end);
		if (off > from && d->facts->stretches)
			off = pass_zeros(&s, off);
		if (off >= end)
			continue;
		const unsigned len = derive_x86_look(&s, off);
		s.before = off;
		off += len;
		if (d->facts->stretches)
			off = pass_zeros(&s, off);
	}
	if (s.has_table)
		derive_x86_add_tables(&s);
	note_events(&s);
}

/* Guesses the compiler by the order in which registers are pushed. LLVM: rbp, r15, r14 down to r12,
 * rbx. gcc: r15 down to r12, rbp, rbx. If few are needed, LLVM takes rbx and r14, gcc rbx and rbp.
 * Returns from -2 (gcc) to 2 (LLVM), 0 if unknown. */
int derive_x86_vote(struct bytes code)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	enum { NEAR = 40 };
	const uint8_t *p = code.p;
	const uint64_t size = min_u64(code.size, NEAR);
	uint64_t i = size >= 4 && memcmp(p, endbr, 4) == 0 ? 4 : 0;
	if (i + 3 > size)
		return 0;
	if (p[i] == 0x55 && p[i + 1] == 0x41 && (p[i + 2] & 0xfc) == 0x54)
		return 2;
	if (p[i] == 0x55 && p[i + 1] == 0x53)
		return -1;
	const uint64_t r14 = i + (p[i] == 0x41 && p[i + 1] == 0x57 ? 2 : 0);
	if (r14 + 3 <= size && p[r14] == 0x41 && p[r14 + 1] == 0x56 && p[r14 + 2] == 0x53)
		return 2;
	for (; i + 3 <= size; i++)
		if (p[i] == 0x41 && p[i + 1] == 0x54 && p[i + 2] == 0x55)
			return -2;
	return 0;
}
