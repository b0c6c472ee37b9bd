/* pages.h - allocates large arrays in pages, whose used pages can be given back from start to end.
 *
 * At first only address space is used. A page takes memory once it is written. */
#ifndef HEFT_BASE_PAGES_H
#define HEFT_BASE_PAGES_H

#include "base/base.h"

/* Returns zeroed memory. NULL if memory runs out. */
void *pages_alloc(uint64_t size);
/* Frees memory of pages_alloc(). NULL is allowed. */
void pages_free(void *p);
/* Gives the whole pages inside [p, p + size) back to the system. Their contents become undefined.
 * Pages of a mapped file are read again when used. */
void pages_drop(const void *p, uint64_t size);

#endif
