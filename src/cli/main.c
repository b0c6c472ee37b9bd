/* The program heft: finds and runs its commands. Under the name "bloaty", acts as Bloaty. */
#include "cli/beside.h"
#include "cli/outfile.h"
#include "cli/commands.h"

#include "base/nearest.h"

#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
	COMMAND(size, "size", "[OPTION]... FILE... [-- BASE...]",
		"where the bytes of programs go; with -- a diff"),
	COMMAND(where, "where", "[OPTION]... FILE ADDR...",
		"what is at an address: symbol, source lines, inlines"),
	COMMAND(why, "why", "[OPTION]... FILE NAME...",
		"why something is in a program, and what would go with it"),
	COMMAND(info, "info", "[OPTION]... FILE|DIRECTORY...",
		"what files are, a line each: stripped, hardened, copies"),
	COMMAND(snapshot, "snapshot", "[OPTION]... FILE... -o OUT.size",
		"every symbol of a program in a .size file"),
	COMMAND(diff, "diff", "[OPTION]... OLD NEW",
		"what changed between two programs or .size files"),
	COMMAND(query, "query", "[OPTION]... FILE [SQL | @NAME]",
		"SQL over the symbols of a program"),
	COMMAND(check, "check", "[OPTION]... --budget=FILE FILE",
		"hold a program against limits on its sizes"),
	COMMAND(comment, "comment", "[OPTION]... --base=OLD FILE",
		"what a pull request is told of a change"),
	COMMAND(rows, "rows", "[OPTION]... FILE...",
		"sizes of any number of files as rows for a store"),
	COMMAND(report, "report", "[OPTION]... INPUT... [-- BASE...] -o OUT.html",
		"one html file to look at: treemap, flame graph, table"),
	COMMAND(advise, "advise", "[OPTION]... FILE [--prove -- LINK...]",
		"what to change so that a program is smaller"),
	COMMAND(stack, "stack", "[OPTION]... FILE", "how much stack a program may take at most"),
	COMMAND(blocks, "blocks", "[OPTION]... FILE", "functions and their machine basic blocks"),
	COMMAND(blocks_profile, "blocks profile", "[OPTION]... --perf=FILE FILE",
		"how often basic blocks ran"),
	COMMAND(blocks_emit, "blocks emit", "[OPTION]... FILE -o OUT",
		"a copy of a program with a map of its blocks"),
	COMMAND(blocks_check, "blocks check", "[OPTION]... FILE",
		"is a map of blocks true to the code"),
	COMMAND(heap_show, "heap show", "[OPTION]... DUMP [EXE]",
		"who holds the memory of a process"),
	COMMAND(heap_diff, "heap diff", "[OPTION]... OLD NEW",
		"what changed from one dump to another"),
	COMMAND(heap_at, "heap at", "[OPTION]... DUMP ADDR...",
		"which block is at an address, and whose"),
	COMMAND(heap_check, "heap check", "[OPTION]... DUMP [EXE]",
		"what is damaged in a heap, and by whom"),
	COMMAND(heap_digest, "heap digest", "[OPTION]... DUMP...",
		"each dump in one line, for many of them"),
	COMMAND(heap_run, "heap run", "[OPTION]... [--] CMD [ARG]...",
		"run a program and record its heap"),
	COMMAND(heap_snapshot, "heap snapshot", "[OPTION]... PID",
		"write the memory of a living process to a core"),
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };
static const struct commands all_commands = { commands, COMMAND_COUNT };

const struct command *cli_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* True if the word can name a command: it is no option and no path, and no file has this name. */
static bool is_no_file(const char *word)
{
	return word[0] != '-' && strpbrk(word, "/.") == NULL && access(word, F_OK) != 0;
}

/* Returns the command whose name is similar to a mistyped word, or NULL. */
static const char *near_command(const char *word)
{
	enum { BESIDE_MOST = 8 };
	const char *names[COMMAND_COUNT + 1 + BESIDE_MOST];
	size_t count = 0;
	if (!is_no_file(word))
		return NULL;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[count++] = commands[i].name;
	names[count++] = "help";
	for (size_t i = 0; i < BESIDE_MOST && beside_at(i) != NULL; i++)
		names[count++] = beside_at(i)->name;
	ASSERT(count <= sizeof names / sizeof *names && beside_at(BESIDE_MOST) == NULL);
	return nearest_of(word, names, count);
}

/* Returns the first word of the commands whose second word is `word`, such as "heap" for "show".
 * NULL if there are none. */
static const char *family_of(const char *word)
{
	static const char *const families[] = { "heap", "blocks" };
	char blanks[60];
	int words;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		char *both[] = { (char *)(uintptr_t)families[i], (char *)(uintptr_t)word };
		if (commands_find(&all_commands, 2, both, &words) != NULL && words == 2)
			return families[i];
	}
	snprintf(blanks, sizeof blanks, " %s ", word);
	for (size_t i = 0; beside_at(i) != NULL; i++)
		if (strstr(beside_at(i)->members, blanks) != NULL)
			return beside_at(i)->name;
	return NULL;
}

