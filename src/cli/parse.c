#include "cli/cli.h"

#include <string.h>

static bool is_named(const struct opt *o, const char *name)
{
	return o->name != NULL && strcmp(o->name, name) == 0;
}

/* --help and --version need no more than themselves. */
static bool answer(const struct cli *cli, const struct opt *o)
{
	if (is_named(o, "help"))
		cli_help(cli);
	else if (is_named(o, "version"))
		cli_version(cli);
	else
		return false;
	return true;
}

int cli_parse(const struct cli *cli, int argc, char **argv, const struct cli_words *words,
	      void *job)
{
	struct opt_cursor c;
	options_init(&c, cli->command->opts, argc, argv);
	for (;;) {
		switch (options_next(&c)) {
		case OPT_END: return CLI_GO_ON;
		case OPT_OPTION:
			if (answer(cli, c.opt))
				return EXIT_FINE;
			if (!words->option(job, c.opt, c.value))
				return EXIT_TROUBLE;
			break;
		case OPT_OPERAND:
			if (!words->operand(job, c.value))
				return EXIT_TROUBLE;
			break;
		case OPT_SEPARATOR: break;
		case OPT_BAD: return cli_error(cli, "%s", c.problem);
		}
	}
}
