/* missing.h - declares functions of POSIX and glibc that a C library may lack.
 *
 * Builds for systems other than Linux test for each function. If one is missing, every source
 * includes this header (-include, HEFT_LACKS_...). The functions follow POSIX.1-2008; memmem and
 * memrchr follow glibc's manual. fnmatch supports only the C locale and no flags. */
#pragma once

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
