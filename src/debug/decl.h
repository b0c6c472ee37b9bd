/* decl.h - where an entry was declared in the source: DW_AT_decl_file and its kin (DWARF 5, section
 * 2.14). */
#ifndef HEFT_DEBUG_DECL_H
#define HEFT_DEBUG_DECL_H

#include "debug/die.h"

/* What is not stated is 0, which is a file's number in DWARF 5: `has_file` tells. */
struct decl {
	bool has_file;
	uint64_t file, line, column;
};

/* Reads the declaration of the entry at die_off.  What a definition does not state is that of the
 * declaration that it completes, or of the entry that it is an instance of, as far as that is in
 * the same unit.  False where neither file nor line is known. */
bool decl_read(const struct unit *u, uint64_t die_off, struct decl *ret);

#endif
