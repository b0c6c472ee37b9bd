/* commands.h - a table of commands: those of heft, or those of another program, such as
 * heft-history.
 *
 * The name of a command has one or two words. Commands that share their first word are a family:
 * "heap show" and "heap diff" are in the family "heap". */
#pragma once

#include "cli/cli.h"

enum { COMMANDS_MOST = 64 };

struct commands {
	const struct command *list;
	size_t count; /* At most COMMANDS_MOST */
};

/* Finds the command that the first words name, preferring names of two words. NULL if there is
 * none. *ret_words is the number of words in its name. */
const struct command *commands_find(const struct commands *all, int argc, char **argv,
				    int *ret_words);
/* True if the word is the name of a family. */
bool commands_has_family(const struct commands *all, const char *word);
/* Prints the commands of a family on stdout. */
void commands_help_family(const struct commands *all, const char *family);
/* Prints that the family has no such command, and lists its commands. `word` is NULL if none was
 * given. Returns EXIT_TROUBLE. */
int commands_no_member(const struct cli *cli, const struct commands *all, const char *family,
		       const char *word);
/* Sets cli->command and cli->usage, for the messages and the help of the command. */
void cli_set_command(struct cli *cli, const struct command *c);
/* Runs the command that the words name and returns its exit status. COMMANDS_NONE if the words name
 * neither a command nor a family. */
enum { COMMANDS_NONE = -1 };
int commands_run(struct cli *cli, const struct commands *all, int argc, char **argv);
/* Prints every command and option, one per line: command, option, value and purpose, separated by
 * tabs. If a value is one of a few words, "|" separates the words. */
void commands_print_words(const struct commands *all);
/* Prints one line of commands_print_words(). Joins the lines of a text. */
void words_put(const char *command, const char *option, const char *value, const char *text);

/* Sets up standard descriptors, signals, the allocator and the words. main() calls it first. */
void cli_init(int argc, char **argv);
/* Flushes standard output. Returns the exit status: `status`, or that of a failed write. */
int cli_finish(const struct cli *cli, int status);

/* The main function of a program heft-NAME, such as heft-history. Its commands are called "NAME" or
 * "NAME WORD". If the first word is "--words", prints all commands (commands.h). */
int program_main(const char *name, const struct commands *all, int argc, char **argv);
