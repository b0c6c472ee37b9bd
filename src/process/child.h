/* child.h - a program that is run and waited for, in a process that may have threads and children
 * of its own: no other child is waited for, and no disposition of a signal is changed. */
#ifndef HEFT_PROCESS_CHILD_H
#define HEFT_PROCESS_CHILD_H

#include "heft.h"

#include <signal.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	/* Called by child_wait whenever `fd` is readable; NULL: nothing is. */
	void (*ready)(void *ctx);
	void *ctx;
	int fd;
	/* Called by child_wait every so many milliseconds; 0: never. */
	void (*tick)(void *ctx, uint32_t pid);
	void *tick_ctx;
	uint64_t every_ms;
	sigset_t handed; /* signals that are handed on; the thread has them blocked */
	sigset_t before; /* the thread's mask before */
};

/* `c` has its `ready` already.  Runs `path`, as execvp would, with an environment; both arrays end
 * with NULL.  The thread blocks the signals that are handed on until child_wait returns.  HEFT_EIO
 * on failure. */
bool child_start(struct child *c, const char *path, char *const *argv, char *const *environment,
		 struct heft_err *err);
/* Waits for the end and hands signals on meanwhile.  HEFT_EIO where somebody else took the
 * status. */
bool child_wait(const struct child *c, int *ret_status, struct heft_err *err);

#endif
