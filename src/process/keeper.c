/* keeper.c - waits on a socket for the ends of recorded processes. Writes their memory to files. */
#define _GNU_SOURCE /* accept4, struct ucred */
#include "process/keeper.h"

#include "heap/block.h"
#include "process/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	QUEUE = 64,  /* Greatest number of processes that may wait for an answer (listen(2)). */
	NAME = 2048, /* Bytes for a file name. */
};

bool output_matches(const char *pattern, const char *name, uint32_t *ret_pid)
{
	for (; *pattern != '\0'; pattern++) {
		pattern += pattern[0] == '%' && pattern[1] == '%' && *name == '%';
		if (pattern[0] != '%' || (pattern[1] != 'p' && pattern[1] != 'n')) {
			if (*pattern != *name++)
				return false;
			continue;
		}
		char *end;
		const unsigned long n = strtoul(name, &end, 10);
		if (end == name || n > UINT32_MAX || name[0] < '0' || name[0] > '9')
			return false;
		if (*++pattern == 'p')
			*ret_pid = (uint32_t)n;
		name = end;
	}
	/* If the pattern has no %n, numbered snapshots also match. */
	return *name == '\0' || (*name == '.' && name[1 + strspn(name + 1, "0123456789")] == '\0');
}

/* Opens a Unix socket in the abstract namespace. As bind() gets no name, Linux chooses one: a 0
 * byte and five hex digits (unix(7), "Autobind feature"). */
bool keeper_open(struct keeper *k, const char *pattern, const char *dir, struct heft_err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t size = sizeof at;
	uint64_t secret[2] = { 0 };
	*k = (struct keeper){ .fd = -1, .pattern = pattern, .dir = dir };
	if (getentropy(secret, sizeof secret) != 0)
		return fail_sys(err, "a random number");
	k->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (k->fd >= 0 && bind(k->fd, (const struct sockaddr *)&at, sizeof at.sun_family) == 0 &&
	    getsockname(k->fd, (struct sockaddr *)&at, &size) == 0 && listen(k->fd, QUEUE) == 0) {
		const size_t used = size - offsetof(struct sockaddr_un, sun_path) - 1;
		const int n = snprintf(k->name, sizeof k->name, "%.*s.%016" PRIx64 "%016" PRIx64,
				       (int)min_u64(used, 8), at.sun_path + 1, secret[0],
				       secret[1]);
		ASSERT(n > 0 && (size_t)n < sizeof k->name);
		k->word = strchr(k->name, '.') + 1;
		return true;
	}
	const bool failed = fail_sys(err, "a socket for programs that end");
	if (k->fd >= 0)
		close(k->fd);
	return failed;
}

/* What a process sends: the secret word of the run, `kind` (what to keep), and the file name. */
struct request {
	char text[NAME];
	size_t used, size; /* `used`: bytes read up to now. `size`: bytes of the request, with
			    * its final 0 */
	char kind;
	const char *path;
};

static bool request_read(int fd, struct request *q)
{
	const struct timeval patience = { .tv_sec = 2 };
	const char *end = NULL;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	*q = (struct request){ 0 };
	while (q->used < NAME && end == NULL) {
		const ssize_t n = read(fd, q->text + q->used, NAME - q->used);
		if (n <= 0)
			return false;
		q->used += (size_t)n;
		end = memchr(q->text, '\0', q->used);
	}
	q->size = end != NULL ? (size_t)(end - q->text) + 1 : 0;
	return end != NULL;
}

/* True if a request has the secret word and a file name that matches the pattern. */
static bool request_check(const struct keeper *k, struct request *q)
{
	const size_t word = strlen(k->word), dir = strlen(k->dir);
	uint32_t pid;
	if (q->size < word + 2 || memcmp(q->text, k->word, word) != 0)
		return false;
	q->kind = q->text[word];
	q->path = q->text + word + 1;
	return strncmp(q->path, k->dir, dir) == 0 && strchr(q->path + dir, '/') == NULL &&
	       output_matches(strrchr(k->pattern, '/') + 1, q->path + dir, &pid);
}

static bool bytes_write(int fd, const char *data, size_t size)
{
	while (size > 0) {
		const ssize_t n = write(fd, data, size);
		if (n < 0 && errno != EINTR)
			return false;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Writes the bytes after the request to its file, until the connection ends. False on failure. */
static bool pages_write(int from, const struct request *q)
{
	char part[65536];
	const int to = open(q->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool good = to >= 0 && bytes_write(to, q->text + q->size, q->used - q->size);
	ssize_t n = 1;
	while (good && n > 0) {
		n = read(from, part, sizeof part);
		good = n >= 0 && bytes_write(to, part, (size_t)n);
	}
	/* An empty file means that the process left no pages. */
	if (to >= 0 && !good && ftruncate(to, 0) != 0)
		unlink(q->path);
	if (to >= 0)
		close(to);
	return good;
}

static void serve(const struct keeper *k, int fd)
{
	const struct live_wish wish = { 0 };
	struct live_facts facts;
	struct heft_err err;
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	struct request q;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.pid <= 0 ||
	    !request_read(fd, &q) || !request_check(k, &q))
		return;
	if (q.kind == HEAP_KEEP_PAGES
		    ? pages_write(fd, &q)
		    : live_snapshot((uint32_t)who.pid, q.path, &wish, &facts, &err))
		send(fd, "y", 1, MSG_NOSIGNAL);
}

void keeper_serve(void *keeper)
{
	const struct keeper *k = keeper;
	int fd;
	ASSERT(k->fd >= 0 && k->word);
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
