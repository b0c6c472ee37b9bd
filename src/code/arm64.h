/* arm64.h - AArch64 references: adr, adrp + add/ldr/str, literal loads, branches.
 * Source: Arm ARM DDI 0487, C4.1 (encoding index) and C6.2. */
#ifndef HEFT_CODE_ARM64_H
#define HEFT_CODE_ARM64_H

#include "code/code.h"

/* As code_refs, for AArch64 (instructions are little-endian whatever the data are). */
uint64_t arm64_refs(struct bytes code, uint64_t addr, unsigned kinds, code_ref_vec *ret);

#endif
