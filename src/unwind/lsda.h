/* lsda.h - computes the size of language-specific data, for the general form and for that of ARM.
 * Private to unwind/. Other rooms use lsda_size() (unwind/unwind.h). */
#ifndef HEFT_UNWIND_LSDA_H
#define HEFT_UNWIND_LSDA_H

#include "base/reader.h"

/* Form of the exception specifications that follow the type table. */
enum lsda_specs {
	LSDA_SPECS_ULEB, /* Lists of ULEB128 type indexes, addressed in bytes */
	LSDA_SPECS_WORD, /* ARM EHABI: lists of 4-byte pointers, addressed in words */
};

bool lsda_extent(struct bytes bytes, uint8_t address_size, bool big_endian, enum lsda_specs specs,
		 uint64_t *ret);

#endif
