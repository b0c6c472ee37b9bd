/* check.h - what must hold for any file that opens, whatever is in it. */
#ifndef HEFT_TESTS_PROP_CHECK_H
#define HEFT_TESTS_PROP_CHECK_H

#include "../lib/rng.h"

enum verdict {
	CHECK_FINE,
	CHECK_REFUSED, /* does not open; a message that names the file */
	CHECK_BROKEN,
};

enum effort {
	EFFORT_QUICK, /* one pair of sources, one run more for something else by chance */
	EFFORT_WHOLE, /* every source, pairs, threads, diff with itself */
};

/* Measures the file through the public interface; `why` says what is broken or refused. */
enum verdict check_file(const char *path, enum effort effort, struct rng *r, char *why,
			size_t size);

/* The csv of a run with one thread and all rows; NULL where it fails.  To be freed. */
char *check_csv(const char *path, const char *sources);

#endif
