/* pdb_lines.h - the line tables of one module of a PDB: its files, which source line each range of
 * code is of, and where the functions that it inlines were declared (LLVM, "The PDB DBI Stream" and
 * "CodeView"; C13 line information). */
#ifndef HEFT_DEBUG_CODEVIEW_PDB_LINES_H
#define HEFT_DEBUG_CODEVIEW_PDB_LINES_H

#include "debug/codeview/pdb.h"
#include "debug/write/dwarf_write.h"

/* A file, known by where its checksum stands. */
struct pdb_file {
	uint64_t off;
	struct str name;
};

/* A function that is inlined somewhere in the module. */
struct pdb_inlinee {
	uint64_t id;
	struct line_origin place; /* of its declaration */
	uint64_t die;             /* the user's */
};

struct pdb_lines {
	const struct pdb *pdb;
	VEC(struct pdb_file) files;       /* by off */
	VEC(struct pdb_inlinee) inlinees; /* by id */
	/* Code by RVA; `who` is an index in places.  At first only rows of functions, sorted. */
	VEC(struct flat_range) rows;
	VEC(struct line_origin) places;
	uint64_t damaged; /* bytes */
};

/* Reads the subsections behind the symbols of a module. */
void pdb_lines_read(struct pdb_lines *l, const struct pdb *p, struct bytes c13);
void pdb_lines_release(struct pdb_lines *l);
/* Adds the rows of one place where a function was inlined: `annotations` as its record has them,
 * `base` the RVA of the function around it.  They stand at the end of rows, by address. */
void pdb_lines_inline(struct pdb_lines *l, const struct pdb_inlinee *f, uint64_t base,
		      struct reader annotations);
/* The place of an address in rows [first, end), which are sorted; zeros where none has it. */
struct line_origin pdb_lines_find(const struct pdb_lines *l, size_t first, size_t end,
				  uint64_t addr);
/* NULL for a function that the module does not inline. */
struct pdb_inlinee *pdb_lines_inlinee(struct pdb_lines *l, uint32_t id);

#endif
