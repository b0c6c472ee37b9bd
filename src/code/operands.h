/* operands.h - lists the pc-relative operands in an object's code that an immediate follows.
 * One thread at a time. */
#ifndef HEFT_CODE_OPERANDS_H
#define HEFT_CODE_OPERANDS_H

#include "code/code.h"
#include "image/image.h"

struct operand {
	uint64_t field; /* Address of the operand's 4 bytes */
	uint64_t rest;  /* Number of bytes after them in the instruction: an immediate */
};

struct operands {
	VEC(struct operand) list; /* Sorted */
};

/* Lists the operands in an x86-64 object's code. Other images have none. Linear in the bytes. */
void operands_read(struct operands *o, const struct image *im);
/* Returns the number of bytes between the 4-byte field and the end of its instruction, usually
 * 0. */
uint64_t operands_rest(const struct operands *o, uint64_t field);

#endif
