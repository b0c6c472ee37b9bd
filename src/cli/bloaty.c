/* Translates error messages to the words of Bloaty, for scripts that search for them. */
#include "cli/cli.h"
#include "cli/gone.h"

#include <stdio.h>
#include <string.h>

bool cli_is_bloaty(const struct cli *cli)
{
	return strcmp(cli->program, "bloaty") == 0;
}

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
