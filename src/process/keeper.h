/* keeper.h - who waits for the ends of recorded processes: heft heap run. */
#ifndef HEFT_PROCESS_KEEPER_H
#define HEFT_PROCESS_KEEPER_H

#include "base/err.h"

/* Is `name` made after `pattern` (last components)?  Then *ret_pid is what stands for %p. */
bool output_matches(const char *pattern, const char *name, uint32_t *ret_pid);

/* Waits for the ends of recorded processes: a process connects, shows the word of the run, names
 * the file, and waits until its memory is kept in a core, or until the pages that it sends are
 * written, where it may not write them.  One thread. */
struct keeper {
	int fd;                    /* readable when a process asks */
	char name[48];             /* HEFT_HEAP_KEEPER of the processes: socket, '.', word */
	const char *word;          /* in `name` */
	const char *pattern, *dir; /* of the files, borrowed */
};

bool keeper_open(struct keeper *k, const char *pattern, const char *dir, struct heft_err *err);
/* Writes for all that ask at the moment. */
void keeper_serve(void *keeper);
/* Serves who asked until now; others are on their own. */
void keeper_close(struct keeper *k);

#endif
