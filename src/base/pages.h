/* pages.h - memory by the page: large arrays that are filled and left again from front to end.
 *
 * Only address space is taken at first; pages cost memory once written. */
#ifndef HEFT_BASE_PAGES_H
#define HEFT_BASE_PAGES_H

#include "base/base.h"

/* Zeroed; NULL where there is no room. */
void *pages_alloc(uint64_t size);
/* Takes what pages_alloc gave, and NULL. */
void pages_free(void *p);
/* Gives whole pages inside [p, p + size) back: memory holds nothing that matters from then on, that
 * of a mapped file is read again when needed. */
void pages_drop(const void *p, uint64_t size);

#endif
