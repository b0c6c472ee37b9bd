/* arena.h - allocates memory that is freed all at once.
 *
 * arena_new(a, T, n) returns n zeroed Ts, never NULL. arena_release frees all. arena_reset keeps
 * the memory for the next use. A zeroed struct is an empty arena. Check a number from a file before
 * you use it as the size of an allocation. One thread at a time. */
#pragma once

#include "base/base.h"

struct arena_block;

struct arena {
	struct arena_block *head; /* The current block, which links to older ones */
	size_t used;              /* Number of bytes of `head` that are in use */
	uint64_t total;           /* Size of all blocks in bytes */
};

void *arena_alloc(struct arena *a, uint64_t size, size_t align);
void *arena_calloc(struct arena *a, uint64_t count, size_t size, size_t align);

#define arena_new(a, T, n) ((T *)arena_calloc((a), (n), sizeof(T), _Alignof(T)))

/* Copies a text and appends a NUL. */
char *arena_copy(struct arena *a, struct str s);
char *arena_format(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Moves all memory of `from` to `a`, and empties `from`. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_reset(struct arena *a);
void arena_release(struct arena *a);
