/* extent.h - where a function of Thumb or RISC-V code ends of which only the beginning is known.
 *
 * Behind the last instruction that does not go on and that nothing in the function leads past:
 * jumps, the tables of tbb, tbh and `ldr pc`, and those in data whose words lead into the
 * function.  The literals of Thumb code that stand there are its own. What cannot be told (damaged
 * code, an address taken of data among code) is said to have no end.
 *
 * Linear in the bytes of the function, of which no more than EXTENT_MAX are looked at.  Thread-
 * safe. */
#ifndef HEFT_CODE_EXTENT_H
#define HEFT_CODE_EXTENT_H

#include "code/flow.h"
#include "image/image.h"

enum { EXTENT_MAX = 1 << 16 };

/* Whether code of the machine can be asked. */
bool extent_known(enum code_isa isa);
/* The end of the function at `addr`, which has `limit` at most: `limit` where it is not known.
 * Appends the direct unconditional jumps that leave it (REF_JUMP). */
uint64_t extent_of(const struct image *im, enum code_isa isa, uint64_t addr, uint64_t limit,
		   code_ref_vec *ret_jumps);
/* Whether the instruction saves what most functions save first: push {..., lr}, addi sp, sp, -N.
 * Data do not begin so. */
bool extent_prologue(const struct image *im, enum code_isa isa, uint64_t addr);
/* Whether Thumb code at `addr` takes from the stack before it puts anything there: it is in the
 * middle of a function, to which far jumps of ARMv6-M are written as calls.  *budget: bytes that
 * may be looked at, of which it takes. */
bool extent_takes_first(const struct image *im, uint64_t addr, uint64_t *budget);
/* Behind instructions that do nothing, and zeros, which align what follows. */
uint64_t extent_padding(const struct image *im, enum code_isa isa, uint64_t addr, uint64_t limit);

#endif
