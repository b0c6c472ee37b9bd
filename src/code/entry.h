/* entry.h - what functions begin with, and what stands before their last jump.
 *
 * Sources: those of x86.h, arm64.h, thumb.h and riscv.h.  Thread-safe. */
#ifndef HEFT_CODE_ENTRY_H
#define HEFT_CODE_ENTRY_H

#include "code/code.h"
#include "image/image.h"

/* Whether the code begins as most functions do: with what saves registers or makes a frame, or
 * marks where indirect calls may lead. */
bool entry_like(enum code_isa isa, struct bytes code);
/* Whether the code first reads what no caller hands over: a register that callees save, or that of
 * results.  So do parts of functions that unwinding leads to.  x86, AArch64, RISC-V. */
bool entry_reads_kept(enum code_isa isa, struct bytes code);
/* Whether the instruction before `off` gives the frame back: a jump there leaves the function. */
bool frame_given_back(enum code_isa isa, struct bytes code, uint64_t off);
/* Whether Thumb code at `addr` takes from the stack before it puts anything there: it is in the
 * middle of a function, to which far jumps of ARMv6-M are written as calls.  *budget: bytes that
 * may be looked at, of which it takes. */
bool entry_takes_first(const struct image *im, uint64_t addr, uint64_t *budget);

#endif
