/* operands.h - tells whether an immediate follows a pc-relative operand in an object's code.
 * One thread at a time. */
#pragma once

#include "code/code.h"
#include "image/image.h"

enum { OPERANDS_REST_MOST = 4 };

/* Finds operands in an object's code. The caller sets `im`, and the other fields to 0.
 * operands_rest() is fast if its addresses rise */
struct operands {
	const struct image *im;
	const struct section *in; /* Section of the operand asked for last. NULL at first */
	struct bytes code;        /* Bytes of that section */
	uint64_t before;          /* Offset in `code` of an instruction from which decoding may
				   * start */
};

/* Returns the number of bytes between the 4-byte field at this address and the end of its
 * instruction, usually 0, at most OPERANDS_REST_MOST. 0 if it is not the field of a pc-relative
 * operand in an x86-64 object's code. */
uint64_t operands_rest(struct operands *o, uint64_t field);
