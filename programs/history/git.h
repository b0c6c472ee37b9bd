/* git.h - reads facts about a commit from git. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads the first line of the output of `git WORDS...`, without its line end. `words` begins with
 * "git" and ends with NULL. False if there is no git or no output. */
bool git_line(const char *const *words, char *ret, size_t size);
