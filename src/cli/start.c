#include "cli/start.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and output
 * would land there.  Opened for the wrong direction, it fails every use, as it should. */
static void open_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
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

void cli_init(void)
{
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a call of the system a line, not a character */
	watch_inputs();
	return_large_arrays();
	open_standard_descriptors();
	/* `heft ... | head` ends quietly even where the parent ignores the signal. */
	signal(SIGPIPE, SIG_DFL);
	take_file_limit();
}

int cli_finish(const struct cli *cli, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status == EXIT_TROUBLE || (cli_is_bloaty(cli) && status == EXIT_NO))
		return status; /* said already */
	(void)cli_error(cli, "standard output: cannot write: %s", strerror(errno));
	return cli_is_bloaty(cli) ? EXIT_NO : EXIT_TROUBLE;
}

int program_main(const char *name, const struct commands *all, int argc, char **argv)
{
	struct progress progress;
	struct cli cli = { .program = "heft", .progress = &progress };
	cli_init();
	progress_init(&progress);
	if (argc == 2 && strcmp(argv[1], "--words") == 0) {
		commands_print_words(all);
		return cli_finish(&cli, EXIT_FINE);
	}
	/* The name of the program is the first word of its commands. */
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
