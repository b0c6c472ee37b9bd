/* lsda_sites.h - reads the call sites of one language-specific data area (.gcc_except_table).
 *
 * Source: Itanium C++ ABI, "Exception Handling Tables". */
#ifndef HEFT_UNWIND_LSDA_SITES_H
#define HEFT_UNWIND_LSDA_SITES_H

#include "base/reader.h"

struct lsda_site {
	uint64_t addr, size;
	uint64_t pad; /* 0 if exceptions pass through */
};

struct lsda_sites {
	struct reader reader; /* Ends at the end of the call sites */
	uint64_t func_addr, func_size, pad_base;
	uint64_t end; /* End of the previous site, relative to func_addr */
	uint8_t address_size, encoding;
};

/* Opens the data at the position of `r`, with VM address `addr`, for one function. False if the
 * header is damaged. */
bool lsda_sites_open(struct lsda_sites *s, struct reader r, uint64_t addr, uint8_t address_size,
		     uint64_t func_addr, uint64_t func_size);
/* Reads the next site. Sites rise and lie in the function. The first that does not ends them,
 * because tables of the parts of a function share the following sites. */
bool lsda_sites_next(struct lsda_sites *s, struct lsda_site *ret);

#endif
