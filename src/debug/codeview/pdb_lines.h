/* pdb_lines.h - reads the line tables of one module of a PDB: its files, the source line of each
 * range of code, and the declarations of inlined functions (LLVM, "The PDB DBI Stream" and
 * "CodeView"; C13 line information). */
#pragma once

#include "debug/codeview/pdb.h"
#include "debug/write/dwarf_write.h"

/* A file of the module. `off`: offset of its checksum, by which lines refer to it */
struct pdb_file {
	uint64_t off;
	struct str name;
};

/* A function that is inlined somewhere in the module. */
struct pdb_inlinee {
	uint64_t id;
	struct line_origin place; /* Source line of its declaration */
	uint32_t die;             /* Offset of its DIE, set by the caller */
};

struct pdb_lines {
	const struct pdb *pdb;
	VEC(struct pdb_file) files;       /* Sorted by off */
	VEC(struct pdb_inlinee) inlinees; /* Sorted by id */
	/* Ranges of code by RVA, sorted. `who` is an index in `places`, the source lines.
	 * pdb_lines_inline() appends ranges of inlined functions. */
	VEC(struct flat_range) rows;
	VEC(struct line_origin) places;
	uint64_t damaged;
};

/* Reads line tables from `c13`, the part of a module's stream that has them. */
void pdb_lines_read(struct pdb_lines *l, const struct pdb *p, struct bytes c13);
void pdb_lines_release(struct pdb_lines *l);
/* Appends the rows of one inlined call of f, by address. `annotations`: the end of the call's
 * record, which encodes the rows. `base`: RVA of the function into which f was inlined. */
void pdb_lines_inline(struct pdb_lines *l, const struct pdb_inlinee *f, uint64_t base,
		      struct reader annotations);
/* Returns the source line of an address from the sorted rows [first, end). Zeros if none. */
struct line_origin pdb_lines_find(const struct pdb_lines *l, size_t first, size_t end,
				  uint64_t addr);
/* Finds an inlined function by its id. NULL if the module does not inline it. */
struct pdb_inlinee *pdb_lines_inlinee(struct pdb_lines *l, uint32_t id);
