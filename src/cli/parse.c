/* Parses the words of commands, numbers and lists of names. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool parse_is_named(const struct opt *o, const char *name)
{
	return o->name != NULL && strcmp(o->name, name) == 0;
}

/* Answers --help and --version, which need no other words. */
static bool parse_answer(const struct cli *cli, const struct opt *o)
{
	if (parse_is_named(o, "help"))
		cli_help(cli);
	else if (parse_is_named(o, "version"))
		cli_version(cli);
	else
		return false;
	return true;
}

int cli_parse(const struct cli *cli, int argc, char **argv, const struct cli_words *words,
	      void *job)
{
	struct opt_cursor c;
	ASSERT(cli->command != NULL && words->option != NULL && words->operand != NULL);
	options_init(&c, cli->command->opts, argc, argv);
	for (;;) {
		switch (options_next(&c)) {
		case OPT_END: return CLI_GO_ON;
		case OPT_OPTION:
			if (parse_answer(cli, c.opt))
				return EXIT_FINE;
			if (!words->option(job, c.opt, c.value))
				return EXIT_TROUBLE;
			break;
		case OPT_OPERAND:
			if (c.value[0] == '\0')
				return cli_error(cli, "an operand is empty; try '%s --help'",
						 cli->usage);
			if (!(c.separated && words->base != NULL ? words->base
								 : words->operand)(job, c.value))
				return EXIT_TROUBLE;
			break;
		case OPT_SEPARATOR: break;
		case OPT_BAD: cli_bad_word(cli, c.problem); return EXIT_TROUBLE;
		}
	}
}

struct file_words {
	bool (*option)(void *job, const struct opt *o, const char *value);
	void *job;
	const char **file;
	size_t count;
};

static bool pass_option(void *ctx, const struct opt *o, const char *value)
{
	struct file_words *w = ctx;
	return w->option(w->job, o, value);
}

static bool take_file(void *ctx, const char *word)
{
	struct file_words *w = ctx;
	*w->file = word;
	w->count++;
	return true;
}

int cli_parse_file(const struct cli *cli, int argc, char **argv,
		   bool (*option)(void *job, const struct opt *o, const char *value), void *job,
		   const char **file)
{
	static const struct cli_words words = { pass_option, take_file };
	struct file_words w = { option, job, file, 0 };
	const int status = cli_parse(cli, argc, argv, &words, &w);
	if (status == CLI_GO_ON && w.count != 1)
		return cli_error(cli, "must specify one file; try '%s --help'", cli->usage);
	return status;
}

bool cli_number(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
		uint64_t *ret)
{
	char *end;
	errno = 0;
	const unsigned long long n = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n > max)
		return cli_bad_value(cli, o, value, "a number, 0 or more");
	*ret = n;
	return true;
}

bool cli_size(const struct cli *cli, const struct opt *o, const char *value, uint64_t max,
	      uint64_t *ret)
{
	uint64_t n;
	if (!cli_parse_number(value, false, &n) || n > max)
		return cli_bad_value(cli, o, value, "a size in bytes, such as 4096 or 4K");
	*ret = n;
	return true;
}

bool cli_each_name(const struct cli *cli, const char *list, bool (*take)(void *job, const char *),
		   void *job)
{
	for (;;) {
		const size_t len = strcspn(list, ",");
		char *name = strndup(list, len);
		if (name == NULL)
			return cli != NULL && cli_error(cli, "out of memory") == EXIT_FINE;
		const bool good = take(job, name);
		free(name);
		if (!good || list[len] == '\0')
			return good;
		list += len + 1;
	}
}
