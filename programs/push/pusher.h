/* pusher.h - sends heap profiles of recorded processes to a receiver from time to time.
 *
 * A separate thread reads the recorder's tables of each process, and posts the memory in use.
 * Processes are not stopped or changed. A message reports the first profile that the receiver
 * refuses; later ones are counted. */
#pragma once

#include "push/receiver.h"

#include "cli/cli.h"

struct push_options {
	const char *service;    /* Name of the profiles' series */
	const char *name_cache; /* A folder or "none". NULL means the user's cache folder */
	bool addresses;         /* True to send only build ids and addresses */
};

struct pusher;

/* Starts the thread. Borrows the texts. NULL, after a message, if no thread can be started or there
 * is no memory. */
struct pusher *pusher_start(const struct cli *cli, const struct receiver *to,
			    const struct push_options *options);
/* Requests a profile of the process now. A push in progress continues. The first process that is
 * requested must be the program. Other processes cause no message if they cannot be read, because
 * they may be unrecorded or have ended. */
void pusher_want(struct pusher *p, uint32_t pid);
/* Ends the thread. NULL is allowed. */
void pusher_stop(struct pusher *p);
/* Posts the state of a process at its end, from the file `path` that its recorder wrote. Only after
 * pusher_stop(). After the receiver has refused one such profile, only counts failures. */
void pusher_last(struct pusher *p, const char *path, uint32_t pid);
/* Prints how many profiles failed, if any, and frees the pusher. NULL is allowed. */
void pusher_end(struct pusher *p);

/* Returns the name of this machine. */
enum { HOST_MOST = 256 };
void host_name(char ret[HOST_MOST]);
