/* pages.h - allocates large arrays whose used pages can be given back from start to end. A page
 * takes memory when it is written. */
#pragma once

#include "base/base.h"

/* Allocates zeroed memory. NULL if there is no memory. */
void *pages_alloc(uint64_t size);
/* Like pages_alloc(), for an array of which few pages will be written. */
void *pages_alloc_sparse(uint64_t size);
/* Frees the array. NULL is allowed. */
void pages_free(void *p);
/* Gives the whole pages inside [p, p + size) back to the system. Their contents become undefined.
 * Pages of a mapped file are read again when used. */
void pages_drop(const void *p, uint64_t size);
