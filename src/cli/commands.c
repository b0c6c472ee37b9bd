/* Starts a process, runs the command of its command line, and prints the help of commands. */
#include "cli/commands.h"

#include "base/nearest.h"
#include "base/os/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of words that name command `c`, 1 or 2. 0 if they name another command. */
static int command_words(const struct command *c, int argc, char **argv)
{
	const size_t first = strlen(argv[0]);
	if (strcmp(c->name, argv[0]) == 0)
		return 1;
	return argc > 1 && strncmp(c->name, argv[0], first) == 0 && c->name[first] == ' ' &&
			       strcmp(c->name + first + 1, argv[1]) == 0
		       ? 2
		       : 0;
}

const struct command *commands_find(const struct commands *all, int argc, char **argv,
				    int *ret_words)
{
	const struct command *found = NULL;
	*ret_words = 0;
	for (size_t i = 0; i < all->count; i++) {
		const int words = command_words(&all->list[i], argc, argv);
		if (words > *ret_words) {
			*ret_words = words;
			found = &all->list[i];
		}
	}
	return found;
}

/* Returns the second word of a command of the family. NULL if the command is not in the family. */
static const char *member_word(const struct command *c, const char *family)
{
	const size_t size = strlen(family);
	return strncmp(c->name, family, size) == 0 && c->name[size] == ' ' ? c->name + size + 1
									   : NULL;
}

bool commands_has_family(const struct commands *all, const char *word)
{
	for (size_t i = 0; i < all->count; i++)
		if (member_word(&all->list[i], word) != NULL)
			return true;
	return false;
}

void commands_help_family(const struct commands *all, const char *family)
{
	printf("Usage: heft %s COMMAND [OPTION]...\n\nCommands:\n", family);
	for (size_t i = 0; i < all->count; i++)
		if (member_word(&all->list[i], family) != NULL)
			printf("  %-15s%s\n", all->list[i].name, all->list[i].summary);
	printf("\nWhat one of them takes: heft help %s COMMAND\n", family);
}

/* Finds a command whose second word comes later on the line: "heft heap DUMP show". */
static const char *member_later(const struct commands *all, const char *family, int argc,
				char **argv)
{
	for (int i = 2; i < argc; i++)
		for (size_t k = 0; k < all->count; k++) {
			const char *member = member_word(&all->list[k], family);
			if (member != NULL && strcmp(member, argv[i]) == 0)
				return member;
		}
	return NULL;
}

int commands_no_member(const struct cli *cli, const struct commands *all, const char *family,
		       const char *word)
{
	const char *members[COMMANDS_MOST] = { NULL }, *member;
	char names[200] = "";
	size_t count = 0;
	for (size_t i = 0; i < all->count && count < COMMANDS_MOST; i++)
		if ((member = member_word(&all->list[i], family)) != NULL)
			members[count++] = member;
	const char *near = word != NULL ? nearest_of(word, members, count) : NULL;
	for (size_t i = 0; i < count; i++)
		snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
			 i == 0 ? "" : ", ", members[i]);
	if (near != NULL)
		return cli_error(cli, "no such command: %s %s; did you mean 'heft %s %s'?", family,
				 word, family, near);
	if (word != NULL && word[0] != '-')
		return cli_error(cli, "no such command: %s %s; '%s' is followed by one of: %s",
				 family, word, family, names);
	return cli_error(cli, "'%s' is followed by one of: %s", family, names);
}

void cli_set_command(struct cli *cli, const struct command *c)
{
	ASSERT(c != NULL && c->run != NULL && c->opts != NULL);
	snprintf(cli->usage, sizeof cli->usage, "heft %s", c->name);
	cli->command = c;
}

int commands_run(struct cli *cli, const struct commands *all, int argc, char **argv)
{
	int words;
	const struct command *c = commands_find(all, argc, argv, &words);
	if (c != NULL) {
		ASSERT(words > 0 && words <= argc);
		cli_set_command(cli, c);
		return c->run(cli, argc - words, argv + words);
	}
	if (!commands_has_family(all, argv[0]))
		return COMMANDS_NONE;
	const char *word = argc > 1 ? argv[1] : NULL;
	if (word == NULL || (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)) {
		const char *later = member_later(all, argv[0], argc, argv);
		return later == NULL
			       ? commands_no_member(cli, all, argv[0], word)
			       : cli_error(cli,
					   "the command comes first: 'heft %s %s', then options "
					   "and files",
					   argv[0], later);
	}
	commands_help_family(all, argv[0]);
	return EXIT_FINE;
}

void words_put(const char *command, const char *option, const char *value, const char *text)
{
	bool blank = false;
	ASSERT(command != NULL && option != NULL && text != NULL);
	printf("%s\t%s\t%s\t", command, option, value != NULL ? value : "");
	for (; *text != '\0'; text++) {
		if (*text != '\n' && *text != ' ') {
			putchar(*text);
			blank = false;
		} else if (!blank) {
			putchar(' ');
			blank = true;
		}
	}
	putchar('\n');
}

static void words_put_option(const struct command *c, const struct opt *o)
{
	const char *value = o->choices != NULL ? o->choices : o->value;
	char option[60];
	snprintf(option, sizeof option, "-%c", o->letter);
	if (o->letter != 0)
		words_put(c->name, option, value, o->help);
	snprintf(option, sizeof option, "--%s", o->name != NULL ? o->name : "");
	if (o->name != NULL)
		words_put(c->name, option, value, o->help);
}

void commands_print_words(const struct commands *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct command *c = &all->list[i];
		words_put(c->name, "", "", c->summary);
		for (const struct opt *o = c->opts; o->id != 0 || o->help != NULL; o++)
			words_put_option(c, o);
	}
}

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
