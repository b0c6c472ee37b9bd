/* Finds the jumps, calls and returns of AArch64 code. Source: Arm ARM DDI 0487, C4.1 (encoding
 * index) and C6.2. */
#include "derive/derive_internal.h"

#include "base/sort.h"

/* Number of instructions to search before an indirect jump. NEAR: for those that compute the
 * target. FAR: for loads of addresses, which may precede a loop. */
enum { NEAR = 40, FAR = 400 };

static uint32_t derive_arm64_insn_at(const struct derive_scan *s, uint64_t off)
{
	const uint8_t *p = s->extent->code.p + off;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void derive_arm64_add_jump(struct derive_scan *s, uint64_t off, uint64_t disp,
				  enum event_kind kind)
{
	struct event *e = scan_push(s, off, 4, kind);
	e->target = scan_relocated(s, off, s->extent->addr + off + disp);
	if (kind != EVENT_CALL)
		note_target(s->b, s->fn, s->extent, e->target, kind == EVENT_JCC);
}

/* True if the instruction writes `reg`, and is one that computes table addresses or entries. */
static bool writes(uint32_t insn, unsigned reg)
{
	const uint32_t top = insn >> 24;
	if ((insn & 31) != reg)
		return false;
	return (insn & 0x1f000000) == 0x10000000 || /* adr, adrp */
	       (top & 0x7f) == 0x11 ||              /* add immediate */
	       (insn & 0x7fe00000) == 0x0b200000 || /* add extended register */
	       (insn & 0x7fe00000) == 0x0b000000 || /* add shifted register */
	       (insn & 0x3f200c00) == 0x38200800 || /* loads, register offset */
	       (insn & 0x3f000000) == 0x39000000 || /* loads, unsigned offset */
	       (insn & 0x7fe0ffe0) == 0x2a0003e0 || /* mov register */
	       (insn & 0x7fffc000) == 0x13000000 || (insn & 0xffc00000) == 0x93400000; /* sxt* */
}

static bool find_write(const struct derive_scan *s, uint64_t off, unsigned reg, unsigned most,
		       uint64_t *ret)
{
	for (unsigned i = 1; i <= most && off >= 4 * (uint64_t)i; i++) {
		if (!writes(derive_arm64_insn_at(s, off - 4 * (uint64_t)i), reg))
			continue;
		*ret = off - 4 * (uint64_t)i;
		return true;
	}
	return false;
}

/* Returns the address that adr or adrp computes. In an object, relocations have the whole address,
 * and the fields are 0. */
static uint64_t adr_of(const struct derive_scan *s, uint64_t off)
{
	const struct derive_facts *f = s->facts;
	const uint64_t at = s->extent->addr + off;
	const size_t i = lower_bound(f->fixes, f->fix_count, sizeof *f->fixes, at);
	if (i < f->fix_count && f->fixes[i].addr == at)
		return f->fixes[i].target;
	const uint32_t insn = derive_arm64_insn_at(s, off);
	const uint64_t imm = code_extend((insn >> 3 & 0x1ffffc) | (insn >> 29 & 3), 21);
	const uint64_t pc = s->extent->addr + off;
	return insn >> 31 ? (pc & ~UINT64_C(0xfff)) + (imm << 12) : pc + imm;
}

/* Finds the address that `reg` has at `off`, by adr, or by adrp and add. False if unknown. */
static bool address_in(const struct derive_scan *s, uint64_t off, unsigned reg, uint64_t *ret)
{
	uint64_t add = 0;
	for (unsigned step = 0; step < 4; step++) {
		if (!find_write(s, off, reg, FAR, &off))
			return false;
		const uint32_t insn = derive_arm64_insn_at(s, off);
		if ((insn & 0x1f000000) == 0x10000000) {
			*ret = adr_of(s, off) + add;
			return true;
		}
		if ((insn & 0xffc00000) == 0x91000000) {
			add += insn >> 10 & 0xfff;
			reg = insn >> 5 & 31;
		} else if ((insn & 0xffe0ffe0) == 0xaa0003e0) {
			reg = insn >> 16 & 31;
		} else {
			return false;
		}
	}
	return false;
}

/* Reads an instruction that loads an entry of a table, with a register as offset: size 111 0 00 opc
 * 1 Rm option S 10 Rn Rt. False for other instructions. */
static bool derive_arm64_read_entry(const struct derive_scan *s, uint64_t off, struct jump_table *t)
{
	const uint32_t insn = derive_arm64_insn_at(s, off);
	const unsigned opc = insn >> 22 & 3;
	if ((insn & 0x3f200c00) != 0x38200800 || opc == 0)
		return false;
	t->width = (uint8_t)(1u << (insn >> 30));
	t->is_signed = opc >= 2;
	return address_in(s, off, insn >> 5 & 31, &t->addr);
}

/* Reads `add x, anchor, entry, how` at `off`, which adds an entry to the table's anchor. The entry
 * is in Rm; without extension, perhaps in Rn. False if there is no such instruction. */
static bool read_sum(const struct derive_scan *s, uint64_t off, struct jump_table *t)
{
	const uint32_t insn = derive_arm64_insn_at(s, off);
	const bool extended = insn >> 21 & 1;
	unsigned anchor = insn >> 5 & 31, entry = insn >> 16 & 31;
	uint64_t load;
	t->shift = (uint8_t)(extended ? insn >> 10 & 7 : insn >> 10 & 63);
	if (t->shift > 3)
		return false;
	for (unsigned swap = 0; swap < 2; swap++) {
		if (find_write(s, off, entry, NEAR, &load) && derive_arm64_read_entry(s, load, t) &&
		    address_in(s, off, anchor, &t->anchor)) {
			if (extended)
				t->is_signed = insn >> 15 & 1;
			return true;
		}
		const unsigned other = anchor;
		anchor = entry;
		entry = other;
		if (extended || t->shift != 0)
			break;
	}
	return false;
}

static bool derive_arm64_find_table(const struct derive_scan *s, uint64_t off, unsigned reg,
				    struct jump_table *t)
{
	uint64_t at;
	*t = (struct jump_table){ .limit = UINT64_MAX };
	if (!find_write(s, off, reg, NEAR, &at))
		return false;
	const uint32_t insn = derive_arm64_insn_at(s, at);
	/* `cmp w, #n; b.hi default` before the jump: the table has n + 1 entries. */
	for (uint64_t i = 1; i <= NEAR && off >= 4 * i && t->limit == UINT64_MAX; i++) {
		const uint32_t cmp = derive_arm64_insn_at(s, off - 4 * i);
		if ((cmp & 0x7fc0001f) == 0x7100001f)
			t->limit = (cmp >> 10 & 0xfff) + 1;
	}
	if ((insn & 0xff200000) == 0x8b200000 || (insn & 0xffe00000) == 0x8b000000)
		return read_sum(s, at, t);
	return derive_arm64_read_entry(s, at, t) && t->width == 8;
}

/* Adds the event of br, blr, ret or authenticated forms: bits 31-25 are 1101011, 24-21 opc. */
static void derive_arm64_add_indirect(struct derive_scan *s, uint64_t off, uint32_t insn)
{
	const unsigned opc = insn >> 21 & 7;
	struct jump_table t;
	if (opc == 1) {
		/* `ldr x, [x, #slot]` before the call reads the function's address from a table. */
		const uint32_t load = off >= 4 ? derive_arm64_insn_at(s, off - 4) : 0;
		struct event *e = scan_push(s, off, 4, EVENT_CALL_INDIRECT);
		if ((load & 0xffc00000) == 0xf9400000)
			e->slot = (uint8_t)min_u64((load >> 10 & 0xfff) * 8, UINT8_MAX);
	} else if (opc == 0) {
		struct event *e = scan_push(s, off, 4, EVENT_JMP_INDIRECT);
		if (derive_arm64_find_table(s, off, insn >> 5 & 31, &t)) {
			table_set_reach(s->facts, s->extent, &t);
			vec_push(&s->b->tables, t);
			e->table = true;
		}
		s->fn->returns |= !e->table;
	} else {
		scan_push(s, off, 4, EVENT_RET);
		s->fn->returns = true;
	}
}

static void add_conditional(struct derive_scan *s, uint64_t off, uint32_t insn)
{
	const bool test = (insn & 0x7e000000) == 0x36000000;
	const uint64_t disp = test ? code_extend(insn >> 5 & 0x3fff, 14)
				   : code_extend(insn >> 5 & 0x7ffff, 19);
	derive_arm64_add_jump(s, off, disp << 2, EVENT_JCC);
	/* Two jumps may test floating-point numbers: mi and gt together mean "not equal", eq and vs
	 * "equal or unordered" (C1.2.4). */
	const unsigned condition = insn & 15;
	const bool by_flags = (insn & 0xff000000) == 0x54000000;
	struct event *e = &s->b->events.data[s->b->events.count - 1];
	e->reach = test ? 15 : 20;
	if (by_flags && (condition == 4 || condition == 12))
		e->pair = 1;
	if (by_flags && (condition == 0 || condition == 6))
		e->pair = 2;
}

static void derive_arm64_add(struct derive_scan *s, uint64_t off, uint32_t insn)
{
	const bool is_nop = insn == 0xd503201f;
	/* The linker may have replaced adrp and add by nop and adr. This nop is no padding. */
	const bool relaxed = is_nop && s->extent->code.size - off >= 8 &&
			     (derive_arm64_insn_at(s, off + 4) & 0x9f000000) == 0x10000000;
	if ((insn & 0x7c000000) == 0x14000000)
		derive_arm64_add_jump(s, off, code_extend(insn & 0x3ffffff, 26) << 2,
				      insn >> 31 ? EVENT_CALL : EVENT_JMP);
	else if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7c000000) == 0x34000000)
		add_conditional(s, off, insn);
	else if ((insn & 0xfe000000) == 0xd6000000)
		derive_arm64_add_indirect(s, off, insn);
	else if ((is_nop && !relaxed) || (insn == 0 && s->facts->stretches && scan_pads(s, off)))
		scan_push(s, off, 4, EVENT_NOP);
	else if ((insn & 0xffe0001f) == 0xd4200000 || insn >> 16 == 0) /* brk, udf */
		scan_push(s, off, 4, EVENT_TRAP);
}

