/* eh_pointer.h - reads encoded pointers of exception tables (DW_EH_PE_*).
 *
 * One byte encodes how a pointer is stored. The low nibble is the format. Bits 4-6 are the base of
 * a relative pointer. If bit 7 is set, the pointer is in a slot at that address. Source: LSB 5.0
 * Core, "DWARF Exception Header Encoding"; EH_SIGNED and EH_ALIGNED are GNU's additions. */
#ifndef HEFT_UNWIND_EH_POINTER_H
#define HEFT_UNWIND_EH_POINTER_H

#include "base/reader.h"

enum {
	EH_ABSPTR = 0x00,
	EH_ULEB = 0x01,
	EH_UDATA2 = 0x02,
	EH_UDATA4 = 0x03,
	EH_UDATA8 = 0x04,
	EH_SIGNED = 0x08,
	EH_SLEB = 0x09,
	EH_SDATA2 = 0x0a,
	EH_SDATA4 = 0x0b,
	EH_SDATA8 = 0x0c,
	EH_FORMAT_MASK = 0x0f,
	EH_UNSIGNED_MASK = 0x07, /* Format without its sign, to get the size */

	EH_PCREL = 0x10,
	EH_TEXTREL = 0x20,
	EH_DATAREL = 0x30,
	EH_FUNCREL = 0x40,
	EH_ALIGNED = 0x50,
	EH_APPLY_MASK = 0x70,

	EH_INDIRECT = 0x80,
	EH_OMIT = 0xff,
};

/* Returns the size of a value in this format. 0 for LEB128 and reserved formats. */
unsigned eh_width(uint8_t encoding, uint8_t address_size);

/* Reads the value as stored, sign-extended if signed. A reserved format marks r bad. */
uint64_t read_eh_value(struct reader *r, uint8_t encoding, uint8_t address_size);

/* Adds base and value in arithmetic of `address_size` bytes. Keeps the higher bits of base:
 * sections of 32-bit objects have addresses above 2^40. */
static inline uint64_t eh_add(uint64_t base, uint64_t value, uint8_t address_size)
{
	if (address_size >= 8)
		return base + value;
	const uint64_t mask = (UINT64_C(1) << (8 * address_size)) - 1;
	return (base & ~mask) | ((base + value) & mask);
}

static inline bool eh_address_size_ok(uint8_t size)
{
	return size == 2 || size == 4 || size == 8;
}

#endif
