/* arm64.h - finds references in AArch64 code: adr, adrp + add/ldr/str, literal loads, branches.
 * Source: Arm ARM DDI 0487, C4.1 (encoding index) and C6.2. */
#ifndef HEFT_CODE_ARM64_H
#define HEFT_CODE_ARM64_H

#include "code/code.h"

/* Finds references like code_refs(), for AArch64. Instructions are always little-endian. */
uint64_t arm64_refs(struct bytes code, uint64_t addr, unsigned kinds, code_ref_vec *ret);

#endif
