/* dwarf_write.h - writes the facts of other debug info (PDBs, source maps, Go's tables) as
 * DWARF. */
#pragma once

#include "base/text.h"
#include "debug/flat.h"

/* Writes a number in `width` bytes, little-endian. */
static inline void put_uint(struct text *t, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		text_add_char(t, (char)(v >> (8 * i)));
}

static inline void put_cstr(struct text *t, struct str s)
{
	text_add(t, s);
	text_add_char(t, 0);
}

/* Writes a signed number as LEB128. */
void put_sleb(struct text *t, int64_t v);

struct dwarf_form {
	unsigned address_size; /* 4 or 8 bytes */
	unsigned quantum;      /* Size of the smallest instruction in bytes */
	bool big_endian;
};

/* The form for a 64-bit, little-endian machine. */
extern const struct dwarf_form dwarf_form_64;

void put_fixed(struct text *t, const struct dwarf_form *f, uint64_t v, unsigned width);
void put_addr(struct text *t, const struct dwarf_form *f, uint64_t addr);
void put_range(struct text *t, const struct dwarf_form *f, uint64_t addr, uint64_t end);
/* Overwrites the 4 bytes at `at` with the number of bytes after them. */
void put_length(struct text *t, const struct dwarf_form *f, size_t at);
/* Writes the header of a compile unit of version 4 or 5, whose abbreviations are at offset 0.
 * Returns the offset of the unit's length, for a later put_length(). */
size_t put_unit_header(struct text *t, const struct dwarf_form *f, unsigned version);

struct line_origin {
	uint32_t file; /* Number in the line program, from 1. 0 if unknown. */
	uint32_t line;
};

/* Abbreviations of the DIEs that made_*() write. The comments list their attributes in order. Any
 * text may be "" */
enum made_abbrev {
	MADE_UNIT = 1,
	MADE_ABSTRACT,
	MADE_FUNCTION, /* Name, linkage name, address, size of 4 bytes; children */
	MADE_PIECES,   /* A function: offsets of MADE_ABSTRACT and of the ranges; children */
	MADE_INLINED,
	MADE_TYPE,     /* Size in bytes as ULEB128 */
	MADE_VARIABLE, /* Name, location */
	MADE_TYPED,    /* A variable: offset of its type, file and line as ULEB128, location */
};

/* DWARF sections that are being written. All units share one table of abbreviations. References
 * between DIEs count from the unit and have 4 bytes */
struct dwarf_made {
	struct dwarf_form form;
	struct text info, abbrev, line, ranges;
	size_t unit; /* Offset of the current unit's header */
};

void dwarf_made_init(struct dwarf_made *m, const struct dwarf_form *form);
void dwarf_made_release(struct dwarf_made *m);
/* Begins a unit, whose line program is at `line`. Its address ranges are what the caller next
 * writes to `ranges`. */
void made_unit(struct dwarf_made *m, struct str name, struct str comp_dir, uint64_t language,
	       uint64_t line);
/* Ends the list of entries and the unit. */
void made_unit_end(struct dwarf_made *m);
/* Writes an entry with the name and declaration of a function (MADE_ABSTRACT). Returns its offset,
 * for the entries with the function's code. */
uint32_t made_abstract(struct dwarf_made *m, struct str name, struct str linkage,
		       struct line_origin decl);
/* Begins an entry for code that was inlined from the function `abstract`. Its address ranges are
 * what the caller next writes to `ranges`. Its children follow. */
void made_inlined(struct dwarf_made *m, uint32_t abstract, struct line_origin call,
		  uint32_t column);
/* Writes the expression for a variable at an address. */
void put_location(struct text *t, const struct dwarf_form *f, uint64_t addr);

/* Writes a line program's header from the size of an instruction to the lengths of opcodes. */
void put_line_form(struct text *t, const struct dwarf_form *f);
/* Writes the header of a line program of version 5, until its only directory, which has no name.
 * The table of files must follow. Returns the offset of the program's length, for put_length(). The
 * length of the header is at line_header_length(), also for put_length(). */
size_t put_line_header(struct text *t, const struct dwarf_form *f);
static inline size_t line_header_length(size_t program)
{
	return program + 8;
}

/* A line program while it is written, with the registers of its state machine (DWARF 5, 6.2.2). */
struct line_writer {
	struct text *out;
	const struct dwarf_form *form;
	uint64_t addr;
	uint32_t file, line;
};

void line_writer_start(struct line_writer *p, uint64_t addr);
/* Appends a row. Addresses must not descend within a sequence. */
void line_writer_row(struct line_writer *p, uint64_t addr, uint32_t file, uint32_t line);
/* Ends a sequence at the address after its code. */
void line_writer_end(struct line_writer *p, uint64_t end);

struct line_rows {
	const struct str *files;
	size_t file_count;
	struct flat_range *rows; /* `who` is an index in `origins`. line_write() sorts the list */
	size_t row_count;
	const struct line_origin *origins;
};

/* Appends a line program of version 4 in dwarf_form_64. If rows overlap, the one with the highest
 * `who` wins. Addresses of rows count from `base`. */
void line_write(struct text *out, const struct line_rows *l, uint64_t base);
