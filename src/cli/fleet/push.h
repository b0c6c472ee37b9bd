/* push.h - heap profiles of recorded processes to a server, every so often.
 *
 * A thread of its own reads the recorder's tables of each process, which is not stopped, and posts
 * what is in use (push_request.h says to whom).  The first profile that a server does not take is
 * said, the others are counted; no process is ever disturbed. */
#ifndef HEFT_CLI_FLEET_PUSH_H
#define HEFT_CLI_FLEET_PUSH_H

#include "cli/fleet/push_request.h"

enum push_format {
	PUSH_FORMAT_AUTO,      /* addresses for Parca, which names them itself, else names */
	PUSH_FORMAT_NAMES,     /* pprof with names of functions */
	PUSH_FORMAT_ADDRESSES, /* pprof with build ids and addresses alone */
	PUSH_FORMAT_OTLP,      /* OTLP's of opentelemetry-proto 1.9, with names */
};
extern const struct choice push_formats[];

struct push_wish {
	const char *service;    /* the name of the series */
	unsigned format;        /* enum push_format */
	const char *name_cache; /* a folder, "none"; NULL: the user's */
	const char *debuginfo;  /* who takes debug information (push_debuginfo.h); NULL: nobody */
};

struct pusher;

/* NULL, and said, where the address is wrong or there is no memory.  Borrows the texts. */
struct pusher *pusher_start(const struct cli *cli, const char *url, const struct push_wish *wish);
/* A profile of the process is wanted now; one that is still at work goes on alone.  The first
 * process is that of the program; of any other one that cannot be read, since it is not recorded or
 * has ended, nothing is said. */
void pusher_want(struct pusher *p, uint32_t pid);
/* Ends the thread.  NULL is fine. */
void pusher_stop(struct pusher *p);
/* Posts the last profile of a process, from the file that the recorder wrote at its end, unless the
 * server has refused such a one before. */
void pusher_last(struct pusher *p, const char *path, uint32_t pid);
/* Says how many profiles the server did not take.  NULL is fine. */
void pusher_end(struct pusher *p);

#endif
