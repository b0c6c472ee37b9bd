#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void base_broken(const char *file, int line, const char *condition)
{
	fflush(stdout);
	fprintf(stderr, "heft: internal error: %s:%d: %s; please report\n", file, line, condition);
	_exit(3);
}

void base_oom(size_t size)
{
	fprintf(stderr, "heft: out of memory (%zu bytes wanted)\n", size);
	_exit(2);
}

/* Large arrays live for a moment each; on pages of 4 KiB the kernel would spend a fifth of a
 * run on handing their pages out.  A hint, where there is such a thing. */
enum { LARGE = 2 << 20 };

static void *checked(void *p, size_t size)
{
	if (!p)
		base_oom(size);
#ifdef MADV_HUGEPAGE
	if (size >= LARGE) {
		/* The whole of the first page: what was mapped at once must stay one mapping, or
		 * mremap fails. */
		const size_t into = (uintptr_t)p % (uintptr_t)sysconf(_SC_PAGESIZE);
		madvise((char *)p - into, into + size, MADV_HUGEPAGE);
	}
#endif
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1), count * size);
}
