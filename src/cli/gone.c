/* Lists removed options of heft, and their replacements. */
#include "cli/gone.h"

#include <stddef.h>
#include <string.h>

static const struct gone {
	const char *command; /* NULL means any command */
	const char *option, *instead;
} gone[] = {
	{ NULL, "elf", "give heft the ELF program that the image was made from" },
	{ NULL, "script", "--region=NAME=ADDR+SIZE says what a linker script did" },
	{ NULL, "bolt-input", "--derive takes blocks from the code" },
	{ "size", "base", "give heft the ELF program that the image was made from" },
	{ "snapshot", "base", "give heft the ELF program that the image was made from" },
	{ "blocks profile", "output-format", "it is --format" },
	{ "heap run", "push", "heft push run --to=URL runs a program and posts profiles" },
	{ "heap run", "every", "it is an option of heft push run" },
	{ "heap run", "service", "it is an option of heft push run" },
	{ "heap run", "name-cache", "it is an option of heft push run" },
	{ "heap run", "push-format",
	  "heft push run posts pprof; its --addresses leaves names out" },
	{ "heap run", "push-debuginfo", "parca-debuginfo upload sends debug info to Parca" },
	{ "heap show", "speedscope", "speedscope.app opens what --pprof writes" },
	{ "rows", "to", "heft rows FILE... | heft push rows --to=URL posts rows" },
	{ "rows", "done", "xargs or make can keep what is done" },
	{ "rows", "tag", "jq -c '. + {name: \"value\"}' adds a column" },
	{ "rows", "format", "rows are objects of JSON, one a line" },
};

const char *gone_option(const char *command, const char *word)
{
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	const size_t size = strcspn(word + 2, "= ");
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		if ((gone[i].command == NULL || strcmp(gone[i].command, command) == 0) &&
		    strlen(gone[i].option) == size && strncmp(gone[i].option, word + 2, size) == 0)
			return gone[i].instead;
	return NULL;
}
