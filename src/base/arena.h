/* arena.h - memory that belongs to a lifetime.
 *
 * arena_new(a, T, n) gives n zeroed Ts; never NULL.  arena_release frees all at
 * once; arena_reset keeps the memory for the next round.  A zeroed struct is an
 * empty arena.  Never size an allocation by an unchecked number from a file.
 * One thread at a time. */
#ifndef HEFT_BASE_ARENA_H
#define HEFT_BASE_ARENA_H

#include "base/base.h"

struct arena_block;

struct arena {
	struct arena_block *head; /* the block in use; older ones behind it */
	size_t used;              /* bytes used of head */
	uint64_t total;           /* bytes held */
};

void *arena_alloc(struct arena *a, uint64_t size, size_t align);
void *arena_calloc(struct arena *a, uint64_t count, size_t size, size_t align);

#define arena_new(a, T, n) ((T *)arena_calloc((a), (n), sizeof(T), _Alignof(T)))

/* A NUL-terminated copy. */
char *arena_copy(struct arena *a, struct str s);
char *arena_format(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Moves all memory of `from` to `a`; `from` is empty afterwards. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

#endif
