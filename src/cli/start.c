/* Starts and ends the processes of heft and of the programs beside it. */
#include "cli/start.h"

#include "base/os/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cli_init(int argc, char **argv)
{
	os_shell_start(argc, argv, EXIT_TROUBLE);
}

int cli_finish(const struct cli *cli, int status)
{
	ASSERT(status >= 0); /* CLI_GO_ON is not a status. */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status == EXIT_TROUBLE || (cli_is_bloaty(cli) && status == EXIT_NO))
		return status; /* The message was already printed. */
	(void)cli_error(cli, "standard output: cannot write: %s", strerror(errno));
	return cli_is_bloaty(cli) ? EXIT_NO : EXIT_TROUBLE;
}

int program_main(const char *name, const struct commands *all, int argc, char **argv)
{
	struct progress progress;
	struct cli cli = { .program = "heft", .progress = &progress };
	ASSERT(all->count > 0);
	cli_init(argc, argv);
	progress_init(&progress);
	if (argc == 2 && strcmp(argv[1], "--words") == 0) {
		commands_print_words(all);
		return cli_finish(&cli, EXIT_FINE);
	}
	/* The program's name is the first word of its commands. */
	char **words = calloc((size_t)argc + 2, sizeof *words);
	if (words == NULL)
		return cli_error(&cli, "out of memory");
	words[0] = (char *)(uintptr_t)name;
	for (int i = 1; i < argc; i++)
		words[i] = argv[i];
	const int count = argc > 0 ? argc : 1;
	const int status = cli_finish(&cli, commands_run(&cli, all, count, words));
	free(words);
	return status;
}
