/* Runs a program and waits for its end. */
#define _GNU_SOURCE /* For syscall(). */
#include "process/child.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Runs a file of unknown format as a shell script. Returns 0 or an errno value. */
static int spawn_shell(pid_t *pid, const posix_spawnattr_t *attr, const char *path,
		       char *const *argv, char *const *environment)
{
	size_t count = 0;
	while (argv[count] != NULL)
		count++;
	const char **shell = memory_try((count + 2) * sizeof *shell);
	if (shell == NULL)
		return ENOMEM;
	shell[0] = "sh";
	shell[1] = path;
	for (size_t i = 1; i <= count; i++)
		shell[i + 1] = argv[i]; /* Includes the final NULL */
	const int error = posix_spawn(pid, "/bin/sh", NULL, attr, (char *const *)(uintptr_t)shell,
				      environment);
	mem_free(shell);
	return error;
}

static int spawn(struct child *c, const char *path, char *const *argv, char *const *environment)
{
	posix_spawnattr_t attr;
	int error = posix_spawnattr_init(&attr);
	if (error != 0)
		return error;
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &c->before);
	error = posix_spawn(&c->pid, path, NULL, &attr, argv, environment);
	if (error == ENOEXEC)
		error = spawn_shell(&c->pid, &attr, path, argv, environment);
	posix_spawnattr_destroy(&attr);
	return error;
}

bool child_start(struct child *c, const char *path, char *const *argv, char *const *environment,
		 struct heft_err *err)
{
	static const int handed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };
	sigemptyset(&c->handed);
	for (size_t i = 0; i < COUNT_OF(handed); i++)
		sigaddset(&c->handed, handed[i]);
	pthread_sigmask(SIG_BLOCK, &c->handed, &c->before);
	const int error = spawn(c, path, argv, environment);
	if (error == 0)
		return true;
	pthread_sigmask(SIG_SETMASK, &c->before, NULL);
	errno = error;
	return fail_sys(err, "%s", argv[0]);
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool child_wait(const struct child *c, int *ret_status, struct heft_err *err)
{
	enum { SIGNAL_MS = 20 }; /* Maximal delay of a signal, in milliseconds */
	struct pollfd end = { .fd = -1, .events = POLLIN }; /* Readable when the child ends */
#ifdef SYS_pidfd_open
	end.fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
#endif
	uint64_t due = now_ms() + c->every_ms;
	pid_t got;
	ASSERT(c->pid > 0 && (c->every_ms == 0 || c->tick));
	do {
		struct pollfd both[2] = { end, { c->ready != NULL ? c->fd : -1, POLLIN, 0 } };
		/* Forwards signals to the child. Signals from the terminal also reach the child
		 * directly, because it is in our process group. */
		const struct timespec t = { .tv_nsec = end.fd < 0 ? SIGNAL_MS * 1000000L : 0 };
		siginfo_t info;
		if (sigtimedwait(&c->handed, &info, &t) > 0 && info.si_code <= 0)
			kill(c->pid, info.si_signo);
		if (poll(both, 2, end.fd >= 0 ? SIGNAL_MS : 0) > 0 && both[1].revents != 0)
			c->ready(c->ctx);
		if (c->every_ms > 0 && now_ms() >= due) {
			c->tick(c->tick_ctx, (uint32_t)c->pid);
			due = now_ms() + c->every_ms;
		}
		got = waitpid(c->pid, ret_status, WNOHANG);
	} while (got == 0 || (got < 0 && errno == EINTR));
	const int error = errno;
	if (end.fd >= 0)
		close(end.fd);
	pthread_sigmask(SIG_SETMASK, &c->before, NULL);
	errno = error;
	return got == c->pid || fail_sys(err, "the status of process %ld", (long)c->pid);
}
