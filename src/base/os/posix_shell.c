/* Implements shell.h for POSIX. */
#define _DEFAULT_SOURCE      /* For TIOCGWINSZ in glibc and musl */
#define _DARWIN_C_SOURCE     /* For TIOCGWINSZ on macOS */
#define _XOPEN_SOURCE    700 /* For nftw() */
#include "base/os/shell.h"

#include "heft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#elif defined(__FreeBSD__)
#include <sys/sysctl.h>
#endif

extern char **environ;

const char os_path_separator = ':', os_program_suffix[] = "";

static int trouble_status;

/* Writes a message. Calls only what a signal handler may call. */
static void say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* Reports an input that became shorter while it was read, and ends the process. If several threads
 * get here, only the first one reports. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const char *path = heft_file_at(info->si_addr);
	(void)context;
	if (path == NULL) {
		signal(signal_number, SIG_DFL);
		return; /* Returning repeats the instruction, which fails again */
	}
	while (atomic_flag_test_and_set(&said))
		pause();
	say("heft: ");
	say(path);
	say(": the file became shorter, or could not be read, while heft read it\n");
	_exit(trouble_status);
}

static void upon_file_limit(int number)
{
	(void)number;
}

void os_shell_start(int argc, char **argv, int trouble)
{
	struct sigaction bus = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO }, limit;
	(void)argc;
	(void)argv;
	trouble_status = trouble;
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* Write each line at once, by one system call */
	sigemptyset(&bus.sa_mask);
	sigaction(SIGBUS, &bus, NULL);
#ifdef __GLIBC__
	/* Makes glibc return large freed arrays to the system. Otherwise it keeps them in its
	 * heaps, one per thread, which adds half to the peak memory. */
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
	/* Opens those of descriptors 0, 1 and 2 that are closed. Otherwise the next file would
	 * get such a number, and receive output. Opens them in the wrong direction, so every use
	 * fails. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	/* `heft ... | head` must end quietly, even if the parent process ignores the signal. */
	signal(SIGPIPE, SIG_DFL);
	/* Makes write() fail at the limit of file sizes (ulimit -f), instead of ending heft. Other
	 * programs that heft runs do not inherit the handler. */
	if (sigaction(SIGXFSZ, NULL, &limit) == 0 && limit.sa_handler == SIG_DFL) {
		limit = (struct sigaction){ .sa_handler = upon_file_limit, .sa_flags = SA_RESTART };
		sigaction(SIGXFSZ, &limit, NULL);
	}
}

bool os_own_path(char *ret, size_t room)
{
#ifdef __APPLE__
	uint32_t size = (uint32_t)room;
	return _NSGetExecutablePath(ret, &size) == 0;
#elif defined(__FreeBSD__)
	const int what[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };
	return sysctl(what, 4, ret, &room, NULL, 0) == 0;
#else
	const ssize_t size = readlink("/proc/self/exe", ret, room);
	if (size <= 0 || (size_t)size >= room)
		return false;
	ret[size] = '\0';
	return true;
#endif
}

unsigned os_terminal_columns(void)
{
	struct winsize ws;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 ? ws.ws_col : 0;
}

bool os_input_waits(int milliseconds)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	return poll(&in, 1, milliseconds) > 0;
}

void os_copy_rights(FILE *to, const char *from)
{
	struct stat in, out;
	if (stat(from, &in) == 0 && fstat(fileno(to), &out) == 0 && S_ISREG(out.st_mode))
		fchmod(fileno(to), in.st_mode & 0777);
}

bool os_is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

void os_become(const char *path, char *const *argv)
{
	execv(path, argv);
}

static int child_status(pid_t pid)
{
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int os_run(const char *path, char *const *argv)
{
	pid_t pid;
	return posix_spawn(&pid, path, NULL, NULL, argv, environ) == 0 ? child_status(pid) : -1;
}

bool os_new_folder(char *path)
{
	return mkdtemp(path) != NULL;
}

static void folder_remove(const char *path, unsigned depth)
{
	char below[4096];
	const struct dirent *e;
	DIR *d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		/* Only a folder that is not empty fails in this way, so no link is followed. */
		if (remove(below) != 0 && (errno == ENOTEMPTY || errno == EEXIST) && depth > 0)
			folder_remove(below, depth - 1);
	}
	if (d != NULL)
		closedir(d);
	rmdir(path);
}

void os_remove_folder(const char *path)
{
	enum { DEPTH_MOST = 8 }; /* Deeper folders stay */
	folder_remove(path, DEPTH_MOST);
}

/* Starts a program that writes to a pipe. Returns the pipe's other end, or -1. */
static int child_start_piped(const char *const *argv, enum os_messages messages, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe(ends) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	bool ready = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
		     posix_spawn_file_actions_addclose(&actions, ends[0]) == 0;
	if (messages == OS_MESSAGES_DROPPED)
		ready = ready && posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
								  "/dev/null", O_WRONLY, 0) == 0;
	if (messages == OS_MESSAGES_READ)
		ready = ready && posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO,
								  STDERR_FILENO) == 0;
	const bool started = ready && posix_spawnp(ret, argv[0], &actions, NULL,
						   (char *const *)(uintptr_t)argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

bool os_child_start(struct os_child *c, const char *const *argv, enum os_messages messages)
{
	pid_t pid;
	const int from = child_start_piped(argv, messages, &pid);
	if (from < 0)
		return false;
	*c = (struct os_child){ .output = fdopen(from, "rb"), .id = pid };
	if (c->output != NULL)
		return true;
	close(from);
	child_status(pid);
	return false;
}

int os_child_end(struct os_child *c)
{
	fclose(c->output);
	return child_status((pid_t)c->id);
}
