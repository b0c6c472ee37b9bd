/* run.h - parses the words of commands, and applies the options that commands share.
 *
 * The job of a command begins with a struct command_run. Rows of its table of options that say so
 * (SETS, ADDS, KEEPS, PICKS) change a member of the job. Options of output_opts.inc and
 * find_opts.inc, of names and threads, and -v change the struct command_run. The command applies
 * all others. */
#pragma once

#include "cli/output.h"

struct command_run {
	const struct cli *cli;
	struct heft_session *session; /* NULL if the command opens nothing */
	struct output out;
	bool verbose;
	const char **words; /* Operands. Has room for two more, for defaults of the command */
	size_t word_count;
	char **program; /* Words of a program to run, see struct cli_words. NULL ends them */
};

/* Functions that receive the words of a command. Each prints a message before it returns false. */
struct cli_words {
	/* Applies an option, and passes others to run_apply(). NULL: run_apply() gets all
	 * options. */
	bool (*option)(void *job, const struct opt *o, const char *value);
	/* If NULL, the words are kept in the struct command_run. */
	bool (*operand)(void *job, const char *word);
	/* Receives a word after "--". If NULL, `operand` receives these words too. */
	bool (*base)(void *job, const char *word);
	/* True if options end before the first operand, or at "--", and the rest is a program to
	 * run. */
	bool program;
	/* The options and operands end at "--": the rest is a program to run. */
	bool program_last;
};

/* Makes the run of a command that opens something. `formats`: see output_init(). NULL if the
 * command has no formats. */
struct command_run run_new(const struct cli *cli, const struct choice *formats);
void run_release(struct command_run *run);
/* Applies an option that commands share. False after a message. */
bool run_apply(void *job, const struct opt *o, const char *value);

/* Parses the words of the command. Returns CLI_GO_ON. Returns the exit status instead after --help,
 * --version or a message. */
enum { CLI_GO_ON = -1 };
int cli_parse(void *job, int argc, char **argv, const struct cli_words *words);
/* Like cli_parse(), for commands whose tables have the width of the terminal. */
int cli_parse_output(void *job, int argc, char **argv, const struct cli_words *words);
/* True if there are from `least` to `most` operands. Otherwise prints "must specify WHAT". */
bool run_has_words(const struct command_run *run, size_t least, size_t most, const char *what);
