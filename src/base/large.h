/* large.h - allocates arrays of many megabytes directly from the kernel.
 *
 * The C library also maps such arrays, but in pages of 4 KiB at any address. The kernel then makes
 * 512 times as many pages, with one fault each, and growing copies the bytes. Here an array begins
 * at a multiple of 2 MiB, asks for pages of 2 MiB, and grows by moving pages. Arrays from 2 MiB on
 * have only whole pages of 2 MiB. If an array ended within such a page, growing would add the rest
 * of the page in small pages.
 *
 * Only on Linux, and not under a sanitizer that must see every allocation. Elsewhere LARGE_MAPPED
 * is 0, and the functions must not be called. Threads: any. */
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

/* Minimal size of an array, in bytes, for a mapping of its own. */
#define LARGE_FROM ((size_t)1 << 20)

/* Returns zeroed memory of `size` bytes (above 0). NULL if there is no memory. */
void *large_new(size_t size);
/* Changes the size of memory of large_new(). Bytes up to the smaller size are kept. NULL if there
 * is no memory; the old memory is then unchanged. */
void *large_resize(void *p, size_t before, size_t size);
/* Moves memory of malloc to large memory of `size` bytes, at least as many, and frees it. NULL if
 * there is no memory; the old memory is then unchanged. */
void *large_from(void *p, size_t size);
void large_free(void *p, size_t size);

#endif
