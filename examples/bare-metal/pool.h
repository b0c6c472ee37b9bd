/* pool.h - the program's own allocator: first fit in one piece of memory.
 *
 * Pointers are multiples of 8.  A chunk is 8 bytes of header and what follows. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
	unsigned char *start; /* a multiple of 8, as is the size */
	size_t size;
};

void pool_init(struct pool *p, void *start, size_t size);
void *pool_take(void *pool, size_t size); /* NULL: none left */
void pool_give(void *pool, void *block);

#endif
