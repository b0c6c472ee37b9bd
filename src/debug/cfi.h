/* cfi.h - from a frame to its caller: the instructions of unwind entries (DWARF 5 section 6.4).
 *
 * Knows no machine and no memory: registers have DWARF's numbers, words are read by the caller.
 * Any bytes may stand in the tables; each instruction consumes some, and stacks of rules and values
 * are bounded. */
#ifndef HEFT_DEBUG_CFI_H
#define HEFT_DEBUG_CFI_H

#include "debug/unwind.h"

enum { CFI_REGS = 33 }; /* those with smaller numbers are kept: all general ones of our machines */

enum cfi_kind {
	CFI_SAME,       /* the register's value is the caller's */
	CFI_UNDEFINED,  /* it is lost; of the return address: there is no caller */
	CFI_AT,         /* the word at the CFA + `off` */
	CFI_VALUE,      /* the CFA + `off`; of the CFA itself: register `reg` + off */
	CFI_REGISTER,   /* the value of register `reg` */
	CFI_AT_EXPR,    /* the word at the value of `expr` */
	CFI_VALUE_EXPR, /* the value of `expr` */
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
	bool signal_frame; /* the caller was interrupted, and made no call */
};

/* The row of an FDE of the section for an address in its function.  False where an instruction is
 * not known or the entry is damaged. */
bool cfi_row_at(const struct unwind_section *s, const struct unwind_entry *fde, uint64_t addr,
		struct cfi_row *ret);

/* What is known of a frame. */
struct cfi_frame {
	uint64_t regs[CFI_REGS];
	uint64_t known; /* a bit each */
	uint64_t pc;
};

struct cfi_memory {
	bool (*load)(void *ctx, uint64_t addr, uint64_t *ret); /* a machine word */
	void *ctx;
	unsigned stack_reg; /* the CFA is its value in the caller, where no rule says otherwise */
	bool big_endian;
	uint8_t address_size;
};

/* Turns a frame into its caller's.  False where it has none, or where what its rules need is not
 * there. */
bool cfi_step(const struct cfi_row *row, const struct cfi_memory *m, struct cfi_frame *f);

#endif
