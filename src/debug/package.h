/* package.h - the indexes of .dwp packages, .debug_cu_index and .debug_tu_index: which bytes of
 * the package's sections a split unit has.
 *
 * Versions 5 (DWARF 5, 7.3.5) and 2 (GNU's for DWARF 4, "DWARF package file format").  An index
 * borrows the bytes of its dwarf; look-ups read them. */
#ifndef HEFT_DEBUG_PACKAGE_H
#define HEFT_DEBUG_PACKAGE_H

#include "debug/dwarf.h"

enum { PACKAGE_COLUMNS = 16 };

struct package_index {
	struct bytes bytes;
	bool big_endian;
	uint16_t version;                           /* 2 or 5 */
	uint32_t columns, units, slots;             /* slots: a power of two, or 0 */
	enum dw_section column_of[PACKAGE_COLUMNS]; /* DW_SECTIONS: none that heft knows */
	uint64_t rows_off, offsets_off, sizes_off;  /* of the tables behind the signatures */
};

struct package_unit {
	uint32_t row; /* 0 <= row < units */
	struct {
		uint64_t off, size; /* in the package's section; may leave it */
		bool present;
	} parts[DW_SECTIONS];
};

/* `which` is DW_CU_INDEX or DW_TU_INDEX.  False where the section is empty, or (with a note)
 * damaged. */
bool package_open(struct package_index *p, struct dwarf *d, enum dw_section which);
/* O(1).  False where no unit has the signature. */
bool package_find(const struct package_index *p, uint64_t signature, struct package_unit *ret);
/* The unit in slot i < slots with its signature; false where the slot is empty. */
bool package_slot(const struct package_index *p, uint32_t i, uint64_t *ret_signature,
		  struct package_unit *ret);

/* A dwarf of one unit: its contributions, and the strings of the whole package.  Must not move
 * once units stand on it; `whole` stays as long.  Owns nothing. */
struct package_dwarf {
	struct dwarf dwarf;
	struct dwarf *whole;
	struct package_unit unit;
};

void package_dwarf_init(struct package_dwarf *p, struct dwarf *whole,
			const struct package_unit *unit);

#endif
