/* alike.h - checks whether two pieces of code do the same, at whatever addresses.
 *
 * The encoding of a relative reference depends on its place. So the hash uses the target: its
 * address if it lies outside the code, and the distance as encoded if it lies inside. */
#ifndef HEFT_CODE_ALIKE_H
#define HEFT_CODE_ALIKE_H

#include "code/code.h"

/* Hashes of a piece of code, the same in every process. If the hashes of two pieces of the same
 * size differ, the pieces differ. Equal hashes mean equal pieces, except for one chance in 2^64. */
struct code_print {
	uint64_t whole; /* Hash of the instructions and of their targets */
	uint64_t shape; /* Hash of the instructions, without targets outside of the code */
};

/* Computes the hashes of code. False without a decoder for `isa`, or if some bytes are not
 * instructions. O(bytes). */
bool code_print(enum code_isa isa, struct bytes code, uint64_t addr, struct code_print *ret);
/* Computes the hashes of x86 code from its relative references, as found by x86_refs(). Ignores
 * other references. All bytes must be instructions. */
struct code_print x86_refs_print(struct bytes code, bool mode64, uint64_t addr,
				 const code_ref_vec *refs);
/* Computes the hashes of bytes without references. */
struct code_print bytes_print(struct bytes data);
/* Adds a further value that distinguishes pieces. */
void print_add(struct code_print *p, uint64_t what);

#endif
