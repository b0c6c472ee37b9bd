/* Decodes where control continues after an instruction, for all machines. */
#include "code/flow.h"

#include "base/reader.h"
#include "code/x86.h"
#include "code/x86_table.h"
#include "image/arch.h"
#include "image/elf/arm_attributes.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"
#include "image/image.h"
#include "code/code.h"

/* True if all mapping symbols of code mark Thumb code. */
static bool marked_thumb_alone(const struct image *im, bool *ret_marked)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	bool thumb = false, arm = false;
	code_symbols_start(&all, im, SHT_SYMTAB);
	while (!arm && code_symbols_next(&all, &s, &addr)) {
		thumb = thumb || symbol_mark(&s) == 't';
		arm = symbol_mark(&s) == 'a';
	}
	*ret_marked = thumb || arm;
	return thumb && !arm;
}

/* True if most of the code of a program is likely ARM code. */
static bool text_is_arm(const struct image *im)
{
	enum { LOOK_AT = 1 << 16 };
	const struct section *text = image_section_find(im, ".text");
	return text && arm_set_likely(image_at(im, text->addr, min_u64(text->size, LOOK_AT)),
				      text->addr, false);
}

/* Returns true if a program begins with ARM code. A named entry in Thumb code has an odd address. A
 * C library's Thumb code may start a program of ARM code: without marks, most of the code decides.
 * If no entry is named, linkers use the even start of .text. A program without an entry may begin
 * with a vector table: for ARM it has jumps (b, ldr pc), for Thumb machines a stack address and odd
 * addresses. */
static bool begins_with_arm(const struct image *im)
{
	bool marked;
	if (im->big_endian)
		return true;
	if (arm_thumb_alone(im) || marked_thumb_alone(im, &marked))
		return false;
	if (im->entry & 1)
		return !marked && text_is_arm(im);
	if (im->entry != 0)
		return true;
	if (im->type == ET_DYN) /* A library's entry point tells nothing */
		return text_is_arm(im);
	struct reader r = reader_of(image_at(im, 0, 4), false);
	const uint32_t first = read_u32(&r);
	return reader_ok(&r) && (first >> 24 == 0xea || (first & 0xfffff000) == 0xe59ff000);
}

/* Returns the instruction set that a RISC-V image's attributes (.riscv.attributes) name. */
static enum code_isa riscv_isa_of(const struct image *im)
{
	static const struct {
		char extension[5]; /* First letters of an extension's name */
		enum code_isa isa; /* The 32-bit set. The next value is the 64-bit set */
	} sets[] = {
		{ "xqci", CODE_RISCV32_XQCI },   { "xcvb", CODE_RISCV32_XCV },
		{ "xand", CODE_RISCV32_XANDES }, { "zcmp", CODE_RISCV32_ZCMP },
		{ "zcmt", CODE_RISCV32_ZCMP },   { "xqcc", CODE_RISCV32_ZCMP },
	};
	enum code_isa isa = CODE_RISCV32;
	for (size_t i = 0; isa == CODE_RISCV32 && i < COUNT_OF(sets); i++)
		if (image_is_made_for(im, sets[i].extension))
			isa = sets[i].isa;
	return im->bits == 64 ? isa + 1 : isa;
}

enum code_isa flow_isa_of(const struct image *im)
{
	switch (image_arch(im)->id) {
	case ARCH_ARM: return begins_with_arm(im) ? CODE_NONE : CODE_THUMB;
	case ARCH_RISCV: return riscv_isa_of(im);
	case ARCH_AVR: return CODE_AVR;
	case ARCH_XTENSA: return im->big_endian ? CODE_NONE : CODE_XTENSA;
	default: return code_isa_of(im);
	}
}

/* True if code may be of a MIPS set that mips_flow() does not know: MIPS16, microMIPS or release 6.
 * Source: MIPS ABI supplement, e_flags. */
static bool mips_has_other_sets(const struct image *im)
{
	enum { MICRO = 1 << 25, M16 = 1 << 26, RELEASE_6 = 9 };
	return im->flags & (MICRO | M16) || im->flags >> 28 >= RELEASE_6;
}

