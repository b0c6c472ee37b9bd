/* loader.h - makes a table on a separate thread while the user looks at another one.
 *
 * One table at a time. Only the thread of the screen calls these functions. */
#pragma once

#include "browse/browse.h"

#include <pthread.h>

struct loader {
	const struct browse_ops *ops;
	bool busy; /* True from loader_start() until the table is taken */
	size_t input;
	char by[200];
	/* Private fields. */
	bool as_usual; /* True if `by` of loader_start() was NULL */
	pthread_t thread;
	pthread_mutex_t lock; /* Guards the following fields */
	bool ended, stops;
	char what[80];
	uint64_t done, total;
	void *made; /* Result of browse_ops.make. NULL if it failed */
	struct browse_table table;
	struct heft_err err;
};

void loader_init(struct loader *l, const struct browse_ops *ops);
/* Stops the loader and frees it. */
void loader_release(struct loader *l);

/* Begins to make the table of an input, grouped by `by` (NULL: the default). Stops the previous
 * work. False if no thread can be started. */
bool loader_start(struct loader *l, size_t input, const char *by);
/* Cancels the current work and waits for its end. */
void loader_stop(struct loader *l);
/* Waits for at most `ms` milliseconds. True if a table can be taken. */
bool loader_wait(struct loader *l, unsigned ms);
/* Returns the result of browse_ops.make after the work has ended. NULL and *err if it failed. */
void *loader_take(struct loader *l, struct browse_table *ret, struct heft_err *err);
/* Writes the progress as text: "reading symbols 43%". */
enum { LOADER_TEXT_MAX = 120 };
void loader_text(struct loader *l, char out[LOADER_TEXT_MAX]);
