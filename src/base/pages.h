/* pages.h - allocates memory in pages, for large arrays that are filled and left from start to end.
 *
 * At first only address space is used. Pages cost memory once written. */
#ifndef HEFT_BASE_PAGES_H
#define HEFT_BASE_PAGES_H

#include "base/base.h"

/* Returns zeroed memory. NULL if memory runs out. */
void *pages_alloc(uint64_t size);
/* Frees memory of pages_alloc(). NULL is allowed. */
void pages_free(void *p);
/* Gives whole pages inside [p, p + size) back to the system. Memory has undefined contents
 * afterwards. Pages of a mapped file are read again when needed. */
void pages_drop(const void *p, uint64_t size);

#endif
