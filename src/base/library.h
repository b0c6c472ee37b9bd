/* library.h - shared libraries that are loaded when a run needs them.
 *
 * A library that few runs need costs every run its relocations if heft is linked to it.  A library
 * stays loaded until the process ends.  Thread-safe. */
#ifndef HEFT_BASE_LIBRARY_H
#define HEFT_BASE_LIBRARY_H

#include "base/base.h"

/* A function of the library. */
struct library_function {
	const char *name;
	void *ret; /* a pointer to the function, of whatever type, which is set */
};

/* Loads the first of `files` that is there, a list that ends with NULL, and looks its functions up.
 * False if no file is there or a function is missing. */
bool library_load(const char *const *files, const struct library_function *functions, size_t count);

#endif
