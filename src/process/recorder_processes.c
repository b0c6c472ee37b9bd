/* recorder_processes.c - finds the processes of a run by the mark in their environment. */
#include "process/recorder.h"

#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit in bytes of an environment. Linux allows about as many. */
enum { ENVIRONMENT_MOST = 2 << 20 };

/* Reads /proc/PID/environ. The kernel shows it empty if we may not read it. */
static void read_environment(struct text *t, const char *pid)
{
	char path[64], piece[4096];
	ssize_t n;
	t->len = 0;
	snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (t->len < ENVIRONMENT_MOST && (n = read(fd, piece, sizeof piece)) > 0)
		text_add(t, (struct str){ piece, (size_t)n });
	close(fd);
}

static bool has_variable(struct str environment, struct str variable)
{
	while (environment.len > 0) {
		const size_t len = strnlen(environment.p, environment.len);
		if (str_eq((struct str){ environment.p, len }, variable))
			return true;
		const size_t used = len < environment.len ? len + 1 : len;
		environment = (struct str){ environment.p + used, environment.len - used };
	}
	return false;
}

bool run_processes(const char *mark, uint32_t but, heft_recorder_tick_fn fn, void *ctx)
{
	bool goes_on = true;
	struct text variable = { 0 }, environment = { 0 };
	DIR *d = opendir("/proc");
	const struct dirent *e;
	ASSERT(mark && fn);
	text_adds(&variable, STR(RUN_MARK "="), str_of(mark));
	while (d != NULL && goes_on && (e = readdir(d)) != NULL) {
		char *end;
		char path[40];
		struct stat st;
		const unsigned long pid = strtoul(e->d_name, &end, 10);
		snprintf(path, sizeof path, "/proc/%.20s", e->d_name);
		if (e->d_name[0] < '1' || e->d_name[0] > '9' || *end != '\0' || pid == but ||
		    pid > UINT32_MAX || stat(path, &st) != 0 || st.st_uid != geteuid())
			continue;
		read_environment(&environment, e->d_name);
		if (has_variable(text_str(&environment), text_str(&variable)))
			goes_on = fn(ctx, (uint32_t)pid);
	}
	if (d != NULL)
		closedir(d);
	text_release(&variable);
	text_release(&environment);
	return goes_on;
}
