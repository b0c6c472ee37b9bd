/* keeper.h - waits for the ends of recorded processes. Stores their memory, for heft heap run. */
#pragma once

#include "base/err.h"

/* True if the last component of `name` matches that of `pattern`. *ret_pid is then the number
 * in place of %p. */
bool output_matches(const char *pattern, const char *name, uint32_t *ret_pid);

/* Waits for the ends of recorded processes. A process connects, sends the secret word of the run,
 * and names a file. Then it waits until the keeper has written its memory to a core. A process that
 * may not write files sends its pages, and the keeper writes them. One thread. */
struct keeper {
	int fd;           /* Readable when a process sends a request */
	char name[48];    /* Environment variable HEFT_HEAP_KEEPER of the processes: name of the
			   * socket, '.', secret word */
	const char *word; /* Points into `name`. */
	const char *pattern, *dir; /* Pattern and folder of the files, borrowed */
};

bool keeper_open(struct keeper *k, const char *pattern, const char *dir, struct heft_err *err);
/* Serves all processes with a pending request. */
void keeper_serve(void *keeper);
/* Serves the pending requests, then closes. Processes that end later write their own files. */
void keeper_close(struct keeper *k);
