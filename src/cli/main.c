#include "cli/cli.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include "base/nearest.h"
#include "cli/words.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
	{ "size", "[OPTION]... FILE... [-- BASE...]",
	  "where the bytes of programs go; with -- a diff", size_manual, size_opts, cmd_size },
	{ "where", "[OPTION]... FILE ADDR...",
	  "what is at an address: symbol, source lines, inlines", where_manual, where_opts,
	  cmd_where },
	{ "info", "[OPTION]... FILE|DIRECTORY...",
	  "what files are, a line each: stripped, hardened, copies", info_manual, info_opts,
	  cmd_info },
	{ "snapshot", "[OPTION]... FILE... -o OUT.size",
	  "every symbol of a program in a .size file", snapshot_manual, snapshot_opts,
	  cmd_snapshot },
	{ "diff", "[OPTION]... OLD NEW", "what changed between two programs or .size files",
	  diff_manual, diff_opts, cmd_diff },
	{ "query", "[OPTION]... FILE [SQL | @NAME]", "SQL over the symbols of a program",
	  query_manual, query_opts, cmd_query },
	{ "check", "[OPTION]... --budget=FILE FILE", "hold a program against limits on its sizes",
	  check_manual, check_opts, cmd_check },
	{ "comment", "[OPTION]... --base=OLD FILE", "what a pull request is told of a change",
	  comment_manual, comment_opts, cmd_comment },
	{ "history add", "[OPTION]... PROGRAM...", "keep a build of a program over time",
	  history_add_manual, history_add_opts, cmd_history_add },
	{ "history log", "[OPTION]...", "the builds that are kept, and their sizes",
	  history_log_manual, history_log_opts, cmd_history_log },
	{ "history diff", "[OPTION]... OLD NEW", "what changed between two builds that are kept",
	  history_diff_manual, history_diff_opts, cmd_history_diff },
	{ "history blame", "[OPTION]... NAME", "which builds made something the size it is",
	  history_blame_manual, history_blame_opts, cmd_history_blame },
	{ "history bisect", "[OPTION]... OLD NEW", "the steps that explain a growth",
	  history_bisect_manual, history_bisect_opts, cmd_history_bisect },
	{ "history trend", "[OPTION]...", "where a size is going, and when it changed",
	  history_trend_manual, history_trend_opts, cmd_history_trend },
	{ "history top", "[OPTION]... [OLD [NEW]]", "who grew most, by owner or folder",
	  history_top_manual, history_top_opts, cmd_history_top },
	{ "history page", "[OPTION]... -o FILE", "the sizes over time as one page of html",
	  history_page_manual, history_page_opts, cmd_history_page },
	{ "history import", "[OPTION]... --product=NAME DIR...", "keep .size files that are there",
	  history_import_manual, history_import_opts, cmd_history_import },
	{ "history export", "[OPTION]... [BUILD] -o FILE",
	  "a build as a .size file, or rows of all", history_export_manual, history_export_opts,
	  cmd_history_export },
	{ "history gc", "[OPTION]... --keep=NUM", "take old builds out", history_gc_manual,
	  history_gc_opts, cmd_history_gc },
	{ "rows", "[OPTION]... FILE...", "sizes of any number of files as rows for a store",
	  rows_manual, rows_opts, cmd_rows },
	{ "report", "[OPTION]... INPUT... [-- BASE...] -o OUT.html",
	  "one html file to look at: treemap, flame graph, table", report_manual, report_opts,
	  cmd_report },
	{ "browse", "[OPTION]... INPUT... [-- BASE...]",
	  "the same on this terminal, like a file manager", browse_manual, browse_opts,
	  cmd_browse },
	{ "stack", "[OPTION]... FILE", "how much stack a program may take at most", stack_manual,
	  stack_opts, cmd_stack },
	{ "blocks", "[OPTION]... FILE", "functions and their machine basic blocks", blocks_manual,
	  blocks_opts, cmd_blocks },
	{ "blocks profile", "[OPTION]... --perf=FILE FILE", "how often basic blocks ran",
	  blocks_profile_manual, blocks_profile_opts, cmd_blocks_profile },
	{ "blocks emit", "[OPTION]... FILE -o OUT", "a copy of a program with a map of its blocks",
	  blocks_emit_manual, blocks_emit_opts, cmd_blocks_emit },
	{ "blocks check", "[OPTION]... FILE", "is a map of blocks true to the code",
	  blocks_check_manual, blocks_check_opts, cmd_blocks_check },
	{ "cc-wrap", "COMPILER [ARGUMENT]...", "gcc that writes maps of its blocks", cc_wrap_manual,
	  cc_wrap_opts, cmd_cc_wrap },
	{ "heap show", "[OPTION]... DUMP [EXE]", "who holds the memory of a process",
	  heap_show_manual, heap_show_opts, cmd_heap_show },
	{ "heap diff", "[OPTION]... OLD NEW", "what changed from one dump to another",
	  heap_diff_manual, heap_diff_opts, cmd_heap_diff },
	{ "heap at", "[OPTION]... DUMP ADDR...", "which block is at an address, and whose",
	  heap_at_manual, heap_at_opts, cmd_heap_at },
	{ "heap check", "[OPTION]... DUMP [EXE]", "what is damaged in a heap, and by whom",
	  heap_check_manual, heap_check_opts, cmd_heap_check },
	{ "heap digest", "[OPTION]... DUMP...", "each dump in one line, for many of them",
	  heap_digest_manual, heap_digest_opts, cmd_heap_digest },
	{ "heap run", "[OPTION]... [--] CMD [ARG]...", "run a program and record its heap",
	  heap_run_manual, heap_run_opts, cmd_heap_run },
	{ "heap snapshot", "[OPTION]... PID", "write the memory of a living process to a core",
	  heap_snapshot_manual, heap_snapshot_opts, cmd_heap_snapshot },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

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

