/* entry.h - recognizes the first instructions of functions, and frames released before a jump.
 *
 * Sources: those of x86.h and flow.h. Thread-safe. */
#ifndef HEFT_CODE_ENTRY_H
#define HEFT_CODE_ENTRY_H

#include "code/code.h"
#include "image/image.h"

/* True if the code begins like most functions: it saves registers, makes a frame, or marks a
 * target of indirect calls. */
bool entry_like(enum code_isa isa, struct bytes code);
/* True if the code first reads a register that callers do not set: a callee-saved one, or the
 * result register. Landing pads do so. x86, AArch64, RISC-V. */
bool entry_reads_kept(enum code_isa isa, struct bytes code);
/* True if the instruction before `off` releases the frame. A jump there leaves the
 * function. */
bool frame_given_back(enum code_isa isa, struct bytes code, uint64_t off);
/* True if Thumb code at `addr` pops from the stack before it pushes. Such code is in the middle of
 * a function. ARMv6-M code encodes far jumps to it as calls. *budget is the number of bytes that
 * may be read, and is reduced. */
bool entry_takes_first(const struct image *im, uint64_t addr, uint64_t *budget);

#endif
