/* usage_files.h - the .su files of a program: those of the wish, else those that lie beside the
 * objects which its linker map names, or beside the program. */
#ifndef HEFT_STACK_USAGE_FILES_H
#define HEFT_STACK_USAGE_FILES_H

#include "program/program.h"
#include "stack/stated.h"

/* Adds their lines to *ret.  False where one that the user named is not there. */
bool usage_files_read(struct stated *ret, struct program *p, struct heft_err *err);

#endif
