#include "pool.h"

struct chunk {
	uint32_t size; /* of what follows */
	uint32_t used;
};

static struct chunk *next_of(struct chunk *c)
{
	return (struct chunk *)(void *)((unsigned char *)(c + 1) + c->size);
}

void pool_init(struct pool *p, void *start, size_t size)
{
	p->start = start;
	p->size = size;
	*(struct chunk *)start = (struct chunk){ (uint32_t)(size - sizeof(struct chunk)), 0 };
}

/* Gives the end of a free chunk back to the free ones. */
static void split(struct chunk *c, uint32_t size)
{
	if (c->size < size + 2 * sizeof *c)
		return;
	const uint32_t rest = c->size - size - (uint32_t)sizeof *c;
	c->size = size;
	*next_of(c) = (struct chunk){ rest, 0 };
}

void *pool_take(void *pool, size_t size)
{
	struct pool *p = pool;
	struct chunk *const end = (struct chunk *)(void *)(p->start + p->size);
	if (size > p->size)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	for (struct chunk *c = (void *)p->start; c != end; c = next_of(c)) {
		if (c->used)
			continue;
		while (next_of(c) != end && !next_of(c)->used)
			c->size += (uint32_t)sizeof *c + next_of(c)->size;
		if (c->size < size)
			continue;
		split(c, (uint32_t)size);
		c->used = 1;
		return c + 1;
	}
	return NULL;
}

void pool_give(void *pool, void *block)
{
	(void)pool;
	((struct chunk *)block - 1)->used = 0;
}
