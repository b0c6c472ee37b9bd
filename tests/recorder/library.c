/* library.c - is opened, called and closed again.  WORDS makes another one, whose frames are not
 * alike at the same addresses. */
#include <stdlib.h>

#ifndef WORDS
#define WORDS 8
#endif

void *library_alloc(int n);

__attribute__((noinline)) static void *deeper(int n)
{
	volatile long words[WORDS];
	words[n % WORDS] = n;
	void *p = n > 0 ? deeper(n - 1) : malloc(100);
	words[0] = 2;
	return p;
}

void *library_alloc(int n)
{
	void *p = deeper(n);
	__asm__ volatile("" ::: "memory");
	return p;
}
