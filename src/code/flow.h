/* flow.h - finds where control continues after an instruction: x86-64, i386, AArch64, Thumb-2,
 * RISC-V, AVR, Xtensa.
 *
 * Sources: those of x86.h, arm64.h, thumb.h, riscv.h, avr.h and xtensa.h. */
#ifndef HEFT_CODE_FLOW_H
#define HEFT_CODE_FLOW_H

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
	uint8_t size; /* Size in bytes */
	uint8_t kind; /* An enum flow_kind */
	/* FLOW_CONDITIONAL, FLOW_JUMP, direct FLOW_CALL: target address in the bytes, without
	 * relocations. */
	uint64_t target;
	bool direct;  /* FLOW_CALL: true if the target is known */
	bool handler; /* FLOW_RETURN: true for a form that only interrupt handlers use */
	bool maybe;   /* flow_next(): true if executed only under a condition */
};

struct image;

/* Returns the decoder for an image's code. CODE_NONE if there is none. ARM code counts as Thumb by
 * its attributes or mapping symbols, or if the program does not begin with ARM instructions. For an
 * ARM program with an even entry, O(symbols). */
enum code_isa flow_isa_of(const struct image *im);

/* Returns the decoder that finds functions in code without symbols. Supports the machines of
 * flow_isa_of(), and also ARM, MIPS, PowerPC and z/Architecture. */
enum code_isa code_split_isa_of(const struct image *im);

/* True if instructions have four bytes each, or consist of four-byte words. */
static inline bool code_isa_has_words(enum code_isa isa)
{
	return isa == CODE_ARM64 || isa == CODE_ARM || isa == CODE_MIPS || isa == CODE_MIPS_BE ||
	       isa == CODE_POWER || isa == CODE_POWER_BE;
}

/* Decodes the instruction at p, which has `left` bytes and the address addr. False if it is not an
 * instruction. */
bool flow_decode(enum code_isa isa, const uint8_t *p, uint64_t left, uint64_t addr,
		 struct flow *ret);

/* State of decoding consecutive instructions. Instructions of a Thumb IT block are conditional, so
 * a plain jump there becomes FLOW_CONDITIONAL. Initially zero, except `isa`. */
struct flow_way {
	enum code_isa isa;
	unsigned it; /* Number of instructions left in the IT block */
};
bool flow_next(struct flow_way *w, const uint8_t *p, uint64_t left, uint64_t addr,
	       struct flow *ret);

/* Returns the size of the padding at p, which has `left` > 0 bytes: a nop, a trap between
 * functions, or zeros. 0 without padding. */
uint64_t code_pad_size(enum code_isa isa, const uint8_t *p, uint64_t left);

/* Returns the address of the instruction to which a code pointer leads. Pointers to Thumb code are
 * odd. */
static inline uint64_t flow_entry(enum code_isa isa, uint64_t pointer)
{
	return isa == CODE_THUMB ? pointer & ~UINT64_C(1) : pointer;
}

/* Finds references like code_refs(), but only direct calls and jumps. Works for any machine with a
 * decoder. */
uint64_t flow_refs(enum code_isa isa, struct bytes code, uint64_t addr, unsigned kinds,
		   code_ref_vec *ret);

#endif
