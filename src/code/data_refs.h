/* data_refs.h - finds addresses of data that code computes from constants: ARM (32 bits), RISC-V,
 * AVR, Xtensa, MIPS, PowerPC and z/Architecture.
 *
 * - ARM: words of literal pools that pc-relative loads of the ARM and Thumb sets read, and pairs of
 *   movw and movt.
 * - RISC-V: lui or auipc, followed by an addition, load or store. MIPS: lui likewise. PowerPC:
 *   addis from no register or a known one, likewise.
 * - AVR: lds, sts, and bytes that are loaded to, or subtracted from, a pair of registers. The
 *   address is in flash if lpm follows or if there is no data, else in data memory.
 * - Xtensa: words that l32r loads. z/Architecture: larl and other operands relative to the
 *   instruction.
 *
 * All code is decoded from the first byte on. On ARM, bytes are decoded in both sets, because
 * stripped programs lack mapping symbols. The caller must check the targets to exclude chance
 * results.
 *
 * Some results may be numbers (enum ref_use). On ARM, these are words of pools that no following
 * load or store uses. On RISC-V, they are values that begin with lui. On MIPS and PowerPC, they are
 * two halves joined by ori, or by instructions that are not adjacent. In Go code these forms hold
 * numbers, and the other forms hold addresses. But on ARM, Go code also passes on addresses loaded
 * from pools. */
#pragma once

#include "code/code.h"
#include "image/image.h"

/* True if data_refs() knows the image's machine. */
bool data_refs_known(const struct image *im);
/* Appends references of kind REF_ADDR. For Xtensa, also REF_MEM: the words that are loaded. Bytes
 * that are not instructions may give references too, so the caller must check the targets. `code`
 * lies at `addr`. */
void data_refs(const struct image *im, struct bytes code, uint64_t addr, code_ref_vec *ret);

/* Like data_refs(), for one instruction set: Thumb or RISC-V. Finds nothing in others. */
void data_refs_of(enum code_isa isa, struct bytes code, uint64_t addr, code_ref_vec *ret);
