/* usage_files.h - reads the .su files of a program: those of the options, else those beside the
 * objects in its linker map, or beside the program. */
#ifndef HEFT_STACK_USAGE_FILES_H
#define HEFT_STACK_USAGE_FILES_H

#include "program/program.h"
#include "stack/stated.h"

/* Adds their lines to *ret. False if a file that the user named is missing. */
bool usage_files_read(struct stated *ret, struct program *p, struct heft_err *err);

#endif