void derive_arm64(const struct derivation *d, struct batch *b, size_t function)
{
	struct derive_scan s = scan_of(d, b, function);
	const uint64_t size = s.extent->code.size, end = size & ~UINT64_C(3);
	for (uint64_t off = 0; off < end; off += 4) {
		const uint64_t behind = scan_skip_data(&s, off);
		if (behind > off)
			off = align_up(behind, 4) - 4;
		else
			derive_arm64_add(&s, off, derive_arm64_insn_at(&s, off));
	}
	for (uint64_t off = end; off < size; off++)
		scan_push(&s, off, 1, EVENT_BAD);
}

/* Guesses the compiler by the order of register pairs that stp saves (signed offset and
 * pre-indexed). LLVM saves x20, x19, and gcc x19, x20. Returns 2 for LLVM, -2 for gcc, 0 if
 * unknown. */
int derive_arm64_vote(struct bytes code)
{
	enum { NEAR_ENTRY = 16 };
	const struct derive_extent x = { .code = code };
	const struct derive_scan s = { .extent = &x };
	for (uint64_t i = 0; i < NEAR_ENTRY && code.size / 4 > i; i++) {
		const uint32_t insn = derive_arm64_insn_at(&s, i * 4), a = insn & 31,
			       b = insn >> 10 & 31;
		if ((insn & 0xfe4003e0) != 0xa80003e0 || a < 19 || a > 28 || b < 19 || b > 28)
			continue;
		if (b == a + 1 || a == b + 1)
			return a > b ? 2 : -2;
	}
	return 0;
}
