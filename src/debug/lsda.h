/* lsda.h - the size of language-specific data, with the one thing that differs on ARM.
 * Private to debug/; others use lsda_size (debug/unwind.h). */
#ifndef HEFT_DEBUG_LSDA_H
#define HEFT_DEBUG_LSDA_H

#include "base/reader.h"

/* How exception specifications stand behind the type table. */
enum lsda_specs {
	LSDA_SPECS_ULEB, /* lists of uleb type indexes, addressed by byte */
	LSDA_SPECS_WORD, /* ARM EHABI: lists of 4-byte pointers, addressed by word */
};

bool lsda_extent(struct bytes bytes, uint8_t address_size, bool big_endian, enum lsda_specs specs,
		 uint64_t *ret);

#endif
