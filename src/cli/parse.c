/* Parses the words of commands, numbers and lists of names. */
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct command_run run_new(const struct cli *cli, const struct choice *formats)
{
	struct command_run ret = { .cli = cli, .session = cli_session(cli) };
	if (formats != NULL)
		output_init(&ret.out, formats);
	return ret;
}

void run_release(struct command_run *run)
{
	heft_session_free(run->session);
	free(run->words);
}

bool run_apply(void *job, const struct opt *o, const char *value)
{
	struct command_run *run = job;
	const enum output_answer answer = output_apply(&run->out, run->cli, o, value);
	unsigned style;
	uint64_t threads;
	if (answer != OUTPUT_OTHER)
		return answer == OUTPUT_TAKEN;
	switch (o->id) {
	case O_VERBOSE: run->verbose = true; break;
	case O_DEMANGLE:
		if (!cli_choice(run->cli, o, value, style_choices, &style))
			return false;
		heft_session_set_demangle(run->session, (enum heft_demangle)style);
		break;
	case O_THREADS:
		if (!cli_number(run->cli, o, value, 4096, &threads))
			return false;
		heft_session_set_threads(run->session, (unsigned)threads);
		break;
	default: return cli_find(run->cli, run->session, o, value);
	}
	return true;
}

static bool option_apply(void *job, const struct opt *o, const char *value,
			 const struct cli_words *words)
{
	void *member = (char *)job + o->at;
	switch (o->effect) {
	case OPT_SETS: *(bool *)member = true; return true;
	case OPT_ADDS: *(unsigned *)member |= o->bits; return true;
	case OPT_KEEPS: *(const char **)member = value; return true;
	case OPT_PICKS:
		return cli_choice(((struct command_run *)job)->cli, o, value, o->picks, member);
	default: return (words->option != NULL ? words->option : run_apply)(job, o, value);
	}
}

static bool word_take(void *job, const char *word, bool base, const struct cli_words *words)
{
	struct command_run *run = job;
	if (base && words->base != NULL)
		return words->base(job, word);
	if (words->operand != NULL)
		return words->operand(job, word);
	run->words[run->word_count++] = word;
	return true;
}

int cli_parse(void *job, int argc, char **argv, const struct cli_words *words)
{
	static const struct cli_words no_words = { 0 };
	struct command_run *run = job;
	const struct cli *cli = run->cli;
	struct opt_cursor c;
	words = words != NULL ? words : &no_words;
	ASSERT(cli->command != NULL && run->words == NULL);
	run->words = cli_made(cli, calloc((size_t)argc + 2, sizeof *run->words));
	options_init(&c, cli->command->opts, argc, argv);
	for (;;) {
		const enum opt_step step = options_next(&c);
		if ((words->program &&
		     (step == OPT_OPERAND || step == OPT_SEPARATOR || step == OPT_END)) ||
		    (words->program_last && step == OPT_SEPARATOR)) {
			run->program = c.argv - (step == OPT_OPERAND);
			return CLI_GO_ON;
		}
		switch (step) {
		case OPT_END: return CLI_GO_ON;
		case OPT_OPTION:
			if (c.opt->id == O_HELP || c.opt->id == O_VERSION) {
				(c.opt->id == O_HELP ? cli_help : cli_version)(cli);
				return EXIT_FINE;
			}
			if (!option_apply(job, c.opt, c.value, words))
				return EXIT_TROUBLE;
			break;
		case OPT_OPERAND:
			if (c.value[0] == '\0')
				return cli_error(cli, "an operand is empty; try '%s --help'",
						 cli->usage);
			if (!word_take(job, c.value, c.separated, words))
				return EXIT_TROUBLE;
			break;
		case OPT_SEPARATOR: break;
		case OPT_BAD: cli_bad_word(cli, c.problem); return EXIT_TROUBLE;
		}
	}
}

int cli_parse_output(void *job, int argc, char **argv, const struct cli_words *words)
{
	struct command_run *run = job;
	const int status = cli_parse(job, argc, argv, words);
	return status != CLI_GO_ON || output_settle(&run->out, run->cli) ? status : EXIT_TROUBLE;
}

bool run_has_words(const struct command_run *run, size_t least, size_t most, const char *what)
{
	if (run->word_count >= least && run->word_count <= most)
		return true;
	cli_error(run->cli, "must specify %s; try '%s --help'", what, run->cli->usage);
	return false;
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
