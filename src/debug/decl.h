/* decl.h - finds where an entry was declared in the source: DW_AT_decl_file, line and column (DWARF
 * 5, section 2.14). */
#ifndef HEFT_DEBUG_DECL_H
#define HEFT_DEBUG_DECL_H

#include "debug/die.h"

/* A declaration. Unknown numbers are 0. Since 0 is a valid file number in DWARF 5, `has_file` tells
 * whether the file is known. */
struct decl {
	bool has_file;
	uint64_t file, line, column;
};

/* Reads the declaration of the entry at die_off. Facts that a definition lacks come from the
 * declaration that it completes, or from the entry that it is an instance of, if in the same unit.
 * False if neither file nor line is known. */
bool decl_read(const struct unit *u, uint64_t die_off, struct decl *ret);

#endif
