/* entry.h - recognizes the first instructions of functions, and frames released before a jump.
 *
 * Sources: those of x86.h and flow.h. Thread-safe. */
#pragma once

#include "code/code.h"
#include "image/image.h"

/* True if the code begins like most functions: it saves registers, makes a frame, or marks a
 * target of indirect calls. */
bool entry_like(enum code_isa isa, struct bytes code);
/* True if the code reads a register that callers do not set before writing it: a callee-saved
 * register, or the result register. Landing pads of exceptions do so. x86, AArch64, RISC-V. */
bool entry_reads_kept(enum code_isa isa, struct bytes code);
/* True if the instruction before `off` releases the frame: a jump at `off` leaves the function. */
bool frame_given_back(enum code_isa isa, struct bytes code, uint64_t off);
/* True if Thumb code at `addr` pops from the stack before it pushes. Such code is the middle of a
 * function, to which ARMv6-M code jumps with the encoding of a call. Reads at most *budget bytes,
 * and subtracts them. */
bool entry_takes_first(const struct image *im, uint64_t addr, uint64_t *budget);
