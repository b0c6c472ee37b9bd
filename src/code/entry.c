/* Recognizes the first instructions of functions, and instructions that release a frame. */
#include "code/entry.h"

#include "code/flow.h"

static uint32_t entry_load(struct bytes code, uint64_t off, unsigned size)
{
	ASSERT(size > 0 && size <= 4);
	struct reader r = reader_of(bytes_sub(code, min_u64(off, code.size), size), false);
	return (uint32_t)read_uint(&r, size);
}

/* True for lui gp; addiu and daddiu sp, sp, -n. */
static bool entry_like_mips(uint32_t a)
{
	return a >> 16 == 0x3c1c || (a & 0xffff8000) == 0x27bd8000 ||
	       (a & 0xffff8000) == 0x67bd8000;
}

/* True for stwu and stdu r1, -n(r1); mflr r0; addis r2, r12. */
static bool entry_like_power(uint32_t a)
{
	return (a & 0xffff8000) == 0x94218000 || (a & 0xffff8003) == 0xf8218001 ||
	       a == 0x7c0802a6 || a >> 16 == 0x3c4c;
}

bool entry_like(enum code_isa isa, struct bytes code)
{
	if (code.size < 4)
		return false;
	const uint32_t a = entry_load(code, 0, 4), low = a & 0xffff, high = a >> 16;
	const uint32_t first = a & 0xff, second = a >> 8 & 0xff;
	switch (code_isa_plain(isa)) {
	case CODE_X86_64:
	case CODE_I386:
		/* Recognizes endbr64, endbr32; push of a callee-saved register, with or without
		 * REX.B; sub $n, %rsp. */
		if ((a & 0xfeffffff) == 0xfa1e0ff3 || first == 0x53 || first == 0x55)
			return true;
		if (isa == CODE_I386)
			return first == 0x56 || first == 0x57;
		return (first == 0x41 && (second & 0xfc) == 0x54) || (a & 0xfffdff) == 0xec8148;
	case CODE_ARM64:
		/* Recognizes bti c, bti jc, paciasp, pacibsp; stp x29, x30, [sp, #-n]!; sub sp, sp,
		 * #n. */
		return (a & 0xffffff7f) == 0xd503245f || (a & 0xffffffbf) == 0xd503233f ||
		       (a & 0xffe07fff) == 0xa9a07bfd || (a & 0xffc003ff) == 0xd10003ff;
	case CODE_THUMB:
		/* Recognizes push {..., lr}; stmdb sp!, {..., lr}. */
		return (low & 0xff00) == 0xb500 || (low == 0xe92d && high & 0x4000);
	case CODE_RISCV32:
	case CODE_RISCV64:
		/* Recognizes c.addi16sp, c.addi and addi with a negative number; cm.push. */
		return (isa != code_isa_plain(isa) && (a & 0xfe03) == 0xb802) ||
		       (a & 0xff83) == 0x7101 || (a & 0xff83) == 0x1101 ||
		       (a & 0x800fffff) == 0x80010113;
	case CODE_ARM:
		/* Recognizes push {..., lr}; str lr, [sp, #-4]!. */
		return (a & 0xffff4000) == 0xe92d4000 || a == 0xe52de004;
	case CODE_MIPS: return entry_like_mips(a);
	case CODE_MIPS_BE: return entry_like_mips(load_be32(code.p));
	case CODE_POWER: return entry_like_power(a);
	case CODE_POWER_BE: return entry_like_power(load_be32(code.p));
	case CODE_S390:
		/* Recognizes stmg %rN, %r15, n(%r15). */
		return first == 0xeb && (second & 15) == 15 && high >> 4 == 15;
	default: return false;
	}
}

bool frame_given_back(enum code_isa isa, struct bytes code, uint64_t off)
{
	if (off < 4 || off > code.size)
		return false;
	const uint32_t a = entry_load(code, off - 4, 4), last = a >> 24;
	switch (isa) {
	case CODE_X86_64:
	case CODE_I386:
		/* Recognizes pop; leave; add $n, %rsp. Excludes pop of r8 to r11, because that
		 * loads a constant. */
		if ((a >> 16 & 0xff) == 0x41 && (last & 0xfc) == 0x58)
			return false;
		return (last & 0xf8) == 0x58 || last == 0xc9 || (a & 0xffffff) == 0xc48348;
	case CODE_ARM64:
		/* Recognizes ldp x29, x30, [sp], #n; add sp, sp, #n; autiasp. */
		return (a & 0xffc07fff) == 0xa8c07bfd || (a & 0xffc003ff) == 0x910003ff ||
		       a == 0xd50323bf;
	default: return false;
	}
}

enum stack_use { STACK_NOTHING, STACK_PUTS, STACK_TAKES };

/* Returns whether a Thumb instruction pushes to the stack, pops from it, or neither. Pushes are
 * push, sub sp, and their wide forms stmdb, str, vpush. Pops are pop, add sp, ldm, ldr, vpop
 * (ARMv7-M, A7). */
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

bool entry_takes_first(const struct image *im, uint64_t addr, uint64_t *budget)
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
		ASSERT(in.size > 0 && in.size <= left);
		at = in.kind == FLOW_JUMP ? in.target : at + in.size;
		left -= in.size;
		*budget -= in.size;
	}
	return false;
}
