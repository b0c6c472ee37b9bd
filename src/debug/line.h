/* line.h - line number programs of .debug_line (DWARF 5, 6.2; versions 2 to 5).
 *
 * A line program is opened at an offset, then read row by row.  Damage ends the program with
 * a note; rows read so far stand.  Each sequence that is handed out ends with an end_sequence
 * row: one that the program leaves open is closed at its last address.  Addresses are cut to
 * the address size; numbers of files, lines and columns that leave 32 bits become UINT32_MAX
 * (lines wrap).  Opening costs O(directories + files), a row O(opcodes) and no allocation
 * but for DW_LNE_define_file, which adds to `files`.  One thread a program. */
#ifndef HEFT_DEBUG_LINE_H
#define HEFT_DEBUG_LINE_H

#include "base/vec.h"
#include "debug/dwarf.h"

struct line_file {
	struct str name;
	uint64_t dir; /* index in dirs */
};

struct line_row {
	uint64_t addr;
	/* [start, off) in DW_LINE: the opcodes that made the row (none for an end that the program
	 * lacks).  What lies between the rows belongs to code that was thrown away. */
	uint64_t start, off;
	uint32_t file, line, column;
	uint8_t op_index; /* VLIW machines; 0 elsewhere */
	bool is_stmt, end_sequence;
};

struct line_program {
	struct dwarf *dwarf;
	uint64_t off, size;   /* in DW_LINE, length field included; clipped */
	uint64_t header_size; /* of these: everything before the opcodes */
	uint16_t version;
	uint8_t offset_size, address_size; /* address_size: version 5's, else as given */
	struct str comp_dir;               /* directory 0 of versions before 5; as given */
	/* Texts are borrowed from the sections.  dirs[0] is there, the compilation directory in
	 * every version; files are indexed as rows and DW_AT_decl_file index them (before version 5
	 * files[0] is an empty name). */
	VEC(struct str) dirs;
	VEC(struct line_file) files;
	/* private: the rest of the program, registers, opcode table */
	struct reader reader;
	struct line_row state;
	uint64_t addr_mask;
	uint32_t reciprocal; /* 2^16 / line_range + 1: divides any byte rightly */
	uint8_t min_inst_length, max_ops, line_range, opcode_base;
	int8_t line_base;
	bool default_is_stmt;
	bool hidden; /* in code that was thrown away */
	bool open;   /* the sequence has rows and no end yet */
	bool noted;
	uint8_t opcode_lengths[256];
};

/* Opens the program at `off`.  address_size and comp_dir are the unit's.  `str_offsets_base` is the
 * unit's too, for names in forms strx* (DW_NO_OFFSET if none).  False (and a note) where there is
 * no program or its header is damaged beyond use; *p is then empty and needs no release.  For a
 * program whose file table alone is damaged, the rows still stand. */
bool line_open(struct line_program *p, struct dwarf *d, uint64_t off, uint8_t address_size,
	       struct str comp_dir, uint64_t str_offsets_base);
void line_release(struct line_program *p);
/* The next row; sequences of code that was thrown away (tombstones) are passed over whole, as
 * is what follows an address of a size that cannot be.  False at the end. */
bool line_next(struct line_program *p, struct line_row *ret);

/* Replaces *out by the path of a file, made absolute by path_join (debug/path.h) from dirs[0],
 * the file's directory and its name.  False, and "", for an index that is not there. */
struct text;
bool line_path(const struct line_program *p, uint64_t file, struct text *out);

#endif
