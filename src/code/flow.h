/* flow.h - finds where control continues after an instruction, for all instruction sets that heft
 * decodes. */
#pragma once

#include "code/code.h"

enum flow_kind {
	FLOW_PLAIN,
	FLOW_CONDITIONAL, /* A jump if a condition holds */
	FLOW_JUMP,
	FLOW_JUMP_INDIRECT,
	FLOW_CALL, /* A direct or indirect call */
	FLOW_RETURN,
	FLOW_TRAP,
	FLOW_NOP,
};

struct flow {
	uint8_t size;
	uint8_t kind; /* Value of enum flow_kind */
	/* Target of a jump or direct call, as the bytes state it, without relocations. */
	uint64_t target;
	bool direct;  /* FLOW_CALL: true if `target` is known */
	bool handler; /* FLOW_RETURN: true if only interrupt handlers return so */
	bool maybe;   /* After flow_next(): true if the instruction is executed only under a
		       * condition */
};

struct image;

/* Returns the instruction set that flow_decode() needs for an image's code. CODE_NONE if there
 * is no decoder. 32-bit ARM code counts as Thumb by its attributes or mapping symbols, or if the
 * program does not begin with ARM instructions. O(symbols) for an ARM program with an even
 * entry. */
enum code_isa flow_isa_of(const struct image *im);

/* Returns the instruction set for finding functions in code without symbols, and references.
 * Includes the sets of flow_isa_of(), ARM, MIPS, PowerPC and z/Architecture. */
enum code_isa code_split_isa_of(const struct image *im);

/* True if instructions are four bytes long, or multiples of it. */
static inline bool code_isa_has_words(enum code_isa isa)
{
	return isa == CODE_ARM64 || isa == CODE_ARM || isa == CODE_MIPS || isa == CODE_MIPS_BE ||
	       isa == CODE_POWER || isa == CODE_POWER_BE;
}

/* Decodes the instruction at p, which has the address addr. `left` bytes are left at p. False if it
 * is no instruction. */
bool flow_decode(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		 struct flow *ret);

/* State of flow_next(), which decodes consecutive instructions. Instructions of a Thumb IT block
 * are conditional, so a plain jump there becomes FLOW_CONDITIONAL. All zero at first, except
 * `isa` */
struct flow_way {
	enum code_isa isa;
	unsigned it; /* Number of instructions left in the IT block */
};
bool flow_next(struct flow_way *w, const uint8_t *p, uint64_t left, uint64_t addr,
	       struct flow *ret);

/* Returns the size of the padding at p, which has `left` > 0 bytes: a nop, a trap between
 * functions, or zeros. 0 without padding. */
uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left);

/* Returns the address of the code to which a pointer leads. Pointers to Thumb code are odd. */
static inline uint64_t flow_entry(enum code_isa isa, uint64_t pointer)
{
	return isa == CODE_THUMB ? pointer & ~UINT64_C(1) : pointer;
}

/* Finds references like code_refs(), but only direct calls and jumps. For any machine with a
 * decoder. */
uint64_t flow_refs(enum code_isa isa, struct bytes code, uint64_t addr, unsigned kinds,
		   code_ref_vec *ret);

/* The decoders of single machines. Functions NAME_flow() decode an instruction like
 * flow_decode(). */

/* Finds references in AArch64 code: adr, adrp + add/ldr/str, literal loads, branches.
 * Source: Arm ARM DDI 0487, C4.1 (encoding index) and C6.2. */

/* Finds references like code_refs(), for AArch64. Instructions are always little-endian. */
uint64_t arm64_refs(struct bytes code, uint64_t addr, unsigned kinds, code_ref_vec *ret);

/* Decodes lengths and branches of Thumb and Thumb-2 instructions, little-endian.
 *
 * Source: Arm Architecture Reference Manual ARMv7-M (DDI 0403), A5 and A7; ARMv8-M (DDI 0553) for
 * later instructions. An instruction of an IT block is decoded as if alone. */
bool thumb_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size (2 or 4) of the instruction with this first halfword. */
static inline unsigned thumb_size(uint32_t first)
{
	return first >= 0xe800 ? 4 : 2;
}

/* Returns how many instructions after an IT instruction become conditional. 0 if it is no IT. */
unsigned thumb_it_count(uint32_t first);

/* True if the instruction is TBB or TBH. The branch table follows the instruction. *ret_width is
 * the size of an entry of the table. */
bool thumb_table_branch(uint32_t first, uint32_t second, unsigned *ret_width);

/* Returns how many cases the jump at `off` has. `cmp Rn, #imm` and `bhi` before it limit register
 * `reg`. UINT64_MAX if unknown. */
uint64_t thumb_case_count(struct bytes code, uint64_t off, unsigned reg);

/* Finds the address of the word that ldr Rt, [pc, #imm] loads. False for other instructions. */
bool thumb_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		   uint64_t *ret_addr);

/* Finds the data that any pc-relative load reads. For words, thumb_literal() also gives the
 * register. False for other instructions. */
