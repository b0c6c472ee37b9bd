/* decl.h - finds where an entry was declared in the source: DW_AT_decl_file, line and column (DWARF
 * 5, section 2.14). */
#ifndef HEFT_DEBUG_DECL_H
#define HEFT_DEBUG_DECL_H

#include "debug/die.h"

/* A declaration. Unknown numbers are 0. `has_file` tells whether the file is known, because 0 is a
 * valid file number in DWARF 5. */
struct decl {
	bool has_file;
	uint64_t file, line, column;
};

/* Reads the declaration of the entry at die_off. If a definition lacks facts, they come from the
 * declaration or abstract instance that it refers to, in the same unit. False if neither file nor
 * line is known. */
bool decl_read(const struct unit *u, uint64_t die_off, struct decl *ret);

#endif
