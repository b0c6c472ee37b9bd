/* i386_got.h - finds the data that position-independent i386 code addresses relative to the table
 * of addresses (GOT).
 *
 * Source: System V ABI, Intel386 Architecture Processor Supplement, 3 (position-independent
 * function prologue). A function calls a thunk that loads the return address to a register, or pops
 * the return address, and adds the distance to the GOT. Operands are then relative to this
 * register. */
#pragma once

#include "code/code.h"
#include "image/image.h"

/* Appends references of kind REF_ADDR of one function, whose code lies at `addr`. `got`: the
 * address that functions load into a register. `im` has the thunks. Returns true if a register ever
 * has the address `got`. Linear in the code. */
bool i386_got_refs(const struct image *im, struct bytes code, uint64_t addr, uint64_t got,
		   code_ref_vec *ret);
