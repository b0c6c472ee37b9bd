/* pdb_dwarf.h - converts the debug info of a PDB to DWARF, and lists its symbols.
 *
 * So all readers of DWARF can use PDBs. A module (object file) becomes a compile unit. The unit has
 * the address ranges of the module, functions with the functions inlined into them, variables with
 * an address, and a line program. A unit is named after the source file in its build record, or
 * else after its object file. DWARF 4, 32-bit offsets, little endian. Addresses count from `base`.
 *
 * O(file). One thread. */
#pragma once

#include "debug/codeview/pdb.h"
#include "debug/write/dwarf_write.h"

struct pdb_symbol {
	uint64_t addr, size; /* `size` is 0 if unknown */
	struct str name;
	bool code, global;
	bool linkage; /* True if the name is a linkage name */
};

struct pdb_dwarf {
	const struct pdb *pdb;
	uint64_t base;
	struct dwarf_made made;
	VEC(struct pdb_symbol) symbols; /* Sorted by address */
	struct arena arena;             /* Owns the names */
};

/* Makes the DWARF, which borrows from the database. Adds damaged bytes to p->damaged. */
void pdb_dwarf_make(struct pdb_dwarf *ret, struct pdb *p, uint64_t base);
void pdb_dwarf_release(struct pdb_dwarf *d);
