/* lsda_sites.h - the call sites of one language-specific data area (.gcc_except_table).
 *
 * Source: Itanium C++ ABI, "Exception Handling Tables". */
#ifndef HEFT_DEBUG_LSDA_SITES_H
#define HEFT_DEBUG_LSDA_SITES_H

#include "base/reader.h"

struct lsda_site {
	uint64_t addr, size;
	uint64_t pad; /* 0: exceptions pass through */
};

struct lsda_sites {
	struct reader reader; /* ends where the call sites do */
	uint64_t func_addr, func_size, pad_base;
	uint64_t end; /* of the site before, from func_addr */
	uint8_t address_size, encoding;
};

/* The data that `r` stands at, VM address `addr`, of the function at hand.  False where the header
 * is damaged. */
bool lsda_sites_open(struct lsda_sites *s, struct reader r, uint64_t addr, uint8_t address_size,
		     uint64_t func_addr, uint64_t func_size);
/* Sites rise and lie in the function; the first that does not ends them, for tables of the parts of
 * a function share what stands behind them. */
bool lsda_sites_next(struct lsda_sites *s, struct lsda_site *ret);

#endif
