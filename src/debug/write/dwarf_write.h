/* dwarf_write.h - writes DWARF, for debug info that is in another form: PDBs, source maps, the
 * tables of Go programs; or that is in other files: objects. */
#ifndef HEFT_DEBUG_WRITE_DWARF_WRITE_H
#define HEFT_DEBUG_WRITE_DWARF_WRITE_H

#include "base/text.h"
#include "debug/flat.h"

/* ---- numbers and texts ----------------------------------------------------------------------- */

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

/* LEB128 of a number with a sign. */
void put_sleb(struct text *t, int64_t v);

/* ---- what depends on the machine ------------------------------------------------------------- */

struct dwarf_form {
	unsigned address_size; /* 4 or 8 */
	unsigned quantum;      /* bytes of the smallest instruction */
	bool big_endian;
};

/* A machine of 64 bits, little-endian. */
extern const struct dwarf_form dwarf_form_64;

void put_fixed(struct text *t, const struct dwarf_form *f, uint64_t v, unsigned width);
void put_addr(struct text *t, const struct dwarf_form *f, uint64_t addr);
/* A pair of addresses, as .debug_ranges has them. */
void put_range(struct text *t, const struct dwarf_form *f, uint64_t addr, uint64_t end);
/* Overwrites 4 bytes with the size of what stands behind them up to the end. */
void put_length(struct text *t, const struct dwarf_form *f, size_t at);
/* The header of a compile unit of version 4 or 5, whose abbreviations are the first ones.  Its
 * length is left for put_length, at what is returned. */
size_t put_unit_header(struct text *t, const struct dwarf_form *f, unsigned version);

/* ---- line programs --------------------------------------------------------------------------- */

/* The header of a line program from the size of instructions up to the lengths of opcodes. */
void put_line_form(struct text *t, const struct dwarf_form *f);
/* The header of one of version 5 up to its only directory, which has no name; the table of files
 * comes next.  Two lengths are left for put_length: that of the program, at what is returned, and
 * that of the rest of the header, at what line_header_length makes of it. */
size_t put_line_header(struct text *t, const struct dwarf_form *f);
static inline size_t line_header_length(size_t program)
{
	return program + 8;
}

/* A line program that is written, and what its machine knows (DWARF 5, 6.2.2). */
struct line_writer {
	struct text *out;
	const struct dwarf_form *form;
	uint64_t addr;
	uint32_t file, line, column;
};

/* Begins a sequence of rows. */
void line_writer_start(struct line_writer *p, uint64_t addr);
/* Sets the column of the rows from the next one on; it is 0 where a sequence begins. */
void line_writer_column(struct line_writer *p, uint32_t column);
/* Appends a row; addresses do not fall within a sequence. */
void line_writer_row(struct line_writer *p, uint64_t addr, uint32_t file, uint32_t line);
/* Ends a sequence at the first address behind its code. */
void line_writer_end(struct line_writer *p, uint64_t end);

/* Where code comes from. */
struct line_origin {
	uint32_t file; /* index in files + 1; 0: not known */
	uint32_t line;
};

struct line_rows {
	const struct str *files;
	size_t file_count;
	struct flat_range *rows; /* `who` is an index in origins; sorted by line_write */
	size_t row_count;
	const struct line_origin *origins;
};

/* Appends a line program of version 4 in dwarf_form_64; of rows that overlap, the one with the
 * highest `who` owns an address.  Addresses of rows count from `base`. */
void line_write(struct text *out, const struct line_rows *l, uint64_t base);

#endif
