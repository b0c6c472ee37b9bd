/* assert.h - checks invariants of heft's own data, also in release builds.
 *
 * Never use ASSERT on data of a file or a user. */
#pragma once

#define NORETURN    __attribute__((noreturn))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define ASSERT(condition)                                                                          \
	do {                                                                                       \
		if (UNLIKELY(!(condition)))                                                        \
			base_broken(__FILE__, __LINE__, #condition);                               \
	} while (0)

/* Ends the current call with HEFT_EINTERNAL (a bug of heft). If the thread is in no call, ends the
 * process with status 3. Programs beside heft define their own version. */
NORETURN void base_broken(const char *file, int line, const char *condition);
