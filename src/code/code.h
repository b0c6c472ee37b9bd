/* code.h - instruction bytes: lengths and the addresses they refer to.
 *
 * Knows x86-64, i386 and AArch64, and of Thumb-2, RISC-V, AVR and Xtensa lengths, branches and
 * calls; no operands, no text.  Code is decoded linearly from its first byte.  Thread-safe. */
#ifndef HEFT_CODE_CODE_H
#define HEFT_CODE_CODE_H

#include "base/reader.h"
#include "base/vec.h"

enum code_isa {
	CODE_NONE,
	CODE_X86_64,
	CODE_I386,
	CODE_ARM64,
	/* REF_CALL and REF_JUMP alone; what data they refer to says data_refs.h */
	CODE_THUMB,
	CODE_RISCV32,
	CODE_RISCV64,
	CODE_AVR,
	CODE_XTENSA,
};

struct image;
/* CODE_NONE where heft has no decoder. */
enum code_isa code_isa_of(const struct image *im);

enum ref_kind {
	REF_MEM = 1 << 0,  /* pc-relative memory operand, literal load, adrp + load/store */
	REF_ADDR = 1 << 1, /* address taken: lea, adr, adrp + add */
	REF_CALL = 1 << 2, /* direct call */
	REF_JUMP = 1 << 3, /* direct jump, conditional or not */
	REF_IMM = 1 << 4,  /* 32- or 64-bit immediate or displacement that may be an address */
	/* In a mask of kinds only: those inside the code too (relocatable objects, where the
	 * field has no value yet). */
	REF_INSIDE = 1 << 5,
};

/* How sure it is that a number is an address. */
enum ref_use {
	/* Code loads or stores by it, or counts it from where it stands. */
	USE_ACCESS,
	/* Nothing shows that: an immediate, a displacement behind a register, and what data_refs.h
	 * says. */
	USE_NUMBER,
	/* ARM: the same in r11, which Go's code has for what the next instruction uses. */
	USE_SCRATCH,
};

struct code_ref {
	uint64_t from;  /* address of the instruction */
	uint64_t to;    /* what it refers to, from the bytes as they stand */
	uint64_t field; /* x86: address of the field, 1, 2, 4 or 8 bytes (mostly 4); else 0 */
	uint8_t tail;   /* x86: bytes from `field` to the end of the instruction */
	uint8_t kind;   /* one enum ref_kind */
	uint8_t size;   /* REF_MEM: bytes accessed where the instruction says so cheaply, else 0 */
	uint8_t use;    /* one enum ref_use */
};

typedef VEC(struct code_ref) code_ref_vec;

/* Which references are looked for. */
struct ref_wish {
	unsigned kinds;             /* mask of enum ref_kind */
	uint64_t imm_low, imm_high; /* REF_IMM: half-open range that the value has to lie in */
};

/* Decodes `code`, which stands at `addr`, and appends the references that are wished for and whose
 * target lies outside [addr, addr + code.size) or, for REF_IMM, inside the wish's range:
 * immediates, absolute operands, and displacements behind a base register too, for that is how code
 * that is not position independent reads an array of bytes.  Returns how many bytes could not be
 * decoded; it goes on behind them. */
uint64_t code_refs(enum code_isa isa, struct bytes code, uint64_t addr, const struct ref_wish *wish,
		   code_ref_vec *ret);

#endif
