/* large.h - allocates arrays of many megabytes directly from the kernel.
 *
 * malloc() maps large arrays at any address, in pages of 4 KiB. That is 512 times as many pages,
 * with a page fault each, and realloc() copies the bytes. large_new() uses pages of 2 MiB at a
 * multiple of 2 MiB, and large_resize() moves pages. The size of an array of 2 MiB or more is
 * rounded up to whole pages. Otherwise growing would add small pages.
 *
 * LARGE_MAPPED is 1 on Linux without sanitizers, which must see every allocation. Do not call the
 * functions if it is 0. Thread-safe. */
#ifndef HEFT_BASE_LARGE_H
#define HEFT_BASE_LARGE_H

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

/* Returns zeroed memory of `size` bytes (above 0). NULL if there is no memory. */
void *large_new(size_t size);
/* Changes the size of memory from large_new(). Keeps the bytes up to the smaller size. NULL if
 * there is no memory; the old memory is then unchanged. */
void *large_resize(void *p, size_t before, size_t size);
/* Moves memory of malloc() to large memory of `size` bytes, which is not less than before. Frees
 * the old memory. NULL if there is no memory; the old memory is then unchanged. */
void *large_from(void *p, size_t size);
void large_free(void *p, size_t size);

#endif