enum code_isa code_split_isa_of(const struct image *im)
{
	const enum code_isa isa = flow_isa_of(im);
	if (isa != CODE_NONE)
		return isa;
	switch (image_arch(im)->id) {
	case ARCH_ARM: return im->big_endian ? CODE_NONE : CODE_ARM;
	case ARCH_MIPS:
		return mips_has_other_sets(im) ? CODE_NONE
		       : im->big_endian        ? CODE_MIPS_BE
					       : CODE_MIPS;
	case ARCH_PPC:
	case ARCH_PPC64: return im->big_endian ? CODE_POWER_BE : CODE_POWER;
	case ARCH_S390: return CODE_S390;
	default: return CODE_NONE;
	}
}

static bool decode_x86(bool mode64, const uint8_t *p, uint64_t left, uint64_t addr,
		       struct flow *ret)
{
	static const uint8_t kinds[] = {
		[X86_PLAIN] = FLOW_PLAIN, [X86_JCC] = FLOW_CONDITIONAL,
		[X86_JMP] = FLOW_JUMP,    [X86_JMP_INDIRECT] = FLOW_JUMP_INDIRECT,
		[X86_CALL] = FLOW_CALL,   [X86_CALL_INDIRECT] = FLOW_CALL,
		[X86_RET] = FLOW_RETURN,  [X86_TRAP] = FLOW_TRAP,
		[X86_NOP] = FLOW_NOP
	};
	struct x86_insn in;
	if (!x86_decode(p, left, mode64, &in))
		return false;
	*ret = (struct flow){ in.len, kinds[in.flow], addr + in.len + (uint64_t)in.disp,
			      in.flow == X86_CALL };
	if (x86_is_jmpabs(&in))
		*ret = (struct flow){ .size = in.len,
				      .kind = FLOW_JUMP,
				      .target = (uint64_t)in.imm };
	if (!mode64)
		ret->target = code_target32(addr, ret->target);
	return true;
}

/* Decodes AArch64: Arm ARM C4.1.65, "Branches, Exception Generating and System instructions". */
static void decode_arm64(uint32_t insn, uint64_t addr, struct flow *ret)
{
	*ret = (struct flow){ .size = 4 };
	if ((insn & 0x7c000000) == 0x14000000) { /* b, bl */
		ret->kind = insn >> 31 ? FLOW_CALL : FLOW_JUMP;
		ret->direct = insn >> 31;
		ret->target = addr + 4 * sign_extend(insn, 26);
	} else if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) {
		ret->kind = FLOW_CONDITIONAL; /* b.cond, cbz, cbnz */
		ret->target = addr + 4 * sign_extend(insn >> 5, 19);
	} else if ((insn & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
		ret->kind = FLOW_CONDITIONAL;
		ret->target = addr + 4 * sign_extend(insn >> 5, 14);
	} else if ((insn & 0xfe000000) == 0xd6000000) { /* Branches to an address in a register,
							 * authenticated or not */
		static const uint8_t kinds[] = { FLOW_JUMP_INDIRECT, FLOW_CALL, FLOW_RETURN,
						 FLOW_PLAIN };
		ret->kind = kinds[insn >> 21 & 3];
	} else if ((insn & 0xffe0001f) == 0xd4200000 || insn >> 16 == 0) {
		ret->kind = FLOW_TRAP; /* brk, udf */
	} else if (insn == 0xd503201f) {
		ret->kind = FLOW_NOP;
	}
}

bool flow_decode(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		 struct flow *ret)
{
	switch (code_isa_plain(isa)) {
	case CODE_X86_64:
	case CODE_I386: return decode_x86(isa == CODE_X86_64, p, left, addr, ret);
	case CODE_THUMB: return thumb_flow(p, left, addr, ret);
	case CODE_RISCV32:
	case CODE_RISCV64: return riscv_flow(isa, p, left, addr, ret);
	case CODE_AVR: return avr_flow(p, left, addr, ret);
	case CODE_XTENSA: return xtensa_flow(p, left, addr, ret);
	case CODE_ARM: return arm_flow(p, left, addr, ret);
	case CODE_MIPS:
	case CODE_MIPS_BE: return mips_flow(isa == CODE_MIPS_BE, p, left, addr, ret);
	case CODE_POWER:
	case CODE_POWER_BE: return power_flow(isa == CODE_POWER_BE, p, left, addr, ret);
	case CODE_S390: return s390_flow(p, left, addr, ret);
	case CODE_ARM64:
		if (left < 4)
			return false;
		decode_arm64(load_le32(p), addr, ret);
		return true;
	default: return false;
	}
}

