/* code.h - decodes instructions: lengths, and the addresses that they refer to.
 *
 * Knows x86-64, i386 and AArch64. For other sets it decodes lengths, branches and calls, but no
 * operands. Code is decoded linearly from its first byte. Thread-safe. */
#pragma once

#include "base/reader.h"
#include "base/vec.h"

enum code_isa {
	CODE_NONE,
	CODE_X86_64,
	CODE_I386,
	CODE_ARM64,
	/* For these sets, code_refs() finds only REF_CALL and REF_JUMP. data_refs.h finds
	 * references to data. */
	CODE_THUMB,
	CODE_RISCV32,
	CODE_RISCV64,
	CODE_AVR,
	CODE_XTENSA,
	/* For these sets, heft finds functions and references (code_split_isa_of()). */
	CODE_ARM,
	CODE_MIPS,
	CODE_MIPS_BE,
	CODE_POWER,
	CODE_POWER_BE,
	CODE_S390,
	/* RISC-V with extensions that reuse encodings, each for 32 and 64 bits. With Zcmp, Zcmt and
	 * Xqccmp, the encodings of compressed loads and stores of doubles are pushes, pops and
	 * jumps. */
	CODE_RISCV32_ZCMP,
	CODE_RISCV64_ZCMP,
	CODE_RISCV32_XQCI, /* Qualcomm: branches, interrupts; includes the encodings of Zcmp */
	CODE_RISCV64_XQCI,
	CODE_RISCV32_XCV, /* CORE-V: branches */
	CODE_RISCV64_XCV,
	CODE_RISCV32_XANDES, /* Andes: branches */
	CODE_RISCV64_XANDES,
};

/* Returns the instruction set without RISC-V's extensions: CODE_RISCV32 or CODE_RISCV64. Other sets
 * are unchanged. */
static inline enum code_isa code_isa_plain(enum code_isa isa)
{
	if (isa < CODE_RISCV32_ZCMP)
		return isa;
	return (isa - CODE_RISCV32_ZCMP) % 2 == 0 ? CODE_RISCV32 : CODE_RISCV64;
}

static inline bool code_isa_is_riscv(enum code_isa isa)
{
	return isa == CODE_RISCV32 || isa == CODE_RISCV64 || isa >= CODE_RISCV32_ZCMP;
}

/* Read little-endian numbers, of which instructions consist. */
static inline uint32_t load_le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t load_le32(const uint8_t *p)
{
	return load_le16(p) | load_le16(p + 2) << 16;
}

static inline uint64_t load_le64(const uint8_t *p)
{
	return load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline uint32_t load_be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t load_be32(const uint8_t *p)
{
	return load_be16(p) << 16 | load_be16(p + 2);
}

struct addr_mask;
struct image;
/* Returns the instruction set of an image. CODE_NONE if heft has no decoder. */
enum code_isa code_isa_of(const struct image *im);

enum ref_kind {
	REF_MEM = 1 << 0,  /* Operand in memory: pc-relative, or of adrp + load/store */
	REF_ADDR = 1 << 1, /* Address that is computed: lea, adr, adrp + add */
	REF_CALL = 1 << 2, /* Direct call */
	REF_JUMP = 1 << 3, /* Direct jump, with or without a condition */
	REF_IMM = 1 << 4,  /* 32- or 64-bit immediate or displacement that may be an address */
	/* Only in a mask of kinds: also report targets inside the code. Relocatable objects need
	 * this, because their fields have no value yet. */
	REF_INSIDE = 1 << 5,
};

/* How certain it is that a number is an address. */
enum ref_use {
	/* The code loads or stores at the address, or computes it relative to itself. */
	USE_ACCESS,
	/* The number may be an address, but the code does not show it: an immediate, a displacement
	 * beside a register, or a number as in data_refs.h. */
	USE_NUMBER,
	/* ARM: a number in r11, which Go's code uses in the next instruction. */
	USE_SCRATCH,
};

struct code_ref {
	uint64_t from;  /* Address of the instruction */
	uint64_t to;    /* Target that the bytes state, without relocations */
	uint64_t field; /* x86: address of the operand's field in the instruction, of 1, 2, 4 or
			 * 8 bytes (mostly 4). 0 on other machines */
	uint8_t tail;   /* x86: number of bytes from `field` to the end of the instruction */
	uint8_t kind;   /* Value of enum ref_kind */
	uint8_t size;   /* REF_MEM: number of accessed bytes. 0 if not easy to decode */
	uint8_t use;    /* Value of enum ref_use */
};

typedef VEC(struct code_ref) code_ref_vec;

struct ref_wish {
	unsigned kinds;             /* Mask of enum ref_kind */
	uint64_t imm_low, imm_high; /* REF_IMM: range [imm_low, imm_high) of the value */
	/* NULL, or the set of wanted targets. The decoder may omit references to other targets, and
	 * skip code that has no wanted one. */
	const struct addr_mask *mask;
};

/* Decodes `code`, which lies at `addr`. Appends references of the wanted kinds whose targets lie
 * outside the code. REF_IMM covers immediates, absolute operands, and displacements beside a base
 * register, with which code at a fixed address reads byte arrays. Returns the number of bytes that
 * are not instructions, which are skipped. The number does not include code that a mask lets it
 * skip. */
uint64_t code_refs(enum code_isa isa, struct bytes code, uint64_t addr, const struct ref_wish *wish,
		   code_ref_vec *ret);

/* Returns the target `to` of code at `addr` on a machine with 32-bit addresses. A target wraps
 * around within 4 GiB. A section of an object may be at a higher address. */
static inline uint64_t code_target32(uint64_t addr, uint64_t to)
{
	return (addr & ~(uint64_t)UINT32_MAX) | (uint32_t)to;
}

/* Returns the number in the lowest `bits` bits of v, with its sign extended to 64 bits. */
static inline uint64_t code_extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}
