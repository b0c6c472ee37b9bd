/* Runs another program and reads what it prints. */
#include "base/assert.h"
#include "cli/spawn.h"

#include "base/os/shell.h"

#include <stdlib.h>

char *stream_read(FILE *f)
{
	size_t size = 0, room = 0, got;
	char *text = NULL;
	do {
		char *grown = realloc(text, room += 4096);
		if (grown == NULL) {
			free(text);
			return NULL;
		}
		text = grown;
		got = fread(text + size, 1, room - size - 1, f);
		size += got;
	} while (got > 0);
	text[size] = '\0';
	return text;
}

char *child_output(const char *const *words, bool quiet)
{
	struct os_child child;
	ASSERT(words[0] != NULL && words[0][0] != 0);
	if (!os_child_start(&child, words, quiet ? OS_MESSAGES_DROPPED : OS_MESSAGES_SHOWN))
		return NULL;
	char *text = stream_read(child.output);
	if (os_child_end(&child) == 0)
		return text;
	free(text);
	return NULL;
}
