/* session.h - declares struct heft_session. All measuring handles share a session.
 *
 * A session has the settings. Each handle that opens files has a context of the session. A context
 * copies the settings when its handle first opens a file. Later changes of the session affect only
 * later handles. Only progress applies to all handles.
 *
 * A session lives until its user has freed it and its last context has ended. So handles and
 * session may be freed in any order. One thread for a session with all its contexts. */
#ifndef HEFT_PROGRAM_SESSION_H
#define HEFT_PROGRAM_SESSION_H

#include "base/mem.h"
#include "program/wish.h"

/* Settings and notes of one handle. */
struct context {
	struct program_wish wish; /* Options that locate the parts of programs */
	enum heft_demangle style; /* HEFT_NAMES_AUTO if no style was set */
	unsigned threads;         /* Number of threads. 0: one per processor */
	struct notes notes;       /* Notes about the files that the handle read */
	/* Private. */
	struct memory *memory; /* Memory of the handle */
	struct heft_session *session;
	struct context *before, *after; /* Neighbours in the session, by age */
	bool taken;
};

struct heft_session {
	struct memory *memory; /* Must be the first field: see handle_new(). */
	struct heft_finder {
		struct memory *memory; /* Memory of the session */
		struct program_wish wish;
	} finder;
	enum heft_demangle style;
	unsigned threads;
	heft_progress_fn progress;
	void *progress_ctx;
	struct context *oldest, *newest;
	/* The last returned note. Valid while the contexts have `counted` notes. */
	struct {
		struct context *of;
		size_t at, number, counted;
	} told;
	bool freed; /* True if the user has freed the session */
};

/* Begins the context of a new handle. `memory` is the handle's memory domain. */
void context_begin(struct context *c, struct heft_session *s, struct memory *memory);
/* Ends a context before its handle is freed. Works even if the handle has failed. */
void context_end(struct context *c);
/* Frees the contents of a context. */
void context_release(struct context *c);

/* Copies the session's settings once, into the handle's domain. Leaves the API call if the session
 * has failed. */
void context_take(struct context *c);
/* Returns the style of names, or `usual` if none was set. */
enum heft_demangle context_style(const struct context *c, enum heft_demangle usual);
/* Registers the inputs of the session's finder in the thread's domain, so that files are found by
 * name. Needed for files that are opened before context_take(). */
void context_take_inputs(const struct context *c);

/* Returns note `i` of all contexts, ordered by age. NULL after the last. If several contexts
 * have equal notes about a file, returns only the oldest. O(1) for the note after the last one
 * returned. */
const struct heft_note *session_note(struct heft_session *s, size_t i);
/* Frees the session if neither the user nor a context uses it. */
void session_release(struct heft_session *s);

#endif
