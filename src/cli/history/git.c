#include "cli/history/git.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts git with its output in a pipe, and no messages; the end to read, or -1. */
static int start(const char *const *words, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe(ends) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	const bool ready = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) ==
				   0 &&
			   posix_spawn_file_actions_addclose(&actions, ends[0]) == 0 &&
			   posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							    O_WRONLY, 0) == 0;
	const bool started = ready && posix_spawnp(ret, words[0], &actions, NULL,
						   (char *const *)(uintptr_t)words, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

bool git_line(const char *const *words, char *ret, size_t size)
{
	pid_t pid;
	int status = -1;
	const int from = start(words, &pid);
	if (from < 0)
		return false;
	FILE *f = fdopen(from, "r");
	const bool any = f && fgets(ret, (int)size, f) != NULL;
	while (f && fgetc(f) != EOF)
		;
	if (f)
		fclose(f);
	else
		close(from);
	ret[any ? strcspn(ret, "\n") : 0] = '\0';
	return waitpid(pid, &status, 0) == pid && status == 0 && any;
}
