/* pdb.h - reads a program database: the debug info of Windows programs (LLVM, "The PDB File
 * Format").
 *
 * A database has modules (object files of the link) and their contributions to the sections of the
 * program. Each module has symbols and line tables. One stream has the public and global symbols,
 * two others the types. Positions in the program are a section's number, from 1, and an offset in
 * that section. pdb_rva() converts them to an RVA: an address relative to the program's base.
 *
 * Texts are borrowed and NUL-terminated. One thread. */
#pragma once

#include "base/vec.h"
#include "debug/codeview/msf.h"

struct pdb_module {
	struct str name;    /* Name of the object file, or a made name such as "* Linker *" or
			     * "Import:KERNEL32.dll" */
	struct str library; /* Archive that has the object file, or the object file itself */
	uint16_t stream;
	uint32_t symbol_size, c11_size, c13_size; /* Sizes of the parts of its stream, in this
						   * order: symbols, old line tables, line tables */
};

/* Bytes that a module contributes to a section. */
struct pdb_piece {
	uint64_t rva; /* RVA. pdb.pieces is sorted by it */
	uint32_t size, module;
};

struct pdb_section {
	uint32_t rva, size;
};

/* The records of a stream of types or ids. */
struct pdb_types {
	struct bytes bytes;
	uint32_t first;        /* Index of the first record. Lower indexes are built-in types */
	VEC(uint32_t) offsets; /* Per record: offset of its length, with which it begins */
};

struct pdb {
	struct msf msf;
	uint8_t guid[16];
	uint32_t age;
	uint16_t symbol_stream; /* Index of the stream of public and global symbols */
	struct bytes names;     /* Text of file names that line tables refer to */
	VEC(struct pdb_module) modules;
	VEC(struct pdb_piece) pieces;
	VEC(struct pdb_section) sections;
	struct pdb_types types, ids;
	uint64_t damaged;
};

/* Reads only the id and the age. False if the file is not a program database. */
bool pdb_read_id(struct bytes file, uint8_t ret_guid[16], uint32_t *ret_age);
/* Opens a database. False if the headers are damaged. pdb_close() is allowed in both cases. */
bool pdb_open(struct pdb *p, struct bytes file);
void pdb_close(struct pdb *p);

/* Converts a section's number and an offset to an RVA. False if there is no such section. */
bool pdb_rva(const struct pdb *p, uint16_t section, uint32_t off, uint64_t *ret);
/* Returns the piece that holds an RVA, or NULL. O(log pieces). */
const struct pdb_piece *pdb_piece_at(const struct pdb *p, uint64_t rva);
/* Finds the record of a type or id. Sets *ret to its contents after the kind. False if none. */
bool pdb_type(const struct pdb_types *t, uint32_t index, uint16_t *ret_kind, struct reader *ret);
/* Returns the size of a value of a type in bytes. 0 if unknown. */
uint64_t pdb_type_size(const struct pdb *p, uint32_t index);
/* Returns the text that an id stands for. "" if the id is not a text. */
struct str pdb_id_text(const struct pdb *p, uint32_t id);
/* Returns the name of the function that an id stands for, after its class or namespace. Allocates
 * it in `a`. "" if the id is not a function. */
struct str pdb_function_name(const struct pdb *p, uint32_t id, struct arena *a);
