/* recorder_keeper.c - the memory of recorded processes at their ends. */
#define _GNU_SOURCE /* accept4, struct ucred */
#include "api/recorder.h"

#include "heap/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	QUEUE = 64,  /* processes that may wait for one another */
	NAME = 2048, /* of a file */
};

/* A name of the abstract namespace that the system chooses: where none is asked for, one of five
 * digits behind a 0 (unix(7), "Autobind feature"). */
bool keeper_open(struct keeper *k, const char *pattern, const char *dir, struct heft_err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t size = sizeof at;
	*k = (struct keeper){ .fd = -1, .pattern = pattern, .dir = dir };
	if (pattern == NULL)
		return true;
	k->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (k->fd >= 0 && bind(k->fd, (const struct sockaddr *)&at, sizeof at.sun_family) == 0 &&
	    getsockname(k->fd, (struct sockaddr *)&at, &size) == 0 && listen(k->fd, QUEUE) == 0) {
		const size_t used = size - offsetof(struct sockaddr_un, sun_path) - 1;
		memcpy(k->name, at.sun_path + 1, min_u64(used, sizeof k->name - 1));
		return true;
	}
	const bool failed = fail_sys(err, "a socket for programs that end");
	if (k->fd >= 0)
		close(k->fd);
	return failed;
}

/* The name that the process sends, with its final 0; one that is not made after the pattern is
 * none of ours. */
static bool read_name(const struct keeper *k, int fd, char ret[NAME])
{
	const struct timeval patience = { .tv_sec = 2 };
	size_t used = 0, dir = strlen(k->dir);
	uint32_t pid;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	while (used < NAME && (used == 0 || ret[used - 1] != '\0')) {
		const ssize_t n = read(fd, ret + used, NAME - used);
		if (n <= 0)
			return false;
		used += (size_t)n;
	}
	return used > 0 && ret[used - 1] == '\0' && strncmp(ret, k->dir, dir) == 0 &&
	       strchr(ret + dir, '/') == NULL &&
	       output_matches(strrchr(k->pattern, '/') + 1, ret + dir, &pid);
}

static void serve(const struct keeper *k, int fd)
{
	const struct live_wish wish = { 0 };
	struct live_facts facts;
	struct heft_err err;
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	char path[NAME];
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.pid <= 0 ||
	    who.uid != geteuid() || !read_name(k, fd, path))
		return;
	if (live_snapshot((uint32_t)who.pid, path, &wish, &facts, &err))
		send(fd, "y", 1, MSG_NOSIGNAL);
}

void keeper_serve(void *keeper)
{
	const struct keeper *k = keeper;
	int fd;
	while ((fd = accept4(k->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		serve(k, fd);
		close(fd);
	}
}

void keeper_close(struct keeper *k)
{
	if (k->fd < 0)
		return;
	keeper_serve(k);
	close(k->fd);
	k->fd = -1;
}
