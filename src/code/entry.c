#include "code/entry.h"

#include "code/flow.h"

static uint32_t entry_load(struct bytes code, uint64_t off, unsigned size)
{
	struct reader r = reader_of(bytes_sub(code, min_u64(off, code.size), size), false);
	return (uint32_t)read_uint(&r, size);
}

/* ---- beginnings ------------------------------------------------------------------------------ */

/* endbr64, endbr32; push of a register that callees save, with REX.B or without; sub $n, %rsp. */
static bool entry_x86(bool mode64, struct bytes code)
{
	const uint32_t all = entry_load(code, 0, 4), first = all & 0xff, second = all >> 8 & 0xff;
	if ((all & 0xfeffffff) == 0xfa1e0ff3 || first == 0x53 || first == 0x55)
		return true;
	if (!mode64)
		return first == 0x56 || first == 0x57;
	return (first == 0x41 && (second & 0xfc) == 0x54) || (all & 0xfffdff) == 0xec8148;
}

/* bti c, bti jc, paciasp, pacibsp; stp x29, x30, [sp, #-n]!; sub sp, sp, #n. */
static bool entry_arm64(struct bytes code)
{
	const uint32_t a = entry_load(code, 0, 4);
	return (a & 0xffffff7f) == 0xd503245f || (a & 0xffffffbf) == 0xd503233f ||
	       (a & 0xffe07fff) == 0xa9a07bfd || (a & 0xffc003ff) == 0xd10003ff;
}

/* push {..., lr}; stmdb sp!, {..., lr}. */
static bool entry_thumb(struct bytes code)
{
	const uint32_t a = entry_load(code, 0, 2), b = entry_load(code, 2, 2);
	return (a & 0xff00) == 0xb500 || (a == 0xe92d && b & 0x4000);
}

/* c.addi16sp, c.addi and addi, of less than 0. */
static bool entry_riscv(struct bytes code)
{
	const uint32_t a = entry_load(code, 0, 4);
	return (a & 0xff83) == 0x7101 || (a & 0xff83) == 0x1101 || (a & 0x800fffff) == 0x80010113;
}

bool entry_like(enum code_isa isa, struct bytes code)
{
	if (code.size < 4)
		return false;
	switch (isa) {
	case CODE_X86_64:
	case CODE_I386: return entry_x86(isa == CODE_X86_64, code);
	case CODE_ARM64: return entry_arm64(code);
	case CODE_THUMB: return entry_thumb(code);
	case CODE_RISCV32:
	case CODE_RISCV64: return entry_riscv(code);
	default: return false;
	}
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* pop, but of r8 to r11, which moves a constant; leave; add $n, %rsp. */
static bool given_back_x86(struct bytes code, uint64_t off)
{
	const uint32_t last = entry_load(code, off - 1, 1);
	if (entry_load(code, off - 2, 1) == 0x41 && (last & 0xfc) == 0x58)
		return false;
	return (last & 0xf8) == 0x58 || last == 0xc9 || entry_load(code, off - 4, 3) == 0xc48348;
}

/* ldp x29, x30, [sp], #n; add sp, sp, #n; autiasp. */
static bool given_back_arm64(struct bytes code, uint64_t off)
{
	const uint32_t a = entry_load(code, off - 4, 4);
	return (a & 0xffc07fff) == 0xa8c07bfd || (a & 0xffc003ff) == 0x910003ff || a == 0xd50323bf;
}

bool frame_given_back(enum code_isa isa, struct bytes code, uint64_t off)
{
	if (off < 4 || off > code.size)
		return false;
	switch (isa) {
	case CODE_X86_64:
	case CODE_I386: return given_back_x86(code, off);
	case CODE_ARM64: return given_back_arm64(code, off);
	default: return false;
	}
}

/* ---- middles --------------------------------------------------------------------------------- */

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
		at = in.kind == FLOW_JUMP ? in.target : at + in.size;
		left -= in.size;
		*budget -= in.size;
	}
	return false;
}
