/* child.h - runs a program and waits for its end, in a process that may have threads and other
 * children. Waits for no other child. Changes no signal handling. */
#pragma once

#include "heft.h"

#include <signal.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	/* Called by child_wait() when `fd` is readable. May be NULL. */
	void (*ready)(void *ctx);
	void *ctx;
	int fd;
	/* Called by child_wait() every `every_ms` milliseconds. 0 means never. */
	void (*tick)(void *ctx, uint32_t pid);
	void *tick_ctx;
	uint64_t every_ms;
	sigset_t handed; /* Signals forwarded to the child. The thread blocks them. */
	sigset_t before; /* Signal mask of the thread before child_start(). */
};

/* Runs `path` as execvp() would, with an environment. Both arrays end with NULL. `ready` of `c`
 * must be set before. Until child_wait() returns, the thread blocks the forwarded signals. HEFT_EIO
 * on failure. */
bool child_start(struct child *c, const char *path, char *const *argv, char *const *environment,
		 struct heft_err *err);
/* Waits for the child's end and forwards signals. HEFT_EIO if another waiter took the status. */
bool child_wait(const struct child *c, int *ret_status, struct heft_err *err);
