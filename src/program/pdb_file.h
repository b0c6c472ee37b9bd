/* pdb_file.h - opens a PDB as the separate debug file of a program (debug/codeview). */
#ifndef HEFT_PROGRAM_PDB_FILE_H
#define HEFT_PROGRAM_PDB_FILE_H

#include "image/input.h"

bool pdb_file_named(const char *path); /* True if the file is a PDB. */
/* Checks the headers. False, with *err, if they are damaged. */
bool pdb_file_check(struct bytes b, const char *path, struct heft_err *err);
/* True if the PDB is of the build that the image names, by GUID and age. */
bool pdb_file_is_of(struct bytes b, const struct image *im);

/* Opens the PDB at `path` as a companion image of `im`, a linked image of the same build. It has
 * the sections of `im` without bytes, the symbols of the PDB, and its debug info as DWARF. `in`
 * owns the bytes made; the PDB is closed again. False, with *err, if it is damaged. */
bool pdb_file_open(const struct image *im, const char *path, struct input *in, struct notes *notes,
		   struct heft_err *err);

/* Finds the PDB of an image. The path is for mem_free(); NULL if there is none. Tries the path that
 * the image names, if it exists here. Then tries a file of that name or of the image's name, beside
 * the image and in the directories. A PDB of another build is skipped with a note. */
struct debug_search;
char *pdb_file_find(const struct image *im, const struct debug_search *how, struct notes *notes);

#endif
