/* alike.h - checks whether two pieces of code do the same, at whatever addresses.
 *
 * A relative reference is encoded as a distance, which changes if the code moves. So the hash has
 * the address of a target outside the code instead of the encoded distance. */
#pragma once

#include "code/code.h"

/* Hashes of a piece of code, the same in every process. Pieces with different hashes differ. Pieces
 * of the same size with equal hashes are equal, except for one chance in 2^64. */
struct code_print {
	uint64_t whole; /* Hash of the instructions and of their targets */
	uint64_t shape; /* Hash of the instructions, without targets outside of the code */
};

/* Computes the hashes of code. False without a decoder for `isa`, or if some bytes are not
 * instructions. O(bytes). */
bool code_print(enum code_isa isa, struct bytes code, uint64_t addr, struct code_print *ret);
/* Like code_print(), for x86 code whose relative references x86_refs() has found in `refs`. Other
 * references count as part of the instructions. All bytes must be instructions. */
struct code_print x86_refs_print(struct bytes code, bool mode64, uint64_t addr,
				 const code_ref_vec *refs);
/* Computes the hashes of bytes without references. */
struct code_print bytes_print(struct bytes data);
/* Computes a hash of bytes that is the same on every machine. */
uint64_t bytes_sum(struct bytes data);
/* Adds another value to the hashes, such as a property in which equal pieces may differ. */
void print_add(struct code_print *p, uint64_t what);
