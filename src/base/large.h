/* large.h - allocates arrays of many megabytes directly from the kernel.
 *
 * malloc() maps large arrays in pages of 4 KiB, each of which costs a page fault, and realloc()
 * copies the bytes. large_new() uses pages of 2 MiB, and large_resize() moves pages. Arrays of 2
 * MiB or more take whole pages, because growing would otherwise add small ones.
 *
 * LARGE_MAPPED is 1 on Linux without sanitizers, which must see every allocation. Do not call the
 * functions if it is 0. Thread-safe. */
#pragma once

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define LARGE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define LARGE_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(LARGE_SANITIZED)
#define LARGE_MAPPED 1
#else
#define LARGE_MAPPED 0
#endif

/* Smallest array, in bytes, that gets a mapping of its own. */
#define LARGE_FROM ((size_t)1 << 20)

/* Allocates `size` bytes, at least 1. NULL if there is no memory. */
void *large_new(size_t size);
/* Changes the size of memory of large_new(). NULL if memory runs out; the old memory then stays. */
void *large_resize(void *p, size_t before, size_t size);
/* Moves memory of malloc() to a mapping of `size` bytes, which is not less than before, and frees
 * the old memory. NULL if there is no memory; the old memory then stays as it is. */
void *large_from(void *p, size_t size);
void large_free(void *p, size_t size);