bool thumb_pool(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		unsigned *ret_size);

/* Finds the address that adr Rd computes. False for other instructions. */
bool thumb_adr(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
	       uint64_t *ret_addr);

/* Returns how many bytes the instruction loads from the address in `reg`. 0 if it loads none. */
unsigned thumb_loads_at(const uint8_t *p, uint64_t left, unsigned reg);

/* Returns the constant that i:imm3:imm8 of a modified immediate encode (ARMv7-M, A5.3.2). */
uint32_t thumb_constant(uint32_t first, uint32_t second);

/* Decodes lengths and branches of RISC-V instructions, including compressed ones (C).
 *
 * Sources: The RISC-V Instruction Set Manual, Volume I, 1.5, 2, 16 and 28.14 (Zcmp, Zcmt);
 * Qualcomm uC Extension (Xqci, Xqccmp); CORE-V Instruction Set Extensions (Xcvbi); AndeStar V5
 * Performance Extension (XAndesPerf). A call with its return address in t0 (millicode) is a call
 * too. */
bool riscv_flow(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		struct flow *ret);

/* Decodes auipc and the jalr at p + 4 as one far call or jump. *ret is the jalr's flow. False for
 * other instructions. */
bool riscv_far(bool wide, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* True if the instruction set has pushes and pops instead of compressed stores and loads of
 * doubles. */
static inline bool riscv_has_pushes(enum code_isa isa)
{
	return isa >= CODE_RISCV32_ZCMP && isa <= CODE_RISCV64_XQCI;
}

/* Returns the size of the instruction with this first halfword: 2, 4, 6 or 8. 0 for longer
 * instructions, whose encodings are reserved. */
static inline unsigned riscv_size(uint32_t first)
{
	if ((first & 3) != 3)
		return 2;
	if ((first & 0x1c) != 0x1c)
		return 4;
	return !(first & 0x20) ? 6 : !(first & 0x40) ? 8 : 0;
}

/* Decodes branches of the ARM instruction set (A32), little-endian.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R (DDI 0406), A5 and A8. */
bool arm_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the number of words in a switch's table. At `off` is `ldr<c> pc, [pc, Rm, lsl #2]`, after
 * a comparison of Rm. A branch and the addresses of the cases follow. 0 without such a table. */
uint64_t arm_case_count(struct bytes code, uint64_t off);

/* True if code is probably of the ARM set: most instructions have no condition, so the upper four
 * bits are 14. Few words of Thumb code look so. `code` lies at `addr`. O(size). */
bool arm_set_likely(struct bytes code, uint64_t addr, bool big_endian);

/* Finds the address and size of the data that a pc-relative load reads. False for other
 * instructions. */
bool arm_literal(const uint8_t *p, uint64_t left, uint64_t addr, uint64_t *ret_addr,
		 unsigned *ret_size);

/* Decodes lengths and branches of AVR instructions.
 *
 * Source: AVR Instruction Set Manual (Microchip, DS40002198). Addresses count bytes, as in ELF. An
 * instruction that skips the next one is a conditional jump over it. */
bool avr_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size of an instruction by its first word: 4 for jmp, call, lds and sts, else 2. */
static inline unsigned avr_size(uint32_t first)
{
	return (first & 0xfe0c) == 0x940c || (first & 0xfc0f) == 0x9000 ? 4 : 2;
}

/* Offset that linkers add to addresses in data memory. */
#define AVR_DATA UINT64_C(0x800000)

/* Decodes lengths and branches of Xtensa instructions, little-endian, including short
 * ones (density option) and those of register windows.
 *
 * Source: Xtensa Instruction Set Architecture (ISA) Reference Manual, 7.3. Wide bundles are not
 * decoded; only some configurations have them. The end of a hardware loop is not a branch. */
bool xtensa_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Returns the size (2 or 3) of the instruction with this first byte. 0 for a wide bundle. */
static inline unsigned xtensa_size(uint8_t first)
{
	return (first & 15) < 8 ? 3 : (first & 15) < 14 ? 2 : 0;
}

/* Finds the address of the word that l32r loads, and its register. False for other instructions. */
bool xtensa_literal(const uint8_t *p, uint64_t left, uint64_t addr, unsigned *ret_reg,
		    uint64_t *ret_addr);

/* Decodes branches of MIPS instructions, up to release 5.
 *
 * Source: MIPS Architecture for Programmers, volume II-A, 3 and A. The instruction after a branch
 * is executed before the jump (delay slot), and counts as part of the branch. */
bool mips_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Decodes lengths and branches of PowerPC instructions.
 *
 * Source: Power ISA 3.1, book I, 1.6.3 (prefixed instructions) and 2.4. */
bool power_flow(bool big_endian, const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);

/* Decodes lengths and branches of z/Architecture instructions.
 *
 * Source: z/Architecture Principles of Operation (SA22-7832), 5 and B. */
bool s390_flow(const uint8_t *p, uint64_t left, uint64_t addr, struct flow *ret);
