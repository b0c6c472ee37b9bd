/* data_refs.h - finds addresses of data that code makes of constants: ARM (32 bits), RISC-V,
 * AVR, Xtensa, MIPS, PowerPC and z/Architecture.
 *
 * - ARM: words of literal pools that pc-relative loads of the ARM and Thumb sets read, and pairs
 *   of movw and movt.
 * - RISC-V: lui or auipc, followed by an addition, load or store. MIPS: lui likewise. PowerPC:
 *   addis from no register or a known one, likewise.
 * - AVR: lds, sts, and bytes that are loaded to, or subtracted from, a pair of registers. The
 *   address is in flash if lpm follows or if there is no data, else in data memory.
 * - Xtensa: words that l32r loads. z/Architecture: larl and other operands relative to the
 *   instruction.
 *
 * All code is decoded from the first byte on. On ARM, bytes are decoded in both sets, because
 * stripped programs lack the marks that tell the set. The caller must check targets to exclude
 * accidents.
 *
 * Some of the results are numbers (enum ref_use): words of ARM's pools that no following load or
 * store uses, and values that start with lui on RISC-V. On MIPS and PowerPC, they are halves
 * that adjacent instructions do not join, or join by ori. Go code has numbers in these forms,
 * and addresses in the other forms. But on ARM it also passes on addresses that it loaded from
 * pools. */
#ifndef HEFT_CODE_DATA_REFS_H
#define HEFT_CODE_DATA_REFS_H

#include "code/code.h"
#include "image/image.h"

/* True if data_refs() knows the image's machine. */
bool data_refs_known(const struct image *im);
/* Appends references of kind REF_ADDR. Bytes that are no instructions may give some too: the
 * caller judges by the targets. For Xtensa also REF_MEM: the words that are loaded. `code` lies
 * at `addr`. */
void data_refs(const struct image *im, struct bytes code, uint64_t addr, code_ref_vec *ret);

/* Like data_refs(), for one instruction set: Thumb or RISC-V. Finds nothing in others. */
void data_refs_of(enum code_isa isa, struct bytes code, uint64_t addr, code_ref_vec *ret);

#endif
