/* unwind.h - unwind tables: .eh_frame, .debug_frame, .eh_frame_hdr, the language-specific
 * data (.gcc_except_table) and ARM's .ARM.exidx.
 *
 * Knows no container: callers hand over bytes, addresses and, for relocatable objects,
 * the relocated pointers.  Sources: LSB 5.0 Core "Exception Frames", DWARF 5 section 6.4,
 * Itanium C++ ABI exception tables, ARM IHI 0038 (EHABI).
 * A damaged entry is noted and skipped by its length; a damaged length ends the walk. */
#ifndef HEFT_DEBUG_UNWIND_H
#define HEFT_DEBUG_UNWIND_H

#include "base/err.h"
#include "base/reader.h"

/* A pointer at byte `off` of the section is relocated to VM address `target`. */
struct unwind_fixup {
	uint64_t off, target;
};

struct unwind_section {
	struct bytes bytes;
	uint64_t addr;        /* VM address of the first byte */
	uint8_t address_size; /* 4 or 8 */
	bool big_endian;
	bool debug_frame;                  /* .debug_frame rules instead of .eh_frame's */
	uint64_t text_base, data_base;     /* for textrel and datarel pointers */
	const struct unwind_fixup *fixups; /* sorted by off; objects only */
	size_t fixup_count;
	/* For DW_EH_PE_indirect: reads a pointer of address_size at a VM address; may be NULL. */
	bool (*load)(void *ctx, uint64_t addr, uint64_t *ret);
	void *load_ctx;
	const char *path;  /* for notes */
	uint64_t file_off; /* of bytes, for notes */
	struct notes *notes;
};

/* Where the instructions of an FDE are, as offsets in the section, and what its CIE says of them:
 * cfi.h.  The FDE's own end with it. */
struct unwind_rules {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_reg;
	uint64_t cie_off, cie_end, fde_off;
};

struct unwind_entry {
	bool cie;                      /* else an FDE */
	bool terminator;               /* the zero length that ends .eh_frame (4 bytes) */
	uint64_t off, size;            /* bytes in the section, length field included */
	uint64_t cie_off;              /* FDE: offset of its CIE */
	uint64_t func_addr, func_size; /* FDE: the code it covers, VM address and bytes */
	bool has_lsda;
	uint64_t lsda_addr; /* VM address of its language-specific data */
	bool in_frame;      /* FDE: its first byte has a frame already, so nothing calls it there */
	bool signal_frame;
	uint64_t personality;      /* CIE: VM address or 0 (the slot's address where indirect) */
	struct unwind_rules rules; /* FDE */
	bool ok;                   /* false: damaged; only off and size hold */
};

struct unwind_iter {
	const struct unwind_section *section;
	struct reader reader;
	/* private: CIEs seen, by offset */
	void *cies;
};

void unwind_init(struct unwind_iter *it, const struct unwind_section *s);
bool unwind_next(struct unwind_iter *it, struct unwind_entry *ret);
void unwind_release(struct unwind_iter *it);

/* .eh_frame_hdr: the sorted table that maps functions to FDEs. */
struct unwind_hdr {
	uint64_t eh_frame_addr; /* VM address, 0 if not stated */
	uint64_t table_off;     /* of the first entry in the section */
	uint64_t count;         /* entries that are really there */
	uint8_t entry_size;     /* bytes; 0 where there is no table */
	struct reader reader;
	uint8_t encoding, address_size;
	uint64_t addr; /* of the section */
};

/* False (and a note) where the header is damaged. */
bool unwind_hdr_parse(struct unwind_hdr *h, const struct unwind_section *s);
/* Entry i < count: function address and FDE address. */
bool unwind_hdr_get(const struct unwind_hdr *h, uint64_t i, uint64_t *ret_func, uint64_t *ret_fde);

/* How many bytes the language-specific data that starts at `bytes` takes (header, call
 * sites, actions, types, exception specifications), at most bytes.size.  False where it
 * is damaged or no such table.  Padding behind it is not counted.  Cost: O(bytes.size) at
 * worst, so callers with many tables end `bytes` where the next one starts. */
bool lsda_size(struct bytes bytes, uint8_t address_size, bool big_endian, uint64_t *ret);

/* .ARM.exidx: entry i of 8 bytes.  *ret_extab is the VM address of its .ARM.extab data, or
 * 0 where it is inline or can't-unwind. */
bool exidx_get(const struct unwind_section *s, uint64_t i, uint64_t *ret_func, uint64_t *ret_extab);

/* How many bytes the .ARM.extab entry that starts at `bytes` takes, at most bytes.size:
 * personality, unwinding instructions and what follows them.  What follows is only known
 * by convention: behind the ABI's own personality routines (compact model) descriptors up
 * to a zero word, behind any other (generic model) language-specific data as in
 * .gcc_except_table; where neither is there, nothing is counted for it.  `bytes` should
 * end where the next entry starts.  False where the entry is damaged. */
bool extab_size(struct bytes bytes, bool big_endian, uint64_t *ret);

#endif
