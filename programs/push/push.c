/* The program heft-push: sends heap profiles and rows to servers. */
#include "push/push.h"

#include "base/base.h"
#include "cli/commands.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static const struct command commands[] = {
	COMMAND(push_run, "push run", "[OPTION]... --to=URL [--] CMD [ARG]...",
		"run a program and post profiles of its heap"),
	COMMAND(push_profile, "push profile", "[OPTION]... --to=URL [FILE]",
		"post a profile of heft heap show"),
	COMMAND(push_rows, "push rows", "--to=URL [FILE]", "post what heft rows writes"),
};

void base_broken(const char *file, int line, const char *condition)
{
	enum { EXIT_BUG = 3 };
	fprintf(stderr, "heft: internal error: %s:%d: %s; please report\n", file, line, condition);
	exit(EXIT_BUG);
}

int main(int argc, char **argv)
{
	const struct commands all = { commands, COUNT_OF(commands) };
	curl_global_init(CURL_GLOBAL_DEFAULT);
	return program_main("push", &all, argc, argv);
}
