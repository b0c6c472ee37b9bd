/* Runs git and reads its output. */
#include "history/git.h"

#include "cli/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool git_line(const char *const *words, char *ret, size_t size)
{
	char *text = child_output(words, true);
	const bool any = text != NULL && *text != '\0';
	snprintf(ret, size, "%.*s", any ? (int)strcspn(text, "\n") : 0, any ? text : "");
	free(text);
	return any;
}
