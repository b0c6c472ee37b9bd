/* pdb_write.h - what the makers of DWARF from a PDB share. */
#ifndef HEFT_DEBUG_CODEVIEW_PDB_WRITE_H
#define HEFT_DEBUG_CODEVIEW_PDB_WRITE_H

#include "base/text.h"
#include "debug/codeview/pdb_lines.h"

/* Little-endian, so many bytes. */
static inline void put_uint(struct text *t, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		text_add_char(t, (char)(v >> (8 * i)));
}

/* With a NUL. */
static inline void put_cstr(struct text *t, struct str s)
{
	text_add(t, s);
	text_add_char(t, 0);
}

/* Overwrites 4 bytes with the size of what stands behind them up to the end. */
static inline void put_length(struct text *t, size_t at)
{
	const uint64_t size = t->len - at - 4;
	for (unsigned i = 0; i < 4; i++)
		t->p[at + i] = (char)(size >> (8 * i));
}

/* pdb_line_program.c: appends a line program of version 4 with the files of a module and its rows,
 * which it lays flat: the row added last owns an address. */
void pdb_put_lines(struct text *out, struct pdb_lines *l, uint64_t base);

#endif
