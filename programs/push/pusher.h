/* pusher.h - heap profiles of recorded processes to a receiver, every so often.
 *
 * A thread of its own reads the recorder's tables of each process, which is not stopped, and posts
 * what is in use.  The first profile that the receiver does not take is told, the others are
 * counted; no process is ever disturbed. */
#ifndef HEFT_PUSH_PUSHER_H
#define HEFT_PUSH_PUSHER_H

#include "push/receiver.h"

#include "cli/cli.h"

struct push_options {
	const char *service;    /* the name of the series */
	const char *name_cache; /* a folder, "none"; NULL: the user's */
	bool addresses;         /* build ids and addresses alone */
};

struct pusher;

/* NULL, and said, where no thread can be started or there is no memory.  Borrows the texts. */
struct pusher *pusher_start(const struct cli *cli, const struct receiver *to,
			    const struct push_options *options);
/* A profile of the process is wanted now; one that is still at work goes on alone.  The first
 * process is that of the program; of any other one that cannot be read, since it is not recorded or
 * has ended, nothing is said. */
void pusher_want(struct pusher *p, uint32_t pid);
/* Ends the thread.  NULL is fine. */
void pusher_stop(struct pusher *p);
/* Posts the last profile of a process, from the file that the recorder wrote at its end, unless the
 * receiver has refused such a one before. */
void pusher_last(struct pusher *p, const char *path, uint32_t pid);
/* Says how many profiles the receiver did not take.  NULL is fine. */
void pusher_end(struct pusher *p);

/* The name of this machine. */
enum { HOST_MOST = 256 };
void host_name(char ret[HOST_MOST]);

#endif
