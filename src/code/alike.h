/* alike.h - compares whether two pieces of code do the same, at whatever addresses.
 *
 * Relative references to the same thing differ from place to place. So the thing counts: its
 * address if it lies outside the code, and the distance as encoded if it lies inside. */
#ifndef HEFT_CODE_ALIKE_H
#define HEFT_CODE_ALIKE_H

#include "code/code.h"

/* Numbers (prints) of a piece of code, the same in every process. If the numbers of two pieces of
 * one size differ, the pieces differ. If they are equal, the pieces are equal, except by an
 * accident in 2^64. */
struct code_print {
	uint64_t whole; /* hash of the instructions and of what they refer to */
	uint64_t shape; /* hash of the instructions, without the outside things that they refer
			 * to */
};

/* Computes the numbers of code. False if there is no decoder for `isa`, or if some bytes are no
 * instruction. O(bytes). */
bool code_print(enum code_isa isa, struct bytes code, uint64_t addr, struct code_print *ret);
/* Computes the numbers of x86 code from its relative references, as x86_refs() finds them. Other
 * references are ignored. All bytes must be instructions. */
struct code_print x86_refs_print(struct bytes code, bool mode64, uint64_t addr,
				 const code_ref_vec *refs);
/* Computes the numbers of bytes that refer to nothing. */
struct code_print bytes_print(struct bytes data);
/* Adds something else that distinguishes pieces. */
void print_add(struct code_print *p, uint64_t what);

#endif
