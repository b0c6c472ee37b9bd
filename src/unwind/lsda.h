/* lsda.h - reads language-specific data (.gcc_except_table): the size of the data of one function,
 * and its call sites.
 *
 * Source: Itanium C++ ABI, "Exception Handling Tables". */
#pragma once

#include "base/reader.h"

/* Form of the exception specifications that follow the type table. */
enum lsda_specs {
	LSDA_SPECS_ULEB, /* Lists of ULEB128 type indexes, addressed in bytes */
	LSDA_SPECS_WORD, /* ARM EHABI: lists of 4-byte pointers, addressed in words */
};

/* Computes the size of the data at the start of `bytes`, at most bytes.size. The data has a header,
 * call sites, actions, types and exception specifications. Excludes padding at the end. False if
 * damaged or other data. O(bytes.size) at worst, so callers with many tables should end `bytes` at
 * the next table. */
bool lsda_size(struct bytes bytes, uint8_t address_size, bool big_endian, enum lsda_specs specs,
	       uint64_t *ret);

struct lsda_site {
	uint64_t addr, size;
	uint64_t pad; /* Landing pad. 0 if exceptions pass through */
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
/* Reads the next site. Sites must ascend and lie in the function. The first one that does not ends
 * the list, because tables of a function's parts share the following sites. */
bool lsda_sites_next(struct lsda_sites *s, struct lsda_site *ret);

/* The types of the exceptions that a function catches. */
struct lsda_types {
	struct reader reader; /* At the next entry of the type table */
	uint64_t left;        /* Entries that were not read yet */
	uint64_t addr;        /* VM address of the data */
	uint8_t address_size, encoding;
};

/* Opens the types in the data at the start of `bytes`, with VM address `addr`, at most to its end.
 * False if the data is damaged. */
bool lsda_types_open(struct lsda_types *t, struct bytes bytes, uint64_t addr, uint8_t address_size,
		     bool big_endian);
/* Reads the VM address of the next type, or of the pointer to it. Skips types that match any
 * exception. False at the end. */
bool lsda_types_next(struct lsda_types *t, uint64_t *ret);
