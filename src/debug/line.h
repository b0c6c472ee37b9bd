/* line.h - reads line number programs of .debug_line (DWARF 5, 6.2; versions 2 to 5).
 *
 * A line program is opened at an offset, then read row by row. Damage ends the program with a note,
 * and earlier rows stay. Each sequence ends with an end_sequence row. If the program leaves a
 * sequence open, it is closed at its last address. Addresses are cut to the address size. Numbers
 * of files and columns that exceed 32 bits become UINT32_MAX. Lines wrap. Opening costs
 * O(directories + files), a row O(opcodes). Reading allocates only for DW_LNE_define_file, to add
 * to `files`. One thread per program. */
#pragma once

#include "base/vec.h"
#include "debug/dwarf.h"

struct line_file {
	struct str name;
	uint64_t dir; /* Index of its directory in `dirs` */
};

struct line_row {
	uint64_t addr;
	/* Range in DW_LINE of the opcodes that made the row. Empty for the end of a sequence if the
	 * program lacks it. Bytes between two rows' ranges belong to removed code. */
	uint64_t start, off;
	uint32_t file, line, column;
	uint8_t op_index; /* Operation in the instruction on VLIW machines. 0 elsewhere */
	bool is_stmt, end_sequence;
};

struct line_program {
	struct dwarf *dwarf;
	uint64_t off, size;   /* Range in DW_LINE, with the length field. It does not exceed the
			       * section */
	uint64_t header_size; /* Number of bytes before the opcodes */
	uint16_t version;
	uint8_t offset_size, address_size; /* Version 5 states address_size. For earlier
					    * versions, the caller states it */
	struct str comp_dir;               /* Directory 0 before version 5, from the caller */
	/* Texts are borrowed from the sections. dirs[0] always exists and is the compilation
	 * directory in every version. Rows and DW_AT_decl_file refer to files by their index here.
	 * Before version 5 files[0] has an empty name. */
	VEC(struct str) dirs;
	VEC(struct line_file) files;
	/* Private: position, registers, opcode table. */
	struct reader reader;
	struct line_row state;
	uint64_t addr_mask;
	uint32_t reciprocal; /* 2^16 / line_range + 1. Used to divide a byte by multiplication */
	uint8_t min_inst_length, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
	bool hidden; /* True if the address is in removed code */
	bool open;   /* True if the sequence has rows but no end yet */
	bool noted;
	uint8_t opcode_lengths[256];
};

/* Opens the program at `off`. The unit states address_size, comp_dir and str_offsets_base (for
 * names by index, DW_NO_OFFSET if none). False, with a note, if there is no program or its header
 * is unusable. *p is then empty and needs no release. If only the table of files is damaged, rows
 * are still read. */
bool line_open(struct line_program *p, struct dwarf *d, uint64_t off, uint8_t address_size,
	       struct str comp_dir, uint64_t str_offsets_base);
void line_release(struct line_program *p);
/* Reads the next row. Skips sequences of removed code (tombstones), and rows after an address of an
 * impossible size. False at the end. */
bool line_next(struct line_program *p, struct line_row *ret);

/* Sets *out to the absolute path of a file: path_join() (debug/path.h) of dirs[0], the file's
 * directory and its name. False, with *out "", if the index is out of range. */
struct text;
bool line_path(const struct line_program *p, uint64_t file, struct text *out);
