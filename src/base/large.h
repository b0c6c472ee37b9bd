/* large.h - memory for arrays of many megabytes, straight from the kernel.
 *
 * The C library maps such arrays as well, but on pages of 4 KiB and wherever there is room: the
 * kernel then hands out 512 times as many pages, one fault each, and growing copies them.  Here an
 * array begins at a multiple of 2 MiB, its whole pages of 2 MiB are asked for as such, and growing
 * moves pages instead of bytes.  Arrays from 2 MiB on have whole pages of 2 MiB alone: where one
 * ended within such a page, the rest of that page would come in small ones as the array grows.
 *
 * Only on Linux, and not under a sanitizer that has to see every allocation: LARGE_MAPPED is 0
 * elsewhere, and the functions must not be called.  Threads: any. */
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

/* From how many bytes on an array is worth a mapping of its own. */
#define LARGE_FROM ((size_t)1 << 20)

/* Zeroed memory of `size` bytes (above 0), or NULL where there is none. */
void *large_new(size_t size);
/* Gives what large_new gave another size; its bytes up to the smaller one stay.  NULL where there
 * is no memory: it is as before then. */
void *large_resize(void *p, size_t before, size_t size);
/* Moves what malloc gave to large memory of `size` bytes, which is at least as many, and frees it.
 * NULL where there is no memory: it is as before then. */
void *large_from(void *p, size_t size);
void large_free(void *p, size_t size);

#endif
