/* pdb_dwarf.h - the debug info of a PDB as DWARF, and its symbols.
 *
 * Whatever reads DWARF reads a PDB so: a module becomes a compile unit that has the ranges its
 * pieces take, functions with what was inlined into them, variables with an address, and a line
 * program.  A unit is called as the source file that its build record names, else as its object
 * file.  DWARF 4, 32-bit offsets, little endian.  Addresses count from `base`.
 *
 * O(file); one thread. */
#ifndef HEFT_DEBUG_CODEVIEW_PDB_DWARF_H
#define HEFT_DEBUG_CODEVIEW_PDB_DWARF_H

#include "base/text.h"
#include "debug/codeview/pdb.h"

struct pdb_symbol {
	uint64_t addr, size; /* size 0: not stated */
	struct str name;
	bool code, global;
	bool linkage; /* what linkers call it */
};

struct pdb_dwarf {
	const struct pdb *pdb;
	uint64_t base;
	struct text info, abbrev, line, ranges;
	VEC(struct pdb_symbol) symbols; /* by address */
	struct arena arena;             /* of names */
};

/* Fills *ret, which borrows from the database; what is damaged counts in p->damaged. */
void pdb_dwarf_make(struct pdb_dwarf *ret, struct pdb *p, uint64_t base);
void pdb_dwarf_release(struct pdb_dwarf *d);

#endif