void *cli_made(const struct cli *cli, void *handle)
{
	if (handle == NULL)
		exit(cli_error(cli, "out of memory"));
	return handle;
}

bool cli_no_memory(struct heft_err *err)
{
	*err = (struct heft_err){ .code = HEFT_ENOMEM, .offset = HEFT_NO_OFFSET };
	snprintf(err->text, sizeof err->text, "out of memory");
	return false;
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
	if (cli_is_bloaty(cli))
		printf("Bloaty McBloatface 1.1 (heft %s)\n", heft_version());
	else
		printf("heft %s\n", heft_version());
}

void cli_help(const struct cli *cli)
{
	printf("Usage: %s %s\n%s\n", cli->usage, cli->command->operands, cli->command->manual);
	options_print(cli->command->opts, false, stdout);
}

/* ---- heft itself ------------------------------------------------------------- */

const struct command *cli_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* How many of the words name the command: one, or two ("heap show"); 0: they do not. */
static int names_command(const struct command *c, int argc, char **argv)
{
	const size_t first = strlen(argv[0]);
	if (strcmp(c->name, argv[0]) == 0)
		return 1;
	return argc > 1 && strncmp(c->name, argv[0], first) == 0 && c->name[first] == ' ' &&
			       strcmp(c->name + first + 1, argv[1]) == 0
		       ? 2
		       : 0;
}

/* The command that the first words name, the one with more of them if there are two; NULL: none. */
static const struct command *find_command(int argc, char **argv, int *ret_words)
{
	const struct command *found = NULL;
	*ret_words = 0;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const int words = names_command(&commands[i], argc, argv);
		if (words > *ret_words) {
			*ret_words = words;
			found = &commands[i];
		}
	}
	return found;
}

/* The first word is that of commands with two: "heap". */
static bool names_family(const char *word)
{
	const size_t size = strlen(word);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strncmp(commands[i].name, word, size) == 0 && commands[i].name[size] == ' ')
			return true;
	return false;
}

/* The second words of the commands of a family, "" before the first. */
static size_t family_members(const char *family, const char *ret[COMMAND_COUNT])
{
	const size_t size = strlen(family);
	size_t count = 0;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strncmp(commands[i].name, family, size) == 0 && commands[i].name[size] == ' ')
			ret[count++] = commands[i].name + size + 1;
	return count;
}

