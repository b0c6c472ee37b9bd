/* session.h - what all measuring has in common: the inside of struct heft_session.
 *
 * A session holds the settings; each handle that opens something has a context of it.  A context
 * takes the settings when its handle first opens something, and keeps them: later changes of the
 * session concern later handles.  Progress alone counts for all at once.
 *
 * A session lives until its user has freed it and its last context has left, so handles and session
 * may be freed in any order.  One thread a session with all its contexts. */
#ifndef HEFT_MEASURE_SESSION_H
#define HEFT_MEASURE_SESSION_H

#include "base/mem.h"
#include "program/wish.h"

/* What a handle works with. */
struct context {
	struct program_wish wish; /* how parts of programs are found */
	enum heft_demangle style; /* HEFT_NAMES_AUTO: nobody has said */
	unsigned threads;         /* 0: one a processor */
	struct notes notes;       /* on what the handle read */
	/* private */
	struct memory *memory; /* of the handle */
	struct heft_session *session;
	struct context *before, *after; /* of the session, by age */
	bool taken;
};

struct heft_session {
	struct memory *memory; /* first: see handle_new */
	struct heft_finder {
		struct memory *memory; /* the session's */
		struct program_wish wish;
	} finder;
	enum heft_demangle style;
	unsigned threads;
	heft_progress_fn progress;
	void *progress_ctx;
	struct context *oldest, *newest;
	/* The note that was told last, while the contexts have `counted` notes. */
	struct {
		struct context *of;
		size_t at, number, counted;
	} told;
	bool freed; /* by its user */
};

/* Begins the context of a new handle, whose domain is `memory`. */
void context_begin(struct context *c, struct heft_session *s, struct memory *memory);
/* Ends it, before the handle is freed; `c` may be of a handle that is broken. */
void context_end(struct context *c);
/* Frees what is in it. */
void context_release(struct context *c);

/* Takes the settings of the session, once, in the domain of the handle.  Gives the call up where
 * the session is broken. */
void context_take(struct context *c);
/* The style of names; `usual` where nobody has said. */
enum heft_demangle context_style(const struct context *c, enum heft_demangle usual);
/* Has the inputs of the session's finder stand for names in the thread's domain, until the settings
 * are taken: for what is opened before. */
void context_take_inputs(const struct context *c);

/* Note i of all contexts, by their age; NULL past the last.  Where several contexts have a note of
 * one kind on one file, the oldest one's stands for all.  O(1) for the note after the last one. */
const struct heft_note *session_note(struct heft_session *s, size_t i);
/* Frees the session if nobody holds it any more. */
void session_release(struct heft_session *s);

#endif
