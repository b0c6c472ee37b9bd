/* attr_vtables.h - where tables of virtual functions begin and end in data without symbols.
 *
 * Code and objects refer to a table at its address point, the first function.  Two words stand
 * before it: the offset to the top of the object and a pointer to the type information (Itanium C++
 * ABI, 2.5.2).  Behind the functions the next table of the class may follow, or data of somebody
 * else. */
#ifndef HEFT_SOURCE_ATTR_ATTR_VTABLES_H
#define HEFT_SOURCE_ATTR_ATTR_VTABLES_H

#include "image/image.h"

#include "base/vec.h"

/* What a pointer leads to; an import may be either. */
enum pointee { POINTEE_CODE, POINTEE_DATA, POINTEE_IMPORT };

/* Where a pointer is stored. */
struct pointer_place {
	uint64_t addr, to; /* to: enum pointee */
};

/* The pointers in the data that have no owner yet. */
struct vtables {
	const struct image *im;
	VEC(struct pointer_place) places; /* sorted by address, once all are added */
};

void vtables_add(struct vtables *v, uint64_t addr, enum pointee to);
void vtables_sort(struct vtables *v);
void vtables_release(struct vtables *v);

/* The first byte of the table whose address point is `addr`; `addr` itself where no table is.
 * O(log places). */
uint64_t vtable_start(const struct vtables *v, uint64_t addr);
/* One past the last function of the tables that follow each other from `start` on, at most `end`,
 * which is also the answer where no table starts. */
uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end);

#endif