static void overview(FILE *to)
{
	fputs("Usage: heft [COMMAND] [OPTION]... FILE...\n"
	      "Tells where the bytes of native programs go.\n\nCommands:\n",
	      to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-15s%s\n", commands[i].name, commands[i].summary);
	beside_list(to);
	fputs("  help           what a command does: heft help COMMAND\n\n"
	      "Without a command: heft size.  Its most used options (all: heft help size):\n",
	      to);
	options_print(size_opts, true, to);
	fputs("\nExit status: 0 fine, 1 the answer is no, 2 trouble, 3 a bug in heft.\n", to);
}

/* Prints all words that shells complete. Predefined queries are options of command "@". */
static int print_words(void)
{
	const char *name, *text, *sql;
	char query[60];
	commands_print_words(&all_commands);
	for (size_t i = 0; heft_named_query(i, &name, &text, &sql); i++) {
		snprintf(query, sizeof query, "@%s", name);
		words_put("@", query, "", text);
	}
	beside_print_words();
	return EXIT_FINE;
}

/* True if there is a program heft-WORD: one of heft's own, or another that was found. */
static bool cli_is_beside(const char *word)
{
	char path[BESIDE_PATH_MOST];
	return beside_of(word) != NULL || (is_no_file(word) && beside_find(word, path));
}

static int help(struct cli *cli, int argc, char **argv)
{
	if (argc == 1 && strcmp(argv[0], "--words") == 0)
		return print_words();
	if (argc == 0) {
		overview(stdout);
		return EXIT_FINE;
	}
	int words;
	const struct command *c = commands_find(&all_commands, argc, argv, &words);
	if (c != NULL) {
		cli_set_command(cli, c);
		cli_help(cli);
		return EXIT_FINE;
	}
	if (commands_has_family(&all_commands, argv[0])) {
		if (argc > 1)
			return commands_no_member(cli, &all_commands, argv[0], argv[1]);
		commands_help_family(&all_commands, argv[0]);
		return EXIT_FINE;
	}
	if (cli_is_beside(argv[0])) { /* The program heft-NAME prints its own help. */
		char option[] = "--help";
		char *asked[] = { argc > 1 ? argv[1] : option, option };
		return beside_run(cli, argv[0], argc > 1 ? 2 : 1, asked);
	}
	const char *family = family_of(argv[0]), *near = near_command(argv[0]);
	if (family != NULL)
		return cli_error(cli, "no such command: %s; did you mean 'heft help %s %s'?",
				 argv[0], family, argv[0]);
	if (near != NULL)
		return cli_error(cli, "no such command: %s; did you mean 'heft help %s'?", argv[0],
				 near);
	return cli_error(cli, "no such command: %s; try 'heft help'", argv[0]);
}

static int run_heft(struct cli *cli, int argc, char **argv)
{
	char path[BESIDE_PATH_MOST];
	const char *name, *text;
	struct heft_pass p = { .size = sizeof p };
	if (argc == 0) {
		overview(stderr);
		if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && beside_find("browse", path))
			fputs("\nTo look around in a program on this terminal: heft browse FILE\n",
			      stderr);
		return EXIT_TROUBLE;
	}
	if (strcmp(argv[0], "help") == 0)
		return help(cli, argc - 1, argv + 1);
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
		return help(cli, 0, NULL);
	if (strcmp(argv[0], "--debug-passes") == 0 && argc == 1) { /* Prints the passes in the
								    * form of docs/passes.md. */
		printf("| pass | sources | after | gives |\n|---|---|---|---|\n");
		for (size_t i = 0; heft_pass(i, &p, NULL); i++)
			printf("| %s | %s | %s | %s |\n", p.name, p.sources, p.needs, p.text);
		return EXIT_FINE;
	}
	if (strcmp(argv[0], "--debug-fields") == 0 && argc == 1) { /* Prints the fields in the
								    * form of docs/json.md. */
		const struct heft_sink sink = { outfile_put, stdout };
		struct heft_err err;
		return heft_fields_write(&sink, &err) ? EXIT_FINE : cli_failed(cli, &err);
	}
	const int status = commands_run(cli, &all_commands, argc, argv);
	if (status != COMMANDS_NONE)
		return status;
	if (cli_is_beside(argv[0]))
		return beside_run(cli, argv[0], (size_t)argc - 1, argv + 1);
	for (size_t i = 0; is_no_file(argv[0]) && heft_source(i, &name, &text); i++)
		if (strcmp(name, argv[0]) == 0)
			return cli_error(cli,
					 "%s: no such file, and no such command; did you mean "
					 "'heft -d %s'?",
					 argv[0], argv[0]);
	const char *family = is_no_file(argv[0]) ? family_of(argv[0]) : NULL;
	if (family != NULL)
		return cli_error(
			cli, "%s: no such file, and no such command; did you mean 'heft %s %s'?",
			argv[0], family, argv[0]);
	const char *near = near_command(argv[0]);
	if (near != NULL)
		return cli_error(cli,
				 "%s: no such file, and no such command; did you mean 'heft %s'?",
				 argv[0], near);
	if (is_no_file(argv[0]))
		return cli_error(cli, "%s: no such file, and no such command; try 'heft help'",
				 argv[0]);
	cli_set_command(cli, &commands[0]);
	return cmd_size(cli, argc, argv);
}

int main(int argc, char **argv)
{
	cli_init(argc, argv);
	struct progress progress;
	struct cli cli = { .program = "heft", .progress = &progress };
	progress_init(&progress);
	const char *name = argc > 0 ? strrchr(argv[0], '/') : NULL;
	name = name != NULL ? name + 1 : argc > 0 ? argv[0] : "heft";
	const int rest = argc > 0 ? argc - 1 : 0;
	int status;
	if (strcmp(name, "bloaty") == 0) { /* Under the name "bloaty", heft has no commands. */
		cli.program = "bloaty";
		snprintf(cli.usage, sizeof cli.usage, "bloaty");
		cli.command = &commands[0];
		status = cmd_size(&cli, rest, argv + 1);
		status = status == EXIT_TROUBLE ? EXIT_NO : status;
	} else {
		status = run_heft(&cli, rest, argv + 1);
	}
	return cli_finish(&cli, status);
}
