/* missing.h - functions of POSIX and glibc that a C library may lack.
 *
 * Builds for other systems than Linux look for each, and every source includes this header where
 * one is missing (-include, HEFT_LACKS_...).  They do what POSIX.1-2008 says, memmem and memrchr
 * what glibc's manual says; fnmatch is that of the C locale, without flags. */
#ifndef HEFT_BASE_OS_MISSING_H
#define HEFT_BASE_OS_MISSING_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#ifdef HEFT_LACKS_MEMMEM
void *memmem(const void *in, size_t in_size, const void *what, size_t size);
#endif
#ifdef HEFT_LACKS_MEMRCHR
void *memrchr(const void *in, int c, size_t size);
#endif
#ifdef HEFT_LACKS_STRNDUP
char *strndup(const char *text, size_t most);
#endif
#ifdef HEFT_LACKS_GETLINE
ssize_t getline(char **line, size_t *room, FILE *from);
#endif
#ifdef HEFT_LACKS_FNMATCH
int fnmatch(const char *pattern, const char *text, int flags);
#endif

#endif
