/* cfi.h - finds the caller of a frame by the instructions of unwind entries (DWARF 5 section 6.4).
 *
 * Registers have DWARF's numbers. The caller of this module reads memory. Tables may have any
 * bytes: each instruction consumes bytes, and the stacks of rules and values are limited. */
#pragma once

#include "unwind/unwind.h"

enum {
	CFI_REGS = 33
}; /* Registers with smaller numbers are stored: all general registers of the supported machines. */

enum cfi_kind {
	CFI_SAME,       /* The register has the caller's value */
	CFI_UNDEFINED,  /* The value is lost. A lost return address means that there is no caller */
	CFI_AT,         /* The value is the word at CFA + `off`. */
	CFI_VALUE,      /* The value is CFA + `off`. For the CFA itself: register `reg` + `off`. */
	CFI_REGISTER,   /* The value is in register `reg`. */
	CFI_AT_EXPR,    /* The value is the word at the address that `expr` computes. */
	CFI_VALUE_EXPR, /* The value is computed by `expr`. */
};

struct cfi_rule {
	enum cfi_kind kind;
	int64_t off;
	uint64_t reg;
	struct bytes expr;
};

/* The rules at an instruction. */
struct cfi_row {
	struct cfi_rule cfa;
	struct cfi_rule regs[CFI_REGS];
	uint64_t return_reg;
	bool signal_frame; /* True if a signal interrupted the caller, which made no call */
};

/* Computes the rules at an address of the FDE's function. False if an instruction is unknown or the
 * entry is damaged. */
bool cfi_row_at(const struct unwind_section *s, const struct unwind_entry *fde, uint64_t addr,
		struct cfi_row *ret);

/* The registers of a frame, as far as they are known. */
struct cfi_frame {
	uint64_t regs[CFI_REGS];
	uint64_t known; /* One bit per register: set if its value is known */
	uint64_t pc;
};

struct cfi_memory {
	bool (*load)(void *ctx, uint64_t addr, uint64_t *ret); /* Reads a machine word */
	void *ctx;
	unsigned stack_reg; /* Register whose value in the caller is the CFA, unless a rule says
			     * otherwise */
	bool big_endian;
	uint8_t address_size;
};

/* Replaces a frame by its caller. False if there is no caller, or if a register or word that the
 * rules need is unknown. */
bool cfi_step(const struct cfi_row *row, const struct cfi_memory *m, struct cfi_frame *f);