bool flow_next(struct flow_way *w, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret)
{
	if (!flow_decode(w->isa, p, left, addr, ret)) {
		w->it = 0;
		return false;
	}
	ASSERT(ret->size > 0 && ret->size <= left);
	if (w->isa != CODE_THUMB)
		return true;
	ret->maybe = w->it > 0;
	w->it = ret->maybe ? w->it - 1 : thumb_it_count(load_le16(p));
	if (ret->maybe && ret->kind == FLOW_JUMP)
		ret->kind = FLOW_CONDITIONAL;
	return true;
}

uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left)
{
	const bool x86 = isa == CODE_X86_64 || isa == CODE_I386;
	const unsigned zeros = code_isa_has_words(isa) ? 4 : isa == CODE_NONE || x86 ? 1 : 2;
	struct flow in;
	uint8_t any = 0;
	ASSERT(left > 0);
	for (unsigned i = 0; i < zeros && i < left; i++)
		any |= p[i];
	if (left >= zeros && (any == 0 || (x86 && *p == 0xcc)))
		return zeros;
	if (isa == CODE_THUMB && left >= 2 && p[0] == 0xd4 && p[1] == 0xd4) /* Padding by lld */
		return 2;
	/* The linker may have replaced adrp and add by nop and adr. Then the nop is no padding. */
	if (isa == CODE_ARM64 && left >= 8 && (load_le32(p + 4) & 0x9f000000) == 0x10000000)
		return 0;
	const uint8_t op = isa == CODE_X86_64 && left > 1 && (*p & 0xf0) == 0x40 ? p[1] : *p;
	if (isa == CODE_X86_64 && x86_class_of(x86_attr[0][op]) == CLASS_PLAIN)
		return 0;
	return flow_decode(isa, p, left, 0, &in) && in.kind == FLOW_NOP ? in.size : 0;
}

uint64_t flow_refs(enum code_isa isa, struct bytes code, uint64_t addr, unsigned kinds,
		   code_ref_vec *ret)
{
	uint64_t bad = 0;
	for (uint64_t off = 0; off < code.size;) {
		struct flow in;
		if (!flow_decode(isa, code.p + off, code.size - off, addr + off, &in)) {
			off++;
			bad++;
			continue;
		}
		const bool call = in.kind == FLOW_CALL && in.direct;
		const unsigned kind = call ? REF_CALL
				      : in.kind == FLOW_JUMP || in.kind == FLOW_CONDITIONAL
					      ? REF_JUMP
					      : 0;
		const bool inside = in.target - addr < code.size;
		if (kind & kinds && (!inside || kinds & REF_INSIDE))
			vec_push(ret, (struct code_ref){ .from = addr + off,
							 .to = in.target,
							 .kind = (uint8_t)kind });
		off += in.size;
	}
	ASSERT(bad <= code.size);
	return bad;
}

enum code_isa code_isa_of(const struct image *im)
{
	switch (image_arch(im)->id) {
	case ARCH_386: return CODE_I386;
	case ARCH_X86_64: return CODE_X86_64;
	case ARCH_ARM64: return CODE_ARM64;
	default: return CODE_NONE;
	}
}

uint64_t code_refs(enum code_isa isa, struct bytes code, uint64_t addr, const struct ref_wish *wish,
		   code_ref_vec *ret)
{
	ASSERT(code.p || code.size == 0);
	switch (isa) {
	case CODE_X86_64: return x86_refs(code, true, addr, wish, ret);
	case CODE_I386: return x86_refs(code, false, addr, wish, ret);
	case CODE_ARM64: return arm64_refs(code, addr, wish->kinds, ret);
	case CODE_NONE: return code.size;
	default: return flow_refs(isa, code, addr, wish->kinds, ret);
	}
}
