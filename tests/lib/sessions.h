/* sessions.h - sessions of tests. */
#ifndef TESTS_LIB_SESSIONS_H
#define TESTS_LIB_SESSIONS_H

#include "heft.h"

/* Makes a handle with a session of its own, such as ALONE(heft_profile_new). */
#define ALONE(make)                                                                                \
	__extension__({                                                                            \
		struct heft_session *alone_ = heft_session_new();                                  \
		void *made_ = make(alone_);                                                        \
		heft_session_free(alone_);                                                         \
		made_;                                                                             \
	})

/* The same, and nothing is looked for that is not named. */
#define ALONE_UNFOUND(make)                                                                        \
	__extension__({                                                                            \
		struct heft_session *alone_ = heft_session_new();                                  \
		heft_finder_set_flags(heft_session_finder(alone_),                                 \
				      HEFT_FIND_NO_DEBUG | HEFT_FIND_NO_MAP);                      \
		void *made_ = make(alone_);                                                        \
		heft_session_free(alone_);                                                         \
		made_;                                                                             \
	})

/* The same, and the debug file is named. */
#define ALONE_WITH_DEBUG(make, path)                                                               \
	__extension__({                                                                            \
		struct heft_session *alone_ = heft_session_new();                                  \
		heft_finder_add_debug_file(heft_session_finder(alone_), (path));                   \
		void *made_ = make(alone_);                                                        \
		heft_session_free(alone_);                                                         \
		made_;                                                                             \
	})

#endif
