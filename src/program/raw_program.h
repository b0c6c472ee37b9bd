/* raw_program.h - raw images of firmware and the programs that they were made of: those of the
 * wish, else one beside the image.  Private to program/. */
#ifndef HEFT_PROGRAM_RAW_PROGRAM_H
#define HEFT_PROGRAM_RAW_PROGRAM_H

#include "program/program.h"

/* Whether a file of no format that heft knows is an image of plain bytes, and where its first byte
 * lies: the wish says so, or the program that it was made of does.  False with err->code 0: it is
 * none. */
bool raw_is_plain(const struct program *p, struct bytes file, uint64_t *ret_base,
		  struct heft_err *err);
/* Gives the raw image that is open the program it was made of, the one of the wish with which it
 * shares most bytes.  True also where there is none. */
bool raw_find_program(struct program *p, struct heft_err *err);

#endif
