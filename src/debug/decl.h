/* decl.h - finds where an entry was declared in the source: DW_AT_decl_file, line and column (DWARF
 * 5, section 2.14). */
#pragma once

#include "debug/die.h"

/* Where something was declared. Unknown numbers are 0. `has_file` tells whether the file is known,
 * because 0 is a valid file number in DWARF 5 */
struct decl {
	bool has_file;
	uint64_t file, line, column;
};

/* Reads where the entry at die_off was declared. If a definition lacks that, reads the declaration
 * or abstract instance to which it refers, in the same unit. False if neither file nor line is
 * known. */
bool decl_read(const struct unit *u, uint64_t die_off, struct decl *ret);
