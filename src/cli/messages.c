/* Prints what every command prints in the same way: errors, version, help. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_error(const struct cli *cli, const char *fmt, ...)
{
	char text[1000];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fflush(stdout);
	progress_erase(cli->progress);
	fprintf(stderr, "%s: ", cli->program);
	print_tame(text, stderr);
	putc('\n', stderr);
	return EXIT_TROUBLE;
}

const char *cli_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void *cli_made(const struct cli *cli, void *handle)
{
	if (handle == NULL)
		exit(cli_error(cli, "out of memory"));
	return handle;
}

struct heft_session *cli_session(const struct cli *cli)
{
	struct heft_session *s = cli_made(cli, heft_session_new());
	heft_session_set_progress(s, progress_show, cli->progress);
	return s;
}

bool cli_no_memory(struct heft_err *err)
{
	*err = (struct heft_err){ .code = HEFT_ENOMEM, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "out of memory");
	return false;
}

bool cli_swapped(const struct cli *cli, const char *first, const char *second)
{
	if (access(first, F_OK) == 0 || access(second, F_OK) != 0)
		return false;
	cli_error(cli, "%s: no such file; the file comes first: '%s %s ...'", first, cli->usage,
		  second);
	return true;
}

int cli_failed(const struct cli *cli, const struct heft_err *err)
{
	char text[sizeof err->text + 40];
	if (cli_is_bloaty(cli)) {
		cli_as_bloaty(err, text, sizeof text);
		return cli_error(cli, "%s", text);
	}
	if (err->offset == HEFT_NO_OFFSET)
		return cli_error(cli, "%s", err->text);
	return cli_error(cli, "%s (at offset 0x%" PRIx64 ")", err->text, err->offset);
}

void cli_version(const struct cli *cli)
{
	static const char without[] = HEFT_BUILT_WITHOUT;
	if (cli_is_bloaty(cli)) {
		printf("Bloaty McBloatface 1.1 (heft %s)\n", heft_version());
		return;
	}
	printf("heft %s\nwith: %s\n", heft_version(), HEFT_BUILT_WITH);
	if (without[0] != '\0')
		printf("without: %s\n", without);
}

void cli_help(const struct cli *cli)
{
	printf("Usage: %s %s\n%s\n", cli->usage, cli->command->operands, cli->command->manual);
	options_print(cli->command->opts, false, stdout);
}
