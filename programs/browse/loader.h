/* loader.h - a table that a thread of its own makes while another one is looked at.
 *
 * One table at a time.  All calls are the screen's thread's. */
#ifndef HEFT_BROWSE_LOADER_H
#define HEFT_BROWSE_LOADER_H

#include "browse/browse.h"

#include <pthread.h>

struct loader {
	const struct browse_ops *ops;
	bool busy; /* a table is being made, or was made and not taken yet */
	size_t input;
	char by[200];
	/* private */
	bool as_usual; /* `by` was NULL */
	pthread_t thread;
	pthread_mutex_t lock; /* over what follows */
	bool ended, stops;
	char what[80];
	uint64_t done, total;
	void *made; /* NULL: it failed */
	struct browse_table table;
	struct heft_err err;
};

void loader_init(struct loader *l, const struct browse_ops *ops);
/* Stops it. */
void loader_release(struct loader *l);

/* Begins to make the table of an input, with rows grouped by `by`, NULL: as is usual.  Stops the
 * one before.  False where there is no thread to be had. */
bool loader_start(struct loader *l, size_t input, const char *by);
/* Gives up what is being made, and waits until that is done. */
void loader_stop(struct loader *l);
/* Waits for so many milliseconds at most; whether there is something to take. */
bool loader_wait(struct loader *l, unsigned ms);
/* What browse_ops.make gave, once there is something to take: NULL and *err where it failed. */
void *loader_take(struct loader *l, struct browse_table *ret, struct heft_err *err);
/* How far it is: "reading symbols 43%". */
enum { LOADER_TEXT_MAX = 120 };
void loader_text(struct loader *l, char out[LOADER_TEXT_MAX]);

#endif
