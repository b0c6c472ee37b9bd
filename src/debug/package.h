/* package.h - reads the indexes of .dwp packages, .debug_cu_index and .debug_tu_index. The indexes
 * tell which bytes of the package's sections belong to a split unit.
 *
 * Versions 5 (DWARF 5, 7.3.5) and 2 (GNU's for DWARF 4, "DWARF package file format"). An index
 * borrows the bytes of its dwarf. Look-ups read them. */
#pragma once

#include "debug/dwarf.h"

enum { PACKAGE_COLUMNS = 16 };

struct package_index {
	struct bytes bytes;
	bool big_endian;
	uint16_t version;                           /* 2 or 5 */
	uint32_t columns, units, slots;             /* `slots`: size of the hash table, a power
						     * of two or 0 */
	enum dw_section column_of[PACKAGE_COLUMNS]; /* DW_SECTIONS if heft does not know the
						     * column's section */
	uint64_t rows_off, offsets_off, sizes_off;  /* Offsets of the tables after the signatures */
};

struct package_unit {
	uint32_t row; /* Row in the tables, from 0 */
	struct {
		/* Range in the package's section. Unchecked: it may exceed the section. */
		uint64_t off, size;
		bool present;
	} parts[DW_SECTIONS];
};

/* Opens an index. `which` is DW_CU_INDEX or DW_TU_INDEX. False if the section is empty, or damaged
 * (with a note). */
bool package_open(struct package_index *p, struct dwarf *d, enum dw_section which);
/* Finds the unit with a signature. False if there is none. O(1). */
bool package_find(const struct package_index *p, uint64_t signature, struct package_unit *ret);
/* Returns the unit in slot i < slots, with its signature. False if the slot is empty. */
bool package_slot(const struct package_index *p, uint32_t i, uint64_t *ret_signature,
		  struct package_unit *ret);

/* The dwarf of one unit of a package. It has the unit's parts of the sections, and the package's
 * strings. Owns nothing. `whole` must live as long, and the struct must not move while units refer
 * to it */
struct package_dwarf {
	struct dwarf dwarf;
	struct dwarf *whole;
	struct package_unit unit;
};

void package_dwarf_init(struct package_dwarf *p, struct dwarf *whole,
			const struct package_unit *unit);
