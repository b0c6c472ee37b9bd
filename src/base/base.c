#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
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

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);
	if (!p)
		base_oom(size);
	return p;
}

void *xrealloc(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);
	if (!q)
		base_oom(size);
	return q;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);
	if (!p)
		base_oom(count * size);
	return p;
}
