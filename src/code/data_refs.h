/* data_refs.h - what code of ARM (32 bits), RISC-V, AVR, Xtensa, MIPS, PowerPC and z/Architecture
 * refers to: addresses of data that it makes of constants.
 *
 * ARM: words of literal pools that pc-relative loads of the ARM and Thumb sets take, and pairs of
 * movw and movt.  RISC-V: lui or auipc with an addition, load or store that follows; so lui of
 * MIPS, and addis of PowerPC from no register or a known one.  AVR: lds, sts and bytes that are
 * loaded to, or subtracted from, a pair of registers: an address of flash where lpm follows or no
 * data are, else of data memory.  Xtensa: words that l32r loads.  z/Architecture: larl and what
 * else is relative to the instruction.  All are decoded from the first byte on; of ARM, words are
 * tried in both sets, since only marks that stripped programs lack tell which one it is: what is
 * wanted of the targets keeps accidents out.
 *
 * Numbers (enum ref_use) are words of ARM's pools by which no load or store that follows goes,
 * what lui of RISC-V begins, and halves that MIPS and PowerPC do not put together in a row, or by
 * ori: code of Go has numbers so, and addresses in the other ways; but on ARM it also hands on
 * addresses that it loaded from pools.
 *
 * Sources: "AVR Instruction Set Manual"; "Arm
 * Architecture Reference Manual ARMv7-A and ARMv7-R edition", A5 and A8; "The RISC-V Instruction
 * Set Manual, Volume I", 2 and 16; "MIPS64 Architecture For Programmers, Volume II"; "Power ISA,
 * Version 3.0", Book I, 3.3; "z/Architecture Principles of Operation", 5.
 *
 * Linear in the bytes.  Thread-safe. */
#ifndef HEFT_CODE_DATA_REFS_H
#define HEFT_CODE_DATA_REFS_H

#include "code/code.h"
#include "image/image.h"

/* Whether code of the image can be asked. */
bool data_refs_known(const struct image *im);
/* Appends references of kind REF_ADDR, also from words that are no instructions; the caller judges
 * by where they lead.  Of Xtensa also REF_MEM: the words that are loaded.  `code` stands at
 * `addr`. */
void data_refs(const struct image *im, struct bytes code, uint64_t addr, code_ref_vec *ret);

/* The same of one set of instructions: Thumb or RISC-V; nothing of others. */
void data_refs_of(enum code_isa isa, struct bytes code, uint64_t addr, code_ref_vec *ret);

#endif