static int no_such_member(const struct cli *cli, const char *family, const char *word)
{
	const char *members[COMMAND_COUNT];
	char names[200] = "";
	const size_t count = family_members(family, members);
	const char *near = word != NULL ? nearest_of(word, members, count) : NULL;
	for (size_t i = 0; i < count; i++)
		snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
			 i == 0 ? "" : ", ", members[i]);
	if (near != NULL)
		return cli_error(cli, "no such command: %s %s; did you mean 'heft %s %s'?", family,
				 word, family, near);
	return cli_error(cli, "'%s' is followed by one of: %s", family, names);
}

/* What there is of "heap". */
static int family_help(const char *family)
{
	const size_t size = strlen(family);
	printf("Usage: heft %s COMMAND [OPTION]...\n\nCommands:\n", family);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strncmp(commands[i].name, family, size) == 0 && commands[i].name[size] == ' ')
			printf("  %-15s%s\n", commands[i].name, commands[i].summary);
	printf("\nWhat one of them takes: heft help %s COMMAND\n", family);
	return EXIT_FINE;
}

/* Whether a first word was meant to be a command. */
static bool is_no_file(const char *word)
{
	return word[0] != '-' && strpbrk(word, "/.") == NULL && access(word, F_OK) != 0;
}

static bool names_source(const char *word)
{
	const char *name, *text;
	for (size_t i = 0; heft_source_at(i, &name, &text); i++)
		if (strcmp(name, word) == 0)
			return true;
	return false;
}

/* The command that a word which is no file was meant to be, or NULL. */
static const char *near_command(const char *word)
{
	const char *names[COMMAND_COUNT + 1];
	if (!is_no_file(word))
		return NULL;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	names[COMMAND_COUNT] = "help";
	return nearest_of(word, names, COMMAND_COUNT + 1);
}

static void overview(FILE *to)
{
	fputs("Usage: heft [COMMAND] [OPTION]... FILE...\n"
	      "Tells where the bytes of native programs go.\n\nCommands:\n",
	      to);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-15s%s\n", commands[i].name, commands[i].summary);
	fputs("  help           what a command does: heft help COMMAND\n\n"
	      "Without a command: heft size.  Its most used options (all: heft help size):\n",
	      to);
	options_print(size_opts, true, to);
	fputs("\nExit status: 0 fine, 1 the answer is no, 2 trouble, 3 a bug in heft.\n", to);
}

static int help(struct cli *cli, int argc, char **argv)
{
	if (argc == 1 && strcmp(argv[0], "--words") == 0) {
		words_print(commands, COMMAND_COUNT);
		return EXIT_FINE;
	}
	if (argc == 0) {
		overview(stdout);
		return EXIT_FINE;
	}
	int words;
	const struct command *c = find_command(argc, argv, &words);
	if (c == NULL && names_family(argv[0]))
		return argc == 1 ? family_help(argv[0]) : no_such_member(cli, argv[0], argv[1]);
	const char *near = c == NULL ? near_command(argv[0]) : NULL;
	if (near != NULL)
		return cli_error(cli, "no such command: %s; did you mean 'heft help %s'?", argv[0],
				 near);
	if (c == NULL)
		return cli_error(cli, "no such command: %s; try 'heft help'", argv[0]);
	char usage[40];
	snprintf(usage, sizeof usage, "heft %s", c->name);
	cli->usage = usage;
	cli->command = c;
	cli_help(cli);
	return EXIT_FINE;
}

