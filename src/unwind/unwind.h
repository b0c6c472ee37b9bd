/* unwind.h - reads unwind tables: .eh_frame, .debug_frame, .eh_frame_hdr and ARM's .ARM.exidx; the
 * table of procedures of MIPS. lsda.h reads the language-specific data.
 *
 * Independent of containers: callers pass bytes, addresses and, for relocatable objects, the
 * relocated pointers. Sources: LSB 5.0 Core "Exception Frames", DWARF 5 section 6.4, Itanium C++
 * ABI exception tables, ARM IHI 0038 (EHABI). A damaged entry makes a note and is skipped by its
 * length. A damaged length ends the walk. */
#pragma once

#include "base/err.h"
#include "base/reader.h"

/* A relocation: the pointer at offset `off` of the section is to hold the VM address `target`. */
struct unwind_fixup {
	uint64_t off, target;
};

struct unwind_section {
	struct bytes bytes;
	uint64_t addr;        /* VM address of the first byte */
	uint8_t address_size; /* 4 or 8 */
	bool big_endian;
	bool debug_frame;                  /* True for the format of .debug_frame, false for that of
					    * .eh_frame */
	uint64_t text_base, data_base;     /* Bases of textrel and datarel pointers */
	const struct unwind_fixup *fixups; /* Sorted by off. Only for objects. */
	size_t fixup_count;
	/* Reads a pointer of address_size at a VM address, for DW_EH_PE_indirect. May be NULL. */
	bool (*load)(void *ctx, uint64_t addr, uint64_t *ret);
	void *load_ctx;
	const char *path;  /* File name in notes */
	uint64_t file_off; /* File offset of `bytes`, for notes */
	struct notes *notes;
};

/* Offsets, in the section, of the instructions of an FDE and its CIE, for cfi.h. The FDE ends with
 * its instructions. */
struct unwind_rules {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_reg;
	uint64_t cie_off, cie_end, fde_off;
};

struct unwind_entry {
	bool cie;                      /* True for a CIE, false for an FDE */
	bool terminator;               /* True for the zero length that ends .eh_frame (4 bytes) */
	uint64_t off, size;            /* Range in the section, with the length field */
	uint64_t cie_off;              /* FDE: offset of its CIE */
	uint64_t func_addr, func_size; /* FDE: VM address and size of its code */
	bool has_lsda;
	uint64_t lsda_addr; /* VM address of its language-specific data */
	bool in_frame; /* FDE: true if a frame is already set up at its first instruction: the code
			* was split off */
	bool signal_frame;
	uint64_t personality;      /* CIE: VM address, or 0. If indirect, of the pointer to it */
	struct unwind_rules rules; /* Rules of an FDE */
	bool ok;                   /* False if damaged. Then only off and size are valid */
};

struct unwind_iter {
	const struct unwind_section *section;
	struct reader reader;
	/* Private: the CIEs that were read, by offset. */
	void *cies;
};

void unwind_init(struct unwind_iter *it, const struct unwind_section *s);
bool unwind_next(struct unwind_iter *it, struct unwind_entry *ret);
void unwind_release(struct unwind_iter *it);

/* .eh_frame_hdr: the sorted table from functions to FDEs. */
struct unwind_hdr {
	uint64_t eh_frame_addr; /* VM address. 0 if not stated. */
	uint64_t table_off;     /* Offset of the first entry in the section */
	uint64_t count;         /* Number of entries that fit the section */
	uint8_t entry_size;     /* In bytes. 0 if there is no table. */
	struct reader reader;
	uint8_t encoding, address_size;
	uint64_t addr; /* Address of the section */
};

/* Parses the header. False, with a note, if it is damaged. */
bool unwind_hdr_parse(struct unwind_hdr *h, const struct unwind_section *s);
/* Reads entry i: the address of a function and of its FDE. False from h->count on. */
bool unwind_hdr_get(const struct unwind_hdr *h, uint64_t i, uint64_t *ret_func, uint64_t *ret_fde);

/* Reads entry i of .ARM.exidx. An entry has 8 bytes. *ret_extab is the VM address of its .ARM.extab
 * data. 0 if the data is inline, or if the function cannot be unwound. False after the last
 * entry. */
bool exidx_get(const struct unwind_section *s, uint64_t i, uint64_t *ret_func, uint64_t *ret_extab);

/* Reads entry i of .pdr, the table of procedures of MIPS. An entry has 32 bytes. It has the lower
 * 32 bits of the function's address. The section's `addr` is a code address with the upper bits. */
enum { PDR_ENTRY_SIZE = 32 };
bool pdr_get(const struct unwind_section *s, uint64_t i, uint64_t *ret_func);

/* Computes the size of the .ARM.extab entry at the start of `bytes`, at most bytes.size:
 * personality, unwinding instructions and the data after them. The form of that data is a
 * convention. After the ABI's own personality routines (compact model) come descriptors until a
 * zero word. After others (generic model) comes language-specific data as in .gcc_except_table.
 * Unrecognized data is not counted. `bytes` should end at the next entry. False if the entry is
 * damaged. */
bool extab_size(struct bytes bytes, bool big_endian, uint64_t *ret);

/* Reads encoded pointers of exception tables (DW_EH_PE_*).
 *
 * One byte encodes how a pointer is stored. The low nibble is the format. Bits 4-6 are the base of
 * a relative pointer. If bit 7 is set, the pointer is in a slot at that address. Source: LSB 5.0
 * Core, "DWARF Exception Header Encoding"; EH_SIGNED and EH_ALIGNED are GNU's additions. */

enum { EH_ABSPTR = 0x00, EH_ULEB = 0x01, EH_UDATA2 = 0x02, EH_UDATA4 = 0x03, EH_UDATA8 = 0x04 };
enum { EH_SIGNED = 0x08, EH_SLEB = 0x09, EH_SDATA2 = 0x0a, EH_SDATA4 = 0x0b, EH_SDATA8 = 0x0c };
enum { EH_FORMAT_MASK = 0x0f };
enum { EH_UNSIGNED_MASK = 0x07 }; /* Format without its sign, to get the size */
enum { EH_PCREL = 0x10, EH_TEXTREL = 0x20, EH_DATAREL = 0x30, EH_FUNCREL = 0x40 };
enum { EH_ALIGNED = 0x50, EH_APPLY_MASK = 0x70, EH_INDIRECT = 0x80, EH_OMIT = 0xff };

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
