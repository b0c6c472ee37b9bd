/* library.h - loads shared libraries when they are first needed.
 *
 * A linked library costs every run the time for its relocations. heft loads libraries that few runs
 * need. A library stays loaded until the process ends. Thread-safe. */
#pragma once

#include "base/base.h"

#include <pthread.h>

struct library_function {
	const char *name;
	void *ret; /* Address of the function pointer to set, which may have any type */
};

/* Loads the first of `files` that exists, and looks up its functions. False if there is none, or if
 * it lacks a function. NULL ends `files`. */
bool library_load(const char *const *files, const struct library_function *functions, size_t count);

/* Like library_load(). `pointers` is an array of function pointers, one per name. */
bool library_load_names(const char *const *files, const char *const *names, void *pointers,
			size_t count);

/* LIBRARY(lib, FUNCTIONS, "libx.so.1") defines the struct `lib` with a pointer per function, and
 * lib_is_there(), which loads the library at its first call. FUNCTIONS(X) has X(name) for each
 * function; the functions must be declared before. A build that links its libraries
 * (HEFT_LIBRARIES_LINKED) does not load them. */
#define LIBRARY_MEMBER(name)  __typeof__(name) *name;
#define LIBRARY_NAME(name)    #name,
#define LIBRARY_ADDRESS(name) name,

#ifdef HEFT_LIBRARIES_LINKED
#define LIBRARY(lib, FUNCTIONS, ...)                                                               \
	static const struct {                                                                      \
		FUNCTIONS(LIBRARY_MEMBER)                                                          \
	} lib = { FUNCTIONS(LIBRARY_ADDRESS) };                                                    \
	static bool lib##_is_there(void)                                                           \
	{                                                                                          \
		return true;                                                                       \
	}
#else
#define LIBRARY(lib, FUNCTIONS, ...)                                                               \
	static struct {                                                                            \
		FUNCTIONS(LIBRARY_MEMBER)                                                          \
		pthread_once_t once;                                                               \
		bool loaded;                                                                       \
	} lib = { .once = PTHREAD_ONCE_INIT };                                                     \
	static void lib##_load(void)                                                               \
	{                                                                                          \
		static const char *const files[] = { __VA_ARGS__, NULL };                          \
		static const char *const names[] = { FUNCTIONS(LIBRARY_NAME) };                    \
		lib.loaded = library_load_names(files, names, &lib, COUNT_OF(names));              \
	}                                                                                          \
	static bool lib##_is_there(void)                                                           \
	{                                                                                          \
		pthread_once(&lib.once, lib##_load);                                               \
		return lib.loaded;                                                                 \
	}
#endif
