/* commands.h - a table of commands: those of heft, or those of a program beside it.
 *
 * The name of a command is one word or two.  Commands that share their first word are a family:
 * "heap show" and "heap diff" are of the family "heap". */
#ifndef HEFT_CLI_COMMANDS_H
#define HEFT_CLI_COMMANDS_H

#include "cli/cli.h"

enum { COMMANDS_MOST = 64 };

struct commands {
	const struct command *list;
	size_t count; /* at most COMMANDS_MOST */
};

/* Finds the command that the first words name, the longer name first; NULL: none.  *ret_words: how
 * many words are its name. */
const struct command *commands_find(const struct commands *all, int argc, char **argv,
				    int *ret_words);
/* Whether the word is that of a family. */
bool commands_has_family(const struct commands *all, const char *word);
/* Prints what a family has, on stdout. */
void commands_help_family(const struct commands *all, const char *family);
/* Says that a family has no such command, and which it has.  `word` NULL: none was given.  Returns
 * EXIT_TROUBLE. */
int commands_no_member(const struct cli *cli, const struct commands *all, const char *family,
		       const char *word);
/* Fills the cli with a command and the words that its help begins with. */
void cli_set_command(struct cli *cli, const struct command *c);
/* Runs the command that the words name and returns its exit status.  COMMANDS_NONE: they name none
 * and no family. */
enum { COMMANDS_NONE = -1 };
int commands_run(struct cli *cli, const struct commands *all, int argc, char **argv);
/* Prints every command and option, a line each: command, option, its value, what it does, with tabs
 * between.  Values that are a choice have "|" between the words. */
void commands_print_words(const struct commands *all);
/* One such line; texts of several lines become one. */
void words_put(const char *command, const char *option, const char *value, const char *text);

#endif
