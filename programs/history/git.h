/* git.h - what git says of the commit that is checked out, or of another one. */
#ifndef HEFT_HISTORY_GIT_H
#define HEFT_HISTORY_GIT_H

#include <stdbool.h>
#include <stddef.h>

/* The first line of what `git WORDS...` prints, without its end; `words` begins with "git" and ends
 * with NULL.  False where there is no git, or it has no answer. */
bool git_line(const char *const *words, char *ret, size_t size);

#endif
