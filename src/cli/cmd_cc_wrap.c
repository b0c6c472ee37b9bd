/* gcc's driver runs its parts under a program of our choice (-wrapper): all but the assembler as
 * they are, and that on assembly with a map.  So whatever makes the driver assemble something
 * works: one source or many, with -c or a link behind it, dependency files, response files, ccache
 * in front. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NO_PROGRAM = 127 };

static const char step_word[] = "--step";

const struct opt cc_wrap_opts[] = {
#include "cli/last_opts.inc"
	{ 0 },
};

const char cc_wrap_manual[] =
	"Runs a gcc so that objects get a section .llvm_bb_addr_map with the basic\n"
	"blocks gcc itself knows, without a change to the code:\n"
	"\n"
	"  make CC='heft cc-wrap gcc' CXX='heft cc-wrap g++'\n"
	"\n"
	"Messages, exit status and whatever is not assembled are those of the compiler.\n"
	"Options stand in front of COMPILER; the words behind it are the compiler's.\n";

/* ---- running programs ------------------------------------------------------------------------ */

static int become(const struct cli *cli, char **argv)
{
	execvp(argv[0], argv);
	cli_error(cli, "%s: cannot run: %s", argv[0], strerror(errno));
	return EXIT_NO_PROGRAM;
}

/* Whether the program succeeds; its messages go to `messages`. */
static bool runs_well(char **argv, FILE *messages)
{
	int status = -1;
	const pid_t child = fork();
	if (child == 0) {
		dup2(fileno(messages), STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(EXIT_NO_PROGRAM);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void copy_messages(FILE *from)
{
	char buffer[4096];
	size_t size;
	rewind(from);
	while ((size = fread(buffer, 1, sizeof buffer, from)) > 0)
		fwrite(buffer, 1, size, stderr);
}

/* ---- the assembler --------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

static bool ends_with(const char *text, const char *suffix)
{
	const size_t size = strlen(text), end = strlen(suffix);
	return size >= end && strcmp(text + size - end, suffix) == 0;
}

static bool is_assembler(const char *program)
{
	const char *name = last_part(program);
	return strcmp(name, "as") == 0 || ends_with(name, "-as");
}

static char *read_all(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, room = 0;
	while (f != NULL) {
		if (room - size < 65536) {
			room = room * 2 + 131072;
			char *larger = realloc(text, room);
			if (larger == NULL)
				break;
			text = larger;
		}
		const size_t got = fread(text + size, 1, room - size, f);
		size += got;
		if (got == 0)
			break;
	}
	const bool good = f != NULL && text != NULL && !ferror(f) && feof(f);
	if (f != NULL)
		fclose(f);
	if (!good) {
		free(text);
		return NULL;
	}
	*ret_size = size;
	return text;
}

struct assembly {
	char *text;
	size_t size;
};

static bool keep(void *ctx, const void *data, size_t size)
{
	struct assembly *a = ctx;
	char *larger = realloc(a->text, a->size + size);
	if (larger == NULL)
		return false;
	memcpy(larger + a->size, data, size);
	a->text = larger;
	a->size += size;
	return true;
}

/* The same with a map in it, as a file of its own whose name is malloc'ed; NULL: there is nothing
 * to add. */
static char *with_map(const char *path)
{
	static const char suffix[] = "/heft-XXXXXX";
	const char *folder = getenv("TMPDIR");
	size_t size;
	struct assembly made = { 0 };
	char *text = read_all(path, &size);
	if (text == NULL)
		return NULL;
	const bool mapped = heft_gcc_map(text, size, &(struct heft_sink){ keep, &made }, NULL) &&
			    made.size > size;
	free(text);
	if (folder == NULL || *folder == '\0')
		folder = "/tmp";
	char *name = mapped ? malloc(strlen(folder) + sizeof suffix) : NULL;
	int fd = -1;
	if (name != NULL) {
		memcpy(name, folder, strlen(folder));
		memcpy(name + strlen(folder), suffix, sizeof suffix);
		fd = mkstemp(name);
	}
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool good = f != NULL && fwrite(made.text, 1, made.size, f) == made.size;
	if (f != NULL)
		good = fclose(f) == 0 && good;
	free(made.text);
	if (good)
		return name;
	if (fd >= 0)
		unlink(name);
	free(name);
	return NULL;
}

/* An assembler that does not take the map takes gcc's own text, and its messages are about that. */
static int assemble(const struct cli *cli, int argc, char **argv)
{
	int at = argc - 1;
	while (at > 0 && !ends_with(argv[at], ".s"))
		at--;
	FILE *messages = tmpfile();
	char *path = at > 0 && messages != NULL ? with_map(argv[at]) : NULL;
	if (path == NULL)
		return become(cli, argv);
	char *own = argv[at];
	argv[at] = path;
	const bool good = runs_well(argv, messages);
	argv[at] = own;
	unlink(path);
	free(path);
	if (!good)
		return become(cli, argv);
	copy_messages(messages);
	fclose(messages);
	return EXIT_FINE;
}

/* ---- the compiler ---------------------------------------------------------------------------- */

/* What the compiler then writes is no object, and the comments would show; or somebody else
 * wraps. */
static bool is_for_people(const char *word)
{
	static const char *const words[] = { "-S", "-E", "-M", "-MM", "-fsyntax-only", "-wrapper" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* The words of a response file are the compiler's too. */
static bool file_is_for_people(const char *path)
{
	char word[64];
	FILE *f = fopen(path, "r");
	bool found = false;
	while (f != NULL && !found && fscanf(f, "%63s", word) == 1)
		found = is_for_people(word);
	if (f != NULL)
		fclose(f);
	return found;
}

static bool passes_through(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (is_for_people(argv[i]) ||
		    (argv[i][0] == '@' && file_is_for_people(argv[i] + 1)))
			return true;
	return false;
}

/* "/path/of/heft,cc-wrap,--step" */
static bool self(char *ret, size_t room)
{
	const ssize_t size = readlink("/proc/self/exe", ret, room);
	if (size <= 0 || (size_t)size >= room)
		return false;
	ret[size] = '\0';
	if (strchr(ret, ',') != NULL)
		return false;
	return snprintf(ret + size, room - (size_t)size, ",cc-wrap,%s", step_word) <
	       (int)(room - (size_t)size);
}

/* With -pipe gcc runs its first part alone under the wrapper. */
static int compile(const struct cli *cli, int argc, char **argv)
{
	char comments[] = "-dA", wrapper[] = "-wrapper";
	char step[4096];
	int count = 0;
	for (int i = 0; i < argc && argv[i][0] != '-'; i++)
		if (strstr(last_part(argv[i]), "clang") != NULL)
			return cli_error(cli, "%s writes maps itself: -fbasic-block-address-map",
					 argv[i]);
	if (passes_through(argc, argv))
		return become(cli, argv);
	if (!self(step, sizeof step))
		return cli_error(cli, "cannot tell gcc where heft is");
	char **words = calloc((size_t)argc + 4, sizeof *words);
	if (words == NULL)
		return cli_error(cli, "out of memory");
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "-pipe") != 0)
			words[count++] = argv[i];
	words[count++] = comments;
	words[count++] = wrapper;
	words[count] = step;
	const int status = become(cli, words);
	free(words);
	return status;
}

int cmd_cc_wrap(const struct cli *cli, int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[0], step_word) == 0)
		return is_assembler(argv[1]) ? assemble(cli, argc - 1, argv + 1)
					     : become(cli, argv + 1);
	if (argc == 0)
		return cli_error(cli, "must specify a compiler; try '%s --help'", cli->usage);
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
		cli_help(cli);
	else if (strcmp(argv[0], "--version") == 0)
		cli_version(cli);
	else if (argv[0][0] == '-')
		return cli_error(cli, "unknown option: %s; try '%s --help'", argv[0], cli->usage);
	else
		return compile(cli, argc, argv);
	return EXIT_FINE;
}
