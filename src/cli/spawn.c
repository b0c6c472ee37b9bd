#include "cli/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts a program with its output in a pipe; the end to read, or -1. */
static int spawn_child_start(const char *const *words, bool quiet, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe(ends) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	bool ready = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
		     posix_spawn_file_actions_addclose(&actions, ends[0]) == 0;
	if (quiet)
		ready = ready && posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
								  "/dev/null", O_WRONLY, 0) == 0;
	const bool started = ready && posix_spawnp(ret, words[0], &actions, NULL,
						   (char *const *)(uintptr_t)words, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Reads to the end; NULL where memory lacks. */
static char *stream_read(FILE *f)
{
	size_t size = 0, room = 0, got;
	char *text = NULL;
	do {
		char *grown = realloc(text, room += 4096);
		if (grown == NULL) {
			free(text);
			return NULL;
		}
		text = grown;
		got = fread(text + size, 1, room - size - 1, f);
		size += got;
	} while (got > 0);
	text[size] = '\0';
	return text;
}

char *child_output(const char *const *words, bool quiet)
{
	pid_t pid;
	int status = -1;
	const int from = spawn_child_start(words, quiet, &pid);
	if (from < 0)
		return NULL;
	FILE *f = fdopen(from, "r");
	char *text = f != NULL ? stream_read(f) : NULL;
	if (f != NULL)
		fclose(f);
	else
		close(from);
	if (waitpid(pid, &status, 0) == pid && status == 0)
		return text;
	free(text);
	return NULL;
}
