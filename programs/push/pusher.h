/* pusher.h - sends heap profiles of recorded processes to a receiver from time to time.
 *
 * A thread of its own reads the recorder's tables of each process, and posts the memory in use.
 * Processes are not stopped. The first profile that the receiver does not take causes a message;
 * later ones are counted. Processes are never disturbed. */
#ifndef HEFT_PUSH_PUSHER_H
#define HEFT_PUSH_PUSHER_H

#include "push/receiver.h"

#include "cli/cli.h"

struct push_options {
	const char *service;    /* Name of the series. */
	const char *name_cache; /* A folder or "none". NULL means the user's folder. */
	bool addresses;         /* Only build ids and addresses. */
};

struct pusher;

/* Starts the thread. NULL, after a message, if no thread can be started or there is no memory.
 * Borrows the texts. */
struct pusher *pusher_start(const struct cli *cli, const struct receiver *to,
			    const struct push_options *options);
/* Asks for a profile of the process now. A running push continues. The first process is the
 * program. For other processes that cannot be read, as they are not recorded or have ended, there
 * is no message. */
void pusher_want(struct pusher *p, uint32_t pid);
/* Ends the thread. NULL is allowed. */
void pusher_stop(struct pusher *p);
/* Posts the last profile of a process, from the file that the recorder wrote at its end. Does
 * nothing if the receiver has refused a last profile before. */
void pusher_last(struct pusher *p, const char *path, uint32_t pid);
/* Prints how many profiles the receiver did not take. NULL is allowed. */
void pusher_end(struct pusher *p);

/* Returns the name of this machine. */
enum { HOST_MOST = 256 };
void host_name(char ret[HOST_MOST]);

#endif
