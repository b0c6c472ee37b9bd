/* finders.h - finders of tests, given to a handle in one line. */
#ifndef TESTS_LIB_FINDERS_H
#define TESTS_LIB_FINDERS_H

#include "heft.h"

/* Nothing is looked for that is not named: SET(handle) is for one of the functions
 * heft_*_set_finder. */
#define FIND_ONLY_NAMED(set, handle)                                                               \
	do {                                                                                       \
		struct heft_finder *named_ = heft_finder_new();                                    \
		heft_finder_set_flags(named_, HEFT_FIND_NO_DEBUG | HEFT_FIND_NO_MAP);              \
		set((handle), named_);                                                             \
		heft_finder_free(named_);                                                          \
	} while (0)

/* The debug file is named, and nothing else. */
#define FIND_DEBUG_FILE(set, handle, path)                                                         \
	do {                                                                                       \
		struct heft_finder *named_ = heft_finder_new();                                    \
		heft_finder_add_debug_file(named_, (path));                                        \
		set((handle), named_);                                                             \
		heft_finder_free(named_);                                                          \
	} while (0)

#endif
