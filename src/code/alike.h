/* alike.h - whether two pieces of code do the same, wherever each of them stands.
 *
 * What an instruction refers to relative to itself differs from place to place though it is the
 * same thing.  So it is the thing that counts: its address where it lies outside of the code, and
 * the distance as it stands where it lies inside. */
#ifndef HEFT_CODE_ALIKE_H
#define HEFT_CODE_ALIKE_H

#include "code/code.h"

/* Numbers of a piece of code, the same in every process.  Pieces of one size whose numbers differ
 * are different; those whose numbers are equal are the same but for an accident in 2^64. */
struct code_print {
	uint64_t whole; /* of the instructions and of what they refer to */
	uint64_t shape; /* of the instructions without the things outside that they refer to */
};

/* False where there is no decoder for `isa`, or some of the bytes are no instruction.  O(bytes). */
bool code_print(enum code_isa isa, struct bytes code, uint64_t addr, struct code_print *ret);
/* The same of bytes that refer to nothing. */
struct code_print bytes_print(struct bytes data);
/* Adds something else that tells pieces apart. */
void print_add(struct code_print *p, uint64_t what);

#endif
