/* Writes messages about command lines in Bloaty's words, for scripts that search for them. Tells
 * the replacements of options that heft removed. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

void cli_as_bloaty(const struct heft_err *err, char *room, size_t size)
{
	/* Finds the end of FILE in "FILE is a script; heft reads sizes from ...". */
	const char *reads = strstr(err->text, "; heft reads sizes from ");
	const char *reason = strrchr(err->text, ':');
	size_t path = reads != NULL ? (size_t)(reads - err->text) : 0;
	while (path > 0 && strncmp(err->text + path, " is ", 4) != 0)
		path--;
	if (err->code == HEFT_EUNSUPPORTED && path > 0)
		snprintf(room, size, "unknown file type for file '%.*s'", (int)path, err->text);
	else if (err->code == HEFT_EIO && err->sys_errno != 0 && reason != NULL)
		snprintf(room, size, "couldn't open file '%.*s'%s", (int)(reason - err->text),
			 err->text, reason);
	else
		snprintf(room, size, "%s", err->text);
}

/* Removed options of heft, and their replacements. */
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

/* Returns the replacement of a removed option of this command. `word` is "--NAME" or
 * "--NAME=VALUE". NULL for other words. */
static const char *gone_option(const char *command, const char *word)
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

void cli_bad_word(const struct cli *cli, const char *problem)
{
	static const char start[] = "unknown option: ";
	const char *unknown = strstr(problem, start);
	const char *word = problem + sizeof start - 1;
	ASSERT(problem[0] != '\0');
	const char *instead = unknown == problem && cli->command != NULL
				      ? gone_option(cli->command->name, word)
				      : NULL;
	if (instead != NULL) {
		cli_error(cli, "%.*s is gone: %s", (int)strcspn(word, "= "), word, instead);
		return;
	}
	if (cli_is_bloaty(cli) && unknown == problem)
		cli_error(cli, "U%s", problem + 1);
	else if (cli_is_bloaty(cli) && strncmp(problem, "'--'", 4) == 0)
		cli_error(cli, "'--' option should only be specified once");
	else
		cli_error(cli, "%s", problem);
}