static int run_heft(struct cli *cli, int argc, char **argv)
{
	if (argc == 0) {
		overview(stderr);
		if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
			fputs("\nTo look around in a program on this terminal: heft browse FILE\n",
			      stderr);
		return EXIT_TROUBLE;
	}
	if (strcmp(argv[0], "help") == 0)
		return help(cli, argc - 1, argv + 1);
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
		return help(cli, 0, NULL);
	int words;
	const struct command *c = find_command(argc, argv, &words);
	if (c == NULL && names_family(argv[0])) {
		const char *word = argc > 1 ? argv[1] : NULL;
		const bool asks = word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0);
		return asks ? family_help(argv[0]) : no_such_member(cli, argv[0], word);
	}
	if (c == NULL && is_no_file(argv[0]) && names_source(argv[0]))
		return cli_error(cli,
				 "%s: no such file, and no such command; did you mean "
				 "'heft -d %s'?",
				 argv[0], argv[0]);
	const char *near = c == NULL ? near_command(argv[0]) : NULL;
	if (near != NULL)
		return cli_error(cli,
				 "%s: no such file, and no such command; did you mean 'heft %s'?",
				 argv[0], near);
	if (c == NULL)
		c = &commands[0];
	char usage[40];
	snprintf(usage, sizeof usage, "heft %s", c->name);
	cli->usage = usage;
	cli->command = c;
	return c->run(cli, argc - words, argv + words);
}

/* Called under Bloaty's name, heft takes Bloaty's place: no commands. */
static int run_bloaty(struct cli *cli, int argc, char **argv)
{
	cli->program = "bloaty";
	cli->usage = "bloaty";
	cli->command = &commands[0];
	const int status = cmd_size(cli, argc, argv);
	return status == EXIT_TROUBLE ? EXIT_NO : status;
}

/* ---- the process --------------------------------------------------------------- */

/* A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and output
 * would land there.  Opened for the wrong direction, it fails every use, as it should. */
static void open_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int finish(const struct cli *cli, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status == EXIT_TROUBLE || (cli_is_bloaty(cli) && status == EXIT_NO))
		return status; /* said already */
	(void)cli_error(cli, "standard output: cannot write: %s", strerror(errno));
	return cli_is_bloaty(cli) ? EXIT_NO : EXIT_TROUBLE;
}

/* Large arrays go back to the system when they are freed: glibc would by and by keep ever
 * larger ones in its heaps, one a thread, which adds half to the peak of a run. */
static void return_large_arrays(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}

/* Writes with nothing that a signal handler may not call. */
static void say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* An input that became shorter while it is read.  Of several threads that find it so, the first one
 * says it and ends the process. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const char *path = heft_file_at(info->si_addr);
	(void)context;
	if (path == NULL) {
		signal(signal_number, SIG_DFL);
		return; /* to where it happens again */
	}
	while (atomic_flag_test_and_set(&said))
		pause();
	say("heft: ");
	say(path);
	say(": the file became shorter, or could not be read, while heft read it\n");
	_exit(EXIT_TROUBLE);
}

static void watch_inputs(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

static void upon_file_limit(int number)
{
	(void)number;
}

/* A file beyond the limit of sizes (ulimit -f) is an error of write() and no end of heft.  Programs
 * that heft runs have the signal's default: handlers are not handed down. */
static void take_file_limit(void)
{
	struct sigaction now;
	if (sigaction(SIGXFSZ, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
		return;
	now = (struct sigaction){ .sa_handler = upon_file_limit, .sa_flags = SA_RESTART };
	sigaction(SIGXFSZ, &now, NULL);
}

int main(int argc, char **argv)
{
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a call of the system a line, not a character */
	watch_inputs();
	return_large_arrays();
	open_standard_descriptors();
	/* `heft ... | head` ends quietly even where the parent ignores the signal. */
	signal(SIGPIPE, SIG_DFL);
	take_file_limit();
	struct progress progress;
	struct cli cli = { .program = "heft", .progress = &progress };
	progress_init(&progress);
	const char *name = argc > 0 ? strrchr(argv[0], '/') : NULL;
	name = name != NULL ? name + 1 : argc > 0 ? argv[0] : "heft";
	const int rest = argc > 0 ? argc - 1 : 0;
	const int status = strcmp(name, "bloaty") == 0 ? run_bloaty(&cli, rest, argv + 1)
						       : run_heft(&cli, rest, argv + 1);
	return finish(&cli, status);
}
