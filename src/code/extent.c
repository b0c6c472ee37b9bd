#include "code/extent.h"

#include "code/data_refs.h"
#include "code/thumb.h"

/* Words of tables that are looked at for one function, so that damage costs no more than its
 * bytes. */
enum { WORDS_MOST = EXTENT_MAX };

struct extent {
	const struct image *im;
	enum code_isa isa;
	struct bytes code;
	uint64_t addr, limit;
	uint64_t reach;       /* the last address that something leads to */
	uint64_t unsure;      /* of data among the code whose size is not known; 0: none */
	uint64_t asked;       /* code before this was asked for tables */
	uint64_t words;       /* of tables, that may still be looked at */
	unsigned conditional; /* instructions of an IT block that are left */
	uint8_t literals[EXTENT_MAX / 4 / 8 + 1]; /* a bit for each word of the code that is one */
};

static uint64_t extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static uint32_t half_at(const struct extent *x, uint64_t addr)
{
	struct reader r = reader_of(bytes_sub(x->code, addr - x->addr, 2), false);
	return (uint32_t)read_u16(&r);
}

static uint32_t word_at(const struct extent *x, uint64_t addr)
{
	return half_at(x, addr) | half_at(x, addr + 2) << 16;
}

static bool is_inside(const struct extent *x, uint64_t addr)
{
	return addr >= x->addr && addr < x->addr + x->code.size;
}

static void lead_to(struct extent *x, uint64_t target)
{
	if (is_inside(x, target))
		x->reach = max_u64(x->reach, target);
}

/* ---- literals ---------------------------------------------------------------------------- */

/* Words are counted from a multiple of 4. */
static uint64_t word_number(const struct extent *x, uint64_t addr)
{
	return (addr - (x->addr & ~UINT64_C(3))) / 4;
}

static bool is_literal(const struct extent *x, uint64_t addr)
{
	const uint64_t n = word_number(x, addr);
	return addr % 4 == 0 && is_inside(x, addr) && x->literals[n / 8] >> n % 8 & 1;
}

static void add_literal(struct extent *x, uint64_t addr, uint64_t size)
{
	for (uint64_t at = addr & ~UINT64_C(3); at < addr + size; at += 4) {
		const uint64_t n = word_number(x, at);
		if (is_inside(x, at))
			x->literals[n / 8] |= (uint8_t)(1u << n % 8);
	}
}

/* A5.3.6, A6.4: vldr and ldrd of what stands among the code; adr, which says no size. */
static void note_literal(struct extent *x, uint64_t at)
{
	const uint64_t pc = (at + 4) & ~UINT64_C(3);
	const uint8_t *p = x->code.p + (at - x->addr);
	const uint64_t left = x->code.size - (at - x->addr);
	const uint32_t a = half_at(x, at), b = left >= 4 ? half_at(x, at + 2) : 0;
	unsigned reg;
	uint64_t to;
	if (thumb_literal(p, left, at, &reg, &to))
		add_literal(x, to, 4);
	else if ((a & 0xff3f) == 0xed1f && (b & 0x0e00) == 0x0a00)
		add_literal(x, a & 0x80 ? pc + (b & 0xff) * 4 : pc - (b & 0xff) * 4, 8);
	else if ((a & 0xff7f) == 0xe95f)
		add_literal(x, a & 0x80 ? pc + (b & 0xff) * 4 : pc - (b & 0xff) * 4, 8);
	else if ((a & 0xf800) == 0xa000)
		x->unsure = max_u64(x->unsure, pc + (a & 0xff) * 4);
	else if ((a & 0xfbff) == 0xf20f && !(b & 0x8000))
		x->unsure = max_u64(x->unsure,
				    pc + ((a >> 10 & 1) << 11 | (b >> 12 & 7) << 8 | (b & 0xff)));
}

/* ---- tables ------------------------------------------------------------------------------ */

/* The end of a table at `begin` of distances in halfwords from `base`, which ends where the first
 * of its targets begins. */
