/* ref_store.h - keeps the references of an image's code in little memory, for a later pass.
 *
 * The data source `symbols` fills a store if source_file.refs has one. A part (struct ref_part) has
 * the references of consecutive code, in its order, mostly 6 bytes each. Parts have no order. A
 * part is filled by one thread. */
#ifndef HEFT_CODE_REF_STORE_H
#define HEFT_CODE_REF_STORE_H

#include "code/code.h"

struct ref_part {
	VEC(uint8_t) bytes;
	uint64_t at; /* While the part is filled: address from which the next distance counts */
};

/* A zeroed store is empty. Borrows the image */
struct ref_store {
	const struct image *im; /* Only references of this image are kept */
	VEC(struct ref_part) parts;
	VEC(uint64_t) symbols; /* Addresses of symbols. Unsorted, may repeat */
};

/* Begins the records of the code [addr, addr + size), decoded whole. Add its references next. */
void ref_part_begin(struct ref_part *p, uint64_t addr, uint64_t size);
/* Appends a reference of the code that was begun last. */
void ref_part_add(struct ref_part *p, const struct code_ref *ref);
void ref_store_release(struct ref_store *s);

/* What ref_part_next() found. `kind` 0: code begins at `from`, and ends at `to`. */
struct kept_ref {
	uint64_t from, to;
	unsigned kind; /* Value of enum ref_kind, or 0 */
};

/* Reads the next record. Zero *at and *ret before the first call. False at the end. */
bool ref_part_next(const struct ref_part *p, size_t *at, struct kept_ref *ret);

#endif
