/* child.h - runs a program and waits for it, in a process that may have threads and children of its
 * own. Waits for no other child and changes no disposition of a signal. */
#ifndef HEFT_PROCESS_CHILD_H
#define HEFT_PROCESS_CHILD_H

#include "heft.h"

#include <signal.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	/* child_wait() calls it whenever `fd` is readable. May be NULL. */
	void (*ready)(void *ctx);
	void *ctx;
	int fd;
	/* child_wait() calls it every `every_ms` milliseconds. Never if that is 0. */
	void (*tick)(void *ctx, uint32_t pid);
	void *tick_ctx;
	uint64_t every_ms;
	sigset_t handed; /* Signals that are handed on. The thread blocks them. */
	sigset_t before; /* Signal mask of the thread before. */
};

/* Runs `path` as execvp() would, with an environment. Both arrays end with NULL. `ready` of `c`
 * must be set before. The thread blocks the handed-on signals until child_wait() returns. HEFT_EIO
 * on failure. */
bool child_start(struct child *c, const char *path, char *const *argv, char *const *environment,
		 struct heft_err *err);
/* Waits for the end of the child and hands signals on meanwhile. HEFT_EIO if somebody else took the
 * status. */
bool child_wait(const struct child *c, int *ret_status, struct heft_err *err);

#endif
