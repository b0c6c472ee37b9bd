/* vtables.h - finds where tables of virtual functions begin and end in data without symbols.
 *
 * Code and objects refer to a table at its address point, the first function. Two words come before
 * it: the offset to the top of the object, and a pointer to the type information (Itanium C++ ABI,
 * 2.5.2). After the functions, the next table of the class may follow, or other data. */
#ifndef HEFT_PROGRAM_VTABLES_H
#define HEFT_PROGRAM_VTABLES_H

#include "image/image.h"

#include "base/vec.h"

/* Kind of a pointer's target. An import may be code or data. */
enum pointee { POINTEE_CODE, POINTEE_DATA, POINTEE_IMPORT };

struct pointer_place {
	uint64_t addr, to; /* `to`: an enum pointee */
};

/* The pointers in data without an owner. */
struct vtables {
	const struct image *im;
	VEC(struct pointer_place) places; /* Sorted by address after all are added */
};

void vtables_add(struct vtables *v, uint64_t addr, enum pointee to);
void vtables_sort(struct vtables *v);
void vtables_release(struct vtables *v);

/* Returns the first byte of the table with address point `addr`. Returns `addr` if no table is
 * there. O(log places). */
uint64_t vtable_start(const struct vtables *v, uint64_t addr);
/* Returns the end of the last function of the consecutive tables that begin at `start`, at most
 * `end`. Returns `end` if no table starts there. */
uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end);

#endif