static uint64_t table_of_distances(struct extent *x, uint64_t begin, uint64_t base, unsigned width,
				   bool is_signed)
{
	uint64_t at = begin, first = UINT64_MAX;
	for (; at < first && is_inside(x, at + width - 1); at += width) {
		const uint32_t half = half_at(x, at & ~UINT64_C(1));
		const uint64_t distance = width == 2 ? half : at % 2 ? half >> 8 : half & 0xff;
		const uint64_t target = base +
					2 * (is_signed ? extend(distance, 8 * width) : distance);
		if (target < begin)
			continue;
		first = min_u64(first, target);
		lead_to(x, target);
	}
	return align_up(at, 2);
}

/* The helpers of libgcc that stand for tbb and tbh on ARMv6-M: `push {r1}; mov r1, lr` and a load
 * of the distance from the table behind the call. */
static uint64_t behind_call(struct extent *x, uint64_t callee, uint64_t end)
{
	enum {
		PUSH = 0xb402, /* r1, of halfwords r0 too */
		MOV_R1_LR = 0x4671,
		LDRB = 0x5c09,
		LDRSB = 0x5609,
		LDRH = 0x5a09,
		LDRSH = 0x5e09,
		LOOK_AT = 7
	};
	struct reader r = reader_of(image_at(x->im, callee, 2 * LOOK_AT), false);
	if ((read_u16(&r) & ~1u) != PUSH || read_u16(&r) != MOV_R1_LR)
		return end;
	while (reader_left(&r) >= 2) {
		const uint32_t half = (uint32_t)read_u16(&r);
		if (half == LDRB || half == LDRSB)
			return table_of_distances(x, end, end, 1, half == LDRSB);
		if (half == LDRH || half == LDRSH)
			return table_of_distances(x, end, end, 2, half == LDRSH);
	}
	return end;
}

/* `add pc, Rm` of what was loaded two instructions before: 1 or 2 bytes, 0 if it was not. */
static unsigned width_of_load(const struct extent *x, uint64_t at)
{
	const uint32_t load = at >= x->addr + 4 ? half_at(x, at - 4) & 0xf800 : 0;
	if ((half_at(x, at) & 0xff87) != 0x4487)
		return 0;
	return load == 0x7800 ? 1 : load == 0x8800 ? 2 : 0;
}

/* The same of addresses behind an instruction that jumps to one of them; `begin` where there are
 * none. */
static uint64_t table_of_words(struct extent *x, uint64_t begin)
{
	const uint64_t first_word = align_up(begin, 4);
	uint64_t at = first_word, first = UINT64_MAX;
	for (; at < first && is_inside(x, at + 3); at += 4) {
		const uint64_t target = word_at(x, at) & ~UINT64_C(1);
		if (!is_inside(x, target) || target <= first_word || is_literal(x, at))
			break;
		first = min_u64(first, target);
		lead_to(x, target);
	}
	if (at > first_word && x->unsure == first_word)
		x->unsure = 0;
	return at > first_word ? at : begin;
}

/* Words of data that lead into the function: addresses, or distances from the table. */
static void table_in_data(struct extent *x, uint64_t table)
{
	const unsigned size = x->im->bits == 64 ? 8 : 4;
	const struct section *in = image_section_at(x->im, table);
	if (!in || in->exec || in->nobits)
		return;
	struct reader r = reader_of(image_at(x->im, table, x->words * size), x->im->big_endian);
	for (; reader_left(&r) >= size && x->words > 0; x->words--) {
		const uint64_t target = read_uint(&r, size);
		if (!is_inside(x, target))
			break;
		lead_to(x, target & ~UINT64_C(1));
	}
	reader_seek(&r, 0);
	for (; reader_left(&r) >= 4 && x->words > 0; x->words--) {
		const uint64_t target = table + (uint64_t)(int64_t)(int32_t)read_u32(&r);
		if (!is_inside(x, size == 4 ? target & UINT32_MAX : target))
			break;
		lead_to(x, size == 4 ? target & UINT32_MAX : target);
	}
}

