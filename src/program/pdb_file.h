/* pdb_file.h - a PDB as the separate debug file of a program (debug/codeview). */
#ifndef HEFT_PROGRAM_PDB_FILE_H
#define HEFT_PROGRAM_PDB_FILE_H

#include "image/input.h"

bool pdb_file_named(const char *path); /* whether a file is a PDB */
/* False, with *err, where its headers are damaged. */
bool pdb_file_check(struct bytes b, const char *path, struct heft_err *err);
/* Whether it is of the build that the image names, by GUID and age. */
bool pdb_file_is_of(struct bytes b, const struct image *im);

/* Opens the PDB at `path` as an image that stands beside `im`, a linked one of the same build: its
 * sections without bytes, the symbols of the PDB, and its debug info as DWARF.  `in` has the bytes
 * that are made; the PDB itself is closed again.  False, with *err, where it is damaged. */
bool pdb_file_open(const struct image *im, const char *path, struct input *in, struct notes *notes,
		   struct heft_err *err);

/* The path of the PDB of an image, for mem_free; NULL where there is none: the path that the image
 * names, if it is one of this machine, else a file of that name or of the image's own beside the
 * image and in the directories.  One of another build is passed over with a note. */
struct debug_search;
char *pdb_file_find(const struct image *im, const struct debug_search *how, struct notes *notes);

#endif
