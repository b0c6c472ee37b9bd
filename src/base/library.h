/* library.h - loads shared libraries when they are first needed.
 *
 * A linked library costs every run the time for its relocations. heft loads libraries that few runs
 * need. A library stays loaded until the process ends. Thread-safe. */
#ifndef HEFT_BASE_LIBRARY_H
#define HEFT_BASE_LIBRARY_H

#include "base/base.h"

#include <pthread.h>

/* A function of the library. */
struct library_function {
	const char *name;
	void *ret; /* Address of a function pointer of any type, to set */
};

/* Loads the first file of `files` that exists, and looks up its functions. NULL ends the list.
 * False if no file exists or a function is missing. */
bool library_load(const char *const *files, const struct library_function *functions, size_t count);

/* Like library_load(), with a list of names. `pointers` has one function pointer per name, in the
 * same order. */
bool library_load_names(const char *const *files, const char *const *names, void *pointers,
			size_t count);

/* LIBRARY(lib, FUNCTIONS, "libx.so.1") defines `lib`, with a member per function, and
 * lib_is_there(). lib_is_there() loads the library at its first call. FUNCTIONS(X) has X(name) for
 * each function; the functions must be declared before. A build that links its libraries
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

#endif