static void tables_in_data(struct extent *x, uint64_t end)
{
	enum { PAIR = 64 }; /* bytes that the parts of an address are apart */
	code_ref_vec refs = { 0 };
	const uint64_t from = x->asked > x->addr + PAIR ? (x->asked - PAIR) & ~UINT64_C(3)
							: x->addr;
	x->asked = end;
	data_refs(x->im, bytes_sub(x->code, from - x->addr, end - from), from, &refs);
	for (size_t i = 0; i < refs.count; i++)
		table_in_data(x, refs.data[i].to);
	vec_release(&refs);
}

/* Where code goes on behind the jump by a register or by memory that ends at `end`. */
static uint64_t behind_indirect(struct extent *x, uint64_t at, uint64_t end)
{
	unsigned width;
	if (x->isa == CODE_THUMB && end - at == 4 &&
	    thumb_table_branch(half_at(x, at), half_at(x, at + 2), &width))
		return table_of_distances(x, end, end, width, false);
	width = x->isa == CODE_THUMB && end - at == 2 ? width_of_load(x, at) : 0;
	if (width > 0)
		return table_of_distances(x, end, at + 4, width, false);
	tables_in_data(x, end);
	return x->isa == CODE_THUMB ? table_of_words(x, end) : end;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Behind the literals that follow, and what fills up to them. */
static uint64_t behind_literals(const struct extent *x, uint64_t at)
{
	while (x->isa == CODE_THUMB && is_literal(x, align_up(at, 4)))
		at = align_up(at, 4) + 4;
	return at;
}

/* ARMv6-M saves high registers by way of low ones and of lr: what is pushed then is none of the
 * caller's. */
static bool moved_to_lr(const struct image *im, uint64_t addr)
{
	enum { LOOK_AT = 6 };
	for (uint64_t at = addr - 2 * min_u64(LOOK_AT, addr / 2); at < addr; at += 2) {
		struct reader r = reader_of(image_at(im, at, 2), false);
		if ((read_u16(&r) & 0xffc7) == 0x46c6) /* mov lr, r8 to r15 */
			return true;
	}
	return false;
}

bool extent_prologue(const struct image *im, enum code_isa isa, uint64_t addr)
{
	struct reader r = reader_of(image_at(im, addr, 4), false);
	const uint32_t a = read_u16(&r), b = read_u16(&r);
	if (!reader_ok(&r))
		return false;
	if (isa == CODE_THUMB)
		return ((a & 0xff00) == 0xb500 && !moved_to_lr(im, addr)) ||
		       (a == 0xe92d && b & 0x4000);
	/* c.addi16sp, c.addi and addi, of less than 0. */
	return (a & 0xff83) == 0x7101 || (a & 0xff83) == 0x1101 ||
	       ((a | b << 16) & 0x800fffff) == 0x80010113;
}

/* What an instruction does to the stack. */
enum stack_use { STACK_NOTHING, STACK_PUTS, STACK_TAKES };

/* push, sub sp; pop, add sp; their wide forms: stmdb, ldm, str, ldr, vpush, vpop: ARMv7-M, A7. */
static enum stack_use stack_use_of(uint32_t a, uint32_t b)
{
	if ((a & 0xfe00) == 0xb400 || (a & 0xff80) == 0xb080 || a == 0xe92d || a == 0xed2d ||
	    a == 0xf1ad || a == 0xf2ad || (a == 0xf84d && (b & 0x0f00) == 0x0d00))
		return STACK_PUTS;
	if ((a & 0xfe00) == 0xbc00 || (a & 0xff80) == 0xb000 || a == 0xe8bd || a == 0xecbd ||
	    (a == 0xf85d && (b & 0x0f00) == 0x0b00))
		return STACK_TAKES;
	return STACK_NOTHING;
}

bool extent_takes_first(const struct image *im, uint64_t addr, uint64_t *budget)
{
	enum { LONGEST = 4, WAY_MOST = 1 << 13 };
	uint64_t left = min_u64(*budget, WAY_MOST), at = addr;
	while (left >= LONGEST) {
		struct flow in;
		const struct bytes b = image_at(im, at, LONGEST);
		struct reader r = reader_of(b, false);
		const uint32_t first = read_u16(&r), second = read_u16(&r);
		const enum stack_use use = stack_use_of(first, second);
		if (use != STACK_NOTHING)
			return use == STACK_TAKES;
		if (!flow_decode(CODE_THUMB, b.p, b.size, at, &in) || in.kind == FLOW_RETURN ||
		    in.kind == FLOW_JUMP_INDIRECT || in.kind == FLOW_TRAP)
			return false;
		at = in.kind == FLOW_JUMP ? in.target : at + in.size;
		left -= in.size;
		*budget -= in.size;
	}
	return false;
}

uint64_t extent_padding(const struct image *im, enum code_isa isa, uint64_t addr, uint64_t limit)
{
	struct reader r = reader_of(image_at(im, addr, limit - addr), false);
	uint64_t done = 0;
	for (; reader_left(&r) >= 2; done += 2) {
		const uint32_t half = (uint32_t)read_u16(&r);
		const bool none = isa == CODE_THUMB ? half == 0xbf00 || half == 0x46c0 ||
							      half == 0xd4d4 /* lld's */
						    : half == 1;
		if (!none && half != 0)
			break;
	}
	return addr + done;
}

/* Follows one instruction; where the next one stands, or 0 where there is none.  *ret_ends:
 * control does not go on. */
static uint64_t step(struct extent *x, uint64_t at, code_ref_vec *jumps, bool *ret_ends)
{
	struct flow in;
	const uint64_t off = at - x->addr;
	if (!flow_decode(x->isa, x->code.p + off, x->code.size - off, at, &in))
		return 0;
	if (x->isa == CODE_THUMB)
		note_literal(x, at);
	*ret_ends = x->conditional == 0 && (in.kind == FLOW_RETURN || in.kind == FLOW_JUMP ||
					    in.kind == FLOW_JUMP_INDIRECT || in.kind == FLOW_TRAP);
	x->conditional -= x->conditional > 0;
	if (x->isa == CODE_THUMB && thumb_it_count(half_at(x, at)) > 0)
		x->conditional = thumb_it_count(half_at(x, at));
	/* A jump to the beginning of a function is its last call. */
	if (in.kind == FLOW_CONDITIONAL ||
	    (in.kind == FLOW_JUMP && !extent_prologue(x->im, x->isa, in.target)))
		lead_to(x, in.target);
	if (in.kind == FLOW_JUMP && !is_inside(x, in.target))
		vec_push(jumps, (struct code_ref){ .from = at, .to = in.target, .kind = REF_JUMP });
	if (x->isa == CODE_THUMB && in.kind == FLOW_CALL && in.direct)
		return behind_call(x, in.target, at + in.size);
	return in.kind == FLOW_JUMP_INDIRECT ? behind_indirect(x, at, at + in.size) : at + in.size;
}

bool extent_known(enum code_isa isa)
{
	return isa == CODE_THUMB || isa == CODE_RISCV32 || isa == CODE_RISCV64;
}

uint64_t extent_of(const struct image *im, enum code_isa isa, uint64_t addr, uint64_t limit,
		   code_ref_vec *ret_jumps)
{
	struct extent x = { .im = im,
			    .isa = isa,
			    .addr = addr,
			    .limit = limit,
			    .reach = addr,
			    .words = WORDS_MOST };
	x.code = image_at(im, addr, min_u64(limit - addr, EXTENT_MAX - 4));
	for (uint64_t at = addr; is_inside(&x, at);) {
		bool ends = false;
		if (isa == CODE_THUMB && is_literal(&x, at)) {
			at += 4;
			continue;
		}
		at = step(&x, at, ret_jumps, &ends);
		if (at == 0)
			return limit;
		const uint64_t end = ends && at > x.reach ? behind_literals(&x, at) : 0;
		if (end > 0 && x.unsure < end)
			return extent_padding(im, isa, min_u64(end, limit), limit);
		if (end > 0)
			return limit;
	}
	return limit;
}
