/* pdb.h - a program database: the debug info of Windows programs (LLVM, "The PDB File Format").
 *
 * A database has modules (object files of the link), contributions of them to the sections of the
 * program, records of types, and symbols: those of each module with its line tables, and one stream
 * of public and global ones.  Places are a section's number, from 1, and an offset in it; pdb_rva
 * tells what these are relative to the program's base.
 *
 * Texts are borrowed and NUL-terminated.  One thread. */
#ifndef HEFT_DEBUG_CODEVIEW_PDB_H
#define HEFT_DEBUG_CODEVIEW_PDB_H

#include "base/vec.h"
#include "debug/codeview/msf.h"

struct pdb_module {
	struct str name;    /* the object file; "* Linker *", "Import:KERNEL32.dll" */
	struct str library; /* the archive that the object came from, or the object itself */
	uint16_t stream;
	uint32_t symbol_size, c11_size, c13_size; /* bytes, one behind the other, in its stream */
};

/* Bytes of a section that a module gave. */
struct pdb_piece {
	uint64_t rva; /* sorted by it */
	uint32_t size, module;
};

struct pdb_section {
	uint32_t rva, size;
};

/* The records of a stream of types or ids. */
struct pdb_types {
	struct bytes bytes;
	uint32_t first;        /* index of the first record */
	VEC(uint32_t) offsets; /* of the records; from their length on */
};

struct pdb {
	struct msf msf;
	uint8_t guid[16];
	uint32_t age;
	uint16_t symbol_stream; /* of public and global symbols */
	struct bytes names;     /* the string table that line tables refer to */
	VEC(struct pdb_module) modules;
	VEC(struct pdb_piece) pieces;
	VEC(struct pdb_section) sections;
	struct pdb_types types, ids;
	uint64_t damaged; /* bytes of what could not be read */
};

/* The id and the age alone; false where it is no database. */
bool pdb_read_id(struct bytes file, uint8_t ret_guid[16], uint32_t *ret_age);
/* False where the headers are damaged; pdb_close may be called nevertheless. */
bool pdb_open(struct pdb *p, struct bytes file);
void pdb_close(struct pdb *p);

/* False where there is no such section. */
bool pdb_rva(const struct pdb *p, uint16_t section, uint32_t off, uint64_t *ret);
/* The piece around a place; NULL if none.  O(log pieces). */
const struct pdb_piece *pdb_piece_at(const struct pdb *p, uint64_t rva);
/* What follows the kind of a type or id; false where there is none. */
bool pdb_type(const struct pdb_types *t, uint32_t index, uint16_t *ret_kind, struct reader *ret);
/* Bytes that a value of a type takes; 0: not known. */
uint64_t pdb_type_size(const struct pdb *p, uint32_t index);
/* A text among the ids; "" where it is none. */
struct str pdb_id_text(const struct pdb *p, uint32_t id);
/* What a function among the ids is called, with its class or namespace in front, in `a`; "" where
 * it is none. */
struct str pdb_function_name(const struct pdb *p, uint32_t id, struct arena *a);

#endif
